package sqlengine_test

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/vitess/go/mysql"
	driver "github.com/go-sql-driver/mysql"
)

// Capabilities that rawClient asks for.
const (
	protocol41       = 1 << 9
	foundRows        = 1 << 1
	secureConnection = 1 << 15
	multiStatements  = 1 << 16
	pluginAuth       = 1 << 19
	deprecateEOF     = 1 << 24
)

// rawClient speaks the protocol packet by packet.
type rawClient struct {
	t            *testing.T
	c            net.Conn
	capabilities uint32
}

func dialRaw(t *testing.T, addr string, capabilities uint32) *rawClient {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	r := &rawClient{t, c, capabilities}
	r.read(0)
	p := binary.LittleEndian.AppendUint32(nil, capabilities|protocol41|secureConnection|pluginAuth)
	p = binary.LittleEndian.AppendUint32(p, 1<<24)
	p = append(append(p, 255), make([]byte, 23)...)
	p = append(p, "root\x00\x00mysql_native_password\x00"...)
	r.write(1, p)
	r.wantOK(2)
	return r
}

func (r *rawClient) write(seq byte, payload []byte) {
	r.t.Helper()
	n := len(payload)
	if _, err := r.c.Write(append([]byte{byte(n), byte(n >> 8), byte(n >> 16), seq}, payload...)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rawClient) read(seq byte) []byte {
	r.t.Helper()
	var head [4]byte
	if _, err := io.ReadFull(r.c, head[:]); err != nil {
		r.t.Fatal(err)
	}
	p := make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
	if _, err := io.ReadFull(r.c, p); err != nil {
		r.t.Fatal(err)
	}
	if head[3] != seq {
		r.t.Fatalf("packet %d, want %d: %q", head[3], seq, p)
	}
	return p
}

func (r *rawClient) send(command byte, rest string) {
	r.t.Helper()
	r.write(0, append([]byte{command}, rest...))
}

func (r *rawClient) wantOK(seq byte) {
	r.t.Helper()
	if p := r.read(seq); p[0] != 0 {
		r.t.Fatalf("got %q, want OK", p)
	}
}

func (r *rawClient) wantError(seq byte, code uint16, text string) {
	r.t.Helper()
	p := r.read(seq)
	if p[0] != 0xff || binary.LittleEndian.Uint16(p[1:]) != code || !strings.Contains(string(p), text) {
		r.t.Fatalf("got %q, want error %d %s", p, code, text)
	}
}

// alive runs a statement: the connection is in step.
func (r *rawClient) alive() {
	r.t.Helper()
	r.send(mysql.ComQuery, "DO 1")
	r.wantOK(1)
}

// fieldNames reads column definitions to the end of the list.
func (r *rawClient) fieldNames(seq byte) string {
	r.t.Helper()
	var names []string
	for ; ; seq++ {
		p := r.read(seq)
		if p[0] == 0xfe {
			return strings.Join(names, " ")
		}
		if p[0] == 0xff {
			r.t.Fatalf("%q", p)
		}
		for range 4 { // catalog, database, table, original table
			p = p[1+p[0]:]
		}
		names = append(names, string(p[1:1+p[0]]))
	}
}

func TestCommands(t *testing.T) {
	addr, _, db := openServer(t)
	exec(t, db, "CREATE TABLE t (k INT, v BIGINT, PRIMARY KEY (k)) WITH ('bucket'='1')")
	exec(t, db, "INSERT INTO t VALUES (1,10),(2,20)")
	exec(t, db, "CREATE VIEW w AS SELECT k, v + 1 AS more FROM t")
	exec(t, db, "CREATE DATABASE other")
	for _, capabilities := range []uint32{0, deprecateEOF | multiStatements} {
		t.Run(fmt.Sprintf("capabilities %x", capabilities), func(t *testing.T) {
			r := dialRaw(t, addr, capabilities)
			t.Run("ping", func(*testing.T) { r.send(mysql.ComPing, ""); r.wantOK(1) })
			t.Run("statistics", func(t *testing.T) { testStatistics(t, r) })
			t.Run("init db", func(*testing.T) { testInitDB(r) })
			t.Run("field list", func(t *testing.T) { testFieldList(t, r) })
			t.Run("prepare", func(t *testing.T) { testPrepare(t, r) })
			t.Run("unknown statement", func(*testing.T) { testUnknownStatement(r) })
			t.Run("reset", func(t *testing.T) { testReset(t, r, db) })
			t.Run("change user", func(t *testing.T) { testChangeUser(t, r) })
			t.Run("set option", func(*testing.T) { testSetOption(r) })
			for _, command := range []byte{0x0d, 0x12, 0x15, 0x1e} { // debug, binlog, replicas
				r.send(command, "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")
				r.wantError(1, 1047, "")
				r.alive()
			}
			r.write(0, nil)
			r.wantError(1, 1835, "")
			r.alive()
		})
	}
}

func testSetOption(r *rawClient) {
	r.send(mysql.ComSetOption, "\x01\x00")
	r.read(1)
	r.send(mysql.ComQuery, "DO 1; DO 2")
	r.wantError(1, 1064, "")
	r.send(mysql.ComSetOption, "\x00\x00")
	r.read(1)
	r.send(mysql.ComQuery, "DO 1; DO 2")
	r.wantOK(1)
	r.wantOK(2)
	r.send(mysql.ComSetOption, "\x02\x00")
	r.wantError(1, 1047, "")
	r.send(mysql.ComSetOption, "")
	r.wantError(1, 1835, "")
	r.alive()
}

func testStatistics(t *testing.T, r *rawClient) {
	r.send(0x09, "")
	p := string(r.read(1))
	var up, threads, questions int
	if n, err := fmt.Sscanf(p, "Uptime: %d  Threads: %d  Questions: %d", &up, &threads, &questions); n != 3 || up < 1 || threads < 1 || questions < 4 {
		t.Errorf("%q: %v", p, err)
	}
}

func testInitDB(r *rawClient) {
	r.send(mysql.ComInitDB, "nowhere")
	r.wantError(1, 1049, "Unknown database 'nowhere'")
	r.alive()
	r.send(mysql.ComQuery, "TRUNCATE TABLE default.t PARTITION (x)") // the database is still there
	r.read(1)
	r.send(mysql.ComInitDB, "other")
	r.wantOK(1)
	r.send(mysql.ComQuery, "INSERT INTO t VALUES (1, 1)")
	r.wantError(1, 1146, "")
	r.send(mysql.ComInitDB, "default")
	r.wantOK(1)
}

func testFieldList(t *testing.T, r *rawClient) {
	for _, x := range []struct{ of, want string }{
		{"t\x00", "k v"}, {"t", "k v"}, {"w\x00", "k more"}, {"t\x00V%\x00", "v"}, {"t\x00none", ""}, {"t$snapshots\x00snap%", "snapshot_id"},
	} {
		r.send(mysql.ComFieldList, x.of)
		if got := r.fieldNames(1); got != x.want {
			t.Errorf("%q: %s, want %s", x.of, got, x.want)
		}
	}
	r.send(mysql.ComFieldList, "nothing\x00")
	r.wantError(1, 1146, "nothing")
	r.alive()
}

// prepared sends COM_STMT_PREPARE and gives id, number of columns and of parameters.
func (r *rawClient) prepared(query string) (id uint32, columns, params int) {
	r.t.Helper()
	r.send(mysql.ComPrepare, query)
	p := r.read(1)
	if p[0] != 0 {
		r.t.Fatalf("%s: %q", query, p)
	}
	return binary.LittleEndian.Uint32(p[1:]), int(binary.LittleEndian.Uint16(p[5:])), int(binary.LittleEndian.Uint16(p[7:]))
}

func testPrepare(t *testing.T, r *rawClient) {
	for _, x := range []struct {
		query           string
		columns, params int
	}{
		{"INSERT INTO t VALUES (?, ?)", 0, 2},
		{"SET 'sink.parallelism' = '1'", 0, 0},
		{"ALTER TABLE t SET ('snapshot.num-retained.min'='5')", 0, 0},
		{"CREATE TABLE IF NOT EXISTS t (k INT) WITH ('bucket'='1')", 0, 0},
	} {
		_, columns, params := r.prepared(x.query)
		if columns != x.columns || params != x.params {
			t.Errorf("%s: %d columns, %d parameters", x.query, columns, params)
		}
		for i := range params {
			r.read(byte(2 + i))
		}
		if params > 0 && r.eofs() {
			r.read(byte(2 + params))
		}
		r.alive()
	}
	for _, x := range []struct {
		query string
		code  uint16
		text  string
	}{
		{"LOAD DATA LOCAL INFILE 'f' INTO TABLE nowhere", 1295, "prepared statement protocol"},
		{"SELEC 1", 1064, "SELEC"},
		{"SELECT 1; SELECT 2", 1064, ""},
		{"SELECT * FROM nowhere", 1146, "nowhere"},
		{"MERGE INTO t USING t s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = 1", 1235, "MERGE"},
	} {
		r.send(mysql.ComPrepare, x.query)
		r.wantError(1, x.code, x.text)
		r.alive()
	}
}

// eofs reports whether lists of definitions end with a packet.
func (r *rawClient) eofs() bool { return r.capabilities&deprecateEOF == 0 }

func testUnknownStatement(r *rawClient) {
	id := "\x99\x00\x00\x00"
	for _, command := range []byte{mysql.ComStmtExecute, mysql.ComStmtReset, mysql.ComStmtFetch} {
		r.send(command, id+"\x00\x01\x00\x00\x00")
		r.wantError(1, 1243, "(153)")
		r.alive()
	}
	r.send(mysql.ComStmtSendLongData, id+"\x00\x00text") // has no answer
	r.alive()
	r.send(mysql.ComStmtClose, id)
	r.alive()
}

func testReset(t *testing.T, r *rawClient, db *sql.DB) {
	stmt, _, _ := r.prepared("DO 1")
	for _, q := range []string{"SET @x = 1", "USE other", "BEGIN", "INSERT INTO default.t VALUES (99, 1)"} {
		r.send(mysql.ComQuery, q)
		r.wantOK(1)
	}
	r.send(mysql.ComResetConnection, "")
	r.wantOK(1)
	r.send(mysql.ComStmtExecute, string(binary.LittleEndian.AppendUint32(nil, stmt))+"\x00\x01\x00\x00\x00")
	r.wantError(1, 1243, "")
	r.send(mysql.ComQuery, "INSERT INTO t VALUES (1, 1)") // in other
	r.wantError(1, 1146, "")
	r.send(mysql.ComQuery, "DO IF(@x IS NULL, 0, EXP(9999))")
	r.wantOK(1)
	wantRows(t, query(t, db, "SELECT COUNT(*) FROM t WHERE k = 99"), "0")

	exec(t, db, "CREATE DATABASE gone")
	r.send(mysql.ComInitDB, "gone")
	r.wantOK(1)
	exec(t, db, "DROP DATABASE gone")
	r.send(mysql.ComResetConnection, "")
	r.wantOK(1)
	r.alive()
	r.send(mysql.ComInitDB, "default")
	r.wantOK(1)
}

func testChangeUser(t *testing.T, r *rawClient) {
	r.send(mysql.ComQuery, "SET @x = 1")
	r.wantOK(1)
	r.send(0x11, "someone\x00\x14a password, scrambleother\x00\xff\x00mysql_native_password\x00")
	r.wantOK(1)
	r.send(mysql.ComQuery, "INSERT INTO t VALUES (1, 1)") // in other
	r.wantError(1, 1146, "")
	r.send(mysql.ComQuery, "SELECT CURRENT_USER(), @x")
	var all bytes.Buffer
	for seq := byte(1); ; seq++ {
		p := r.read(seq)
		all.Write(p)
		if p[0] == 0xfe && (!r.eofs() || seq > 4) {
			break
		}
	}
	if !strings.Contains(all.String(), "someone@") || !strings.Contains(all.String(), "\xfb") {
		t.Errorf("%q", all.String())
	}
	r.send(0x11, "root\x00\x00nowhere\x00")
	r.wantError(1, 1049, "Unknown database 'nowhere'")
	r.alive()
	r.send(0x11, "root\x00\xff")
	r.wantError(1, 1835, "Malformed")
	r.send(mysql.ComInitDB, "default")
	r.wantOK(1)
	r.alive()
}

// Statements of our dialect can be prepared, with parameters.
func TestPreparedDialect(t *testing.T) {
	_, _, db := openServer(t)
	exec(t, db, "CREATE TABLE t (k INT, v BIGINT, PRIMARY KEY (k)) WITH ('bucket'='1')")
	exec(t, db, "INSERT INTO t VALUES (1,10)")
	exec(t, db, "INSERT INTO t VALUES (1,11),(2,20)")
	wantRows(t, query(t, db, "SELECT k, v FROM t OPTIONS ('scan.snapshot-id'='1') WHERE k = ?", 1), "1|10")
	wantRows(t, query(t, db, "SELECT k, v FROM t VERSION AS OF 1 WHERE k < ?", 9), "1|10")
	wantRows(t, query(t, db, "SELECT snapshot_id FROM t$snapshots WHERE snapshot_id > ?", 1), "2")
	wantRows(t, query(t, db, "CALL sys.create_tag(?, ?, ?)", "t", "first", 1), "1")
	wantRows(t, query(t, db, "SELECT tag_name FROM t$tags WHERE snapshot_id = ?", 1), "first")
	if _, err := db.ExecContext(t.Context(), "INSERT OVERWRITE t VALUES (?, ?)", 7, 70); err != nil {
		t.Fatal(err)
	}
	wantRows(t, query(t, db, "SELECT * FROM default.t WHERE k >= ?", 0), "7|70")
	var e *driver.MySQLError
	if _, err := db.QueryContext(t.Context(), "SELECT * FROM t OPTIONS ('no.such'='1') WHERE k = ?", 1); !errors.As(err, &e) || e.Number != 1231 {
		t.Errorf("%v", err)
	}
}

// C067: CLIENT_FOUND_ROWS counts the rows that were found, else those that changed.
func TestFoundRows(t *testing.T) {
	addr, _, db := openServer(t)
	exec(t, db, "CREATE TABLE t (k INT, v BIGINT, PRIMARY KEY (k)) WITH ('bucket'='1')")
	exec(t, db, "CREATE TABLE a (k INT, v BIGINT)")
	for _, x := range []struct {
		found bool
		want  []int64
	}{{false, []int64{2, 0, 1, 1, 2, 0, 0, 1}}, {true, []int64{2, 2, 2, 1, 2, 1, 1, 1}}} {
		cfg := driver.NewConfig()
		cfg.User, cfg.Net, cfg.Addr, cfg.DBName, cfg.ClientFoundRows = "root", "tcp", addr, "default", x.found
		c, err := driver.NewConnector(cfg)
		if err != nil {
			t.Fatal(err)
		}
		p := sql.OpenDB(c)
		for _, prepared := range []bool{false, true} {
			exec(t, db, "DELETE FROM t")
			exec(t, db, "DELETE FROM a")
			exec(t, db, "INSERT INTO a VALUES (1, 5)")
			var got []int64
			for _, q := range []string{
				"INSERT INTO t VALUES (1,1),(2,2)",
				"UPDATE t SET v = k",
				"UPDATE t SET v = 2",
				"INSERT INTO t VALUES (3,3) ON DUPLICATE KEY UPDATE v = 3",
				"INSERT INTO t VALUES (3,3) ON DUPLICATE KEY UPDATE v = 4",
				"INSERT INTO t VALUES (3,3) ON DUPLICATE KEY UPDATE v = 4",
				"UPDATE a SET v = 5",
				"DELETE FROM t WHERE k = 3",
			} {
				got = append(got, affected(t, p, q, prepared))
			}
			if fmt.Sprint(got) != fmt.Sprint(x.want) {
				t.Errorf("found rows %v, prepared %v: %v, want %v", x.found, prepared, got, x.want)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func affected(t *testing.T, db *sql.DB, q string, prepared bool) int64 {
	t.Helper()
	var r sql.Result
	var err error
	if prepared {
		var st *sql.Stmt
		if st, err = db.PrepareContext(t.Context(), q); err == nil {
			r, err = st.ExecContext(t.Context())
			err = errors.Join(err, st.Close())
		}
	} else {
		r, err = db.ExecContext(t.Context(), q)
	}
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	n, err := r.RowsAffected()
	if err != nil {
		t.Fatal(err)
	}
	return n
}
