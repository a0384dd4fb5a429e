package sqlengine_test

import (
	"fmt"
	"sync"
	"testing"
)

// A statement that loses a conflict runs again, also the parts of it that ran once
// for all rows: subqueries, joins and derived tables.
func TestStatementsThatRunAgainReadAnew(t *testing.T) {
	for name, q := range map[string]string{
		"scalar subquery": "UPDATE t SET n = (SELECT MAX(n) FROM t) + 1 WHERE id = 1",
		"IN":              "UPDATE t SET n = n + 1 WHERE id = 1 AND n IN (SELECT n FROM t)",
		"NOT IN":          "UPDATE t SET n = n + 1 WHERE id = 1 AND n + 1 NOT IN (SELECT n FROM t WHERE id = 1)",
		"EXISTS":          "UPDATE t SET n = n + 1 WHERE id = 1 AND EXISTS (SELECT 1 FROM t AS o WHERE o.n = t.n)",
		"join":            "UPDATE t JOIN t AS o ON o.n = t.n SET t.n = t.n + 1 WHERE t.id = 1",
		"derived table":   "UPDATE t JOIN (SELECT MAX(n) AS n FROM t) AS o ON o.n >= t.n SET t.n = o.n + 1 WHERE t.id = 1",
		"replace":         "REPLACE INTO t SELECT 1, (SELECT MAX(n) FROM t) + 1",
	} {
		t.Run(name, func(t *testing.T) {
			db := openEngine(t)
			exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT)")
			exec(t, db, "INSERT INTO t VALUES (1,0),(2,-1)")
			var wg sync.WaitGroup
			const sessions, times = 4, 10
			for range sessions {
				c := conn(t, db)
				wg.Go(func() {
					for range times {
						if _, err := c.ExecContext(t.Context(), q); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			wantRows(t, query(t, db, "SELECT n FROM t WHERE id = 1"), fmt.Sprint(sessions*times))
		})
	}
}
