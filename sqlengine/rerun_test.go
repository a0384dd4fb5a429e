package sqlengine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
)

// rerunForms read r again and again for the rows of l. {C} is a comparison of a
// column of r with one of l, {D} another.
var rerunForms = []string{
	"SELECT id FROM l WHERE id < 0 OR EXISTS (SELECT 1 FROM r WHERE {C})",
	"SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE {C} AND {D})",
	"SELECT id FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE {C} AND {D})",
	"SELECT id FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE {C} OR {D})",
	"SELECT id FROM l WHERE id < 0 OR NOT EXISTS (SELECT 1 FROM r WHERE {C} AND {D})",
	"SELECT id FROM l WHERE id IN (SELECT r.id FROM r WHERE {C} OR {D})",
	"SELECT id FROM l WHERE i NOT IN (SELECT r.i FROM r WHERE {C} AND r.i IS NOT NULL)",
	"SELECT id, (SELECT COUNT(*) FROM r WHERE {C}) FROM l",
	"SELECT id, (SELECT MIN(r.id) FROM r WHERE {C} AND {D} AND r.i > 0) FROM l",
	"SELECT id, (SELECT r.id FROM r AS r WHERE {C} ORDER BY r.id DESC LIMIT 1) FROM l",
	"SELECT id, (SELECT COUNT(DISTINCT r.id) FROM r JOIN r AS q ON q.i = r.i WHERE {C}) FROM l",
	"SELECT id, (SELECT MAX(n) FROM (SELECT id AS n, i, b, y, d, e, f, s, v, dt, ts, tm FROM r) AS r WHERE {C}) FROM l",
	"SELECT id, (SELECT MAX(n) FROM (SELECT MAX(id) AS n, i, b, y, d, e, f, s, v, dt, ts, tm FROM r GROUP BY i, b, y, d, e, f, s, v, dt, ts, tm) AS r WHERE {C} AND {D}) FROM l",
	"SELECT id, (SELECT COUNT(*) FROM l AS x WHERE EXISTS (SELECT 1 FROM r WHERE {C} AND x.id = r.id)) FROM l",
	"SELECT id, (SELECT COUNT(q.id) FROM r LEFT JOIN r AS q ON q.i = r.i AND q.b >= l.b WHERE {C}) FROM l",
	"SELECT id, (SELECT COUNT(*) FROM r JOIN r AS q ON q.i = r.i AND q.id > r.id WHERE {C} AND q.b < l.b) FROM l",
	"SELECT id, (SELECT MAX(z.id) FROM (SELECT r.id, r.i FROM r WHERE {C}) AS z WHERE z.i = l.i) FROM l",
	"SELECT l.id, z.n FROM l, LATERAL (SELECT COUNT(*) AS n FROM r WHERE {C}) AS z",
	"SELECT l.id, z.id FROM l LEFT JOIN LATERAL (SELECT r.id FROM r WHERE {C} AND {D} ORDER BY r.id LIMIT 2) AS z ON TRUE",
	"SELECT l.id, r.id FROM l JOIN r ON {C} AND {D}",
	"SELECT l.id, r.id FROM l LEFT JOIN r ON {C} AND {D}",
	"SELECT l.id, r.id FROM l LEFT JOIN r ON {C} AND r.i > 1",
	"SELECT l.id, r.id FROM l RIGHT JOIN r ON {C} OR {D}",
	"SELECT l.id, r.id, q.id FROM l JOIN r ON {C} AND {D} LEFT JOIN r AS q ON q.id = r.id AND q.i < l.i",
	"SELECT l.id, (SELECT COUNT(*) FROM r WHERE {C} AND (r.i = 1 OR r.s LIKE 'a%' OR {D})) FROM l",
}

