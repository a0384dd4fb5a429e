package plan

import (
	"context"
	"io"
	"reflect"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/types"
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
//     kept rows, which is made once.
//
// All three only leave out rows for which the conditions are not true: the
// conditions are evaluated on what remains, as before. A condition that is volatile is
// neither key nor predicate. Rows keep their order.

// scopes is how many outer rows the conditions on an input can see: those of filters
// above it see the row of the enclosing query, those of a join the row of its left side.
const (
	filterScope = iota
	joinScope
	scopes
)

// input is a lake table as it stands in a part of a plan that runs again: under its
// filters and alias.
type input struct {
	table   *hostplan.ResolvedTable
	lake    *bridge.Table
	filters []sql.Expression // over the row of the enclosing query and the table's
	prefix  sql.Row          // of the enclosing query; the table's rows begin with it
	strip   bool             // they do not: it is taken off again
}

// inputOf finds a lake table under filters.
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
			if in.prefix != nil {
				return in, false
			}
			in.prefix, n = x.Row, x.Child
		case *hostplan.ResolvedTable:
			in.table = x
			in.lake, ok = tableOf(x)
			return in, ok
		default:
			return in, false
		}
	}
}

// access is how the rows of an input are found, for all runs of a statement.
type access struct {
	input
	view  any // bridge.Table.ScanKey: a statement that starts over reads another
	types []types.Type
	probe probe
	kept  *exec.Kept

	rows  *batchRows
	index *keyIndex
	mem   *membudget.Holder // of the index
	tried bool              // to make the index
}

// Close gives up what is kept.
func (a *access) Close() {
	if a.kept != nil {
		a.kept.Close()
	}
	a.mem.Close()
}

// accessKey tells the inputs of a statement apart. Nodes are copied for every outer
// row; tables and expressions are not.
type accessKey struct {
	table *hostplan.ResolvedTable
	cond  sql.Expression
	base  int
}

// accessOf is the access of an input in the statement that runs. join is a condition on
// it and the left side of its join, whose columns from base on are the input's; nil for none.
func (b *Builder) accessOf(ctx *sql.Context, in input, join sql.Expression, base int, strict bool) (*access, error) {
	cond := join
	if len(in.filters) > 0 {
		cond = in.filters[0]
	}
	if cond != nil && reflect.TypeOf(cond).Kind() != reflect.Pointer {
		return nil, nil
	}
	s, err := bridge.SessionOf(ctx)
	if err != nil {
		return nil, err
	}
	view, err := in.lake.ScanKey(ctx)
	if err != nil {
		return nil, err
	}
	a := bridge.Once(s, accessKey{in.table, cond, base}, func() *access { return &access{} })
	if a.view == view {
		return a, nil
	}
	a.Close()
	ts, ok := typesOf(in.table)
	if !ok {
		return nil, nil
	}
	*a = access{input: in, view: view, types: ts, mem: bridge.Budget(ctx).Holder("an index of rows that are read again")}
	a.probe = probeOf(ctx, in, ts, join, base, strict)
	if a.probe.fixed == nil {
		a.kept = bridge.Once(s, view, func() *exec.Kept { return b.keep(ctx, in.table, nil) })
	} else {
		a.kept = b.keep(ctx, in.table, a.probe.fixed)
	}
	return a, nil
}

// probeOf gathers what the conditions on an input say.
func probeOf(ctx *sql.Context, in input, ts []types.Type, join sql.Expression, base int, strict bool) probe {
	var p probe
	for _, e := range in.filters {
		p.add(ctx, e, ts, outerScope{base: len(in.prefix), scope: filterScope})
	}
	if join != nil {
		p.add(ctx, join, ts, outerScope{base: base, scope: joinScope, strict: strict})
	}
	return p
}

// keep returns the rows of a table for which pred is true.
func (b *Builder) keep(ctx *sql.Context, n *hostplan.ResolvedTable, pred *predicate.Node) *exec.Kept {
	return exec.NewKept(func(context.Context) (columnar.Reader, error) { return b.filtered(ctx, n, pred) }, bridge.Budget(ctx))
}

// filtered reads the rows of a table for which pred is true from storage.
func (b *Builder) filtered(ctx *sql.Context, n *hostplan.ResolvedTable, pred *predicate.Node) (columnar.Reader, error) {
	r, _, err := b.scan(ctx, n, request{filter: pred})
	if err != nil {
		return nil, err
	}
	return exec.NewFilter(r, pred), nil
}

// rerun reads a lake table, and filters it, in a part of a plan that runs again; nil
// means that the host runs the node.
func (b *Builder) rerun(ctx *sql.Context, n sql.Node) (sql.RowIter, error) {
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
	return b.run(ctx, a, in, nil)
}

