package datafile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/avro"
	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/format/parquet"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

// spy is a format that notes what it was asked for.
type spy struct {
	format.Format
	read  format.ReadOptions
	wrote format.WriteOptions
}

func (s *spy) Open(ctx context.Context, f fileio.File, path string, o format.ReadOptions) (columnar.Reader, error) {
	s.read = o
	return s.Format.Open(ctx, f, path, o)
}

func (s *spy) NewWriter(w io.Writer, o format.WriteOptions) (format.Writer, error) {
	s.wrote = o
	return s.Format.NewWriter(w, o)
}

func fieldNames(fields []types.Field) string {
	var out []string
	for _, f := range fields {
		out = append(out, f.Name)
	}
	return strings.Join(out, " ")
}

// bench is a table in memory with the versions of its schema.
type bench struct {
	t       *testing.T
	store   fileio.Store
	format  *spy
	schemas map[int64]*schema.Schema
	now     *schema.Schema
	paths   *Paths
}

func (b *bench) Get(_ context.Context, id int64) (*schema.Schema, error) {
	s, ok := b.schemas[id]
	if !ok {
		return nil, fmt.Errorf("schema %d is not there", id)
	}
	return s, nil
}

// allFormats are the formats that files come in.
func allFormats() []format.Format {
	pool := codec.NewPool()
	return []format.Format{avro.New(pool), parquet.New(pool)}
}

func newBench(t *testing.T, s *schema.Schema) *bench {
	t.Helper()
	return newBenchOf(t, s, allFormats()[0])
}

func newBenchOf(t *testing.T, s *schema.Schema, f format.Format) *bench {
	t.Helper()
	if s.Options == nil {
		s.Options = map[string]string{}
	}
	s.Options["file.format"] = f.Name()
	b := &bench{t: t, store: mem.New(time.Now), format: &spy{Format: f}, schemas: map[int64]*schema.Schema{}}
	b.evolve(s)
	return b
}

// evolve makes s the current schema.
func (b *bench) evolve(s *schema.Schema) {
	b.t.Helper()
	b.schemas[s.ID], b.now = s, s
	var err error
	b.paths, err = NewPaths(PathConfig{TableDir: "/t", PartitionFields: s.FieldsOf(s.PartitionIndexes())})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) formats() map[string]format.Format {
	return map[string]format.Format{b.format.Name(): b.format}
}

func (b *bench) partition(vals ...columnar.Value) []byte {
	return row.Serialize(b.now.PartitionTypes(), vals)
}

func (b *bench) layout(level int, changelog bool) *Layout {
	b.t.Helper()
	o, err := b.now.Table()
	if err != nil {
		b.t.Fatal(err)
	}
	l, err := NewLayout(b.now, o, level, changelog)
	if err != nil {
		b.t.Fatal(err)
	}
	return l
}

func (b *bench) config(l *Layout, partition []byte) WriterConfig {
	b.t.Helper()
	dir, err := b.paths.BucketDir(partition, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	return WriterConfig{
		Store: b.store, Dir: dir, Formats: b.formats(), Layout: l, Source: FromAppend,
		Names: &Names{DataPrefix: "data-", ChangelogPrefix: "changelog-", UUID: "u"},
		Now:   time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 2*3600)),
	}
}

func (b *bench) write(c WriterConfig, batches ...*columnar.Batch) []*Meta {
	b.t.Helper()
	w, err := NewWriter(c)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, x := range batches {
		if err := w.Write(context.Background(), x); err != nil {
			b.t.Fatal(err)
		}
	}
	metas, err := w.Finish(context.Background())
	if err != nil {
		b.t.Fatal(err)
	}
	return metas
}

func (b *bench) readConfig() ReadConfig {
	return ReadConfig{Store: b.store, Paths: b.paths, Formats: b.formats(), Schemas: b, Schema: b.now}
}

func (b *bench) read(partition []byte, m *Meta, r ReadRequest) (*columnar.Batch, error) {
	ctx := context.Background()
	in, err := Open(ctx, b.readConfig(), File{Partition: partition, Meta: m}, r)
	if err != nil {
		return nil, err
	}
	ts := types.FieldTypes(r.Fields)
	if r.Sequence {
		ts = append(ts, types.Of(types.BigInt).WithNotNull(true))
	}
	return testkit.ReadAll(ctx, in, ts)
}

