package bench

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/schema"
)

// selectColumns are the columns that the select benchmark reads: those of the kv
// table without the last.
const selectColumns = 8

const selectStatement = "SELECT * FROM selected"

// selectRows measures a SELECT of a whole table through a server of its own: with
// go-sql-driver, which looks at every row, with a client that only counts the
// packets, and with go-sql-driver again, which now gets those packets from memory:
// that is the driver's own limit. cpu_seconds is the server's.
func (r *run) selectRows(ctx context.Context) (err error) {
	if err := r.selectTable(ctx); err != nil {
		return err
	}
	s, err := startServer(ctx, r.Server, r.Work)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if _, err := s.answer(ctx); err != nil {
		return err
	}
	var recorded bytes.Buffer
	if _, err := s.readPackets(ctx, func(p []byte) { recorded.Write(p) }); err != nil {
		return err
	}
	replay, err := s.replay(recorded.Bytes())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, replay.db.Close(), replay.listener.Close()) }()
	for _, client := range []struct {
		name string
		read func(context.Context) (int64, error)
	}{
		{"go-sql-driver", func(ctx context.Context) (int64, error) { return readRows(ctx, s.db) }},
		{"packets", func(ctx context.Context) (int64, error) { return s.readPackets(ctx, func([]byte) {}) }},
		{"go-sql-driver, packets from memory", func(ctx context.Context) (int64, error) { return readRows(ctx, replay.db) }},
	} {
		params := map[string]any{"client": client.name, "columns": selectColumns}
		r.cpu = s.cpuSeconds
		err := r.measure(ctx, "select", params, nothing,
			func() (int64, error) {
				n, err := client.read(ctx)
				if err == nil && n != r.SelectRows {
					err = fmt.Errorf("%s read %d rows, not %d", client.name, n, r.SelectRows)
				}
				return n, err
			},
			func() (int64, error) {
				params["server_peak_mib"] = s.peakMiB()
				return 0, nil
			}, nothing)
		r.cpu = cpuSeconds
		if err != nil {
			return err
		}
	}
	return nil
}

// selectTable makes table default.selected of the scratch warehouse: one run, so
// that nothing is merged.
func (r *run) selectTable(ctx context.Context) error {
	dir := filepath.ToSlash(filepath.Join(r.Work, "default.db", "selected"))
	t, err := storage.Create(ctx, r.env, dir, schema.Definition{
		Fields: testkit.KVFields()[:selectColumns], PrimaryKeys: []string{"k"}, Options: map[string]string{"bucket": strconv.Itoa(r.Buckets)},
	})
	if err != nil {
		return err
	}
	v, err := t.View(ctx, storage.ViewOptions{})
	if err != nil {
		return err
	}
	defer v.Close()
	w := v.Write(storage.WriteOptions{})
	batch := columnar.NewBatch(fieldTypes(), columnar.BatchRows)
	for from := int64(0); from < r.SelectRows; from += columnar.BatchRows {
		batch.Reset()
		testkit.KVBatch(batch, r.Seed, 0, from, int(min(columnar.BatchRows, r.SelectRows-from)))
		if err := w.Add(ctx, &columnar.Batch{Cols: batch.Cols[:selectColumns], N: batch.N}); err != nil {
			w.Abort()
			return err
		}
	}
	if _, err := w.Commit(ctx); err != nil {
		return err
	}
	_, err = t.Compact(ctx, storage.CompactOptions{Full: true})
	return err
}

// start measures the time from the start of a server's process to its first
// answer.
func (r *run) start(ctx context.Context) error {
	var times []float64
	for range r.Warmup + r.Runs {
		s, err := startServer(ctx, r.Server, r.Work)
		if err != nil {
			return err
		}
		took, err := s.answer(ctx)
		if err := errors.Join(err, s.stop()); err != nil {
			return err
		}
		times = append(times, took.Seconds())
	}
	best := times[r.Warmup]
	for _, t := range times[r.Warmup:] {
		best = min(best, t)
	}
	params := map[string]any{"first_run_seconds": round(times[0])}
	return r.report("start", 1, best, 0, params)
}

// server is a lakesql process of the benchmark.
type server struct {
	cmd   *exec.Cmd
	began time.Time
	addr  string
	conn  net.Conn // the newest connection that db opened
	db    *sql.DB
}

// startServer runs command with a warehouse and a port of its own and waits until
// it says at which address it listens.
func startServer(ctx context.Context, command []string, warehouse string) (*server, error) {
	if len(command) == 0 {
		return nil, errors.New("no command that starts a server is given")
	}
	args := append(command[1:len(command):len(command)], "--warehouse", warehouse, "--listen", "127.0.0.1:0", "--http", "")
	s := &server{cmd: exec.CommandContext(ctx, command[0], args...), began: time.Now()}
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(stderr)
	line, err := lines.ReadString('\n')
	_, addr, ok := strings.Cut(line, "MySQL clients at ")
	if err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("the server said %q", line), err, s.kill())
	}
	go io.Copy(io.Discard, lines) //nolint:errcheck // what else it logs
	s.addr = strings.TrimSpace(addr)
	if s.db, err = openDriver(s.addr, func(c net.Conn) { s.conn = c }); err != nil {
		return nil, errors.Join(err, s.kill())
	}
	return s, nil
}

