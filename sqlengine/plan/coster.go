package plan

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/memo"
)

// coster keeps the host from joining by index lookups, which would be one scan of
// the table for every row of the other side.
type coster struct{ memo.Coster }

// NewCoster puts our costs in front of the host's.
func NewCoster(host memo.Coster) memo.Coster { return coster{host} }

// EstimateCost implements memo.Coster.
func (c coster) EstimateCost(ctx *sql.Context, n memo.RelExpr, s sql.StatsProvider) (float64, error) {
	switch n.(type) {
	case *memo.LookupJoin, *memo.MergeJoin, *memo.RangeHeapJoin:
		return math.MaxFloat32, nil
	}
	return c.Coster.EstimateCost(ctx, n, s)
}
