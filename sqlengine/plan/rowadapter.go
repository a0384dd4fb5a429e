package plan

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// batchable reports whether an expression can be evaluated on the columns of a
// batch alone: it holds no subquery, which the host wants whole rows for.
func batchable(e sql.Expression) bool {
	ok := true
	sql.Inspect(e, func(e sql.Expression) bool {
		switch e.(type) {
		case *hostplan.Subquery, *hostplan.InSubquery, *hostplan.ExistsSubquery:
			ok = false
		}
		return ok
	})
	return ok
}

// rowCondition evaluates a host condition for the live rows of a batch. Only the
// columns that it names are decoded.
type rowCondition struct {
	ctx  *sql.Context
	cond sql.Expression
	cols []int
	dec  []*bridge.Decoder
	row  sql.Row
}

func newRowCondition(ctx *sql.Context, cond sql.Expression, ts []types.Type) func(context.Context, *columnar.Batch, []uint16) ([]uint16, error) {
	c := &rowCondition{ctx: ctx, cond: cond, row: make(sql.Row, len(ts))}
	seen := map[int]bool{}
	loc := bridge.Location(ctx)
	sql.Inspect(cond, func(e sql.Expression) bool {
		if f, ok := e.(*expression.GetField); ok && f.Index() < len(ts) && !seen[f.Index()] {
			seen[f.Index()] = true
			c.cols = append(c.cols, f.Index())
			c.dec = append(c.dec, bridge.NewDecoder(ts[f.Index()], loc))
		}
		return true
	})
	return c.choose
}

func (c *rowCondition) choose(_ context.Context, b *columnar.Batch, sel []uint16) ([]uint16, error) {
	for n := range b.Rows() {
		i := n
		if b.Sel != nil {
			i = int(b.Sel[n])
		}
		for k, col := range c.cols {
			c.row[col] = c.dec[k].Value(b.Cols[col], i)
		}
		v, err := sql.EvaluateCondition(c.ctx, c.cond, c.row)
		if err != nil {
			return nil, err
		}
		if sql.IsTrue(v) {
			sel = append(sel, uint16(i))
		}
	}
	return sel, nil
}
