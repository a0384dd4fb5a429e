// Package sqlengine is the SQL engine: MySQL's dialect and protocol over the
// tables of a catalog. It is the door for cmd/lakesql and for programs that embed
// lakesql.
//
//	Open      an Engine over a catalog
//	Serve     clients of a listener, until Close
//	Connect   a connection inside the process, for database/sql
//
// Uses the host engine (go-mysql-server) for names, types, plans and the long
// tail of MySQL, and puts our parts in: dialect (what is typed), bridge (tables
// and sessions), plan and exec (how queries run), procs (statements of our own),
// wire (results).
//
// Rules: (1) one Engine a process, since the host keeps its parser and system
// variables in process-wide variables; Open refuses a second one that is open at
// the same time; (2) the host logs nothing: what is worth a log goes through the
// logger of Options.
package sqlengine
