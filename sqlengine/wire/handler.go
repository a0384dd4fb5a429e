package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/lakesql/lakesql/internal/parallel"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
	lakeplan "github.com/lakesql/lakesql/sqlengine/plan"
)

// Metrics counts what the handler did. It may be read at any time.
type Metrics struct {
	Connections atomic.Int64 // open now
	Running     atomic.Int64 // statements being executed
	Statements  atomic.Int64
	Errors      atomic.Int64
	Panics      atomic.Int64
	Rows        atomic.Int64 // sent to clients
	Bytes       atomic.Int64 // of rows in the text protocol
}

// Handler runs the commands of all connections.
type Handler struct {
	mysql.Handler // the host's: connections, preparing, session state

	engine   *sqle.Engine
	sessions *server.SessionManager
	log      *slog.Logger
	metrics  *Metrics
	access   connAccess
	started  time.Time
}

var _ mysql.Handler = (*Handler)(nil)

// New puts a Handler in front of the host's. log and metrics must not be nil.
func New(e *sqle.Engine, sm *server.SessionManager, host mysql.Handler, log *slog.Logger, m *Metrics) (*Handler, error) {
	a, err := newConnAccess()
	if err != nil {
		return nil, err
	}
	return &Handler{Handler: host, engine: e, sessions: sm, log: log, metrics: m, access: a, started: time.Now()}, nil
}

// NewConnection is called when a client connects. The greeting carries the status:
// drivers that want autocommit off look there whether they have to say so.
func (h *Handler) NewConnection(c *mysql.Conn) {
	h.metrics.Connections.Add(1)
	c.StatusFlags |= mysql.ServerStatusAutocommit
	h.Handler.NewConnection(c)
	h.attach(c)
}

// ConnectionClosed is called when a client is gone.
func (h *Handler) ConnectionClosed(c *mysql.Conn) {
	h.metrics.Connections.Add(-1)
	h.Handler.ConnectionClosed(c)
}

// ComInitDB changes the database of a connection.
func (h *Handler) ComInitDB(c *mysql.Conn, schemaName string) (err error) {
	defer h.guard(&err, "")
	return h.sessions.SetDB(context.Background(), c, schemaName)
}

// ComResetConnection gives a connection a new session, with the same database.
// The host cannot send an error: a database that is gone leaves the session without one.
func (h *Handler) ComResetConnection(c *mysql.Conn) error {
	var err error
	func() {
		defer h.guard(&err, "")
		err = h.Handler.ComResetConnection(c)
	}()
	c.StatusFlags = c.StatusFlags&^mysql.ServerInTransaction | mysql.ServerStatusAutocommit
	if err == nil {
		return nil
	}
	h.log.Debug("reset a connection", "conn", c.ConnectionID, "error", err)
	return h.sessions.SetDB(context.Background(), c, "")
}

// ComPrepare plans a prepared statement.
func (h *Handler) ComPrepare(ctx context.Context, c *mysql.Conn, query string, prepare *mysql.PrepareData) (fields []*querypb.Field, err error) {
	defer h.guard(&err, query)
	sqlCtx, end, err := h.begin(ctx, c, query, false /* not a query */)
	if err != nil {
		return nil, err
	}
	defer end()
	query = sql.RemoveSpaceAndDelimiter(query, ';') // the key under which it is looked for
	stmt, _, _, err := h.engine.Parser.Parse(sqlCtx, query, false /* one statement */)
	if err != nil {
		return nil, err
	}
	if !dialect.CanPrepare(stmt) {
		return nil, dialect.NotPrepared()
	}
	node, err := h.engine.PrepareParsedQuery(sqlCtx, query, query, stmt)
	if err != nil {
		return nil, err
	}
	switch node.(type) {
	case *plan.InsertInto, *plan.Update, *plan.UpdateJoin, *plan.DeleteFrom:
		return nil, nil
	}
	if gmstypes.IsOkResultSchema(node.Schema()) {
		return nil, nil
	}
	return fieldsOf(sqlCtx, node.Schema(), lakeplan.Origins(node)), nil
}

// ComQuery runs one statement.
func (h *Handler) ComQuery(ctx context.Context, c *mysql.Conn, query string, callback mysql.ResultSpoolFn) error {
	_, err := h.run(&statement{ctx: ctx, conn: c, query: query, callback: callback})
	return err
}

// ComMultiQuery runs the first statement of several and returns the others.
func (h *Handler) ComMultiQuery(ctx context.Context, c *mysql.Conn, query string, callback mysql.ResultSpoolFn) (string, error) {
	return h.run(&statement{ctx: ctx, conn: c, query: query, multi: true, callback: callback})
}

// ComStmtExecute runs a prepared statement.
func (h *Handler) ComStmtExecute(ctx context.Context, c *mysql.Conn, prepare *mysql.PrepareData, callback func(*sqltypes.Result) error) error {
	_, err := h.run(&statement{
		ctx: ctx, conn: c, query: prepare.PrepareStmt, binary: true, bindings: prepare.BindVars,
		callback: func(r *sqltypes.Result, _ bool) error { return callback(r) },
	})
	return err
}

