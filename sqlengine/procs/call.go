package procs

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
)

// procedure is one of sys.*.
type procedure struct {
	name    string
	params  []param
	columns sql.Schema
	run     func(b *Builder, ctx *sql.Context, a *args) ([]sql.Row, error)
}

// param is a parameter; names has its spellings, the first for messages.
type param struct {
	names    []string
	required bool
}

func required(names ...string) param { return param{names, true} }
func optional(names ...string) param { return param{names, false} }

// procedures is the table of all procedures, in the order in which an unknown
// name's message lists them.
func procedures() []procedure {
	return []procedure{
		compactProc(), compactDatabaseProc(), rescaleProc(), expireSnapshotsProc(), removeOrphanFilesProc(), createTagProc(), deleteTagProc(),
	}
}

// call makes the node of CALL sys.name(…).
func (b *Builder) call(s *dialect.Call, children []any) (sql.ExecSourceRel, error) {
	var names []string
	for _, p := range procedures() {
		names = append(names, "sys."+p.name)
		if p.name != s.Name {
			continue
		}
		exprs := make([]sql.Expression, len(children))
		for i, c := range children {
			e, ok := c.(sql.Expression)
			if !ok {
				return nil, fmt.Errorf("internal error: an argument of type %T", c)
			}
			exprs[i] = e
		}
		if len(exprs) != len(s.Args) {
			return nil, fmt.Errorf("internal error: %d values for %d arguments", len(exprs), len(s.Args))
		}
		return &callNode{node: node{stmt: s, schema: p.columns}, b: b, call: s, proc: p, exprs: exprs}, nil
	}
	return nil, bridge.Errorf(bridge.CodeNoFunction, "PROCEDURE sys.%s does not exist; there are %s", s.Name, strings.Join(names, ", "))
}

// callNode is a CALL in the host's plan. Its arguments are expressions that the
// host finishes.
type callNode struct {
	node
	b     *Builder
	call  *dialect.Call
	proc  procedure
	exprs []sql.Expression
}

var (
	_ sql.ExecSourceRel = (*callNode)(nil)
	_ sql.Expressioner  = (*callNode)(nil)
)

// Resolved implements sql.Resolvable.
func (n *callNode) Resolved() bool {
	for _, e := range n.exprs {
		if !e.Resolved() {
			return false
		}
	}
	return true
}

// Expressions implements sql.Expressioner.
func (n *callNode) Expressions() []sql.Expression { return n.exprs }

// WithExpressions implements sql.Expressioner.
func (n *callNode) WithExpressions(e ...sql.Expression) (sql.Node, error) {
	if len(e) != len(n.exprs) {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(e), len(n.exprs))
	}
	c := *n
	c.exprs = e
	return &c, nil
}

// WithChildren implements sql.Node.
func (n *callNode) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) > 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 0)
	}
	return n, nil
}

// RowIter implements sql.ExecSourceRel.
func (n *callNode) RowIter(ctx *sql.Context, row sql.Row) (sql.RowIter, error) {
	if err := endTransaction(ctx); err != nil {
		return nil, err
	}
	a, err := n.bind(ctx, row)
	if err != nil {
		return nil, err
	}
	out, err := n.proc.run(n.b, ctx, a)
	if err != nil {
		return nil, err
	}
	return sql.RowsToRowIter(out...), nil
}

// bind gives every argument to its parameter.
func (n *callNode) bind(ctx *sql.Context, row sql.Row) (*args, error) {
	a := &args{proc: n.proc.name, values: map[string]any{}}
	for i, arg := range n.call.Args {
		v, err := n.exprs[i].Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		p, err := n.parameter(i, arg)
		if err != nil {
			return nil, err
		}
		if _, twice := a.values[p.names[0]]; twice {
			return nil, a.errorf("argument '%s' is given twice", p.names[0])
		}
		if v != nil {
			a.values[p.names[0]] = v
		}
	}
	for _, p := range n.proc.params {
		if _, given := a.values[p.names[0]]; p.required && !given {
			return nil, a.errorf("argument '%s' is missing", p.names[0])
		}
	}
	return a, nil
}

