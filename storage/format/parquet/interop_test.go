package parquet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	pqgo "github.com/parquet-go/parquet-go"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/columnar/arrowrecord"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/types"
)

// arrowTypes are the types that arrow-go reads and writes without loss.
func arrowTypes() []types.Type { return append(testkit.FlatTypes(), testkit.NestedTypes()...) }

func readWithArrow(data []byte, ts []types.Type) (*columnar.Batch, error) {
	pf, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	r, err := pqarrow.NewFileReader(pf, pqarrow.ArrowReadProperties{BatchSize: 1000}, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	rr, err := r.GetRecordReader(context.Background(), nil, nil)
	if err != nil {
		return nil, err
	}
	out := columnar.NewBatch(ts, 0)
	for rr.Next() {
		b, err := arrowrecord.Copy(rr.RecordBatch(), ts)
		if err != nil {
			return nil, err
		}
		out.Append(b)
	}
	if err := rr.Err(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return out, nil
}

func TestArrowReadsOurs(t *testing.T) {
	rng := testkit.Rand(11)
	ts := arrowTypes()
	fields := testkit.Fields(ts)
	for _, n := range []int{0, 1, 3000, 9001} {
		for _, compression := range []string{"zstd", "none", "snappy", "gzip", "brotli"} {
			if n > 3000 && compression != "zstd" {
				continue
			}
			b := testkit.RandomBatch(rng, ts, n, 0.2)
			data := writeFile(t, format.WriteOptions{Fields: fields, Compression: compression}, b)
			got, err := readWithArrow(data, ts)
			if err == nil {
				err = testkit.EqualBatches(got, b)
			}
			if err != nil {
				t.Fatalf("%d rows, %s: %v", n, compression, err)
			}
		}
	}
	few, b := fewValues(30_000)
	data := writeFile(t, format.WriteOptions{Fields: few}, b)
	got, err := readWithArrow(data, typesOf(few))
	if err == nil {
		err = testkit.EqualBatches(got, b)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// writeWithArrow writes with other page versions, codecs and encodings than ours.
func writeWithArrow(t testing.TB, b *columnar.Batch, fields []types.Field, props []parquet.WriterProperty, arrowProps ...pqarrow.WriterOption) []byte {
	t.Helper()
	rec, err := arrowrecord.Wrap(b, fields)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	w, err := pqarrow.NewFileWriter(rec.Schema(), &buf, parquet.NewWriterProperties(props...), pqarrow.NewArrowWriterProperties(arrowProps...))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func arrowVariants() map[string][]parquet.WriterProperty {
	v1, v2 := parquet.WithDataPageVersion(parquet.DataPageV1), parquet.WithDataPageVersion(parquet.DataPageV2)
	plain, small := parquet.WithDictionaryDefault(false), parquet.WithDataPageSize(3000)
	return map[string][]parquet.WriterProperty{
		"default":              {},
		"v1 small":             {v1, small, parquet.WithCompression(compress.Codecs.Snappy)},
		"v2 zstd":              {v2, small, parquet.WithCompression(compress.Codecs.Zstd), parquet.WithStats(true)},
		"v2 plain":             {v2, plain, parquet.WithCompression(compress.Codecs.Brotli)},
		"v1 plain":             {v1, plain, small, parquet.WithCompression(compress.Codecs.Gzip)},
		"lz4 raw":              {v1, plain, parquet.WithCompression(compress.Codecs.Lz4Raw)},
		"page index":           {parquet.WithPageIndexEnabled(true), small},
		"small groups":         {parquet.WithMaxRowGroupLength(777)},
		"decimals as integers": {parquet.WithStoreDecimalAsInteger(true)},
	}
}

func TestReadArrows(t *testing.T) {
	rng := testkit.Rand(12)
	ts := arrowTypes()
	fields := testkit.Fields(ts)
	b := testkit.RandomBatch(rng, ts, 2000, 0.2)
	dense := testkit.RandomBatch(rng, ts, 900, 0)
	for name, props := range arrowVariants() {
		for _, want := range []*columnar.Batch{b, dense} {
			data := writeWithArrow(t, want, fields, props)
			for _, ro := range []format.ReadOptions{{Fields: fields}, {Fields: fields, BatchRows: 333, KeepDictionary: true}} {
				got, err := readFile(data, ro)
				if err == nil {
					err = testkit.EqualBatches(got, want)
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
	}
}

func TestReadArrowEncodings(t *testing.T) {
	rng := testkit.Rand(13)
	for _, c := range []struct {
		enc parquet.Encoding
		ts  []types.Type
	}{
		{parquet.Encodings.DeltaBinaryPacked, []types.Type{types.Of(types.Int), types.Of(types.BigInt), types.TimestampOf(6), types.Of(types.Date)}},
		{parquet.Encodings.DeltaLengthByteArray, []types.Type{types.String(), types.Bytes()}},
		{parquet.Encodings.DeltaByteArray, []types.Type{types.String(), types.Bytes()}},
		{parquet.Encodings.ByteStreamSplit, []types.Type{types.Of(types.Float), types.Of(types.Double), types.Of(types.Int), types.Of(types.BigInt), types.Dec(30, 2)}},
		{parquet.Encodings.RLE, []types.Type{types.Of(types.Boolean)}},
	} {
		fields := testkit.Fields(c.ts)
		for _, nulls := range []float64{0, 0.3} {
			for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
				b := testkit.RandomBatch(rng, c.ts, 4000, nulls)
				props := []parquet.WriterProperty{parquet.WithDictionaryDefault(false), parquet.WithEncoding(c.enc),
					parquet.WithDataPageVersion(version), parquet.WithDataPageSize(5000), parquet.WithVersion(parquet.V2_LATEST)}
				data := writeWithArrow(t, b, fields, props)
				got, err := readFile(data, format.ReadOptions{Fields: fields})
				if err == nil {
					err = testkit.EqualBatches(got, b)
				}
				if err != nil {
					t.Fatalf("%v, nulls %v, version %v: %v", c.enc, nulls, version, err)
				}
			}
		}
	}
}

// Other containers: INT96 for any timestamp, narrower numbers than wanted.
func TestReadOtherContainers(t *testing.T) {
	rng := testkit.Rand(14)
	written := []types.Type{types.TimestampOf(9), types.Of(types.Int), types.Of(types.Float), types.TimestampOf(6), types.Dec(9, 2)}
	b := testkit.RandomBatch(rng, written, 500, 0.1)
	for i := range b.N {
		b.Cols[0].I64[i] %= 4e12
	}
	fields := testkit.Fields(written)
	for name, props := range map[string][]pqarrow.WriterOption{"INT96": {pqarrow.WithDeprecatedInt96Timestamps(true)}, "INT64": {pqarrow.WithTruncatedTimestamps(true)}} {
		data := writeWithArrow(t, b, fields, []parquet.WriterProperty{parquet.WithVersion(parquet.V2_LATEST)}, props...)
		wanted := []types.Type{types.TimestampOf(9), types.Of(types.BigInt), types.Of(types.Double), types.TimestampOf(3), types.Dec(20, 2)}
		got, err := readFile(data, format.ReadOptions{Fields: testkit.Fields(wanted)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkContainers(t, name, got, b)
	}
}

func checkContainers(t *testing.T, name string, got, b *columnar.Batch) {
	t.Helper()
	for i := range b.N {
		for c := range b.Cols {
			g, w := got.Cols[c].Value(i), b.Cols[c].Value(i)
			switch {
			case w.Null:
			case c == 3:
				w.I, _ = floorDiv(w.I, 1000)
			case c == 4:
				w = columnar.DecimalValue(columnar.Int128{Lo: uint64(w.I), Hi: w.I >> 63})
			}
			if g != w && !(g.F != g.F && w.F != w.F) {
				t.Fatalf("%s: row %d, column %d: %+v, want %+v", name, i, c, g, w)
			}
		}
	}
}

// parquet-go finds the same values in our pages.
func TestParquetGoReadsOurs(t *testing.T) {
	rng := testkit.Rand(15)
	ts := []types.Type{types.Of(types.BigInt).WithNotNull(true), types.String(), types.Of(types.Double), types.ArrayOf(types.Of(types.Int))}
	fields := testkit.Fields(ts)
	b := testkit.RandomBatch(rng, ts, 6000, 0.1)
	data := writeFile(t, format.WriteOptions{Fields: fields}, b)
	f, err := pqgo.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	rows := pqgo.NewReader(f)
	row := make([]pqgo.Row, 1)
	for i := range b.N {
		if n, err := rows.ReadRows(row); n != 1 {
			t.Fatalf("row %d: %v", i, err)
		}
		list := 0
		for _, v := range row[0] {
			switch v.Column() {
			case 0:
				if v.Int64() != b.Cols[0].I64[i] {
					t.Fatalf("row %d: %v, want %d", i, v, b.Cols[0].I64[i])
				}
			case 1:
				if v.IsNull() != b.Cols[1].IsNull(i) || string(v.ByteArray()) != string(b.Cols[1].Bytes(i)) {
					t.Fatalf("row %d: %v, want %q", i, v, b.Cols[1].Bytes(i))
				}
			case 3:
				if v.DefinitionLevel() >= 2 {
					list++
				}
			}
		}
		if want := int(b.Cols[3].Off[i+1] - b.Cols[3].Off[i]); list != want {
			t.Fatalf("row %d: %d entries, want %d", i, list, want)
		}
	}
}

// parquetGoRow has the types whose older list forms other writers produce.
type parquetGoRow struct {
	ID    int64    `parquet:"id,delta"`
	Name  *string  `parquet:"name,optional,dict"`
	Tags  []string `parquet:"tags"`       // a repeated leaf: a list of two levels
	Marks []int32  `parquet:"marks,list"` // three levels
}

func TestReadParquetGos(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var rows []parquetGoRow
	fields := []types.Field{{Name: "marks", Type: types.ArrayOf(types.Of(types.Int))}, {Name: "id", Type: types.Of(types.BigInt)},
		{Name: "tags", Type: types.ArrayOf(types.String())}, {Name: "name", Type: types.String()}, {Name: "absent", Type: types.Of(types.Int)}}
	want := columnar.NewBatch(typesOf(fields), 0)
	for i := range 3000 {
		r := parquetGoRow{ID: int64(i * i)}
		if i%3 > 0 {
			s := string(rune('a' + i%26))
			r.Name = &s
			want.Cols[3].AppendString(s)
		} else {
			want.Cols[3].AppendNull()
		}
		for range rng.IntN(4) {
			r.Tags = append(r.Tags, "tag")
			r.Marks = append(r.Marks, int32(i))
			want.Cols[2].Children[0].AppendString("tag")
			want.Cols[0].Children[0].AppendI32(int32(i))
		}
		want.Cols[0].EndList()
		want.Cols[2].EndList()
		want.Cols[1].AppendI64(r.ID)
		want.Cols[4].AppendNull()
		rows = append(rows, r)
	}
	want.N = len(rows)
	var buf bytes.Buffer
	w := pqgo.NewGenericWriter[parquetGoRow](&buf, pqgo.PageBufferSize(4000), pqgo.DataPageVersion(2))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := readFile(buf.Bytes(), format.ReadOptions{Fields: fields, BatchRows: 100})
	if err == nil {
		err = testkit.EqualBatches(got, want)
	}
	if err != nil {
		t.Fatal(err)
	}
}
