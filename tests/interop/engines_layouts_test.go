package interop

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
)

// layouts are the shapes of tables: where their rows go, and which row of a key stays.
var layouts = []struct {
	name, feature string
	primary       []string
	partition     []string
	options       map[string]string
}{
	{"append", "append table without buckets", nil, nil, map[string]string{"bucket": "-1"}},
	{"append_partitioned", "append table without buckets, partitioned", nil, []string{"p", "d"}, map[string]string{"bucket": "-1"}},
	{"append_bucketed", "append table with fixed buckets", nil, nil, map[string]string{"bucket": "3", "bucket-key": "k"}},
	{"append_bucket_keys", "append table with fixed buckets by several columns", nil, []string{"d"}, map[string]string{"bucket": "4", "bucket-key": "p,k"}},
	{"fixed_1", "primary key, 1 bucket", []string{"k"}, nil, map[string]string{"bucket": "1"}},
	{"fixed_4", "primary key, 4 buckets", []string{"k"}, nil, map[string]string{"bucket": "4"}},
	{"fixed_16", "primary key, 16 buckets", []string{"k"}, nil, map[string]string{"bucket": "16"}},
	{"fixed_partitioned", "primary key, fixed buckets, partitioned", []string{"k", "p", "d"}, []string{"p", "d"}, map[string]string{"bucket": "2"}},
	{"bucket_key", "primary key, fixed buckets by bucket-key", []string{"k", "p"}, nil, map[string]string{"bucket": "4", "bucket-key": "p"}},
	{"dynamic", "primary key, dynamic buckets", []string{"k"}, nil, map[string]string{"bucket": "-1", "dynamic-bucket.target-row-num": "7"}},
	{"dynamic_partitioned", "primary key, dynamic buckets, partitioned", []string{"k", "p"}, []string{"p"}, map[string]string{"bucket": "-1", "dynamic-bucket.target-row-num": "3"}},
	{"mod", "bucket-function.type mod", []string{"k"}, nil, map[string]string{"bucket": "4", "bucket-function.type": "mod"}},
	{"hive", "bucket-function.type hive", nil, nil, map[string]string{"bucket": "4", "bucket-key": "k", "bucket-function.type": "hive"}},
	{"sequence", "sequence.field", []string{"k"}, nil, map[string]string{"bucket": "2", "sequence.field": "n"}},
	{"sequence_desc", "sequence.field, descending", []string{"k"}, nil, map[string]string{"bucket": "2", "sequence.field": "n", "sequence.field.sort-order": "descending"}},
	{"sequence_two", "sequence.field, two columns", []string{"k"}, nil, map[string]string{"bucket": "2", "sequence.field": "n,v"}},
	{"avro", "primary key, Avro", []string{"k"}, nil, map[string]string{"bucket": "2", "file.format": "avro"}},
	{"formats_by_level", "formats by level", []string{"k"}, nil, map[string]string{"bucket": "2", "file.format": "parquet", "file.format.per.level": "0:avro"}},
}

// layoutRows are rows of one step: keys that meet those of other steps.
func layoutRows(step int, order int) []string {
	var out []string
	for i := range 12 {
		k := (i*7 + step*5) % 31
		n := order
		if i%4 == 3 {
			n = -order // loses against every earlier row of its key by sequence.field
		}
		out = append(out, fmt.Sprintf(`[%d,"%s","2026-11-%02d",%d,"s%d-%d"]`, k, []string{"plain", "a b", "x/y=z%", "東"}[k%4], 10+k%3, n, step, i))
	}
	return out
}

// sequenced has the row of a key stay that a sequence field says.
func (m *model) sequenced(n, v int, desc bool) { m.seq, m.seqV, m.desc = n, v, desc }

// testLayouts has the engines write, delete and compact in turn, over the shapes of
// tables. Every snapshot is read by all.
func testLayouts(t *testing.T, s *suite) {
	for _, l := range layouts {
		for _, creator := range []string{lakesql, java} {
			t.Run(l.name+"/"+creator, func(t *testing.T) {
				sh := shape{
					name: "layouts." + l.name + "_" + creator, feature: l.feature, primary: l.primary, partition: l.partition, options: l.options,
					fields: columns("k INT NOT NULL", "p STRING NOT NULL", "d DATE NOT NULL", "n INT", "v STRING"),
				}
				var x *table
				if creator == java {
					x = s.createJava(t, sh)
				} else {
					x = s.create(t, sh)
				}
				runLayout(x)
			})
		}
	}
}

