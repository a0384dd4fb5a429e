package manifest

import (
	"context"
	"fmt"
	"slices"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/types"
)

// MergeOptions say when manifests are merged. Zero members take the defaults.
type MergeOptions struct {
	TargetBytes int64 // manifest.target-file-size, 8 MiB
	FullBytes   int64 // manifest.full-compaction-threshold-size, 16 MiB
	MinCount    int   // manifest.merge-min-count, 30
}

func (o *MergeOptions) ensureDefaults() {
	if o.TargetBytes <= 0 {
		o.TargetBytes = DefaultTargetBytes
	}
	if o.FullBytes <= 0 {
		o.FullBytes = 16 << 20
	}
	if o.MinCount <= 0 {
		o.MinCount = 30
	}
}

// MergeStep is a part of a merge plan: manifests in a row that become new ones,
// or one that stays as it is.
type MergeStep struct {
	Metas   []FileMeta
	Rewrite bool
	// Full rewrites also take in kept manifests that hold the ADDs of files that
	// Metas delete.
	Full bool
}

// PlanMerge decides which of a snapshot's manifests, oldest first, are merged.
// When those that are small or hold deletes come to FullBytes, all of them are;
// otherwise neighbours are gathered up to TargetBytes, and the last group only if
// it has MinCount manifests, not counting those in front that are larger than all
// behind them together: else an old manifest that slowly grows to the target would be
// written anew with every MinCount commits.
func PlanMerge(metas []FileMeta, o MergeOptions) []MergeStep {
	o.ensureDefaults()
	loose := func(m *FileMeta) bool { return m.SizeBytes < o.TargetBytes || m.NumDeleted > 0 }
	total := int64(0)
	for i := range metas {
		if loose(&metas[i]) {
			total += metas[i].SizeBytes
		}
	}
	if total >= o.FullBytes {
		return planFull(metas, loose)
	}
	var steps []MergeStep
	var group []FileMeta
	groupBytes := int64(0)
	keep := func() {
		for i := range group {
			steps = append(steps, MergeStep{Metas: group[i : i+1]})
		}
	}
	for i := range metas {
		group = append(group, metas[i])
		groupBytes += metas[i].SizeBytes
		if groupBytes < o.TargetBytes {
			continue
		}
		if len(group) > 1 {
			steps = append(steps, MergeStep{Metas: group, Rewrite: true})
		} else {
			keep()
		}
		group, groupBytes = nil, 0
	}
	for len(group) > 1 && 2*group[0].SizeBytes > groupBytes {
		steps = append(steps, MergeStep{Metas: group[:1]})
		groupBytes -= group[0].SizeBytes
		group = group[1:]
	}
	if len(group) >= o.MinCount {
		return append(steps, MergeStep{Metas: group, Rewrite: true})
	}
	keep()
	return steps
}

// planFull keeps the large manifests without deletes, then merges all others.
func planFull(metas []FileMeta, loose func(*FileMeta) bool) []MergeStep {
	var steps []MergeStep
	merge := MergeStep{Rewrite: true, Full: true}
	for i := range metas {
		if loose(&metas[i]) {
			merge.Metas = append(merge.Metas, metas[i])
		} else {
			steps = append(steps, MergeStep{Metas: metas[i : i+1]})
		}
	}
	return append(steps, merge)
}

// Merges reports whether a plan rewrites anything.
func Merges(steps []MergeStep) bool {
	return slices.ContainsFunc(steps, func(s MergeStep) bool { return s.Rewrite })
}

// MergeManifests carries out a plan with w and returns the manifests after it.
// Added and deleted files cancel; a DELETE whose ADD is elsewhere stays.
func (f *Files) MergeManifests(ctx context.Context, w *Writer, steps []MergeStep) ([]FileMeta, error) {
	var out []FileMeta
	for _, step := range steps {
		if !step.Rewrite {
			out = append(out, step.Metas...)
			continue
		}
		adds, deletes, err := f.collect(ctx, step.Metas, nil, nil)
		if err != nil {
			return nil, err
		}
		live, left, err := Merge(adds, deletes)
		if err != nil {
			return nil, fmt.Errorf("merge manifests: %w", err)
		}
		if step.Full && len(left) > 0 {
			touched, kept, err := touchedBy(w.o.PartitionTypes, out, left)
			if err != nil {
				return nil, err
			}
			if adds, deletes, err = f.collect(ctx, touched, adds, deletes); err != nil {
				return nil, err
			}
			if live, left, err = Merge(adds, deletes); err != nil {
				return nil, fmt.Errorf("merge manifests: %w", err)
			}
			out = kept
		}
		entries := make([]Entry, 0, len(live)+len(left))
		for _, e := range live {
			entries = append(entries, *e)
		}
		for _, e := range left {
			entries = append(entries, *e)
		}
		metas, err := w.Entries(ctx, entries)
		if err != nil {
			return nil, err
		}
		out = append(out, metas...)
	}
	return out, nil
}

// collect reads manifests and appends their entries, by kind.
func (f *Files) collect(ctx context.Context, metas []FileMeta, adds, deletes []*Entry) (a, d []*Entry, err error) {
	groups, err := f.readAll(ctx, metas)
	if err != nil {
		return nil, nil, err
	}
	for _, g := range groups {
		for i := range g {
			if g[i].Kind == Add {
				adds = append(adds, &g[i])
			} else {
				deletes = append(deletes, &g[i])
			}
		}
	}
	return adds, deletes, nil
}

// touchedBy splits manifests into those that may hold the ADD of one of the
// deleted files, and the others.
func touchedBy(ts []types.Type, metas []FileMeta, deleted []*Entry) (touched, kept []FileMeta, err error) {
	values := map[string][]columnar.Value{}
	for _, e := range deleted {
		if _, ok := values[string(e.Partition)]; ok || len(ts) == 0 {
			continue
		}
		vals, err := row.Deserialize(ts, e.Partition)
		if err != nil {
			return nil, nil, fmt.Errorf("partition of data file %s: %w", e.File.Name, err)
		}
		values[string(e.Partition)] = vals
	}
	for i := range metas {
		m := &metas[i]
		may := func(e *Entry) bool {
			if m.HasBuckets && (e.Bucket < m.MinBucket || e.Bucket > m.MaxBucket) {
				return false
			}
			if m.HasLevels && (e.File.Level < m.MinLevel || e.File.Level > m.MaxLevel) {
				return false
			}
			return m.MayHold(ts, values[string(e.Partition)])
		}
		if slices.ContainsFunc(deleted, may) {
			touched = append(touched, *m)
		} else {
			kept = append(kept, *m)
		}
	}
	return touched, kept, nil
}

// MayHold reports whether the manifest can hold a file of a partition, by its
// bounds; unknown or unreadable bounds mean yes.
func (m *FileMeta) MayHold(ts []types.Type, partition []columnar.Value) bool {
	if len(ts) == 0 || !m.HasBounds() {
		return true
	}
	cols, err := m.Partitions.Decode(ts)
	if err != nil {
		return true
	}
	for i, c := range cols {
		v := partition[i]
		switch {
		case v.Null:
			if c.Nulls == 0 {
				return false
			}
		case !c.HasBounds:
		case columnar.Compare(ts[i], v, c.Min) < 0, columnar.Compare(ts[i], v, c.Max) > 0:
			return false
		}
	}
	return true
}
