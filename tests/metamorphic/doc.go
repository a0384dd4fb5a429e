// Package metamorphic runs one random list of operations over tables of many option
// sets, and holds every answer against a map.
//
// The options of a table say how rows are stored: format, compression, buckets,
// sizes, statistics. They must not change what a read returns. A run draws a kind of
// table (keys, sequence.field and its order, partitions) and a list of operations
// with the answers that a map gives; then it draws option sets and runs the list
// over a table of each. Writes of all row kinds, deletes, overwrites, compactions,
// schema changes, expiry, tags, rows that are not committed yet, lost updates, time
// travel and filtered scans take part. Each table ends with a clean offline check,
// and with no file that nothing names.
//
//	go test ./tests/metamorphic [-seed N] [-ops N] [-runs N]
//
// A failure prints the seed of its run.
package metamorphic
