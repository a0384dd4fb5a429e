package interop

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage/types"
)

// testPages writes files of many pages, whose sizes do not fit the engines' batches of
// 1,024 and 4,096 rows, with nulls, dictionaries, values of all widths and lists.
func testPages(t *testing.T, s *suite) {
	variants := []struct {
		name    string
		rows    int
		options map[string]string
	}{
		{"1023", 1023, nil},
		{"1025", 1025, map[string]string{"file.compression": "none"}},
		{"4097", 4097, map[string]string{"file.compression": "lz4"}},
		{"4099", 4099, map[string]string{"file.compression": "snappy"}},
		{"gzip", 2053, map[string]string{"file.compression": "gzip"}},
		{"brotli", 2053, map[string]string{"file.compression": "brotli"}},
		{"5003_zstd", 5003, map[string]string{"file.compression.zstd-level": "9"}},
		{"groups", 5003, map[string]string{"file.block-size": "64kb"}},
		{"avro", 5003, map[string]string{"file.format": "avro"}},
		{"avro_blocks", 2051, map[string]string{"file.format": "avro", "file.block-size": "16kb", "file.compression": "snappy"}},
		{"small_files", 5003, map[string]string{"target-file-size": "100kb"}},
	}
	for _, v := range variants {
		for _, keyed := range []bool{false, true} {
			kind := map[bool]string{false: "append", true: "pk"}[keyed]
			t.Run(v.name+"/"+kind, func(t *testing.T) {
				sh := shape{name: "pages." + kind + "_" + v.name, feature: "files of many pages, " + kind, options: map[string]string{"bucket": "-1"}, fields: pageColumns()}
				for k, o := range v.options {
					sh.options[k] = o
				}
				if v.name == "gzip" || v.name == "brotli" {
					sh.feature = "file.compression " + v.name
				}
				if keyed {
					sh.primary, sh.options["bucket"] = []string{"k"}, "1"
				}
				x := s.create(t, sh)
				rng := rand.New(rand.NewPCG(uint64(v.rows), 1))
				rows := pageRows(rng, v.rows)
				x.write(rows...)
				if keyed {
					m := newModel(&x.shape)
					m.apply(rows, false)
					again := pageRows(rng, v.rows/2)
					x.write(again...)
					m.apply(again, false)
					rows = m.all()
					x.all(rows)
				} else {
					x.withFlink(rows)
				}
				x.compact()
				x.by([]string{lakesql, java}, rows)
				x.clean()
			})
		}
	}
}

func pageColumns() []types.Field {
	return columns("k INT NOT NULL", "dict BIGINT", "seq BIGINT", "wide BIGINT", "tiny TINYINT", "flag BOOLEAN", "few STRING", "text STRING", "same STRING",
		"raw BYTES", "d DOUBLE", "f FLOAT", "dec DECIMAL(12, 2)", "big DECIMAL(30, 3)", "day DATE", "ts TIMESTAMP(6)", "list ARRAY<INT>",
		"m MAP<STRING NOT NULL, BIGINT>", "r ROW<a INT, b STRING>", "none STRING")
}

func pageRows(rng *rand.Rand, n int) []string {
	keys := rng.Perm(n * 2)[:n]
	slices.Sort(keys)
	out := make([]string, n)
	for i, k := range keys {
		out[i] = pageRow(rng, k)
	}
	return out
}

// pageRow is one row; runs of nulls and of values come in turn.
func pageRow(rng *rand.Rand, k int) string {
	null := func(share int, v string) string {
		if k/37%share == 0 || rng.IntN(share*4) == 0 {
			return "null"
		}
		return v
	}
	text := func(most int) string {
		n := rng.IntN(most)
		if rng.IntN(50) == 0 {
			n *= 20
		}
		return `"` + strings.Repeat(string(rune('a'+rng.IntN(26)))+"é", n/2) + fmt.Sprint(rng.IntN(1000)) + `"`
	}
	list, pairs := []string{}, []string{}
	for i := range rng.IntN(5) {
		list = append(list, null(6, fmt.Sprint(rng.IntN(1000))))
		pairs = append(pairs, fmt.Sprintf(`["k%d",%d]`, i, rng.Int64()))
	}
	cols := []string{
		fmt.Sprint(k),
		null(5, fmt.Sprint(int64(1_000_000_000_000)+int64(rng.IntN(40))*7919)),
		fmt.Sprint(k * 3),
		null(9, fmt.Sprint(rng.Int64()-rng.Int64())),
		null(7, fmt.Sprint(rng.IntN(256)-128)),
		null(4, fmt.Sprint(rng.IntN(2) == 0)),
		null(6, fmt.Sprintf(`"few%d"`, rng.IntN(9))),
		null(8, text(40)),
		`"always"`,
		null(5, fmt.Sprintf(`"0x%0*x"`, 2*(1+rng.IntN(8)), rng.IntN(256))),
		null(5, fmt.Sprintf("%d.5", rng.IntN(99999))),
		null(5, fmt.Sprintf("%d.25", rng.IntN(999))),
		null(5, fmt.Sprintf(`"%d.%02d"`, rng.IntN(1_000_000), rng.IntN(100))),
		null(5, fmt.Sprintf(`"-%d%09d.%03d"`, 1+rng.IntN(1_000_000_000), rng.IntN(1_000_000_000), rng.IntN(1000))),
		null(5, fmt.Sprintf(`"20%02d-0%d-1%d"`, rng.IntN(90)+10, 1+rng.IntN(9), rng.IntN(10))),
		null(5, fmt.Sprintf(`"2026-11-29 10:%02d:%02d.%06d"`, rng.IntN(60), rng.IntN(60), rng.IntN(1_000_000))),
		null(5, "["+strings.Join(list, ",")+"]"),
		null(5, "["+strings.Join(pairs, ",")+"]"),
		null(5, fmt.Sprintf(`[%s,%s]`, null(3, fmt.Sprint(rng.IntN(9))), null(3, `"x"`))),
		"null",
	}
	return "[" + strings.Join(cols, ",") + "]"
}
