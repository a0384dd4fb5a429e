// Package lsm is the merge tree of one bucket of a primary-key table: it takes
// records, flushes them to sorted runs, compacts runs, and reads them merged.
//
// Used by write (a Bucket for each bucket that a commit touches) and by maintain
// (compaction); uses memtable, compact, merge and level. Files are read and written
// through the Files that the caller hands in. Starts no goroutine; a Bucket is used
// by one goroutine at a time.
//
//	Write ─► memtable ─ full ─► level 0 file ─ Compact ─► file at a higher level
//	                                └───── Prepare ────────────┴─► datafile.Increment
//
// Rules:
//
//  1. Sequence numbers go up from the highest of the bucket's files, one a row, in the
//     order of arrival.
//  2. A file that one compaction made and a later one replaced before Prepare appears
//     in no increment and is deleted.
//  3. Prepare hands the files over: they are the caller's to publish or remove. Until
//     then they are the bucket's, and Abort removes them.
package lsm
