// Package compact chooses which sorted runs of a bucket to fold and folds them.
//
// Used by lsm; uses lsm/level (what there is), lsm/merge (how records of a key
// become one) and datafile (metadata). It starts no goroutine.
//
// Decide and do are apart. Pick and PickFull look at levels and return a Unit, Plan
// cuts the unit into steps; none does IO. A Rewriter carries the steps out through the Files
// that it was given.
//
// Rules:
//
//  1. A unit is a prefix of the runs, newest first, so that no record overtakes a
//     newer one; its output level is never 0.
//  2. Retractions are dropped only when nothing older than the output remains.
//  3. A file that overlaps no other and is large enough moves to the output level by
//     metadata alone, unless retractions in it could be dropped there.
package compact
