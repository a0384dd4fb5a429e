// Package mem keeps files in memory, for tests.
//
// Implements fileio.Store, fileio.Syncer and fileio.DirStore. It remembers what
// a disk would have kept: Crash returns a store that holds only what was made
// durable, by Sync or by CreateIfAbsent, before the power went.
//
// Rules of that model: a file's content is durable once synced; a Replace or a
// Delete is durable once its directory was synced, until then the old durable
// content comes back; an unsynced file, or one that has its name by an unsynced Link,
// is gone.
package mem
