// Package check walks a whole table offline and tells what is broken in it.
//
// Used by storage (CheckTable, CheckWarehouse); uses the readers of the packages
// below: snapshot and manifest, datafile's names and paths, the formats, row and
// stats, lsm/level. It changes nothing and takes no lock; a table that is written
// or expired meanwhile can give problems that are none.
//
// What is held against what:
//
//	schema files      dense ids that agree with their names; columns, keys and options that make sense
//	pointer files     EARLIEST and LATEST against the snapshot files
//	snapshots, tags   ids, schemas, lists, totals; base(N) is what N-1 left
//	manifest lists    size, counts and bounds of each manifest against its entries
//	manifests         a DELETE has its ADD, no file twice, buckets, levels without overlap
//	index manifests   sizes, counts and checksums; every key of a dynamic bucket is in its hash index
//	data files        size, rows, key order, unique keys, key copies, key range, sequence numbers,
//	                  deletes, statistics, partition and bucket of every row; extra files
//	the folders       files that nothing names: told as notes, they are no fault
//
// Rules: (1) A problem never ends the walk; it goes on with what can still be read.
// (2) A file is read once, however many snapshots name it, and as a stream: memory
// grows with the number of files and with the keys of one dynamic bucket, never
// with the rows. (3) Nothing is taken from a cache that a writer filled: what is
// told is what the store holds now.
package check
