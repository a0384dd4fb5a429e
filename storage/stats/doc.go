// Package stats holds the statistics of columns: bounds and null counts, how
// they are collected, truncated and stored.
//
// Used by format (which has them from footers), datafile (which makes them),
// manifest (which stores them) and predicate (which prunes by them); uses row,
// columnar and types.
//
// Rules:
//
//  1. Bounds are bounds, not values: min is at most, max at least every value of the
//     column, in the order of columnar.Compare. Truncated text is no value of the column.
//  2. A float column that has bounds has no NaN. -0.0 and 0.0 may stand for each other:
//     who compares with a bound takes them as equal.
//  3. A column without bounds says nothing about its values; with no unknown null count
//     it still may say that all of them are null.
package stats
