// Package snapshot reads and publishes the versions of a table: snapshot files,
// the LATEST and EARLIEST pointer files, tags, and the positions of consumers.
//
// Used by commit and expire (which add and remove versions), scan, changelog and
// maintain; uses fileio. The bytes are described in docs/format/snapshot.md.
//
// Rules: (1) A snapshot file never changes, but a rollback followed by a commit,
// or a writer of another engine that renames over it, can put another one under
// its id: Get and Latest look at the file each time and only save parsing it.
// (2) A pointer file may hold anything and is never trusted alone. (3) Ids are
// dense from 1, but a file may be missing. (4) A snapshot that is read is pinned,
// and expiry in this process asks the pins first.
//
// Concurrency: a Manager is safe for many goroutines; share one per table. No
// lock is held during IO.
package snapshot
