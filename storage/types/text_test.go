package types

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestParseText(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"BOOLEAN", ""}, {"TINYINT", ""}, {"SMALLINT", ""}, {"INT", ""}, {"BIGINT", ""},
		{"FLOAT", ""}, {"DOUBLE", ""}, {"DATE", ""}, {"VARIANT", ""}, {"BLOB", ""},
		{"STRING", ""}, {"BYTES", ""}, {"INT NOT NULL", ""}, {"STRING NOT NULL", ""},
		{"CHAR", "CHAR(1)"}, {"VARCHAR", "VARCHAR(1)"}, {"BINARY", "BINARY(1)"}, {"VARBINARY", "VARBINARY(1)"},
		{"CHAR(7)", ""}, {"VARCHAR(20)", ""}, {"VARCHAR(2147483647)", "STRING"}, {"VARBINARY(2147483647)", "BYTES"},
		{"char varying(4)", "VARCHAR(4)"}, {"binary varying(4)", "VARBINARY(4)"},
		{"DECIMAL", "DECIMAL(10, 0)"}, {"DECIMAL(5)", "DECIMAL(5, 0)"}, {"dec(38,38)", "DECIMAL(38, 38)"},
		{"NUMERIC(10, 2) NOT NULL", "DECIMAL(10, 2) NOT NULL"},
		{"TIME", "TIME(0)"}, {"TIME(3)", ""}, {"TIME(3) WITHOUT TIME ZONE", "TIME(3)"},
		{"TIMESTAMP", "TIMESTAMP(6)"}, {"TIMESTAMP(9) NOT NULL", ""},
		{"timestamp(3) without time zone", "TIMESTAMP(3)"},
		{"TIMESTAMP(3) WITH LOCAL TIME ZONE", ""}, {"TIMESTAMP_LTZ", "TIMESTAMP(6) WITH LOCAL TIME ZONE"},
		{"INTEGER NULL", "INT"}, {"double  precision", "DOUBLE"},
		{"INT ARRAY", "ARRAY<INT>"}, {"INT NOT NULL MULTISET NOT NULL", "MULTISET<INT NOT NULL> NOT NULL"},
		{"VECTOR<FLOAT, 3>", ""}, {"VECTOR<DOUBLE NOT NULL, 12> NOT NULL", ""},
		{"GEOMETRY", "GEOMETRY(OGC:CRS84)"}, {"GEOMETRY('EPSG 1')", ""}, {"GEOMETRY('4326')", ""},
		{"GEOGRAPHY", "GEOGRAPHY(OGC:CRS84, spherical)"}, {"GEOGRAPHY('a''b', KARNEY)", "GEOGRAPHY('a''b', karney)"},
	} {
		want := c.out
		if want == "" {
			want = c.in
		}
		got, err := Parse(c.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.in, err)
		} else if got.String() != want {
			t.Errorf("Parse(%q) = %s, want %s", c.in, got, want)
		}
	}
	for _, bad := range []string{
		"", "REAL", "INT INT", "INT(3)", "CHAR(0)", "CHAR(", "CHAR()", "CHAR(99999999999)", "DECIMAL(39)",
		"DECIMAL(3, 4)", "TIMESTAMP(10)", "ARRAY<INT>", "MAP<INT, INT>", "VECTOR<STRING, 3>", "VECTOR<INT, 0>",
		"VECTOR<INT", "GEOMETRY('x", "GEOMETRY('')", "GEOGRAPHY(a, b)", "NOT NULL", "INT NOT", "(", "'INT'",
		strings.Repeat("VECTOR<", 1000),
	} {
		if got, err := Parse(bad); err == nil {
			t.Errorf("Parse(%q) = %s, want an error", bad, got)
		}
	}
}

func nestedFields() []Field {
	def := "it's 5 < 6"
	row := RowOf(
		Field{ID: 2, Name: "a", Type: Of(Int), Description: "x & 'y'"},
		Field{ID: 5, Name: "b`c", Type: ArrayOf(RowOf(Field{ID: 4, Name: "z", Type: String().WithNotNull(true)})), Default: &def},
	).WithNotNull(true)
	return []Field{
		{ID: 0, Name: "k", Type: Of(BigInt).WithNotNull(true)},
		{ID: 1, Name: "r", Type: row},
		{ID: 6, Name: "m", Type: MapOf(String(), MultisetOf(Dec(20, 3)))},
		{ID: 7, Name: "v", Type: Type{Kind: Vector, Length: 3, Elem: &Type{Kind: Float}}},
	}
}

