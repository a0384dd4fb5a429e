// Package runner reads and runs SQL scripts: statements with the results that a
// client must see.
//
// Used by tests/sqllogic (against a lakesql server) and tests/oracle (the same
// scripts against a MySQL-family server); uses database/sql alone. Records of a
// script are separated by blank lines:
//
//	# a comment; the first lines of a script say what it shows
//
//	statement ok
//	CREATE TABLE t (k INT PRIMARY KEY, v STRING)
//
//	statement count 2
//	INSERT INTO t VALUES (1,'a'),(2,'b')
//
//	statement error 1146 doesn't exist
//	SELECT * FROM nope
//
//	query rowsort
//	SELECT * FROM t
//	----
//	1	a
//	2	b
//
// After "query" may stand rowsort (rows are compared as a set) and colnames (the
// first line has the column names). Values are separated by tabs; NULL is NULL, an
// empty text is (empty), and control characters are written as in Go.
//
// "connection NAME" before a record runs it on a second connection of that name.
// "protocol text|binary" restricts the rest of a script, "only lakesql" leaves the
// next record out against another server. "restart" stops and starts the server.
package runner
