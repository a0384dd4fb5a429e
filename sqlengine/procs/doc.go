// Package procs runs the statements that the dialect reads itself: DDL of lake
// tables, procedures (CALL sys.…), settings, EXPLAIN, SHOW PARTITIONS and others.
//
// Used by sqlengine, which hands its Builder to the dialect's parser; uses
// dialect's statements, bridge, plan, catalog and storage. One file a group of
// statements; a statement becomes a leaf of the host's plan that does its work
// when its first row is asked for.
//
//	builder                       a statement to its node; names of tables
//	create, alter, rename,        DDL, TRUNCATE
//	database, partitions
//	call, args                    CALL: the list of procedures, their arguments
//	compact, expire, orphans,     the procedures, and ALTER TABLE … TAG
//	rescale, tags
//	show, admin, explain          SHOW of ours; ANALYZE, CHECK and their kin; EXPLAIN
//	settings, values, load        SET 'key'; INSERT of constants; LOAD DATA
//
// Rules: (1) DDL publishes what the session's transaction has written before it
// runs, as MySQL does; (2) a statement that is not supported is refused by name.
package procs
