package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// binary builds the program, once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "lakesql-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "lakesql")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		return dir, fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := binary(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// program is a command of the built binary.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()}
	return cmd
}

// call runs the built binary to its end.
func call(t *testing.T, stdin string, args ...string) (code int, out, errs string) {
	t.Helper()
	return finish(t, program(t, args...), stdin)
}

func finish(t *testing.T, cmd *exec.Cmd, stdin string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &o, &e
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

func TestHelp(t *testing.T) {
	if code, out, _ := call(t, "", "--version"); code != 0 || !strings.HasPrefix(out, "lakesql ") {
		t.Errorf("--version: %d, %q", code, out)
	}
	_, out, _ := call(t, "", "--help")
	commands := regexp.MustCompile(`(?m)^  ([a-z]+)  +\S`).FindAllStringSubmatch(out[strings.Index(out, "Commands:"):], -1)
	if len(commands) < 7 {
		t.Errorf("--help names %v", commands)
	}
	for _, m := range commands {
		if code, out, errs := call(t, "", m[1], "--help"); code != 0 || errs != "" || !strings.Contains(out, "Usage: lakesql "+m[1]) {
			t.Errorf("%s --help: %d, %q, %q", m[1], code, out, errs)
		}
	}
	for _, args := range [][]string{{"nope"}, {"serve", "--nope"}, {"sql", "--format", "xml"}, {}} {
		if code, _, errs := call(t, "", args...); code != 2 || errs == "" {
			t.Errorf("%v: exit code %d, %q", args, code, errs)
		}
	}
}

// server is a running serve command.
type server struct {
	cmd        *exec.Cmd
	addr, http string
	log        *bytes.Buffer
	ended      chan error
}

// serve starts a server on free ports and waits until it takes connections.
func serve(t *testing.T, env []string, args ...string) *server {
	t.Helper()
	s := &server{http: freeAddress(t), log: &bytes.Buffer{}, ended: make(chan error, 1)}
	s.cmd = program(t, append([]string{"serve", "--listen", "127.0.0.1:0", "--http", s.http}, args...)...)
	s.cmd.Env = append(s.cmd.Env, env...)
	pipe, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(pipe)
	for s.addr == "" && lines.Scan() {
		fmt.Fprintln(s.log, lines.Text())
		if _, addr, ok := strings.Cut(lines.Text(), "MySQL clients at "); ok {
			s.addr = addr
		}
	}
	go func() {
		_, err := io.Copy(s.log, pipe)
		s.ended <- errors.Join(err, s.cmd.Wait())
	}()
	if s.addr == "" {
		t.Fatalf("serve: %v\n%s", <-s.ended, s.log)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	return s
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// terminate sends SIGTERM and wants exit code 0.
func (s *server) terminate(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-s.ended; err != nil {
		t.Errorf("after SIGTERM: %v\n%s", err, s.log)
	}
}

func (s *server) connect(t *testing.T) *sql.DB {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.Logger = "root", "tcp", s.addr, &mysql.NopLogger{}
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(c)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(body)
}

// A server makes its warehouse, answers its first query soon, counts what it does,
// lets a running statement end at SIGTERM, and finds its tables again.
func TestServe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "lake")
	if _, err := binary(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	s := serve(t, []string{"LAKESQL_WAREHOUSE=" + dir, "LAKESQL_MEMORY_LIMIT=512MiB"})
	db := s.connect(t)
	var current string
	if err := db.QueryRowContext(t.Context(), "SELECT DATABASE()").Scan(&current); err != nil || current != "default" {
		t.Errorf("database %q, %v", current, err)
	}
	first := time.Since(start)
	t.Logf("first answer %s after the start", first.Round(time.Millisecond))
	if first > 10*time.Second {
		t.Errorf("first answer only %s after the start", first)
	}
	for _, q := range []string{"CREATE TABLE t (k INT, PRIMARY KEY (k)) WITH ('bucket'='1')", "INSERT INTO t VALUES (1), (2)"} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	if code, out, errs := call(t, "", "sql", "--host", "127.0.0.1", "--port", s.addr[strings.LastIndex(s.addr, ":")+1:], "-e", "SELECT COUNT(*) AS n FROM t", "--format", "csv"); code != 0 || out != "n\n2\n" {
		t.Errorf("remote shell: %d, %q, %q", code, out, errs)
	}
	for path, want := range map[string]string{"/healthz": "ok", "/readyz": "ok", "/metrics": "lakesql_statements_total"} {
		if code, body := get(t, "http://"+s.http+path); code != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d, %q", path, code, body)
		}
	}
	if code, _ := get(t, "http://"+s.http+"/nope"); code != 404 {
		t.Errorf("/nope: %d", code)
	}
	for _, args := range [][]string{{"--listen", s.addr, "--http", ""}, {"--listen", "127.0.0.1:0", "--http", s.http}} {
		code, _, errs := call(t, "", append([]string{"serve", "--warehouse", dir}, args...)...)
		if code != 1 || !strings.Contains(errs, "is in use") {
			t.Errorf("%v: %d, %q", args, code, errs)
		}
	}

	running := make(chan error, 1)
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		var n int
		running <- conn.QueryRowContext(context.WithoutCancel(t.Context()), "SELECT SLEEP(1)").Scan(&n)
	}()
	waitRunning(t, db)
	s.terminate(t)
	if err := <-running; err != nil {
		t.Errorf("the statement that ran at SIGTERM: %v", err)
	}

	s = serve(t, nil, "--warehouse", dir)
	var n int
	if err := s.connect(t).QueryRowContext(t.Context(), "SELECT COUNT(*) FROM t").Scan(&n); err != nil || n != 2 {
		t.Errorf("after a restart: %d rows, %v", n, err)
	}
	s.terminate(t)
}

