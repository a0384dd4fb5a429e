package options

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

// Every declaration is whole: one key once, a default that the option takes,
// words, a feature where one is needed.
func TestDeclarations(t *testing.T) {
	seen := map[string]bool{}
	total := 0
	for _, s := range Subjects() {
		prev := ""
		for _, d := range s.Defs {
			total++
			for _, k := range append([]string{d.Key}, d.Fallbacks...) {
				if seen[k] {
					t.Errorf("%s is declared twice", k)
				}
				seen[k] = true
			}
			if d.Key <= prev && s.Title != "Options of columns and of file formats" && s.Title != "Other engines" {
				t.Errorf("%s: %s stands after %s", s.Title, d.Key, prev)
			}
			prev = d.Key
			if d.Default != "" {
				if _, err := d.value(d.Default); err != nil {
					t.Errorf("%s: default: %v", d.Key, err)
				}
			}
			if d.Doc == "" || strings.Contains(d.Doc, "§") {
				t.Errorf("%s: text %q", d.Key, d.Doc)
			}
			if (d.Tier == Later) != (d.Feature != "") {
				t.Errorf("%s: tier %v, feature %q", d.Key, d.Tier, d.Feature)
			}
			if (d.Kind == Enum) != (len(d.Values) > 0) {
				t.Errorf("%s: kind %v, values %v", d.Key, d.Kind, d.Values)
			}
			for _, l := range d.Later {
				if _, err := d.value(l); err != nil {
					t.Errorf("%s: %v", d.Key, err)
				}
			}
		}
	}
	if total < 400 {
		t.Errorf("%d options are declared", total)
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"128 mb": 128 << 20, "128mb": 128 << 20, "1 GB": 1 << 30, "64kb": 64 << 10, "500 bytes": 500, "7": 7,
		" 2 t ": 2 << 40, "3 kibibytes": 3 << 10, "0": 0, "8388607 tb": 8388607 << 40,
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", " ", "mb", "-1 mb", "1.5 gb", "1 xb", "8388608 tb", "99999999999999999999"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %d", text, got)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1 h": time.Hour, "10min": 10 * time.Minute, "100ms": 100 * time.Millisecond, "7 d": 7 * 24 * time.Hour,
		"5": 5 * time.Millisecond, "2 Hours": 2 * time.Hour, "3m": 3 * time.Minute, "9 µs": 9 * time.Microsecond,
		"1 nano": 1, "100000000 d": 1<<63 - 1,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "h", "1 fortnight", "-1 s", "1h30m", "1.5 h"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("ParseDuration(%q) = %v", text, got)
		}
	}
}

func TestLookup(t *testing.T) {
	for key, want := range map[string]string{
		"bucket":                                  "bucket",
		"write.compaction-skip":                   "write-only",
		"fields.amount.aggregate-function":        "fields.<f>.aggregate-function",
		"fields.a.b.stats-mode":                   "fields.<f>.stats-mode",
		"fields.default-aggregate-function":       "fields.default-aggregate-function",
		"fields.g_1,g_3.sequence-group":           "fields.<f>.sequence-group",
		"file-index.bloom-filter.m[a].fpp":        "file-index.bloom-filter.<x>",
		"parquet.page.size":                       "parquet.<x>",
		"parquet.enable.dictionary":               "parquet.enable.dictionary",
		"commit.callback.a.b.C.param":             "commit.callback.<x>.param",
		"fields..stats-mode":                      "",
		"fields.a.nothing":                        "",
		"parquet.":                                "",
		"Bucket":                                  "",
		"fields.a.pk-vector.distance.metric":      "fields.<f>.pk-vector.<x>",
		"fields.a.b.pk-vector.index.type":         "fields.<f>.pk-vector.<x>",
		"sink.parallelism":                        "sink.parallelism",
		"write.merge-schema.type-widening":        "write.merge-schema.type-widening",
		"metadata.iceberg.database":               "metadata.iceberg.<x>",
		"changelog-producer.row-deduplicate":      "changelog-producer.row-deduplicate",
		"changelog-producer.lookup-wait":          "lookup-wait",
		"partial-update.ignore-delete":            "ignore-delete",
		"snapshot.expire.clean-empty-directories": "snapshot.clean-empty-directories",
	} {
		d, ok := Lookup(key)
		if d.Key != want || ok != (want != "") {
			t.Errorf("Lookup(%q) = %q, %v", key, d.Key, ok)
		}
	}
	for key, want := range map[string]string{"fields.a.b.stats-mode": "a.b", "bucket": "", "fields.x.no": "", "fields.a,b.sequence-group": "a,b"} {
		if got, ok := ColumnOf(key); got != want || ok != (want != "") {
			t.Errorf("ColumnOf(%q) = %q, %v", key, got, ok)
		}
	}
}

