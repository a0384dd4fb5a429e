package commit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// While a commit stands still, others can publish its id and more, and expire them
// all again: then the id is free once more, and a snapshot that is published under
// it lies behind the newest one, where nobody sees it. Snapshots expire oldest
// first, so that this has not happened as long as the snapshot below is there:
//
//	base     ours          newest
//	  9       10                       base is there: 10 was never taken before
//	  -       10   11  12              11 builds on ours: base expired later
//	  -       10    -  12  13          11 cannot have expired before 10: ours is late

// stands makes sure that a snapshot of ours that was just published is the newest,
// or was. One that is late is taken back: errTaken. Another error leaves it unknown.
func (r *run) stands(ctx context.Context, s *snapshot.Snapshot) error {
	late, err := r.late(ctx, s)
	if err != nil || !late {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err := r.c.Snapshots.Remove(ctx, s.ID); err != nil {
		return err
	}
	return fmt.Errorf("%w: by a snapshot that has expired", errTaken)
}

// belongs makes sure that a published snapshot is one of the table that it was made
// for: ErrGone when that was dropped before, and then the snapshot is taken back from
// what has come in its place.
func (r *run) belongs(ctx context.Context, s *snapshot.Snapshot) error {
	if r.c.Still == nil {
		return nil
	}
	gone := r.c.Still(ctx)
	if !errors.Is(gone, ErrGone) {
		return nil // when it cannot be told, the snapshot stands
	}
	there, err := r.c.Snapshots.Get(ctx, s.ID)
	switch {
	case errors.Is(err, snapshot.ErrNotFound), err == nil && !there.SameCommit(s):
		return gone // it went with the table
	case err == nil:
		err = r.c.Snapshots.Remove(ctx, s.ID)
	}
	return errors.Join(gone, err)
}

// late reports whether s lies behind the newest snapshot and in none of its successors.
func (r *run) late(ctx context.Context, s *snapshot.Snapshot) (bool, error) {
	if s.ID > 1 {
		there, err := r.c.Snapshots.Exists(ctx, s.ID-1)
		if err != nil || there {
			return false, err
		}
	}
	next, err := r.successor(ctx, s.ID)
	if err != nil || next == nil {
		return false, err
	}
	if holds, err := r.builtOn(ctx, next, s); err != nil || holds {
		return false, err
	}
	there, err := r.c.Snapshots.Exists(ctx, s.ID)
	if err == nil && !there {
		err = fmt.Errorf("snapshot %d expired right after it was published", s.ID)
	}
	return true, err
}

// successor is the oldest snapshot after an id; nil when there is none.
func (r *run) successor(ctx context.Context, id snapshot.ID) (*snapshot.Snapshot, error) {
	ids, err := r.c.Snapshots.List(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(ids, func(other snapshot.ID) bool { return other > id })
	if i < 0 {
		return nil, nil
	}
	next, err := r.c.Snapshots.Get(ctx, ids[i])
	if err != nil {
		return nil, fmt.Errorf("look for the successor of snapshot %d: %w", id, err)
	}
	return next, nil
}

// isOurs reports whether the snapshot that has the id of s is s. When it has expired
// since, what was built on it tells.
func (r *run) isOurs(ctx context.Context, s *snapshot.Snapshot) (bool, error) {
	there, err := r.c.Snapshots.Get(ctx, s.ID)
	if err == nil {
		return there.SameCommit(s), nil
	}
	if !errors.Is(err, snapshot.ErrNotFound) {
		return false, err
	}
	next, err := r.successor(ctx, s.ID)
	if err != nil || next == nil {
		return false, err
	}
	return r.builtOn(ctx, next, s)
}

// builtOn reports whether what s did is in the base of a later snapshot.
func (r *run) builtOn(ctx context.Context, later, s *snapshot.Snapshot) (bool, error) {
	delta, err := r.c.Manifests.Delta(ctx, s)
	if err != nil || len(delta) == 0 {
		return true, err // without entries nothing is lost with it
	}
	metas, err := r.c.Manifests.List(ctx, later.BaseManifestList, later.BaseManifestListSize)
	if err != nil {
		return false, err
	}
	want := delta[0]
	if i := slices.IndexFunc(delta, func(e *manifest.Entry) bool { return e.Kind == manifest.Add }); i >= 0 {
		want = delta[i]
	}
	live, err := r.c.Manifests.Live(ctx, metas, manifest.Filter{Entry: func(e *manifest.Entry) bool { return e.SameFile(want) }})
	if err != nil {
		return false, err
	}
	return (len(live) > 0) == (want.Kind == manifest.Add), nil
}
