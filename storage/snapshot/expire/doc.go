// Package expire removes old snapshots and the files that only they needed.
//
// Used by maintain and by the procedures above it; uses manifest and snapshot.
//
// The parts, kept apart: plan.go decides which snapshots go (values in, value
// out), gather.go reads what they hold and works out which files nobody else
// needs, expire.go deletes. orphans.go removes what interrupted writes left: files
// that nothing names.
//
// Rules: (1) Everything is read and worked out before the first deletion. (2)
// Snapshot files go first, oldest first, and durably; data files, manifests and
// the rest after them. A crash in between leaves orphans, never a snapshot whose
// files are gone, and a reader that comes too late is told that its snapshot has
// expired. (3) Kept are the files of the first snapshot that stays, of tags, and
// those that a later overwrite brought back. (4) What stands in the way of a
// file's deletion is left behind for the removal of orphans; what stands in the
// way of knowing what must be kept (a damaged tag, a consumer that cannot be read)
// stops the expiry.
package expire
