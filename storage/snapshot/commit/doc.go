// Package commit publishes what writers made as snapshots.
//
// Used by storage (Table) for writes and by maintain for compactions; uses
// manifest and snapshot. docs/rfcs/20261129_commit.md is its design.
//
// The parts, kept apart: plan.go and conflict.go decide (values in, value out),
// attempt.go does one attempt, commit.go owns the lock, the retries and the
// outcome.
//
// Rules: (1) A request becomes up to two snapshots of one user and identifier:
// the append part, then the compact part. (2) Every attempt starts from the
// newest snapshot: what is deleted must be live there, what is overwritten is
// looked up there. (3) Before snapshot-N is created every file it names is
// durable; the pointer file is written after it. (4) A failure before that step
// takes back the files of the attempt; a failure of that step leaves the outcome
// unknown: nothing is taken back, and snapshots are searched for the commit.
// (5) Data files are never deleted here. (6) Before and after that step the caller's
// Still says whether the table is still the one that the files were made for.
package commit
