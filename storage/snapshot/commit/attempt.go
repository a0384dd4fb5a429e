package commit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

var (
	errTaken   = errors.New("the snapshot id is taken")
	errUnknown = errors.New("publishing failed with an unknown outcome")
)

// attempt tries once to publish a part on top of latest. It returns the snapshot;
// nil and no error when there is nothing to publish; errTaken when another commit
// was faster; errUnknown when it may be published; another error when it is not.
func (r *run) attempt(ctx context.Context, latest *snapshot.Snapshot, o *outcome, merge bool) (*snapshot.Snapshot, error) {
	v := view{r.c.Manifests, latest}
	if r.request.Check != nil {
		if err := r.request.Check(ctx, latest, v); err != nil {
			return nil, err
		}
	}
	if o.first && r.request.Prepare != nil {
		if err := r.prepare(ctx, latest, v, o); err != nil {
			return nil, err
		}
		if len(o.parts) == 0 {
			return nil, nil
		}
	}
	p := o.parts[o.n]
	p, err := r.resolve(ctx, latest, v, p)
	if err != nil {
		return nil, err
	}
	if p.empty() && !r.request.Force && p.kind != snapshot.Analyze {
		return nil, nil
	}
	schemaID, err := r.c.LatestSchema(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the latest schema: %w", err)
	}
	s := describe(latest, &p, facts{
		request: r.request, schemaID: schemaID, nowMillis: r.c.Now().UnixMilli(),
		uuid: uuid.NewString(), version: r.c.WriterVersion, properties: r.properties(latest),
	})
	w := r.c.Manifests.NewWriter(manifest.WriterOptions{
		Compression: r.c.Compression, TargetBytes: r.c.Merge.TargetBytes, PartitionTypes: r.c.PartitionTypes,
	})
	if err := r.write(ctx, latest, &p, s, w, merge); err != nil {
		r.takeBack(ctx, w)
		return nil, err
	}
	return r.publish(ctx, latest, &p, s, w, o)
}

// prepare has the writer make the increments for this attempt.
func (r *run) prepare(ctx context.Context, latest *snapshot.Snapshot, v view, o *outcome) error {
	incs, err := r.request.Prepare(ctx, latest, v)
	if err != nil {
		return err
	}
	if err := checkBuckets(incs); err != nil {
		return err
	}
	r.incs, o.parts = incs, split(r.request, incs)
	return nil
}

// resolve completes a part from what is live in latest, and holds it against it.
func (r *run) resolve(ctx context.Context, latest *snapshot.Snapshot, v view, p part) (part, error) {
	var live []*manifest.Entry
	if p.overwrite != nil {
		hit, err := overwritten(&p)
		if err != nil {
			return p, err
		}
		if live, err = v.Live(ctx, manifest.Filter{Partition: hit}); err != nil {
			return p, err
		}
		index, err := v.index(ctx)
		if err != nil {
			return p, err
		}
		p = addOverwrite(&p, hit, live, index)
	} else if needsLive(&p) {
		set := p.partitions()
		var err error
		live, err = v.Live(ctx, manifest.Filter{Partition: func(b []byte) bool { return set[string(b)] }})
		if err != nil {
			return p, err
		}
	}
	if err := checkDelta(p.delta); err != nil {
		return p, err
	}
	if needsLive(&p) {
		if err := findConflict(live, p.delta, r.c.KeyTypes); err != nil {
			return p, err
		}
	}
	if p.kind != snapshot.Overwrite {
		if err := r.checkCounts(ctx, latest, v, &p); err != nil {
			return p, err
		}
	}
	return p, nil
}

// properties are the request's own, with the one that is carried on.
func (r *run) properties(latest *snapshot.Snapshot) map[string]string {
	own := r.request.Properties
	if latest == nil || latest.Properties[sequenceProperty] == "" {
		return own
	}
	all := map[string]string{}
	for k, v := range own {
		all[k] = v
	}
	all[sequenceProperty] = maxNumber(own[sequenceProperty], latest.Properties[sequenceProperty])
	return all
}

