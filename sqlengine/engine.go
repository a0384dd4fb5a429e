package sqlengine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/sirupsen/logrus"

	"github.com/lakesql/lakesql/catalog"
	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
	"github.com/lakesql/lakesql/sqlengine/funcs"
	"github.com/lakesql/lakesql/sqlengine/plan"
	"github.com/lakesql/lakesql/sqlengine/procs"
	"github.com/lakesql/lakesql/sqlengine/wire"
	"github.com/lakesql/lakesql/storage/fileio"
)

// ServerVersion is the MySQL version that clients are told.
const ServerVersion = "8.0.33"

// Options are what an Engine needs.
type Options struct {
	Catalog catalog.Catalog // required
	Store   fileio.Store    // of the warehouse, for what the server remembers; required
	Root    string          // the warehouse directory; required
	Log     *slog.Logger    // nil discards
	// Budget is what all statements together may keep in memory; nil is without a limit.
	Budget *membudget.Budget
	// SecureFilePriv is the folder whose files SQL may read (LOAD DATA without LOCAL,
	// LOAD_FILE); "": none.
	SecureFilePriv string
	// NoPassword admits root without a password; only for loopback addresses.
	NoPassword bool
}

// Engine runs SQL over a catalog. It is safe for many goroutines.
type Engine struct {
	host     *sqle.Engine
	provider *bridge.Provider
	log      *slog.Logger
	budget   *membudget.Budget
	metrics  wire.Metrics

	mu      sync.Mutex
	servers map[*server.Server]chan struct{}
	local   *localListener // of Connect; nil until its first use
	closed  bool
}

// open guards the host's process-wide variables.
var open atomic.Bool

// ErrOpen is returned by Open while another Engine of the process is open.
var ErrOpen = errors.New("an SQL engine is open in this process already")

// Open assembles an engine and makes the database "default" if there is none.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	fileDir := ""
	if o.SecureFilePriv != "" {
		var err error
		if fileDir, err = filepath.Abs(o.SecureFilePriv); err != nil {
			return nil, fmt.Errorf("folder %s: %w", o.SecureFilePriv, err)
		}
	}
	if !open.CompareAndSwap(false, true) {
		return nil, ErrOpen
	}
	e := &Engine{log: o.Log, budget: o.Budget, servers: map[*server.Server]chan struct{}{}}
	e.provider = bridge.NewProvider(bridge.Config{
		Catalog: o.Catalog, Store: o.Store, Root: o.Root, System: systemDatabases(), Functions: funcs.New(plan.WindowByName(), funcs.LoadFile(fileDir)),
	})
	if err := e.provider.EnsureDefault(ctx); err != nil {
		open.Store(false)
		return nil, err
	}
	quietHost()
	b := procs.New(procs.Config{Provider: e.provider, Analyze: e.analyze, FileDir: fileDir})
	parser := dialect.New(dialect.Config{Builder: b, Values: true, Columns: e.provider.InsertColumns})
	sql.GlobalParser = parser
	a := plan.AddRules(analyzer.NewBuilder(e.provider)).Build()
	plan.AddMeters(a)
	a.ExecBuilder = plan.New()
	a.Parser = parser
	a.Coster = plan.NewCoster(a.Coster)
	a.Catalog.InfoSchema = infoSchema{a.Catalog.InfoSchema}
	e.host = sqle.New(a, &sqle.Config{})
	e.host.Parser = parser
	setStatus(time.Now())
	if err := errors.Join(setVariables(fileDir), repairInfoSchema(a.Catalog.InfoSchema)); err != nil {
		open.Store(false)
		return nil, err
	}
	return e, nil
}

// quietHost keeps the host's own logger, which is process-wide, from writing.
func quietHost() {
	logrus.SetOutput(io.Discard)
	logrus.SetLevel(logrus.PanicLevel)
}

// setVariables sets what clients look at first.
func setVariables(fileDir string) error {
	addVariables(fileDir)
	err := sql.SystemVariables.AssignValues(map[string]any{
		"version":         ServerVersion,
		"version_comment": "lakesql",
	})
	if err != nil {
		return fmt.Errorf("set system variables: %w", err)
	}
	return nil
}

