package sqlengine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/storage"
)

// Whatever keeps rows ends its statement with an error that names the limit when it
// outgrows the server's memory, gives all of it back, and lets other sessions be.
func TestMemoryLimit(t *testing.T) {
	const limit = 2 << 20
	db, _, env := openWith(t, storage.Config{MemoryBytes: limit})
	const rows = 30_000
	exec(t, db, "CREATE TABLE many (k INT PRIMARY KEY, v INT, s VARCHAR(100))")
	exec(t, db, "CREATE TABLE logged (k INT, v INT, s VARCHAR(100))")
	var keys []string
	for k := range rows {
		keys = append(keys, fmt.Sprintf("(%d,%d,'a text of some length, so that rows take room %d')", k, k%7, k))
	}
	for part := range slices.Chunk(keys, 2000) {
		exec(t, db, "INSERT INTO many VALUES "+strings.Join(part, ","))
		exec(t, db, "INSERT INTO logged VALUES "+strings.Join(part, ","))
	}
	other := conn(t, db)
	c := conn(t, db)
	base := env.Budget().Used() // buffers that wait for the next INSERT
	for _, q := range []string{
		// On batches.
		"SELECT * FROM many ORDER BY s",
		"SELECT s, COUNT(*) FROM many GROUP BY s",
		"SELECT DISTINCT s FROM many",
		"SELECT COUNT(DISTINCT s) FROM many",
		// On rows.
		"SELECT * FROM many ORDER BY CONCAT(s, 'x')",
		"SELECT * FROM many ORDER BY CONCAT(s, 'x') LIMIT 28000",
		"SELECT CONCAT(s, 'x'), COUNT(*) FROM many GROUP BY CONCAT(s, 'x')",
		"SELECT DISTINCT CONCAT(s, 'x') FROM many",
		"SELECT v, COUNT(DISTINCT CONCAT(s, 'x')) FROM many GROUP BY v",
		"SELECT SUM(DISTINCT k + 0.1), SUM(DISTINCT k + 0.2), AVG(DISTINCT k + 0.3) FROM many",
		"SELECT v, GROUP_CONCAT(s ORDER BY k) FROM many GROUP BY v",
		"SELECT JSON_ARRAYAGG(s) FROM many",
		"SELECT JSON_OBJECTAGG(k, s) FROM many",
		"SELECT MAX(CONCAT(s, 'x')) FROM many GROUP BY k",
		"SELECT k, ROW_NUMBER() OVER (ORDER BY s) FROM many",
		"SELECT s FROM many UNION SELECT CONCAT(s, 'y') FROM many",
		"SELECT s FROM many EXCEPT SELECT CONCAT(s, 'y') FROM many",
		"SELECT s FROM many INTERSECT SELECT CONCAT(s, 'y') FROM many",
		"SELECT COUNT(*) FROM many a JOIN many b ON a.k = b.v",
		"SELECT COUNT(*) FROM many a LEFT JOIN logged b ON a.v = b.k",
		"SELECT COUNT(*) FROM many a JOIN (SELECT CONCAT(s, 'x') s, k FROM many) b ON a.k = b.k",
		"SELECT COUNT(*) FROM many WHERE CONCAT(s, 'x') NOT IN (SELECT CONCAT(s, 'y') FROM many)",
		"WITH RECURSIVE r AS (SELECT 1 AS n, REPEAT('x', 1000) AS s UNION ALL SELECT n + 1, CONCAT(s, n) FROM r WHERE n < 2000) SELECT * FROM r ORDER BY s",
		"WITH RECURSIVE r AS (SELECT 1 AS n, REPEAT('x', 1000) AS s UNION SELECT n + 1, CONCAT(s, n) FROM r WHERE n < 2000) SELECT COUNT(*) FROM r",
		// Statements that change rows.
		"UPDATE many SET k = k + 100000",
		"REPLACE INTO many SELECT * FROM many",
		"INSERT IGNORE INTO many SELECT * FROM logged",
		"INSERT INTO many SELECT * FROM logged ON DUPLICATE KEY UPDATE v = 1",
		"UPDATE many a JOIN logged b ON a.k = b.k SET a.v = 100",
		"DELETE a FROM logged a JOIN many b ON a.k = b.k",
		"UPDATE logged SET v = v + 100",
		"DELETE FROM logged WHERE k >= 0",
	} {
		var err error
		if strings.HasPrefix(q, "SELECT") || strings.HasPrefix(q, "WITH") {
			_, err = tryQuery(t.Context(), c, q)
		} else {
			_, err = c.ExecContext(t.Context(), q)
		}
		var me *mysql.MySQLError
		switch {
		case !errors.As(err, &me) || me.Number != 1037:
			t.Errorf("%s: %v, want error 1037", q, err)
		case !strings.Contains(me.Message, "2.0 MiB (--memory-limit)"):
			t.Errorf("%s: the error does not name the limit: %s", q, me.Message)
		}
		if n := env.Budget().Used(); n > base {
			t.Errorf("%s: %d bytes are not given back", q, n)
		}
		wantRows(t, query(t, other, "SELECT k FROM many WHERE k < 3 ORDER BY s"), "0", "1", "2")
	}
	// What fits goes on.
	wantRows(t, query(t, c, "SELECT k FROM many ORDER BY CONCAT('x', s) LIMIT 2"), "0", "1")
	wantRows(t, query(t, c, "SELECT COUNT(*) FROM many a JOIN many b ON a.k = b.k AND b.k < 100"), "100")
	wantRows(t, query(t, c, "SELECT COUNT(*) FROM many WHERE k < 30 AND v = (SELECT MAX(x.v) FROM many x WHERE x.k = many.k)"), "30")
	wantRows(t, query(t, c, "SELECT COUNT(*), SUM(v) FROM logged"), fmt.Sprintf("%d|%d", rows, sumOfSevens(rows)))

	// A transaction cannot outgrow it either, and ends nothing but its statement.
	exec(t, c, "BEGIN")
	exec(t, c, "INSERT INTO many VALUES (-1,0,'first')")
	if _, err := c.ExecContext(t.Context(), "INSERT INTO many SELECT k + 1000000, v, s FROM many"); err == nil {
		t.Error("a transaction outgrew memory")
	}
	exec(t, c, "COMMIT")
	wantRows(t, query(t, c, "SELECT COUNT(*) FROM many"), fmt.Sprint(rows+1))
	if n := env.Budget().Used(); n > base {
		t.Errorf("%d bytes are not given back", n)
	}
}

