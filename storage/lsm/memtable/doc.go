// Package memtable is the sort buffer of a bucket: it takes records in any order and
// gives them back in key order, each key once.
//
// Used by lsm; uses lsm/merge (key order, merge functions), columnar and membudget.
// Does no IO; a Table is used by one goroutine at a time.
//
// How it works. Rows are appended to columns, nothing else happens on the way in. A
// flush builds the prefixes of the keys, sorts (prefix, row) pairs by radix, orders
// what still ties by the columns, folds the versions of each key, and gathers the
// columns in that order.
//
// Rules:
//
//  1. The columns are those of the table and behind them the sequence number.
//  2. Memory is reserved before it is taken and kept over Reset; Close gives it back.
//  3. A table holds at most MaxRows rows and less than 2 GiB in a string column.
package memtable
