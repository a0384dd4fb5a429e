// Package manifest reads and writes the lists of a table's files: manifests
// (entries that add or delete a data file), manifest lists (manifests with what
// they hold) and index manifests (the table's index files); and it works out the
// files that are live in a snapshot.
//
// Used by commit, expire, scan, changelog and maintain; uses fileio, datafile,
// format/avroschema and snapshot. The bytes are described in docs/format/manifest.md and
// docs/format/index-manifest.md.
//
// Rules: (1) Files are Avro containers, framed here; other writers' schemas are
// resolved by member name. Manifests of releases that wrote them as Parquet are
// read as well. (2) Decoded values point into the decoded block: they are
// immutable, shared with the cache, and keep their block (some 64 kB) alive.
// (3) The live files are the ADD entries without a DELETE entry of the same
// identity, in whatever order they come; an identity added twice is damage.
// (4) File names never come back, so the cache never goes stale.
//
// Concurrency: Files and Cache are safe for many goroutines. A read starts some
// goroutines and waits for them.
package manifest
