package datafile

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

// Schemas gives the versions of a table's schema by id.
type Schemas interface {
	Get(ctx context.Context, id int64) (*schema.Schema, error)
}

// ReadConfig is what all reads of a table share.
type ReadConfig struct {
	Store   fileio.Reader
	Paths   *Paths
	Formats map[string]format.Format // by name
	Schemas Schemas
	// Schema is the version whose columns are read; older files are brought to it.
	Schema *schema.Schema
}

// File names a data file in its partition and bucket.
type File struct {
	Partition []byte // serialised partition row
	Bucket    int
	Meta      *Meta
}

// ReadRequest says what to read of a file.
type ReadRequest struct {
	// Fields are columns of ReadConfig.Schema, in any order; key columns are asked
	// for here too, as the copies of keys in a file are never read. A ROW may have
	// some of its members only.
	Fields []types.Field
	// Sequence adds the sequence numbers (BIGINT) as a column behind Fields.
	Sequence bool
	// Kinds sets Batch.Kinds. -U and -D are told from +I; +U is told from +I
	// with ExactKinds alone, as changelog files need it: else a file without
	// deletes spares reading the column, and Kinds is nil.
	Kinds, ExactKinds bool
	// Filter, whose columns are indexes of ReadConfig.Schema.Fields, lets the
	// reader leave out blocks in which no row matches. Rows that do not match may
	// come back; whoever must not lose a record's other versions sets it for key
	// columns only.
	Filter *predicate.Node
	// BatchRows, KeepDictionary and Together: see format.ReadOptions.
	BatchRows      int
	KeepDictionary bool
	Together       int
}

// reader is an open data file.
type reader struct {
	path    string
	meta    *Meta
	file    fileio.File
	inner   columnar.Reader
	evolve  *schema.Evolution
	sources []int // for each field: column of the evolved batch, or ^i for partition value i
	parts   []columnar.Value
	fields  []types.Field
	stored  int // columns of the file without system columns
	seqAt   int // columns of the inner batch, or -1
	kindAt  int

	out      columnar.Batch
	data     columnar.Batch // what goes into evolve
	constant []*columnar.Vector
	seq      *columnar.Vector // scratch, if the file's column is in dictionary form
	kinds    []types.RowKind
	rows     int64
	skipped  bool // some block was left out
	done     bool
}

var _ columnar.Reader = (*reader)(nil)

// Open opens a data file and prepares to read what r asks for. A file that is
// missing or whose size differs from the manifest's is an error that names it, and
// so is whatever is wrong with its content, the number of rows included.
func Open(ctx context.Context, c ReadConfig, f File, r ReadRequest) (columnar.Reader, error) {
	m := f.Meta
	if m.WriteCols != nil {
		return nil, fmt.Errorf("read %s: the file holds some columns of its rows only (data evolution), which is not supported", m.Name)
	}
	name, err := FormatOf(m.Name)
	if err != nil {
		return nil, err
	}
	fm, ok := c.Formats[name]
	if !ok {
		return nil, fmt.Errorf("read %s: file format %q is not supported", m.Name, name)
	}
	out := &reader{meta: m, fields: r.Fields, seqAt: -1, kindAt: -1}
	written := c.Schema
	if m.SchemaID != c.Schema.ID {
		if written, err = c.Schemas.Get(ctx, m.SchemaID); err != nil {
			return nil, fmt.Errorf("read %s: %w", m.Name, err)
		}
	}
	stored, err := out.plan(c, f, r, written)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", m.Name, err)
	}
	o := format.ReadOptions{Fields: stored, BatchRows: r.BatchRows, KeepDictionary: r.KeepDictionary, Together: r.Together}
	if r.Filter != nil {
		o.Skip = out.skip(c, r.Filter, written)
	}
	if out.file, out.path, err = c.Paths.Open(ctx, c.Store, f.Partition, f.Bucket, m); err != nil {
		return nil, fmt.Errorf("open data file %s: %w", out.path, err)
	}
	if size := out.file.SizeBytes(); size != m.SizeBytes {
		err = corrupt.Errorf(out.path, corrupt.NoOffset, "file has %d bytes, the manifest says %d", size, m.SizeBytes)
	} else if out.inner, err = fm.Open(ctx, out.file, out.path, o); err != nil {
		err = out.wrap(err)
	}
	if err != nil {
		return nil, errors.Join(err, out.file.Close())
	}
	return out, nil
}

// plan sets where each wanted column comes from, and returns the columns to read
// from the file.
func (d *reader) plan(c ReadConfig, f File, r ReadRequest, written *schema.Schema) ([]types.Field, error) {
	var err error
	if d.parts, err = c.Paths.Values(f.Partition); err != nil {
		return nil, err
	}
	partition := map[int]int{} // field id: index of the partition value
	for i, at := range c.Schema.PartitionIndexes() {
		partition[c.Schema.Fields[at].ID] = i
	}
	if len(partition) != len(d.parts) {
		return nil, fmt.Errorf("partition row has %d values, the table %d partition columns", len(d.parts), len(partition))
	}
	var wanted []types.Field
	for _, field := range r.Fields {
		if i, ok := partition[field.ID]; ok {
			d.sources = append(d.sources, ^i)
			continue
		}
		d.sources = append(d.sources, len(wanted))
		wanted = append(wanted, field)
	}
	if d.evolve, err = schema.Evolve(written, wanted); err != nil {
		return nil, err
	}
	stored := d.evolve.FileFields()
	d.stored = len(stored)
	stored = stored[:len(stored):len(stored)]
	if r.Sequence {
		d.seqAt = len(stored)
		stored = append(stored, sequenceField())
	}
	if r.ExactKinds || r.Kinds && f.Meta.DeleteRowCount != 0 {
		d.kindAt = len(stored)
		stored = append(stored, kindField())
	}
	d.constant = make([]*columnar.Vector, len(d.parts))
	return stored, nil
}

