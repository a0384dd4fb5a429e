package schema

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/types"
)

// columns makes fields from "name TYPE" texts.
func columns(t testing.TB, defs ...string) []types.Field {
	t.Helper()
	var out []types.Field
	for _, d := range defs {
		name, ty, _ := strings.Cut(d, " ")
		out = append(out, types.Field{Name: name, Type: typ(t, ty)})
	}
	return out
}

func TestDefine(t *testing.T) {
	def := "7"
	fields := columns(t, "id BIGINT", "dt STRING", "v INT")
	fields[2].Default = &def
	s, warnings, err := Define(Definition{
		Fields:        fields,
		PartitionKeys: []string{"DT"},
		Options:       map[string]string{"primary-key": "ID, dt", "bucket": "4", "sink.parallelism": "2"},
		Comment:       "a table",
	}, fixedNow())
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "sink.parallelism") {
		t.Errorf("warnings %q", warnings)
	}
	if s.Version != 3 || s.ID != 0 || s.HighestFieldID != 2 || s.TimeMillis != fixedNow().UnixMilli() || s.Comment != "a table" ||
		!reflect.DeepEqual(s.PrimaryKeys, []string{"id", "dt"}) || !reflect.DeepEqual(s.PartitionKeys, []string{"dt"}) ||
		!s.Fields[0].Type.NotNull || !s.Fields[1].Type.NotNull || s.Fields[2].Type.NotNull || s.Fields[2].ID != 2 || *s.Fields[2].Default != "7" {
		t.Errorf("%+v", s)
	}
	if _, there := s.Options["primary-key"]; there || fields[0].Type.NotNull {
		t.Error("primary-key was left in the options, or the definition was changed")
	}
	if !reflect.DeepEqual(s.TrimmedPrimaryKeys(), []string{"id"}) || !reflect.DeepEqual(s.BucketKeys(), []string{"id"}) ||
		!reflect.DeepEqual(s.KeyIndexes(), []int{0}) || !reflect.DeepEqual(s.PartitionIndexes(), []int{1}) || s.CrossPartition() {
		t.Error("derived lists")
	}
	if f, ok := s.Field("V"); !ok || f.Name != "v" {
		t.Error("column by name without case")
	}
	if _, err := s.Indexes([]string{"v", "V"}); !errors.Is(err, ErrColumnNotFound) {
		t.Errorf("indexes are by exact name: %v", err)
	}
}

func TestMode(t *testing.T) {
	pk := &Schema{PrimaryKeys: []string{"a", "p"}, PartitionKeys: []string{"p"}}
	cross := &Schema{PrimaryKeys: []string{"a"}, PartitionKeys: []string{"p"}}
	app := &Schema{PartitionKeys: []string{"p"}}
	for _, c := range []struct {
		s      *Schema
		bucket int
		want   Mode
	}{{pk, 3, Fixed}, {pk, -1, Dynamic}, {pk, -2, Postpone}, {cross, -1, KeyDynamic}, {cross, 2, Fixed}, {app, -1, Unaware}, {app, 2, Fixed}} {
		if got := c.s.Mode(c.bucket); got != c.want {
			t.Errorf("bucket %d: %v, want %v", c.bucket, got, c.want)
		}
	}
}