func pkSchema(options map[string]string) *schema.Schema {
	return &schema.Schema{
		Version: 3, ID: 0, HighestFieldID: 3, PartitionKeys: []string{"p"}, PrimaryKeys: []string{"p", "k"}, Options: options,
		Fields: []types.Field{
			{ID: 0, Name: "v", Type: types.String()},
			{ID: 1, Name: "k", Type: types.Of(types.Int).WithNotNull(true)},
			{ID: 2, Name: "p", Type: types.String().WithNotNull(true)},
			{ID: 3, Name: "r", Type: types.RowOf(types.Field{ID: 4, Name: "a", Type: types.Of(types.Double)})},
		},
	}
}

// pkBatch has keys from to to-1, sequence numbers 1000 less key, and every third
// row a delete if deletes.
func pkBatch(s *schema.Schema, from, to int, deletes bool) *columnar.Batch {
	b := columnar.NewBatch(append(types.FieldTypes(s.Fields), types.Of(types.BigInt).WithNotNull(true)), to-from)
	for k := from; k < to; k++ {
		if k%5 == 0 {
			b.Cols[0].AppendNull()
		} else {
			b.Cols[0].AppendString(fmt.Sprintf("value of %04d, longer than sixteen", k))
		}
		b.Cols[1].AppendI32(int32(k))
		b.Cols[2].AppendString("part")
		b.Cols[3].Children[0].AppendF64(float64(k) / 4)
		b.Cols[3].EndList()
		b.Cols[4].AppendI64(int64(1000 - k))
		if deletes {
			kind := types.Insert
			if k%3 == 0 {
				kind = types.Delete
			}
			b.Kinds = append(b.Kinds, kind)
		}
		b.N++
	}
	return b
}

func pick(b *columnar.Batch, cols ...int) *columnar.Batch {
	out := &columnar.Batch{N: b.N, Sel: b.Sel, Kinds: b.Kinds}
	for _, c := range cols {
		out.Cols = append(out.Cols, b.Cols[c])
	}
	return out
}

func TestPrimaryKeyFile(t *testing.T) {
	for _, f := range allFormats() {
		for _, thin := range []bool{false, true} {
			testPrimaryKeyFile(t, f, thin)
		}
	}
}

func testPrimaryKeyFile(t *testing.T, f format.Format, thin bool) {
	t.Helper()
	b := newBenchOf(t, pkSchema(map[string]string{"data-file.thin-mode": fmt.Sprint(thin), "bucket": "1"}), f)
	part := b.partition(columnar.StringValue("part"))
	in := pkBatch(b.now, 10, 110, true)
	in.Sel = nil
	for i := uint16(1); i < 90; i++ {
		in.Sel = append(in.Sel, i)
	}
	c := b.config(b.layout(2, false), part)
	c.Source = FromCompact
	metas := b.write(c, in)
	if len(metas) != 1 {
		t.Fatalf("%d files", len(metas))
	}
	m := metas[0]
	want := "_KEY_k _SEQUENCE_NUMBER _VALUE_KIND v k p r"
	if thin {
		want = "_SEQUENCE_NUMBER _VALUE_KIND v k p r"
	}
	if got := fieldNames(b.format.wrote.Fields); got != want {
		t.Errorf("physical columns %s, want %s", got, want)
	}
	if !thin && b.format.wrote.Fields[0].ID != 1+types.KeyIDOffset {
		t.Errorf("key copy has id %d", b.format.wrote.Fields[0].ID)
	}
	checkPrimaryKeyMeta(t, m)

	fields := []types.Field{b.now.Fields[3], b.now.Fields[2], b.now.Fields[1], b.now.Fields[0]}
	for _, dict := range []bool{false, true} {
		got, err := b.read(part, m, ReadRequest{Fields: fields, Sequence: true, Kinds: true, BatchRows: 7, KeepDictionary: dict})
		if err == nil {
			err = testkit.EqualBatches(got, pick(in, 3, 2, 1, 0, 4))
		}
		if err != nil {
			t.Errorf("%s, dictionaries %t: %v", f.Name(), dict, err)
		}
	}
	if got := fieldNames(b.format.read.Fields); got != "r k v _SEQUENCE_NUMBER _VALUE_KIND" {
		t.Errorf("columns read: %s", got)
	}
}

