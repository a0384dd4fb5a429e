// Package storage is the door into lake tables: open, scan, write, maintain.
//
// Used by catalog, systables, sqlengine and any program that embeds lakesql's
// tables; wires the packages below it. Code above uses this package, the value
// packages (types, columnar, schema, options, predicate, snapshot's values) and,
// to choose a driver, fileio; nothing between.
//
// An Env is what the tables of a process share; a Table is the long-lived handle
// of one table directory; a View is one version of it, pinned; a Scan reads a
// View, a Write adds rows to it.
//
// Rules: (1) one Table per directory and Env, which Open sees to: group commit and
// the check for lost updates rely on it. (2) A View never changes: what is
// committed after it was taken is not in it. (3) Env and Table are safe for many
// goroutines; a View is too; a Scan's readers and a Write belong to one goroutine
// each.
package storage
