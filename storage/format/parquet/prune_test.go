package parquet

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/types"
)

// numbered has rows with their number in the first column, in a column of text with
// nulls, and in a list.
func numbered(n int) ([]types.Field, *columnar.Batch) {
	fields := testkit.Fields([]types.Type{types.Of(types.BigInt), types.String(), types.ArrayOf(types.Of(types.Int)), types.Of(types.Double)})
	b := columnar.NewBatch(typesOf(fields), n)
	b.N = n
	for i := range n {
		b.Cols[0].AppendI64(int64(i))
		if i%5 == 0 {
			b.Cols[1].AppendNull()
		} else {
			b.Cols[1].AppendString(fmt.Sprintf("row %07d", i))
		}
		for range i % 3 {
			b.Cols[2].Children[0].AppendI32(int32(i))
		}
		b.Cols[2].EndList()
		b.Cols[3].AppendF64(float64(i) / 7)
	}
	return fields, b
}

// Skipping blocks by their bounds loses no row in range and keeps columns together.
func TestSkip(t *testing.T) {
	fields, b := numbered(60_000)
	files := map[string][]byte{
		"own":    writeFile(t, format.WriteOptions{Fields: fields}, b),
		"groups": writeFile(t, format.WriteOptions{Fields: fields, BlockBytes: 100_000}, b),
		"unaligned": writeWithArrow(t, b, fields, []parquet.WriterProperty{parquet.WithPageIndexEnabled(true), parquet.WithDataPageSize(30_000),
			parquet.WithDictionaryDefault(false), parquet.WithBatchSize(100)}),
		"no index": writeWithArrow(t, b, fields, []parquet.WriterProperty{parquet.WithMaxRowGroupLength(7_000)}),
	}
	for name, data := range files {
		for _, r := range [][2]int64{{0, 1}, {20_000, 20_010}, {59_999, 70_000}, {8_000, 30_000}, {-5, -1}} {
			for _, column := range []string{"f0", "f1", "f3"} {
				checkSkip(t, name, column, data, fields, b, r[0], r[1])
			}
		}
	}
}