func checkPrimaryKeyMeta(t *testing.T, m *Meta) {
	t.Helper()
	key := []types.Type{types.Of(types.Int)}
	one := func(i int64) []byte { return row.Serialize(key, []columnar.Value{columnar.IntValue(i)}) }
	switch {
	case !strings.HasPrefix(m.Name, "data-u-0."), m.Level != 2, m.Source != FromCompact, m.SchemaID != 0, m.RowCount != 89:
		t.Errorf("meta %+v", m)
	case !slices.Equal(m.MinKey, one(11)), !slices.Equal(m.MaxKey, one(99)):
		t.Errorf("keys %x to %x", m.MinKey, m.MaxKey)
	case m.MinSequence != 901, m.MaxSequence != 989, m.DeleteRowCount != 30:
		t.Errorf("sequence %d to %d, %d deletes", m.MinSequence, m.MaxSequence, m.DeleteRowCount)
	case m.CreationMillis != time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMilli():
		t.Errorf("creation time %d", m.CreationMillis)
	case m.FirstRowID != Unknown, m.ExternalPath != "", m.ExtraFiles != nil, m.WriteCols != nil, m.EmbeddedIndex != nil:
		t.Errorf("meta %+v", m)
	}
	keys, err := m.KeyStats.Decode(key)
	if err != nil || keys[0] != (stats.Column{Min: columnar.IntValue(11), Max: columnar.IntValue(99), HasBounds: true}) {
		t.Errorf("key statistics %+v, %v", keys, err)
	}
	if m.ValueStatsCols != nil {
		t.Errorf("value statistics of %v", m.ValueStatsCols)
	}
	vals, err := m.ValueStats.Decode([]types.Type{types.String(), types.Of(types.Int), types.String(), types.Of(types.Int)})
	if err != nil {
		t.Fatal(err)
	}
	wantV := stats.Column{Min: columnar.StringValue("value of 0011, l"), Max: columnar.StringValue("value of 0099, m"), HasBounds: true, Nulls: 17}
	if vals[0] != wantV || vals[3].HasBounds || vals[3].Nulls != 0 {
		t.Errorf("value statistics %+v", vals)
	}
}

func TestKindsAreSparedWithoutDeletes(t *testing.T) {
	b := newBench(t, pkSchema(nil))
	part := b.partition(columnar.StringValue("part"))
	in := pkBatch(b.now, 0, 10, false)
	in.Kinds = make([]types.RowKind, in.N)
	in.Kinds[3] = types.UpdateAfter
	m := b.write(b.config(b.layout(0, false), part), in)[0]
	if m.DeleteRowCount != 0 {
		t.Errorf("%d deletes", m.DeleteRowCount)
	}
	for _, c := range []struct {
		r    ReadRequest
		read string
		kind types.RowKind
	}{
		{ReadRequest{Kinds: true}, "k", types.Insert},
		{ReadRequest{ExactKinds: true}, "k _VALUE_KIND", types.UpdateAfter},
	} {
		c.r.Fields = b.now.Fields[1:2]
		got, err := b.read(part, m, c.r)
		if err != nil {
			t.Fatal(err)
		}
		kind := types.Insert
		if got.Kinds != nil {
			kind = got.Kinds[3]
		}
		if kind != c.kind || fieldNames(b.format.read.Fields) != c.read {
			t.Errorf("%+v: kind %v, read %s", c.r, kind, fieldNames(b.format.read.Fields))
		}
	}
}

