package schema

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/types"
)

func show(s *Schema) string {
	var out []string
	for _, f := range s.Fields {
		text := fmt.Sprintf("%d:%s %s", f.ID, f.Name, f.Type)
		if f.Default != nil {
			text += "=" + *f.Default
		}
		if f.Description != "" {
			text += "(" + f.Description + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// evolving is a partitioned table with a nested column.
func evolving(t testing.TB, opts ...string) *Schema {
	d := Definition{
		Fields:        columns(t, "k INT", "p STRING", "v INT", "w STRING"),
		PartitionKeys: []string{"p"},
		PrimaryKeys:   []string{"k", "p"},
		Options:       map[string]string{"bucket": "2"},
	}
	row := types.RowOf(types.Field{Name: "a", Type: typ(t, "INT")}, types.Field{Name: "b", Type: typ(t, "STRING")})
	d.Fields = append(d.Fields, types.Field{Name: "r", Type: row}, types.Field{Name: "m", Type: types.MapOf(types.String(), types.ArrayOf(typ(t, "INT")))})
	for i := 0; i < len(opts); i += 2 {
		d.Options[opts[i]] = opts[i+1]
	}
	return define(t, d)
}

const evolvingText = "0:k INT NOT NULL, 1:p STRING NOT NULL, 2:v INT, 3:w STRING, 4:r ROW<`a` INT, `b` STRING>, 7:m MAP<STRING, ARRAY<INT>>"

func TestApply(t *testing.T) {
	text := func(s string) *string { return &s }
	col := func(s string) []string { return strings.Split(s, ".") }
	for _, c := range []struct {
		name    string
		changes []Change
		want    string // replaces part of evolvingText: from -> to, several with ;
	}{
		{"add last", []Change{AddColumn{Path: col("n"), Type: typ(t, "BIGINT"), Description: "new", Default: text("5")}}, "ARRAY<INT>> -> ARRAY<INT>>, 8:n BIGINT=5(new)"},
		{"add first", []Change{AddColumn{Path: col("n"), Type: typ(t, "BIGINT"), Place: &Place{Where: First}}}, "0:k -> 8:n BIGINT, 0:k"},
		{"add after", []Change{AddColumn{Path: col("n"), Type: typ(t, "BIGINT"), Place: &Place{Where: After, Ref: "K"}}}, "1:p -> 8:n BIGINT, 1:p"},
		{"add before", []Change{AddColumn{Path: col("n"), Type: typ(t, "BIGINT"), Place: &Place{Where: Before, Ref: "k"}}}, "0:k -> 8:n BIGINT, 0:k"},
		{"add member", []Change{AddColumn{Path: col("r.c"), Type: typ(t, "INT"), Place: &Place{Where: First}}}, "<`a` -> <`c` INT, `a`"},
		{"two adds", []Change{AddColumn{Path: col("n"), Type: typ(t, "INT")}, AddColumn{Path: col("o"), Type: typ(t, "INT")}}, "ARRAY<INT>> -> ARRAY<INT>>, 8:n INT, 9:o INT"},
		{"rename", []Change{RenameColumn{Path: col("V"), NewName: "x"}}, "2:v -> 2:x"},
		{"rename case", []Change{RenameColumn{Path: col("v"), NewName: "V"}}, "2:v -> 2:V"},
		{"rename key", []Change{RenameColumn{Path: col("k"), NewName: "key"}}, "0:k -> 0:key"},
		{"rename member", []Change{RenameColumn{Path: col("r.a"), NewName: "z"}}, "`a` -> `z`"},
		{"swap names", []Change{RenameColumn{Path: col("v"), NewName: "t"}, RenameColumn{Path: col("w"), NewName: "v"}, RenameColumn{Path: col("t"), NewName: "w"}}, "2:v -> 2:w; 3:w -> 3:v"},
		{"drop", []Change{DropColumn{Path: col("v")}}, "2:v INT,  -> "},
		{"drop and add", []Change{DropColumn{Path: col("v")}, AddColumn{Path: col("v"), Type: typ(t, "INT")}}, "2:v INT,  -> ; ARRAY<INT>> -> ARRAY<INT>>, 8:v INT"},
		{"drop member", []Change{DropColumn{Path: col("r.a")}}, "`a` INT,  -> "},
		{"type", []Change{ChangeType{Path: col("v"), Type: typ(t, "BIGINT")}}, "v INT -> v BIGINT"},
		{"narrower type", []Change{ChangeType{Path: col("v"), Type: typ(t, "TINYINT")}}, "v INT -> v TINYINT"},
		{"type of member", []Change{ChangeType{Path: col("r.a"), Type: typ(t, "BIGINT")}}, "`a` INT -> `a` BIGINT"},
		{"type of element", []Change{ChangeType{Path: col("m.value.element"), Type: typ(t, "BIGINT")}}, "ARRAY<INT> -> ARRAY<BIGINT>"},
		{"comment", []Change{SetDescription{Path: col("v"), Text: "hi"}, SetDescription{Path: col("r.a"), Text: "deep"}}, "v INT -> v INT(hi); `a` INT -> `a` INT COMMENT 'deep'"},
		{"default", []Change{SetDefault{Path: col("v"), Text: text("3")}}, "v INT -> v INT=3"},
		{"move first", []Change{MoveColumn{Column: "v", Place: Place{Where: First}}}, "0:k -> 2:v INT, 0:k; 2:v INT, 3:w -> 3:w"},
		{"move after", []Change{MoveColumn{Column: "k", Place: Place{Where: After, Ref: "p"}}}, "0:k INT NOT NULL, 1:p STRING NOT NULL -> 1:p STRING NOT NULL, 0:k INT NOT NULL"},
		{"move before", []Change{MoveColumn{Column: "w", Place: Place{Where: Before, Ref: "v"}}}, "2:v INT, 3:w STRING -> 3:w STRING, 2:v INT"},
	} {
		base := evolving(t)
		if show(base) != evolvingText {
			t.Fatalf("base: %s", show(base))
		}
		got, err := base.Apply(c.changes, true, fixedNow())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		want := evolvingText
		for _, r := range strings.Split(c.want, "; ") {
			from, to, _ := strings.Cut(r, " -> ")
			if !strings.Contains(want, from) {
				t.Fatalf("%s: %q is not in %s", c.name, from, want)
			}
			want = strings.Replace(want, from, to, 1)
		}
		if show(got) != want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, show(got), want)
		}
		if got.ID != 1 || got.Version != Version || show(base) != evolvingText {
			t.Errorf("%s: id %d, base now %s", c.name, got.ID, show(base))
		}
		if _, err := Decode(got.Encode()); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestApplyRefuses(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		change Change
		kind   error
		text   string
	}{
		{AddColumn{Path: []string{"n"}, Type: typ(t, "INT NOT NULL")}, ErrInvalid, "NOT NULL"},
		{AddColumn{Path: []string{"V"}, Type: typ(t, "INT")}, ErrColumnExists, "'V' exists"},
		{AddColumn{Path: []string{"_KEY_x"}, Type: typ(t, "INT")}, ErrInvalid, "reserved"},
		{AddColumn{Path: []string{"zz", "a"}, Type: typ(t, "INT")}, ErrColumnNotFound, "'zz'"},
		{AddColumn{Path: []string{"v", "a"}, Type: typ(t, "INT")}, ErrColumnNotFound, "'v.a'"},
		{AddColumn{Path: []string{"n"}, Type: typ(t, "INT"), Place: &Place{Where: After, Ref: "zz"}}, ErrColumnNotFound, "'zz'"},
		{AddColumn{Path: []string{"n"}, Type: typ(t, "INT"), Default: text("x")}, ErrInvalid, "default"},
		{AddColumn{Path: []string{"n"}, Type: types.Of(types.Blob)}, options.ErrUnsupported, "BLOB"},
		{RenameColumn{Path: []string{"p"}, NewName: "q"}, ErrRefused, "partition column 'p'"},
		{RenameColumn{Path: []string{"v"}, NewName: "W"}, ErrColumnExists, "'W'"},
		{RenameColumn{Path: []string{"zz"}, NewName: "x"}, ErrColumnNotFound, "'zz'"},
		{DropColumn{Path: []string{"k"}}, ErrRefused, "primary key"},
		{DropColumn{Path: []string{"p"}}, ErrRefused, "partition key"},
		{DropColumn{Path: []string{"zz"}}, ErrColumnNotFound, "'zz'"},
		{ChangeType{Path: []string{"k"}, Type: typ(t, "BIGINT")}, ErrRefused, "primary key"},
		{ChangeType{Path: []string{"p"}, Type: typ(t, "STRING")}, ErrRefused, "partition"},
		{ChangeType{Path: []string{"v"}, Type: typ(t, "DATE")}, ErrRefused, "v[INT] cannot be converted to DATE"},
		{ChangeType{Path: []string{"v"}, Type: typ(t, "BIGINT NOT NULL")}, ErrRefused, "alter-column-null-to-not-null.disabled"},
		{ChangeType{Path: []string{"m"}, Type: types.MapOf(types.String(), typ(t, "INT"))}, ErrRefused, "cannot be converted"},
		{SetNotNull{Path: []string{"k"}}, ErrRefused, "nullability of primary key"},
		{SetNotNull{Path: []string{"v"}, NotNull: true}, ErrRefused, "alter-column-null-to-not-null.disabled"},
		{SetDefault{Path: []string{"v"}, Text: text("abc")}, ErrInvalid, "default value for column 'v'"},
		{SetDefault{Path: []string{"m"}, Text: text("{}")}, options.ErrUnsupported, "default value of type MAP"},
		{MoveColumn{Column: "v", Place: Place{Where: After, Ref: "v"}}, ErrRefused, "itself"},
		{MoveColumn{Column: "zz"}, ErrColumnNotFound, "'zz'"},
		{DropPrimaryKey{}, ErrRefused, "non-empty"},
		{SetOption{"bucket", "-1"}, ErrRefused, "to -1"},
		{SetOption{"bucket-key", "k"}, ErrRefused, "'bucket-key'"},
		{SetOption{"merge-engine", "aggregation"}, options.ErrUnsupported, "merge-engine"},
		{SetOption{"type", "format-table"}, options.ErrUnsupported, "format-table"},
		{SetOption{"path", "/x"}, ErrRefused, "path"},
		{SetOption{"bukket", "3"}, options.ErrUnknown, "did you mean 'bucket'"},
		{SetOption{"primary-key", "k"}, ErrRefused, "primary-key"},
		{RemoveOption{"bucket"}, ErrRefused, "cannot reset bucket"},
		{RemoveOption{"bukket"}, options.ErrUnknown, "did you mean 'bucket'"},
		{SetOption{"ignore-delete", "false"}, ErrRefused, "from true to false"},
		{RemoveOption{"ignore-delete"}, ErrRefused, "from true to false"},
		{SetOption{"snapshot.num-retained.min", "20"}, options.ErrConflict, "should not be larger"},
	} {
		base := evolving(t, "ignore-delete", "true", "snapshot.num-retained.max", "12")
		before := string(base.Encode())
		_, err := base.Apply([]Change{c.change}, true, fixedNow())
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%T%+v: %v", c.change, c.change, err)
		}
		if string(base.Encode()) != before {
			t.Errorf("%T%+v changed the base", c.change, c.change)
		}
	}
}

func TestApplyOptions(t *testing.T) {
	base := evolving(t)
	for _, c := range []struct {
		name        string
		hasSnapshot bool
		changes     []Change
		want        map[string]string
		ok          bool
	}{
		{"set", true, []Change{SetOption{"target-file-size", "64 mb"}}, map[string]string{"bucket": "2", "target-file-size": "64 mb"}, true},
		{"reset", true, []Change{SetOption{"target-file-size", "64 mb"}, RemoveOption{"target-file-size"}}, map[string]string{"bucket": "2"}, true},
		{"rescale", true, []Change{SetOption{"bucket", "5"}}, map[string]string{"bucket": "5"}, true},
		{"immutable, empty table", false, []Change{SetOption{"bucket-key", "k"}}, map[string]string{"bucket": "2", "bucket-key": "k"}, true},
		{"names as the columns have them", false, []Change{SetOption{"bucket-key", " K "}, SetOption{"sequence.field", "V, w"}}, map[string]string{"bucket": "2", "bucket-key": "k", "sequence.field": "v,w"}, true},
		{"bucket to dynamic, empty table", false, []Change{SetOption{"bucket", "-1"}}, map[string]string{"bucket": "-1"}, true},
		{"keys said again", true, []Change{SetOption{"primary-key", "k , p"}, SetOption{"partition", "p"}, SetOption{"type", "TABLE"}}, map[string]string{"bucket": "2"}, true},
		{"remove what is not there", true, []Change{RemoveOption{"write-only"}}, map[string]string{"bucket": "2"}, true},
		{"deletion vectors", true, []Change{SetOption{"deletion-vectors.enabled", "true"}}, nil, false},
	} {
		got, err := base.Apply(c.changes, c.hasSnapshot, fixedNow())
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.ok && !reflect.DeepEqual(got.Options, c.want) {
			t.Errorf("%s: %v", c.name, got.Options)
		}
	}
	old := *base
	old.Options = map[string]string{"bucket": "2", "partial-update.ignore-delete": "true"}
	for _, c := range []Change{SetOption{"ignore-delete", "false"}, RemoveOption{"partial-update.ignore-delete"}} {
		if _, err := old.Apply([]Change{c}, true, fixedNow()); !errors.Is(err, ErrRefused) {
			t.Errorf("ignore-delete under an older name, %v: %v", c, err)
		}
	}
	dynamic := evolving(t, "bucket", "-1")
	if _, err := dynamic.Apply([]Change{SetOption{"bucket", "4"}}, true, fixedNow()); !errors.Is(err, ErrRefused) {
		t.Errorf("bucket from -1: %v", err)
	}
	if got, err := base.Apply([]Change{SetComment{"hello"}, DropPrimaryKey{}, SetOption{"bucket", "-1"}}, false, fixedNow()); err != nil || got.Comment != "hello" || got.HasPrimaryKey() {
		t.Errorf("comment and dropped key: %v, %v", got, err)
	}
	if got, err := base.Apply(nil, true, fixedNow()); err != nil || got != base {
		t.Errorf("no change: %v", err)
	}
}

func TestRenameInOptions(t *testing.T) {
	opts := map[string]string{
		"bucket-key": "a,b", "sequence.field": "x, a", "fields.a.stats-mode": "none", "fields.b.stats-mode": "full", "rowkind.field": "a",
		"fields.g,a.sequence-group": "b,a", "file-index.bloom-filter.columns": "a,c", "target-file-size": "1 mb", "comment": "a",
	}
	want := map[string]string{
		"bucket-key": "z,b", "sequence.field": "x,z", "fields.z.stats-mode": "none", "fields.b.stats-mode": "full", "rowkind.field": "z",
		"fields.g,z.sequence-group": "b,z", "file-index.bloom-filter.columns": "z,c", "target-file-size": "1 mb", "comment": "a",
	}
	want["sequence.field"] = "x,z"
	got := renameInOptions(opts, "a", "z")
	if got["sequence.field"] = strings.ReplaceAll(got["sequence.field"], " ", ""); !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %v\nwant %v", got, want)
	}
}

func TestAddColumnBeforePartition(t *testing.T) {
	s := evolving(t, "add-column-before-partition", "true")
	got, err := s.Apply([]Change{AddColumn{Path: []string{"n"}, Type: typ(t, "INT")}}, true, fixedNow())
	if err != nil || got.Fields[1].Name != "n" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestNullability(t *testing.T) {
	s := evolving(t, "alter-column-null-to-not-null.disabled", "false")
	got, err := s.Apply([]Change{SetNotNull{Path: []string{"v"}, NotNull: true}}, true, fixedNow())
	if err != nil || !got.Fields[2].Type.NotNull {
		t.Fatalf("%v, %v", got, err)
	}
	if got, err = got.Apply([]Change{ChangeType{Path: []string{"v"}, Type: typ(t, "BIGINT"), KeepNull: true}}, true, fixedNow()); err != nil || got.Fields[2].Type.String() != "BIGINT NOT NULL" {
		t.Errorf("%v, %v", got, err)
	}
}
