package avro

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

// Our schema is that of the reference, byte for byte.
func TestSchemaIsTheReferences(t *testing.T) {
	for _, name := range []string{"atoms", "nested", "snappy"} {
		text, err := os.ReadFile(filepath.Join("testdata", name, "schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := schema.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join("testdata", name, "1.avro"))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := writeSchema(s.Fields)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), string(got)) {
			t.Errorf("%s: the reference's file does not have the schema\n%s", name, got)
		}
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	field := func(name string, typ types.Type) []types.Field { return []types.Field{{Name: name, Type: typ}} }
	i := types.Of(types.Int)
	for _, c := range []struct {
		o    format.WriteOptions
		want string
	}{
		{format.WriteOptions{Fields: field("t", types.TimestampOf(9))}, `column "t": TIMESTAMP of precision 9`},
		{format.WriteOptions{Fields: field("t", types.ArrayOf(types.LTZOf(7)))}, `column "t": TIMESTAMP WITH LOCAL TIME ZONE of precision 7`},
		{format.WriteOptions{Fields: field("t", types.Type{Kind: types.Time, Precision: 6})}, `TIME(6)`},
		{format.WriteOptions{Fields: field("g", types.Of(types.Geometry))}, `GEOMETRY`},
		{format.WriteOptions{Fields: field("a-b", i)}, `column "a-b"`},
		{format.WriteOptions{Fields: field("1a", i)}, `column "1a"`},
		{format.WriteOptions{Fields: field("r", types.RowOf(types.Field{Name: "x y", Type: i}))}, `column "x y"`},
		{format.WriteOptions{Fields: append(field("a", i), field("a", i)...)}, `"a" is there twice`},
		{format.WriteOptions{Fields: field("a", i), Compression: "gzip"}, `compression gzip`},
		{format.WriteOptions{Fields: field("a", i), Compression: "lzo"}, `lzo`},
		{format.WriteOptions{Fields: field("a", i), Extra: map[string]string{"avro.codec": "xz"}}, `avro codec xz`},
		{format.WriteOptions{Fields: field("a", i), Extra: map[string]string{"avro.codec": "fast"}}, `"fast"`},
	} {
		_, err := New(nil).NewWriter(nil, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
	for _, name := range []string{"a", "_x9", "größe", "日"} {
		if err := checkName(name); err != nil {
			t.Error(err)
		}
	}
}

// Two ROWs whose paths read the same must not share a name.
func TestRecordNamesDiffer(t *testing.T) {
	inner := types.RowOf(types.Field{Name: "x", Type: types.Of(types.Int)})
	other := types.RowOf(types.Field{Name: "y", Type: types.String()})
	text, _, err := writeSchema([]types.Field{
		{Name: "a_b", Type: inner},
		{Name: "a", Type: types.RowOf(types.Field{Name: "b", Type: other})},
		{Name: "m", Type: types.MapOf(types.Of(types.Int), inner)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := recordSchema(text); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// A data file holds records, bare or in a union with null.
func TestSchemaIsOfRecords(t *testing.T) {
	for _, text := range []string{`"int"`, `["null","int"]`, `["int","string"]`} {
		if _, _, err := recordSchema([]byte(text)); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
	if n, null, err := recordSchema([]byte(`["null",{"type":"record","name":"r","fields":[]}]`)); err != nil || null != 0 || !n.Empty {
		t.Errorf("%+v, %d, %v", n, null, err)
	}
}