func TestAppendFile(t *testing.T) {
	s := &schema.Schema{Version: 3, Fields: []types.Field{{ID: 0, Name: "a", Type: types.Of(types.BigInt)}, {ID: 1, Name: "b", Type: types.String()}}}
	b := newBench(t, s)
	part := b.partition()
	rng := testkit.Rand(1)
	in := testkit.RandomBatch(rng, types.FieldTypes(s.Fields), 100, 0.2)
	c := b.config(b.layout(0, false), part)
	c.FirstSequence = 40
	metas := b.write(c, in, in)
	m := metas[0]
	empty := row.Serialize(nil, nil)
	if len(metas) != 1 || m.RowCount != 200 || m.MinSequence != 40 || m.MaxSequence != 239 || m.DeleteRowCount != 0 ||
		!slices.Equal(m.MinKey, empty) || !slices.Equal(m.MaxKey, empty) || len(empty) != 12 || !slices.Equal(m.KeyStats.Min, stats.Empty.Min) {
		t.Errorf("meta %+v", m)
	}
	if got := fieldNames(b.format.wrote.Fields); got != "a b" {
		t.Errorf("physical columns %s", got)
	}
	got, err := b.read(part, m, ReadRequest{Fields: s.Fields, Kinds: true})
	if err == nil {
		twice := in.Clone()
		twice.Append(in)
		err = testkit.EqualBatches(got, twice)
	}
	if err != nil {
		t.Error(err)
	}
	if metas := b.write(c); len(metas) != 0 {
		t.Errorf("no rows made %d files", len(metas))
	}
	if _, err := b.read(part, m, ReadRequest{Fields: s.Fields, Sequence: true}); !errors.Is(err, corrupt.Err) {
		t.Errorf("sequence numbers of an append file: %v", err)
	}
}

func TestRolling(t *testing.T) {
	for i, c := range []struct {
		options map[string]string
		files   func(int) bool
	}{
		{map[string]string{"target-file-row-num": "1000"}, func(n int) bool { return n == 300 }},
		{map[string]string{"target-file-size": "100 kb", "file.compression": "none"}, func(n int) bool { return n > 20 }},
		{nil, func(n int) bool { return n == 1 }},
		{map[string]string{"target-file-size": "256 kb"}, func(n int) bool { return n > 1 }},
	} {
		b := newBenchOf(t, pkSchema(c.options), allFormats()[i%2])
		part := b.partition(columnar.StringValue("part"))
		whole := pkBatch(b.now, 0, 300_000, true)
		selected := pkBatch(b.now, 0, 150, true)
		selected.Sel = []uint16{100}
		l := b.layout(1, false)
		metas := b.write(b.config(l, part), whole)
		if !c.files(len(metas)) {
			t.Errorf("%v: %d files, the first of %d bytes", c.options, len(metas), metas[0].SizeBytes)
		}
		out := columnar.NewBatch(l.Columns(), 0)
		for i, m := range metas {
			got, err := b.read(part, m, ReadRequest{Fields: b.now.Fields, Sequence: true, Kinds: true, KeepDictionary: i%2 == 0})
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 && metas[i-1].Name == m.Name {
				t.Errorf("name %s twice", m.Name)
			}
			if int64(got.N) != m.RowCount || !slices.Equal(m.MinKey, row.SerializeRow(got.Cols[1:2], 0)) || !slices.Equal(m.MaxKey, row.SerializeRow(got.Cols[1:2], got.N-1)) {
				t.Errorf("%v, file %d: meta %+v", c.options, i, m)
			}
			out.Append(got)
		}
		if err := testkit.EqualBatches(out, whole); err != nil {
			t.Errorf("%v: %v", c.options, err)
		}
	}
}

