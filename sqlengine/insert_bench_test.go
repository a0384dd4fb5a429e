package sqlengine_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/catalog/filesystem"
	"github.com/lakesql/lakesql/sqlengine"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/local"
	"github.com/lakesql/lakesql/storage/fileio/mem"
)

// benchmarkEngine opens an engine over a store, and one connection to it.
func benchmarkEngine(b *testing.B, store fileio.Store, root string) (run func(q string)) {
	env := storage.NewEnv(storage.Config{Store: store})
	e, err := sqlengine.Open(b.Context(), sqlengine.Options{Catalog: filesystem.New(env, root), Store: store, Root: root})
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
	return func(q string) {
		if _, err := db.ExecContext(b.Context(), q); err != nil {
			b.Fatal(err)
		}
	}
}

const benchmarkColumns = "(a BIGINT, b INT, c VARCHAR(20), d DECIMAL(12,2), e DOUBLE, f DATETIME(3), g DATE, h BOOLEAN)"

// BenchmarkInsert measures statements of constants inside one transaction, so that
// no commit is part of them; "host" adds an expression, which takes the host's way.
func BenchmarkInsert(b *testing.B) {
	run := benchmarkEngine(b, mem.New(time.Now), "/lake")
	run("CREATE TABLE t " + benchmarkColumns)
	for _, path := range []struct{ name, first string }{{"constants", "7"}, {"host", "3+4"}} {
		for _, rows := range []int{1, 1000} {
			b.Run(fmt.Sprintf("%s-%d", path.name, rows), func(b *testing.B) {
				one := "(" + path.first + ", 12, 'some text', 123.45, 1.5, '2026-01-02 03:04:05.678', '2026-01-02', TRUE)"
				q := "INSERT INTO t VALUES " + one + strings.Repeat(", "+one, rows-1)
				run("BEGIN")
				for b.Loop() {
					run(q)
				}
				b.ReportMetric(float64(b.N*rows)/b.Elapsed().Seconds(), "rows/s")
				run("ROLLBACK")
			})
		}
	}
}

// BenchmarkLoad measures LOAD DATA LOCAL of a million rows on one core, from the client's
// packets to the commit on a local disk.
func BenchmarkLoad(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	root := filepath.ToSlash(b.TempDir())
	run := benchmarkEngine(b, local.New(root), root)
	const rows = 1_000_000
	var text []byte
	for k := range rows {
		text = fmt.Appendf(text, "%d,%d,text %d,%d.%02d,%g,2026-01-02 03:%02d:%02d.678,2026-01-%02d,%d\n",
			k, k%1000, k%5000, k%100_000, k%100, float64(k)/8, k/60%60, k%60, k%28+1, k%2)
	}
	mysql.RegisterReaderHandler("bench", func() io.Reader { return bytes.NewReader(text) })
	b.SetBytes(int64(len(text)))
	for _, table := range []struct{ name, key, options string }{
		{"append", "", ""}, {"keyed", ", PRIMARY KEY (a)", " WITH ('bucket'='1')"},
	} {
		b.Run(table.name, func(b *testing.B) {
			for b.Loop() {
				run("DROP TABLE IF EXISTS t")
				run("CREATE TABLE t " + strings.TrimSuffix(benchmarkColumns, ")") + table.key + ")" + table.options)
				run("LOAD DATA LOCAL INFILE 'Reader::bench' INTO TABLE t FIELDS TERMINATED BY ','")
			}
			b.ReportMetric(float64(b.N*rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
