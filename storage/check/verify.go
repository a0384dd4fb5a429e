package check

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/lsm/level"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

// rows holds the rows of a data file, batch by batch, against what its entry says.
// Of each kind of fault the first is told.
type rows struct {
	e         *manifest.Entry
	changelog bool
	keyed     bool
	stamped   bool           // commits number the files, not the rows (sequence.snapshot-ordering)
	s         *schema.Schema // that of the file

	// fields are the columns read: copies of keys, sequence number and row kind (in
	// keyed tables), then all of the table's.
	fields     []types.Field
	keys       []int // of the table's columns
	partitions []int
	first      int // the place of the table's columns in fields
	bucketKeys []int
	bucketer   *row.Bucketer
	hashes     *hashSet

	keyStats, valueStats []stats.Column
	collector            *stats.Collector

	seen             map[string]bool // kinds of faults that were told
	faults, notes    []string
	count, deletes   int64
	minSeq, maxSeq   int64
	minKey, maxKey   []byte // serialised
	last, cur, other []byte // normalised keys
	buckets          []int32
	hashed           []uint32
}

func (b *branch) newRows(s *schema.Schema, e *manifest.Entry, changelog bool) (*rows, error) {
	v := &rows{e: e, changelog: changelog, keyed: len(b.keys) > 0, s: s, seen: map[string]bool{}, hashes: b.hashes,
		stamped: b.opts.Merge.SnapshotOrdering}
	var err error
	if v.keys, err = keyColumns(s, v.keyed); err != nil {
		return nil, err
	}
	if v.keyed {
		for _, k := range v.keys {
			f := s.Fields[k]
			// The copies are left out of thin files: read as nullable.
			v.fields = append(v.fields, types.Field{ID: f.ID + types.KeyIDOffset, Name: types.KeyPrefix + f.Name, Type: f.Type.WithNotNull(false)})
		}
		v.fields = append(v.fields,
			types.Field{ID: types.SequenceNumberID, Name: types.SequenceNumberName, Type: types.Of(types.BigInt).WithNotNull(true)},
			types.Field{ID: types.ValueKindID, Name: types.ValueKindName, Type: types.Of(types.TinyInt).WithNotNull(true)})
	}
	v.first = len(v.fields)
	v.fields = append(v.fields, s.Fields...)
	v.partitions = s.PartitionIndexes()
	if slices.Contains(v.partitions, -1) {
		return nil, fmt.Errorf("schema %d lacks a partition column", s.ID)
	}
	if err := v.setBuckets(b); err != nil {
		return nil, err
	}
	modes := make([]stats.Mode, len(s.Fields))
	for i := range modes {
		modes[i] = stats.Mode{Kind: stats.Full}
	}
	v.collector = stats.NewCollector(s.Fields, modes)
	if v.keyStats, err = e.File.KeyStats.Decode(types.FieldTypes(s.FieldsOf(v.keys))); err != nil {
		return nil, fmt.Errorf("key statistics: %w", err)
	}
	if v.valueStats, err = e.File.ValueStats.DecodeDense(s.Fields, e.File.ValueStatsCols); err != nil {
		return nil, fmt.Errorf("value statistics: %w", err)
	}
	return v, nil
}

// setBuckets prepares to compute the bucket of each row, where that is fixed.
func (v *rows) setBuckets(b *branch) error {
	if v.e.TotalBuckets <= 0 || v.e.Bucket < 0 {
		return nil
	}
	v.bucketKeys = v.s.BucketIndexes()
	if len(v.bucketKeys) == 0 || slices.Contains(v.bucketKeys, -1) {
		v.bucketKeys = nil // a bucket key column was renamed since
		return nil
	}
	var err error
	v.bucketer, err = row.NewBucketer(b.opts.Bucket.Function, types.FieldTypes(v.s.FieldsOf(v.bucketKeys)), v.e.TotalBuckets)
	return err
}

// fault notes a fault the first time that one of its kind is found.
func (v *rows) fault(kind, format string, args ...any) {
	if !v.seen[kind] {
		v.seen[kind] = true
		v.faults = append(v.faults, fmt.Sprintf(format, args...))
	}
}

