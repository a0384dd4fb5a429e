package plan

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec"
)

// groupBy runs grouping and aggregates.
func (b *Builder) groupBy(ctx *sql.Context, n *hostplan.GroupBy, row sql.Row) (sql.RowIter, error) {
	if len(n.GroupByExprs) == 0 && !aggregates(n.SelectedExprs) {
		return nil, nil // ANY_VALUE alone does not group
	}
	if keys, ok := rollupKeys(n); ok {
		return b.rollup(ctx, n, keys, row)
	}
	if len(row) == 0 {
		if it, err := b.batchGroup(ctx, n); it != nil || err != nil {
			return it, err
		}
	}
	child, err := b.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	return &groupIter{node: n, child: child, mem: bridge.Budget(ctx).Holder("GROUP BY")}, nil
}

func aggregates(list []sql.Expression) bool {
	for _, e := range list {
		if _, ok := e.(sql.Aggregation); ok {
			if _, ok := e.(*aggregation.AnyValue); !ok {
				return true
			}
		}
	}
	return false
}

// stateBytes is about what one aggregate takes in one group.
const stateBytes = 100

// groupIter gathers groups of host rows by their real keys.
type groupIter struct {
	node   *hostplan.GroupBy
	child  sql.RowIter
	groups [][]sql.AggregationBuffer
	mem    *membudget.Holder
	next   int
	done   bool
}

// Next implements sql.RowIter.
func (it *groupIter) Next(ctx *sql.Context) (sql.Row, error) {
	if !it.done {
		if err := it.gather(ctx); err != nil {
			return nil, err
		}
		it.done = true
	}
	if it.next >= len(it.groups) {
		return nil, io.EOF
	}
	bufs := it.groups[it.next]
	it.groups[it.next] = nil
	it.next++
	row := make(sql.Row, len(bufs))
	for i, buf := range bufs {
		v, err := buf.Eval(ctx)
		if err != nil {
			return nil, err
		}
		row[i] = v
		buf.Dispose()
	}
	return row, nil
}

func (it *groupIter) gather(ctx *sql.Context) error {
	keys := newRowKey(typesOfExprs(it.node.GroupByExprs))
	table := exec.NewKeyTable()
	var buf []byte
	tables := int64(0) // that the keys and groups hold
	if len(it.node.GroupByExprs) == 0 {
		if err := it.newGroup(); err != nil {
			return err
		}
		table.Insert(nil)
	}
	for {
		row, err := it.child.Next(ctx)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		buf = buf[:0]
		for i, e := range it.node.GroupByExprs {
			v, err := e.Eval(ctx, row)
			if err != nil {
				return err
			}
			if buf, err = keys.append(ctx, buf, i, v); err != nil {
				return err
			}
		}
		g, isNew := table.Insert(buf)
		if isNew {
			if err := it.newGroup(); err != nil {
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
		for _, a := range it.groups[g] {
			if err := a.Update(ctx, row); err != nil {
				return err
			}
			if x, ok := a.(growing); ok {
				if err := it.mem.More(x.grown()); err != nil {
					return err
				}
			}
		}
	}
}

func (it *groupIter) newGroup() error {
	bufs := make([]sql.AggregationBuffer, len(it.node.SelectedExprs))
	for i, e := range it.node.SelectedExprs {
		b, err := newState(e)
		if err != nil {
			return err
		}
		bufs[i] = b
	}
	it.groups = append(it.groups, bufs)
	return nil
}

// Close implements sql.RowIter.
func (it *groupIter) Close(ctx *sql.Context) error {
	for _, bufs := range it.groups {
		for _, b := range bufs {
			b.Dispose()
		}
	}
	it.groups = nil
	it.mem.Close()
	return it.child.Close(ctx)
}