func TestJSON(t *testing.T) {
	fields := nestedFields()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(fields); err != nil {
		t.Fatal(err)
	}
	want := `[{"id":0,"name":"k","type":"BIGINT NOT NULL"},` +
		`{"id":1,"name":"r","type":{"type":"ROW NOT NULL","fields":[{"id":2,"name":"a","type":"INT","description":"x & 'y'"},` +
		"{\"id\":5,\"name\":\"b`c\",\"type\":" + `{"type":"ARRAY","element":{"type":"ROW","fields":[{"id":4,"name":"z","type":"STRING NOT NULL"}]}},"defaultValue":"it's 5 < 6"}]}},` +
		`{"id":6,"name":"m","type":{"type":"MAP","key":"STRING","value":{"type":"MULTISET","element":"DECIMAL(20, 3)"}}},` +
		`{"id":7,"name":"v","type":{"type":"VECTOR","element":"FLOAT","length":3}}]`
	if got := strings.TrimSpace(b.String()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var back []Field
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if !RowOf(back...).Equal(RowOf(fields...)) {
		t.Errorf("read back %v", back)
	}
	if got, want := RowOf(fields[1]).String(), "ROW<`r` ROW<`a` INT COMMENT 'x & ''y''', `b``c` ARRAY<ROW<`z` STRING NOT NULL>> DEFAULT it's 5 < 6> NOT NULL>"; got != want {
		t.Errorf("text %s\nwant %s", got, want)
	}
	for _, bad := range []string{
		`{}`, `5`, `{"type":"ARRAY"}`, `{"type":"MAP","key":"INT"}`, `{"type":"ROW"}`, `{"type":"X","element":"INT"}`,
		`{"type":"ROW","fields":[{"name":"a","type":"INT"}]}`, `{"type":"ROW","fields":[{"id":1,"type":"INT"}]}`,
		`{"type":"VECTOR","element":"STRING","length":2}`, `{"type":"VECTOR","element":"INT"}`, `"ARRAY<INT>"`,
		`{"type":"ROW","fields":[{"id":1.5,"name":"a","type":"INT"}]}`,
	} {
		var x Type
		if err := json.Unmarshal([]byte(bad), &x); err == nil {
			t.Errorf("%s gave %s, want an error", bad, x)
		}
	}
}

func TestWalkOrderIsIDOrder(t *testing.T) {
	var names []string
	for _, f := range nestedFields() {
		f.Type.Walk(func(f *Field) { names = append(names, f.Name) })
	}
	if got := strings.Join(names, " "); got != "a z b`c" {
		t.Errorf("walked %s", got)
	}
	if got := MaxFieldID(nestedFields()); got != 7 {
		t.Errorf("max id %d", got)
	}
	if got := MaxFieldID([]Field{{ID: RowKindID}}); got != -1 {
		t.Errorf("max id of system fields %d", got)
	}
	a := nestedFields()[1].Type
	c := a.Clone()
	c.Walk(func(f *Field) { f.ID = 99 })
	if !a.Equal(nestedFields()[1].Type) {
		t.Error("clone shares fields")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"INT NOT NULL", "DECIMAL(10, 2)", "TIMESTAMP(3) WITH LOCAL TIME ZONE", "VECTOR<FLOAT, 3>",
		"GEOGRAPHY('a''b', karney)", "CHAR(5) ARRAY NOT NULL"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := Parse(s)
		if err != nil || got.Kind == Array || got.Kind == Multiset {
			return
		}
		again, err := Parse(got.String())
		if err != nil || !again.Equal(got) {
			t.Fatalf("%q prints as %s, read as %s, %v", s, got, again, err)
		}
	})
}

func FuzzJSON(f *testing.F) {
	b, err := json.Marshal(RowOf(nestedFields()...))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"type":"MAP NOT NULL","key":"INT","value":"STRING"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var a, b Type
		if json.Unmarshal(data, &a) != nil {
			return
		}
		out, err := json.Marshal(a)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if err := json.Unmarshal(out, &b); err != nil || !a.Equal(b) {
			t.Fatalf("%s wrote %s, read %v, %v", data, out, b, err)
		}
	})
}
