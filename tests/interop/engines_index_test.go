package interop

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/predicate"
)

// testIndexes writes tables with bloom filters, in the manifest and in files of their
// own, and has the engines that filter by them look for values that are there and
// for some that are not.
func testIndexes(t *testing.T, s *suite) {
	for place, threshold := range map[string]string{"embedded": "1 mb", "beside": "1 b"} {
		for _, keyed := range []bool{false, true} {
			kind := map[bool]string{false: "append", true: "pk"}[keyed]
			t.Run(place+"/"+kind, func(t *testing.T) {
				sh := shape{
					name: "indexes." + place + "_" + kind, feature: "bloom filter indexes", fields: columns("k INT NOT NULL", "v STRING", "n BIGINT"),
					options: map[string]string{
						"bucket": "-1", "file-index.bloom-filter.columns": "k,v", "file-index.in-manifest-threshold": threshold,
						"file-index.bloom-filter.k.items": "200", "file-index.bloom-filter.v.items": "200",
					},
				}
				if keyed {
					sh.primary, sh.options["bucket"] = []string{"k"}, "1"
				}
				indexProgram(s.create(t, sh))
			})
		}
	}
}

func indexProgram(x *table) {
	m := newModel(&x.shape)
	for step, who := range []string{lakesql, java, lakesql, python} {
		var rows []string
		for i := range 40 {
			k := i*8 + step*2
			rows = append(rows, fmt.Sprintf(`[%d,"v%d",%d]`, k, k, step))
		}
		if who == lakesql {
			x.write(rows...)
		} else if !x.writeBy(who, rows) {
			continue
		}
		m.apply(rows, false)
	}
	x.withFlink(m.all())
	x.ask(m)
	x.compact()
	x.ask(m)
	x.clean()
}

// ask looks for values with lakesql, Flink and Paimon Rust.
func (x *table) ask(m *model) {
	x.t.Helper()
	var conditions []string
	var wants [][]string
	for _, k := range []int{0, 2, 4, 6, 160, 5, 163, 9999} {
		for _, c := range []string{fmt.Sprintf("k = %d", k), fmt.Sprintf("v = 'v%d'", k)} {
			var want []string
			for _, r := range m.all() {
				if strings.HasPrefix(r, fmt.Sprintf("[%d,", k)) {
					want = append(want, r)
				}
			}
			conditions, wants = append(conditions, c), append(wants, want)
		}
	}
	var statements strings.Builder
	for _, c := range conditions {
		fmt.Fprintf(&statements, "SELECT * FROM %s WHERE %s;\n", x.name, c)
	}
	for i, c := range conditions {
		got, err := x.readWhere(c)
		if err == nil {
			err = difference(got, wants[i])
		}
		if err != nil {
			x.t.Errorf("lakesql reads %s WHERE %s: %v", x.name, c, err)
		}
		if x.flink == nil || i%5 != 0 {
			continue // each takes it half a second
		}
		got, err = x.flink.Do("SELECT * FROM " + quotedName(x.name) + " WHERE " + c)
		if err == nil {
			err = difference(got, wants[i])
		}
		x.judge(flink, "reads", err)
	}
	cmd := exec.CommandContext(x.t.Context(), "tools/pypaimon", "sql", "--warehouse", x.dir)
	cmd.Stdin = strings.NewReader(statements.String())
	out, err := cmd.Output()
	var all []string
	for _, w := range wants {
		all = append(all, w...)
	}
	if err == nil {
		got := strings.Split(strings.TrimSpace(string(out)), "\n")
		err = difference(got, all)
	}
	x.judge(rust, "reads", err)
}

// readWhere reads the rows for which a condition is true, which goes down to the files.
func (x *table) readWhere(where string) ([]string, error) {
	ctx := x.t.Context()
	v, err := x.tb.View(ctx, storage.ViewOptions{})
	if err != nil {
		return nil, err
	}
	defer v.Close()
	var filter *predicate.Node
	if filter, err = parseWhere(v.Schema().Fields, where); err != nil {
		return nil, err
	}
	sc, err := v.Scan(ctx, storage.ScanOptions{Columns: []int{0, 1, 2}, Filter: filter})
	if err != nil {
		return nil, err
	}
	return drain(ctx, sc.Reader(), false, filter, nil)
}
