package plan

import (
	"errors"
	"fmt"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec"
)

// setOp runs UNION, INTERSECT and EXCEPT. Order and limit are left to the host:
// it is asked for the operation without them.
func (b *Builder) setOp(ctx *sql.Context, n *hostplan.SetOp, row sql.Row) (sql.RowIter, error) {
	if len(n.SortFields) > 0 || n.Limit != nil || n.Offset != nil {
		return b.Build(ctx, ordered(n), row)
	}
	left, err := b.Build(ctx, n.Left(), row)
	if err != nil {
		return nil, err
	}
	right := &lazyIter{build: func(ctx *sql.Context) (sql.RowIter, error) { return b.Build(ctx, n.Right(), row) }}
	schema := n.Schema()
	switch n.SetOpType {
	case hostplan.UnionType:
		var it sql.RowIter = &concatIter{iters: []sql.RowIter{left, right}}
		if n.Distinct {
			it = newDistinctIter(ctx, it, schema)
		}
		return it, nil
	case hostplan.IntersectType, hostplan.ExceptType:
		what := "INTERSECT"
		if n.SetOpType == hostplan.ExceptType {
			what = "EXCEPT"
		}
		return &bagIter{left: left, right: right, key: newRowKey(typesOfSchema(schema)),
			except: n.SetOpType == hostplan.ExceptType, distinct: n.Distinct, mem: bridge.Budget(ctx).Holder(what)}, nil
	}
	return nil, errors.Join(fmt.Errorf("set operation %d is not known", n.SetOpType), left.Close(ctx))
}

// ordered takes order and limit out of the set operation into nodes above it.
func ordered(n *hostplan.SetOp) sql.Node {
	bare := *n
	bare.SortFields, bare.Limit, bare.Offset = nil, nil, nil
	var out sql.Node = &bare
	if len(n.SortFields) > 0 {
		out = hostplan.NewSort(n.SortFields, out)
	}
	if n.Offset != nil {
		out = hostplan.NewOffset(n.Offset, out)
	}
	if n.Limit != nil {
		out = hostplan.NewLimit(n.Limit, out)
	}
	return out
}

// lazyIter builds its iterator when the first row is asked for.
type lazyIter struct {
	build func(*sql.Context) (sql.RowIter, error)
	in    sql.RowIter
}

func (it *lazyIter) Next(ctx *sql.Context) (row sql.Row, err error) {
	if it.in == nil {
		if it.in, err = it.build(ctx); err != nil {
			return nil, err
		}
	}
	return it.in.Next(ctx)
}

func (it *lazyIter) Close(ctx *sql.Context) error {
	if it.in == nil {
		return nil
	}
	return it.in.Close(ctx)
}

// concatIter gives the rows of one iterator after the other.
type concatIter struct {
	iters []sql.RowIter
	at    int
}

func (it *concatIter) Next(ctx *sql.Context) (sql.Row, error) {
	for it.at < len(it.iters) {
		row, err := it.iters[it.at].Next(ctx)
		if !errors.Is(err, io.EOF) {
			return row, err
		}
		it.at++
	}
	return nil, io.EOF
}

func (it *concatIter) Close(ctx *sql.Context) error {
	var errs []error
	for _, in := range it.iters {
		errs = append(errs, in.Close(ctx))
	}
	return errors.Join(errs...)
}

// bagIter is INTERSECT and EXCEPT: it counts the rows on the right, then passes
// rows of the left.
type bagIter struct {
	left, right      sql.RowIter
	key              *rowKey
	except, distinct bool
	table            *exec.KeyTable
	count            []int64 // on the right, by key; of EXCEPT those not yet used up
	taken            []bool  // by key: DISTINCT has passed it
	mem              *membudget.Holder
	buf              []byte
}

// Next implements sql.RowIter.
func (it *bagIter) Next(ctx *sql.Context) (sql.Row, error) {
	if it.table == nil {
		if err := it.load(ctx); err != nil {
			return nil, err
		}
	}
	for {
		row, err := it.left.Next(ctx)
		if err != nil {
			return nil, err
		}
		k, err := it.number(ctx, row)
		if err != nil {
			return nil, err
		}
		if it.pass(k) {
			return row, nil
		}
	}
}

func (it *bagIter) pass(k int) bool {
	if it.distinct {
		if it.taken[k] || (it.count[k] > 0) == it.except {
			return false
		}
		it.taken[k] = true
		return true
	}
	if it.count[k] > 0 {
		it.count[k]--
		return !it.except
	}
	return it.except
}

func (it *bagIter) number(ctx *sql.Context, row sql.Row) (k int, err error) {
	if it.buf, err = it.key.appendRow(ctx, it.buf[:0], row); err != nil {
		return 0, err
	}
	k, isNew := it.table.Insert(it.buf)
	if isNew {
		it.count, it.taken = append(it.count, 0), append(it.taken, false)
		if k%checkEvery == 0 {
			err = it.mem.To(it.table.Bytes() + int64(9*k))
		}
	}
	return k, err
}

func (it *bagIter) load(ctx *sql.Context) error {
	it.table = exec.NewKeyTable()
	for {
		row, err := it.right.Next(ctx)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		k, err := it.number(ctx, row)
		if err != nil {
			return err
		}
		it.count[k]++
	}
}

// Close implements sql.RowIter.
func (it *bagIter) Close(ctx *sql.Context) error {
	it.table, it.count, it.taken = nil, nil, nil
	it.mem.Close()
	return errors.Join(it.left.Close(ctx), it.right.Close(ctx))
}
