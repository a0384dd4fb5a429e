// Package write takes the rows of statements to the buckets of a table and
// publishes them.
//
// Used by storage; uses lsm/memtable (which sorts a bucket's rows), datafile (which
// writes files), indexfile/bucketindex (which assigns dynamic buckets) and
// snapshot/commit (which publishes).
//
// A Statement collects the rows of one SQL statement or transaction, routed to
// partition and bucket. A Publisher, one per table and process, publishes
// statements: those that arrive while it is busy share the next snapshot. The
// goroutine of the first statement in a group leads it; no goroutine is started.
//
// Rules:
//
//  1. Statements of a group are applied in arrival order: sequence numbers rise in
//     that order, so that the later statement wins.
//  2. Sequence numbers of a bucket start above every number of the newest snapshot.
//     An attempt that finds new files in its buckets makes its files anew.
//  3. A statement that read before it wrote (ReadModify) is refused with
//     ErrConflict when a key it writes was written since the snapshot it read.
//
// See docs/rfcs/20261129_commit.md.
package write
