package plan

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// Assignments are those of an UPDATE of t that was planned, over a row of all columns:
// LOAD DATA has them behind SET.
func Assignments(ctx *sql.Context, n sql.Node, t *bridge.Table) ([]sql.Expression, error) {
	var src *hostplan.UpdateSource
	transform.Inspect(n, func(x sql.Node) bool {
		if s, ok := x.(*hostplan.UpdateSource); ok && src == nil {
			src = s
		}
		return src == nil
	})
	if src == nil {
		return nil, bridge.Errorf(bridge.CodeNotSupported, "LOAD DATA … SET with such an expression is not supported")
	}
	if _, ok := rowsOf(src.Child); !ok {
		return nil, bridge.Errorf(bridge.CodeNotSupported, "LOAD DATA … SET with such a subquery is not supported")
	}
	fixed, _, err := repair(ctx, nil, src, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	exprs, ok := stored(fixed.(*hostplan.UpdateSource).UpdateExprs, map[string]*bridge.Table{"": t}, bridge.Location(ctx), nil)
	if !ok {
		return nil, bridge.Errorf(bridge.CodeNotSupported, "LOAD DATA … SET assigns to something that is no column of the table")
	}
	for _, e := range exprs {
		if readsWithin(e.(*expression.SetField).RightChild, t) {
			return nil, bridge.Errorf(bridge.CodeUpdateTableUsed, "You can't specify target table '%s' for update in FROM clause", t.Name())
		}
	}
	return exprs, nil
}

// HasSubquery reports whether one of the expressions has a subquery.
func HasSubquery(exprs []sql.Expression) bool {
	found := false
	for _, e := range exprs {
		sql.Inspect(e, func(e sql.Expression) bool {
			if _, ok := e.(*hostplan.Subquery); ok {
				found = true
			}
			return !found
		})
	}
	return found
}

// readsWithin reports whether a subquery of an expression reads a table.
func readsWithin(e sql.Expression, t *bridge.Table) bool {
	found := false
	sql.Inspect(e, func(e sql.Expression) bool {
		if q, ok := e.(*hostplan.Subquery); ok && reads(q.Query, t) {
			found = true
		}
		return !found
	})
	return found
}
