package sqlengine_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/catalog/filesystem"
	"github.com/lakesql/lakesql/sqlengine"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio/mem"
)

// BenchmarkInsert measures statements of constants inside one transaction, so that
// no commit is part of them; "host" adds an expression, which takes the host's way.
func BenchmarkInsert(b *testing.B) {
	store := mem.New(time.Now)
	env := storage.NewEnv(storage.Config{Store: store})
	e, err := sqlengine.Open(b.Context(), sqlengine.Options{Catalog: filesystem.New(env, "/lake"), Store: store, Root: "/lake"})
	if err != nil {
		b.Fatal(err)
	}
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = "root", "local", "local", "default"
	cfg.Logger = &mysql.NopLogger{}
	cfg.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { return e.Connect(ctx) }
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		b.Fatal(err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	b.Cleanup(func() {
		if err := errors.Join(db.Close(), e.Close()); err != nil && !errors.Is(err, net.ErrClosed) {
			b.Error(err)
		}
		env.Close()
	})
	run := func(b *testing.B, q string) {
		if _, err := db.ExecContext(b.Context(), q); err != nil {
			b.Fatal(err)
		}
	}
	run(b, "CREATE TABLE t (a BIGINT, b INT, c VARCHAR(20), d DECIMAL(12,2), e DOUBLE, f DATETIME(3), g DATE, h BOOLEAN)")
	for _, path := range []struct{ name, first string }{{"constants", "7"}, {"host", "3+4"}} {
		for _, rows := range []int{1, 1000} {
			b.Run(fmt.Sprintf("%s-%d", path.name, rows), func(b *testing.B) {
				one := "(" + path.first + ", 12, 'some text', 123.45, 1.5, '2026-01-02 03:04:05.678', '2026-01-02', TRUE)"
				q := "INSERT INTO t VALUES " + one + strings.Repeat(", "+one, rows-1)
				run(b, "BEGIN")
				for b.Loop() {
					run(b, q)
				}
				b.ReportMetric(float64(b.N*rows)/b.Elapsed().Seconds(), "rows/s")
				run(b, "ROLLBACK")
			})
		}
	}
}
