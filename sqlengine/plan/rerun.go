package plan

import (
	"reflect"

	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// Correlated subqueries, LATERAL and joins that are no hash joins run a part of the
// plan anew for every outer row. The lake tables in it are not read from storage as often:
//
//  1. the first run reads what it needs: comparisons of columns with the outer row are
//     predicates of the scan, with the values of that row. It may be the only run;
//  2. the second run reads the table, less the rows that conditions on it alone rule
//     out, and keeps the batches until the statement ends, if they fit in memory
//     (exec.Kept). They are filtered by the same predicates from then on;
//  3. equalities with an expression over the outer row are keys of an index of the
//     kept rows, which is made once;
//  4. joins and derived tables that give the same rows in every run are kept too, as
//     rows (keptNode), under a filter or as the right side of a join.
//
// All of it only leaves out rows for which the conditions are not true: the
// conditions are evaluated on what remains, as before. A condition that is volatile is
// neither key nor predicate. Rows keep their order.

// scopes is how many outer rows the conditions on an input can see: those of filters
// above it see the row of the enclosing query, those of a join the row of its left side.
const (
	filterScope = iota
	joinScope
	scopes
)

// input is a lake table, or a join or derived table, as it stands in a part of a plan
// that runs again: under its filters and alias.
type input struct {
	table   *hostplan.ResolvedTable // the table, or one of those of node
	lake    *bridge.Table
	node    sql.Node         // that gives the same rows each time; nil: table does
	filters []sql.Expression // over the row of the enclosing query and the input's
	prefix  sql.Row          // of the enclosing query; the input's rows begin with it
	strip   bool             // they do not: it is taken off again
}

// inputOf finds an input under filters. Of one with a node, it does not say that the
// node gives the same rows each time.
func inputOf(n sql.Node) (in input, ok bool) {
	if s, ok := n.(*hostplan.StripRowNode); ok {
		in.strip, n = true, s.Child
	}
	for {
		switch x := n.(type) {
		case *hostplan.Filter:
			in.filters = append(in.filters, x.Expression)
			n = x.Child
		case *hostplan.TableAlias:
			n = x.Child
		case *hostplan.PrependNode:
			t, ok := x.Child.(*hostplan.ResolvedTable)
			if !ok {
				return in.of(x)
			}
			in.prefix, n = x.Row, t
		case *hostplan.ResolvedTable:
			in.table = x
			in.lake, ok = tableOf(x)
			return in, ok
		case *hostplan.CachedResults:
			n = x.Child
		case *meter:
			n = x.Child
		case *hostplan.SubqueryAlias, *hostplan.JoinNode:
			return in.of(x)
		default:
			return in, false
		}
	}
}

// of is the input with the rows of a join or derived table.
func (in input) of(n sql.Node) (input, bool) {
	in.node = n
	transform.Inspect(n, func(n sql.Node) bool {
		if p, ok := n.(*hostplan.PrependNode); ok && in.prefix == nil {
			in.prefix = p.Row
		}
		return in.prefix == nil
	})
	return in, true
}

// rerun reads an input, and filters it, in a part of a plan that runs again; nil
// means that the host runs the node.
func (b *Builder) rerun(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	switch n.(type) {
	case *hostplan.Filter, *hostplan.ResolvedTable:
	default:
		return nil, nil
	}
	in, ok := inputOf(n)
	if !ok {
		return nil, nil
	}
	a, err := b.accessOf(ctx, in, nil, len(in.prefix), false)
	if a == nil || err != nil {
		return nil, err
	}
	return b.run(ctx, a, in, row, nil)
}

// rerunJoin runs a join whose right side is an input that the host would read whole
// for every row of the left side.
func (b *Builder) rerunJoin(ctx *sql.Context, n *hostplan.JoinNode, row sql.Row) (sql.RowIter, error) {
	right, ok := probedSide(n)
	if !ok {
		return nil, nil
	}
	base := len(row) + len(n.Left().Schema())
	join, err := n.WithChildren(n.Left(), &probeNode{UnaryNode: hostplan.UnaryNode{Child: n.Right()}, in: right, cond: n.Filter, base: base, strict: n.Op.IsExcludeNulls()})
	if err != nil {
		return nil, err
	}
	return b.host.Build(ctx, join, row)
}

// probedSide is the right side of a join that an access can give, with regard to
// the join's condition.
func probedSide(n *hostplan.JoinNode) (in input, ok bool) {
	if n.Filter == nil || reflect.TypeOf(n.Filter).Kind() != reflect.Pointer {
		return in, false
	}
	switch n.Op {
	case hostplan.JoinTypeInner, hostplan.JoinTypeLeftOuter, hostplan.JoinTypeLeftOuterExcludeNulls, hostplan.JoinTypeSemi, hostplan.JoinTypeAnti:
		return inputOf(n.Right())
	}
	return in, false
}

// probeNode is the right side of a join: it gives the rows for which the join's
// condition can be true.
type probeNode struct {
	hostplan.UnaryNode
	in     input
	cond   sql.Expression
	base   int
	strict bool
}

var _ sql.Node = (*probeNode)(nil)

// String implements fmt.Stringer.
func (n *probeNode) String() string { return n.Child.String() }

// IsReadOnly implements sql.Node.
func (n *probeNode) IsReadOnly() bool { return true }

// WithChildren implements sql.Node.
func (n *probeNode) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	out := *n
	out.Child = children[0]
	return &out, nil
}

// probe runs the right side of a join for a row of the left side.
func (b *Builder) probe(ctx *sql.Context, n *probeNode, row sql.Row) (sql.RowIter, error) {
	a, err := b.accessOf(ctx, n.in, n.cond, n.base, n.strict)
	if err != nil {
		return nil, err
	}
	if a == nil || len(row) != n.base {
		return b.host.Build(ctx, n.Child, row)
	}
	return b.run(ctx, a, n.in, row, row)
}
