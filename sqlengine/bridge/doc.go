// Package bridge adapts lakesql's catalog and tables to the host SQL engine.
//
// Used by plan, procs, wire and sqlengine; uses catalog, storage, systables and
// the host's interfaces. It is the only place where batches become host rows,
// host values become batches, and errors get MySQL's numbers:
//
//	provider, database, table   names to tables, with hints and time travel
//	session, transaction        one pinned view and one write a table and statement
//	types, columnvalue, adjust  column types and values, both ways; strict or IGNORE
//	insert, update, dml         statements that write; values reads constants itself
//	given                       the PARTITION clause of an INSERT
//	errors                      error numbers and SQLSTATEs
//
// Rules: (1) a statement reads one view of a table, pinned by the transaction
// and released when it ends; (2) what a statement wrote is published by the
// transaction's commit or not at all; (3) DATETIME values are host times labelled
// UTC; TIMESTAMP_LTZ values are the wall clock of the session's zone, labelled UTC
// as well, so that host expressions compare what the user sees.
//
// Concurrency: a provider is shared by all sessions; databases, tables and
// transactions belong to one statement or session and to one goroutine.
package bridge
