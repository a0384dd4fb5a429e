package datafile

import (
	"math"
	"testing"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

func TestPartitionText(t *testing.T) {
	i, f, s := columnar.IntValue, columnar.FloatValue, columnar.StringValue
	const midnight = 1704067200000 // 2024-01-01T00:00
	at := int64(midnight + 10*3600000 + 4*60000 + 5000)
	ltz3 := types.LTZOf(3)
	time := func(p int) types.Type { return types.Type{Kind: types.Time, Precision: p} }
	wide := func(hi int64, lo uint64) columnar.Value {
		return columnar.DecimalValue(columnar.Int128{Hi: hi, Lo: lo})
	}
	for _, c := range []struct {
		name          string
		typ           types.Type
		v             columnar.Value
		legacy, plain string
	}{
		{"true", types.Of(types.Boolean), i(1), "true", "true"},
		{"false", types.Of(types.Boolean), i(0), "false", "false"},
		{"int", types.Of(types.Int), i(-3), "-3", "-3"},
		{"text", types.String(), s("ab d"), "ab d", "ab d"},
		{"decimal", types.Dec(10, 2), i(510), "5.10", "5.10"},
		{"decimal below one", types.Dec(10, 2), i(-5), "-0.05", "-0.05"},
		{"decimal zero", types.Dec(5, 2), i(0), "0.00", "0.00"},
		{"decimal scale 0", types.Dec(5, 0), i(-7), "-7", "-7"},
		{"wide decimal", types.Dec(30, 3), wide(669, 4807115922877859396), "12345678901234567890.500", "12345678901234567890.500"},
		{"wide negative", types.Dec(30, 3), wide(-1, math.MaxUint64), "-0.001", "-0.001"},
		{"date", types.Of(types.Date), i(19723), "19723", "2024-01-01"},
		{"first date", types.Of(types.Date), i(-719162), "-719162", "0001-01-01"},
		{"midnight", types.TimestampOf(3), i(midnight), "2024-01-01T00:00", "2024-01-01 00:00:00.000"},
		{"seconds", types.TimestampOf(0), i(at), "2024-01-01T10:04:05", "2024-01-01 10:04:05"},
		{"millis", types.TimestampOf(3), i(at + 123), "2024-01-01T10:04:05.123", "2024-01-01 10:04:05.123"},
		{"millis short", types.TimestampOf(6), i((at + 100) * 1000), "2024-01-01T10:04:05.100", "2024-01-01 10:04:05.100000"},
		{"micros", types.TimestampOf(6), i((at+123)*1000 + 456), "2024-01-01T10:04:05.123456", "2024-01-01 10:04:05.123456"},
		{"nanos", types.TimestampOf(9), columnar.Time96Value(at, 7), "2024-01-01T10:04:05.000000007", "2024-01-01 10:04:05.000000007"},
		{"more digits than the precision", types.TimestampOf(1), i(at + 123), "2024-01-01T10:04:05.123", "2024-01-01 10:04:05.123"},
		{"before 1970", types.TimestampOf(3), i(-1), "1969-12-31T23:59:59.999", "1969-12-31 23:59:59.999"},
		{"only a fraction", types.TimestampOf(3), i(midnight + 1), "2024-01-01T00:00:00.001", "2024-01-01 00:00:00.001"},
		{"year 10000", types.TimestampOf(0), i(253402300800000), "+10000-01-01T00:00", "10000-01-01 00:00:00"},
		{"ltz", ltz3, i(midnight), "2024-01-01T00:00", "2024-01-01 00:00:00.000"},
		{"time", time(0), i(3661000), "3661000", "01:01:01"},
		{"time 3 without fraction", time(3), i(3661000), "3661000", "01:01:01.0"},
		{"time 3", time(3), i(3661120), "3661120", "01:01:01.12"},
		{"time 2 cuts", time(2), i(3661125), "3661125", "01:01:01.12"},
		{"float", types.Of(types.Float), f(float64(float32(2.5))), "2.5", "2.5"},
		{"float shortest", types.Of(types.Float), f(float64(float32(0.1))), "0.1", "0.1"},
		{"double", types.Of(types.Double), f(1e10), "1.0E10", "1.0E10"},
		{"NaN", types.Of(types.Double), f(math.NaN()), "NaN", "NaN"},
	} {
		for _, legacy := range []bool{true, false} {
			want := c.plain
			if legacy {
				want = c.legacy
			}
			got, err := partitionText(c.typ, c.v, legacy)
			if err != nil || got != want {
				t.Errorf("%s, legacy %t: got %q, %v, want %q", c.name, legacy, got, err, want)
			}
		}
	}
	if _, err := partitionText(types.Bytes(), s("x"), true); err == nil {
		t.Error("binary value with legacy names was given a name")
	}
}

func TestJavaFloat(t *testing.T) {
	for _, c := range []struct {
		f    float64
		bits int
		want string
	}{
		{0, 64, "0.0"}, {math.Copysign(0, -1), 64, "-0.0"}, {1, 64, "1.0"}, {-1.5, 64, "-1.5"}, {100, 64, "100.0"},
		{0.001, 64, "0.001"}, {0.00123, 64, "0.00123"}, {9.99e-4, 64, "9.99E-4"}, {1e-3 / 2, 64, "5.0E-4"},
		{9999999, 64, "9999999.0"}, {1e7, 64, "1.0E7"}, {12345678.9, 64, "1.23456789E7"}, {123456.789, 64, "123456.789"},
		{math.SmallestNonzeroFloat64, 64, "4.9E-324"}, {math.MaxFloat64, 64, "1.7976931348623157E308"}, {2e23, 64, "2.0E23"},
		{float64(math.SmallestNonzeroFloat32), 32, "1.4E-45"}, {float64(math.MaxFloat32), 32, "3.4028235E38"}, {1.5e10, 32, "1.5E10"},
		{math.Inf(1), 64, "Infinity"}, {math.Inf(-1), 32, "-Infinity"},
	} {
		if got := javaFloat(c.f, c.bits); got != c.want {
			t.Errorf("%v (%d bits): got %s, want %s", c.f, c.bits, got, c.want)
		}
	}
}

func TestEscapeAndBlank(t *testing.T) {
	in := "\x00\x1f\x7f\"#%'*/:=?\\{}[]^ ,&+-_.~!@$()|;<>`ä日𝄞"
	want := "%00%1F%7F%22%23%25%27%2A%2F%3A%3D%3F%5C%7B%7D%5B%5D%5E ,&+-_.~!@$()|;<>`ä日𝄞"
	if got := escapePath(in); got != want {
		t.Errorf("escape: got %s, want %s", got, want)
	}
	for s, want := range map[string]bool{
		"": true, " ": true, "\t\n\v\f\r\x1c\x1f": true, "\u3000\u2003": true, "\u00a0": false, "\u2007": false, "\u202f": false,
		"\u0085": false, " x": false, "\x00": false,
	} {
		if blank(s) != want {
			t.Errorf("blank(%q) = %t", s, !want)
		}
	}
}

func TestNames(t *testing.T) {
	n := Names{DataPrefix: "data-", ChangelogPrefix: "changelog-", UUID: "u"}
	c := Names{DataPrefix: "d_", UUID: "u", IncludeCompression: true}
	for _, c := range []struct{ got, want string }{
		{n.Data("parquet", "zstd"), "data-u-0.parquet"},
		{n.Changelog("avro", "zstd"), "changelog-u-1.avro"},
		{n.Data("avro", "none"), "data-u-2.avro"},
		{c.Data("parquet", "ZSTD"), "d_u-0.zst.parquet"},
		{c.Data("parquet", "gzip"), "d_u-1.gz.parquet"},
		{c.Data("parquet", "none"), "d_u-2.parquet"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
	for name, want := range map[string]string{
		"data-u-0.parquet": "parquet", "data-u-0.zst.parquet": "parquet", "data-u-0.csv.gz": "csv", "a.json.ZST": "json",
		"compacted-changelog-x$0-9.cc-parquet": "cc-parquet", "data--u-me-s-1-w-u-0.avro": "avro", "noext": "", "x.gz": "", "x.": "",
	} {
		got, err := FormatOf(name)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("FormatOf(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
}

// Directory names that the reference made for these values of a STRING column.
func TestOddNames(t *testing.T) {
	p, err := NewPaths(PathConfig{PartitionFields: []types.Field{{Name: "p", Type: types.String()}}})
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		"plain": "p=plain", "with space": "p=with space", "a/b": "p=a%2Fb", "100%": "p=100%25", "back\\slash": "p=back%5Cslash",
		"..": "p=..", "~tilde": "p=~tilde", "a:b*c?": "p=a%3Ab%2Ac%3F", "k=v": "p=k%3Dv", "#hash": "p=%23hash", "日本": "p=日本",
		"tab\tnl\n": "p=tab%09nl%0A", "ÄÖÜ": "p=ÄÖÜ", "x{y}[z]^": "p=x%7By%7D%5Bz%5D%5E", "null": "p=null", "😀": "p=😀",
		"__DEFAULT_PARTITION__x": "p=__DEFAULT_PARTITION__x", "comma,semi;amp&plus+": "p=comma,semi;amp&plus+",
		"quote'\"": "p=quote%27%22", "\x7f": "p=%7F", "a b/c": "p=a b%2Fc", "": "p=__DEFAULT_PARTITION__", "  ": "p=__DEFAULT_PARTITION__",
	} {
		got, err := p.PartitionDir([]columnar.Value{columnar.StringValue(value)})
		if err != nil || got != want {
			t.Errorf("%q: got %s, %v, want %s", value, got, err, want)
		}
	}
	if got, err := p.PartitionDir([]columnar.Value{columnar.NullValue}); err != nil || got != "p=__DEFAULT_PARTITION__" {
		t.Errorf("null: %s, %v", got, err)
	}
	if _, err := p.PartitionDir(nil); err == nil {
		t.Error("partition row without values has a directory")
	}
}