// rerunJoin runs a join whose right side is a lake table that the host would read
// whole for every row of the left side.
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
	return b.run(ctx, a, n.in, row)
}

// run gives the rows of the input for which the conditions can be true, and its
// filters are. left is the row of a join's left side.
func (b *Builder) run(ctx *sql.Context, a *access, in input, left sql.Row) (sql.RowIter, error) {
	outer := [scopes]sql.Row{filterScope: in.prefix, joinScope: left}
	it := accessIter{a: a, filters: in.filters, prefix: in.prefix}
	if in.strip {
		it.cut = len(in.prefix)
	}
	list, kept, err := a.kept.Run(ctx)
	if err != nil {
		return nil, err
	}
	if kept && len(a.probe.keys) > 0 {
		if err := a.makeIndex(ctx, list); err != nil {
			return nil, err
		}
		if a.index != nil {
			rows, all, err := a.index.find(ctx, outer)
			if err != nil {
				return nil, err
			}
			if !all {
				it.rows, it.kept = rows, a.rows
				return &it, nil
			}
		}
	}
	pred, err := a.probe.predicate(ctx, outer)
	if err != nil {
		return nil, err
	}
	var r columnar.Reader
	if kept {
		r = exec.NewFilter(exec.Replay(list), pred)
	} else if r, err = b.filtered(ctx, in.table, predicate.And(a.probe.fixed, pred)); err != nil {
		return nil, err
	}
	it.in = bridge.NewBatchIter(r, bridge.Location(ctx))
	return &it, nil
}

// makeIndex makes the index of the kept rows once.
func (a *access) makeIndex(ctx *sql.Context, list []*columnar.Batch) (err error) {
	if a.tried {
		return nil
	}
	a.tried = true
	a.rows = newBatchRows(ctx, list, a.types)
	a.index, err = newKeyIndex(ctx, a.rows, len(a.types), a.probe.keys, a.mem)
	return err
}

// accessIter gives the rows of one run.
type accessIter struct {
	a       *access
	filters []sql.Expression
	prefix  sql.Row
	cut     int // columns of the prefix that are taken off again

	in   sql.RowIter // all rows, or
	rows []int32     // those with these numbers
	kept keptRows
}

// Next implements sql.RowIter.
func (it *accessIter) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := it.row(ctx)
		if err != nil {
			return nil, err
		}
		ok := true
		for i := len(it.filters) - 1; ok && i >= 0; i-- { // the lowest first
			v, err := sql.EvaluateCondition(ctx, it.filters[i], row)
			if err != nil {
				return nil, err
			}
			ok = sql.IsTrue(v)
		}
		if ok {
			return row[it.cut:], nil
		}
	}
}

// row is the next row, with its prefix.
func (it *accessIter) row(ctx *sql.Context) (sql.Row, error) {
	p := len(it.prefix)
	if it.in != nil {
		row, err := it.in.Next(ctx)
		if err != nil || p == 0 {
			return row, err
		}
		return append(slices.Clone(it.prefix), row...), nil
	}
	if len(it.rows) == 0 {
		return nil, io.EOF
	}
	if len(it.rows)%ctxEvery == 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	row := make(sql.Row, p+len(it.a.types))
	copy(row, it.prefix)
	it.kept.fill(row[p:], int(it.rows[0]), nil)
	it.rows = it.rows[1:]
	return row, nil
}

// Close implements sql.RowIter.
func (it *accessIter) Close(ctx *sql.Context) error {
	it.rows = nil
	if it.in == nil {
		return nil
	}
	return it.in.Close(ctx)
}

// batchRows are the rows of kept batches.
type batchRows struct {
	list  []*columnar.Batch
	start []int // row number of each batch's first
	n     int
	dec   []*bridge.Decoder
}

func newBatchRows(ctx *sql.Context, list []*columnar.Batch, ts []types.Type) *batchRows {
	r := &batchRows{list: list}
	for _, b := range list {
		r.start = append(r.start, r.n)
		r.n += b.N
	}
	loc := bridge.Location(ctx)
	for _, t := range ts {
		r.dec = append(r.dec, bridge.NewDecoder(t, loc))
	}
	return r
}

func (r *batchRows) count() int { return r.n }

func (r *batchRows) fill(dst sql.Row, i int, cols []int) {
	at, found := slices.BinarySearch(r.start, i)
	if !found {
		at--
	}
	b := r.list[at]
	i -= r.start[at]
	if cols == nil {
		for c, d := range r.dec {
			dst[c] = d.Value(b.Cols[c], i)
		}
		return
	}
	for _, c := range cols {
		dst[c] = r.dec[c].Value(b.Cols[c], i)
	}
}
