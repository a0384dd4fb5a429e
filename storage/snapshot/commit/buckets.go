package commit

import (
	"context"
	"errors"
	"strconv"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

const (
	maxFollowed   = 64      // foreign snapshots read one by one before the counts are dropped
	maxPartitions = 1 << 17 // partitions remembered
)

// bucketState remembers the bucket counts of partitions as of a snapshot, so that
// an append need not read the live files to know them. A partition that was looked
// at and has no fixed count is there with 0.
type bucketState struct {
	at     *snapshot.Snapshot
	counts bucketCounts
}

func (b *bucketState) reset(at *snapshot.Snapshot) { b.at, b.counts = at, bucketCounts{} }

// published moves the state on over a snapshot of our own.
func (b *bucketState) published(s *snapshot.Snapshot, p *part) {
	if b.counts == nil || (b.at == nil && s.ID > 1) || (b.at != nil && s.ID != b.at.ID+1) {
		return // not followed from here: the next check sees to it
	}
	for i := range p.delta {
		b.counts.apply(&p.delta[i], p.kind)
	}
	b.at = s
}

// apply notes an entry of a snapshot. Only an overwrite may change the count, and
// it deletes the files there were: its partitions are looked at again.
func (c bucketCounts) apply(e *manifest.Entry, kind snapshot.Kind) {
	if kind == snapshot.Overwrite {
		delete(c, string(e.Partition))
		return
	}
	if _, known := c[string(e.Partition)]; known {
		c.note(e)
	}
}

// checkCounts checks a part against the bucket counts of its partitions.
func (r *run) checkCounts(ctx context.Context, latest *snapshot.Snapshot, v view, p *part) error {
	missing := map[string]bool{}
	fixed := false
	for i := range p.delta {
		fixed = fixed || p.delta[i].TotalBuckets > 0
	}
	if !fixed {
		return nil
	}
	if err := r.follow(ctx, latest); err != nil {
		return err
	}
	for i := range p.delta {
		e := &p.delta[i]
		if _, ok := r.buckets.counts[string(e.Partition)]; !ok && e.TotalBuckets > 0 {
			missing[string(e.Partition)] = true
		}
	}
	if err := r.lookUp(ctx, v, missing); err != nil {
		return err
	}
	if r.buckets.counts.check(p.delta, r.c.PartitionName) == nil {
		return nil
	}
	// A partition whose last file was compacted away has no count any more.
	if err := r.lookUp(ctx, v, p.partitions()); err != nil {
		return err
	}
	return r.buckets.counts.check(p.delta, r.c.PartitionName)
}

// lookUp reads the bucket counts of partitions from their live files.
func (r *run) lookUp(ctx context.Context, v view, partitions map[string]bool) error {
	if len(partitions) == 0 {
		return nil
	}
	live, err := v.Live(ctx, r.partitionFilter(partitions))
	if err != nil {
		return err
	}
	for name := range partitions {
		r.buckets.counts[name] = 0
	}
	for _, e := range live {
		r.buckets.counts.note(e)
	}
	return nil
}

// partitionFilter reads the files of some partitions only.
func (r *run) partitionFilter(set map[string]bool) manifest.Filter {
	f := manifest.Filter{Partition: func(b []byte) bool { return set[string(b)] }}
	var values [][]columnar.Value
	for name := range set {
		vals, err := row.Deserialize(r.c.PartitionTypes, []byte(name))
		if err != nil {
			return f // whoever reads the partition's row next says what is wrong
		}
		values = append(values, vals)
	}
	f.Manifest = func(m *manifest.FileMeta) bool {
		for _, vals := range values {
			if m.MayHold(r.c.PartitionTypes, vals) {
				return true
			}
		}
		return false
	}
	return f
}

// follow brings the counts up to latest, by reading what others published.
func (r *run) follow(ctx context.Context, latest *snapshot.Snapshot) error {
	b := &r.buckets
	switch {
	case latest == nil:
		b.reset(nil)
		return nil
	case b.counts != nil && b.at != nil && latest.SameCommit(b.at):
		return nil
	case b.counts == nil, b.at == nil, latest.ID < b.at.ID, latest.ID-b.at.ID > maxFollowed, len(b.counts) > maxPartitions:
		b.reset(latest)
		return nil
	}
	at, err := r.c.Snapshots.Get(ctx, b.at.ID)
	if errors.Is(err, snapshot.ErrNotFound) || (err == nil && !at.SameCommit(b.at)) {
		b.reset(latest)
		return nil
	}
	if err != nil {
		return err
	}
	for id := b.at.ID + 1; id <= latest.ID; id++ {
		s, err := r.c.Snapshots.Get(ctx, id)
		var delta []*manifest.Entry
		if err == nil {
			delta, err = r.c.Manifests.Delta(ctx, s)
		}
		if errors.Is(err, snapshot.ErrNotFound) {
			b.reset(latest)
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range delta {
			b.counts.apply(e, s.CommitKind)
		}
		b.at = s
	}
	return nil
}

// maxNumber is the larger of two decimal texts; one that is no number loses.
func maxNumber(a, b string) string {
	x, errA := strconv.ParseInt(a, 10, 64)
	y, errB := strconv.ParseInt(b, 10, 64)
	if errA != nil || (errB == nil && y > x) {
		return b
	}
	return a
}
