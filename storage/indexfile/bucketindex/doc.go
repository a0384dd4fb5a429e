// Package bucketindex assigns the rows of dynamic-bucket tables to buckets, and is
// the codec of the hash index files that remember it.
//
// Used by write; uses the corruption error only; does no IO. A hash index file is
// the row hash (storage/row) of every key of a bucket, as big-endian 32-bit
// numbers without a header, see docs/format/index-manifest.md.
//
// Rules: (1) A hash belongs to one bucket for ever; different keys of one hash
// share it. (2) New hashes fill the first bucket that has room, then a new bucket.
// (3) One Partition is one writer's: it must be loaded with all buckets of its
// partition, and nobody else may assign meanwhile, otherwise a key lands in two
// buckets.
package bucketindex
