// Package bench measures lakesql: each measurement is one JSON object on a line,
// in the form in which the peers' benchmarks print theirs, so that ratios can be
// taken from one run.
//
// Used by `lakesql bench`; uses storage as any embedder does. The rows are those
// of the kv table (internal/testkit), which other engines can make too; each
// benchmark checks the number of rows and the sum of column b.
package bench
