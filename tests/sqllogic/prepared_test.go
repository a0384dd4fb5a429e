package sqllogic

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/tests/sqllogic/lake"
)

// TestPrepared runs statements of lakesql's dialect as prepared statements of the
// server with parameters, each twice.
func TestPrepared(t *testing.T) {
	l := lake.Start(t)
	db, err := sql.Open("mysql", l.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range []string{
		"CREATE TABLE t (k INT PRIMARY KEY, a INT, b INT, c VARCHAR(10)) WITH ('bucket'='1')",
		"INSERT INTO t VALUES (1,1,10,'p'),(2,1,20,'q'),(3,2,30,'r')",
		"CREATE TABLE v (k INT, doc VARIANT)",
		"CREATE TABLE p (k INT, d INT) PARTITIONED BY (d)",
	} {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	for _, x := range []struct {
		query string
		args  []any
		want  string
	}{
		{"SELECT a, SUM(b) FROM t WHERE b > ? GROUP BY a WITH ROLLUP", []any{5}, "1,30;2,30;NULL,60"},
		{"SELECT a, SUM(b + ?), GROUPING(a) FROM t GROUP BY a WITH ROLLUP HAVING SUM(b) > ?", []any{1, 30}, "NULL,63,1"},
		{"SELECT a + ? AS x, SUM(b) FROM t GROUP BY x WITH ROLLUP", []any{1}, "2,30;3,30;NULL,60"},
		{"SELECT a + ?, SUM(b) FROM t GROUP BY a + ? WITH ROLLUP", []any{1, 1}, "error 1055"}, // two parameters
		{"SELECT a + ? AS x, SUM(b) AS b FROM t GROUP BY a + ? HAVING b > ? ORDER BY x DESC", []any{1, 1, 5}, "3,30;2,30"},
		{"SELECT k FROM t WHERE b >= ALL (SELECT b FROM t WHERE k < ?) ORDER BY k", []any{3}, "2;3"},
		{"SELECT k FROM t WHERE b + ? > ANY (SELECT b FROM t WHERE k > ?) ORDER BY k", []any{1, 1}, "2;3"},
		{"SELECT k > SOME (SELECT k FROM t WHERE c = ?) FROM t WHERE k = ?", []any{"q", 3}, "1"},
		{"SELECT k, (SELECT MAX(o.b) FROM t AS o WHERE o.a = t.a AND o.b < ?) FROM t ORDER BY k", []any{25}, "1,20;2,20;3,NULL"},
		{"SELECT t.k, o.k FROM t JOIN t AS o ON o.a = t.a AND o.b > t.b + ? ORDER BY 1", []any{5}, "1,2"},
		{"SELECT @a := ?", []any{7}, "7"},
		{"SELECT @a := @a + k, @a := ? FROM t WHERE k <= ?", []any{7, 2}, "8,7;9,7"},
		{"SELECT a, SUM(SUM(b)) OVER (ORDER BY a) AS r FROM t WHERE b > ? GROUP BY a HAVING SUM(b) > ? ORDER BY a", []any{1, 2}, "1,30;2,60"},
		{"SELECT k, b FROM t /*+ OPTIONS('scan.snapshot-id'='1') */ WHERE k = ?", []any{3}, "3,30"},
		{"SELECT k, b FROM t OPTIONS ('scan.snapshot-id'='1') WHERE k = ?", []any{3}, "3,30"},
		{"SELECT k FROM t VERSION AS OF 1 WHERE k > ? ORDER BY k LIMIT ?", []any{1, 1}, "2"},
		{"SELECT k FROM t VERSION AS OF ? WHERE k > ? ORDER BY k", []any{1, 1}, "2;3"},
		{"SELECT COUNT(*) FROM t$snapshots WHERE snapshot_id <= ?", []any{1}, "1"},
		{"SELECT CAST(? AS STRING), CAST(? AS BIGINT)", []any{5, "6"}, "5,6"},
		{"SELECT STR_TO_DATE(?, '%X%V %W')", []any{"202644 Sunday"}, "2026-11-01"},
		{"INSERT INTO v VALUES (?, ?)", []any{1, `{"a":1}`}, ""},
		{"SELECT k, doc FROM v WHERE k = ? LIMIT 1", []any{1}, `1,{"a": 1}`},
		{"INSERT OVERWRITE p PARTITION (d = 1) SELECT k FROM t WHERE k < ?", []any{3}, ""},
		{"SELECT * FROM p WHERE d = ? ORDER BY k", []any{1}, "1,1;2,1"},
		{"CALL sys.compact(?)", []any{"default.t"}, "1"},
		{"CALL sys.compact(table => ?, compact_strategy => ?)", []any{"default.t", "full"}, "1"},
		{"INSERT OVERWRITE p PARTITION (d = 4) SELECT k FROM t WHERE k < ?", []any{2}, ""},
		{"SELECT * FROM p WHERE d IN (?, ?)", []any{4, 5}, "1,4"},
		{"INSERT INTO t VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE b = b + ?, c = VALUES(c)", []any{9, 9, 9, "z", 0}, ""},
		{"UPDATE t SET b = b + ? WHERE k > ALL (SELECT k FROM t WHERE k < ?)", []any{0, 9}, ""},
		{"DELETE FROM t WHERE k = ? OR k > ALL (SELECT k FROM p WHERE d = ?) AND k = ?", []any{100, 1, 9}, ""},
		{"SELECT k FROM t FOR SYSTEM_TIME AS OF ? WHERE k = ?", []any{"2038-01-01 00:00:00", 3}, "3"},
		{"SELECT k FROM t TIMESTAMP AS OF ? WHERE k = ?", []any{"2038-01-01 00:00:00", 3}, "3"},
		{"SELECT k, RANK() OVER w FROM t WHERE k > ? WINDOW w AS (ORDER BY b DESC) ORDER BY k", []any{1}, "2,2;3,1"},
		{"WITH RECURSIVE n AS (SELECT ? AS i UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT SUM(i) FROM n", []any{1, 4}, "10"},
		{"SELECT k FROM (SELECT k, b FROM t /*+ OPTIONS('scan.snapshot-id'='1') */ WHERE b > ?) d WHERE k < ?", []any{10, 3}, "2"},
		{"SHOW PARTITIONS p", nil, "d=1;d=4"},
		{"CHECKSUM TABLE nosuch", nil, "default.nosuch,NULL"},
		{"OPTIMIZE TABLE t", nil, "default.t,optimize,status,OK"},
		{"SELECT doc->>'$.a' + ? FROM v LIMIT ?", []any{1, 1}, "2"},
		{"SELECT INTERVAL(?, 1, 10, 100)", []any{50}, "2"},
		{"SELECT b FROM t WHERE (a, c) = (SELECT a, c FROM t WHERE k = ?)", []any{2}, "20"},
	} {
		for range 2 {
			got, err := prepared(db, x.query, x.args)
			var me *mysql.MySQLError
			if errors.As(err, &me) && strings.HasPrefix(x.want, "error") {
				got, err = fmt.Sprintf("error %d", me.Number), nil
			}
			if err != nil {
				t.Errorf("%s: %v", x.query, err)
			} else if got != x.want {
				t.Errorf("%s: got %s, want %s", x.query, got, x.want)
			}
		}
	}
}

// prepared runs one prepared statement and prints its rows.
func prepared(db *sql.DB, query string, args []any) (string, error) {
	s, err := db.Prepare(query)
	if err != nil {
		return "", fmt.Errorf("prepare: %w", err)
	}
	defer s.Close()
	rows, err := s.Query(args...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var out []string
	for rows.Next() {
		values, to := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			return "", err
		}
		cells := make([]string, len(names))
		for i, v := range values {
			cells[i] = "NULL"
			if v.Valid {
				cells[i] = v.String
			}
		}
		out = append(out, strings.Join(cells, ","))
	}
	return strings.Join(out, ";"), rows.Err()
}
