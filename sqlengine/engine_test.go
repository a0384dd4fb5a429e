package sqlengine_test

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/catalog/filesystem"
	"github.com/lakesql/lakesql/sqlengine"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio/mem"
)

// openEngine opens an engine over an empty warehouse in memory and a pool of
// connections to it.
func openEngine(t *testing.T) *sql.DB {
	t.Helper()
	db, _ := openBoth(t)
	return db
}

// openBoth is openEngine that gives the engine too.
func openBoth(t *testing.T) (*sql.DB, *sqlengine.Engine) {
	t.Helper()
	db, e, _ := openWith(t, storage.Config{})
	return db, e
}

// openWith is openBoth with a configuration, whose store it makes if there is none.
func openWith(t *testing.T, c storage.Config) (*sql.DB, *sqlengine.Engine, *storage.Env) {
	t.Helper()
	if c.Store == nil {
		c.Store = mem.New(time.Now)
	}
	env := storage.NewEnv(c)
	e, err := sqlengine.Open(t.Context(), sqlengine.Options{
		Catalog: filesystem.New(env, "/lake"), Store: c.Store, Root: "/lake", Budget: env.Budget(), SecureFilePriv: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName, cfg.MultiStatements = "root", "local", "local", "default", true
	cfg.Logger = &mysql.NopLogger{}
	cfg.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { return e.Connect(ctx) }
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), e.Close()); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
		env.Close()
	})
	return db, e, env
}

func exec(t *testing.T, db interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}, query string, args ...any) int64 {
	t.Helper()
	r, err := db.ExecContext(t.Context(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	n, err := r.RowsAffected()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// query returns rows as texts, columns joined by a bar.
func query(t *testing.T, db interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}, q string, args ...any) []string {
	t.Helper()
	out, err := tryQuery(t.Context(), db, q, args...)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	return out
}

// tryQuery is query whose error is looked at.
func tryQuery(ctx context.Context, db interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}, q string, args ...any) (out []string, err error) {
	rows, err := db.QueryContext(ctx, q, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		vals := make([]sql.NullString, len(cols))
		ptrs := make([]any, len(cols))
		for i := range vals {
			ptrs[i] = &vals[i]
		}
		if err := rows.Scan(ptrs...); err != nil {
			return nil, err
		}
		var line []string
		for _, v := range vals {
			if !v.Valid {
				v.String = "NULL"
			}
			line = append(line, v.String)
		}
		out = append(out, strings.Join(line, "|"))
	}
	return out, rows.Err()
}

func wantRows(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func wantCode(t *testing.T, db *sql.DB, q string, code uint16, state string) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), q)
	var e *mysql.MySQLError
	if !errors.As(err, &e) || e.Number != code || string(e.SQLState[:]) != state {
		t.Errorf("%s: got error %v, want %d (%s)", q, err, code, state)
	}
}

// The host keeps its parser in process-wide variables, so that a process has one
// engine at a time: the subtests share it.
func TestEngine(t *testing.T) {
	db := openEngine(t)
	t.Run("worked example", func(t *testing.T) { testExample(t, db) })
	t.Run("affected rows", func(t *testing.T) { testAffected(t, db) })
	t.Run("transactions", func(t *testing.T) { testTransactions(t, db) })
	t.Run("failed statement leaves nothing", func(t *testing.T) { testFailedStatement(t, db) })
	t.Run("lost updates", func(t *testing.T) { testLostUpdates(t, db) })
	t.Run("both protocols", func(t *testing.T) { testProtocols(t, db) })
	t.Run("error numbers", func(t *testing.T) { testErrors(t, db) })
	t.Run("kill", func(t *testing.T) { testKill(t, db) })
	t.Run("large result", func(t *testing.T) { testLarge(t, db) })
	t.Run("second engine", func(t *testing.T) {
		_, err := sqlengine.Open(t.Context(), sqlengine.Options{})
		if !errors.Is(err, sqlengine.ErrOpen) {
			t.Errorf("got %v, want ErrOpen", err)
		}
	})
}

