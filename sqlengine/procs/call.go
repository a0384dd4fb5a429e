package procs

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
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

// result is the column of procedures that say whether they did it.
func result() sql.Schema { return sql.Schema{&sql.Column{Name: "result", Type: gmstypes.Boolean}} }

func done() []sql.Row { return []sql.Row{{int8(1)}} }
