package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"

	"github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/sqlengine"
)

// sqlCmd runs SQL over a warehouse in this process, or on a server.
type sqlCmd struct {
	warehouseFlags
	Host     string `help:"Server to connect to, instead of opening the warehouse."`
	Port     int    `help:"Port of the server." default:"4306"`
	User     string `help:"User of the server." default:"root"`
	Password string `help:"Password of the server."`
	Database string `short:"d" help:"Database to start in." default:"default"`
	Execute  string `short:"e" help:"Statements to run, separated by semicolons."`
	File     string `short:"f" help:"File with statements to run; - is the standard input."`
	Format   string `help:"How results are printed: table, csv, json or vertical." enum:"table,csv,json,vertical" default:"table"`
}

// Run implements the subcommand.
func (c *sqlCmd) Run(a *app) error {
	conn, closeConn, err := c.connect(a)
	if err != nil {
		return err
	}
	err = c.run(a, conn)
	return errors.Join(err, closeConn())
}

func (c *sqlCmd) run(a *app, conn *sql.Conn) error {
	s := &shell{app: a, conn: conn, format: c.Format}
	switch {
	case c.Execute != "":
		return s.script(c.Execute)
	case c.File != "" && c.File != "-":
		text, err := os.ReadFile(c.File)
		if err != nil {
			return fmt.Errorf("read statements: %w", err)
		}
		return s.script(string(text))
	case c.File == "-" || !isTerminal(a.stdin):
		text, err := io.ReadAll(a.stdin)
		if err != nil {
			return fmt.Errorf("read statements: %w", err)
		}
		return s.script(string(text))
	}
	s.timing = true
	return s.interactive()
}

// connect opens one connection: to a server, or to an engine in this process.
func (c *sqlCmd) connect(a *app) (*sql.Conn, func() error, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.DBName = c.User, c.Password, c.Database
	cfg.Logger = &mysql.NopLogger{}
	if c.Host != "" {
		cfg.Net, cfg.Addr = "tcp", net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
		return dial(a.ctx, cfg, func() error { return nil })
	}
	w, err := c.open(a)
	if err != nil {
		return nil, nil, err
	}
	e, err := w.engine(a)
	if err != nil {
		w.close()
		return nil, nil, err
	}
	stop := func() error {
		err := e.Close()
		w.close()
		return err
	}
	return connectLocal(a.ctx, e, cfg, stop)
}

// connectLocal connects to an engine in this process.
func connectLocal(ctx context.Context, e *sqlengine.Engine, cfg *mysql.Config, stop func() error) (*sql.Conn, func() error, error) {
	cfg.Net, cfg.Addr = "local", "local"
	cfg.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { return e.Connect(ctx) }
	return dial(ctx, cfg, stop)
}

// dial opens the connection; the function that it returns closes it and calls stop.
func dial(ctx context.Context, cfg *mysql.Config, stop func() error) (*sql.Conn, func() error, error) {
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	db := sql.OpenDB(connector)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("connect: %w", err), db.Close(), stop())
	}
	return conn, func() error { return errors.Join(conn.Close(), db.Close(), stop()) }, nil
}

func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	i, err := f.Stat()
	return err == nil && i.Mode()&os.ModeCharDevice != 0
}
