// Package merge folds the sorted runs of a bucket into one stream: the order of
// keys, the loser tree, and the functions that make one record of a key's versions.
//
// Used by lsm, lsm/compact and scan (to read a section merged) and by
// lsm/memtable (key order and prefixes); uses row, columnar and types. Does no IO but
// through the readers it is given; starts no goroutine; a Reader is used by one
// goroutine at a time.
//
// How a merge works. Every key has a prefix of 64 or 128 bits whose order as a
// number is the order of keys (Order). A tree of losers over the prefixes of the
// runs' current blocks yields picks: run<<24 | slot in the block. Columns are then
// gathered one by one along the list of picks. A block is the batch that a run's
// reader gave last; it stays valid until that reader is asked again, so everything
// picked from it is gathered before. The versions of the key that is still open by
// then move into a block of their own, the carry, which has the last run number.
//
// Rules:
//
//  1. Runs are numbered by age, oldest first. Among equal keys a higher run, and a
//     later row in one run, is newer, unless sequence fields or a sequence number
//     column say otherwise.
//  2. Within a run keys ascend. A key may repeat within a run only when the run is
//     itself an unfolded merge.
//  3. Where two keys have equal prefixes that do not tell all of the key, the
//     columns are compared: correct for every key, fast while that is rare.
package merge