// TestRerunDifferential compares rows that are kept and looked up with what the
// host's executor finds, which reads the inner table for every outer row.
func TestRerunDifferential(t *testing.T) {
	db, e := openBoth(t)
	host := e.HostEngine()
	const seed = 7
	rnd := rand.New(rand.NewPCG(seed, seed))
	for _, table := range []string{"l", "r"} {
		exec(t, db, "CREATE TABLE "+table+" (id INT PRIMARY KEY, i INT, b BIGINT, y TINYINT, d DECIMAL(10,2), e DECIMAL(25,4), f DOUBLE, s VARCHAR(10), v VARBINARY(10), dt DATE, ts DATETIME(3), tm TIME) WITH ('bucket'='2')")
		for part := range 2 {
			var rows []string
			for n := range 15 {
				rows = append(rows, rerunRow(rnd, part*15+n))
			}
			exec(t, db, "INSERT INTO "+table+" VALUES "+strings.Join(rows, ","))
		}
	}
	ours, theirs := host.Analyzer.ExecBuilder, hostAlone()
	for round := range 10 {
		c, d := comparison(rnd), comparison(rnd)
		for _, form := range rerunForms {
			q := strings.NewReplacer("{C}", c, "{D}", d).Replace(form)
			got := query(t, db, q)
			host.Analyzer.ExecBuilder = theirs
			want := query(t, db, q)
			host.Analyzer.ExecBuilder = ours
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("seed %d, round %d: %s\n got  %q\n want %q", seed, round, q, got, want)
			}
		}
	}
}

// hostAlone is the host's executor, which does not know the meters that our rules put
// into plans.
func hostAlone() sql.NodeExecBuilder {
	o := &unmetered{}
	o.host = rowexec.NewOverrideBuilder(o)
	return o.host
}

type unmetered struct{ host sql.NodeExecBuilder }

func (o *unmetered) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if fmt.Sprintf("%T", n) == "*plan.meter" {
		return o.host.Build(ctx, n.Children()[0], row)
	}
	return nil, nil
}

// comparison compares a column of r with one of l, mostly of the same class.
func comparison(rnd *rand.Rand) string {
	classes := [][]string{{"i", "b", "y"}, {"i", "d", "e"}, {"f"}, {"s"}, {"v"}, {"dt"}, {"ts"}, {"tm"}, {"dt", "ts"}, {"i", "f"}, {"b", "s"}}
	ops := []string{"=", "=", "<=>", "<", ">", "<=", ">="}
	cols := classes[rnd.IntN(len(classes))]
	r, l := cols[rnd.IntN(len(cols))], cols[rnd.IntN(len(cols))]
	op := ops[rnd.IntN(len(ops))]
	switch rnd.IntN(6) {
	case 0:
		return fmt.Sprintf("l.%s %s r.%s", l, op, r)
	case 1:
		if cols[0] == "i" {
			return fmt.Sprintf("r.%s + 1 %s l.%s", r, op, l)
		}
	case 2:
		if cols[0] == "i" {
			return fmt.Sprintf("r.%s BETWEEN l.%s - 1 AND l.%s", r, l, l)
		}
	}
	return fmt.Sprintf("r.%s %s l.%s", r, op, l)
}

func rerunRow(rnd *rand.Rand, id int) string {
	or := func(s string) string {
		if rnd.IntN(6) == 0 {
			return "NULL"
		}
		return s
	}
	texts := []string{"", "a", "A", "b", "1", "01", "a "}
	return fmt.Sprintf("(%d,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s)", id,
		or(fmt.Sprint(rnd.IntN(6))), or(fmt.Sprint(rnd.IntN(6))), or(fmt.Sprint(rnd.IntN(6))),
		or(fmt.Sprintf("%d.%02d", rnd.IntN(4), rnd.IntN(2)*50)),
		or(fmt.Sprintf("%d.%02d", rnd.IntN(4), rnd.IntN(2)*50)),
		or(fmt.Sprint(float64(rnd.IntN(6))/2)),
		or("'"+texts[rnd.IntN(len(texts))]+"'"), or("'"+texts[rnd.IntN(len(texts))]+"'"),
		or(fmt.Sprintf("'2024-02-%02d'", 1+rnd.IntN(4))),
		or(fmt.Sprintf("'2024-02-%02d %02d:00:00.%03d'", 1+rnd.IntN(4), rnd.IntN(2)*12, rnd.IntN(2)*500)),
		or(fmt.Sprintf("'%02d:00:00'", rnd.IntN(4))))
}
