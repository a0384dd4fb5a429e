// Package hints reads table hints and carries them past the host parser.
//
// A hint stands after a table name, as a comment or bare:
//
//	FROM t /*+ OPTIONS('scan.mode'='latest', 'consumer-id'='c') */
//	FROM t OPTIONS ('scan.mode'='latest')
//
// Parse turns that text into a Set: keys and values in the order written, with
// their byte positions, so that whoever rejects a key can point at it. The
// package knows no option's meaning.
//
// Used by sqlengine/dialect, which finds hints in statements, and by
// sqlengine/bridge, which receives them; uses nothing of ours. The host's syntax
// tree has no place for hints, so they travel in two strings that this package
// writes and reads: Read, the value of an AS OF clause, and Target, a suffix of a
// database name. Everything here is a pure function of its arguments.
package hints
