// Package row is Paimon's binary row: how rows of keys, partitions and bounds are
// written, read, hashed into buckets and put in order.
//
// Used by stats and manifest (rows in metadata), by write (buckets), by lsm and its
// parts (order of keys); uses columnar and types.
//
// A binary row, all little-endian:
//
//	0         row kind, always 0 in metadata
//	8 bits …  a null bit per field: bit 8+i is field i; padded to B, a multiple of 8 bytes
//	B + 8·i   slot of field i: the value, or offset<<32 | length of its bytes
//	…         bytes of the long values, in field order, each padded to 8 bytes
//
// The serialised form puts the number of fields before it, int32 big-endian. Both are
// canonical: one row has one form, and equality of rows is equality of bytes.
//
// Rules: nothing here does IO or keeps state between calls; all functions are safe from
// many goroutines as long as their dst is not shared. Readers check every length and
// never panic; writers trust their vectors and panic on a type that cannot be written.
package row
