// Package faults fails every file operation of the verbs of a table in turn.
//
// For a write, an overwrite, a compaction, an expiry, a schema change and the rest:
// the n-th operation fails, n = 1, 2, …, until a run passes; before its effect, after
// it as a lost acknowledgement does, or with every later one as if the process had
// died. After each failure the store is opened anew, both as it is and as a power
// cut would leave it. The table must read as before or as after, after when the verb
// had returned without an error, and the offline check must find nothing.
//
// The same verbs meet a disk that is full from the n-th operation on, and a store that
// takes no change at all: an error that says so and names a file, nothing lost, and
// with space again the same handle goes on.
package faults