// addVariables adds variables of MySQL that tools set and the host does not know.
func addVariables(fileDir string) {
	add := func(name string, t sql.Type, value any) {
		sql.SystemVariables.AddSystemVariables([]sql.SystemVariable{&sql.MysqlSystemVariable{
			Name: name, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both), Dynamic: true, Type: t, Default: value,
		}})
	}
	for _, name := range []string{"warning_count", "error_count"} {
		sql.SystemVariables.AddSystemVariables([]sql.SystemVariable{&sql.MysqlSystemVariable{
			Name: name, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Session),
			Type: gmstypes.NewSystemUintType(name, 0, math.MaxUint64), Default: uint64(0),
		}})
	}
	sql.SystemVariables.AddSystemVariables([]sql.SystemVariable{&sql.MysqlSystemVariable{
		Name: bridge.Timestamp, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Session), Dynamic: true, SetVarHintApplies: true,
		Type: gmstypes.NewSystemDoubleType(bridge.Timestamp, 0, math.MaxInt32), Default: float64(0),
	}})
	secure := &sql.MysqlSystemVariable{
		Name: "secure_file_priv", Scope: sql.GetMysqlScope(sql.SystemVariableScope_Global),
		Type: gmstypes.NewSystemStringType("secure_file_priv"),
	}
	if fileDir != "" {
		secure.Default = filepath.Join(fileDir, "") + string(filepath.Separator)
	}
	sql.SystemVariables.AddSystemVariables([]sql.SystemVariable{secure, &sql.MysqlSystemVariable{
		Name: "local_infile", Scope: sql.GetMysqlScope(sql.SystemVariableScope_Global), Dynamic: true,
		Type: gmstypes.NewSystemBoolType("local_infile"), Default: int8(1),
	}})
	add("optimizer_switch", gmstypes.NewSystemStringType("optimizer_switch"), "")
	add("profiling", gmstypes.NewSystemBoolType("profiling"), int8(0))
	sql.SystemVariables.AddSystemVariables([]sql.SystemVariable{&sql.MysqlSystemVariable{
		Name: "time_zone", Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both), Dynamic: true, SetVarHintApplies: true,
		Type: gmstypes.NewSystemStringType("time_zone"), Default: "SYSTEM", NotifyChanged: checkTimeZone,
	}})
}

// checkTimeZone refuses time zones that there are not.
func checkTimeZone(_ *sql.Context, _ sql.SystemVariableScope, v sql.SystemVarValue) error {
	name, _ := v.Val.(string)
	_, err := bridge.ParseLocation(name)
	return err
}

// analyze plans a statement without running it.
func (e *Engine) analyze(ctx *sql.Context, stmt ast.Statement, text string) (sql.Node, error) {
	n, flags, err := planbuilder.New(ctx, e.host.Analyzer.Catalog, nil, e.host.Parser).BindOnly(stmt, text, nil)
	if err != nil {
		return nil, err
	}
	return e.host.Analyzer.Analyze(ctx, n, nil, flags)
}

// Metrics counts what all servers of the engine did.
func (e *Engine) Metrics() *wire.Metrics { return &e.metrics }

// Provider is the engine's view of the catalog.
func (e *Engine) Provider() *bridge.Provider { return e.provider }

func (e *Engine) newSession(ctx context.Context, c *mysql.Conn, addr string) (sql.Session, error) {
	base, err := sql.BaseSessionFromConnection(ctx, c, addr)
	if err != nil {
		return nil, err
	}
	s := bridge.NewSession(base, e.budget)
	s.SetCurrentDatabase(bridge.DefaultDatabase)
	s.SetConnectionId(c.ConnectionID)
	e.host.ProcessList.ConnectionReady(s) // else the list knows no user before a database is chosen
	return s, nil
}

// Serve takes clients from l until the engine or l is closed. It owns l.
func (e *Engine) Serve(l net.Listener) error {
	var herr error
	cfg := server.Config{
		Protocol: l.Addr().Network(), Address: l.Addr().String(), Listener: wire.Listen(l), Version: ServerVersion,
		Options: []server.Option{func(en *sqle.Engine, sm *server.SessionManager, h mysql.Handler) (*sqle.Engine, *server.SessionManager, mysql.Handler) {
			ours, err := wire.New(en, sm, h, e.log, &e.metrics)
			if err != nil {
				herr = err
				return en, sm, h
			}
			return en, sm, ours
		}},
	}
	srv, err := server.NewServer(cfg, e.host, sql.NewContext, e.newSession, nil)
	if err == nil {
		err = herr
	}
	if err != nil {
		return errors.Join(fmt.Errorf("serve %s: %w", l.Addr(), err), l.Close())
	}
	done := make(chan struct{})
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return errors.Join(net.ErrClosed, srv.Close())
	}
	e.servers[srv] = done
	e.mu.Unlock()
	defer close(done)
	return srv.Start()
}

// Shutdown stops taking clients, waits for running statements until ctx ends,
// then ends them.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.mu.Lock()
	e.closed = true
	servers := e.servers
	e.servers = map[*server.Server]chan struct{}{}
	e.mu.Unlock()
	var errs []error
	for s, done := range servers {
		errs = append(errs, s.Close())
		<-done
	}
	for e.metrics.Running.Load() > 0 && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
	for s := range servers {
		errs = append(errs, closeSessions(s))
	}
	// The host's background threads end by a cancelled context, which it returns.
	if err := e.host.Close(); !errors.Is(err, context.Canceled) {
		errs = append(errs, err)
	}
	open.Store(false)
	return errors.Join(errs...)
}

// closeSessions ends the connections that a server still has.
func closeSessions(s *server.Server) error {
	sm := s.SessionManager()
	return sm.Iter(func(sess sql.Session) (bool, error) {
		return false, sm.KillConnection(sess.ID())
	})
}

// Close is Shutdown that does not wait.
func (e *Engine) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return e.Shutdown(ctx)
}