func testExample(t *testing.T, db *sql.DB) {
	exec(t, db, `CREATE TABLE orders (
  order_id BIGINT, dt STRING, customer_id BIGINT, status STRING, amount DECIMAL(12,2), updated_at TIMESTAMP(3),
  PRIMARY KEY (order_id, dt) NOT ENFORCED
) PARTITIONED BY (dt) WITH ('bucket'='2', 'sequence.field'='updated_at')`)
	exec(t, db, `INSERT INTO orders VALUES (1,'d1',7,'new',100.00,'2026-11-01 10:00:00'), (2,'d1',7,'new',30.00,'2026-11-01 10:00:01')`)
	exec(t, db, `INSERT INTO orders VALUES (1,'d1',7,'paid',120.00,'2026-11-01 10:05:00')`)
	exec(t, db, `INSERT INTO orders VALUES (1,'d1',7,'late',999.00,'2026-11-01 09:00:00')`)
	wantRows(t, query(t, db, "SELECT order_id, status, amount, updated_at FROM orders ORDER BY order_id"),
		"1|paid|120.00|2026-11-01 10:05:00.000", "2|new|30.00|2026-11-01 10:00:01.000")
	wantRows(t, query(t, db, "SELECT order_id, status FROM orders VERSION AS OF 1 ORDER BY 1"), "1|new", "2|new")
	wantRows(t, query(t, db, "SELECT order_id, status FROM orders OPTIONS ('scan.snapshot-id'='1') WHERE order_id = 1"), "1|new")
	wantRows(t, query(t, db, "SELECT snapshot_id, commit_kind FROM orders$snapshots"), "1|APPEND", "2|APPEND", "3|APPEND")
	exec(t, db, "CALL sys.create_tag('orders', 'one', 1)")
	exec(t, db, "CALL sys.compact(table => 'default.orders', compact_strategy => 'full')")
	exec(t, db, "CALL sys.expire_snapshots('orders', retain_max => 1)")
	wantRows(t, query(t, db, "SELECT snapshot_id, commit_kind FROM orders$snapshots"), "4|COMPACT")
	wantRows(t, query(t, db, "SELECT status FROM orders VERSION AS OF 'one' WHERE order_id = 1"), "new")
	if got := query(t, db, "SHOW PARTITIONS orders"); !slices.Equal(got, []string{"dt=d1"}) {
		t.Errorf("partitions: %q", got)
	}
}

func testAffected(t *testing.T, db *sql.DB) {
	exec(t, db, "CREATE TABLE af (id INT, v INT, PRIMARY KEY (id)) WITH ('bucket'='1')")
	for _, s := range []struct {
		stmt string
		want int64
	}{
		{"INSERT INTO af VALUES (1,10)", 1},
		{"REPLACE INTO af VALUES (1,11)", 2},
		{"INSERT INTO af VALUES (1,12) ON DUPLICATE KEY UPDATE v = 12", 2},
		{"INSERT INTO af VALUES (1,12) ON DUPLICATE KEY UPDATE v = 12", 0},
		{"INSERT INTO af VALUES (2,1) ON DUPLICATE KEY UPDATE v = 1", 1},
		{"UPDATE af SET v = 1 WHERE id = 2", 0},
		{"UPDATE af SET v = v + 1", 2},
		{"INSERT IGNORE INTO af VALUES (2,5),(3,6),(3,7)", 1},
		{"INSERT INTO af VALUES (3,1),(3,2) ON DUPLICATE KEY UPDATE v = v + VALUES(v)", 4},
		{"DELETE FROM af WHERE id = 1", 1},
		{"INSERT INTO af VALUES (3,100)", 1},
	} {
		if n := exec(t, db, s.stmt); n != s.want {
			t.Errorf("%s: %d rows affected, want %d", s.stmt, n, s.want)
		}
	}
	wantRows(t, query(t, db, "SELECT * FROM af ORDER BY id"), "2|2", "3|100")
	if n := exec(t, db, "DELETE FROM af"); n != 2 {
		t.Errorf("DELETE without condition: %d rows affected, want 2", n)
	}
}

