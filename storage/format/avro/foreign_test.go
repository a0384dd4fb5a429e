package avro

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/format/formattest"
	"github.com/lakesql/lakesql/storage/types"
)

// container makes a file without compression of one column "a" of the given Avro
// type, whose values are the hex bytes of one block.
func container(t *testing.T, avroType string, count int64, hexBytes string) []byte {
	t.Helper()
	body, err := hex.DecodeString(strings.ReplaceAll(hexBytes, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	schema := `{"type":"record","name":"r","fields":[{"name":"skip","type":"string"},{"name":"a","type":` + avroType + `}]}`
	out := append([]byte(magic), 1, byte(0)) // a block of -1 entries, and its size, which nobody needs
	for _, s := range []string{"avro.schema", schema} {
		out = append(binary.AppendVarint(out, int64(len(s))), s...)
	}
	out = append(out, 0)
	sync := "0123456789abcdef"
	out = append(out, sync...)
	out = binary.AppendVarint(out, count)
	out = binary.AppendVarint(out, int64(len(body)))
	return append(append(out, body...), sync...)
}

func readOne(data []byte, typ types.Type) (*columnar.Vector, error) {
	b, err := formattest.Read(New(codec.NewPool()), data, format.ReadOptions{Fields: []types.Field{{Name: "a", Type: typ}}})
	if err != nil {
		return nil, err
	}
	return b.Cols[0], nil
}

// What other writers may do: unions the other way round, other units, decimals of
// fixed size, lists in blocks with sizes. Each row begins with an empty string.
func TestForeignForms(t *testing.T) {
	null := columnar.NullValue
	i, s := columnar.IntValue, columnar.StringValue
	for _, c := range []struct {
		name, avro, data string
		typ              types.Type
		want             []columnar.Value
	}{
		{"null last", `["int","null"]`, "00 0002 00 02", types.Of(types.Int), []columnar.Value{i(1), null}},
		{"union of one", `["int"]`, "00 0002", types.Of(types.Int), []columnar.Value{i(1)}},
		{"wrapped", `{"type":{"type":"long"}}`, "00 02", types.Of(types.BigInt), []columnar.Value{i(1)}},
		{"int as long", `"int"`, "00 01", types.Of(types.BigInt), []columnar.Value{i(-1)}},
		{"float as double", `"float"`, "00 0000c03f", types.Of(types.Double), []columnar.Value{columnar.FloatValue(1.5)}},
		{"only null", `"null"`, "00 00", types.Of(types.Int), []columnar.Value{null, null}},
		{"bytes as text", `"bytes"`, "00 026b", types.String(), []columnar.Value{s("k")}},
		{"fixed", `{"type":"fixed","name":"f","size":2}`, "00 0102 00 ffff", types.Bytes(), []columnar.Value{s("\x01\x02"), s("\xff\xff")}},
		{"decimal of fixed size", `{"type":"fixed","name":"f","size":3,"logicalType":"decimal","precision":5,"scale":1}`, "00 ffffff 00 000100", types.Dec(5, 1), []columnar.Value{i(-1), i(256)}},
		{"wide decimal with extension", `{"type":"bytes","logicalType":"decimal","precision":20,"scale":0}`, "00 26 ffffffffffffffffffffffffffffffffffff80", types.Dec(20, 0), []columnar.Value{columnar.DecimalValue(columnar.Int128{Lo: ^uint64(127), Hi: -1})}},
		{"micros as millis", `{"type":"long","logicalType":"timestamp-micros"}`, "00 01 00 d00f", types.TimestampOf(3), []columnar.Value{i(-1), i(1)}},
		{"millis as micros", `{"type":"long","logicalType":"local-timestamp-millis"}`, "00 01", types.TimestampOf(6), []columnar.Value{i(-1000)}},
		{"millis as nanos", `{"type":"long","logicalType":"timestamp-millis"}`, "00 01", types.TimestampOf(9), []columnar.Value{columnar.Time96Value(-1, 0)}},
		{"micros as nanos", `{"type":"long","logicalType":"timestamp-micros"}`, "00 01", types.LTZOf(9), []columnar.Value{columnar.Time96Value(-1, 999000)}},
		{"nanos", `{"type":"long","logicalType":"timestamp-nanos"}`, "00 01", types.LTZOf(9), []columnar.Value{columnar.Time96Value(-1, 999999)}},
	} {
		v, err := readOne(container(t, c.avro, int64(len(c.want)), c.data), c.typ)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for k, want := range c.want {
			if got := v.Value(k); columnar.Compare(c.typ, got, want) != 0 {
				t.Errorf("%s, row %d: got %+v, want %+v", c.name, k, got, want)
			}
		}
	}
}

func TestForeignLists(t *testing.T) {
	ints := types.ArrayOf(types.Of(types.Int))
	// Two blocks, the first with its size.
	v, err := readOne(container(t, `{"type":"array","items":"int"}`, 1, "00 03 04 0204 02 06 00"), ints)
	if err != nil || v.Off[1] != 3 || v.Children[0].I32[2] != 3 {
		t.Errorf("array in blocks: %+v, %v", v, err)
	}
	// A map with text keys as records, and value before key.
	entry := `{"type":"array","items":{"type":"record","name":"e","fields":[{"name":"value","type":["null","int"]},{"name":"key","type":["null","string"]}]}}`
	m := types.MapOf(types.String().WithNotNull(true), types.Of(types.Int))
	v, err = readOne(container(t, entry, 1, "00 02 02 0a 02 026b 00"), m)
	if err != nil || string(v.Children[0].Bytes(0)) != "k" || v.Children[1].I32[0] != 5 {
		t.Errorf("map of records: %+v, %v", v, err)
	}
	if _, err := readOne(container(t, entry, 1, "00 02 02 0a 00 00"), m); !errors.Is(err, corrupt.Err) {
		t.Errorf("null key: %v", err)
	}
	multiset := types.MultisetOf(types.String())
	if _, err := readOne(container(t, `{"type":"map","values":["null","int"]}`, 1, "00 02 026b 00 00"), multiset); !errors.Is(err, corrupt.Err) {
		t.Errorf("null count of a multiset: %v", err)
	}
	vector := types.Type{Kind: types.Vector, Length: 2, Elem: &types.Type{Kind: types.Float, NotNull: true}}
	floats := `{"type":"array","items":"float"}`
	v, err = readOne(container(t, floats, 1, "00 04 0000803f 00000040 00"), vector)
	if err != nil || v.Children[0].F32[1] != 2 {
		t.Errorf("vector: %+v, %v", v, err)
	}
	if _, err := readOne(container(t, floats, 1, "00 02 0000803f 00"), vector); !errors.Is(err, corrupt.Err) {
		t.Errorf("short vector: %v", err)
	}
}

func TestDamage(t *testing.T) {
	typ := types.Of(types.Int)
	good := container(t, `"int"`, 2, "00 02 00 04")
	if _, err := readOne(good, typ); err != nil {
		t.Fatal(err)
	}
	change := func(fn func([]byte) []byte) []byte { return fn(bytes.Clone(good)) }
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "magic"},
		{"magic", change(func(b []byte) []byte { b[3] = 2; return b }), "magic"},
		{"sync", change(func(b []byte) []byte { b[len(b)-1]++; return b }), "sync marker differs"},
		{"more records", container(t, `"int"`, 3, "00 02 00 04"), "block of 3 records"},
		{"record cut off", container(t, `"int"`, 2, "00 02 02 6b"), "cut off"},
		{"many records", container(t, `"int"`, 1<<40, "00 02 00 04"), "block of 1099511627776 records"},
		{"fewer records", container(t, `"int"`, 1, "00 02 00 04"), "2 bytes behind the last record"},
		{"no records", container(t, `"int"`, 0, "00 02"), "block of no records"},
		{"negative count", container(t, `"int"`, -2, "00 02"), "block of -2 records"},
		{"tinyint", container(t, `"int"`, 1, "00 8002"), ""},
		{"other type", container(t, `"string"`, 1, "00 00"), "file has type string"},
		{"union of three", container(t, `["null","int","long"]`, 1, "00 00"), "union of 3 types"},
		{"branch", container(t, `["null","int"]`, 1, "00 04 02"), "branch 2"},
		{"string length", container(t, `"int"`, 1, "7f 02"), "string of -64 bytes"},
		{"long string", container(t, `"int"`, 1, "ffff03 02"), "in"},
		{"65 bits", container(t, `"int"`, 1, "00 ffffffffffffffffff03"), "more than 64 bits"},
		{"33 bits", container(t, `"int"`, 1, "00 ffffffffff01"), "outside its type"},
	} {
		want := typ
		if c.name == "tinyint" {
			want, c.want = types.Of(types.TinyInt), "outside its type"
		}
		_, err := readOne(c.data, want)
		if !errors.Is(err, corrupt.Err) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "test.avro") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := readOne(container(t, `"int"`, 1, "00 02"), types.ArrayOf(typ)); err == nil {
		t.Error("int was read as an array")
	}
	// Rows that nobody wants a column of are counted.
	r, err := New(codec.NewPool()).Open(context.Background(), formattest.File(good), "x", format.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := r.Next(context.Background()); err != nil || b.N != 2 {
		t.Errorf("count: %+v, %v", b, err)
	}
}

func TestSnappyChecksum(t *testing.T) {
	f := New(codec.NewPool())
	fields := []types.Field{{Name: "a", Type: types.String()}}
	b := columnar.NewBatch(types.FieldTypes(fields), 1)
	b.Cols[0].AppendString("some text that is long enough to be found in the file")
	b.N = 1
	data, err := formattest.Write(f, format.WriteOptions{Fields: fields, Compression: "snappy"}, b)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte("found in"))
	if at < 0 {
		t.Fatal("text is not stored as it is")
	}
	data[at] = 'F'
	if _, err := formattest.Read(f, data, format.ReadOptions{Fields: fields}); !errors.Is(err, corrupt.Err) || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("changed byte: %v", err)
	}
}