// waitRunning returns when another connection executes SLEEP.
func waitRunning(t *testing.T, db *sql.DB) {
	t.Helper()
	for t.Context().Err() == nil {
		var n int
		err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'").Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			return
		}
	}
}

func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"loopback", []string{"--listen", "0.0.0.0:0"}},
		{"loopback", []string{"--listen", ":0"}},
		{"missing port", []string{"--listen", "127.0.0.1"}},
		{"is no directory", []string{"--listen", "127.0.0.1:0", "--warehouse", file}},
		{"create warehouse", []string{"--listen", "127.0.0.1:0", "--warehouse", file + "/x"}},
		{"not supported yet", []string{"--listen", "127.0.0.1:0", "--warehouse", "s3://bucket/x"}},
		{"is no size", []string{"--listen", "127.0.0.1:0", "--warehouse", dir, "--memory-limit", "much"}},
		{"is no percentage", []string{"--listen", "127.0.0.1:0", "--warehouse", dir, "--memory-limit", "101%"}},
	} {
		if code, _, errs := call(t, "", append([]string{"serve", "--http", ""}, c.args...)...); code != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("serve %v: %d, %q", c.args, code, errs)
		}
	}
}

func TestSQL(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "s.sql")
	if err := os.WriteFile(script, []byte("SELECT 'a;b' AS x; -- a comment; still\nSELECT 2 AS y"), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := filepath.Join(dir, "lines.txt")
	if err := os.WriteFile(lines, []byte("1\n2\n3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const row = "SELECT 1 AS a, 'x,\"y' AS b, NULL AS c, 1.50 AS d, TIMESTAMP'2026-01-01 00:00:00' AS e"
	for _, c := range []struct {
		stdin, want string
		args        []string
	}{
		{"", "+---+------+------+------+---------------------+\n| a | b    | c    | d    | e                   |\n+---+------+------+------+---------------------+\n" +
			"| 1 | x,\"y | NULL | 1.50 | 2026-01-01 00:00:00 |\n+---+------+------+------+---------------------+\n", []string{"-e", row}},
		{"", "a,b,c,d,e\n1,\"x,\"\"y\",,1.50,2026-01-01 00:00:00\n", []string{"-e", row, "--format", "csv"}},
		{"", `{"a":1,"b":"x,\"y","c":null,"d":1.50,"e":"2026-01-01 00:00:00"}` + "\n", []string{"-e", row, "--format=json"}},
		{"", "*************************** 1. row ***************************\na: 1\nb: x,\"y\nc: NULL\nd: 1.50\ne: 2026-01-01 00:00:00\n", []string{"-e", row + `\G`}},
		{"", "x\na;b\ny\n2\n", []string{"-f", script, "--format", "csv"}},
		{"", "d,f\n1234567.5,0.000012\n", []string{"-e", "SELECT 1234567.5e0 AS d, CAST(0.000012 AS FLOAT) AS f", "--format", "csv"}},
		{"SELECT 3 AS z;\n", "z\n3\n", []string{"--format", "csv"}},
		{"SELECT 4 AS z", "z\n4\n", []string{"-f", "-", "--format", "csv"}},
		{"", "", []string{"-e", "CREATE DATABASE IF NOT EXISTS d; USE d; CREATE TABLE IF NOT EXISTS t (k INT)"}},
		{"", "n,s\n3,6\n", []string{"-d", "d", "--format", "csv", "-e", "LOAD DATA LOCAL INFILE '" + lines + "' INTO TABLE t; SELECT COUNT(*) AS n, SUM(k) AS s FROM t"}},
		{"", "Tables_in_d\nt\n", []string{"-d", "d", "-e", "SHOW TABLES", "--format", "csv"}},
	} {
		args := append([]string{"sql", "--warehouse", dir}, c.args...)
		if code, out, errs := call(t, c.stdin, args...); code != 0 || out != c.want || errs != "" {
			t.Errorf("%v: %d, %q, %q; want %q", c.args, code, out, errs, c.want)
		}
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"Error 1064 (42000)", []string{"-e", "SELEC 1"}},
		{"Error 1054 (42S22)", []string{"-e", "SELECT nope; SELECT 1"}},
		{"Error 1146 (42S02)", []string{"-e", "SELECT * FROM nope"}},
		{"no such file", []string{"-f", script + "x"}},
		{"no such file", []string{"-d", "d", "-e", "LOAD DATA LOCAL INFILE '" + lines + "x' INTO TABLE t"}},
		{"Error 1290", []string{"-d", "d", "-e", "LOAD DATA INFILE '" + lines + "' INTO TABLE t"}},
		{"Error 1049 (42000)", []string{"-d", "nope", "-e", "SELECT 1"}},
		{"connection refused", []string{"--host", "127.0.0.1", "--port", "1", "-e", "SELECT 1"}},
	} {
		if code, out, errs := call(t, "", append([]string{"sql", "--warehouse", dir}, c.args...)...); code != 1 || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%v: %d, %q, %q", c.args, code, out, errs)
		}
	}
}