func (v *rows) note(format string, args ...any) {
	v.notes = append(v.notes, fmt.Sprintf(format, args...))
}

func pick(cols []*columnar.Vector, at []int) []*columnar.Vector {
	out := make([]*columnar.Vector, len(at))
	for i, k := range at {
		out[i] = cols[k]
	}
	return out
}

// add takes the next rows.
func (v *rows) add(b *columnar.Batch) {
	if b.N == 0 {
		return
	}
	cols := b.Cols[v.first:]
	v.nulls(b)
	if len(v.faults) > 0 && v.seen["null"] {
		v.count += int64(b.N)
		return // the checks below take NOT NULL columns at their word
	}
	if v.keyed {
		v.system(b)
		v.order(b.Cols[:len(v.keys)], pick(cols, v.keys), b.N)
	}
	v.places(cols, b.N)
	v.collector.Add(&columnar.Batch{N: b.N, Cols: cols})
	v.count += int64(b.N)
}

// nulls looks for nulls in NOT NULL columns.
func (v *rows) nulls(b *columnar.Batch) {
	for i, f := range v.fields {
		if f.Type.NotNull && b.Cols[i].NullCount() > 0 {
			v.fault("null", "column %s is NOT NULL and has nulls, or is not there", f.Name)
		}
	}
}

// system checks sequence numbers and row kinds.
func (v *rows) system(b *columnar.Batch) {
	seq, kind := b.Cols[v.first-2], b.Cols[v.first-1]
	for i := range b.N {
		n := seq.I64[i]
		if v.count == 0 && i == 0 {
			v.minSeq, v.maxSeq = n, n
		}
		v.minSeq, v.maxSeq = min(v.minSeq, n), max(v.maxSeq, n)
		k := kind.I32[i]
		if k < 0 || k > int32(types.Delete) {
			v.fault("kind", "row %d has row kind %d", v.count+int64(i), k)
			continue
		}
		if types.RowKind(k).Retract() {
			v.deletes++
		}
	}
}

// order checks that keys rise, that their copies are the same, and notes the first
// and the last.
func (v *rows) order(copies, keys []*columnar.Vector, n int) {
	for _, c := range copies {
		if c.NullCount() == c.N {
			copies = nil // a thin file
			break
		}
	}
	same := make([]*columnar.Vector, len(copies)) // with the nullability of the keys
	for i, c := range copies {
		d := *c
		d.Type = keys[i].Type
		same[i] = &d
	}
	for i := range n {
		v.cur = row.AppendNormalized(v.cur[:0], keys, i)
		if len(same) > 0 {
			v.other = row.AppendNormalized(v.other[:0], same, i)
			if !bytes.Equal(v.cur, v.other) {
				v.fault("copy", "row %d has another key in its columns than in its _KEY_ columns", v.count+int64(i))
			}
		}
		if v.changelog {
			continue
		}
		if v.count+int64(i) > 0 {
			switch bytes.Compare(v.last, v.cur) {
			case 0:
				v.fault("twice", "row %d has the key of the row before it", v.count+int64(i))
			case 1:
				v.fault("order", "row %d has a key below that of the row before it", v.count+int64(i))
			}
		}
		v.last, v.cur = v.cur, v.last
	}
	if v.count == 0 {
		v.minKey = row.SerializeRow(keys, 0)
	}
	v.maxKey = row.AppendSerialized(v.maxKey[:0], keys, n-1)
}

// places checks that the rows belong to the file's partition and bucket.
func (v *rows) places(cols []*columnar.Vector, n int) {
	if parts := pick(cols, v.partitions); len(parts) > 0 {
		for i := range n {
			v.other = row.AppendSerialized(v.other[:0], parts, i)
			if !bytes.Equal(v.other, v.e.Partition) {
				v.fault("partition", "row %d belongs to another partition", v.count+int64(i))
			}
		}
	}
	if v.bucketer != nil {
		v.buckets = v.bucketer.Buckets(v.buckets, pick(cols, v.bucketKeys), n)
		for i, got := range v.buckets {
			if int(got) != v.e.Bucket {
				v.fault("bucket", "row %d belongs to bucket %d of %d, the file is in bucket %d", v.count+int64(i), got, v.e.TotalBuckets, v.e.Bucket)
			}
		}
	}
	if v.hashes != nil && v.keyed {
		v.hashed = row.HashBatch(v.hashed, pick(cols, v.keys), n)
		for i, h := range v.hashed {
			if !v.hashes.has(int32(h)) {
				v.fault("hash", "the key of row %d is not in the hash index of the bucket, %s: the next writer may put it into another one", v.count+int64(i), v.hashes.name)
			}
		}
	}
}

