// Package procs runs the statements that the dialect reads itself: DDL of lake
// tables, procedures (CALL sys.…), settings, EXPLAIN, SHOW PARTITIONS and others.
//
// Used by sqlengine, which hands its Builder to the dialect's parser; uses
// dialect's statements, bridge, plan, catalog and storage. One file a group of
// statements; a statement becomes a leaf of the host's plan that does its work
// when its first row is asked for.
//
// Rules: (1) DDL publishes what the session's transaction has written before it
// runs, as MySQL does; (2) a statement that is not supported is refused by name.
package procs
