package sqlengine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/go-sql-driver/mysql"
)

// differentialQueries have %s where a table stands. The answer is a set of rows
// unless the query orders them by all its columns.
var differentialQueries = []string{
	"SELECT i, COUNT(*), COUNT(b), SUM(b), AVG(i), MIN(s), MAX(d), SUM(d), AVG(d) FROM %s GROUP BY i",
	"SELECT s, COUNT(*), MIN(f), MAX(f), COUNT(DISTINCT i), COUNT(DISTINCT i, d) FROM %s GROUP BY s",
	"SELECT dt, i, SUM(DISTINCT b), MIN(ts), MAX(dt) FROM %s GROUP BY dt, i",
	"SELECT f, COUNT(*) FROM %s GROUP BY f",
	"SELECT d, b, COUNT(*) FROM %s GROUP BY d, b",
	"SELECT COUNT(*), SUM(i), AVG(b), MIN(d), MAX(s), COUNT(DISTINCT s) FROM %s",
	"SELECT COUNT(*), SUM(i), MIN(d), MAX(s) FROM %s WHERE id < 0",
	"SELECT s, SUM(i) AS n FROM %s WHERE b > 0 OR b IS NULL GROUP BY s HAVING n > 3",
	"SELECT DISTINCT i FROM %s",
	"SELECT DISTINCT s, f FROM %s",
	"SELECT DISTINCT dt, d, i FROM %s",
	"SELECT i, s, id FROM %s ORDER BY i, s DESC, id",
	"SELECT f, id FROM %s ORDER BY f DESC, id LIMIT 20",
	"SELECT d, id FROM %s ORDER BY d, id DESC LIMIT 15 OFFSET 40",
	"SELECT ts, dt, id FROM %s ORDER BY ts DESC, dt, id",
	"SELECT b, id FROM %s ORDER BY b, id LIMIT 300",
	"SELECT i FROM %[1]s WHERE i > 0 UNION SELECT i + 1 FROM %[1]s",
	"SELECT i, d FROM %[1]s EXCEPT SELECT i, d FROM %[1]s WHERE b > 0",
	"SELECT i, s FROM %[1]s INTERSECT SELECT i, s FROM %[1]s WHERE b > 0",
}

// TestDifferential asks the same questions of batches, of our operators over rows
// and of the host's own executor, in which these values meet none of its faults.
func TestDifferential(t *testing.T) {
	db, e := openBoth(t)
	host := e.HostEngine()
	exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, i INT, b BIGINT, s VARCHAR(10), d DECIMAL(30,3), f DOUBLE, dt DATE, ts TIMESTAMP(3)) WITH ('bucket'='2')")
	rnd := rand.New(rand.NewPCG(11, 12))
	for part := range 3 {
		var rows []string
		for n := range 150 {
			rows = append(rows, randomRow(rnd, part*150+n))
		}
		exec(t, db, "INSERT INTO t VALUES "+strings.Join(rows, ","))
	}
	ours := host.Analyzer.ExecBuilder
	for _, q := range differentialQueries {
		ordered := strings.Contains(q, "ORDER BY")
		ask := func(table string) []string {
			rows := query(t, db, fmt.Sprintf(q, table))
			if !ordered {
				slices.Sort(rows)
			}
			return rows
		}
		batches := ask("t")
		rows := ask("(SELECT * FROM t) AS t")
		host.Analyzer.ExecBuilder = rowexec.DefaultBuilder
		theirs := ask("t")
		host.Analyzer.ExecBuilder = ours
		if !slices.Equal(batches, rows) {
			t.Errorf("%s:\nbatches %q\nrows    %q", q, batches, rows)
		}
		if !slices.Equal(batches, theirs) {
			t.Errorf("%s:\nbatches %q\nhost    %q", q, batches, theirs)
		}
	}
}

func randomRow(rnd *rand.Rand, id int) string {
	or := func(s string) string {
		if rnd.IntN(6) == 0 {
			return "NULL"
		}
		return s
	}
	texts := []string{"", "a", "A", "b", "é", "中", "a "}
	return fmt.Sprintf("(%d,%s,%s,%s,%s,%s,%s,%s)", id,
		or(fmt.Sprint(rnd.IntN(9)-3)),
		or(fmt.Sprint(rnd.IntN(2000)-1000)),
		or("'"+texts[rnd.IntN(len(texts))]+"'"),
		or(fmt.Sprintf("%d.%03d", rnd.IntN(5)-2, rnd.IntN(3)*125)),
		or(fmt.Sprint(float64(rnd.IntN(9)-4)/4)),
		or(fmt.Sprintf("'2024-02-%02d'", 1+rnd.IntN(4))),
		or(fmt.Sprintf("'2024-03-01 00:00:%02d.%03d'", rnd.IntN(20), rnd.IntN(2)*500)))
}

// TestArithmeticParameters calculates with values that the server learns after it
// has prepared the statement.
func TestArithmeticParameters(t *testing.T) {
	db := openEngine(t)
	exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, b BIGINT, d DECIMAL(10,2))")
	exec(t, db, "INSERT INTO t VALUES (1, 9223372036854775807, 1.25)")
	for q, want := range map[string]string{
		"SELECT SUM(b) + ?, d * ? FROM t GROUP BY d":                        "9223372036854775808|1.25",
		"SELECT id / ?, id DIV ? FROM t":                                    "1.0000|1",
		"SELECT COUNT(*), SUM(id + ?) FROM t WHERE id = ?":                  "1|2",
		"SELECT id + ? AS x FROM t UNION SELECT ? + 1.5 ORDER BY x LIMIT 1": "2.0",
	} {
		if got := query(t, db, q, 1, 1); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", q, got, want)
		}
	}
	for _, q := range []string{"SELECT b + ? FROM t", "SELECT 9223372036854775807 + ?", "UPDATE t SET b = b + ?", "INSERT INTO t (id, b) SELECT 2, b * 2 + ? FROM t"} {
		_, err := db.ExecContext(t.Context(), q, 1)
		var e *mysql.MySQLError
		if !errors.As(err, &e) || e.Number != 1690 {
			t.Errorf("%s: %v, want error 1690", q, err)
		}
	}
}