func conn(t *testing.T, db *sql.DB) *sql.Conn {
	t.Helper()
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func testTransactions(t *testing.T, db *sql.DB) {
	exec(t, db, "CREATE TABLE tx (id INT, v INT, PRIMARY KEY (id))")
	exec(t, db, "INSERT INTO tx VALUES (1,1)")
	a, b := conn(t, db), conn(t, db)
	exec(t, a, "BEGIN")
	exec(t, a, "INSERT INTO tx VALUES (2,2)")
	exec(t, a, "SAVEPOINT s")
	exec(t, a, "INSERT INTO tx VALUES (3,3)")
	wantRows(t, query(t, a, "SELECT id FROM tx ORDER BY id"), "1", "2", "3")
	wantRows(t, query(t, b, "SELECT id FROM tx ORDER BY id"), "1")
	exec(t, a, "ROLLBACK TO s")
	wantRows(t, query(t, a, "SELECT id FROM tx ORDER BY id"), "1", "2")
	exec(t, b, "INSERT INTO tx VALUES (9,9)")
	wantRows(t, query(t, a, "SELECT id FROM tx ORDER BY id"), "1", "2")
	exec(t, a, "COMMIT")
	wantRows(t, query(t, b, "SELECT id FROM tx ORDER BY id"), "1", "2", "9")
	exec(t, a, "BEGIN")
	exec(t, a, "DELETE FROM tx")
	wantRows(t, query(t, a, "SELECT id FROM tx"))
	exec(t, a, "ROLLBACK")
	wantRows(t, query(t, a, "SELECT COUNT(*) FROM tx"), "3")
}

func testFailedStatement(t *testing.T, db *sql.DB) {
	c := conn(t, db)
	exec(t, c, "CREATE TABLE fail (id INT, v VARCHAR(3), PRIMARY KEY (id))")
	if _, err := c.ExecContext(t.Context(), "INSERT INTO fail VALUES (1,'a'),(2,'toolong')"); err == nil {
		t.Fatal("a value that is too long was taken")
	}
	exec(t, c, "INSERT INTO fail VALUES (3,'c')")
	wantRows(t, query(t, c, "SELECT id FROM fail"), "3")
	exec(t, c, "BEGIN")
	exec(t, c, "INSERT INTO fail VALUES (4,'d')")
	if _, err := c.ExecContext(t.Context(), "INSERT INTO fail VALUES (5,'e'),(6,'toolong')"); err == nil {
		t.Fatal("a value that is too long was taken")
	}
	exec(t, c, "COMMIT")
	wantRows(t, query(t, c, "SELECT id FROM fail ORDER BY id"), "3", "4")
}

// Every autocommitted statement that reads and then writes is run again when it
// lost: none fails, and no update is lost.
func testLostUpdates(t *testing.T, db *sql.DB) {
	exec(t, db, "CREATE TABLE lost (id INT, v INT, PRIMARY KEY (id))")
	exec(t, db, "CREATE TABLE append (id INT, v INT)")
	exec(t, db, "CREATE TABLE step (id INT, n INT)")
	exec(t, db, "INSERT INTO step VALUES (1,1)")
	const sessions, each = 10, 2
	for _, c := range []struct{ table, statement string }{
		{"lost", "UPDATE lost SET v = v + 1 WHERE id = 1"},
		{"lost", "UPDATE lost JOIN step ON lost.id = step.id SET lost.v = lost.v + step.n"},
		{"lost", "INSERT INTO lost VALUES (1,0) ON DUPLICATE KEY UPDATE v = v + 1"},
		{"lost", "INSERT INTO lost SELECT id, v + 1 FROM lost"},
		{"lost", "REPLACE INTO lost SELECT id, v + 1 FROM lost"},
		{"append", "UPDATE append SET v = v + 1 WHERE id = 1"},
		{"append", "UPDATE append JOIN step ON append.id = step.id SET append.v = append.v + step.n"},
	} {
		exec(t, db, "TRUNCATE TABLE "+c.table)
		exec(t, db, "INSERT INTO "+c.table+" VALUES (1,0)")
		errs := make(chan error, sessions)
		for range sessions {
			go func() {
				for range each {
					if _, err := db.ExecContext(context.Background(), c.statement); err != nil {
						errs <- err
						return
					}
				}
				errs <- nil
			}()
		}
		for range sessions {
			if err := <-errs; err != nil {
				t.Errorf("%s: %v", c.statement, err)
			}
		}
		wantRows(t, query(t, db, "SELECT v FROM "+c.table), strconv.Itoa(sessions*each))
	}
	exec(t, db, "TRUNCATE TABLE lost")
	exec(t, db, "INSERT INTO lost VALUES (1,20)")

	a, b := conn(t, db), conn(t, db)
	exec(t, a, "BEGIN")
	exec(t, a, "UPDATE lost SET v = v + 1")
	exec(t, b, "UPDATE lost SET v = v + 1")
	_, err := a.ExecContext(t.Context(), "COMMIT")
	var e *mysql.MySQLError
	if !errors.As(err, &e) || e.Number != 1213 {
		t.Errorf("commit over another session's update: %v, want 1213", err)
	}
	wantRows(t, query(t, a, "SELECT v FROM lost"), "21")
}

func testProtocols(t *testing.T, db *sql.DB) {
	exec(t, db, "CREATE TABLE types (i TINYINT, s SMALLINT, b BIGINT, f FLOAT, d DOUBLE, n DECIMAL(30,4), c VARCHAR(10), y BYTES, dt DATE, ti TIME(3), ts DATETIME(6), o BOOLEAN, a ARRAY<INT>, PRIMARY KEY (b))")
	exec(t, db, `INSERT INTO types VALUES (-1,2,3,1.5,2.25,'-12345678901234567890.1234','ü',x'00ff','9999-12-31','23:59:59.5','2026-01-02 03:04:05.000006',true,'[1,null]'), (NULL,NULL,4,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL)`)
	want := []string{
		"-1|2|3|1.5|2.25|-12345678901234567890.1234|ü|\x00\xff|9999-12-31|23:59:59.500|2026-01-02 03:04:05.000006|1|[1, null]",
		"NULL|NULL|4|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL",
	}
	wantRows(t, query(t, db, "SELECT * FROM types ORDER BY b"), want...)
	got := query(t, db, "SELECT * FROM types WHERE b >= ? LIMIT 2", 0)
	slices.Sort(got)
	slices.Sort(want)
	wantRows(t, got, want...)
	wantRows(t, query(t, db, "SELECT b FROM types WHERE c = ? AND dt = ?", "ü", "9999-12-31"), "3")
	exec(t, db, "INSERT INTO types (b, c, ts) VALUES (?, ?, ?)", 5, "p", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	wantRows(t, query(t, db, "SELECT c, ts FROM types WHERE b = 5"), "p|2026-01-02 03:04:05.000000")
	exec(t, db, "SELECT 1; SELECT 2")
}

func testErrors(t *testing.T, db *sql.DB) {
	exec(t, db, "CREATE TABLE er (id INT, v INT, s VARCHAR(3), d DATE, PRIMARY KEY (id))")
	for _, s := range []struct {
		stmt  string
		code  uint16
		state string
	}{
		{"SELECT nosuch FROM er", 1054, "42S22"},
		{"SELECT * FROM nosuch", 1146, "42S02"},
		{"SELECT * FROM er$nosuch", 1146, "42S02"},
		{"SELEC 1", 1064, "42000"},
		{"USE nosuch", 1049, "42000"},
		{"CREATE TABLE er (a INT)", 1050, "42S01"},
		{"DROP TABLE nosuch", 1051, "42S02"},
		{"INSERT INTO er (id) VALUES ('x')", 1366, "HY000"},
		{"INSERT INTO er (id) VALUES (99999999999)", 1264, "22003"},
		{"INSERT INTO er (v) VALUES (1)", 1364, "HY000"},
		{"INSERT INTO er (id) VALUES (NULL)", 1048, "23000"},
		{"INSERT INTO er (id, s) VALUES (1, 'long')", 1406, "22001"},
		{"INSERT INTO er (id, d) VALUES (1, '2026-02-30')", 1292, "22007"},
		{"CREATE TABLE x (a INT) WITH ('buckett'='1')", 1911, "HY000"},
	} {
		wantCode(t, db, s.stmt, s.code, s.state)
	}
}

func testKill(t *testing.T, db *sql.DB) {
	a, b := conn(t, db), conn(t, db)
	var id int64
	if err := a.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := a.ExecContext(context.Background(), "SELECT SLEEP(30)")
		done <- err
	}()
	for running := false; !running; {
		for _, p := range query(t, b, "SHOW PROCESSLIST") {
			running = running || strings.Contains(p, "SLEEP(30)")
		}
	}
	exec(t, b, "KILL QUERY "+strconv.FormatInt(id, 10))
	var e *mysql.MySQLError
	if err := <-done; !errors.As(err, &e) || e.Number != 1317 {
		t.Errorf("killed statement: %v, want 1317", err)
	}
	wantRows(t, query(t, a, "SELECT 1"), "1")
}

func testLarge(t *testing.T, db *sql.DB) {
	exec(t, db, "CREATE TABLE large (id INT, s STRING, PRIMARY KEY (id))")
	var b strings.Builder
	b.WriteString("INSERT INTO large VALUES ")
	for i := range 10_000 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("(" + strconv.Itoa(i) + ",'" + strings.Repeat("x", i%300) + "')")
	}
	if n := exec(t, db, b.String()); n != 10_000 {
		t.Errorf("%d rows affected", n)
	}
	if got := query(t, db, "SELECT * FROM large"); len(got) != 10_000 {
		t.Errorf("%d rows", len(got))
	}
	wantRows(t, query(t, db, "SELECT COUNT(*), MAX(LENGTH(s)) FROM large"), "10000|299")
	if got := query(t, db, "SELECT id FROM large WHERE id >= 10 LIMIT 5000, 7"); len(got) != 7 {
		t.Errorf("%d rows behind LIMIT", len(got))
	}
	// A row that needs several packets.
	exec(t, db, "INSERT INTO large VALUES (-1, REPEAT('y', 20000000))")
	var s string
	if err := db.QueryRowContext(t.Context(), "SELECT s FROM large WHERE id = -1").Scan(&s); err != nil || len(s) != 20_000_000 {
		t.Errorf("long value: %d bytes, %v", len(s), err)
	}
}