func (n *callNode) parameter(i int, arg dialect.Arg) (param, error) {
	if arg.Name == "" {
		if i < len(n.proc.params) {
			return n.proc.params[i], nil
		}
		return param{}, bridge.Errorf(bridge.CodeWrongArguments, "sys.%s takes %d arguments", n.proc.name, len(n.proc.params))
	}
	var known []string
	for _, p := range n.proc.params {
		for _, name := range p.names {
			if strings.EqualFold(name, arg.Name) {
				return p, nil
			}
		}
		known = append(known, p.names[0])
	}
	return param{}, bridge.Errorf(bridge.CodeWrongArguments, "sys.%s has no argument '%s'; it takes %s", n.proc.name, arg.Name, strings.Join(known, ", "))
}

// args are the arguments of one call by the parameter's first name. NULL is an
// argument that is not given.
type args struct {
	proc   string
	values map[string]any
}

func (a *args) errorf(format string, v ...any) error {
	return bridge.Errorf(bridge.CodeWrongArguments, "sys.%s: %s", a.proc, fmt.Sprintf(format, v...))
}

func (a *args) has(name string) bool { return a.values[name] != nil }

// text is an argument as text; "" when it is not given.
func (a *args) text(name string) string {
	switch v := a.values[name].(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		return string(v)
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05.000")
	default:
		return fmt.Sprint(v)
	}
}

// integer is an argument as a number; nil when it is not given.
func (a *args) integer(name string) (*int64, error) {
	if !a.has(name) {
		return nil, nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(a.text(name)), 10, 64)
	if err != nil {
		return nil, a.errorf("argument '%s' must be a whole number, not '%s'", name, a.text(name))
	}
	return &n, nil
}

// at is an argument as a point in time, read in the session's zone; nil when it
// is not given.
func (a *args) at(ctx *sql.Context, name string) (*time.Time, error) {
	if !a.has(name) {
		return nil, nil
	}
	v := bridge.ParseInstant(a.text(name), bridge.Location(ctx))
	if v == nil {
		return nil, a.errorf("argument '%s' must be a time such as '2026-11-29 10:00:00', not '%s'", name, a.text(name))
	}
	return v, nil
}

// refuse refuses arguments of features that are not built.
func (a *args) refuse(names ...string) error {
	for _, n := range names {
		if a.has(n) {
			return bridge.Errorf(bridge.CodeNotSupported, "sys.%s: argument '%s' is not supported yet", a.proc, n)
		}
	}
	return nil
}

// partitions reads 'dt=a,hh=1;dt=b': specs, columns to texts.
func (a *args) partitions(name string) ([]map[string]string, error) {
	if !a.has(name) {
		return nil, nil
	}
	var out []map[string]string
	for _, part := range strings.Split(a.text(name), ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		spec := map[string]string{}
		for _, kv := range strings.Split(part, ",") {
			k, v, ok := strings.Cut(kv, "=")
			if !ok {
				return nil, a.errorf("argument '%s' must be like 'dt=2026-01-01,hh=10;dt=2026-01-02', not '%s'", name, a.text(name))
			}
			spec[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
		out = append(out, spec)
	}
	return out, nil
}

// eachPartition runs do for the table of argument "table": once for each partition
// spec of the named argument, once with nil when it is not given.
func (a *args) eachPartition(ctx *sql.Context, b *Builder, name string, do func(*storage.Table, map[string]columnar.Value) error) error {
	t, err := b.tableText(ctx, a.text("table"))
	if err != nil {
		return err
	}
	specs, err := a.partitions(name)
	if err != nil {
		return err
	}
	if specs == nil {
		specs = []map[string]string{nil}
	}
	s, err := t.Schema(ctx)
	if err != nil {
		return err
	}
	for _, spec := range specs {
		partition, err := partitionValues(s, spec)
		if err != nil {
			return err
		}
		if err := do(t, partition); err != nil {
			return err
		}
	}
	return nil
}

// result is the column of procedures that say whether they did it.
func result() sql.Schema { return sql.Schema{&sql.Column{Name: "result", Type: gmstypes.Boolean}} }

func done() []sql.Row { return []sql.Row{{int8(1)}} }