// skip makes the format's question out of the filter; nil if nothing is known.
func (d *reader) skip(c ReadConfig, filter *predicate.Node, written *schema.Schema) func(format.BlockStats) bool {
	evolution, err := schema.Evolve(written, c.Schema.Fields)
	if err != nil { // of a column that is not wanted; the wanted ones were tried before
		return nil
	}
	partition := map[int]columnar.Value{}
	for i, at := range c.Schema.PartitionIndexes() {
		partition[at] = d.parts[i]
	}
	return func(b format.BlockStats) bool {
		keep := filter.MayMatch(func(i int) (stats.Column, bool) {
			if v, ok := partition[i]; ok {
				return constantStats(v, b.Rows), true
			}
			return blockStats(evolution, i, b)
		}, b.Rows)
		d.skipped = d.skipped || !keep
		return !keep
	}
}

// wrap names the file in an error that does not.
func (d *reader) wrap(err error) error {
	switch {
	case errors.Is(err, corrupt.Err):
		return corrupt.Wrap(d.path, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fmt.Errorf("read %s: %w", d.path, err)
}

// Next returns the next rows: Fields, then the sequence numbers if asked for.
func (d *reader) Next(ctx context.Context) (*columnar.Batch, error) {
	if d.done {
		return nil, io.EOF
	}
	b, err := d.inner.Next(ctx)
	if errors.Is(err, io.EOF) {
		d.done = true
		if !d.skipped && d.rows != d.meta.RowCount {
			return nil, corrupt.Errorf(d.path, corrupt.NoOffset, "file has %d rows, the manifest says %d", d.rows, d.meta.RowCount)
		}
		return nil, io.EOF
	}
	if err != nil {
		return nil, d.wrap(err)
	}
	d.rows += int64(b.Rows())
	d.data = columnar.Batch{N: b.N, Sel: b.Sel, Cols: b.Cols[:d.stored]}
	evolved, err := d.evolve.Apply(&d.data)
	if err != nil {
		return nil, d.wrap(err)
	}
	cols := d.out.Cols[:0]
	for i, s := range d.sources {
		if s >= 0 {
			cols = append(cols, evolved.Cols[s])
		} else {
			cols = append(cols, d.partitionColumn(^s, d.fields[i].Type, b.N))
		}
	}
	if d.seqAt >= 0 {
		seq, err := d.sequence(b.Cols[d.seqAt])
		if err != nil {
			return nil, err
		}
		cols = append(cols, seq)
	}
	d.out = columnar.Batch{N: b.N, Sel: b.Sel, Cols: cols}
	if d.kindAt >= 0 {
		if d.out.Kinds, err = d.rowKinds(b.Cols[d.kindAt]); err != nil {
			return nil, err
		}
	}
	return &d.out, nil
}

// partitionColumn is n times partition value i.
func (d *reader) partitionColumn(i int, t types.Type, n int) *columnar.Vector {
	v := d.constant[i]
	if v == nil || v.N < n {
		v = columnar.NewVector(t, n)
		for range n {
			v.AppendValue(d.parts[i])
		}
		d.constant[i] = v
	}
	return view(v, 0, n)
}

func (d *reader) sequence(v *columnar.Vector) (*columnar.Vector, error) {
	if v.NullCount() > 0 {
		return nil, corrupt.Errorf(d.path, corrupt.NoOffset, "column %s has nulls or is not there", types.SequenceNumberName)
	}
	if v.Dict == nil {
		return v, nil
	}
	if d.seq == nil {
		d.seq = columnar.NewVector(v.Type, v.N)
	}
	d.seq.Reset()
	columnar.AppendRange(d.seq, v, 0, v.N)
	return d.seq, nil
}

// rowKinds are the kinds of the slots; nil when all are +I.
func (d *reader) rowKinds(v *columnar.Vector) ([]types.RowKind, error) {
	if v.NullCount() > 0 {
		return nil, corrupt.Errorf(d.path, corrupt.NoOffset, "column %s has nulls or is not there", types.ValueKindName)
	}
	d.kinds = d.kinds[:0]
	seen := int32(0)
	for i := range v.N {
		var k int32
		if v.Dict != nil {
			k = v.Dict.I32[v.Codes[i]]
		} else {
			k = v.I32[i]
		}
		if k < 0 || k > int32(types.Delete) {
			return nil, corrupt.Errorf(d.path, corrupt.NoOffset, "row kind %d", k)
		}
		seen |= k
		d.kinds = append(d.kinds, types.RowKind(k))
	}
	if seen == 0 {
		return nil, nil
	}
	return d.kinds, nil
}

// Close closes the file.
func (d *reader) Close() error {
	if d.file == nil {
		return nil
	}
	err := errors.Join(d.inner.Close(), d.file.Close())
	d.file, d.done = nil, true
	return err
}
