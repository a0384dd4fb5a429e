package plan

import (
	"errors"
	"io"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec"
	"github.com/lakesql/lakesql/sqlengine/funcs"
)

// rollupKeys are the keys of a GROUP BY … WITH ROLLUP; ok is false for others.
func rollupKeys(n *hostplan.GroupBy) (keys []sql.Expression, ok bool) {
	last := len(n.GroupByExprs) - 1
	if last < 1 || !funcs.IsRollup(n.GroupByExprs[last]) {
		return nil, false
	}
	return n.GroupByExprs[:last], true
}

// rollupIter gathers groups by all keys, by all but the last, and so on to one group
// of all rows. Rows come in the order of the keys, each total behind its rows.
type rollupIter struct {
	node   *hostplan.GroupBy
	keys   []sql.Expression
	child  sql.RowIter
	mem    *membudget.Holder
	groups []rollupGroup
	next   int
	done   bool
}

// rollupGroup is a group by the first len(values) keys.
type rollupGroup struct {
	values []any
	states []sql.AggregationBuffer
}

func (b *Builder) rollup(ctx *sql.Context, n *hostplan.GroupBy, keys []sql.Expression, row sql.Row) (sql.RowIter, error) {
	child, err := b.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	return &rollupIter{node: n, keys: keys, child: child, mem: bridge.Budget(ctx).Holder("GROUP BY")}, nil
}

// Next implements sql.RowIter.
func (it *rollupIter) Next(ctx *sql.Context) (sql.Row, error) {
	if !it.done {
		if err := it.gather(ctx); err != nil {
			return nil, err
		}
		if err := it.sort(ctx); err != nil {
			return nil, err
		}
		it.done = true
	}
	if it.next >= len(it.groups) {
		return nil, io.EOF
	}
	g := it.groups[it.next]
	it.next++
	row := make(sql.Row, len(g.states))
	for i, s := range g.states {
		v, err := s.Eval(ctx)
		if err != nil {
			return nil, err
		}
		row[i] = v
	}
	return row, nil
}

func (it *rollupIter) gather(ctx *sql.Context) error {
	form := newRowKey(typesOfExprs(it.keys))
	table := exec.NewKeyTable()
	values := make([]any, len(it.keys))
	ends := make([]int, len(it.keys)+1) // of the first keys' bytes
	var buf []byte
	tables := int64(0) // that the keys and groups hold
	for {
		row, err := it.child.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		buf = append(buf[:0], 0)
		ends[0] = len(buf)
		for i, e := range it.keys {
			if values[i], err = e.Eval(ctx, row); err != nil {
				return err
			}
			if buf, err = form.append(ctx, buf, i, values[i]); err != nil {
				return err
			}
			ends[i+1] = len(buf)
		}
		for kept, end := range ends {
			buf[0] = byte(kept)
			g, isNew := table.Insert(buf[:end])
			if isNew {
				if err := it.newGroup(values[:kept]); err != nil {
					return err
				}
				if g%checkEvery == 0 {
					held := table.Bytes() + int64(g)*int64(len(it.node.SelectedExprs))*stateBytes
					if err := it.mem.More(held - tables); err != nil {
						return err
					}
					tables = held
				}
			}
			for _, s := range it.groups[g].states {
				if err := s.Update(ctx, row); err != nil {
					return err
				}
				if x, ok := s.(growing); ok {
					if err := it.mem.More(x.grown()); err != nil {
						return err
					}
				}
			}
		}
	}
}

func (it *rollupIter) newGroup(values []any) error {
	g := rollupGroup{values: slices.Clone(values), states: make([]sql.AggregationBuffer, len(it.node.SelectedExprs))}
	for i, e := range it.node.SelectedExprs {
		if any, ok := e.(*aggregation.AnyValue); ok {
			if v, ok := funcs.RolledUp(any.Child, len(values)); ok {
				g.states[i] = &firstState{val: v, seen: true}
				continue
			}
		}
		s, err := newState(e)
		if err != nil {
			return err
		}
		g.states[i] = s
	}
	it.groups = append(it.groups, g)
	return nil
}

// sort puts NULL first, and a total behind the rows that it is of.
func (it *rollupIter) sort(ctx *sql.Context) error {
	ts := typesOfExprs(it.keys)
	var failed error
	slices.SortStableFunc(it.groups, func(a, b rollupGroup) int {
		for i := range min(len(a.values), len(b.values)) {
			x, y := a.values[i], b.values[i]
			switch {
			case x == nil && y == nil:
				continue
			case x == nil:
				return -1
			case y == nil:
				return 1
			}
			c, err := ts[i].Compare(ctx, x, y)
			if err != nil {
				failed = err
			}
			if c != 0 {
				return c
			}
		}
		return len(b.values) - len(a.values)
	})
	return failed
}

// Close implements sql.RowIter.
func (it *rollupIter) Close(ctx *sql.Context) error {
	for _, g := range it.groups {
		for _, s := range g.states {
			s.Dispose()
		}
	}
	it.groups = nil
	it.mem.Close()
	return it.child.Close(ctx)
}
