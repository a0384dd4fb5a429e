// Package stats holds the statistics of columns: bounds and null counts, how
// they are collected, truncated and stored.
//
// Used by format (which has them from footers), datafile (which makes them),
// manifest (which stores them) and predicate (which prunes by them).
package stats
