package commit

import (
	"context"
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

// late reports whether s lies behind the newest snapshot and in none of its successors.
func (r *run) late(ctx context.Context, s *snapshot.Snapshot) (bool, error) {
	if s.ID > 1 {
		there, err := r.c.Snapshots.Exists(ctx, s.ID-1)
		if err != nil || there {
			return false, err
		}
	}
	ids, err := r.c.Snapshots.List(ctx)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(ids, func(id snapshot.ID) bool { return id > s.ID })
	if i < 0 {
		return false, nil
	}
	next, err := r.c.Snapshots.Get(ctx, ids[i])
	if err != nil {
		return false, fmt.Errorf("look for the successor of snapshot %d: %w", s.ID, err)
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
