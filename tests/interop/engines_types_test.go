package interop

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/types"
)

// columnTypes are the types with values: a usual one, NULL, the edges.
var columnTypes = []struct {
	name, typ string
	values    []string
}{
	{"boolean", "BOOLEAN", []string{`true`, `null`, `false`}},
	{"tinyint", "TINYINT", []string{`1`, `null`, `-128`, `127`}},
	{"smallint", "SMALLINT", []string{`1`, `null`, `-32768`, `32767`}},
	{"int", "INT", []string{`1`, `null`, `-2147483648`, `2147483647`}},
	{"bigint", "BIGINT", []string{`1`, `null`, `-9223372036854775808`, `9223372036854775807`}},
	{"float", "FLOAT", []string{`0.1`, `null`, `-0`, `3.4028235e+38`, `1e-45`}},
	{"float_special", "FLOAT", []string{`"NaN"`, `null`, `"-Infinity"`, `"Infinity"`}},
	{"double", "DOUBLE", []string{`0.1`, `null`, `5e-324`, `1.7976931348623157e+308`, `-0`}},
	{"double_special", "DOUBLE", []string{`"NaN"`, `null`, `"-Infinity"`, `1e+21`}},
	{"decimal_9", "DECIMAL(9, 2)", []string{`"12.30"`, `null`, `"-9999999.99"`, `"0.00"`}},
	{"decimal_18", "DECIMAL(18, 9)", []string{`"1.000000001"`, `null`, `"-999999999.999999999"`, `"0.000000000"`}},
	{"decimal_19", "DECIMAL(19, 0)", []string{`"9223372036854775808"`, `null`, `"-9999999999999999999"`, `"0"`}},
	{"decimal_38", "DECIMAL(38, 10)", []string{`"1.0000000001"`, `null`, `"-9999999999999999999999999999.9999999999"`, `"0.0000000000"`}},
	{"char", "CHAR(5)", []string{`"ab"`, `null`, `""`, `"héllo"`}},
	{"varchar", "VARCHAR(20)", []string{`"ab"`, `null`, `""`, `"😀"`}},
	{"string", "STRING", []string{`"a\"\\\n\u0001"`, `null`, `""`, `"東京"`}},
	{"binary", "BINARY(3)", []string{`"0x000102"`, `null`, `"0x000000"`, `"0xffffff"`}},
	{"varbinary", "VARBINARY(8)", []string{`"0x000102"`, `null`, `"0x"`, `"0xffffffff"`}},
	{"bytes", "BYTES", []string{`"0x000102"`, `null`, `"0x"`, `"0xff"`}},
	{"date", "DATE", []string{`"2026-11-29"`, `null`, `"0001-01-01"`, `"9999-12-31"`, `"1969-12-31"`}},
	{"time", "TIME(3)", []string{`"10:00:00.001"`, `null`, `"00:00:00.000"`, `"23:59:59.999"`}},
	{"time_0", "TIME(0)", []string{`"10:00:00.000"`, `null`, `"23:59:59.000"`}},
	{"timestamp_0", "TIMESTAMP(0)", []string{`"2026-11-29 10:00:00"`, `null`, `"1969-12-31 23:59:59"`, `"9999-12-31 23:59:59"`}},
	{"timestamp_3", "TIMESTAMP(3)", []string{`"2026-11-29 10:00:00.123"`, `null`, `"1969-12-31 23:59:59.999"`, `"9999-12-31 23:59:59.999"`}},
	{"timestamp_6", "TIMESTAMP(6)", []string{`"2026-11-29 10:00:00.123456"`, `null`, `"1969-12-31 23:59:59.999999"`, `"9999-12-31 23:59:59.999999"`}},
	{"timestamp_9", "TIMESTAMP(9)", []string{`"2026-11-29 10:00:00.123456789"`, `null`, `"1969-12-31 23:59:59.999999999"`, `"2200-01-01 00:00:00.000000001"`}},
	{"timestamp_old", "TIMESTAMP(6)", []string{`"0001-01-01 00:00:00.000000"`, `null`, `"1582-10-14 00:00:00.000001"`}},
	{"ltz_0", "TIMESTAMP(0) WITH LOCAL TIME ZONE", []string{`"2026-11-29 10:00:00Z"`, `null`, `"1969-12-31 23:59:59Z"`}},
	{"ltz_3", "TIMESTAMP(3) WITH LOCAL TIME ZONE", []string{`"2026-11-29 10:00:00.123Z"`, `null`, `"1969-12-31 23:59:59.999Z"`}},
	{"ltz_6", "TIMESTAMP(6) WITH LOCAL TIME ZONE", []string{`"2026-11-29 10:00:00.123456Z"`, `null`, `"1969-12-31 23:59:59.999999Z"`}},
	{"array", "ARRAY<INT>", []string{`[1,2,3]`, `null`, `[]`, `[null]`}},
	{"array_of_string", "ARRAY<STRING>", []string{`["a","",null]`, `null`, `[]`, `["東京"]`}},
	{"array_of_array", "ARRAY<ARRAY<BIGINT>>", []string{`[[1],[],null]`, `null`, `[]`, `[[null]]`}},
	{"array_of_row", "ARRAY<ROW<x INT, y STRING>>", []string{`[[1,"a"],[2,null]]`, `null`, `[]`, `[[null,null]]`}},
	{"map", "MAP<STRING NOT NULL, INT>", []string{`[["a",1],["b",2]]`, `null`, `[]`, `[["x",null]]`}},
	{"map_of_array", "MAP<INT NOT NULL, ARRAY<STRING>>", []string{`[[1,["a"]],[2,[]]]`, `null`, `[]`, `[[3,null]]`}},
	{"multiset", "MULTISET<STRING NOT NULL>", []string{`[["a",1],["b",2]]`, `null`, `[]`, `[["x",3]]`}},
	{"row", "ROW<x INT, y STRING>", []string{`[1,"a"]`, `null`, `[null,null]`, `[2,""]`}},
	{"row_of_row", "ROW<r ROW<x INT, y STRING>>", []string{`[[1,"a"]]`, `null`, `[null]`, `[[null,null]]`}},
	{"variant", "VARIANT", []string{`{"variant":{"a":[1,"x",null,true],"b":1.5}}`, `null`, `{"variant":{}}`, `{"variant":"text"}`}},
}

