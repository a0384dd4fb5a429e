package plan

import (
	"errors"
	"io"
	"sort"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/iters"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// rowSort orders rows that do not come in batches. The host's own counts no memory.
func (b *Builder) rowSort(ctx *sql.Context, n *hostplan.Sort, row sql.Row) (sql.RowIter, error) {
	in, err := b.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	return newRowSort(ctx, in, n.SortFields, -1), nil
}

// rowTop is rowSort that ends after a number of rows.
func (b *Builder) rowTop(ctx *sql.Context, n *hostplan.TopN, row sql.Row) (sql.RowIter, error) {
	limit, err := iters.GetInt64Value(ctx, n.Limit)
	if err != nil {
		return nil, err
	}
	in, err := b.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	it := newRowSort(ctx, in, n.Fields, limit)
	it.found = n.CalcFoundRows
	return it, nil
}

// topRowSlack is how many rows beyond a limit are gathered before they are cut.
const topRowSlack = 1024

// sortedRow is a row with the values that it is ordered by.
type sortedRow struct{ row, key sql.Row }

// rowSort reads its input at the first call. With a limit it keeps about the rows
// that can still be among the first. Rows that compare equal keep their order.
type rowSort struct {
	in     sql.RowIter
	fields sql.SortFields
	limit  int64 // -1: all rows
	found  bool  // tell FOUND_ROWS() how many there were
	mem    *membudget.Holder
	rows   []sortedRow
	next   int
	ready  bool
}

func newRowSort(ctx *sql.Context, in sql.RowIter, fields sql.SortFields, limit int64) *rowSort {
	return &rowSort{in: in, fields: fields, limit: limit, mem: bridge.Budget(ctx).Holder("a sort")}
}

// Next implements sql.RowIter.
func (it *rowSort) Next(ctx *sql.Context) (sql.Row, error) {
	if !it.ready {
		if err := it.load(ctx); err != nil {
			return nil, err
		}
		it.ready = true
	}
	if it.next == len(it.rows) {
		return nil, io.EOF
	}
	row := it.rows[it.next].row
	it.rows[it.next] = sortedRow{}
	it.next++
	return row, nil
}

// Close implements sql.RowIter.
func (it *rowSort) Close(ctx *sql.Context) error {
	it.rows, it.next = nil, 0
	it.mem.Close()
	return it.in.Close(ctx)
}

func (it *rowSort) load(ctx *sql.Context) error {
	count := int64(0)
	for {
		row, err := it.in.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if count++; it.limit == 0 {
			continue
		}
		r := sortedRow{row: row, key: make(sql.Row, len(it.fields))}
		for i, f := range it.fields {
			if r.key[i], err = f.Column.Eval(ctx, row); err == nil {
				r.key[i], err = sql.UnwrapAny(ctx, r.key[i])
			}
			if err != nil {
				return sql.ErrUnableSort.Wrap(err)
			}
		}
		it.rows = append(it.rows, r)
		if err := it.mem.More(r.bytes()); err != nil {
			return err
		}
		if it.limit > 0 && (int64(len(it.rows))-topRowSlack)/2 >= it.limit { // 2*limit may not be a number
			if err := it.cut(ctx); err != nil {
				return err
			}
		}
	}
	if it.found {
		ctx.SetLastQueryInfoInt(sql.FoundRows, count)
	}
	return it.cut(ctx)
}

func (r *sortedRow) bytes() int64 { return keptBytes + bridge.RowBytes(r.row) + 16*int64(len(r.key)) }

// cut orders the rows and drops those beyond the limit.
func (it *rowSort) cut(ctx *sql.Context) error {
	var failed error
	sort.SliceStable(it.rows, func(i, j int) bool {
		c, err := it.compare(ctx, it.rows[i].key, it.rows[j].key)
		if err != nil {
			failed = err
		}
		return c < 0
	})
	if failed != nil || it.limit < 0 || int64(len(it.rows)) <= it.limit {
		return failed
	}
	clear(it.rows[it.limit:])
	it.rows = it.rows[:it.limit]
	held := int64(0)
	for i := range it.rows {
		held += it.rows[i].bytes()
	}
	return it.mem.To(held)
}

func (it *rowSort) compare(ctx *sql.Context, a, b sql.Row) (int, error) {
	for i, f := range it.fields {
		x, y := a[i], b[i]
		if f.Order == sql.Descending {
			x, y = y, x
		}
		c, err := bridge.Compare(ctx, f.Column.Type(), x, y)
		if err != nil {
			return 0, err
		}
		if (x == nil) != (y == nil) && f.NullOrdering != sql.NullsFirst {
			c = -c
		}
		if c != 0 {
			return c, nil
		}
	}
	return 0, nil
}

// topRule is the number of the rule topUnderProject.
const topRule analyzer.RuleId = 10_003

// topUnderProject lets a sort that is limited above a projection keep the first
// rows alone, as the host does for one that is limited directly.
func topUnderProject(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *hostplan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		limit, ok := n.(*hostplan.Limit)
		if !ok || limit.CalcFoundRows {
			return n, transform.SameTree, nil
		}
		rows, below := limit.Limit, limit.Child
		offset, ok := below.(*hostplan.Offset)
		if ok {
			rows, below = expression.NewPlus(limit.Limit, offset.Offset), offset.Child
		}
		project, ok := below.(*hostplan.Project)
		if !ok {
			return n, transform.SameTree, nil
		}
		s, ok := project.Child.(*hostplan.Sort)
		if !ok {
			return n, transform.SameTree, nil
		}
		out, err := project.WithChildren(hostplan.NewTopN(s.SortFields, rows, s.Child))
		if err == nil && offset != nil {
			out, err = offset.WithChildren(out)
		}
		if err == nil {
			out, err = limit.WithChildren(out)
		}
		return out, transform.NewTree, err
	})
}
