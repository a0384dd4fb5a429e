package avroschema

import (
	"strings"
	"testing"
)

// The least bytes of a value follow from its parts, and names from the space around.
func TestParse(t *testing.T) {
	n, err := Parse([]byte(`{"type":"record","name":"r","namespace":"a.b","fields":[
		{"name":"x","type":["null","double"]}, {"name":"f","type":{"type":"fixed","name":"four","size":4}},
		{"name":"again","type":"four"}, {"name":"full","type":"a.b.four"}, {"name":"none","type":"null"},
		{"name":"d","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if n.Kind != Record || n.MinBytes != 1+4+4+4+0+1 || n.Empty || len(n.Fields) != 6 {
		t.Fatalf("%+v", n)
	}
	if n.Fields[1].Type != n.Fields[2].Type || n.Fields[1].Type != n.Fields[3].Type || !n.Fields[4].Type.Empty {
		t.Error("a named type is not shared")
	}
	if d := n.Fields[5].Type; d.Kind != Bytes || d.Logical != "decimal" || d.Precision != 9 || d.Scale != 2 {
		t.Errorf("%+v", d)
	}
	if n.Find("d") != 5 || n.Find("e") != -1 {
		t.Error("Find")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"type":"record","name":"r","fields":[{"name":"a","type":["null",{"type":"array","items":"long"}]}]}`))
	f.Add([]byte(`{"type":"map","values":{"type":"enum","name":"e","symbols":["A"]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if n, err := Parse(text); err == nil && n.MinBytes < 0 {
			t.Fatalf("%+v", n)
		}
	})
}

func TestParseRefuses(t *testing.T) {
	record := func(fields string) string { return `{"type":"record","name":"r","fields":[` + fields + `]}` }
	deep := strings.Repeat(`{"type":"array","items":`, 200) + `"int"` + strings.Repeat(`}`, 200)
	for _, c := range []struct{ text, want string }{
		{`{`, "not JSON"},
		{`{"type":"record","fields":[]}`, "without a name"},
		{`{"type":"record","name":"r"}`, "without fields"},
		{record(`{"name":"a"}`), "where a type is wanted"},
		{record(`{"type":"int"}`), "without a name of its own"},
		{record(`{"name":"a","type":"int"},{"name":"a","type":"int"}`), "without a name of its own"},
		{record(`{"name":"a","type":"uuid"}`), `"uuid", which is not defined`},
		{record(`{"name":"a","type":"r"}`), "inside itself"},
		{record(`{"name":"a","type":["null","r"]}`), "inside itself"},
		{record(`{"name":"a","type":[]}`), "union of nothing"},
		{record(`{"name":"a","type":["null",["int"]]}`), "directly inside a union"},
		{record(`{"name":"a","type":{"type":"fixed","name":"f","size":-1}}`), "of size -1"},
		{record(`{"name":"a","type":{"type":"enum","name":"e","symbols":[]}}`), "without symbols"},
		{record(`{"name":"a","type":` + record("") + `}`), "twice"},
		{record(`{"name":"a","type":` + deep + `}`), "deeper than"},
	} {
		if _, err := Parse([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}
