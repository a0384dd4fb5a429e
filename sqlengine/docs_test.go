package sqlengine_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"
)

// section is a chapter of a page of the documentation.
func section(t *testing.T, page, title string) string {
	t.Helper()
	text, err := os.ReadFile("../" + page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "\n## "+title+"\n")
	if !ok {
		t.Fatalf("%s has no section %s", page, title)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	return rest
}

// needs are the statements that a documented statement stands on. t, u and s are
// made for each statement anew.
func needs(statement string) []string {
	drop := "DROP TABLE IF EXISTS t, u, s"
	switch word := strings.Fields(statement); {
	case strings.HasPrefix(statement, "CREATE TABLE t LIKE u"):
		return []string{drop, "CREATE TABLE u (k INT)"}
	case word[0] == "CREATE" && strings.Contains(statement, "TABLE"):
		return []string{drop}
	case strings.Contains(statement, "COLUMN c INT"):
		return []string{drop, "CREATE TABLE t (d INT, e INT, g INT)"}
	case strings.Contains(statement, "MODIFY c"):
		return []string{drop, "CREATE TABLE t (c INT, d INT, e VARCHAR(5), g INT)"}
	case strings.Contains(statement, "s.f INT"):
		return []string{drop, "CREATE TABLE t (k INT, s ROW<g INT, h INT>)"}
	case strings.Contains(statement, "AS OF VERSION 5"), strings.Contains(statement, "TAG"):
		list := []string{drop, "CREATE TABLE t (k INT, PRIMARY KEY (k)) WITH ('bucket'='1')"}
		for range 5 {
			list = append(list, "INSERT INTO t VALUES (1)")
		}
		return list
	case strings.Contains(statement, "PARTITION (dt='x') SELECT"), strings.Contains(statement, "PARTITION (dt='x') (a)"):
		return []string{drop, "CREATE TABLE t (a INT, dt STRING) PARTITIONED BY (dt)", "CREATE TABLE u (a INT)", "INSERT INTO u VALUES (1)"}
	case strings.Contains(statement, "PARTITION"):
		return []string{drop, "CREATE TABLE t (a INT, dt STRING) PARTITIONED BY (dt)", "INSERT INTO t VALUES (1, 'x'), (2, 'y')"}
	case strings.Contains(statement, "MERGE"):
		return []string{drop, "CREATE TABLE t (k INT, PRIMARY KEY (k))", "CREATE TABLE s (k INT)"}
	case strings.Contains(statement, "VALUES (1, 2)"):
		return []string{drop, "CREATE TABLE t (k INT, a INT, PRIMARY KEY (k))"}
	case strings.Contains(statement, "VALUES (1)"):
		return []string{drop, "CREATE TABLE t (k INT, PRIMARY KEY (k))"}
	case strings.Contains(statement, "VIEW"):
		return []string{drop, "CREATE TABLE t (k INT)", "INSERT INTO t VALUES (1)"}
	case word[0] == "LOAD":
		return []string{drop, "CREATE TABLE t (k INT, b INT)"}
	case strings.Contains(statement, "TUMBLE"):
		return []string{drop, "CREATE TABLE t (ts DATETIME)"}
	case strings.Contains(statement, "db.t"):
		return []string{"DROP DATABASE IF EXISTS db", "CREATE DATABASE db", "CREATE TABLE db.t (k INT, PRIMARY KEY (k)) WITH ('bucket'='1')", "INSERT INTO db.t VALUES (1)"}
	case strings.Contains(statement, "DATABASE d ") && word[0] != "CREATE":
		return []string{"CREATE DATABASE IF NOT EXISTS d", drop}
	}
	return []string{drop, "CREATE TABLE t (b INT, a INT, PRIMARY KEY (b)) WITH ('bucket'='1')", "INSERT INTO t VALUES (2, 3)"}
}

// What docs/sql.md says of each statement is what happens with it.
func TestDocumentedState(t *testing.T) {
	db := openEngine(t)
	seen := 0
	table := section(t, "docs/sql.md", "Statements")
	t.Chdir(query(t, db, "SELECT @@secure_file_priv")[0])
	if err := os.WriteFile("f.csv", []byte("1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	driver.RegisterLocalFile("f.csv")
	defer driver.DeregisterLocalFile("f.csv")
	for _, line := range strings.Split(table, "\n") {
		cells := strings.Split(strings.TrimSuffix(line, " |"), " | ")
		statement, ok := strings.CutPrefix(cells[0], "| `")
		if !ok || len(cells) != 3 {
			continue
		}
		seen++
		statement = strings.TrimSuffix(statement, "`")
		c := conn(t, db)
		for _, s := range needs(statement) {
			exec(t, c, s)
		}
		_, err := c.ExecContext(t.Context(), statement)
		var e *driver.MySQLError
		switch state := cells[2]; {
		case strings.HasPrefix(state, "works"):
			if err != nil {
				t.Errorf("%s: %v, docs/sql.md says that it works", statement, err)
			}
		case strings.HasPrefix(state, "refused by name"):
			if !errors.As(err, &e) || e.Number != 1235 {
				t.Errorf("%s: %v, docs/sql.md says that it is refused by name", statement, err)
			}
		case state == "no such function yet":
			if !errors.As(err, &e) || e.Number != 1305 {
				t.Errorf("%s: %v, docs/sql.md says that the function is missing", statement, err)
			}
		default:
			t.Errorf("%s: docs/sql.md does not say what happens", statement)
		}
		_ = c.Close()
	}
	if seen < 50 {
		t.Errorf("only %d statements are documented", seen)
	}
}

// The session in README.md works when pasted.
func TestReadmeSession(t *testing.T) {
	db := openEngine(t)
	_, text, ok := strings.Cut(section(t, "README.md", "Try it"), "```sql\n")
	if !ok {
		t.Fatal("README.md has no session")
	}
	text, _, _ = strings.Cut(text, "```")
	rows, err := db.QueryContext(context.WithoutCancel(t.Context()), text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var results []int
	for {
		n := 0
		for rows.Next() {
			n++
		}
		results = append(results, n)
		if !rows.NextResultSet() {
			break
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("after the results %v: %v", results, err)
	}
	wantRows(t, query(t, db, "SELECT order_id, status, amount FROM orders"), "1|paid|120.00")
}