// guard turns a panic into an error and gives every error its MySQL code.
func (h *Handler) guard(err *error, query string) {
	if r := recover(); r != nil {
		h.metrics.Panics.Add(1)
		h.log.Error("statement panicked", "query", query, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		*err = fmt.Errorf("internal error: %v", r)
	}
	var p *parallel.Panic
	if errors.As(*err, &p) {
		h.metrics.Panics.Add(1)
		h.log.Error("part of a statement panicked", "query", query, "panic", fmt.Sprint(p.Value), "stack", string(p.Stack))
	}
	if *err != nil {
		e := sqlError(*err)
		if e.Num == bridge.CodeNoSuchTable.Num && firstWord(query) == "DROP" {
			// MySQL has a number of its own for dropping what is not there.
			e = &mysql.SQLError{Num: bridge.CodeBadTable.Num, State: bridge.CodeBadTable.State, Message: reNoTable.ReplaceAllString(e.Message, "Unknown table '$1'")}
		}
		*err = e
	}
}

var reNoTable = regexp.MustCompile(`^Table '(.*)' doesn't exist$`)

// firstWord is the first word of a statement in upper case.
func firstWord(query string) string {
	f := strings.Fields(query)
	if len(f) == 0 {
		return ""
	}
	return strings.ToUpper(f[0])
}

// sqlError gives an error its MySQL code. Faults of a statement's text bring their own.
func sqlError(err error) *mysql.SQLError {
	var d *dialect.Error
	if errors.As(err, &d) {
		return &mysql.SQLError{Num: d.Code, State: d.State, Message: d.Message}
	}
	return bridge.SQLError(err)
}

// begin opens the statement's context, entry in the process list and session
// command; end closes them.
func (h *Handler) begin(ctx context.Context, c *mysql.Conn, query string, isQuery bool) (*sql.Context, func(), error) {
	sqlCtx, err := h.sessions.NewContextWithQuery(ctx, c, query)
	if err != nil {
		return nil, nil, err
	}
	h.withFiles(sqlCtx, c)
	begin, done := sqlCtx.ProcessList.BeginOperation, sqlCtx.ProcessList.EndOperation
	if isQuery {
		begin = func(ctx *sql.Context) (*sql.Context, error) { return ctx.ProcessList.BeginQuery(ctx, query) }
		done = sqlCtx.ProcessList.EndQuery
	}
	sqlCtx, err = begin(sqlCtx)
	if err != nil {
		return nil, nil, err
	}
	if err := sql.SessionCommandBegin(sqlCtx.Session); err != nil {
		done(sqlCtx)
		return nil, nil, err
	}
	return sqlCtx, func() {
		sql.SessionCommandEnd(sqlCtx.Session)
		done(sqlCtx)
	}, nil
}

// statement is one statement on its way.
type statement struct {
	ctx      context.Context
	conn     *mysql.Conn
	query    string
	multi    bool // more statements may follow in query
	binary   bool // result rows in the binary protocol
	bindings map[string]*querypb.BindVariable
	callback mysql.ResultSpoolFn

	sent bool // the client has seen the result's columns
}

func (h *Handler) run(s *statement) (rest string, err error) {
	h.metrics.Statements.Add(1)
	h.metrics.Running.Add(1)
	start := time.Now()
	defer func() {
		h.metrics.Running.Add(-1)
		if err != nil {
			h.metrics.Errors.Add(1)
			h.log.Debug("statement failed", "conn", s.conn.ConnectionID, "error", err, "took", time.Since(start))
		}
	}()
	rest, err = h.runGuarded(s)
	if err == nil || !s.sent {
		return rest, err
	}
	// The columns are out: the host cannot send an error any more, we can.
	if werr := h.sendError(s, sqlError(err)); werr != nil {
		return "", err
	}
	return "", nil
}

func (h *Handler) runGuarded(s *statement) (rest string, err error) {
	defer h.guard(&err, s.query)
	ctx, end, err := h.begin(s.ctx, s.conn, s.query, true /* a query */)
	if err != nil {
		return "", err
	}
	defer end()
	stop := h.watch(ctx, s.conn)
	defer stop()

	var parsed sqlparser.Statement
	if s.multi {
		if _, prepared := h.engine.PreparedDataCache.GetCachedStmt(ctx.Session.ID(), s.query); !prepared {
			var first string
			parsed, first, rest, err = h.engine.Parser.Parse(ctx, s.query, true)
			if err != nil {
				return "", err
			}
			if first != "" {
				s.query = first
			}
		}
	}
	if !s.multi && isEmpty(s.query) {
		return "", sqlparser.ErrEmpty // which the host takes for a statement that does nothing
	}
	bound, err := bindingExprs(s.bindings)
	if err != nil {
		return "", err
	}
	schema, iter, _, err := h.engine.QueryWithBindings(ctx, s.query, parsed, bound, nil)
	if err != nil {
		return "", err
	}
	return rest, h.spool(ctx, s, schema, iter, rest != "")
}

// isEmpty reports whether a query is nothing but comments.
func isEmpty(query string) bool {
	query = strings.TrimLeft(query, " \t\r\n;")
	if query != "" && !strings.ContainsRune("/-#", rune(query[0])) {
		return false
	}
	return len(dialect.Split(query, sqlparser.ParserOptions{})) == 0
}

// spool sends a result and closes its iterator, which commits.
func (h *Handler) spool(ctx *sql.Context, s *statement, schema sql.Schema, iter sql.RowIter, more bool) (err error) {
	closed := false
	defer func() {
		if closed {
			return
		}
		// A panic passes through here as well: nothing of a failed statement may
		// be committed by closing its iterator.
		if ss, ok := ctx.Session.(interface{ RollbackStatement(*sql.Context) }); ok {
			ss.RollbackStatement(ctx)
		}
		err = errors.Join(err, iter.Close(ctx))
	}()
	finish := func() error {
		closed = true
		return iter.Close(ctx)
	}

	switch {
	case gmstypes.IsOkResultSchema(schema), bridge.AnswersOK(iter):
		r, err := okResult(ctx, iter)
		if err != nil {
			return err
		}
		if err := finish(); err != nil {
			return err
		}
		// The host takes statements of ours for queries and has set -1.
		ctx.SetLastQueryInfoInt(sql.RowCount, int64(r.RowsAffected))
		h.setStatus(ctx, s.conn)
		return h.sendOK(s, r, more)
	case len(schema) == 0:
		for {
			if _, err := iter.Next(ctx); err == io.EOF {
				break
			} else if err != nil {
				return err
			}
		}
		if err := finish(); err != nil {
			return err
		}
		h.setStatus(ctx, s.conn)
		return s.callback(&sqltypes.Result{}, more)
	}
	return h.spoolRows(ctx, s, schema, iter, finish, more)
}

func okResult(ctx *sql.Context, iter sql.RowIter) (*sqltypes.Result, error) {
	r := &sqltypes.Result{}
	for {
		row, err := iter.Next(ctx)
		if err == io.EOF {
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		if !gmstypes.IsOkResult(row) {
			continue
		}
		ok := gmstypes.GetOkResult(row)
		r.RowsAffected, r.InsertID = ok.RowsAffected, ok.InsertID
		if ok.Info != nil {
			r.Info = ok.Info.String()
		}
	}
}

// setStatus tells the client whether it is in a transaction.
func (h *Handler) setStatus(ctx *sql.Context, c *mysql.Conn) {
	set := func(flag uint16, on bool) {
		if on {
			c.StatusFlags |= flag
		} else {
			c.StatusFlags &^= flag
		}
	}
	auto, err := plan.IsSessionAutocommit(ctx)
	set(uint16(mysql.ServerStatusAutocommit), err == nil && auto)
	set(uint16(mysql.ServerInTransaction), bridge.InTransaction(ctx))
}

// sendOK answers a statement without rows. The host writes no length before the
// text about the rows, so that clients read beyond it: where there is one, its
// packet is replaced.
func (h *Handler) sendOK(s *statement, r *sqltypes.Result, more bool) error {
	if r.Info == "" {
		return s.callback(r, more)
	}
	if err := s.conn.FlushBuffer(); err != nil {
		return err
	}
	counter := h.access.counter(s.conn)
	seq := *counter
	if err := s.callback(r, more); err != nil {
		return err
	}
	if !h.access.discard(s.conn) {
		return errors.New("wire: connection has no writer")
	}
	*counter = seq
	status := s.conn.StatusFlags
	if more {
		status |= mysql.ServerMoreResultsExists
	}
	w := newPacketWriter(s.conn, counter)
	p := append(w.begin(), mysql.OKPacket)
	p = appendLenInt(appendLenInt(p, r.RowsAffected), r.InsertID)
	p = binary.LittleEndian.AppendUint16(p, status)
	p = binary.LittleEndian.AppendUint16(p, h.WarningCount(s.conn))
	if err := w.finish(appendText(p, r.Info)); err != nil {
		return err
	}
	return w.flush()
}

func (h *Handler) sendError(s *statement, e *mysql.SQLError) error {
	if err := s.conn.FlushBuffer(); err != nil {
		return err
	}
	if !h.access.mute(s.conn) {
		return errors.New("wire: connection has no writer")
	}
	return newPacketWriter(s.conn, h.access.counter(s.conn)).error(e)
}

func bindingExprs(bindings map[string]*querypb.BindVariable) (map[string]sqlparser.Expr, error) {
	if len(bindings) == 0 {
		return nil, nil
	}
	out := make(map[string]sqlparser.Expr, len(bindings))
	for name, bv := range bindings {
		v, err := sqltypes.BindVariableToValue(bv)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", name, err)
		}
		if out[name], err = sqlparser.ExprFromValue(v); err != nil {
			return nil, fmt.Errorf("parameter %s: %w", name, err)
		}
	}
	return out, nil
}
