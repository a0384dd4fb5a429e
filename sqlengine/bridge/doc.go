// Package bridge adapts lakesql's catalog and tables to the host SQL engine.
//
// Used by plan, procs, wire and sqlengine; uses catalog, storage, systables and
// the host's interfaces. It is the only place where batches become host rows,
// host values become batches, and errors get MySQL's numbers:
//
//	names       provider, database, table, systemtable, views, index; showcreate
//	sessions    session, transaction (one pinned view and one write a table and
//	            statement), kept (memory), location (time zone)
//	types       types, timetype, default
//	to columns  columnvalue, columntime, jsonvalue: strict; adjust: under IGNORE;
//	            exact: literals that predicates can hold; stored: assignments
//	to host     hostvalue; batches and cast for whole batches; origin, okiter
//	            for results
//	writing     dml (one statement: turns, conflicts, memory); insert, insertkey,
//	            values (constants, which it reads itself), given (PARTITION), fill
//	            (CREATE TABLE AS), load, loadread, loadkey (LOAD DATA), update,
//	            joined, sequence, truncate; editor for what the host writes row by row
//	errors      errors (numbers and SQLSTATEs), denied
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