func TestNearest(t *testing.T) {
	for key, want := range map[string]string{
		"buckets":                    "bucket",
		"merge_engine":               "merge-engine",
		"sequence.feild":             "sequence.field",
		"snapshot.time-retain":       "snapshot.time-retained",
		"changelog.producer":         "changelog-producer",
		"fields.v.agregate-function": "fields.v.aggregate-function",
		"TARGET-FILE-SIZE":           "target-file-size",
		"something-else-entirely":    "",
		"x":                          "",
	} {
		if got := Nearest(key); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", key, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		key, value string
		where      Where
		kind       error
		text       string // part of the error, or of the warning
	}{
		{"bucket", "8", Create, nil, ""},
		{"bucket", "-3", Create, ErrValue, "'-3': it takes a whole number, at least -2"},
		{"bucket", "many", Create, ErrValue, "option 'bucket' cannot be 'many'"},
		{"bucket", "4", Hint, ErrNotHint, "cannot be given by a hint"},
		{"buckets", "8", Create, ErrUnknown, "did you mean 'bucket'?"},
		{"nothing.like.it.at.all", "8", Create, ErrUnknown, "unknown option 'nothing.like.it.at.all'"},
		{"merge-engine", "Deduplicate", Create, nil, ""},
		{"merge-engine", "aggregation", Create, ErrUnsupported, "'merge-engine' = 'aggregation' is not supported yet"},
		{"merge-engine", "last-writer", Create, ErrValue, "'merge-engine' cannot be 'last-writer': it takes one of deduplicate,"},
		{"merge-engine", "deduplicate", Hint, ErrNotHint, ""},
		{"deletion-vectors.enabled", "false", Create, nil, ""},
		{"deletion-vectors.enabled", "TRUE", Create, ErrUnsupported, "needs deletion vectors"},
		{"deletion-vectors.enabled", "yes", Create, ErrValue, "true or false"},
		{"file.format", "orc", Create, ErrUnsupported, "'file.format' = 'orc'"},
		{"file.format", "Avro", Create, nil, ""},
		{"file.format", "wxyz", Create, ErrValue, "one of parquet, avro"},
		{"file.format.per.level", "0:avro,5:parquet", Create, nil, ""},
		{"file.format.per.level", "0:avro,5:orc", Create, ErrUnsupported, ""},
		{"file.format.per.level", "avro", Create, ErrValue, "level:value"},
		{"file.compression", "LZ4", Alter, nil, ""},
		{"file.compression", "lzo", Alter, ErrUnsupported, ""},
		{"file.compression", "rar", Alter, ErrValue, "zstd, snappy"},
		{"metadata.stats-mode", "truncate(0)", Create, ErrValue, "truncate(n)"},
		{"fields.v.stats-mode", "none", Create, nil, ""},
		{"sink.parallelism", "4", Create, nil, "'sink.parallelism' is stored and has no effect"},
		{"sink.parallelism", "four", Create, ErrValue, ""},
		{"write-buffer-spillable", "true", Create, nil, ""},
		{"write-buffer-spillable", "false", Create, nil, "no effect"},
		{"target-file-size", "0 b", Create, ErrValue, "at least 1 b"},
		{"scan.snapshot-id", "3", Hint, nil, ""},
		{"scan.snapshot-id", "9999999999999999999", Hint, ErrValue, ""},
		{"consumer-id", "c", Hint, ErrUnsupported, "consumers"},
		{"snapshot.time-retained", "1 hour", Create, nil, ""},
		{"snapshot.time-retained", "soon", Create, ErrValue, "a duration such as 10 min"},
		{"tag.creation-period", "daily", Create, nil, ""},
		{"file-index.bitmap.columns", "a", Create, nil, "no effect"},
	} {
		warnings, err := Check(map[string]string{c.key: c.value}, c.where)
		if c.kind == nil {
			if err != nil || (c.text == "") != (len(warnings) == 0) || !strings.Contains(strings.Join(warnings, "|"), c.text) {
				t.Errorf("%s = %s: %v, warnings %q", c.key, c.value, err, warnings)
			}
			continue
		}
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s = %s: %v", c.key, c.value, err)
		}
	}
	_, err := Check(map[string]string{"bucket": "x", "nope-nope": "1", "file.format": "orc"}, Create)
	for _, kind := range []error{ErrUnknown, ErrValue, ErrUnsupported} {
		if !errors.Is(err, kind) {
			t.Errorf("%v lacks %v", err, kind)
		}
	}
}

