package parquet

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/types"
)

// kvTable is the benchmarks' table kv as a primary key table stores it, sorted by
// key, one row a key.
func kvTable(n int) ([]types.Field, *columnar.Batch) {
	not := func(t types.Type) types.Type { return t.WithNotNull(true) }
	big := types.Of(types.BigInt)
	fields := []types.Field{
		{ID: types.KeyIDOffset, Name: "_KEY_k", Type: not(big)},
		{ID: types.SequenceNumberID, Name: "_SEQUENCE_NUMBER", Type: not(big)},
		{ID: types.ValueKindID, Name: "_VALUE_KIND", Type: not(types.Of(types.TinyInt))},
		{ID: 0, Name: "k", Type: not(big)}, {ID: 1, Name: "a", Type: big}, {ID: 2, Name: "b", Type: big},
		{ID: 3, Name: "c", Type: types.Of(types.Double)}, {ID: 4, Name: "d", Type: types.Of(types.Double)},
		{ID: 5, Name: "e", Type: types.Dec(12, 2)}, {ID: 6, Name: "f", Type: types.String()}, {ID: 7, Name: "g", Type: types.String()},
		{ID: 8, Name: "t", Type: types.TimestampOf(3)},
	}
	keys := make([]kvKey, n)
	for i := range keys {
		keys[i] = kvKey{int64(draw(i, 0) % 2_000_000 * 2), i}
	}
	slices.SortFunc(keys, func(a, b kvKey) int {
		if a.k != b.k {
			return int(a.k - b.k)
		}
		return b.i - a.i
	})
	keys = slices.CompactFunc(keys, func(a, b kvKey) bool { return a.k == b.k })
	b := columnar.NewBatch(typesOf(fields), len(keys))
	b.N = len(keys)
	for _, key := range keys {
		appendKV(b, key)
	}
	b.Cols[0] = b.Cols[3]
	return fields, b
}

type kvKey struct {
	k int64
	i int
}

func appendKV(b *columnar.Batch, key kvKey) {
	i := key.i
	b.Cols[1].AppendI64(int64(i))
	b.Cols[2].AppendI32(0)
	b.Cols[3].AppendI64(key.k)
	b.Cols[4].AppendI64(int64(draw(i, 1) % 1_000_000))
	b.Cols[5].AppendI64(int64(i))
	b.Cols[6].AppendF64(float64(draw(i, 2)>>11) / (1 << 53))
	b.Cols[7].AppendF64(float64(draw(i, 3)%100_000) / 100)
	b.Cols[8].AppendI64(int64(draw(i, 4) % 1_000_000_000))
	b.Cols[9].AppendString(hexDigits(draw(i, 5), 10))
	b.Cols[10].AppendString(hexDigits(draw(i, 6), 16) + hexDigits(draw(i, 7), 14))
	b.Cols[11].AppendI64(1_767_225_600_000 + int64(i)*10 + int64(draw(i, 5)>>54))
}

// draw is the benchmarks' random number j of row i.
func draw(i, j int) uint64 {
	const g = 0x9E3779B97F4A7C15
	x := (uint64(i)*8 + uint64(j) + g) * g
	x ^= x >> 30
	x *= 0xBF58476D1CE4E5B9
	x ^= x >> 27
	x *= 0x94D049BB133111EB
	return x ^ x>>31
}

func hexDigits(x uint64, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = "0123456789abcdef"[x&15]
		x >>= 4
	}
	return string(out)
}

const kvRows = 500_000

