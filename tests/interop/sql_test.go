package interop

import (
	"context"
	"database/sql"
	"encoding/json"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/catalog/filesystem"
	"github.com/lakesql/lakesql/sqlengine"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio/mem"
)

// openSQL starts the SQL engine on a warehouse that has a database for each fixture,
// by the name that the returned function gives.
func openSQL(t *testing.T, fixtures []*Fixture) (*sql.DB, func(f *Fixture, table string) string) {
	t.Helper()
	ctx := t.Context()
	store := mem.New(time.Now)
	database := func(f *Fixture) string { return strings.NewReplacer("/", "_", "-", "_", ".", "_").Replace(f.Name) }
	for _, f := range fixtures {
		for name, data := range f.Files {
			if rest, ok := strings.CutPrefix(name, "warehouse/default.db/"); ok {
				if err := store.CreateIfAbsent(ctx, "/warehouse/"+database(f)+".db/"+rest, data); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	env := storage.NewEnv(storage.Config{Store: store})
	t.Cleanup(env.Close)
	e, err := sqlengine.Open(ctx, sqlengine.Options{Catalog: filesystem.New(env, "/warehouse"), Store: store, Root: "/warehouse", NoPassword: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net = "root", "tcp"
	cfg.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { return e.Connect(ctx) }
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db, func(f *Fixture, table string) string {
		return "`" + database(f) + "`.`" + strings.TrimPrefix(table, "default.") + "`"
	}
}

// TestFixturesBySQL asks the conditions of the fixtures in SQL.
func TestFixturesBySQL(t *testing.T) {
	fixtures, err := Fixtures()
	if err != nil {
		t.Fatal(err)
	}
	fixtures = slices.DeleteFunc(fixtures, func(f *Fixture) bool { return len(f.Filters) == 0 })
	skip := laterReads(t)
	db, name := openSQL(t, fixtures)
	for _, f := range fixtures {
		t.Run(f.Name, func(t *testing.T) {
			for _, w := range f.Filters {
				if firstOf(skip, label(f, &Read{Table: w.Table, Mode: "batch"})) != nil {
					continue
				}
				where := strings.Replace(w.Where, "dec ", "`dec` ", 1) // a reserved word
				query := "SELECT * FROM " + name(f, w.Table) + " WHERE " + where
				want, err := f.Rows(w.Expect)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := firstColumn(t.Context(), db, query); err != nil {
					t.Errorf("%s: %v", query, err)
				} else if err := difference(got, firstValues(want)); err != nil {
					t.Errorf("%s: %v", query, err)
				}
				var n int
				count := strings.Replace(query, "*", "COUNT(*)", 1)
				if err := db.QueryRowContext(t.Context(), count).Scan(&n); err != nil || n != len(want) {
					t.Errorf("%s: %d, %v, want %d", count, n, err, len(want))
				}
			}
		})
	}
}

// firstColumn are the values of a query's first column, sorted; the types of the
// others differ in their text.
func firstColumn(ctx context.Context, db *sql.DB, query string) ([]string, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	cells := make([]sql.RawBytes, len(cols))
	to := make([]any, len(cols))
	for i := range cells {
		to[i] = &cells[i]
	}
	var out []string
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		text := "null"
		if cells[0] != nil {
			text = string(cells[0])
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out, rows.Err()
}

// firstValues are the first values of canonical rows as SQL prints numbers and text.
func firstValues(rows []string) []string {
	var out []string
	for _, r := range rows {
		v := values(r)[0]
		var s string
		if json.Unmarshal(v, &s) != nil {
			s = string(v)
		} else if string(v) == "null" {
			s = "null"
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}
