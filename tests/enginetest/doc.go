// Package enginetest runs the host engine's own suites for queries, inserts,
// updates and deletes over lake tables.
//
// It is a module of its own, since the suites are large to build. What lake tables
// do not have, and where lakesql is right and the host's expectation is not, stands
// in one list, skips.txt, each with its reason.
package enginetest
