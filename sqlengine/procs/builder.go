package procs

import (
	"errors"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/lakesql/lakesql/catalog"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
	"github.com/lakesql/lakesql/sqlengine/plan"
	"github.com/lakesql/lakesql/storage"
)

// Config is what a Builder needs; all members but FileDir are required.
type Config struct {
	Provider *bridge.Provider
	// Analyze plans a statement that was parsed, without running it.
	Analyze func(ctx *sql.Context, stmt ast.Statement, text string) (sql.Node, error)
	// FileDir is the folder whose files LOAD DATA may read, an absolute path; "": none.
	FileDir string
}

// Builder makes plan nodes of the dialect's statements. It is safe for many sessions.
type Builder struct {
	provider *bridge.Provider
	exec     sql.NodeExecBuilder
	analyze  func(ctx *sql.Context, stmt ast.Statement, text string) (sql.Node, error)
	fileDir  string
}

var _ dialect.Builder = (*Builder)(nil)

// New returns a Builder.
func New(c Config) *Builder {
	return &Builder{provider: c.Provider, exec: plan.New(), analyze: c.Analyze, fileDir: c.FileDir}
}

// Build implements dialect.Builder.
func (b *Builder) Build(stmt dialect.Statement, children []any) (sql.ExecSourceRel, error) {
	switch s := stmt.(type) {
	case *dialect.CreateTable:
		return b.createTable(s), nil
	case *dialect.AlterTable:
		return ddl(s, func(ctx *sql.Context) (bridge.Result, error) { return b.alterTable(ctx, s) }), nil
	case *dialect.RenameTables:
		return ddl(s, func(ctx *sql.Context) (bridge.Result, error) { return bridge.Result{}, b.renameTables(ctx, s.Tables) }), nil
	case *dialect.TruncatePartitions:
		return ddl(s, func(ctx *sql.Context) (bridge.Result, error) { return b.truncate(ctx, s) }), nil
	case *dialect.DropDatabase:
		return ddl(s, func(ctx *sql.Context) (bridge.Result, error) { return b.dropDatabase(ctx, s) }), nil
	case *dialect.InsertValues:
		return b.insertValues(s, children)
	case *dialect.LoadData:
		return b.loadData(s), nil
	case *dialect.Call:
		return b.call(s, children)
	case *dialect.SetOption:
		return ok(s, func(ctx *sql.Context) (bridge.Result, error) { return bridge.Result{}, setOption(ctx, s.Key, s.Value) }), nil
	case *dialect.ResetOption:
		return ok(s, func(ctx *sql.Context) (bridge.Result, error) { return bridge.Result{}, resetOption(ctx, s.Key) }), nil
	case *dialect.ShowPartitions:
		return b.showPartitions(s), nil
	case *dialect.ShowTags:
		return b.showTags(s), nil
	case *dialect.Explain:
		return b.explain(s), nil
	case *dialect.AnalyzeTable:
		return b.analyzeTable(s), nil
	case *dialect.CheckTable:
		return b.checkTable(s), nil
	case *dialect.OptimizeTable:
		return b.optimizeTable(s), nil
	case *dialect.RepairTable:
		return b.repairTable(s), nil
	case *dialect.ChecksumTable:
		return b.checksumTable(s), nil
	}
	return nil, bridge.Errorf(bridge.CodeNotSupported, "%s is not supported yet", stmt.Kind())
}

// table finds the lake table of a name that was typed.
func (b *Builder) table(ctx *sql.Context, n dialect.TableName) (*storage.Table, error) {
	db, err := b.warehouseDatabase(ctx, n)
	if err != nil {
		return nil, err
	}
	t, err := b.provider.Catalog().Table(ctx, db, n.Table)
	if errors.Is(err, catalog.ErrTableNotFound) {
		return nil, bridge.Errorf(bridge.CodeNoSuchTable, "Table '%s.%s' doesn't exist", db, n.Table)
	}
	return t, err
}

