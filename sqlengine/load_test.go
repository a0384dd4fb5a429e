package sqlengine_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dolthub/vitess/go/mysql"
	driver "github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/storage"
)

// localFiles is the capability of clients that send files.
const localFiles = 1 << 7

const loadCSV = "LOAD DATA LOCAL INFILE 'f.csv' INTO TABLE default.t FIELDS TERMINATED BY ','"

// ask sends a statement and takes the request for its file.
func (r *rawClient) ask(query string) {
	r.t.Helper()
	r.send(mysql.ComQuery, query)
	r.wantRequest(1)
}

func (r *rawClient) wantRequest(seq byte) {
	r.t.Helper()
	if p := r.read(seq); string(p) != "\xfbf.csv" {
		r.t.Fatalf("got %q, want a request for the file", p)
	}
}

// wantInfo reads an OK with a text.
func (r *rawClient) wantInfo(seq byte, info string) {
	r.t.Helper()
	if p := r.read(seq); p[0] != 0 || !strings.HasSuffix(string(p), info) {
		r.t.Fatalf("got %q, want OK with %q", p, info)
	}
}

func TestLoadLocal(t *testing.T) {
	addr, e, db := openServer(t)
	exec(t, db, "CREATE TABLE default.t (k INT, v VARCHAR(10))")
	open := func(t *testing.T) *rawClient { return dialRaw(t, addr, localFiles|multiStatements) }
	count := func(t *testing.T, want string) {
		t.Helper()
		wantRows(t, query(t, db, "SELECT COUNT(*) FROM default.t"), want)
		exec(t, db, "TRUNCATE TABLE default.t")
	}
	t.Run("packets", func(t *testing.T) {
		r := open(t)
		r.ask(loadCSV)
		// 260 packets, so that their numbers begin anew, a byte or more each; each could be a command.
		seq, rows := byte(2), 0
		for i := range 260 {
			line := fmt.Sprintf("%d,%c\n", i, byte(i%26)+'a')
			if i%2 == 0 { // a packet ends within a line
				r.write(seq, []byte(line[:1]))
				seq++
				line = line[1:]
			}
			r.write(seq, []byte(line))
			seq++
			rows++
		}
		r.write(seq, []byte("\x01,"+"x")) // COM_QUIT, were it one
		r.write(seq+1, nil)
		r.wantInfo(seq+2, "\x31Records: 261  Deleted: 0  Skipped: 0  Warnings: 1")
		r.alive()
		count(t, fmt.Sprint(rows+1))
	})
	t.Run("empty", func(t *testing.T) {
		r := open(t)
		r.ask(loadCSV)
		r.write(2, nil)
		r.wantInfo(3, "Records: 0  Deleted: 0  Skipped: 0  Warnings: 0")
		r.alive()
		count(t, "0")
	})
	t.Run("a full packet", func(t *testing.T) {
		r := open(t)
		r.ask(loadCSV)
		const most = 1<<24 - 1
		lines := bytes.Repeat([]byte("1,abcdefg\n"), most/10+1)
		r.write(2, lines[:most])
		r.write(3, nil) // ends the packet, not the file
		r.write(4, lines[most:])
		r.write(5, nil)
		r.wantInfo(6, fmt.Sprintf("Records: %d  Deleted: 0  Skipped: 0  Warnings: 0", len(lines)/10))
		r.alive()
		count(t, fmt.Sprint(len(lines)/10))
	})
	t.Run("error in the middle", func(t *testing.T) {
		r := open(t)
		r.ask(strings.Replace(loadCSV, "INTO", "REPLACE INTO", 1)) // strict
		r.write(2, []byte("1,a\nx,b\n"))
		for seq := byte(3); seq < 200; seq++ {
			r.write(seq, bytes.Repeat([]byte("1,a\n"), 1000))
		}
		r.write(200, nil)
		r.wantError(201, 1366, "Incorrect integer value: 'x' for column 'k' at row 2")
		r.alive()
		count(t, "0")
	})
	t.Run("several statements", func(t *testing.T) {
		r := open(t)
		r.send(mysql.ComQuery, "DO 1; "+loadCSV+"; "+loadCSV+"; DO 2")
		r.wantOK(1)
		r.wantRequest(2)
		r.write(3, []byte("1,a\n"))
		r.write(4, nil)
		r.wantInfo(5, "Records: 1  Deleted: 0  Skipped: 0  Warnings: 0")
		r.wantRequest(6)
		r.write(7, nil)
		r.wantInfo(8, "Records: 0  Deleted: 0  Skipped: 0  Warnings: 0")
		r.wantOK(9)
		r.alive()
		count(t, "1")
	})
	t.Run("no request", func(t *testing.T) {
		r := open(t)
		r.send(mysql.ComQuery, strings.Replace(loadCSV, "default.t", "default.nowhere", 1))
		r.wantError(1, 1146, "default.nowhere")
		r.send(mysql.ComPrepare, loadCSV)
		r.wantError(1, 1295, "prepared statement protocol")
		r.alive()
	})
	t.Run("without the capability", func(t *testing.T) {
		r := dialRaw(t, addr, 0)
		r.send(mysql.ComQuery, loadCSV)
		r.wantError(1, 3948, "Loading local data is disabled")
		r.alive()
	})
	t.Run("out of order", func(t *testing.T) {
		r := open(t)
		r.ask(loadCSV)
		r.write(2, []byte("1,a\n"))
		r.write(9, []byte("2,b\n"))
		if p := r.read(3); binary.LittleEndian.Uint16(p[1:]) != 1156 {
			t.Errorf("got %q, want error 1156", p)
		}
		r.closed()
		count(t, "0")
	})
	t.Run("a client that dies", func(t *testing.T) {
		r := open(t)
		r.ask(loadCSV)
		r.write(2, []byte("1,a\n2,"))
		if err := r.c.Close(); err != nil {
			t.Fatal(err)
		}
		for e.Metrics().Running.Load() > 0 {
			runtime.Gosched()
		}
		count(t, "0")
	})
	t.Run("a key that changes meanwhile", func(t *testing.T) {
		exec(t, db, "CREATE TABLE default.keyed (k INT PRIMARY KEY, v VARCHAR(10))")
		exec(t, db, "INSERT INTO default.keyed VALUES (1, 'old')")
		r := open(t)
		r.ask(strings.NewReplacer("INTO TABLE", "REPLACE INTO TABLE", "default.t", "default.keyed").Replace(loadCSV))
		exec(t, db, "UPDATE default.keyed SET v = 'other'")
		r.write(2, []byte("1,mine\n"))
		r.write(3, nil)
		r.wantError(4, 1213, "the client's file cannot be read again")
		r.alive()
		wantRows(t, query(t, db, "SELECT v FROM default.keyed"), "other")
	})
	t.Run("KILL QUERY", func(t *testing.T) {
		r := open(t)
		r.ask(loadCSV)
		r.write(2, []byte("1,a\n"))
		id := query(t, db, "SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE 'LOAD DATA%'")
		exec(t, db, "KILL QUERY "+id[0])
		r.write(3, []byte("2,b\n"))
		r.write(4, nil)
		r.wantError(5, 1317, "interrupted")
		r.alive()
		count(t, "0")
	})
}