func TestDemo(t *testing.T) {
	dir := t.TempDir()
	_, first, _ := call(t, "", "demo")
	for _, args := range [][]string{{"demo", "--warehouse", dir}, {"demo", "--warehouse", dir}} {
		code, out, errs := call(t, "", args...)
		if code != 0 || errs != "" || out != first {
			t.Errorf("%v: %d, %q, %q", args, code, out, errs)
		}
	}
	for _, want := range []string{"CREATE TABLE orders", "|           7 |  120.00 |", "| APPEND ", "VERSION AS OF 1", "|        1 | 2026-11-01 |           7 | new    | 100.00 | 2026-11-01 10:00:00.000 |"} {
		if !strings.Contains(first, want) {
			t.Errorf("the demo does not print %q:\n%s", want, first)
		}
	}
	if code, out, errs := call(t, "", "check", "--warehouse", dir); code != 0 || out != "" || errs != "" {
		t.Errorf("check after the demo: %d, %q, %q", code, out, errs)
	}
	if code, out, _ := call(t, "", "compact", "--warehouse", dir, "--table", "demo.orders", "--full"); code != 0 || !strings.Contains(out, "demo.orders: 2 buckets, snapshot 5") {
		t.Errorf("compact: %d, %q", code, out)
	}
	if code, out, _ := call(t, "", "compact", "--warehouse", dir, "--table", "demo.orders"); code != 0 || out != "demo.orders: nothing to compact\n" {
		t.Errorf("compact again: %d, %q", code, out)
	}
	if code, _, errs := call(t, "", "compact", "--warehouse", dir, "--table", "demo.nope"); code != 1 || !strings.Contains(errs, "demo.nope") {
		t.Errorf("compact what is not there: %d, %q", code, errs)
	}
	damage(t, dir)
	if code, out, errs := call(t, "", "check", "--warehouse", dir); code != 1 || !strings.Contains(out, ".parquet") || !strings.Contains(errs, "faults") {
		t.Errorf("check of a damaged warehouse: %d, %q, %q", code, out, errs)
	}
}

// damage breaks the largest data file below dir.
func damage(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(dir + "/demo.db/orders/*/bucket-*/*.parquet")
	if err != nil || len(files) == 0 {
		t.Fatalf("data files %v, %v", files, err)
	}
	for _, f := range files {
		if err := os.Truncate(f, 10); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	for text, want := range map[string]int64{"512MiB": 512 << 20, "2GB": 2e9, "1.5 kib": 1536, "100": 100, "7B": 7} {
		if n, err := memoryLimit(text).bytes(); err != nil || n != want {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
	half, err := memoryLimit("50%").bytes()
	if err != nil || half < 1<<20 || half > machineMemory() {
		t.Errorf("50%%: %d, %v", half, err)
	}
	for _, text := range []string{"", "x", "-1", "0", "0%", "200%", "1XB", "1e30GB"} {
		if n, err := memoryLimit(text).bytes(); err == nil {
			t.Errorf("%q is %d", text, n)
		}
	}
}
