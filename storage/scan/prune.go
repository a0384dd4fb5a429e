package scan

import (
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

// pruner decides which manifests and files can hold rows that match. It reads
// only its arguments.
type pruner struct {
	s     *schema.Schema
	parts []int // partition columns
	ptype []types.Type
	keys  []int // trimmed primary key
	ktype []types.Type

	byPartition *predicate.Node    // conjuncts over partition columns alone
	byKey       *predicate.Node    // conjuncts over key columns alone
	byValue     *predicate.Node    // all of the filter
	points      [][]columnar.Value // values of the bucket key that the filter allows; nil: any
	bucketers   map[int]*row.Bucketer
	function    string
	btype       []types.Type
	versions    map[int64]*version // by schema id
	fault       error              // a damaged statistics row
}

func newPruner(s *schema.Schema, function string, filter *predicate.Node) *pruner {
	p := &pruner{
		s: s, parts: s.PartitionIndexes(), ptype: s.PartitionTypes(), keys: s.KeyIndexes(), ktype: s.KeyTypes(),
		byValue: filter, function: function, bucketers: map[int]*row.Bucketer{},
		versions: map[int64]*version{},
	}
	p.byPartition = filter.OnlyColumns(p.parts)
	p.byKey = filter.OnlyColumns(p.keys)
	if bucketKey := s.BucketIndexes(); len(bucketKey) > 0 {
		p.btype = types.FieldTypes(s.FieldsOf(bucketKey))
		if pts, ok := filter.Points(bucketKey); ok {
			p.points = pts
		}
	}
	return p
}

// columnAt finds a table column among some of them, in whose order stats are.
func columnAt(cols []int, sc []stats.Column) func(int) (stats.Column, bool) {
	return func(c int) (stats.Column, bool) {
		for i, x := range cols {
			if x == c {
				return sc[i], true
			}
		}
		return stats.Column{}, false
	}
}

// manifest reports whether a manifest may name a file that is wanted.
func (p *pruner) manifest(m *manifest.FileMeta) bool {
	if p.byPartition == nil || !m.HasBounds() || len(p.parts) == 0 {
		return true
	}
	sc, err := m.Partitions.Decode(p.ptype)
	if err != nil {
		p.fault = err
		return true
	}
	return p.byPartition.MayMatch(columnAt(p.parts, sc), m.NumAdded+m.NumDeleted)
}

// partition reports whether rows of a partition may match.
func (p *pruner) partition(serialized []byte) bool {
	if p.byPartition == nil || len(p.parts) == 0 {
		return true
	}
	vals, err := row.Deserialize(p.ptype, serialized)
	if err != nil {
		p.fault = err
		return true
	}
	return p.byPartition.MayMatch(columnAt(p.parts, exactly(vals)), 1)
}

// exactly is the statistics of one row.
func exactly(vals []columnar.Value) []stats.Column {
	sc := make([]stats.Column, len(vals))
	for i, v := range vals {
		if v.Null {
			sc[i] = stats.Column{Nulls: 1}
		} else {
			sc[i] = stats.Column{Min: v, Max: v, HasBounds: true}
		}
	}
	return sc
}

// bucket reports whether a bucket, of so many when the file was written, may hold
// a row with the bucket key that the filter names.
func (p *pruner) bucket(bucket, total int) bool {
	if p.points == nil || total <= 0 {
		return true
	}
	b := p.bucketers[total]
	if b == nil {
		var err error
		if b, err = row.NewBucketer(p.function, p.btype, total); err != nil {
			return true
		}
		p.bucketers[total] = b
	}
	for _, v := range p.points {
		if b.BucketOf(v) == bucket {
			return true
		}
	}
	return false
}

// key reports whether a file of a primary key table may hold a key that matches.
func (p *pruner) key(m *datafile.Meta) bool {
	if p.byKey == nil || len(m.KeyStats.Min) == 0 {
		return true
	}
	sc, err := m.KeyStats.Decode(p.ktype)
	if err != nil || len(sc) != len(p.keys) {
		return true
	}
	return p.byKey.MayMatch(columnAt(p.keys, sc), m.RowCount)
}

// value reports whether a file may hold a row that matches, by the statistics of
// all columns, as they read in the schema of the scan.
func (p *pruner) value(written *schema.Schema, m *datafile.Meta) bool {
	if p.byValue == nil || len(m.ValueStats.Min) == 0 {
		return true
	}
	v := p.versions[written.ID]
	if v == nil {
		e, err := schema.Evolve(written, p.s.Fields)
		if err != nil {
			return true // reading the file will say so, if the column is read
		}
		v = &version{evolution: e, names: written.FieldNames(), types: types.FieldTypes(written.Fields)}
		p.versions[written.ID] = v
	}
	cols, at := v.decode(written, m)
	if cols == nil {
		return true
	}
	return p.byValue.MayMatch(func(i int) (stats.Column, bool) {
		b, ok := v.evolution.Stats(i, m.RowCount, func(name string) (schema.Bounds, bool) {
			k, ok := at[name]
			if !ok {
				return schema.Bounds{}, false
			}
			c := cols[k]
			return schema.Bounds{Min: c.Min, Max: c.Max, HasBounds: c.HasBounds, Nulls: c.Nulls}, true
		})
		return stats.Column{Min: b.Min, Max: b.Max, HasBounds: b.HasBounds, Nulls: b.Nulls}, ok
	}, m.RowCount)
}

// version is how files of one schema read in the schema of the scan.
type version struct {
	evolution *schema.Evolution
	names     []string
	types     []types.Type
	all       map[string]int // place of each column, when a file has statistics of all
}

// decode returns the statistics of a file's columns and where each stands; nil
// when they cannot be read.
func (v *version) decode(written *schema.Schema, m *datafile.Meta) ([]stats.Column, map[string]int) {
	names, ts := v.names, v.types
	at := v.all
	if m.ValueStatsCols != nil {
		names, ts, at = m.ValueStatsCols, nil, nil
		for _, n := range names {
			f, ok := written.Field(n)
			if !ok {
				return nil, nil
			}
			ts = append(ts, f.Type)
		}
	}
	if at == nil {
		at = make(map[string]int, len(names))
		for i, n := range names {
			at[n] = i
		}
		if m.ValueStatsCols == nil {
			v.all = at
		}
	}
	cols, err := m.ValueStats.Decode(ts)
	if err != nil || len(cols) != len(names) {
		return nil, nil
	}
	return cols, at
}