// closed waits for the end of the connection.
func (r *rawClient) closed() {
	r.t.Helper()
	if n, err := r.c.Read(make([]byte, 1)); err == nil {
		r.t.Errorf("the connection goes on: %d bytes", n)
	}
}

// A load of many times the memory that there is takes no more, from a reader that the
// driver sends.
func TestLoadStreams(t *testing.T) {
	db, _, env := openWith(t, storage.Config{MemoryBytes: 16 << 20})
	exec(t, db, "CREATE TABLE t (k INT, v VARCHAR(200))")
	exec(t, db, "CREATE TABLE keyed (k INT PRIMARY KEY, v VARCHAR(200))")
	const rows = 400_000
	line := strings.Repeat("x", 190) + "\n"
	var most atomic.Int64
	driver.RegisterReaderHandler("rows", func() io.Reader {
		k := 0
		return readerFunc(func(p []byte) (int, error) {
			if k == rows {
				return 0, io.EOF
			}
			most.Store(max(most.Load(), env.Budget().Used()))
			k++
			return copy(p, fmt.Sprintf("%d\t%s", k, line)), nil
		})
	})
	defer driver.DeregisterReaderHandler("rows")
	for _, table := range []string{"t", "keyed"} {
		exec(t, db, "LOAD DATA LOCAL INFILE 'Reader::rows' INTO TABLE "+table)
		wantRows(t, query(t, db, "SELECT COUNT(*) FROM "+table), fmt.Sprint(rows))
	}
	if used := most.Load(); used > 16<<20 {
		t.Errorf("%d bytes were in use", used)
	}
}