func runLayout(x *table) {
	m := newModel(&x.shape)
	if f := x.options["sequence.field"]; f != "" {
		v := -1
		if strings.Contains(f, ",") {
			v = 4
		}
		m.sequenced(3, v, x.options["sequence.field.sort-order"] == "descending")
	}
	at := map[string][]string{} // rows by snapshot
	note := func() { at[x.newest()] = m.all() }
	dynamic := x.options["bucket"] == "-1" && len(x.primary) > 0
	step := 0
	rows := func() []string { step++; return layoutRows(step, step) }
	writers := []string{lakesql, java, lakesql, python, flink, lakesql, java}
	for _, w := range writers {
		if w == python && dynamic || w == flink && x.flink == nil {
			continue
		}
		r := rows()
		if w == lakesql {
			x.write(r...)
		} else if !x.writeBy(w, r) {
			continue
		}
		m.apply(r, false)
		note()
		x.by([]string{lakesql, java}, m.all())
	}
	if len(x.primary) > 0 {
		step++
		gone := layoutRows(step-1, step)
		x.change(append(kinded("-D", gone[:3]...), kinded("+I", layoutRows(step, step)[5:]...)...)...)
		m.apply(kinded("-D", gone[:3]...), true)
		m.apply(layoutRows(step, step)[5:], false)
		note()
		x.by([]string{lakesql, java}, m.all())
		step++
		r := kinded("-D", layoutRows(step, step)[:2]...)
		if x.writeBy(java, r, "--kinds") {
			m.apply(r, true)
			note()
		}
	}
	x.withFlink(m.all())
	x.compact()
	note()
	x.all(m.all())
	r := rows()
	x.write(r...)
	m.apply(r, false)
	note()
	x.run(x.java, "compact", "--full")
	note()
	x.all(m.all())
	for id, want := range at {
		if n, _ := strconv.Atoi(id); n%4 == 1 {
			x.all(want, "scan.snapshot-id="+id)
		} else {
			x.by([]string{lakesql, java}, want, "scan.snapshot-id="+id)
		}
	}
	x.clean()
}

// testPartitions writes partitions of each type and of odd names, and overwrites them.
func testPartitions(t *testing.T, s *suite) {
	for _, ct := range columnTypes {
		if !slices.Contains(keyTypes, ct.name) {
			continue
		}
		for _, keyed := range []bool{false, true} {
			kind := map[bool]string{false: "append", true: "pk"}[keyed]
			t.Run(ct.name+"/"+kind, func(t *testing.T) {
				sh := shape{
					name: "partitions." + kind + "_" + ct.name, feature: "partition of " + typeText(ct.typ),
					fields: columns("k INT NOT NULL", "p "+ct.typ, "v STRING"), partition: []string{"p"}, options: map[string]string{"bucket": "-1"},
				}
				if keyed {
					sh.primary, sh.options["bucket"] = []string{"k", "p"}, "2"
				}
				vals := slices.Clone(ct.values)
				if keyed {
					vals = slices.DeleteFunc(vals, func(v string) bool { return v == "null" })
				}
				partitionProgram(t, s, sh, vals)
			})
		}
	}
	t.Run("names", func(t *testing.T) {
		partitionProgram(t, s, shape{
			name: "partitions.names", feature: "partition names of any text",
			fields: columns("k INT NOT NULL", "p STRING", "v STRING"), partition: []string{"p"}, options: map[string]string{"bucket": "-1"},
		}, []string{`"a/b"`, `" "`, `""`, `"="`, `"100%"`, `"%2F"`, `"東京"`, `"a b"`, `":"`, `"\""`, `"'"`, `"\\"`, `"."`, `".."`, `"*?#[]{}^|<>"`, `"\u0001"`, `"a\tb"`, `null`, `"p=1/q=2"`})
	})
}

func partitionProgram(t *testing.T, s *suite, sh shape, vals []string) {
	row := func(k int, p, v string) string { return fmt.Sprintf(`[%d,%s,"%s"]`, k, p, v) }
	var rows, more []string
	for i, v := range vals {
		rows = append(rows, row(i, v, "lake"), row(100+i, v, "lake"))
		more = append(more, row(200+i, v, "more"))
	}
	if !s.takes(t, sh, rows) {
		return
	}
	x := s.create(t, sh)
	x.write(rows...)
	x.all(rows)
	want := rows
	for _, w := range []string{java, python} {
		if r := replaceAll(more, "more", w); x.writeBy(w, r) {
			want = appendKeyed(x, want, r)
		}
	}
	x.by([]string{lakesql, java}, want)
	// A static overwrite of the first partition, a dynamic one of the last.
	first, last := vals[0], vals[len(vals)-1]
	b, err := batches(sh.fields, []string{row(1, first, "x")}, false)
	if err != nil {
		t.Fatal(err)
	}
	only := func(p, r string) {
		var kept []string
		for _, w := range want {
			if string(values(w)[1]) != p {
				kept = append(kept, w)
			}
		}
		want = append(kept, r)
	}
	o := storage.WriteOptions{Overwrite: &storage.Overwrite{Partition: map[string]columnar.Value{"p": b[0].Cols[1].Value(0)}}}
	if err := x.tryWrite([]string{row(1, first, "static")}, false, o); err != nil {
		t.Fatal(err)
	}
	only(first, row(1, first, "static"))
	if err := x.tryWrite([]string{row(2, last, "dynamic")}, false, storage.WriteOptions{Overwrite: &storage.Overwrite{Dynamic: true}}); err != nil {
		t.Fatal(err)
	}
	only(last, row(2, last, "dynamic"))
	x.all(want)
	x.compact()
	x.withFlink(want)
	x.clean()
}

func replaceAll(rows []string, from, to string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = strings.ReplaceAll(r, `"`+from+`"`, `"`+to+`"`)
	}
	return out
}

// appendKeyed is want after rows were written.
func appendKeyed(x *table, want, rows []string) []string {
	m := newModel(&x.shape)
	m.apply(want, false)
	m.apply(rows, false)
	return m.all()
}
