// Package lsm is the merge tree of one bucket of a primary-key table: its sorted runs,
// and the compactions that fold them.
//
// Used by storage (compaction); uses compact and level. What else is done with the
// runs of a bucket goes to the packages below: write makes them with memtable, scan
// reads them merged with level and merge. Files are read and written through the Files
// that the caller hands in. Starts no goroutine; a Bucket is used by one goroutine at
// a time.
//
//	level 0 files ─ Compact ─► files at a higher level ─ Increment ─► datafile.Increment
//
// Rules:
//
//  1. A file that one compaction made and a later one replaced before Increment appears
//     in no increment and is deleted.
//  2. Increment hands the files over: they are the caller's to publish or remove. Until
//     then they are the bucket's, and Abort removes them.
package lsm