// typeText is a type as the compatibility page shows it: without precision.
func typeText(typ string) string {
	typ = strings.ReplaceAll(typ, " NOT NULL", "")
	return "type " + typ
}

// withIDs numbers nested fields.
func withIDs(fields []types.Field) []types.Field {
	for i := range fields {
		fields[i].ID = 0
	}
	return fields
}

// testTypes writes each type with each engine into tables of lakesql, with and without
// a primary key, in each format, and reads them with all.
func testTypes(t *testing.T, s *suite) {
	for _, format := range []string{"parquet", "avro"} {
		for _, ct := range columnTypes {
			for _, keyed := range []bool{false, true} {
				kind := map[bool]string{false: "append", true: "pk"}[keyed]
				t.Run(format+"/"+ct.name+"/"+kind, func(t *testing.T) { testType(t, s, format, ct.name, ct.typ, ct.values, keyed) })
			}
		}
	}
}

func testType(t *testing.T, s *suite, format, name, typ string, vals []string, keyed bool) {
	sh := shape{
		feature: typeText(typ), fields: columns("k INT", "v "+typ), options: map[string]string{"file.format": format, "bucket": "-1"},
	}
	sh.fields = withIDs(sh.fields)
	kind := "append"
	if keyed {
		kind, sh.primary, sh.options["bucket"] = "pk", []string{"k"}, "2"
	}
	var rows []string
	for i, v := range vals {
		rows = append(rows, fmt.Sprintf("[%d,%s]", i, v))
	}
	base := fmt.Sprintf("types.%s_%s_%s", format, kind, name)
	sh.name = base + "_lake"
	if !s.takes(t, sh, rows) {
		return
	}
	x := s.create(t, sh)
	x.write(rows...)
	x.withFlink(rows)
	x.clean()
	for _, w := range []string{java, python} {
		y := sh
		y.name = base + "_" + w
		x := s.create(t, y)
		if x.writeBy(w, rows) {
			x.by([]string{lakesql}, rows)
			x.compact()
			x.by([]string{lakesql, java}, rows)
		}
	}
	if s.flink == nil || keyed != (format == "avro") {
		return
	}
	y := sh
	y.name = base + "_flink"
	z := s.create(t, y)
	_, err := s.flink.Do("INSERT INTO " + quotedName(y.name) + " SELECT * FROM " + quotedName(sh.name))
	if z.judge(flink, "writes", err) {
		z.by([]string{lakesql}, rows)
	}
}

// takes tells whether lakesql makes and writes such a table; when it does not,
// limits.txt says why.
func (s *suite) takes(t *testing.T, sh shape, rows []string) bool {
	t.Helper()
	l := s.limitOf(lakesql, "writes", sh.name)
	if l == nil {
		return true
	}
	tb, err := s.tryCreate(t, sh)
	x := &table{suite: s, t: t, shape: sh, tb: tb}
	if err == nil {
		err = x.tryWrite(rows, false, storage.WriteOptions{})
	}
	x.judge(lakesql, "writes", err)
	return false
}

// keyTypes are types that a key may have, with values in key order.
var keyTypes = []string{
	"boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal_9", "decimal_18", "decimal_19", "decimal_38",
	"char", "varchar", "string", "binary", "varbinary", "bytes", "date", "time", "timestamp_0", "timestamp_3", "timestamp_6",
	"timestamp_9", "timestamp_old", "ltz_3", "ltz_6",
}

// testKeys has the engines write the same keys of each type one after the other: a
// bucket or an order that differs shows as a row twice.
func testKeys(t *testing.T, s *suite) {
	for _, ct := range columnTypes {
		if !slices.Contains(keyTypes, ct.name) {
			continue
		}
		for _, buckets := range []string{"4", "-1"} {
			t.Run(ct.name+"/"+buckets, func(t *testing.T) {
				var keys []string
				for _, v := range ct.values {
					if v != "null" {
						keys = append(keys, v)
					}
				}
				sh := shape{
					name: "keys." + ct.name + map[string]string{"4": "_fixed", "-1": "_dynamic"}[buckets], feature: "key of " + typeText(ct.typ),
					fields: columns("n INT", "k "+ct.typ, "w STRING"), primary: []string{"k"},
					options: map[string]string{"bucket": buckets, "dynamic-bucket.target-row-num": "2"},
				}
				x := s.create(t, sh)
				step := 0
				rows := func(who string, keys []string) (out []string) {
					step++
					for i, k := range keys {
						out = append(out, fmt.Sprintf("[%d,%s,\"%s%d\"]", i, k, who, step))
					}
					return out
				}
				m := newModel(&x.shape)
				for _, who := range []string{lakesql, java, lakesql, python, lakesql} {
					r := rows(who, keys)
					switch {
					case who == lakesql:
						x.write(r...)
					case who == python && buckets == "-1":
						continue // pypaimon assigns buckets in its own memory
					case !x.writeBy(who, r):
						continue
					}
					m.apply(r, false)
					x.by([]string{lakesql, java}, m.all())
				}
				x.all(m.all())
				x.compact()
				x.withFlink(m.all())
				x.clean()
			})
		}
	}
}
