package plan

import (
	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// Builder runs plans: what it compiles on batches, the rest on the host's rows.
type Builder struct {
	host sql.NodeExecBuilder
}

var _ sql.NodeExecBuilder = (*Builder)(nil)

// New returns the builder for the host's analyzer.
func New() *Builder {
	b := &Builder{}
	b.host = rowexec.NewOverrideBuilder(override{b})
	return b
}

// Build implements sql.NodeExecBuilder.
func (b *Builder) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	iter, err := b.host.Build(ctx, n, row)
	if err != nil || len(row) > 0 { // a subquery for a row, which is no result
		return iter, err
	}
	return withOrigins(n, iter), nil
}

// override is asked by the host for every node before it builds one itself.
type override struct{ b *Builder }

// Build implements sql.NodeExecBuilder; nil means that the host builds the node.
func (o override) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	switch n := n.(type) {
	case *hostplan.InsertInto:
		return o.b.insert(ctx, n, row)
	case *hostplan.Update:
		return o.b.update(ctx, n, row)
	case *hostplan.DeleteFrom:
		return o.b.delete(ctx, n, row)
	case *hostplan.Truncate:
		if t, ok := tableOf(n.Child); ok {
			return t.TruncateIter(o.b.source(n.Child, row)), nil
		}
		return nil, nil
	case *hostplan.Kill:
		return o.b.kill(ctx, n)
	case *hostplan.ShowCreateTable:
		return o.b.showCreate(n)
	case *hostplan.ShowVariables:
		return o.b.showVariables(ctx, n)
	case *hostplan.ShowGrants:
		return showGrants(ctx, n)
	case *hostplan.ShowDatabases:
		return showDatabases(ctx, n)
	case *hostplan.ShowColumns:
		return o.b.showColumns(ctx, n, row)
	case *hostplan.ShowIndexes:
		return o.b.showIndexes(ctx, n, row)
	case *hostplan.GroupBy:
		return o.b.groupBy(ctx, n, row)
	case *hostplan.Window:
		return o.b.window(ctx, n, row)
	case *hostplan.Distinct:
		return o.b.distinct(ctx, n, n.Child, row)
	case *hostplan.OrderedDistinct:
		return o.b.distinct(ctx, n, n.Child, row)
	case *hostplan.SetOp:
		return o.b.setOp(ctx, n, row)
	case *hostplan.RecursiveCte:
		return o.b.recursive(ctx, n, row)
	case *meter:
		return o.b.meter(ctx, n, row)
	case *hostplan.JoinNode:
		return o.b.rerunJoin(ctx, n, row)
	case *probeNode:
		return o.b.probe(ctx, n, row)
	}
	if len(row) == 0 {
		if it, err := o.b.compile(ctx, n); it != nil || err != nil {
			return it, err
		}
	} else if it, err := o.b.rerun(ctx, n, row); it != nil || err != nil {
		return it, err
	}
	switch n := n.(type) {
	case *hostplan.Sort:
		return o.b.rowSort(ctx, n, row)
	case *hostplan.TopN:
		return o.b.rowTop(ctx, n, row)
	}
	return nil, nil
}

// source builds a node's rows anew at every call.
func (b *Builder) source(n sql.Node, row sql.Row) bridge.Source {
	again := false
	return func(ctx *sql.Context) (sql.RowIter, error) {
		if again {
			return b.buildAfresh(ctx, n, row)
		}
		again = true
		return b.Build(ctx, n, row)
	}
}

// tableOf is the lake table of a node that is one, aliased or not.
func tableOf(n sql.Node) (*bridge.Table, bool) {
	for {
		switch x := n.(type) {
		case *hostplan.ResolvedTable:
			t, ok := sql.GetUnderlyingTable(x.Table).(*bridge.Table)
			return t, ok
		case *hostplan.TableAlias:
			n = x.Child
		case *hostplan.InsertDestination:
			n = x.Child
		default:
			return nil, false
		}
	}
}

// firstTable is the one lake table under a chain of nodes that have one child.
func firstTable(n sql.Node) (*bridge.Table, bool) {
	for {
		if t, ok := tableOf(n); ok {
			return t, true
		}
		c := n.Children()
		if len(c) != 1 {
			return nil, false
		}
		n = c[0]
	}
}
