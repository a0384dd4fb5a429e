package sqlengine_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	driver "github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/catalog/filesystem"
	"github.com/lakesql/lakesql/sqlengine"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio/mem"
)

// openServer opens an engine that listens at a port, and a pool of connections.
func openServer(t *testing.T) (addr string, e *sqlengine.Engine, db *sql.DB) {
	t.Helper()
	store := mem.New(time.Now)
	env := storage.NewEnv(storage.Config{Store: store})
	e, err := sqlengine.Open(t.Context(), sqlengine.Options{Catalog: filesystem.New(env, "/lake"), Store: store, Root: "/lake"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- e.Serve(l) }()
	cfg := driver.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.MultiStatements, cfg.MaxAllowedPacket = "root", "tcp", l.Addr().String(), true, 0
	cfg.Logger = &driver.NopLogger{}
	c, err := driver.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db = sql.OpenDB(c)
	if err := db.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := errors.Join(db.Close(), e.Close(), <-served)
		if err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
		env.Close()
	})
	return l.Addr().String(), e, db
}

func TestConnection(t *testing.T) {
	addr, e, db := openServer(t)
	exec(t, db, "CREATE TABLE seq (k INT, v BIGINT, PRIMARY KEY (k)) WITH ('bucket'='1')")
	var b strings.Builder
	b.WriteString("INSERT INTO seq VALUES (0,0)")
	for i := 1; i < 2000; i++ {
		fmt.Fprintf(&b, ",(%d,%d)", i, i/1999)
	}
	exec(t, db, b.String())
	t.Run("metadata", func(t *testing.T) { testMetadata(t, addr, db) })
	t.Run("versions", func(t *testing.T) { testVersions(t, addr, db) })
	t.Run("error within a result", func(t *testing.T) { testLateError(t, db) })
	t.Run("kill within a result", func(t *testing.T) { testKillLate(t, db) })
	t.Run("kill a connection", func(t *testing.T) { testKillConnection(t, db) })
	t.Run("client is gone", func(t *testing.T) { testGone(t, e, db) })
	t.Run("several statements", func(t *testing.T) { testMulti(t, db) })
	t.Run("long statement", func(t *testing.T) { testLong(t, db) })
	t.Run("memory of a large result", func(t *testing.T) { testFlat(t, db) })
}

// column is what the client is told about a result column.
func column(f *querypb.Field) string {
	flags := ""
	for _, x := range []struct {
		flag querypb.MySqlFlag
		name string
	}{
		{querypb.MySqlFlag_NOT_NULL_FLAG, " not-null"}, {querypb.MySqlFlag_PRI_KEY_FLAG, " key"},
		{querypb.MySqlFlag_BLOB_FLAG, " blob"}, {querypb.MySqlFlag_BINARY_FLAG, " binary"}, {querypb.MySqlFlag_UNSIGNED_FLAG, " unsigned"},
	} {
		if f.Flags&uint32(x.flag) != 0 {
			flags += x.name
		}
	}
	return fmt.Sprintf("%s=%s.%s.%s(%s) %v(%d,%d) %d%s", f.Name, f.Database, f.Table, f.OrgName, f.OrgTable, f.Type, f.ColumnLength, f.Decimals, f.Charset, flags)
}

