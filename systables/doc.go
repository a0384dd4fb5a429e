// Package systables holds the system tables of a table, such as t$snapshots: a
// schema and a reader each, one file a table.
//
// Used by sqlengine/bridge, which finds them by name; uses storage. The columns
// are Paimon's, in its order. Times are clocks in the zone that the caller gives.
//
// Rules: (1) a table is read when its reader is opened, in one go; (2) it shows
// the version that the caller's view options lead to, where it has versions.
package systables
