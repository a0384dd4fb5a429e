package runner

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// Server is what a script runs against.
type Server struct {
	Kind string // lakesql, or another server that a record may be kept from by "only"
	// DSN is where to connect. Restart stops and starts the server, which may
	// change DSN; nil when it cannot.
	DSN     string
	Restart func() error
}

// Run runs records in one protocol, text or binary, and returns the first
// difference, with its line.
func Run(ctx context.Context, srv *Server, records []Record, protocol string) error {
	c := conns{srv: srv, byName: map[string]*sql.Conn{}, protocol: protocol}
	defer c.close()
	for i := range records {
		r := &records[i]
		if (r.Only != "" && r.Only != srv.Kind) || (r.Protocol != "" && r.Protocol != protocol) {
			continue
		}
		if err := c.one(ctx, r); err != nil {
			return fmt.Errorf("line %d: %s\n%w", r.Line, r.SQL, err)
		}
	}
	return nil
}

type conns struct {
	srv      *Server
	protocol string
	dbs      []*sql.DB
	byName   map[string]*sql.Conn
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

func (c *conns) one(ctx context.Context, r *Record) error {
	if r.Restart {
		c.close()
		if c.srv.Restart == nil {
			return errors.New("this server cannot be restarted")
		}
		return c.srv.Restart()
	}
	conn, err := c.get(ctx, r.Connection)
	if err != nil {
		return err
	}
	if r.Query {
		got, err := c.query(ctx, conn, r)
		if err != nil {
			return err
		}
		return compare(r, got)
	}
	res, err := c.exec(ctx, conn, r.SQL)
	if r.ErrNumber != 0 {
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
		out = append(out, Line(vals))
	}
	if r.Sort {
		slices.Sort(out)
	}
	if r.Names {
		out = append([]string{strings.Join(names, "\t")}, out...)
	}
	return out, rows.Err()
}

// Line prints one row as scripts write it.
func Line(vals []sql.RawBytes) string {
	cells := make([]string, len(vals))
	for i, v := range vals {
		switch {
		case v == nil:
			cells[i] = "NULL"
		case len(v) == 0:
			cells[i] = "(empty)"
		default:
			q := strconv.Quote(string(v))
			cells[i] = strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
		}
	}
	return strings.Join(cells, "\t")
}

func compare(r *Record, got []string) error {
	want := slices.Clone(r.Want)
	if r.Sort {
		from := 0
		if r.Names {
			from = 1
		}
		slices.Sort(want[min(from, len(want)):])
	}
	if slices.Equal(got, want) {
		return nil
	}
	return fmt.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
}

func wantError(r *Record, err error) error {
	var me *mysql.MySQLError
	if !errors.As(err, &me) {
		return fmt.Errorf("want error %d, got %v", r.ErrNumber, err)
	}
	if int(me.Number) != r.ErrNumber || !strings.Contains(me.Message, r.ErrText) {
		return fmt.Errorf("want error %d %q, got %d %q", r.ErrNumber, r.ErrText, me.Number, me.Message)
	}
	return nil
}