// openDriver opens a server with go-sql-driver, over one connection at a time;
// opened is told of each.
func openDriver(addr string, opened func(net.Conn)) (*sql.DB, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = "root", "tcp", addr, "default"
	cfg.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, network, addr)
		opened(c)
		return c, err
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return db, nil
}

func (s *server) kill() error {
	return errors.Join(s.cmd.Process.Kill(), s.cmd.Wait())
}

// stop ends the server in order.
func (s *server) stop() error {
	return errors.Join(s.db.Close(), s.cmd.Process.Signal(syscall.SIGTERM), s.cmd.Wait())
}

// answer asks one question; it returns the time since the process was started.
func (s *server) answer(ctx context.Context) (time.Duration, error) {
	var one int
	if err := s.db.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return 0, err
	}
	return time.Since(s.began), nil
}

// readRows takes every row of the statement as the driver gives it, without
// copies of the values.
func readRows(ctx context.Context, db *sql.DB) (n int64, err error) {
	rows, err := db.QueryContext(ctx, selectStatement)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	values := make([]sql.RawBytes, selectColumns)
	into := make([]any, selectColumns)
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return n, err
		}
		n++
	}
	return n, rows.Err()
}

// comQuery is the command byte of a statement in the text protocol.
const comQuery = 3

// selectRequest is the packet of the statement.
func selectRequest() []byte {
	p := append(binary.LittleEndian.AppendUint32(nil, uint32(1+len(selectStatement))), comQuery)
	return append(p, selectStatement...)
}

// readPackets sends the statement over the connection that the driver has opened
// and counts the rows' packets. Each packet of the answer is shown to see.
func (s *server) readPackets(ctx context.Context, see func(packet []byte)) (int64, error) {
	if err := s.db.PingContext(ctx); err != nil {
		return 0, err
	}
	if _, err := s.conn.Write(selectRequest()); err != nil {
		return 0, err
	}
	in := bufio.NewReaderSize(s.conn, 1<<20)
	const eof, failed = 0xFE, 0xFF
	const header = 1 + selectColumns // the number of columns, and each column
	for packets := int64(0); ; packets++ {
		head, err := in.Peek(5)
		if err != nil {
			return 0, err
		}
		size := int(binary.LittleEndian.Uint32(head) & 0xFFFFFF)
		last := head[4] == eof && size < 9
		switch {
		case head[4] == failed:
			return 0, errors.New("the statement failed")
		case last && packets == header: // ends the columns, for clients that want it
			packets--
		}
		packet, err := in.Peek(4 + size)
		if err != nil {
			return 0, err
		}
		see(packet)
		if _, err := in.Discard(4 + size); err != nil {
			return 0, err
		}
		if last && packets >= header {
			return packets - header, nil
		}
	}
}

// replayed is a server that answers the statement from memory and leaves the rest
// to another.
type replayed struct {
	listener net.Listener
	db       *sql.DB
}

func (s *server) replay(answer []byte) (*replayed, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go s.serveReplay(client, answer)
		}
	}()
	db, err := openDriver(l.Addr().String(), func(net.Conn) {})
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &replayed{listener: l, db: db}, nil
}

// serveReplay serves a client until it or the server is gone; the driver notices.
func (s *server) serveReplay(client net.Conn, answer []byte) {
	defer client.Close() //nolint:errcheck // nothing is lost
	upstream, err := net.Dial("tcp", s.addr)
	if err != nil {
		return
	}
	defer upstream.Close()       //nolint:errcheck // nothing is lost
	go io.Copy(client, upstream) //nolint:errcheck // the driver notices
	request := selectRequest()
	buf := make([]byte, 1<<16)
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		to, p := upstream, buf[:n]
		if bytes.Equal(p, request) {
			to, p = client, answer
		}
		if _, err := to.Write(p); err != nil {
			return
		}
	}
}

// proc is a file of the server in /proc; "" where there is none.
func (s *server) proc(file string) string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.cmd.Process.Pid, file))
	if err != nil {
		return ""
	}
	return string(data)
}

// cpuSeconds is the processor time of the server so far; 0 where the system does
// not tell.
func (s *server) cpuSeconds() float64 {
	const clockTicks = 100 // USER_HZ of Linux
	stat := s.proc("stat")
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / clockTicks
}

// peakMiB is the most memory that the server has had so far.
func (s *server) peakMiB() int64 {
	_, rest, ok := strings.Cut(s.proc("status"), "VmHWM:")
	if !ok {
		return 0
	}
	kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	return kib >> 10
}
