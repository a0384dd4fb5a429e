package check

import (
	"context"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/types"
)

// summary is what the entries of a manifest are, to be held against every line of
// a manifest list that names it.
type summary struct {
	bad            bool // it could not be read, which was reported
	size           int64
	adds, deletes  int64
	schemaID       int64
	buckets        [2]int
	levels         [2]int
	rowIDs         [2]int64
	allRowIDs      bool
	min, max       []columnar.Value // of the partition columns, without nulls
	nulls          []int64
	any            []bool // min and max are set
	partitionFault bool
}

// list reads a manifest list and its manifests. ok is false when some entry is
// not known because a file cannot be read, which is reported.
func (b *branch) list(ctx context.Context, name string, size int64) (adds, deletes []*manifest.Entry, ok bool, err error) {
	path := b.manifests.Path(name)
	b.use(path)
	metas, err := b.manifests.List(ctx, name, size)
	if err != nil {
		return nil, nil, false, b.unreadable(ctx, path, err)
	}
	ok = true
	for i := range metas {
		entries, good, err := b.manifest(ctx, path, &metas[i])
		if err != nil {
			return nil, nil, false, err
		}
		ok = ok && good
		for j := range entries {
			if e := &entries[j]; e.Kind == manifest.Add {
				adds = append(adds, e)
			} else {
				deletes = append(deletes, e)
			}
		}
	}
	return adds, deletes, ok, nil
}

// manifest reads a manifest and holds its line in a list against it.
func (b *branch) manifest(ctx context.Context, list string, m *manifest.FileMeta) ([]manifest.Entry, bool, error) {
	path := b.manifests.Path(m.Name)
	b.use(path)
	s := b.summaries[m.Name]
	if s != nil && (s.bad || s.size != m.SizeBytes) {
		if !s.bad {
			b.fault(list, "it says that manifest %s has %d bytes, another list says %d", m.Name, m.SizeBytes, s.size)
		}
		return nil, false, nil
	}
	entries, err := b.manifests.Entries(ctx, m.Name, m.SizeBytes)
	if err != nil {
		b.summaries[m.Name] = &summary{bad: true}
		return nil, false, b.unreadable(ctx, path, err)
	}
	if s == nil {
		s = b.summarise(path, entries)
		s.size = m.SizeBytes
		b.summaries[m.Name] = s
	}
	b.line(list, m, s)
	return entries, true, nil
}

// summarise looks at every entry of a manifest.
func (b *branch) summarise(path string, entries []manifest.Entry) *summary {
	n := len(b.partitions)
	s := &summary{schemaID: -1, allRowIDs: len(entries) > 0, min: make([]columnar.Value, n), max: make([]columnar.Value, n),
		nulls: make([]int64, n), any: make([]bool, n)}
	for i := range entries {
		e := &entries[i]
		if e.Kind == manifest.Add {
			s.adds++
		} else {
			s.deletes++
		}
		if i == 0 {
			s.buckets, s.levels = [2]int{e.Bucket, e.Bucket}, [2]int{e.File.Level, e.File.Level}
			s.rowIDs = [2]int64{e.File.FirstRowID, e.File.FirstRowID + e.File.RowCount - 1}
		}
		s.buckets = [2]int{min(s.buckets[0], e.Bucket), max(s.buckets[1], e.Bucket)}
		s.levels = [2]int{min(s.levels[0], e.File.Level), max(s.levels[1], e.File.Level)}
		s.rowIDs = [2]int64{min(s.rowIDs[0], e.File.FirstRowID), max(s.rowIDs[1], e.File.FirstRowID+e.File.RowCount-1)}
		s.allRowIDs = s.allRowIDs && e.File.FirstRowID != datafile.Unknown
		s.schemaID = max(s.schemaID, e.File.SchemaID)
		b.entry(path, e)
		vals, err := row.Deserialize(b.partitions, e.Partition)
		if err != nil {
			s.partitionFault = true
			b.fault(path, "entry of %s: partition row: %v", e.File.Name, err)
			continue
		}
		s.widen(b.partitions, vals)
	}
	return s
}

