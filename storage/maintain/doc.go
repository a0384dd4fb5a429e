// Package maintain is the background service of a process: work on tables that no
// statement waits for, such as expiring snapshots.
//
// Used by storage, which submits work; uses nothing of the tables: a piece of work
// is a function. The service owns its one goroutine and ends it in Close.
//
// Rules: (1) Work of one key that waits already is not queued twice. (2) A failure
// is logged and does not stop the service. (3) Close waits for the piece in hand,
// whose context it cancels, and drops the rest.
package maintain