func TestParse(t *testing.T) {
	got, err := Parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Bucket.Count != -1 || got.File.Format != "parquet" || got.File.Compression != "zstd" || got.File.ZstdLevel != 1 ||
		got.Compaction.Trigger != 5 || got.Compaction.NumLevels != 6 ||
		got.Manifest.TargetBytes != 8<<20 || got.Retention.Age != time.Hour || got.Stats.Mode != "truncate(16)" ||
		got.Partition.DefaultName != "__DEFAULT_PARTITION__" || !got.Partition.LegacyName || !got.Stats.Dense ||
		got.Scan.StartMode() != "latest-full" || got.Commit.MaxRetries != 10 ||
		got.File.TargetFileBytes(true) != 128<<20 || got.File.TargetFileBytes(false) != 256<<20 || got.Scan.Bucket != -1 {
		t.Errorf("defaults: %+v", got)
	}
	got, err = Parse(map[string]string{
		"bucket": "4", "bucket-key": "a, b", "file.format.per.level": "0:AVRO, 3:orc", "file.compression.per.level": "0:'none'",
		"fields.c.stats-mode": "FULL", "metadata.stats-keep-first-n-columns": "1", "num-sorted-run.compaction-trigger": "3",
		"sequence.field": "ts,v", "sequence.field.sort-order": "DESCENDING",
		"write.compaction-skip": "true", "scan.timestamp-millis": "5", "target-file-size": "64 kb", "somebody.elses": "x",
		"parquet.page.size": "4096", "manifest.compression": "null", "merge-engine": "partial-update", "tag.default-time-retained": "2 d",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.File.FormatAt(0) != "avro" || got.File.FormatAt(1) != "parquet" || got.File.FormatAt(3) != "orc" || got.File.CodecAt(0) != "none" {
		t.Errorf("levels: %+v", got.File)
	}
	if want := []string{"truncate(16)", "none", "full"}; !reflect.DeepEqual(got.Stats.Modes(0, []string{"a", "b", "c"}), want) {
		t.Errorf("stats: %v", got.Stats.Modes(0, []string{"a", "b", "c"}))
	}
	if got.Compaction.NumLevels != 4 || !got.Write.Only || !got.Merge.Descending ||
		!reflect.DeepEqual(got.Bucket.Keys, []string{"a", "b"}) || !reflect.DeepEqual(got.Merge.SequenceFields, []string{"ts", "v"}) ||
		got.Scan.StartMode() != "from-timestamp" || *got.Scan.TimestampMillis != 5 || got.File.TargetFileBytes(true) != 64<<10 ||
		got.Format["parquet.page.size"] != "4096" || got.Manifest.Compression != "none" || got.Merge.Engine != "partial-update" ||
		got.Retention.TagAge != 48*time.Hour {
		t.Errorf("values: %+v", got)
	}
	_, err = Parse(map[string]string{"merge-engine": "last-writer", "bucket": "x", "file.format": "wxyz"})
	for _, want := range []string{"merge-engine", "last-writer", "'bucket' cannot be 'x'", "wxyz"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("bad values: %v lacks %q", err, want)
		}
	}
}

func TestStartModeOfIncrementalReads(t *testing.T) {
	for _, key := range []string{"incremental-between", "incremental-between-timestamp", "incremental-to-auto-tag"} {
		got, err := Parse(map[string]string{key: "1,2"})
		if err != nil || got.Scan.StartMode() != "incremental" {
			t.Errorf("%s: %q, %v", key, got.Scan.StartMode(), err)
		}
	}
}

func TestUnsupported(t *testing.T) {
	for _, c := range []struct {
		opts        map[string]string
		pk          bool
		read, write string
	}{
		{nil, true, "", ""},
		{map[string]string{"merge-engine": "aggregation"}, true, "merge-engine 'aggregation'", "merge-engine 'aggregation'"},
		{map[string]string{"merge-engine": "aggregation"}, false, "", ""},
		{map[string]string{"changelog-producer": "lookup"}, true, "", "changelog-producer 'lookup'"},
		{map[string]string{"deletion-vectors.enabled": "true", "file.format": "orc"}, true, "deletion vectors", "deletion vectors, orc data files"},
		{map[string]string{"bucket": "-2"}, true, "", "postpone buckets"},
		{map[string]string{"type": "format-table"}, false, "tables of type format-table", "tables of type format-table"},
		{map[string]string{"file.format.per.level": "0:orc,1:orc"}, true, "", "orc data files"},
		{map[string]string{"scan.fallback-branch": "b"}, false, "branches", "branches"},
		{map[string]string{"row-tracking.enabled": "true", "sink.parallelism": "3", "x": "y"}, false, "", "row tracking"},
	} {
		table, err := Parse(c.opts)
		if err != nil {
			t.Fatal(err)
		}
		read, write := Unsupported(table, c.opts, c.pk)
		if strings.Join(read, ", ") != c.read || strings.Join(write, ", ") != c.write {
			t.Errorf("%v: read %q, write %q", c.opts, read, write)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		opts map[string]string
		text string
	}{
		{map[string]string{"scan.mode": "from-snapshot", "scan.snapshot-id": "1"}, ""},
		{map[string]string{"scan.snapshot-id": "1"}, ""},
		{map[string]string{"scan.mode": "from-timestamp"}, "must set only one key in [scan.timestamp-millis,scan.timestamp] when you use from-timestamp"},
		{map[string]string{"scan.mode": "from-timestamp", "scan.timestamp": "a", "scan.timestamp-millis": "1"}, "must set only one key"},
		{map[string]string{"scan.mode": "from-snapshot-full"}, "scan.snapshot-id can not be null when you use from-snapshot-full"},
		{map[string]string{"scan.mode": "latest", "scan.snapshot-id": "1"}, "scan.snapshot-id must be null when you use latest"},
		{map[string]string{"scan.snapshot-id": "1", "scan.timestamp-millis": "1"}, "scan.snapshot-id must be null when you use from-timestamp"},
		{map[string]string{"snapshot.num-retained.min": "5", "snapshot.num-retained.max": "2"}, "should not be larger"},
		{map[string]string{"full-compaction.delta-commits": "5", "changelog-producer": "lookup"}, "incompatible"},
		{map[string]string{"merge-engine": "first-row", "changelog-producer": "input"}, "first-row"},
	} {
		err := Validate(c.opts)
		if c.text == "" {
			if err != nil {
				t.Errorf("%v: %v", c.opts, err)
			}
			continue
		}
		if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v: %v", c.opts, err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	opts := map[string]string{"bucket": "4", "merge-engine": "deduplicate", "sequence.field": "ts", "file.format": "parquet", "fields.a.stats-mode": "none"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(opts); err != nil {
			b.Fatal(err)
		}
	}
}
