package plan

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec"
	"github.com/lakesql/lakesql/storage/types"
)

// grouping is what exec is asked to do for a GroupBy.
type grouping struct {
	types []types.Type // of the input's columns
	keys  []int
	aggs  []exec.Aggregate
}

// groupingOf compiles a GroupBy whose input comes in batches and whose keys and
// arguments are columns of it.
func groupingOf(n *hostplan.GroupBy) (g grouping, ok bool) {
	if g.types, ok = typesOf(n.Child); !ok {
		return g, false
	}
	for _, e := range n.GroupByExprs {
		c, ok := keyColumnOf(e, g.types)
		if !ok {
			return g, false
		}
		g.keys = append(g.keys, c)
	}
	for _, e := range n.SelectedExprs {
		a, ok := batchAggregate(e, g.types)
		if !ok {
			return g, false
		}
		g.aggs = append(g.aggs, a)
	}
	return g, true
}

// batchGroup groups batches; nil means that it cannot.
func (b *Builder) batchGroup(ctx *sql.Context, n *hostplan.GroupBy) (sql.RowIter, error) {
	g, ok := groupingOf(n)
	if !ok {
		return nil, nil
	}
	it := &batchGroupIter{}
	loc := bridge.Location(ctx)
	for i, a := range g.aggs {
		out := groupOutput{kind: a.Kind}
		switch a.Kind {
		case exec.SumOf:
			out.total, out.scale = n.SelectedExprs[i].(*total), g.types[a.Cols[0]].Scale
		case exec.MinOf, exec.MaxOf, exec.FirstOf:
			out.dec = bridge.NewDecoder(g.types[a.Cols[0]], loc)
		}
		it.outs = append(it.outs, out)
	}
	r, ok, err := b.reader(ctx, n.Child, request{})
	if err != nil || !ok {
		return nil, err
	}
	it.groups = exec.NewAggregation(r, g.types, g.keys, g.aggs, bridge.Budget(ctx))
	return it, nil
}

// columnOf is the number of a column of the batch.
func columnOf(e sql.Expression, ts []types.Type) (int, bool) {
	f, ok := e.(*expression.GetField)
	if !ok || f.Index() >= len(ts) || !exec.CanNumber(ts[f.Index()]) {
		return 0, false
	}
	return f.Index(), true
}

// keyColumnOf is a column whose values compare as their bytes and numbers do.
func keyColumnOf(e sql.Expression, ts []types.Type) (int, bool) {
	if s, ok := e.Type().(sql.StringType); ok {
		if c := s.Collation(); c != sql.Collation_binary && c != sql.Collation_Default {
			return 0, false
		}
	}
	return columnOf(e, ts)
}

// batchAggregate is a selected expression as an aggregate over batches.
func batchAggregate(e sql.Expression, ts []types.Type) (g exec.Aggregate, ok bool) {
	one := func(kind exec.AggregateKind, arg sql.Expression) (exec.Aggregate, bool) {
		c, ok := keyColumnOf(arg, ts)
		return exec.Aggregate{Kind: kind, Cols: []int{c}}, ok
	}
	switch x := e.(type) {
	case *total:
		arg := x.Children()[0]
		d, distinct := arg.(*expression.DistinctExpression)
		if distinct {
			arg = d.Child
		}
		g, ok = one(exec.SumOf, arg)
		g.Distinct = distinct
		return g, ok && numeric(ts[g.Cols[0]])
	case *aggregation.Count:
		if lit, isLit := x.Child.(*expression.Literal); isLit {
			return exec.Aggregate{Kind: exec.CountRows}, lit.Value() != nil
		}
		return one(exec.CountOf, x.Child)
	case *aggregation.CountDistinct:
		g.Kind = exec.CountDistinct
		for _, arg := range x.ChildExpressions {
			c, ok := keyColumnOf(arg, ts)
			if !ok {
				return g, false
			}
			g.Cols = append(g.Cols, c)
		}
		return g, len(g.Cols) > 0
	case *aggregation.Min:
		return one(exec.MinOf, undistinct(x.Child))
	case *aggregation.Max:
		return one(exec.MaxOf, undistinct(x.Child))
	case *aggregation.AnyValue:
		return one(exec.FirstOf, x.Child)
	case *expression.GetField:
		c, ok := columnOf(x, ts)
		return exec.Aggregate{Kind: exec.FirstOf, Cols: []int{c}}, ok
	}
	return g, false
}

func numeric(t types.Type) bool {
	switch t.Kind {
	case types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.Float, types.Double, types.Decimal:
		return true
	}
	return false
}

// groupOutput makes the host values of one selected expression.
type groupOutput struct {
	kind  exec.AggregateKind
	dec   *bridge.Decoder
	total *total
	scale int
}

// batchGroupIter gives the groups of an aggregation as rows.
type batchGroupIter struct {
	groups *exec.Aggregation
	outs   []groupOutput
	next   int
	done   bool
}

// Next implements sql.RowIter.
func (it *batchGroupIter) Next(ctx *sql.Context) (sql.Row, error) {
	if !it.done {
		if err := it.groups.Run(ctx); err != nil {
			return nil, err
		}
		it.done = true
	}
	if it.next >= it.groups.Len() {
		return nil, io.EOF
	}
	g := it.next
	it.next++
	row := make(sql.Row, len(it.outs))
	for i := range it.outs {
		row[i] = it.outs[i].value(it.groups, i, g)
	}
	return row, nil
}

func (o *groupOutput) value(a *exec.Aggregation, i, g int) any {
	switch o.kind {
	case exec.SumOf:
		n, exact, approx := a.Sum(i, g)
		if exact == nil {
			return o.total.result(n, decimal.Decimal{}, approx)
		}
		return o.total.result(n, decimal.NewFromBigInt(exact, -int32(o.scale)), 0)
	case exec.MinOf, exec.MaxOf, exec.FirstOf:
		v, slot := a.Value(i, g)
		if v == nil {
			return nil
		}
		return o.dec.Value(v, slot)
	}
	return a.Count(i, g)
}

// Close implements sql.RowIter.
func (it *batchGroupIter) Close(*sql.Context) error {
	if it.groups == nil {
		return nil
	}
	g := it.groups
	it.groups = nil
	return g.Close()
}
