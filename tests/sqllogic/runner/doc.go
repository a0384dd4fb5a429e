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
// After "query" may stand rowsort (rows are compared as a set), colnames (the
// first line has the column names), types (the line before the rows has the
// types that the client is told) and retry (asked again until it answers as
// wanted, for 5 seconds). Values are separated by tabs; NULL is NULL, an empty
// text is (empty), and control characters are written as in Go. A wanted line
// "..." stands for any rows.
//
// "statement error 0 TEXT" wants any error with that text, "statement error 1064/42000"
// an SQLSTATE too.
//
// Before a record may stand: "connection NAME" runs it on a second connection of
// that name; "only KIND" leaves it out against servers of another kind; "let NAME"
// keeps the first value of a query, which later SQL reads as ${NAME};
// "background" runs a statement without waiting, its result is checked by a later
// "join NAME" of its connection.
//
// "file NAME" writes the lines behind it to a file, "bytes NAME" Go's quoted texts, one a
// line, with nothing between them. SQL reads them in the folder ${dir}, which is the
// client's and the server's.
//
// "protocol text|binary" and "server KIND" restrict the rest of a script. "restart"
// stops and starts the server. "state TABLE …" is where a run over the states of
// Matrix compacts tables or restarts.
package runner
