// Package datafile is one file of rows: its metadata, its name and place, its
// reader and its rolling writer; and the increment, what the writers of a bucket
// hand to the commit.
//
// Used by lsm, scan, write (which make and read files), by manifest (which
// stores the metadata) and by commit (which publishes increments). lsm and
// snapshot meet only in the types of this package. Uses the formats through
// package format, schema for the evolution of columns, stats and predicate.
//
// The place of a file, all of which is computed and nowhere stored:
//
//	<table>/[<data-file.path-directory>/]<k1>=<v1>/…/bucket-<n>/<prefix><uuid>-<n>.<format>
//
// Rules:
//
//  1. Paths, Layout and Meta are immutable and shared; a Writer and a reader are
//     for one goroutine each. Nothing here starts a goroutine or keeps a cache.
//  2. A partition value's text must be the writer's to the letter (partition.go).
//     Where it depends on the Java release, reading looks for the directory and
//     writing is refused.
//  3. Batches of a primary-key table have its columns, then the sequence numbers,
//     and the row kinds in Batch.Kinds: the reader gives what the Writer takes.
//     Keys are read from the table's columns, never from their copies.
//  4. Partition columns come from the manifest's partition row, not from the file.
//  5. A file is held against its metadata: the size when it is opened, the number
//     of rows at its end. What differs is damage, and the error names the file.
//  6. What the Writer returns was finished but is not durable; the commit syncs it.
package datafile