func BenchmarkWrite(b *testing.B) {
	fields, rows := kvTable(kvRows)
	for _, c := range []struct {
		name string
		o    format.WriteOptions
	}{{"small", format.WriteOptions{}}, {"lean", format.WriteOptions{Lean: true}}, {"stored", format.WriteOptions{Compression: "none"}}} {
		for _, batch := range []int{rows.N, 8192} {
			b.Run(fmt.Sprintf("%s/batch=%d", c.name, batch), func(b *testing.B) {
				c.o.Fields = fields
				f := New(codec.NewPool())
				b.ReportAllocs()
				start := cpuNanos()
				var size int64
				for b.Loop() {
					var out counter
					w, err := f.NewWriter(&out, c.o)
					if err != nil {
						b.Fatal(err)
					}
					for from := 0; from < rows.N; from += batch {
						if err := w.Write(view(rows, from, min(from+batch, rows.N))); err != nil {
							b.Fatal(err)
						}
					}
					if err := w.Finish(); err != nil {
						b.Fatal(err)
					}
					size = int64(out)
				}
				b.ReportMetric((cpuNanos()-start)/float64(b.N)/float64(rows.N), "cpu-ns/row")
				b.ReportMetric(float64(size)/float64(rows.N), "B/row")
			})
		}
	}
}

// cpuNanos is the processor time of the process: other load does not count.
func cpuNanos() float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// view is rows from to to-1 of a batch without nulls, without a copy.
func view(b *columnar.Batch, from, to int) *columnar.Batch {
	out := &columnar.Batch{N: to - from}
	seen := map[*columnar.Vector]*columnar.Vector{}
	for _, v := range b.Cols {
		o := seen[v]
		if o == nil {
			o = &columnar.Vector{Type: v.Type, N: to - from}
			seen[v] = o
			switch columnar.LayoutOf(v.Type) {
			case columnar.I32:
				o.I32 = v.I32[from:to]
			case columnar.I64:
				o.I64 = v.I64[from:to]
			case columnar.F64:
				o.F64 = v.F64[from:to]
			case columnar.Str:
				o.Off, o.Data = v.Off[from:to+1], v.Data
			}
		}
		out.Cols = append(out.Cols, o)
	}
	return out
}

func BenchmarkRead(b *testing.B) {
	fields, rows := kvTable(kvRows)
	for _, shape := range []struct {
		name string
		o    format.WriteOptions
	}{{"small", format.WriteOptions{}}, {"lean", format.WriteOptions{Lean: true}}, {"stored", format.WriteOptions{Compression: "none"}}} {
		shape.o.Fields = fields
		data := writeFile(b, shape.o, rows)
		for _, cols := range []struct {
			name   string
			fields []types.Field
		}{{"all", fields}, {"three", fields[:3]}, {"two", fields[3:5]}, {"text", fields[9:11]}} {
			b.Run(shape.name+"/"+cols.name, func(b *testing.B) {
				f := New(codec.NewPool())
				b.ReportAllocs()
				start := cpuNanos()
				for b.Loop() {
					if n := readRows(b, f, data, cols.fields); n != rows.N {
						b.Fatalf("%d rows, want %d", n, rows.N)
					}
				}
				b.ReportMetric((cpuNanos()-start)/float64(b.N)/float64(rows.N), "cpu-ns/row")
			})
		}
	}
}

func readRows(b *testing.B, f *Format, data []byte, fields []types.Field) int {
	ctx := context.Background()
	r, err := f.Open(ctx, fileOf(data), "f", format.ReadOptions{Fields: fields})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	n := 0
	for {
		batch, err := r.Next(ctx)
		if err == io.EOF {
			return n
		}
		if err != nil {
			b.Fatal(err)
		}
		n += batch.N
	}
}

// BenchmarkTiny writes and opens files of one row.
func BenchmarkTiny(b *testing.B) {
	fields, rows := kvTable(10)
	f := New(codec.NewPool())
	one := view(rows, 0, 1)
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var out counter
			w, err := f.NewWriter(&out, format.WriteOptions{Fields: fields})
			if err == nil {
				err = w.Write(one)
			}
			if err == nil {
				err = w.Finish()
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	data := writeFile(b, format.WriteOptions{Fields: fields}, one)
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		b.ReportMetric(float64(len(data)), "B/file")
		for b.Loop() {
			readRows(b, f, data, fields)
		}
	})
}