// write writes every file that the snapshot names and fills their names in.
func (r *run) write(ctx context.Context, latest *snapshot.Snapshot, p *part, s *snapshot.Snapshot, w *manifest.Writer, merge bool) error {
	var base []manifest.FileMeta
	var err error
	if latest != nil {
		if base, err = r.c.Manifests.Metas(ctx, latest); err != nil {
			return err
		}
		if steps := manifest.PlanMerge(base, r.c.Merge); merge && manifest.Merges(steps) {
			if base, err = r.c.Manifests.MergeManifests(ctx, w, steps); err != nil {
				return err
			}
		}
	}
	if s.BaseManifestList, s.BaseManifestListSize, err = w.List(ctx, base); err != nil {
		return err
	}
	delta, err := w.Entries(ctx, p.delta)
	if err != nil {
		return err
	}
	if s.DeltaManifestList, s.DeltaManifestListSize, err = w.List(ctx, delta); err != nil {
		return err
	}
	if len(p.changelog) > 0 {
		changes, err := w.Entries(ctx, p.changelog)
		if err != nil {
			return err
		}
		if s.ChangelogManifestList, s.ChangelogListSize, err = w.List(ctx, changes); err != nil {
			return err
		}
	}
	if err := r.writeIndex(ctx, latest, p, s, w); err != nil {
		return err
	}
	return nil
}

func (r *run) writeIndex(ctx context.Context, latest *snapshot.Snapshot, p *part, s *snapshot.Snapshot, w *manifest.Writer) error {
	if latest != nil {
		s.IndexManifest = latest.IndexManifest
	}
	if len(p.index) == 0 {
		return nil
	}
	current, err := r.c.Manifests.Index(ctx, s.IndexManifest)
	if err != nil {
		return err
	}
	combined, err := manifest.Combine(current, p.index, r.c.Unaware)
	if err != nil {
		return fmt.Errorf("index files changed, give up committing: %w: %w", err, ErrConflict)
	}
	s.IndexManifest = ""
	if len(combined) > 0 {
		s.IndexManifest, err = w.Index(ctx, combined)
	}
	return err
}

// unsynced are the paths of new data files that are not durable yet.
func (r *run) unsynced() ([]string, error) {
	if r.c.DataFiles == nil {
		return nil, nil
	}
	var paths []string
	for i := range r.incs {
		files, err := r.c.DataFiles(&r.incs[i])
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if !r.synced[f] {
				paths = append(paths, f)
			}
		}
	}
	return paths, nil
}

// publish makes all files durable and creates the snapshot file. Only a definite failure takes files back.
func (r *run) publish(
	ctx context.Context, latest *snapshot.Snapshot, p *part, s *snapshot.Snapshot, w *manifest.Writer, o *outcome,
) (*snapshot.Snapshot, error) {
	if err := ctx.Err(); err != nil { // the last moment to turn back
		r.takeBack(ctx, w)
		return nil, err
	}
	if r.c.Still != nil {
		if err := r.c.Still(ctx); err != nil {
			r.takeBack(ctx, w)
			return nil, err
		}
	}
	paths, err := r.unsynced()
	if err == nil {
		err = r.c.Snapshots.Publish(ctx, s, slices.Concat(paths, w.Paths())...)
	} else {
		err = fmt.Errorf("%w: %w", fileio.ErrNotPublished, err)
	}
	if errors.Is(err, fileio.ErrNotPublished) {
		r.takeBack(ctx, w)
		return nil, fmt.Errorf("make a commit durable: %w", err)
	}
	for _, path := range paths {
		r.synced[path] = true
	}
	if errors.Is(err, fileio.ErrExist) {
		ours, findErr := r.isOurs(ctx, s)
		switch {
		case findErr != nil:
		case ours:
			err = r.c.Snapshots.Sync(ctx, s.ID) // an earlier try inside the store had succeeded
		default:
			r.takeBack(ctx, w)
			return nil, fmt.Errorf("%w: %w", errTaken, err)
		}
	}
	if err == nil {
		err = r.stands(ctx, s)
	}
	switch {
	case errors.Is(err, errTaken):
		return nil, err
	case err != nil:
		if len(o.tried) == 0 {
			o.tried = map[string]bool{}
			if latest != nil {
				o.after = latest.ID
			}
		}
		o.tried[s.UUID], o.unknown = true, err
		return nil, fmt.Errorf("%w: %w", errUnknown, err)
	}
	r.buckets.published(s, p)
	return s, nil
}

// takeBack deletes the manifests of an attempt that no snapshot names.
//
// What cannot be deleted is an orphan, which harms nobody: the failure that led
// here is what the caller must hear of.
func (r *run) takeBack(ctx context.Context, w *manifest.Writer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	for _, name := range w.Names() {
		_ = r.c.Manifests.Delete(ctx, name)
	}
}

var _ LiveReader = view{}
