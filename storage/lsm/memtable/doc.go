// Package memtable is the sort buffer of a bucket: it takes records in any order and
// gives them back in key order, each key once.
//
// Used by lsm; uses lsm/merge (key order, merge functions), columnar and membudget.
// Does no IO; a Table is used by one goroutine at a time.
//
// How it works. Rows are appended to the columns of chunks, or whole batches are
// adopted as chunks; nothing else happens on the way in. A flush builds the prefixes
// of the keys, sorts (prefix, row) pairs by radix, orders what still ties by the
// columns, folds the versions of each key, and gathers the columns of all chunks in
// that order.
//
// Rules:
//
//  1. The columns are those of the table and behind them the sequence number.
//  2. Memory is reserved before it is taken and kept over Reset; Close gives it back.
//  3. A table holds at most MaxRows rows in 256 chunks, and a chunk less than 2 GiB in
//     a string column.
//  4. An adopted batch stays the giver's: it is only read, and let go by Reset.
package memtable