func benchColumns() ([]types.Field, *columnar.Batch) {
	fields := []types.Field{
		{Name: "k", Type: types.Of(types.BigInt).WithNotNull(true)}, {Name: "i", Type: types.Of(types.Int)},
		{Name: "s", Type: types.String()}, {Name: "d", Type: types.Dec(18, 2)}, {Name: "t", Type: types.TimestampOf(6)},
		{Name: "f", Type: types.Of(types.Double)},
	}
	b := columnar.NewBatch(types.FieldTypes(fields), columnar.BatchRows)
	for i := range columnar.BatchRows {
		b.Cols[0].AppendI64(int64(i) * 7919)
		b.Cols[1].AppendI32(int32(i % 100))
		b.Cols[2].AppendString("customer " + string(rune('a'+i%26)))
		b.Cols[3].AppendI64(int64(i) * 13)
		b.Cols[4].AppendI64(1_700_000_000_000_000 + int64(i))
		b.Cols[5].AppendF64(float64(i) / 3)
	}
	b.N = columnar.BatchRows
	return fields, b
}

func BenchmarkWrite(b *testing.B) {
	fields, batch := benchColumns()
	f := New(codec.NewPool())
	for _, c := range []string{"none", "zstd"} {
		b.Run(c, func(b *testing.B) {
			var out bytes.Buffer
			b.ReportAllocs()
			w, err := f.NewWriter(&out, format.WriteOptions{Fields: fields, Compression: c})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				out.Reset()
				if err := w.Write(batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(batch.N), "ns/row")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	fields, batch := benchColumns()
	f := New(codec.NewPool())
	ctx := context.Background()
	for _, c := range []string{"none", "zstd"} {
		b.Run(c, func(b *testing.B) {
			data, err := formattest.Write(f, format.WriteOptions{Fields: fields, Compression: c}, batch, batch, batch, batch)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			rows := 0
			for b.Loop() {
				r, err := f.Open(ctx, formattest.File(data), "bench", format.ReadOptions{Fields: fields})
				if err != nil {
					b.Fatal(err)
				}
				for {
					x, err := r.Next(ctx)
					if err != nil {
						break
					}
					rows += x.N
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
		})
	}
}
