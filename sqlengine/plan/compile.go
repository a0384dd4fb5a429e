package plan

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/types"
)

// compile runs a node on batches, if it and all below it can be; nil means that
// the host runs it.
func (b *Builder) compile(ctx *sql.Context, n sql.Node) (sql.RowIter, error) {
	switch n.(type) {
	case *hostplan.ResolvedTable, *hostplan.TableAlias, *hostplan.Filter, *hostplan.Project, *hostplan.Limit, *hostplan.Offset,
		*hostplan.Sort, *hostplan.TopN, *hostplan.Distinct, *hostplan.OrderedDistinct:
	default:
		return nil, nil
	}
	r, ok, err := b.reader(ctx, n, request{})
	if err != nil || !ok {
		return nil, err
	}
	return bridge.NewBatchIter(r, bridge.Location(ctx)), nil
}

// request is what the nodes above ask of a scan.
type request struct {
	filter *predicate.Node // over the scan's output columns
}

// reader compiles a node into a reader of batches whose columns are the node's schema.
func (b *Builder) reader(ctx *sql.Context, n sql.Node, q request) (columnar.Reader, bool, error) {
	switch n := n.(type) {
	case *hostplan.ResolvedTable:
		return b.scan(ctx, n, q)
	case *hostplan.TableAlias:
		return b.reader(ctx, n.Child, q)
	case *hostplan.Filter:
		return b.filter(ctx, n, q)
	case *hostplan.Project:
		return b.project(ctx, n, q)
	case *hostplan.Limit:
		return b.limit(ctx, n, q)
	case *hostplan.Sort:
		return b.sort(ctx, n, q)
	case *hostplan.TopN:
		return b.topN(ctx, n)
	case *hostplan.Distinct:
		return b.distinctReader(ctx, n.Child, q)
	case *hostplan.OrderedDistinct:
		return b.distinctReader(ctx, n.Child, q)
	}
	return nil, false, nil
}

func (b *Builder) scan(ctx *sql.Context, n *hostplan.ResolvedTable, q request) (columnar.Reader, bool, error) {
	t, ok := sql.GetUnderlyingTable(n.Table).(*bridge.Table)
	if !ok {
		return nil, false, nil
	}
	// The filter is over output columns; the scan takes it over the table's fields.
	cols := t.Columns()
	f, _ := q.filter.Remap(func(c int) (int, bool) { return cols[c], true })
	s, err := t.Scan(ctx, bridge.ScanOptions{Filter: f})
	if err != nil {
		return nil, false, err
	}
	return s.Reader(), true, nil
}

// filter takes exact conditions as predicates and the rest through the host's
// evaluation, row by row on the columns that it names.
func (b *Builder) filter(ctx *sql.Context, n *hostplan.Filter, q request) (columnar.Reader, bool, error) {
	ts, ok := typesOf(n.Child)
	if !ok {
		return nil, false, nil
	}
	var rest []sql.Expression
	pred := q.filter
	for _, e := range expression.SplitConjunction(n.Expression) {
		p, exact := predicateOf(ctx, e, ts)
		pred = predicate.And(pred, p)
		if exact {
			continue
		}
		if !batchable(e) {
			return nil, false, nil
		}
		rest = append(rest, e)
	}
	child, ok, err := b.reader(ctx, n.Child, request{filter: pred})
	if err != nil || !ok {
		return nil, ok, err
	}
	out := exec.NewFilter(child, pred)
	if len(rest) > 0 {
		out = exec.NewSelect(out, newRowCondition(ctx, expression.JoinAnd(rest...), ts))
	}
	return out, true, nil
}

// project takes projections that only choose columns.
func (b *Builder) project(ctx *sql.Context, n *hostplan.Project, q request) (columnar.Reader, bool, error) {
	cols, ok := chosen(n)
	if !ok {
		return nil, false, nil
	}
	var down request
	if q.filter != nil {
		down.filter, _ = q.filter.Remap(func(c int) (int, bool) { return cols[c], true })
	}
	child, ok, err := b.reader(ctx, n.Child, down)
	if err != nil || !ok {
		return nil, ok, err
	}
	return exec.NewProject(child, cols), true, nil
}

func (b *Builder) limit(ctx *sql.Context, n *hostplan.Limit, _ request) (columnar.Reader, bool, error) {
	if n.CalcFoundRows {
		return nil, false, nil
	}
	limit, ok := constant(ctx, n.Limit)
	if !ok {
		return nil, false, nil
	}
	child, offset := n.Child, int64(0)
	if o, ok := child.(*hostplan.Offset); ok {
		if offset, ok = constant(ctx, o.Offset); !ok {
			return nil, false, nil
		}
		child = o.Child
	}
	r, ok, err := b.reader(ctx, child, request{})
	if err != nil || !ok {
		return nil, ok, err
	}
	return exec.NewLimit(r, offset, limit), true, nil
}

// constant is the value of a count in LIMIT or OFFSET.
func constant(ctx *sql.Context, e sql.Expression) (int64, bool) {
	v, err := e.Eval(ctx, nil)
	if err != nil {
		return 0, false
	}
	n, ok := bridge.Int64(v)
	return n, ok && n >= 0
}

// typesOf are the storage types of a node's columns, for nodes that reader takes.
func typesOf(n sql.Node) ([]types.Type, bool) {
	switch n := n.(type) {
	case *hostplan.ResolvedTable:
		t, ok := sql.GetUnderlyingTable(n.Table).(*bridge.Table)
		if !ok {
			return nil, false
		}
		cols := t.Columns()
		out := make([]types.Type, len(cols))
		for i, c := range cols {
			out[i] = t.Fields()[c].Type
		}
		return out, true
	case *hostplan.TableAlias:
		return typesOf(n.Child)
	case *hostplan.Filter:
		if !batchable(n.Expression) {
			return nil, false
		}
		return typesOf(n.Child)
	case *hostplan.Limit:
		return typesOf(n.Child)
	case *hostplan.Offset:
		return typesOf(n.Child)
	case *hostplan.Sort:
		return sortTypes(n.Child, n.SortFields)
	case *hostplan.TopN:
		if n.CalcFoundRows {
			return nil, false
		}
		return sortTypes(n.Child, n.Fields)
	case *hostplan.Distinct:
		return distinctTypes(n.Child)
	case *hostplan.OrderedDistinct:
		return distinctTypes(n.Child)
	case *hostplan.Project:
		cols, ok := chosen(n)
		in, ok2 := typesOf(n.Child)
		if !ok || !ok2 {
			return nil, false
		}
		out := make([]types.Type, len(cols))
		for i, c := range cols {
			out[i] = in[c]
		}
		return out, true
	}
	return nil, false
}

// chosen are the columns that a projection takes from its child; ok is false when
// it calculates anything.
func chosen(n *hostplan.Project) (cols []int, ok bool) {
	width := len(n.Child.Schema())
	for _, e := range n.Projections {
		if a, ok := e.(*expression.Alias); ok {
			e = a.Child
		}
		f, ok := e.(*expression.GetField)
		if !ok || f.Index() >= width {
			return nil, false
		}
		cols = append(cols, f.Index())
	}
	return cols, true
}