// Rows are looked up in the table a chunk at a time, so that REPLACE and IGNORE take
// little memory besides that of the keys.
func TestLoadKeys(t *testing.T) {
	db, _, _ := openWith(t, storage.Config{MemoryBytes: 16 << 20})
	exec(t, db, "CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR(200))")
	const rows = 100_000
	text := func(change int) string {
		var b strings.Builder
		for k := range rows + 10 { // the last ten come twice
			k %= rows
			v := strings.Repeat("x", 190)
			if k < change {
				v = "changed"
			}
			fmt.Fprintf(&b, "%d\t%s\n", k, v)
		}
		return b.String()
	}
	for _, c := range []struct {
		mode    string
		change  int
		want    int64
		changed string
	}{
		{"IGNORE", 0, rows, "0"},
		{"IGNORE", 5, 0, "0"},
		{"REPLACE", 0, rows + 10, "0"}, // no row differs
		{"REPLACE", 30_000, rows + 10 + 30_000, "30000"},
		{"IGNORE", 0, 0, "30000"},
	} {
		driver.RegisterReaderHandler("keys", func() io.Reader { return strings.NewReader(text(c.change)) })
		if n := exec(t, db, "LOAD DATA LOCAL INFILE 'Reader::keys' "+c.mode+" INTO TABLE t"); n != c.want {
			t.Errorf("%s with %d changes: %d rows, want %d", c.mode, c.change, n, c.want)
		}
		wantRows(t, query(t, db, "SELECT COUNT(*) FROM t WHERE v = 'changed'"), c.changed)
	}
	driver.DeregisterReaderHandler("keys")
	wantRows(t, query(t, db, "SELECT COUNT(*) FROM t"), fmt.Sprint(rows))
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Packets beyond max_allowed_packet are refused unread, and the connection ends.
func TestPacketLimit(t *testing.T) {
	addr, _, db := openServer(t)
	exec(t, db, "SET GLOBAL max_allowed_packet = 20000000")
	defer exec(t, db, "SET GLOBAL max_allowed_packet = 1073741824") // the host's variables outlive the engine
	const full = 1<<24 - 1
	for name, send := range map[string]func(*rawClient) byte{
		"a query of two packets": func(r *rawClient) byte {
			r.write(0, append([]byte{mysql.ComQuery}, bytes.Repeat([]byte(" "), full-1)...))
			r.write(1, bytes.Repeat([]byte(" "), 5_000_000))
			return 2
		},
		"a query of three": func(r *rawClient) byte {
			r.write(0, append([]byte{mysql.ComQuery}, bytes.Repeat([]byte(" "), full-1)...))
			r.write(1, bytes.Repeat([]byte(" "), full))
			r.write(2, nil)
			return 3
		},
		"a statement to prepare": func(r *rawClient) byte {
			r.write(0, append([]byte{mysql.ComPrepare}, bytes.Repeat([]byte(" "), full-1)...))
			r.write(1, bytes.Repeat([]byte(" "), full))
			r.write(2, nil)
			return 3
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := dialRaw(t, addr, 0)
			r.wantError(send(r), 1153, "Got a packet bigger than 'max_allowed_packet' bytes")
			r.closed()
		})
	}
	r := dialRaw(t, addr, 0)
	r.write(0, append([]byte(string(rune(mysql.ComQuery))+"DO 1"), bytes.Repeat([]byte(" "), full-5)...))
	r.write(1, bytes.Repeat([]byte(" "), 3_000_000))
	r.wantOK(2)
	r.alive()
}

// A parameter that comes in pieces is as long as a packet at most; faults are told when
// the statement is executed.
func TestLongData(t *testing.T) {
	addr, _, db := openServer(t)
	exec(t, db, "SET GLOBAL max_allowed_packet = 100000")
	defer exec(t, db, "SET GLOBAL max_allowed_packet = 1073741824")
	r := dialRaw(t, addr, deprecateEOF)
	id, _, _ := r.prepared("SELECT LENGTH(?)")
	r.read(2) // the parameter
	r.read(3) // the column
	statement := string(binary.LittleEndian.AppendUint32(nil, id))
	const blob = "\x00\x01\x00\x00\x00" + "\x00" + "\x01" + "\xfc\x00" // no cursor, once, no NULL, the parameter's type
	piece := strings.Repeat("x", 40_000)
	for _, c := range []struct {
		param  string
		pieces int
		code   uint16
		text   string
	}{
		{"\x00\x00", 2, 0, ""},
		{"\x00\x00", 3, 1105, "longer than 'max_allowed_packet' bytes"},
		{"\x01\x00", 1, 1210, "Incorrect arguments to mysqld_stmt_send_long_data"},
		{"\x00\x00", 2, 0, ""},
	} {
		for range c.pieces {
			r.send(mysql.ComStmtSendLongData, statement+c.param+piece)
		}
		r.send(mysql.ComStmtExecute, statement+blob)
		if c.code != 0 {
			r.wantError(1, c.code, c.text)
			r.alive()
			continue
		}
		r.read(1) // the number of columns
		r.read(2) // the column
		if row := r.read(3); len(row) < 6 || binary.LittleEndian.Uint32(row[2:]) != 80_000 {
			t.Errorf("got %q, want a length of 80000", row)
		}
		r.read(4) // the end
		r.alive()
	}
	r.send(mysql.ComStmtSendLongData, "\x00") // too short for anything, and without an answer
	r.alive()
}