func testMetadata(t *testing.T, addr string, db *sql.DB) {
	exec(t, db, "CREATE TABLE orders (order_id BIGINT, customer_id BIGINT, amount DECIMAL(12,2), at DATETIME(3), s VARCHAR(10), b BYTES, f DOUBLE, d DATE, j ARRAY<INT>, PRIMARY KEY (order_id))")
	exec(t, db, "CREATE TABLE customers (id BIGINT, name STRING, PRIMARY KEY (id))")
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	c, err := mysql.Connect(t.Context(), &mysql.ConnParams{Host: host, Port: n, Uname: "root", DbName: "default"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, x := range []struct {
		query string
		want  []string
	}{
		{"SELECT o.order_id AS x, c.name FROM orders o JOIN customers c ON c.id = o.customer_id", []string{
			"x=default.o.order_id(orders) INT64(20,0) 63 not-null key",
			"name=default.c.name(customers) TEXT(4294967295,0) 255 blob",
		}},
		{"SELECT COUNT(*) AS n FROM orders", []string{"n=..() INT64(20,0) 63"}},
		{"SELECT * FROM orders WHERE order_id > 0 ORDER BY s LIMIT 1", []string{
			"order_id=default.orders.order_id(orders) INT64(20,0) 63 not-null key",
			"customer_id=default.orders.customer_id(orders) INT64(20,0) 63",
			"amount=default.orders.amount(orders) DECIMAL(14,2) 63",
			"at=default.orders.at(orders) DATETIME(26,3) 63 binary",
			"s=default.orders.s(orders) VARCHAR(40,0) 255",
			"b=default.orders.b(orders) BLOB(4294967295,0) 63 blob binary",
			"f=default.orders.f(orders) FLOAT64(22,31) 63",
			"d=default.orders.d(orders) DATE(10,0) 63 binary",
			"j=default.orders.j(orders) JSON(4294967295,0) 63 blob binary",
		}},
		{"SELECT q.y, 1 + 1 AS z FROM (SELECT order_id AS y FROM orders) q", []string{
			"y=default.q.order_id(orders) INT64(20,0) 63 not-null key", "z=..() INT64(20,0) 63",
		}},
		{"SELECT s, MAX(amount) FROM orders GROUP BY s", []string{
			"s=default.orders.s(orders) VARCHAR(40,0) 255", "MAX(amount)=..() DECIMAL(14,2) 63",
		}},
	} {
		r, err := c.ExecuteFetch(x.query, 10, true)
		if err != nil {
			t.Errorf("%s: %v", x.query, err)
			continue
		}
		for i, f := range r.Fields {
			if got := column(f); i >= len(x.want) || got != x.want[i] {
				t.Errorf("%s: column %d\ngot  %s\nwant %v", x.query, i, got, x.want[i])
			}
		}
	}
}

// The version is the same wherever a client asks for it.
func testVersions(t *testing.T, addr string, db *sql.DB) {
	wantRows(t, query(t, db, "SELECT VERSION(), @@version, @@version_comment"), sqlengine.ServerVersion+"|"+sqlengine.ServerVersion+"|lakesql")
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	hello := make([]byte, 64)
	if _, err := c.Read(hello); err != nil {
		t.Fatal(err)
	}
	version, _, _ := strings.Cut(string(hello[5:]), "\x00")
	if version != sqlengine.ServerVersion {
		t.Errorf("the handshake says %s", version)
	}
}

// drain reads a result to its end or error.
func drain(rows *sql.Rows) (n int, err error) {
	defer rows.Close()
	for rows.Next() {
		n++
	}
	return n, rows.Err()
}

// An error behind the first rows reaches the client as what it is, and the
// connection goes on.
func testLateError(t *testing.T, db *sql.DB) {
	c := conn(t, db)
	rows, err := c.QueryContext(t.Context(), "SELECT a.v + 9223372036854775807 FROM seq b, seq a WHERE b.k < 3")
	if err == nil {
		_, err = drain(rows)
	}
	var e *driver.MySQLError
	if !errors.As(err, &e) || e.Number != 1690 {
		t.Fatalf("got %v, want 1690", err)
	}
	for range 3 {
		wantRows(t, query(t, c, "SELECT 1"), "1")
	}
}

func connectionID(t *testing.T, c *sql.Conn) string {
	t.Helper()
	var id string
	if err := c.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

const endless = "SELECT a.k, b.k FROM seq a, seq b, seq c"

func testKillLate(t *testing.T, db *sql.DB) {
	a, b := conn(t, db), conn(t, db)
	id := connectionID(t, a)
	rows, err := a.QueryContext(t.Context(), endless)
	if err != nil {
		t.Fatal(err)
	}
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	exec(t, b, "KILL QUERY "+id)
	var e *driver.MySQLError
	if n, err := drain(rows); !errors.As(err, &e) || e.Number != 1317 {
		t.Fatalf("after %d rows: %v, want 1317", n, err)
	}
	wantRows(t, query(t, a, "SELECT 1"), "1")
	exec(t, b, "KILL QUERY "+id) // nothing runs
	wantRows(t, query(t, a, "SELECT 2"), "2")
}

func testKillConnection(t *testing.T, db *sql.DB) {
	a, b := conn(t, db), conn(t, db)
	id := connectionID(t, a)
	done := make(chan error, 1)
	go func() {
		_, err := a.ExecContext(context.WithoutCancel(t.Context()), "SELECT SLEEP(60)")
		done <- err
	}()
	for running := false; !running; {
		for _, p := range query(t, b, "SHOW PROCESSLIST") {
			running = running || strings.Contains(p, "SLEEP(60)")
		}
	}
	exec(t, b, "KILL "+id)
	if err := <-done; err == nil {
		t.Error("the statement of a killed connection succeeds")
	}
	if err := a.PingContext(t.Context()); err == nil {
		t.Error("a killed connection answers")
	}
	wantCode(t, db, "KILL 999999", 1094, "HY000")
}

// A statement ends when its client is gone, whether or not rows are on their way.
func testGone(t *testing.T, e *sqlengine.Engine, db *sql.DB) {
	for _, q := range []string{"SELECT SLEEP(300)", endless, "SELECT COUNT(*) FROM seq a, seq b, seq c WHERE a.v + b.v + c.v > 5"} {
		c := conn(t, db)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for e.Metrics().Running.Load() == 0 {
				runtime.Gosched()
			}
			cancel()
		}()
		rows, err := c.QueryContext(ctx, q)
		if err == nil {
			_, err = drain(rows)
		}
		if err == nil {
			t.Errorf("%s: succeeds", q)
		}
		deadline := time.Now().Add(30 * time.Second)
		for e.Metrics().Running.Load() > 0 {
			if time.Now().After(deadline) {
				t.Fatalf("%s goes on without its client", q)
			}
			runtime.Gosched()
		}
	}
}

func testMulti(t *testing.T, db *sql.DB) {
	c := conn(t, db)
	rows, err := c.QueryContext(t.Context(), "SELECT 'a;b'; SELECT 2 /* ; */; SELECT k FROM seq WHERE k < 2")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			got = append(got, s)
		}
		if !rows.NextResultSet() {
			break
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Error(err)
	}
	wantRows(t, got, "a;b", "2", "0", "1")

	exec(t, c, "CREATE TABLE multi (k INT, PRIMARY KEY (k)) WITH ('bucket'='1')")
	_, err = c.ExecContext(t.Context(), "INSERT INTO multi VALUES (1); SELEC 2; INSERT INTO multi VALUES (3)")
	var e *driver.MySQLError
	if !errors.As(err, &e) || e.Number != 1064 {
		t.Errorf("a fault in the second statement: %v", err)
	}
	wantRows(t, query(t, c, "SELECT * FROM multi"), "1")
}

// Statements and values of many megabytes pass both ways.
func testLong(t *testing.T, db *sql.DB) {
	var most int
	if err := db.QueryRowContext(t.Context(), "SELECT @@max_allowed_packet").Scan(&most); err != nil || most < 64<<20 {
		t.Fatalf("max_allowed_packet is %d, %v", most, err)
	}
	text := strings.Repeat("x", 64<<20-1024)
	exec(t, db, "CREATE TABLE long_values (k INT, s STRING, PRIMARY KEY (k)) WITH ('bucket'='1')")
	exec(t, db, "INSERT INTO long_values VALUES (1, '"+text+"')")
	for _, q := range []string{"SELECT s FROM long_values", "SELECT s FROM long_values WHERE k = ?"} {
		var args []any
		if strings.Contains(q, "?") {
			args = append(args, 1)
		}
		var got string
		if err := db.QueryRowContext(t.Context(), q, args...).Scan(&got); err != nil || got != text {
			t.Errorf("%s: %d bytes, %v", q, len(got), err)
		}
	}
	exec(t, db, "DROP TABLE long_values")
}

// A result that is read slowly is not gathered anywhere.
func testFlat(t *testing.T, db *sql.DB) {
	for _, q := range []string{"SELECT a.k, b.k, 'some text' FROM seq a, seq b LIMIT 1000000", "SELECT a.k, b.k, ? FROM seq a, seq b LIMIT 1000000"} {
		var args []any
		if strings.Contains(q, "?") {
			args = append(args, "some text")
		}
		runtime.GC()
		var before, now runtime.MemStats
		runtime.ReadMemStats(&before)
		rows, err := db.QueryContext(t.Context(), q, args...)
		if err != nil {
			t.Fatal(err)
		}
		n, peak := 0, uint64(0)
		for rows.Next() {
			if n++; n%250_000 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				peak = max(peak, now.HeapAlloc)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil || n != 1_000_000 {
			t.Fatalf("%d rows, %v", n, err)
		}
		if grown := int64(peak) - int64(before.HeapAlloc); grown > 32<<20 {
			t.Errorf("%s: %d MiB more are live within the result", q, grown>>20)
		}
	}
}

// A statement that is run again after a conflict tells its warnings once.
func TestWarningsOfSecondRun(t *testing.T) {
	_, e, db := openServer(t)
	exec(t, db, "CREATE TABLE default.w (k INT PRIMARY KEY, v VARCHAR(5))")
	exec(t, db, "INSERT INTO default.w VALUES (1, 'old')")
	c := conn(t, db)
	done := make(chan error, 1)
	go func() {
		_, err := c.ExecContext(t.Context(), "INSERT IGNORE INTO default.w SELECT 1, 'a' UNION ALL SELECT 2, IF(SLEEP(1), 'x', 'b')")
		done <- err
	}()
	for e.Metrics().Running.Load() == 0 {
		runtime.Gosched()
	}
	exec(t, db, "INSERT INTO default.w VALUES (2, 'mine')")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	wantRows(t, query(t, c, "SHOW COUNT(*) WARNINGS"), "2")
	wantRows(t, query(t, db, "SELECT v FROM default.w WHERE k = 2"), "mine")
}