// database is the database of a name, the session's when it has none.
func (b *Builder) database(ctx *sql.Context, n dialect.TableName) (string, error) {
	if n.Catalog != "" {
		return "", bridge.Errorf(bridge.CodeNotSupported, "catalogs other than the warehouse's own are not supported yet (%s)", n)
	}
	db := n.Database
	if db == "" {
		db = ctx.GetCurrentDatabase()
	}
	if db == "" {
		return "", bridge.Errorf(bridge.CodeNoDatabase, "No database selected")
	}
	return db, nil
}

// warehouseDatabase is the database of a name as the warehouse spells it.
func (b *Builder) warehouseDatabase(ctx *sql.Context, n dialect.TableName) (string, error) {
	name, err := b.database(ctx, n)
	if err != nil {
		return "", err
	}
	db, err := b.provider.Database(ctx, name)
	if err != nil {
		return "", err
	}
	if _, ok := db.(*bridge.Database); !ok {
		return "", bridge.Denied(ctx, "", name, "")
	}
	return db.Name(), nil
}

// tableText finds the table of 'db.t' or 't'.
func (b *Builder) tableText(ctx *sql.Context, text string) (*storage.Table, error) {
	var n dialect.TableName
	switch parts := strings.Split(strings.ReplaceAll(text, "`", ""), "."); len(parts) {
	case 1:
		n.Table = parts[0]
	case 2:
		n.Database, n.Table = parts[0], parts[1]
	case 3:
		n.Catalog, n.Database, n.Table = parts[0], parts[1], parts[2]
	default:
		return nil, bridge.Errorf(bridge.CodeNoSuchTable, "'%s' is no table name", text)
	}
	return b.table(ctx, n)
}

// endTransaction publishes what the session has written so far.
func endTransaction(ctx *sql.Context) error {
	s, err := bridge.SessionOf(ctx)
	if err != nil {
		return err
	}
	tx := ctx.GetTransaction()
	if tx == nil {
		return nil
	}
	return s.CommitTransaction(ctx, tx)
}

// node is a statement in the host's plan.
type node struct {
	stmt     dialect.Statement
	schema   sql.Schema
	readOnly bool
	run      func(ctx *sql.Context) (sql.RowIter, error)
}

var _ sql.ExecSourceRel = (*node)(nil)

// Resolved implements sql.Resolvable.
func (*node) Resolved() bool { return true }

// String implements fmt.Stringer.
func (n *node) String() string { return n.stmt.Kind() }

// Schema implements sql.Node.
func (n *node) Schema() sql.Schema { return n.schema }

// Children implements sql.Node.
func (*node) Children() []sql.Node { return nil }

// WithChildren implements sql.Node.
func (n *node) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) > 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 0)
	}
	return n, nil
}

// IsReadOnly implements sql.Node.
func (n *node) IsReadOnly() bool { return n.readOnly }

// RowIter implements sql.ExecSourceRel.
func (n *node) RowIter(ctx *sql.Context, _ sql.Row) (sql.RowIter, error) { return n.run(ctx) }

// ok is a statement that answers OK.
func ok(s dialect.Statement, run func(*sql.Context) (bridge.Result, error)) *node {
	return &node{stmt: s, schema: gmstypes.OkResultSchema, run: func(*sql.Context) (sql.RowIter, error) {
		return bridge.NewOKIter(run), nil
	}}
}

// ddl is a statement that answers OK and ends the session's transaction first.
func ddl(s dialect.Statement, run func(*sql.Context) (bridge.Result, error)) *node {
	return ok(s, func(ctx *sql.Context) (bridge.Result, error) {
		if err := endTransaction(ctx); err != nil {
			return bridge.Result{}, err
		}
		return run(ctx)
	})
}

// rows is a statement that answers with rows of these columns.
func rows(s dialect.Statement, columns sql.Schema, run func(*sql.Context) ([]sql.Row, error)) *node {
	return &node{stmt: s, schema: columns, readOnly: true, run: func(ctx *sql.Context) (sql.RowIter, error) {
		out, err := run(ctx)
		if err != nil {
			return nil, err
		}
		return sql.RowsToRowIter(out...), nil
	}}
}

// text and number are columns of answers.
func text(name string) *sql.Column { return &sql.Column{Name: name, Type: gmstypes.LongText} }

func number(name string) *sql.Column { return &sql.Column{Name: name, Type: gmstypes.Int64} }