// checkSkip reads the blocks that may hold rows from to to-1 by the bounds of a column.
func checkSkip(t *testing.T, name, column string, data []byte, fields []types.Field, b *columnar.Batch, from, to int64) {
	t.Helper()
	blocks := 0
	skip := func(s format.BlockStats) bool {
		blocks++
		lo, hi, _, ok := s.Column(column)
		if !ok || lo.Null {
			return false
		}
		switch column {
		case "f0":
			return hi.I < from || lo.I >= to
		case "f3":
			return hi.F < float64(from)/7 || lo.F >= float64(to)/7
		}
		return hi.S < fmt.Sprintf("row %07d", max(0, from)) || lo.S >= fmt.Sprintf("row %07d", max(0, to))
	}
	ctx := context.Background()
	f := New(codec.NewPool())
	r, err := f.Open(ctx, fileOf(data), name, format.ReadOptions{Fields: fields, Skip: skip, BatchRows: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	read, seen := 0, map[int64]bool{}
	for {
		got, err := r.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s, %s: %v", name, column, err)
		}
		read += got.N
		for i := range got.N {
			row := got.Cols[0].I64[i]
			seen[row] = true
			for c := range got.Cols {
				if err := testkit.EqualSlots(got.Cols[c], i, b.Cols[c], int(row)); err != nil {
					t.Fatalf("%s, %s, row %d, column %d: %v", name, column, row, c, err)
				}
			}
		}
	}
	for i := max(0, from); i < min(to, int64(b.N)); i++ {
		if !seen[i] && (column != "f1" || !b.Cols[1].IsNull(int(i))) {
			t.Fatalf("%s, %s: row %d is lost", name, column, i)
		}
	}
	if blocks == 0 {
		t.Fatalf("%s: nothing was asked", name)
	}
	if limit := int(min(to, int64(b.N))-max(0, from)) + 2*pageRows; name == "own" && read > max(limit, 0) {
		t.Errorf("%s, %s: %d rows read for %d to %d", name, column, read, from, to)
	}
}

// The footer's bounds are those that other readers may rely on.
func TestChunkStatistics(t *testing.T) {
	fields := testkit.Fields([]types.Type{types.Of(types.Double), types.Of(types.Double), types.Of(types.Float), types.TimestampOf(9), types.String(),
		types.Dec(25, 1), types.Of(types.Boolean), types.Bytes(), types.Of(types.Int)})
	b := columnar.NewBatch(typesOf(fields), 3)
	b.N = 3
	for i, x := range []float64{0, math.NaN(), 2} {
		b.Cols[0].AppendF64(x)
		b.Cols[1].AppendF64([]float64{0, math.Copysign(0, -1), 0}[i])
		b.Cols[2].AppendF32([]float32{-1.5, 3, 0}[i])
		b.Cols[3].AppendT96(int64(i), 0)
		b.Cols[4].AppendString([]string{"b", "", "bb"}[i])
		b.Cols[5].AppendD128(columnar.Int128{Lo: uint64(i) - 1, Hi: -int64(1 - min(i, 1))})
		b.Cols[6].AppendI32(int32(i & 1))
		b.Cols[7].AppendBytes(bytes.Repeat([]byte{0xff}, 3000*i))
		b.Cols[8].AppendNull()
	}
	ft, err := readFooter(fileOf(writeFile(t, format.WriteOptions{Fields: fields}, b)), "f", nil)
	if err != nil {
		t.Fatal(err)
	}
	text := func(s statistics) string {
		if !s.hasMin || !s.hasMax {
			return fmt.Sprintf("none, %d nulls", s.nulls)
		}
		return fmt.Sprintf("%x to %x, %d nulls", s.min, s.max, s.nulls)
	}
	for i, want := range []string{"none, 0 nulls", "0000000000000080 to 0000000000000000, 0 nulls", "0000c0bf to 00004040, 0 nulls", "none, 0 nulls",
		" to 6262, 0 nulls", "ffffffffffffffffffffff to 0000000000000000000001, 0 nulls", "00 to 01, 0 nulls", "none, 0 nulls", "none, 3 nulls"} {
		if got := text(ft.meta.groups[0].columns[i].stats); got != want {
			t.Errorf("column %d: %s, want %s", i, got, want)
		}
	}
}

func TestCutBounds(t *testing.T) {
	long := func(unit string, n int) string { return string(bytes.Repeat([]byte(unit), n)) }
	for _, c := range []struct {
		in, lo, hi string
		text       bool
	}{
		{"short", "short", "short", true},
		{long("a", 65), long("a", 64), long("a", 63) + "b", true},
		{long("é", 40), long("é", 32), long("é", 31) + "ê", true},
		{"a" + long("é", 40), "a" + long("é", 31), "a" + long("é", 30) + "ê", true},
		{long("\U0010ffff", 20), long("\U0010ffff", 16), long("\U0010ffff", 20), true},
		{"a" + long("\xff", 70), "a" + long("\xff", 63), "b", false},
		{long("\xff", 70), long("\xff", 64), long("\xff", 70), false},
		{long("\u007f\ud7ff", 20), long("\u007f\ud7ff", 16), long("\u007f\ud7ff", 15) + "\u007f\ue000", true},
	} {
		if got := string(cutMin([]byte(c.in), c.text)); got != c.lo {
			t.Errorf("least of %q: %q, want %q", c.in, got, c.lo)
		}
		if got := string(cutMax(nil, []byte(c.in), c.text)); got != c.hi {
			t.Errorf("greatest of %q: %q, want %q", c.in, got, c.hi)
		}
	}
}

// A key column shares the encoded pages of its value column until they differ.
func TestTwins(t *testing.T) {
	fields, rows := kvTable(30_000)
	o := format.WriteOptions{Fields: fields}
	shared := writeFile(t, o, rows)
	for name, batches := range map[string][]*columnar.Batch{
		"shared":           {rows},
		"pieces":           {view(rows, 0, 5000), view(rows, 5000, 5003), view(rows, 5003, rows.N)},
		"apart":            {unshared(rows, 0, rows.N)},
		"apart at the end": {view(rows, 0, 9000), view(rows, 9000, 12_000), unshared(rows, 12_000, rows.N)},
	} {
		data := writeFile(t, o, batches...)
		got, err := readFile(data, format.ReadOptions{Fields: fields})
		if err == nil {
			err = testkit.EqualBatches(got, rows)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name == "apart" && !bytes.Equal(data, shared) {
			t.Errorf("the same values make other files when they are shared")
		}
	}
}

func unshared(b *columnar.Batch, from, to int) *columnar.Batch {
	out := view(b, from, to)
	out.Cols[0] = columnar.NewVector(out.Cols[3].Type, 0)
	columnar.AppendRange(out.Cols[0], out.Cols[3], 0, to-from)
	return out
}

// A batch's selection, and vectors in dictionary form, are written as their rows.
func TestWriteSelectionAndDictionary(t *testing.T) {
	fields, b := fewValues(6000)
	data := writeFile(t, format.WriteOptions{Fields: fields}, b)
	ctx := context.Background()
	r, err := New(codec.NewPool()).Open(ctx, fileOf(data), "f", format.ReadOptions{Fields: fields, KeepDictionary: true})
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	w, err := New(codec.NewPool()).NewWriter(&buf, format.WriteOptions{Fields: fields})
	if err != nil {
		t.Fatal(err)
	}
	want := columnar.NewBatch(typesOf(fields), 0)
	for {
		got, err := r.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < got.N; i += 3 {
			got.Sel = append(got.Sel, uint16(i))
		}
		want.Append(got)
		if err := w.Write(got); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	got, err := readFile(buf.Bytes(), format.ReadOptions{Fields: fields})
	if err == nil {
		err = testkit.EqualBatches(got, want)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestWriteRefusals(t *testing.T) {
	fields := testkit.Fields([]types.Type{types.Of(types.Int).WithNotNull(true), types.ArrayOf(types.Of(types.Int).WithNotNull(true))})
	for name, fill := range map[string]func(b *columnar.Batch){
		"null in NOT NULL": func(b *columnar.Batch) { b.Cols[0].AppendNull(); b.Cols[1].AppendNull() },
		"null element": func(b *columnar.Batch) {
			b.Cols[0].AppendI32(1)
			b.Cols[1].Children[0].AppendNull()
			b.Cols[1].EndList()
		},
	} {
		b := columnar.NewBatch(typesOf(fields), 1)
		fill(b)
		b.N = 1
		w, err := New(codec.NewPool()).NewWriter(io.Discard, format.WriteOptions{Fields: fields})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(b); err == nil {
			err = w.Finish()
			if err == nil {
				t.Errorf("%s: no error", name)
			}
		}
	}
	for _, o := range []format.WriteOptions{{Compression: "lzo"}, {Fields: testkit.Fields([]types.Type{types.RowOf()})},
		{Extra: map[string]string{"parquet.block.size": "much"}}} {
		if _, err := New(codec.NewPool()).NewWriter(io.Discard, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}