func TestDefineRefuses(t *testing.T) {
	bad := "x"
	base := func() Definition {
		return Definition{Fields: columns(t, "a INT", "b STRING", "p DATE", "arr INT ARRAY", "ts TIMESTAMP(9)"), Options: map[string]string{}}
	}
	pk := func(d *Definition) { d.PrimaryKeys = []string{"a"} }
	opt := func(kv ...string) func(d *Definition) {
		return func(d *Definition) {
			for i := 0; i < len(kv); i += 2 {
				d.Options[kv[i]] = kv[i+1]
			}
		}
	}
	for _, c := range []struct {
		name string
		kind error
		text string
		with []func(d *Definition)
	}{
		{"no columns", ErrInvalid, "no columns", []func(d *Definition){func(d *Definition) { d.Fields = nil }}},
		{"duplicate column", ErrColumnExists, "found [a]", []func(d *Definition){func(d *Definition) { d.Fields[1].Name = "a" }}},
		{"case twins", ErrColumnExists, "'a' and 'A' differ only by case", []func(d *Definition){func(d *Definition) { d.Fields[1].Name = "A" }}},
		{"empty name", ErrInvalid, "empty name", []func(d *Definition){func(d *Definition) { d.Fields[1].Name = "" }}},
		{"reserved name", ErrInvalid, "'_KEY_b' is reserved", []func(d *Definition){func(d *Definition) { d.Fields[1].Name = "_KEY_b" }}},
		{"reserved name", ErrInvalid, "'rowkind' is reserved", []func(d *Definition){func(d *Definition) { d.Fields[1].Name = "rowkind" }}},
		{"key twice", ErrInvalid, "primary key [a, a]", []func(d *Definition){func(d *Definition) { d.PrimaryKeys = []string{"a", "a"} }}},
		{"key unknown", ErrColumnNotFound, "no such column [zz]", []func(d *Definition){func(d *Definition) { d.PrimaryKeys = []string{"zz"} }}},
		{"partition unknown", ErrColumnNotFound, "partition key [zz]", []func(d *Definition){func(d *Definition) { d.PartitionKeys = []string{"zz"} }}},
		{"key in both places", ErrInvalid, "primary key on DDL and table options", []func(d *Definition){pk, opt("primary-key", "a")}},
		{"key is partition", ErrInvalid, "one row", []func(d *Definition){pk, func(d *Definition) { d.PartitionKeys = []string{"a"} }}},
		{"nested key", ErrInvalid, "type ARRAY cannot be in a primary key: column 'arr'", []func(d *Definition){func(d *Definition) { d.PrimaryKeys = []string{"arr"} }}},
		{"nested partition", ErrInvalid, "type ARRAY cannot be in a partition key", []func(d *Definition){func(d *Definition) { d.PartitionKeys = []string{"arr"} }}},
		{"binary partition", ErrInvalid, "column 'a' has no directory name", []func(d *Definition){func(d *Definition) { d.Fields[0].Type, d.PartitionKeys = types.Bytes(), []string{"a"} }}},
		{"bucket 0", ErrInvalid, "'bucket' = '0'", []func(d *Definition){pk, opt("bucket", "0")}},
		{"bucket -2", options.ErrUnsupported, "postpone", []func(d *Definition){pk, opt("bucket", "-2")}},
		{"bucket -3", options.ErrValue, "'bucket' cannot be '-3'", []func(d *Definition){pk, opt("bucket", "-3")}},
		{"key without number", ErrInvalid, "'bucket-key' with bucket = -1", []func(d *Definition){opt("bucket-key", "a")}},
		{"number without key", ErrInvalid, "needs 'bucket-key'", []func(d *Definition){opt("bucket", "2")}},
		{"bucket key unknown", ErrColumnNotFound, "'bucket-key': no such column [zz]", []func(d *Definition){opt("bucket", "2", "bucket-key", "zz")}},
		{"bucket key nested", ErrInvalid, "'arr' has the nested type", []func(d *Definition){opt("bucket", "2", "bucket-key", "arr")}},
		{"bucket key not in pk", ErrInvalid, "'b' is not in the primary key [a]", []func(d *Definition){pk, opt("bucket", "2", "bucket-key", "b")}},
		{"bucket key in partition", ErrInvalid, "'p' is a partition key", []func(d *Definition){opt("bucket", "2", "bucket-key", "p"), func(d *Definition) { d.PartitionKeys = []string{"p"} }}},
		{"mod of text", ErrInvalid, "'mod' needs exactly one", []func(d *Definition){opt("bucket", "2", "bucket-key", "b", "bucket-function.type", "mod")}},
		{"delta commits", ErrInvalid, "full-compaction.delta-commits", []func(d *Definition){opt("full-compaction.delta-commits", "3")}},
		{"field option", ErrColumnNotFound, "'fields.zz.stats-mode': no such column 'zz'", []func(d *Definition){opt("fields.zz.stats-mode", "none")}},
		{"sequence unknown", ErrColumnNotFound, "sequence field 'zz'", []func(d *Definition){pk, opt("sequence.field", "b,zz")}},
		{"sequence twice", ErrInvalid, "'b' is defined repeatedly", []func(d *Definition){pk, opt("sequence.field", "b,b")}},
		{"sequence across partitions", ErrInvalid, "does not include all partition fields [p]", []func(d *Definition){pk, opt("sequence.field", "b"), func(d *Definition) { d.PartitionKeys = []string{"p"} }}},
		{"across partitions", options.ErrUnsupported, "cross-partition", []func(d *Definition){pk, func(d *Definition) { d.PartitionKeys = []string{"p"} }}},
		{"row kind unknown", ErrColumnNotFound, "rowkind field 'zz'", []func(d *Definition){pk, opt("rowkind.field", "zz")}},
		{"row kind type", ErrInvalid, "rowkind field 'a' must be a STRING, not INT", []func(d *Definition){pk, opt("rowkind.field", "a")}},
		{"avro timestamp", ErrInvalid, "column 'ts': Avro files cannot hold TIMESTAMP(9)", []func(d *Definition){opt("file.format", "avro")}},
		{"avro level", ErrInvalid, "entry '0:avro' is incompatible with column 'ts'", []func(d *Definition){pk, opt("file.format.per.level", "0:avro")}},
		{"default", ErrInvalid, "invalid default value for column 'a': malformed value: 'x' for INT", []func(d *Definition){func(d *Definition) { d.Fields[0].Default = &bad }}},
		{"type range", ErrInvalid, "column 'a'", []func(d *Definition){func(d *Definition) { d.Fields[0].Type = types.Dec(39, 1) }}},
		{"geometry", options.ErrUnsupported, "'a': type GEOMETRY is not supported yet", []func(d *Definition){func(d *Definition) { d.Fields[0].Type = types.Type{Kind: types.Geometry, CRS: "OGC:CRS84"} }}},
		{"path", ErrInvalid, "'path'", []func(d *Definition){opt("path", "/x")}},
		{"unknown option", options.ErrUnknown, "did you mean 'bucket'", []func(d *Definition){opt("buckets", "2")}},
		{"retention", options.ErrConflict, "should not be larger", []func(d *Definition){opt("snapshot.num-retained.min", "5", "snapshot.num-retained.max", "1")}},
	} {
		d := base()
		for _, w := range c.with {
			w(&d)
		}
		_, _, err := Define(d, fixedNow())
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	d := base()
	d.Options = map[string]string{"bucket": "0", "rowkind.field": "zz"}
	if _, _, err := Define(d, fixedNow()); !errors.Is(err, ErrInvalid) || !errors.Is(err, ErrColumnNotFound) {
		t.Errorf("not every fault is told: %v", err)
	}
	if _, _, err := Define(base(), fixedNow()); err != nil {
		t.Errorf("the base: %v", err)
	}
}

func TestUnsupportedTables(t *testing.T) {
	golden := goldenFiles(t, "golden")
	s, err := Decode(golden["sequence-groups.json"])
	if err != nil {
		t.Fatal(err)
	}
	read, _, err := s.Unsupported()
	if err != nil || len(read) != 1 || read[0] != "merge-engine 'partial-update'" {
		t.Errorf("read %q, %v", read, err)
	}
	s.Options["merge-engine"] = "last-writer"
	if _, _, err := s.Unsupported(); !errors.Is(err, options.ErrValue) || !strings.Contains(err.Error(), "last-writer") {
		t.Errorf("unknown engine: %v", err)
	}
	if s, err = Decode(golden["atoms.json"]); err != nil {
		t.Fatal(err)
	}
	if read, write, err := s.Unsupported(); err != nil || len(read)+len(write) > 0 {
		t.Errorf("plain table: %q, %q, %v", read, write, err)
	}
}