func TestStatsModes(t *testing.T) {
	for _, c := range []struct {
		options map[string]string
		kept    []string
	}{
		{map[string]string{"metadata.stats-mode": "none"}, []string{}},
		{map[string]string{"metadata.stats-mode": "counts"}, nil},
		{map[string]string{"metadata.stats-mode": "none", "fields.v.stats-mode": "full"}, []string{"v"}},
		{map[string]string{"metadata.stats-mode": "none", "metadata.stats-dense-store": "false"}, nil},
		{map[string]string{"metadata.stats-mode": "full", "metadata.stats-mode.per.level": "0:none"}, []string{}},
		{map[string]string{"metadata.stats-mode": "none", "data-file.thin-mode": "true"}, []string{"k"}},
	} {
		b := newBench(t, pkSchema(c.options))
		part := b.partition(columnar.StringValue("part"))
		m := b.write(b.config(b.layout(0, false), part), pkBatch(b.now, 0, 10, false))[0]
		if (m.ValueStatsCols == nil) != (c.kept == nil) || !slices.Equal(m.ValueStatsCols, c.kept) {
			t.Errorf("%v: columns %#v, want %#v", c.options, m.ValueStatsCols, c.kept)
		}
		if c.kept != nil && len(c.kept) == 0 && !slices.Equal(m.ValueStats.Min, stats.Empty.Min) {
			t.Errorf("%v: %+v", c.options, m.ValueStats)
		}
		if got := len(m.ValueStats.NullCounts); c.kept == nil && got != 4 {
			t.Errorf("%v: %d null counts", c.options, got)
		}
	}
}

func TestLevelsAndChangelogFiles(t *testing.T) {
	b := newBench(t, pkSchema(map[string]string{
		"file.format.per.level": "0:avro,1:parquet", "file.compression.per.level": "0:snappy", "file.compression": "none",
		"changelog-file.compression": "deflate", "changelog-file.prefix": "changelog-",
	}))
	part := b.partition(columnar.StringValue("part"))
	if l := b.layout(1, false); l.Format() != "parquet" {
		t.Errorf("level 1 has format %s", l.Format())
	} else if _, err := NewWriter(b.config(l, part)); err == nil || !strings.Contains(err.Error(), `"parquet"`) {
		t.Errorf("format that is not there: %v", err)
	}
	b.write(b.config(b.layout(0, false), part), pkBatch(b.now, 0, 3, false))
	if b.format.wrote.Compression != "snappy" {
		t.Errorf("level 0 is written with %s", b.format.wrote.Compression)
	}
	m := b.write(b.config(b.layout(0, true), part), pkBatch(b.now, 0, 3, false))[0]
	if b.format.wrote.Compression != "deflate" || !strings.HasPrefix(m.Name, "changelog-u-") {
		t.Errorf("changelog file %s is written with %s", m.Name, b.format.wrote.Compression)
	}
}

func TestAbortLeavesNoFile(t *testing.T) {
	ctx := context.Background()
	for _, finish := range []bool{false, true} {
		b := newBench(t, pkSchema(map[string]string{"target-file-row-num": "10"}))
		part := b.partition(columnar.StringValue("part"))
		w, err := NewWriter(b.config(b.layout(0, false), part))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(ctx, pkBatch(b.now, 0, 25, true)); err != nil {
			t.Fatal(err)
		}
		if finish {
			if _, err := w.Finish(ctx); err != nil {
				t.Fatal(err)
			}
			if len(w.Paths()) != 3 {
				t.Errorf("%d paths", len(w.Paths()))
			}
		}
		if err := w.Abort(ctx); err != nil {
			t.Error(err)
		}
		if paths := b.store.(*mem.Store).Paths(); len(paths) != 0 {
			t.Errorf("finish %t: left %v", finish, paths)
		}
		if err := w.Write(ctx, pkBatch(b.now, 0, 1, true)); err == nil {
			t.Error("write after abort")
		}
	}
}

func TestViewAndCut(t *testing.T) {
	ts := testkit.AllTypes()
	whole := testkit.RandomBatch(testkit.Rand(3), ts, 300, 0.2)
	for _, r := range [][2]int{{0, 300}, {64, 65}, {128, 300}, {192, 192}} {
		got := &columnar.Batch{N: r[1] - r[0]}
		for _, v := range whole.Cols {
			got.Cols = append(got.Cols, view(v, r[0], r[1]))
		}
		if err := testkit.EqualBatches(got, testkit.Slice(whole, r[0], r[1])); err != nil {
			t.Errorf("%v: %v", r, err)
		}
	}
	head, tail := cut(whole, 100)
	if err := testkit.EqualBatches(head, testkit.Slice(whole, 0, 100)); err != nil {
		t.Error(err)
	}
	if err := testkit.EqualBatches(tail, testkit.Slice(whole, 100, 300)); err != nil {
		t.Error(err)
	}
}
