package runner

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Server is what a script runs against.
type Server struct {
	Kind string // lakesql, or another server that a record may be kept from by "only"
	// DSN is where to connect. Restart stops and starts the server, which may
	// change DSN; nil when it cannot.
	DSN     string
	Restart func() error
	Dir     string // where client and server read files
	// All goes on after a difference and returns all of them.
	All bool
	// Rewrite, when set, is told what a query answered in place of a comparison.
	Rewrite func(r *Record, got []string)
}

// retryFor is how long "query retry" asks.
const retryFor = 5 * time.Second

// Run runs records in one protocol, text or binary, and returns the first
// difference, with its line.
func Run(ctx context.Context, srv *Server, records []Record, protocol string) error {
	c := conns{srv: srv, byName: map[string]*sql.Conn{}, protocol: protocol, vars: map[string]string{"dir": srv.Dir}, running: map[string]chan error{}}
	defer c.close()
	var errs []error
	for i := range records {
		r := records[i]
		if (r.Only != "" && r.Only != srv.Kind) || (r.Protocol != "" && r.Protocol != protocol) {
			continue
		}
		r.SQL, r.ErrText = c.expand(r.SQL), c.expand(r.ErrText)
		if err := c.step(ctx, &r, &records[i]); err != nil {
			errs = append(errs, fmt.Errorf("line %d: %s\n%w", r.Line, r.SQL, err))
			if !srv.All {
				break
			}
		}
	}
	return errors.Join(errs...)
}

type conns struct {
	srv      *Server
	protocol string
	dbs      []*sql.DB
	byName   map[string]*sql.Conn
	vars     map[string]string
	running  map[string]chan error // background statements by connection
}

func (c *conns) close() {
	for _, conn := range c.byName {
		conn.Close()
	}
	for _, db := range c.dbs {
		db.Close()
	}
	c.byName, c.dbs = map[string]*sql.Conn{}, nil
}

func (c *conns) expand(text string) string {
	for name, v := range c.vars {
		text = strings.ReplaceAll(text, "${"+name+"}", v)
	}
	return text
}

func (c *conns) get(ctx context.Context, name string) (*sql.Conn, error) {
	if conn := c.byName[name]; conn != nil {
		return conn, nil
	}
	db, err := sql.Open("mysql", c.srv.DSN)
	if err != nil {
		return nil, err
	}
	c.dbs = append(c.dbs, db)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	c.byName[name] = conn
	return conn, nil
}

func (c *conns) step(ctx context.Context, r, original *Record) error {
	switch {
	case r.File != "":
		return os.WriteFile(filepath.Join(c.srv.Dir, r.File), []byte(r.Content), 0o644)
	case r.Restart:
		c.close()
		if c.srv.Restart == nil {
			return errors.New("this server cannot be restarted")
		}
		return c.srv.Restart()
	case r.State != nil:
		return nil // all commits stay as they are
	case r.Join:
		done := c.running[r.Connection]
		if done == nil {
			return fmt.Errorf("connection %q runs nothing in the background", r.Connection)
		}
		delete(c.running, r.Connection)
		return <-done
	}
	conn, err := c.get(ctx, r.Connection)
	if err != nil {
		return err
	}
	if !r.Background {
		return c.one(ctx, conn, r, original)
	}
	done := make(chan error, 1)
	c.running[r.Connection] = done
	go func() { done <- c.one(ctx, conn, r, original) }()
	return nil
}

func (c *conns) one(ctx context.Context, conn *sql.Conn, r, original *Record) error {
	if !r.Query {
		return c.statement(ctx, conn, r)
	}
	end := time.Now().Add(retryFor)
	for {
		got, err := c.query(ctx, conn, r)
		if err != nil {
			return err
		}
		if c.srv.Rewrite != nil {
			if original.Let == "" {
				c.srv.Rewrite(original, got)
			}
			return nil
		}
		if r.Let != "" {
			return nil
		}
		if err = compare(r, got); err == nil || !r.Retry || time.Now().After(end) {
			return err
		}
		time.Sleep(time.Millisecond) // between two questions, not for one to come true
	}
}

func (c *conns) statement(ctx context.Context, conn *sql.Conn, r *Record) error {
	var res sql.Result = driver.RowsAffected(0)
	var err error
	if HasRows(r.SQL) {
		_, err = c.query(ctx, conn, r)
	} else {
		res, err = c.exec(ctx, conn, r.SQL)
	}
	if r.Error {
		return wantError(r, err)
	}
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); r.Count >= 0 && (err != nil || n != r.Count) {
		return fmt.Errorf("affected %d rows, want %d", n, r.Count)
	}
	return nil
}

// HasRows reports whether a statement answers with rows, which the driver wants
// to know beforehand.
func HasRows(text string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(text, "( "), " ")
	switch strings.ToUpper(strings.TrimSpace(word)) {
	case "SELECT", "WITH", "VALUES", "SHOW", "DESCRIBE", "DESC", "EXPLAIN":
		return true
	}
	return false
}

// exec runs a statement; in binary protocol through a prepared one where the
// server prepares it.
func (c *conns) exec(ctx context.Context, conn *sql.Conn, text string) (sql.Result, error) {
	if c.protocol == "text" {
		return conn.ExecContext(ctx, text)
	}
	st, err := conn.PrepareContext(ctx, text)
	if err != nil {
		return conn.ExecContext(ctx, text)
	}
	defer st.Close()
	return st.ExecContext(ctx)
}

func (c *conns) query(ctx context.Context, conn *sql.Conn, r *Record) ([]string, error) {
	var rows *sql.Rows
	var err error
	if c.protocol == "binary" {
		var st *sql.Stmt
		if st, err = conn.PrepareContext(ctx, r.SQL); err == nil {
			defer st.Close()
			rows, err = st.QueryContext(ctx)
		} else {
			rows, err = conn.QueryContext(ctx, r.SQL)
		}
	} else {
		rows, err = conn.QueryContext(ctx, r.SQL)
	}
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	head, err := header(rows, r)
	if err != nil {
		return nil, err
	}
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out []string
	vals, ptrs := make([]sql.RawBytes, len(names)), make([]any, len(names))
	for i := range vals {
		ptrs[i] = &vals[i]
	}
	for rows.Next() {
		if err := rows.Scan(ptrs...); err != nil {
			return nil, err
		}
		if r.Let != "" && len(out) == 0 && len(vals) > 0 {
			c.vars[r.Let] = string(vals[0])
		}
		out = append(out, Line(vals))
	}
	if r.Sort {
		slices.Sort(out)
	}
	return append(head, out...), rows.Err()
}

// header has the lines before the rows.
func header(rows *sql.Rows, r *Record) ([]string, error) {
	var head []string
	if r.Names {
		names, err := rows.Columns()
		if err != nil {
			return nil, err
		}
		head = append(head, strings.Join(names, "\t"))
	}
	if r.Types {
		types, err := rows.ColumnTypes()
		if err != nil {
			return nil, err
		}
		var ts []string
		for _, t := range types {
			ts = append(ts, t.DatabaseTypeName())
		}
		head = append(head, strings.Join(ts, "\t"))
	}
	return head, nil
}
