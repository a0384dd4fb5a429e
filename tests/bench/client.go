package bench

import (
	"bufio"
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
// go-sql-driver, which looks at every row, and with a client that only counts the
// packets. cpu_seconds is the server's.
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
	for _, client := range []struct {
		name string
		read func(context.Context) (int64, error)
	}{{"go-sql-driver", s.readRows}, {"packets", s.readPackets}} {
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
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = "root", "tcp", strings.TrimSpace(addr), "default"
	cfg.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, network, addr)
		s.conn = c
		return c, err
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, errors.Join(err, s.kill())
	}
	s.db = sql.OpenDB(connector)
	s.db.SetMaxOpenConns(1)
	return s, nil
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
func (s *server) readRows(ctx context.Context) (n int64, err error) {
	rows, err := s.db.QueryContext(ctx, selectStatement)
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

// readPackets sends the statement over the connection that the driver has opened
// and counts the rows' packets.
func (s *server) readPackets(ctx context.Context) (int64, error) {
	if err := s.db.PingContext(ctx); err != nil {
		return 0, err
	}
	request := append(binary.LittleEndian.AppendUint32(nil, uint32(1+len(selectStatement))), comQuery)
	if _, err := s.conn.Write(append(request, selectStatement...)); err != nil {
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
		if _, err := in.Discard(4 + size); err != nil {
			return 0, err
		}
		if last && packets >= header {
			return packets - header, nil
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
