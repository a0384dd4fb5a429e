// Package deletionvector is the codec of the index files that hold the deletion
// vectors of data files: the positions of rows that are deleted.
//
// Used by inspect and check; uses the corruption error and the Roaring bitmap
// library (RoaringBitmap/roaring), which writes what other engines write. Does no IO.
//
//	1 byte   version, 1
//	per vector, at the offset that the index manifest records:
//	4 bytes  big-endian length of the payload
//	payload  32 bits: magic 1581511376 big endian, portable Roaring bitmap
//	         64 bits: magic 1681511377 little endian, count, then per high half
//	                  of the positions: the half, portable Roaring bitmap
//	4 bytes  big-endian CRC32 of the payload
//
// The recorded length of a vector is that of the payload for 32 bits, and of
// everything from the length to the CRC for 64 bits.
package deletionvector
