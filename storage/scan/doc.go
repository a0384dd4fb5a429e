// Package scan plans and reads a snapshot: which files hold rows that may match,
// how they are cut into splits, and how a split becomes batches.
//
// Used by storage; uses snapshot/manifest (the live files), predicate (pruning),
// lsm/level and lsm/merge (sections of a bucket that must be merged), datafile
// (reading a file in the wanted schema).
//
// Rules:
//
//  1. Pruning never changes the result: key and partition predicates prune files of
//     any table; predicates on other columns prune a file only where no other
//     version of its keys can exist, else a whole section at a time, when no file of
//     it may match.
//  2. A split is read raw, file after file, when every key in it has one version;
//     otherwise its sections are merged, each by key range.
//  3. A scan may return rows that do not match the filter, never fewer than match.
package scan
