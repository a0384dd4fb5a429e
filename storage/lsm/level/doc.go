// Package level keeps the sorted runs of one bucket as immutable values.
//
// Used by lsm (to place runs), lsm/compact (to choose them) and scan (to cut
// splits). Uses datafile for metadata, row and columnar for keys; does no IO; safe
// to share.
//
//	level 0   [d────k]          each file is a run, newest (highest sequence) first
//	             [e──g]
//	level 1   [a─c][d──h]       one run: its files do not overlap
//	level 5   [a────f][g────z]  the oldest records
//	          └section┘ …       files whose key ranges overlap, apart from all others
//
// Rules:
//
//  1. Level 0 holds one run per file, newest first; a level above 0 holds one run.
//  2. A record at a lower level was written later than every record of its key at a
//     higher one. (By sequence fields it need not be the newer one.)
//  3. Keys compare as values in key order, never as bytes of metadata.
//  4. Apply returns a new Levels.
package level