func (s *summary) widen(ts []types.Type, vals []columnar.Value) {
	for i, v := range vals {
		switch {
		case v.Null:
			s.nulls[i]++
		case !s.any[i]:
			s.min[i], s.max[i], s.any[i] = v, v, true
		case columnar.Compare(ts[i], v, s.min[i]) < 0:
			s.min[i] = v
		case columnar.Compare(ts[i], v, s.max[i]) > 0:
			s.max[i] = v
		}
	}
}

// entry checks an entry by itself.
func (b *branch) entry(path string, e *manifest.Entry) {
	m := e.File
	what := func(format string, args ...any) {
		b.fault(path, "entry of "+m.Name+": "+format, args...)
	}
	switch {
	case e.Bucket < 0 && e.Bucket != datafile.PostponeBucket:
		what("bucket %d", e.Bucket)
	case e.TotalBuckets > 0 && e.Bucket >= e.TotalBuckets:
		what("bucket %d of %d", e.Bucket, e.TotalBuckets)
	case e.TotalBuckets == 0 || e.TotalBuckets < -2:
		what("number of buckets %d", e.TotalBuckets)
	}
	if m.RowCount < 1 {
		what("%d rows", m.RowCount)
	}
	if m.DeleteRowCount > m.RowCount {
		what("%d deletes in %d rows", m.DeleteRowCount, m.RowCount)
	}
	if m.MinSequence > m.MaxSequence {
		what("sequence numbers %d to %d", m.MinSequence, m.MaxSequence)
	}
	if m.Level < 0 || m.Level > 0 && len(b.keys) == 0 {
		what("level %d", m.Level)
	}
	if b.schemas[m.SchemaID] == nil {
		what("schema %d cannot be read", m.SchemaID)
	}
}

// line holds a line of a manifest list against the manifest.
func (b *branch) line(list string, m *manifest.FileMeta, s *summary) {
	what := func(format string, args ...any) {
		b.fault(list, "line of manifest "+m.Name+": "+format, args...)
	}
	if m.NumAdded != s.adds || m.NumDeleted != s.deletes {
		what("%d files added and %d deleted, the manifest has %d and %d", m.NumAdded, m.NumDeleted, s.adds, s.deletes)
	}
	if s.adds+s.deletes == 0 {
		return
	}
	if m.SchemaID != s.schemaID {
		what("schema %d, the highest in it is %d", m.SchemaID, s.schemaID)
	}
	if m.HasBuckets && (m.MinBucket > s.buckets[0] || m.MaxBucket < s.buckets[1]) {
		what("buckets %d to %d, the manifest has %d to %d", m.MinBucket, m.MaxBucket, s.buckets[0], s.buckets[1])
	}
	if m.HasLevels && (m.MinLevel > s.levels[0] || m.MaxLevel < s.levels[1]) {
		what("levels %d to %d, the manifest has %d to %d", m.MinLevel, m.MaxLevel, s.levels[0], s.levels[1])
	}
	if m.MinRowID != datafile.Unknown && (!s.allRowIDs || m.MinRowID > s.rowIDs[0] || m.MaxRowID < s.rowIDs[1]) {
		what("row ids %d to %d do not cover those of the manifest", m.MinRowID, m.MaxRowID)
	}
	if !m.HasBounds() || len(b.partitions) == 0 || s.partitionFault {
		return
	}
	cols, err := m.Partitions.Decode(b.partitions)
	if err != nil {
		what("bounds of partitions: %v", err)
		return
	}
	for i, c := range cols {
		t, name := b.partitions[i], b.latest.PartitionKeys[i]
		switch {
		case c.Nulls >= 0 && c.Nulls != s.nulls[i]:
			what("%d nulls in partition column %s, the manifest has %d", c.Nulls, name, s.nulls[i])
		case s.any[i] && !c.HasBounds:
			what("no bounds of partition column %s", name)
		case s.any[i] && (columnar.Compare(t, c.Min, s.min[i]) > 0 || columnar.Compare(t, c.Max, s.max[i]) < 0):
			what("its bounds of partition column %s leave out values of the manifest", name)
		}
	}
}
