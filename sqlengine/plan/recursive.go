package plan

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/iters"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec"
)

// maxRecursion is how often a recursive table may be calculated from itself.
const maxRecursion = 10_001

// recursive runs recursive tables: the host tells the rows of UNION DISTINCT apart
// by hashes, and counts no memory.
func (b *Builder) recursive(ctx *sql.Context, n *hostplan.RecursiveCte, row sql.Row) (sql.RowIter, error) {
	u := n.Union()
	if u.Offset != nil || n.Working == nil {
		return nil, nil
	}
	it := &recursiveIter{b: b, node: n, row: row, distinct: u.Distinct, key: newRowKey(typesOfSchema(n.Schema())), seen: exec.NewKeyTable(),
		mem: bridge.Budget(ctx).Holder("a recursive table")}
	var out sql.RowIter = it
	if len(u.SortFields) > 0 {
		out = newRowSort(ctx, out, u.SortFields, -1)
	}
	if u.Limit != nil {
		limit, err := iters.GetInt64Value(ctx, u.Limit)
		if err != nil {
			return nil, err
		}
		out = &iters.LimitIter{Limit: limit, ChildIter: out}
	}
	return out, nil
}

// recursiveIter gives the rows of the beginning, then those that come from the
// rows of the round before, until a round has no new ones.
type recursiveIter struct {
	b     *Builder
	node  *hostplan.RecursiveCte
	row   sql.Row
	in    sql.RowIter
	key   *rowKey
	seen  *exec.KeyTable
	mem   *membudget.Holder
	fresh []sql.Row
	held  int64 // bytes of fresh, and of the rows of the round before
	round int
	buf   []byte

	distinct bool
}

// Next implements sql.RowIter.
func (it *recursiveIter) Next(ctx *sql.Context) (sql.Row, error) {
	if it.in == nil {
		in, err := it.b.Build(ctx, it.node.Left(), it.row)
		if err != nil {
			return nil, err
		}
		it.in = in
	}
	for {
		row, err := it.in.Next(ctx)
		if errors.Is(err, io.EOF) && len(it.fresh) > 0 {
			if err := it.again(ctx); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		if it.distinct {
			if it.buf, err = it.key.appendRow(ctx, it.buf[:0], row); err != nil {
				return nil, err
			}
			if _, isNew := it.seen.Insert(it.buf); !isNew {
				continue
			}
		}
		it.fresh = append(it.fresh, row)
		it.held += keptBytes + bridge.RowBytes(row)
		return row, it.mem.To(it.seen.Bytes() + it.held)
	}
}

// again begins the next round.
func (it *recursiveIter) again(ctx *sql.Context) error {
	if it.round++; it.round > maxRecursion {
		return sql.ErrCteRecursionLimitExceeded.New()
	}
	it.node.Working.Buf, it.fresh = it.fresh, nil
	it.held = 0
	for _, row := range it.node.Working.Buf {
		it.held += keptBytes + bridge.RowBytes(row)
	}
	if err := it.in.Close(ctx); err != nil {
		return err
	}
	in, err := it.b.Build(ctx, it.node.Right(), it.row)
	if err != nil {
		return err
	}
	it.in = in
	return nil
}

// Close implements sql.RowIter.
func (it *recursiveIter) Close(ctx *sql.Context) error {
	it.node.Working.Buf, it.fresh = nil, nil
	it.mem.Close()
	if it.in == nil {
		return nil
	}
	return it.in.Close(ctx)
}
