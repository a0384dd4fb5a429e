package datafile

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/types"
)

func TestEvolution(t *testing.T) {
	for _, f := range allFormats() {
		testEvolution(t, f)
	}
}

func testEvolution(t *testing.T, f format.Format) {
	t.Helper()
	b := newBenchOf(t, pkSchema(nil), f)
	part := b.partition(columnar.StringValue("part"))
	in := pkBatch(b.now, 0, 20, true)
	m := b.write(b.config(b.layout(0, false), part), in)[0]
	later := pkSchema(nil)
	later.ID, later.HighestFieldID = 1, 5
	later.Fields = []types.Field{
		later.Fields[1], later.Fields[2],
		{ID: 5, Name: "v", Type: types.Of(types.Int)}, // new column under the old name
		{ID: 0, Name: "renamed", Type: types.Bytes()}, // renamed, other type
		{ID: 3, Name: "r", Type: types.RowOf(types.Field{ID: 4, Name: "z", Type: types.Of(types.Double)})},
	}
	b.evolve(later)
	got, err := b.read(part, m, ReadRequest{Fields: later.Fields, Sequence: true, Kinds: true})
	if err != nil {
		t.Fatal(err)
	}
	nulls := columnar.NewVector(types.Of(types.Int), 20)
	for range 20 {
		nulls.AppendNull()
	}
	bytes := *in.Cols[0]
	bytes.Type = types.Bytes()
	want := &columnar.Batch{N: in.N, Kinds: in.Kinds, Cols: []*columnar.Vector{in.Cols[1], in.Cols[2], nulls, &bytes, in.Cols[3], in.Cols[4]}}
	if err := testkit.EqualBatches(got, want); err != nil {
		t.Error(err)
	}
	m2 := *m
	m2.SchemaID = 7
	if _, err := b.read(part, &m2, ReadRequest{Fields: later.Fields}); err == nil || !strings.Contains(err.Error(), "schema 7") {
		t.Errorf("file of an unknown schema: %v", err)
	}
}

func TestPartitionColumnsComeFromTheManifest(t *testing.T) {
	b := newBench(t, pkSchema(nil))
	part := b.partition(columnar.StringValue("part"))
	m := b.write(b.config(b.layout(0, false), part), pkBatch(b.now, 0, 20, false))[0]
	other := b.partition(columnar.NullValue)
	dir, _ := b.paths.BucketDir(part, 0)
	moved := *m
	moved.ExternalPath = fileio.Join(dir, m.Name)
	got, err := b.read(other, &moved, ReadRequest{Fields: b.now.Fields[2:3], BatchRows: 3})
	if err != nil {
		t.Fatal(err)
	}
	if got.N != 20 || got.Cols[0].NullCount() != 20 {
		t.Errorf("%d rows, %d nulls", got.N, got.Cols[0].NullCount())
	}
	if len(b.format.read.Fields) != 0 {
		t.Errorf("columns read: %s", fieldNames(b.format.read.Fields))
	}
}

func TestFilterBecomesSkip(t *testing.T) {
	b := newBench(t, pkSchema(nil))
	part := b.partition(columnar.StringValue("part"))
	m := b.write(b.config(b.layout(0, false), part), pkBatch(b.now, 0, 20, false))[0]
	later := pkSchema(nil)
	later.ID, later.HighestFieldID = 1, 5
	later.Fields[0].Name = "renamed"
	later.Fields[1].Type = types.Of(types.BigInt).WithNotNull(true)
	later.Fields = append(later.Fields, types.Field{ID: 5, Name: "added", Type: types.Of(types.Int)})
	b.evolve(later)
	str, big, in := types.String(), types.Of(types.BigInt), types.Of(types.Int)
	block := format.BlockStats{Rows: 20, Column: func(name string) (lo, hi columnar.Value, nulls int64, ok bool) {
		switch name {
		case "v":
			return columnar.StringValue("b"), columnar.StringValue("d"), 0, true
		case "k":
			return columnar.IntValue(5), columnar.IntValue(9), 0, true
		}
		return columnar.NullValue, columnar.NullValue, -1, false
	}}
	for _, c := range []struct {
		name string
		f    *predicate.Node
		skip bool
	}{
		{"renamed column outside", predicate.Eq(0, str, columnar.StringValue("x")), true},
		{"renamed column inside", predicate.Eq(0, str, columnar.StringValue("c")), false},
		{"widened column outside", predicate.Eq(1, big, columnar.IntValue(10)), true},
		{"widened column inside", predicate.Eq(1, big, columnar.IntValue(7)), false},
		{"partition of another value", predicate.Eq(2, str, columnar.StringValue("other")), true},
		{"this partition", predicate.Eq(2, str, columnar.StringValue("part")), false},
		{"absent column", predicate.Eq(4, in, columnar.IntValue(1)), true},
		{"absent column is null", predicate.IsNull(4, in), false},
		{"unknown column", predicate.IsNull(3, later.Fields[3].Type), false},
		{"either", predicate.Or(predicate.Eq(1, big, columnar.IntValue(10)), predicate.Eq(0, str, columnar.StringValue("c"))), false},
	} {
		r, err := Open(context.Background(), b.readConfig(), File{Partition: part, Meta: m}, ReadRequest{Fields: later.Fields[:1], Filter: c.f})
		if err != nil {
			t.Fatal(err)
		}
		if got := b.format.read.Skip(block); got != c.skip {
			t.Errorf("%s: skip %t", c.name, got)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if err := r.Close(); err != nil {
			t.Errorf("second close: %v", err)
		}
	}
}

func TestDamageNamesTheFile(t *testing.T) {
	b := newBench(t, pkSchema(nil))
	part := b.partition(columnar.StringValue("part"))
	m := b.write(b.config(b.layout(0, false), part), pkBatch(b.now, 0, 20, true))[0]
	r := ReadRequest{Fields: b.now.Fields, Sequence: true, Kinds: true}
	for _, c := range []struct {
		name    string
		change  func(*Meta)
		is      error
		mention string
	}{
		{"missing", func(m *Meta) { m.Name = "data-u-9.avro" }, fileio.ErrNotFound, "/t/p=part/bucket-0/data-u-9.avro"},
		{"other size", func(m *Meta) { m.SizeBytes++ }, corrupt.Err, "/t/p=part/bucket-0/data-u-0.avro"},
		{"fewer rows", func(m *Meta) { m.RowCount++ }, corrupt.Err, "/t/p=part/bucket-0/data-u-0.avro"},
		{"more rows", func(m *Meta) { m.RowCount-- }, corrupt.Err, "/t/p=part/bucket-0/data-u-0.avro"},
		{"unknown format", func(m *Meta) { m.Name = "data-u-0.lance" }, nil, `"lance"`},
		{"no format", func(m *Meta) { m.Name = "data" }, nil, `"data"`},
		{"part of the columns", func(m *Meta) { m.WriteCols = []string{"v"} }, nil, "data evolution"},
	} {
		bad := *m
		c.change(&bad)
		_, err := b.read(part, &bad, r)
		if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.mention) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	dir, _ := b.paths.BucketDir(part, 0)
	name := fileio.Join(dir, m.Name)
	data, err := fileio.ReadFile(context.Background(), b.store, name)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2+20] ^= 0x40
	if err := b.store.Replace(context.Background(), name, data); err != nil {
		t.Fatal(err)
	}
	if _, err := b.read(part, m, r); !errors.Is(err, corrupt.Err) || !strings.Contains(err.Error(), name) {
		t.Errorf("flipped bit: %v", err)
	}
}
