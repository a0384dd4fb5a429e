package sqllogic

import (
	"database/sql"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/tests/sqllogic/lake"
)

// TestForms runs every statement of the table in docs/sql.md and holds its third
// column against what happens: works, or refused by name (error 1235), or, for functions,
// not there (1305). With -v it
// prints the list.
func TestForms(t *testing.T) {
	text, err := os.ReadFile("../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "\n## Statements\n")
	if !ok {
		t.Fatal("docs/sql.md has no section Statements")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	n := 0
	for _, line := range strings.Split(table, "\n") {
		cells := strings.Split(strings.TrimSuffix(line, " |"), " | ")
		query, ok := strings.CutPrefix(cells[0], "| `")
		if !ok || len(cells) != 3 {
			continue
		}
		n++
		query = strings.TrimSuffix(query, "`")
		t.Run(query, func(t *testing.T) { runForm(t, query, cells[2]) })
	}
	if n < 50 {
		t.Errorf("only %d statements are documented", n)
	}
}

func runForm(t *testing.T, query, state string) {
	l := lake.Start(t)
	db, err := sql.Open("mysql", l.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	t.Chdir(l.Files)
	if err := os.WriteFile("f.csv", []byte("1,2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, s := range formSetup(query) {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	_, err = db.Exec(query)
	var me *mysql.MySQLError
	got := "works"
	switch {
	case err == nil:
	case errors.As(err, &me) && me.Number == 1235:
		got = "refused by name"
	case errors.As(err, &me) && me.Number == 1305:
		got = "no such function yet"
	default:
		t.Errorf("neither works nor is refused by name: %v", err)
		return
	}
	t.Logf("%-16s %s", got, query)
	if want, _, _ := strings.Cut(state, ":"); !strings.HasPrefix(want, got) {
		t.Errorf("%s, docs/sql.md says %q (%v)", got, state, err)
	}
}

// formSetup are the statements that make what a documented statement names.
func formSetup(query string) []string {
	plain := `CREATE TABLE t (k INT, a INT, b INT, c INT, d INT, e INT, g INT, dt STRING, ts TIMESTAMP(3), s ROW<g INT>, PRIMARY KEY (k)) WITH ('bucket'='4', 'write-only'='true')`
	parted := `CREATE TABLE t (a INT, dt STRING) PARTITIONED BY (dt)`
	source := `CREATE TABLE u (a INT)`
	switch {
	case strings.HasPrefix(query, "CREATE TABLE t LIKE"):
		return []string{source}
	case strings.HasPrefix(query, "CREATE DATABASE"), strings.HasPrefix(query, "CREATE CATALOG"):
		return nil
	case strings.HasPrefix(query, "CREATE") && strings.Contains(query, "TABLE"):
		return nil
	case strings.Contains(query, "DATABASE d"):
		return []string{"CREATE DATABASE d"}
	case strings.Contains(query, "PARTITION"), strings.HasPrefix(query, "SHOW PARTITIONS"):
		return []string{parted, source, "INSERT INTO t VALUES (1,'x'),(2,'y')"}
	case strings.Contains(query, "INTO t VALUES (1)"), strings.Contains(query, "ADD KEY i (a)"):
		return []string{"CREATE TABLE t (a INT, PRIMARY KEY (a))"}
	case strings.Contains(query, "INTO t VALUES (1, 2)"):
		return []string{"CREATE TABLE t (k INT, a INT, PRIMARY KEY (k))"}
	case strings.Contains(query, "db.t"):
		return []string{"CREATE DATABASE db", "CREATE TABLE db.t (a INT)"}
	case strings.Contains(query, "VERSION 5"):
		return []string{source, "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1)"}
	case strings.Contains(query, "USING s"):
		return []string{"CREATE TABLE t (k INT, PRIMARY KEY (k))", "CREATE TABLE s (k INT)"}
	case strings.Contains(query, "CHANGE e f"):
		return []string{"CREATE TABLE t (c INT, d INT, e INT, g INT)"}
	case strings.Contains(query, "ADD COLUMN c INT DEFAULT"):
		return []string{"CREATE TABLE t (d INT, e INT)"}
	case strings.Contains(query, "RENAME TO u"):
		return []string{"CREATE TABLE t (a INT)"}
	case strings.Contains(query, "s.f INT"):
		return []string{"CREATE TABLE t (s ROW<g INT>)"}
	}
	return []string{plain, source, "INSERT INTO t (k, b) VALUES (1, 2)"}
}
