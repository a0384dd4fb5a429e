package oracle

import (
	"bytes"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/tests/sqllogic/runner"
)

// dsn is where the server is, up to and with the slash before the database.
var dsn = flag.String("dsn", "", "server to run against, as root@unix(/run/s.sock)/")

// kind is the name by which "only" and "server" know the server.
const kind = "mariadb"

// TestScripts runs every script that has something for this server in a database
// of its own.
func TestScripts(t *testing.T) {
	if *dsn == "" {
		t.Skip("no server: tests/oracle/run starts one")
	}
	files, err := filepath.Glob("../sqllogic/*/*.test")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	db, err := sql.Open("mysql", *dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		records, err := runner.Parse(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if !applies(records) {
			continue
		}
		rel, err := filepath.Rel("../sqllogic", file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(rel), func(t *testing.T) {
			for _, protocol := range []string{"text", "binary"} {
				run(t, db, fmt.Sprintf("d%d", i), filepath.ToSlash(rel), records, protocol)
			}
		})
	}
}

// applies reports whether a script has a record for this server.
func applies(records []runner.Record) bool {
	for _, r := range records {
		if r.Only == "" || r.Only == kind {
			return true
		}
	}
	return false
}

func run(t *testing.T, db *sql.DB, name, file string, records []runner.Record, protocol string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, s := range []string{"DROP DATABASE IF EXISTS " + name, "DROP DATABASE IF EXISTS shop", "CREATE DATABASE " + name} {
		if _, err := db.ExecContext(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	at, params, _ := strings.Cut(*dsn, "?")
	srv := &runner.Server{Kind: kind, DSN: at + name + "?allowAllFiles=true&" + params, Dir: t.TempDir()}
	if err := runner.Run(ctx, srv, records, protocol); err != nil {
		t.Errorf("%s, %s protocol, %v", file, protocol, err)
	}
}