// finish holds the whole of the file against its entry.
func (v *rows) finish() {
	m := v.e.File
	if v.count != m.RowCount {
		v.fault("rows", "the file has %d rows, the manifest says %d", v.count, m.RowCount)
	}
	if v.count == 0 || v.seen["null"] {
		return
	}
	if v.keyed {
		v.finishKeys()
	}
	actual := v.collector.Columns()
	for i, k := range v.keys {
		v.bounds("key", v.s.Fields[k], v.keyStats[i], actual[k])
	}
	for i, f := range v.s.Fields {
		v.bounds("value", f, v.valueStats[i], actual[i])
	}
}

func (v *rows) finishKeys() {
	m := v.e.File
	if m.DeleteRowCount >= 0 && m.DeleteRowCount != v.deletes {
		v.fault("deletes", "%d rows are deletes, the manifest says %d", v.deletes, m.DeleteRowCount)
	}
	if !v.stamped && (m.MinSequence > v.minSeq || m.MaxSequence < v.maxSeq) {
		v.fault("sequence", "the rows have sequence numbers %d to %d, the manifest says %d to %d", v.minSeq, v.maxSeq, m.MinSequence, m.MaxSequence)
	}
	if v.changelog {
		return
	}
	ts := types.FieldTypes(v.s.FieldsOf(v.keys))
	v.edge(ts, "first", m.MinKey, v.minKey, -1)
	v.edge(ts, "last", m.MaxKey, v.maxKey, 1)
}

// edge holds the first or the last key against the recorded one. One that lies
// further out, on the side of sign, is no fault: the range still covers the file.
func (v *rows) edge(ts []types.Type, which string, recorded, actual []byte, sign int) {
	if bytes.Equal(recorded, actual) {
		return
	}
	want, err := row.Deserialize(ts, recorded)
	if err != nil {
		v.fault(which, "the %s key in the manifest: %v", which, err)
		return
	}
	got, err := row.Deserialize(ts, actual)
	if err != nil {
		v.fault(which, "the %s key: %v", which, err)
		return
	}
	if c := level.CompareKeys(ts, want, got); c*sign <= 0 {
		v.fault(which, "the %s key is not the one in the manifest", which)
	} else {
		v.note("the %s key is not the one in the manifest, which lies outside of the file", which)
	}
}

// bounds holds recorded statistics of a column against the actual ones.
func (v *rows) bounds(kind string, f types.Field, recorded, actual stats.Column) {
	if recorded.Nulls >= 0 && recorded.Nulls != actual.Nulls {
		v.fault(kind+" nulls "+f.Name, "column %s has %d nulls, its %s statistics say %d", f.Name, actual.Nulls, kind, recorded.Nulls)
	}
	if !recorded.HasBounds || f.Type.Nested() || actual.Nulls == v.count {
		return
	}
	switch {
	case !actual.HasBounds:
		// Other writers record NaN as a maximum, or leave it out of account.
		v.note("column %s has NaN, its %s statistics have bounds", f.Name, kind)
	case above(f.Type, recorded.Min, actual.Min):
		v.fault(kind+" bounds "+f.Name, "column %s has values below the minimum of its %s statistics", f.Name, kind)
	case above(f.Type, actual.Max, recorded.Max):
		v.fault(kind+" bounds "+f.Name, "column %s has values above the maximum of its %s statistics", f.Name, kind)
	}
}

// above reports whether a is above b; the two zeros of floats are equal here.
func above(t types.Type, a, b columnar.Value) bool {
	switch t.Kind {
	case types.Float, types.Double:
		if a.F == 0 && b.F == 0 {
			return false
		}
	}
	return columnar.Compare(t, a, b) > 0
}
