package schema

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

func evolutionSchema(t testing.TB, name string) *Schema {
	t.Helper()
	data, ok := goldenFiles(t, "evolution")[name+".json"]
	if !ok {
		t.Fatalf("no schema %s", name)
	}
	s, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Apply makes the schemas that the reference made of the same changes.
func TestApplyAsReference(t *testing.T) {
	text := func(s string) *string { return &s }
	col := func(s string) []string { return strings.Split(s, ".") }
	for _, c := range []struct {
		from, to string
		changes  []Change
	}{
		{"columns-0", "columns-1", []Change{AddColumn{Path: col("d"), Type: typ(t, "INT")}}},
		{"columns-1", "columns-2", []Change{RenameColumn{Path: col("a"), NewName: "a1"}, AddColumn{Path: col("a"), Type: typ(t, "BIGINT"), Description: "new a", Place: &Place{Where: First}}}},
		{"columns-2", "columns-3", []Change{DropColumn{Path: col("b")}}},
		{"columns-3", "columns-4", []Change{AddColumn{Path: col("b"), Type: typ(t, "DOUBLE"), Place: &Place{Where: After, Ref: "k"}}, MoveColumn{Column: "c", Place: Place{Where: Last}}}},
		{"nested-0", "nested-1", []Change{
			AddColumn{Path: col("r.c"), Type: typ(t, "DOUBLE")}, RenameColumn{Path: col("r.a"), NewName: "a2"},
			DropColumn{Path: col("r.s.x")}, ChangeType{Path: col("r.s.y"), Type: typ(t, "BIGINT")},
		}},
		{"nested-1", "nested-2", []Change{
			AddColumn{Path: col("ar.element.n"), Type: typ(t, "INT")}, ChangeType{Path: col("ar.element.p"), Type: typ(t, "BIGINT")},
			DropColumn{Path: col("m.value.u")}, AddColumn{Path: col("m.value.u"), Type: types.String()},
		}},
		{"defaults-0", "defaults-1", []Change{SetDescription{Path: col("a"), Text: "the a"}, SetNotNull{Path: col("b")}, SetComment{"table comment"}}},
		{"defaults-1", "defaults-2", []Change{SetDefault{Path: col("a"), Text: text("9")}, AddColumn{Path: col("c"), Type: types.String()}}},
		{"defaults-2", "defaults-3", []Change{SetDefault{Path: col("c"), Text: text("dflt")}, SetOption{"snapshot.num-retained.max", "100"}}},
		{"renamed-0", "renamed-1", []Change{
			RenameColumn{Path: col("k"), NewName: "key1"}, RenameColumn{Path: col("j"), NewName: "bk"},
			RenameColumn{Path: col("s"), NewName: "seq"}, RenameColumn{Path: col("v"), NewName: "total"},
		}},
	} {
		want := evolutionSchema(t, c.to)
		got, err := evolutionSchema(t, c.from).Apply(c.changes, true, fixedNow())
		if err != nil {
			t.Errorf("%s: %v", c.to, err)
			continue
		}
		got.TimeMillis = want.TimeMillis
		if !reflect.DeepEqual(got.Fields, want.Fields) || got.HighestFieldID != want.HighestFieldID || !maps.Equal(got.Options, want.Options) ||
			!reflect.DeepEqual(got.PrimaryKeys, want.PrimaryKeys) || got.Comment != want.Comment || got.ID != want.ID {
			t.Errorf("%s:\n got %s\nwant %s", c.to, got.Encode(), want.Encode())
		}
	}
}

// The rows of the reference's table evolution/widen.
func TestEvolveWidened(t *testing.T) {
	from, to := evolutionSchema(t, "widen-0"), evolutionSchema(t, "widen-1")
	in := []string{
		"1|1|2|3|4|5|1.5|2.5|1.25|abc|2024-01-01 00:00:00.123|2024-02-29|true|7|ab|2024-01-01 00:00:00.123456",
		"2|-128|-32768|-2147483648|-4|-9223372036854775808|-1.1|1e20|-9999.99||1969-12-31 23:59:59.999|1969-12-31|false|-7||1969-12-31 23:59:59.999999",
		"3|null|null|null|null|null|null|null|null|null|null|null|null|null|null|null",
	}
	want := []string{
		"1|1|2|3|4.0|5|1.5|2.5|1.2500|abc|2024-01-01 00:00:00.123000|2024-02-29|true|7.00|ab|2024-01-01 00:00:00.123456",
		"2|-128|-32768|-2147483648|-4.0|-9223372036854775808|-1.100000023841858|1.0E20|-9999.9900||1969-12-31 23:59:59.999000|1969-12-31|false|-7.00||1969-12-31 23:59:59.999999",
		"3|null|null|null|null|null|null|null|null|null|null|null|null|null|null|null",
	}
	e, err := Evolve(from, to.Fields)
	if err != nil {
		t.Fatal(err)
	}
	b := batchOf(t, e.FileFields(), in...)
	b.Sel, b.Kinds = []uint16{0, 2}, []types.RowKind{0, 3, 0}
	got, err := e.Apply(b)
	if err != nil {
		t.Fatal(err)
	}
	if rows := rowTexts(got); !reflect.DeepEqual(rows, want) {
		t.Errorf("\n got %q\nwant %q", rows, want)
	}
	if e.same || got.N != 3 || len(got.Sel) != 2 || got.Kinds[1] != types.Delete {
		t.Error("slots, selection or kinds")
	}
	for i, c := range got.Cols {
		if !c.Type.Equal(to.Fields[i].Type) {
			t.Errorf("column %d is %s, want %s", i, c.Type, to.Fields[i].Type)
		}
	}
}

func batchOf(t testing.TB, fields []types.Field, rows ...string) *columnar.Batch {
	t.Helper()
	b := columnar.NewBatch(types.FieldTypes(fields), len(rows))
	b.N = len(rows)
	for c := range fields {
		var col []string
		for _, r := range rows {
			col = append(col, strings.Split(r, "|")[c])
		}
		b.Cols[c] = vectorOf(t, fields[c].Type, col...)
	}
	return b
}

func rowTexts(b *columnar.Batch) []string {
	out := make([]string, b.N)
	for i := range out {
		var row []string
		for _, c := range b.Cols {
			row = append(row, string(appendSlot(nil, c, i)))
		}
		out[i] = strings.Join(row, "|")
	}
	return out
}

// Columns are found by id: renamed, moved, dropped, added again under an old name.
func TestEvolveColumns(t *testing.T) {
	from := evolutionSchema(t, "columns-0") // k, a, b, c
	e, err := Evolve(from, evolutionSchema(t, "columns-4").Fields)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range e.FileFields() {
		names = append(names, f.Name)
	}
	if strings.Join(names, ",") != "k,a,c" {
		t.Errorf("file columns %v", names)
	}
	for range 2 { // the nulls are kept from call to call
		got, err := e.Apply(batchOf(t, e.FileFields(), "1|10|0.5", "2|20|null"))
		if err != nil {
			t.Fatal(err)
		}
		if rows := rowTexts(got); rows[0] != "null|1|null|10|null|0.5" || rows[1] != "null|2|null|20|null|null" {
			t.Errorf("rows %q", rows)
		}
		got.Reset() // a reader may do so with its batch
	}
	if s := e.steps[3]; s.src != 1 || s.do != keep {
		t.Errorf("source of a1: %+v", s)
	}
	if e.steps[0].do != missing {
		t.Error("the new a has a source")
	}
}

func TestEvolveIdentity(t *testing.T) {
	s := evolutionSchema(t, "nested-0")
	e, err := Evolve(s, s.Fields)
	if err != nil || !e.same {
		t.Fatalf("identity: %v", err)
	}
	b := &columnar.Batch{}
	if got, _ := e.Apply(b); got != b {
		t.Error("batch was copied")
	}
	if e, _ := Evolve(s, s.Fields[:2]); !e.same || len(e.FileFields()) != 2 {
		t.Error("a prefix of the columns is no identity")
	}
	if e, _ := Evolve(s, []types.Field{s.Fields[1], s.Fields[0]}); !e.same || e.FileFields()[0].Name != "r" {
		t.Error("other order: the file is read in the wanted order")
	}
}

func TestEvolveSystemColumns(t *testing.T) {
	from := evolutionSchema(t, "renamed-0")
	wanted := []types.Field{
		{ID: types.KeyIDOffset, Name: "_KEY_key1", Type: typ(t, "INT NOT NULL")},
		{ID: types.SequenceNumberID, Name: types.SequenceNumberName, Type: typ(t, "BIGINT NOT NULL")},
	}
	e, err := Evolve(from, wanted)
	if err != nil {
		t.Fatal(err)
	}
	if f := e.FileFields(); len(f) != 2 || f[0].Name != "_KEY_k" || f[1].Name != types.SequenceNumberName {
		t.Errorf("%v", f)
	}
}

// nestedBatch has the columns k, r, ar, m of the nested schema in its version 0:
// a full row, a row whose members are null, and a null row.
func nestedBatch(t testing.TB, fields []types.Field) *columnar.Batch {
	b := columnar.NewBatch(types.FieldTypes(fields), 3)
	b.N = 3
	for i, f := range fields {
		v := b.Cols[i]
		switch f.Name {
		case "k":
			v.AppendI32(1)
			v.AppendI32(2)
			v.AppendI32(3)
		case "r": // as far as its members are asked for
			fill(t, v, 0)
			for range 2 {
				v.AppendNull()
			}
		case "ar", "m":
			fill(t, v, 0)
			v.EndList()
			v.AppendNull()
		}
	}
	return b
}

// fill appends a slot whose numbers are 7 and texts are x, two entries a list.
func fill(t testing.TB, v *columnar.Vector, depth int) {
	switch columnar.LayoutOf(v.Type) {
	case columnar.I32:
		v.AppendI32(7)
	case columnar.I64:
		v.AppendI64(7)
	case columnar.Str:
		v.AppendString("x")
	case columnar.Struct:
		for _, c := range v.Children {
			fill(t, c, depth+1)
		}
		v.EndList()
	case columnar.List:
		for range 2 {
			for _, c := range v.Children {
				fill(t, c, depth+1)
			}
		}
		v.EndList()
	default:
		t.Fatalf("type %s", v.Type)
	}
}

func TestEvolveNested(t *testing.T) {
	from, to := evolutionSchema(t, "nested-0"), evolutionSchema(t, "nested-2")
	e, err := Evolve(from, to.Fields)
	if err != nil {
		t.Fatal(err)
	}
	if got := e.FileFields()[1].Type.String(); got != "ROW<`a` INT, `b` STRING, `s` ROW<`y` INT>>" {
		t.Errorf("members to read: %s", got)
	}
	got, err := e.Apply(nestedBatch(t, e.FileFields()))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1|{7, x, {7}, null}|[{7, x, null}, {7, x, null}]|{x -> {7, null}, x -> {7, null}}",
		"2|null|[]|{}",
		"3|null|null|null",
	}
	if rows := rowTexts(got); !reflect.DeepEqual(rows, want) {
		t.Errorf("\n got %q\nwant %q", rows, want)
	}
	if y := got.Cols[1].Children[2].Children[0]; y.Type.Kind != types.BigInt || len(y.I64) != 3 {
		t.Errorf("y is %s", y.Type)
	}
	for i, c := range got.Cols {
		if !c.Type.Equal(to.Fields[i].Type) {
			t.Errorf("column %d is %s, want %s", i, c.Type, to.Fields[i].Type)
		}
	}
}

