package check

import (
	"cmp"
	"context"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/lsm/level"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// state is what follows from a snapshot's lists.
type state struct {
	base, live       fingerprint
	baseKnown, known bool // false when a file on the way could not be read
}

// fingerprint tells sets of files apart: their number and a sum of hashes.
type fingerprint struct {
	count int
	sum   uint64
}

func fingerprintOf(entries []*manifest.Entry) fingerprint {
	f := fingerprint{count: len(entries)}
	for _, e := range entries {
		h := fnv.New64a()
		h.Write(e.Partition)
		h.Write([]byte(strconv.Itoa(e.Bucket) + "/" + strconv.Itoa(e.File.Level) + "/" + e.File.Name + "/" + e.File.ExternalPath))
		f.sum += h.Sum64()
	}
	return f
}

// snapshot checks a snapshot or a tag whose file is at path. newest says that its
// hash indexes are those that the next writer goes by.
func (b *branch) snapshot(ctx context.Context, path string, s *snapshot.Snapshot, newest bool) (state, error) {
	var st state
	if b.schemas[s.SchemaID] == nil {
		b.fault(path, "schemaId: schema %d cannot be read", s.SchemaID)
	}
	if s.Statistics != "" {
		if err := b.statistics(ctx, s.Statistics); err != nil {
			return st, err
		}
	}
	baseAdds, baseDeletes, baseKnown, err := b.list(ctx, s.BaseManifestList, s.BaseManifestListSize)
	if err != nil {
		return st, err
	}
	adds, deletes, deltaKnown, err := b.list(ctx, s.DeltaManifestList, s.DeltaManifestListSize)
	if err != nil {
		return st, err
	}
	if deltaKnown {
		b.delta(path, s, adds, deletes)
	}
	if err := b.changelog(ctx, path, s); err != nil {
		return st, err
	}
	st.baseKnown = baseKnown
	if baseKnown {
		base, left, err := manifest.Merge(baseAdds, baseDeletes)
		if err != nil || len(left) > 0 {
			st.baseKnown = false // told below, of base and delta together
		}
		st.base = fingerprintOf(base)
	}
	all := slices.Concat(baseAdds, adds)
	live, left, err := manifest.Merge(all, slices.Concat(baseDeletes, deletes))
	switch {
	case err != nil:
		b.fault(path, "%v", err)
		live = all
	case baseKnown && deltaKnown:
		for _, e := range left {
			b.fault(path, "its manifests delete data file %s in bucket %d at level %d, which was never added", e.File.Name, e.Bucket, e.File.Level)
		}
		st.known = len(left) == 0
		st.live = fingerprintOf(live)
		rows := int64(0)
		for _, e := range live {
			rows += e.File.RowCount
		}
		if rows != s.TotalRecordCount {
			b.fault(path, "totalRecordCount is %d, its files have %d rows", s.TotalRecordCount, rows)
		}
	}
	return st, b.liveFiles(ctx, path, s, live, newest)
}

// delta checks the count of a snapshot's own entries.
func (b *branch) delta(path string, s *snapshot.Snapshot, adds, deletes []*manifest.Entry) {
	rows := int64(0)
	for _, e := range adds {
		rows += e.File.RowCount
	}
	for _, e := range deletes {
		rows -= e.File.RowCount
	}
	if rows != s.DeltaRecordCount {
		b.fault(path, "deltaRecordCount is %d, its delta comes to %d rows", s.DeltaRecordCount, rows)
	}
	if s.CommitKind == snapshot.Append && len(deletes) > 0 {
		b.fault(path, "an %s deletes %d files: other engines follow its added rows alone", s.CommitKind, len(deletes))
	}
}

// changelog checks the changelog files that a snapshot added.
func (b *branch) changelog(ctx context.Context, path string, s *snapshot.Snapshot) error {
	if s.ChangelogManifestList == "" {
		if s.ChangelogRecordCount > 0 {
			b.fault(path, "changelogRecordCount is %d, there is no changelog", s.ChangelogRecordCount)
		}
		return nil
	}
	adds, deletes, known, err := b.list(ctx, s.ChangelogManifestList, s.ChangelogListSize)
	if err != nil || !known {
		return err
	}
	if len(deletes) > 0 {
		b.fault(path, "its changelog deletes %d files", len(deletes))
	}
	rows := int64(0)
	for _, e := range adds {
		rows += e.File.RowCount
		if err := b.dataFile(ctx, e, true); err != nil {
			return err
		}
	}
	if s.ChangelogRecordCount != snapshot.Unknown && rows != s.ChangelogRecordCount {
		b.fault(path, "changelogRecordCount is %d, its changelog has %d rows", s.ChangelogRecordCount, rows)
	}
	return nil
}

// bucketFiles are the live files of one bucket.
type bucketFiles struct {
	partition []byte
	bucket    int
	entries   []*manifest.Entry
}

// liveFiles checks the live files of a snapshot, bucket by bucket.
func (b *branch) liveFiles(ctx context.Context, path string, s *snapshot.Snapshot, live []*manifest.Entry, newest bool) error {
	buckets := groups(live)
	b.counted(path, buckets)
	index, err := b.indexes(ctx, path, s, buckets)
	if err != nil {
		return err
	}
	if newest {
		if err := b.hashesApart(ctx, index); err != nil {
			return err
		}
	}
	for i := range buckets {
		g := &buckets[i]
		b.levels(path, g)
		if newest {
			if b.hashes, err = b.hashesOf(ctx, path, index, g); err != nil {
				return err
			}
		}
		for _, e := range g.entries {
			if err := b.dataFile(ctx, e, false); err != nil {
				return err
			}
		}
		b.hashes = nil
	}
	return ctx.Err()
}

// groups sorts entries by partition and bucket.
func groups(live []*manifest.Entry) []bucketFiles {
	type place struct {
		partition string
		bucket    int
	}
	at := map[place]int{}
	var all []bucketFiles
	for _, e := range live {
		p := place{string(e.Partition), e.Bucket}
		i, ok := at[p]
		if !ok {
			i = len(all)
			at[p] = i
			all = append(all, bucketFiles{partition: e.Partition, bucket: e.Bucket})
		}
		all[i].entries = append(all[i].entries, e)
	}
	slices.SortFunc(all, func(a, c bucketFiles) int {
		return cmp.Or(cmp.Compare(string(a.partition), string(c.partition)), cmp.Compare(a.bucket, c.bucket))
	})
	return all
}

// counted checks that the files of a partition agree on the number of buckets.
func (b *branch) counted(path string, buckets []bucketFiles) {
	total, last := 0, ""
	for i := range buckets {
		if p := string(buckets[i].partition); p != last {
			total, last = 0, p
		}
		for _, e := range buckets[i].entries {
			switch {
			case e.TotalBuckets <= 0:
			case total == 0:
				total = e.TotalBuckets
			case e.TotalBuckets != total:
				b.fault(path, "data file %s is one of %d buckets, its partition has %d", e.File.Name, e.TotalBuckets, total)
			}
		}
	}
}

// levels checks the sorted runs of a bucket.
func (b *branch) levels(path string, g *bucketFiles) {
	if len(b.keys) == 0 {
		return
	}
	metas := make([]*datafile.Meta, len(g.entries))
	for i, e := range g.entries {
		metas[i] = e.File
	}
	l, err := level.New(b.keys, metas, 2)
	if err != nil {
		b.fault(path, "bucket %d: %v", g.bucket, err)
		return
	}
	for _, f := range l.Files() {
		if level.CompareKeys(b.keys, f.Min, f.Max) > 0 {
			b.fault(path, "data file %s: its first key is above its last", f.Name)
		}
	}
}
