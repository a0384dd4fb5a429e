package parquet

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/types"
)

// memFile is a file in memory.
type memFile struct{ *bytes.Reader }

func (memFile) Close() error       { return nil }
func (m memFile) SizeBytes() int64 { return m.Size() }

func fileOf(b []byte) memFile { return memFile{bytes.NewReader(b)} }

func flatTypes() []types.Type {
	return append(testkit.FlatTypes(), types.TimestampOf(9), types.LTZOf(9), types.TimestampOf(7))
}

// writeFile writes batches and checks what the writer says of its size.
func writeFile(t testing.TB, o format.WriteOptions, batches ...*columnar.Batch) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := New(codec.NewPool()).NewWriter(&buf, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if got := w.SizeBytes(); got != int64(buf.Len()) {
		t.Fatalf("SizeBytes %d, file %d", got, buf.Len())
	}
	return buf.Bytes()
}

// readFile reads all rows and checks that each batch is well formed.
func readFile(data []byte, o format.ReadOptions) (*columnar.Batch, error) {
	ctx := context.Background()
	r, err := New(codec.NewPool()).Open(ctx, fileOf(data), "f.parquet", o)
	if err != nil {
		return nil, err
	}
	ts := make([]types.Type, len(o.Fields))
	for i, f := range o.Fields {
		ts[i] = f.Type
	}
	return testkit.ReadAll(ctx, r, ts)
}

func typesOf(fields []types.Field) []types.Type {
	ts := make([]types.Type, len(fields))
	for i, f := range fields {
		ts[i] = f.Type
	}
	return ts
}

func TestRoundTripFlat(t *testing.T) {
	rng := testkit.Rand(1)
	fields := testkit.Fields(flatTypes())
	required := make([]types.Field, len(fields))
	for i, f := range fields {
		required[i] = f
		required[i].Type.NotNull = true
	}
	for _, fs := range [][]types.Field{fields, required} {
		for _, n := range []int{0, 1, 7, 64, 1000, 4096, 4097, 20_000} {
			for _, nulls := range []float64{0, 0.1, 1} {
				for i, compression := range []string{"zstd", "none", "snappy", "gzip", "lz4", "brotli"} {
					if i > 0 && n != 7 && n != 1000 && (n != 4097 || i > 1) || fs[0].Type.NotNull && nulls > 0 {
						continue
					}
					b := testkit.RandomBatch(rng, typesOf(fs), n, nulls)
					o := format.WriteOptions{Fields: fs, Compression: compression, Lean: i == 1}
					data := writeFile(t, o, split(rng, b)...)
					for _, ro := range []format.ReadOptions{{Fields: fs}, {Fields: fs, BatchRows: 1000, KeepDictionary: true}, {Fields: fs, BatchRows: 4096 * 3}} {
						got, err := readFile(data, ro)
						if err == nil {
							err = testkit.EqualBatches(got, b)
						}
						if err != nil {
							t.Fatalf("%d rows, nulls %v, %s, batches of %d: %v", n, nulls, compression, ro.BatchRows, err)
						}
					}
				}
			}
		}
	}
}

// split cuts a batch at random rows, and gives some parts a selection.
func split(rng *rand.Rand, b *columnar.Batch) []*columnar.Batch {
	var out []*columnar.Batch
	for from := 0; from < b.N; {
		to := min(b.N, from+1+rng.IntN(6000))
		part := testkit.Slice(b, from, to)
		out = append(out, part)
		from = to
	}
	return out
}

// fewValues has columns that dictionaries suit.
func fewValues(n int) ([]types.Field, *columnar.Batch) {
	fields := testkit.Fields([]types.Type{
		types.Of(types.TinyInt).WithNotNull(true), types.Of(types.Int), types.Of(types.BigInt), types.String(),
		types.String().WithNotNull(true), types.Dec(9, 2), types.TimestampOf(3), types.Of(types.Boolean), types.Bytes(),
	})
	b := columnar.NewBatch(typesOf(fields), n)
	b.N = n
	rng := testkit.Rand(7)
	for i := range n {
		b.Cols[0].AppendI32(0)
		b.Cols[1].AppendI32(int32(rng.IntN(300)))
		if i%3 == 0 {
			b.Cols[2].AppendNull()
		} else {
			b.Cols[2].AppendI64(int64(i / 100 % 4000))
		}
		if i%7 == 0 {
			b.Cols[3].AppendNull()
		} else {
			b.Cols[3].AppendString(fmt.Sprintf("value %d", rng.IntN(1000)))
		}
		b.Cols[4].AppendString([]string{"", "a", "a rather longer word than the others are"}[rng.IntN(3)])
		b.Cols[5].AppendI64(int64(rng.IntN(50)))
		b.Cols[6].AppendI64(int64(rng.IntN(2)) * 86_400_000)
		b.Cols[7].AppendI32(int32(i & 1))
		b.Cols[8].AppendBytes([]byte{byte(i >> 12)})
	}
	return fields, b
}

func TestDictionary(t *testing.T) {
	fields, b := fewValues(150_000)
	data := writeFile(t, format.WriteOptions{Fields: fields}, b)
	got, err := readFile(data, format.ReadOptions{Fields: fields})
	if err == nil {
		err = testkit.EqualBatches(got, b)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(codec.NewPool()).Open(context.Background(), fileOf(data), "f", format.ReadOptions{Fields: fields, KeepDictionary: true})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := r.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range kept.Cols {
		if want := i != 7; (v.Dict != nil) != want {
			t.Errorf("column %d in dictionary form: %t, want %t", i, v.Dict != nil, want)
		}
	}
	plain := writeFile(t, format.WriteOptions{Fields: fields, Extra: map[string]string{"parquet.enable.dictionary": "false"}}, b)
	if got, err = readFile(plain, format.ReadOptions{Fields: fields, KeepDictionary: true}); err == nil {
		err = testkit.EqualBatches(got, b)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(plain) < len(data) {
		t.Errorf("dictionaries make the file larger: %d, %d bytes without", len(data), len(plain))
	}
}

// A dictionary that overflows after the first unit gives way to other encodings.
func TestDictionaryOverflow(t *testing.T) {
	fields := testkit.Fields([]types.Type{types.Of(types.Int), types.String(), types.Of(types.BigInt).WithNotNull(true)})
	b := columnar.NewBatch(typesOf(fields), 0)
	const n = 300_000
	for i := range n {
		x := i % 1000
		if i > 200_000 {
			x = i
		}
		b.Cols[0].AppendI32(int32(x))
		b.Cols[1].AppendString(fmt.Sprint("text ", x))
		b.Cols[2].AppendI64(int64(x) << 33)
	}
	b.N = n
	data := writeFile(t, format.WriteOptions{Fields: fields}, b)
	for _, keep := range []bool{false, true} {
		got, err := readFile(data, format.ReadOptions{Fields: fields, KeepDictionary: keep, BatchRows: 5000})
		if err == nil {
			err = testkit.EqualBatches(got, b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