// A ROW none of whose members is in the file still tells which rows are null.
func TestEvolveAllMembersNew(t *testing.T) {
	from := &Schema{Fields: []types.Field{{ID: 0, Name: "r", Type: types.RowOf(types.Field{ID: 1, Name: "a", Type: typ(t, "INT")}, types.Field{ID: 2, Name: "b", Type: typ(t, "INT")})}}}
	to := []types.Field{{ID: 0, Name: "r", Type: types.RowOf(types.Field{ID: 3, Name: "c", Type: types.ArrayOf(typ(t, "INT"))})}}
	e, err := Evolve(from, to)
	if err != nil || e.FileFields()[0].Type.String() != "ROW<`a` INT>" {
		t.Fatalf("%v, %v", e.FileFields(), err)
	}
	v := columnar.NewVector(e.FileFields()[0].Type, 2)
	v.Children[0].AppendI32(1)
	v.EndList()
	v.AppendNull()
	got, err := e.Apply(&columnar.Batch{N: 2, Cols: []*columnar.Vector{v}})
	if err != nil || texts(got.Cols[0]) != "{null}|null" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestEvolveErrors(t *testing.T) {
	field := func(ty types.Type) []types.Field { return []types.Field{{ID: 0, Name: "c", Type: ty}} }
	for _, c := range []struct {
		from, to types.Type
		text     string
	}{
		{typ(t, "DATE"), typ(t, "INT"), "column c under schema 4: cannot cast DATE to INT"},
		{types.MapOf(typ(t, "INT"), typ(t, "INT")), types.MapOf(typ(t, "BIGINT"), typ(t, "INT")), "keys of a MAP"},
		{types.ArrayOf(typ(t, "DATE")), types.ArrayOf(typ(t, "INT")), "cannot cast"},
	} {
		if _, err := Evolve(&Schema{ID: 4, Fields: field(c.from)}, field(c.to)); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s -> %s: %v", c.from, c.to, err)
		}
	}
	e, err := Evolve(&Schema{Fields: field(types.String())}, field(typ(t, "INT")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Apply(batchOf(t, field(types.String()), "seven")); err == nil || !strings.Contains(err.Error(), "column c: malformed value: 'seven' for INT") {
		t.Errorf("text that is no number: %v", err)
	}
}

func TestEvolveStats(t *testing.T) {
	bounds := func(lo, hi columnar.Value, nulls int64) Bounds {
		return Bounds{Min: lo, Max: hi, HasBounds: true, Nulls: nulls}
	}
	for _, c := range []struct {
		from, to string
		in       Bounds
		want     Bounds
		ok       bool
	}{
		{"INT", "INT", bounds(columnar.IntValue(1), columnar.IntValue(9), 2), bounds(columnar.IntValue(1), columnar.IntValue(9), 2), true},
		{"INT", "BIGINT", bounds(columnar.IntValue(-1), columnar.IntValue(9), 2), bounds(columnar.IntValue(-1), columnar.IntValue(9), 2), true},
		{"INT", "DECIMAL(12, 1)", bounds(columnar.IntValue(-1), columnar.IntValue(9), 0), bounds(columnar.IntValue(-10), columnar.IntValue(90), 0), true},
		{"INT", "DECIMAL(2, 1)", bounds(columnar.IntValue(-1), columnar.IntValue(99), 0), Bounds{Nulls: -1}, false},
		{"FLOAT", "DOUBLE", bounds(columnar.FloatValue(0.5), columnar.FloatValue(1.5), 0), bounds(columnar.FloatValue(0.5), columnar.FloatValue(1.5), 0), true},
		{"BIGINT", "INT", bounds(columnar.IntValue(1), columnar.IntValue(9), 2), Bounds{Nulls: 2}, true},
		{"INT", "STRING", bounds(columnar.IntValue(1), columnar.IntValue(9), 2), Bounds{Nulls: 2}, true},
		{"STRING", "INT", bounds(columnar.StringValue("1"), columnar.StringValue("9"), 2), Bounds{Nulls: -1}, false},
		{"VARCHAR(3)", "STRING", bounds(columnar.StringValue("a"), columnar.StringValue("b"), 1), bounds(columnar.StringValue("a"), columnar.StringValue("b"), 1), true},
		{"INT", "BIGINT", Bounds{Nulls: 3}, Bounds{Nulls: 3}, true},
		{"INT", "BIGINT", Bounds{Nulls: -1}, Bounds{Nulls: -1}, false},
	} {
		from := &Schema{Fields: []types.Field{{ID: 0, Name: "old", Type: typ(t, c.from)}}}
		e, err := Evolve(from, []types.Field{{ID: 0, Name: "new", Type: typ(t, c.to)}, {ID: 5, Name: "n", Type: typ(t, "INT")}})
		if err != nil {
			t.Fatal(err)
		}
		file := func(name string) (Bounds, bool) { return c.in, name == "old" }
		got, ok := e.Stats(0, 10, file)
		if got != c.want || ok != c.ok {
			t.Errorf("%s -> %s: %+v, %v", c.from, c.to, got, ok)
		}
		if got, ok := e.Stats(1, 10, file); !ok || got.HasBounds || got.Nulls != 10 {
			t.Errorf("missing column: %+v, %v", got, ok)
		}
	}
}