// What a statement keeps of a table that it reads again and again is no reason to fail:
// rows that do not fit are read anew.
func TestRowsReadAgainDoNotFit(t *testing.T) {
	const limit = 2 << 20
	db, _, env := openWith(t, storage.Config{MemoryBytes: limit})
	exec(t, db, "CREATE TABLE many (k INT PRIMARY KEY, v INT, s VARCHAR(100))")
	var keys []string
	for k := range 30_000 {
		keys = append(keys, fmt.Sprintf("(%d,%d,'a text of some length, so that rows take room %d')", k, k%7, k))
	}
	for part := range slices.Chunk(keys, 2000) {
		exec(t, db, "INSERT INTO many VALUES "+strings.Join(part, ","))
	}
	base := env.Budget().Used()
	for q, want := range map[string]string{
		"SELECT COUNT(*), SUM((SELECT COUNT(x.s) FROM many x WHERE x.v = many.v AND x.s > '')) FROM many WHERE k < 8":     "8|34286",
		"SELECT COUNT(*) FROM many WHERE k < 8 AND EXISTS (SELECT 1 FROM many x WHERE x.k = many.k + 29996 AND x.s > '')": "4",
		"SELECT COUNT(*), MIN(x.s) FROM many JOIN many x ON x.k = many.k + 29990 AND x.v >= many.v WHERE many.k < 12":     "8|a text of some length, so that rows take room 29990",
		// Their index.
		"SELECT COUNT(*) FROM many WHERE k < 8 AND EXISTS (SELECT 1 FROM many x WHERE x.k = many.k + 29996)": "4",
	} {
		wantRows(t, query(t, db, q), want)
		if n := env.Budget().Used(); n > base {
			t.Errorf("%s: %d bytes are not given back", q, n)
		}
	}
}

func sumOfSevens(rows int) (n int) {
	for k := range rows {
		n += k % 7
	}
	return n
}
