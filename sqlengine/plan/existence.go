package plan

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
)

// existence repairs EXISTS and NOT IN, which the host makes joins of: it forgets
// then that an aggregate of all rows has one row, LIMIT 0, and that the sides of a
// UNION have conditions of their own; and it takes NOT EXISTS for NOT IN, where a
// condition that is NULL counts. changed is false for other expressions.
func existence(ctx *sql.Context, e sql.Expression) (out sql.Expression, changed bool, err error) {
	switch x := e.(type) {
	case *hostplan.ExistsSubquery:
		switch {
		case hasOneRow(x.Query.Query):
			return expression.NewLiteral(true, gmstypes.Boolean), true, nil
		case !joinable(ctx, x.Query.Query):
			return &single{expression.UnaryExpression{Child: e}}, true, nil
		}
	case *expression.Not:
		switch c := x.Child.(type) {
		case *hostplan.ExistsSubquery:
			q, same, err := heldConditions(c.Query)
			if err != nil || same {
				return e, false, err
			}
			return expression.NewNot(hostplan.NewExistsSubquery(q)), true, nil
		case *hostplan.InSubquery:
			sub, ok := c.Right().(*hostplan.Subquery)
			if ok && len(sub.Query.Schema()) == 1 && !gmstypes.IsTuple(c.Left().Type()) {
				return expression.NewNot(newMember(c.Left(), sub)), true, nil
			}
		}
	}
	return e, false, nil
}

// joinable reports whether EXISTS of a query holds where a row of its tables meets its
// conditions.
func joinable(ctx *sql.Context, n sql.Node) bool {
	ok := true
	transform.Inspect(n, func(n sql.Node) bool {
		switch x := n.(type) {
		case *hostplan.SetOp:
			ok = false
		case *hostplan.Limit:
			limit, known := constant(ctx, x.Limit)
			ok = ok && known && limit > 0
		case *hostplan.SubqueryAlias:
			return false
		}
		return ok
	})
	return ok
}

// heldConditions makes the conditions of a query that name columns from outside
// false where they are NULL.
func heldConditions(q *hostplan.Subquery) (*hostplan.Subquery, bool, error) {
	outer := q.Correlated()
	n, same, err := transform.Node(q.Query, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		f, ok := n.(*hostplan.Filter)
		if !ok {
			return n, transform.SameTree, nil
		}
		conds, same := expression.SplitConjunction(f.Expression), true
		for i, e := range conds {
			if _, done := e.(*holds); !done && names(e, outer) {
				conds[i], same = &holds{expression.UnaryExpression{Child: e}}, false
			}
		}
		if same {
			return n, transform.SameTree, nil
		}
		return hostplan.NewFilter(expression.JoinAnd(conds...), f.Child), transform.NewTree, nil
	})
	if err != nil || bool(same) {
		return q, true, err
	}
	return q.WithQuery(n), false, nil
}

// names reports whether an expression names one of the columns, itself or in a subquery.
func names(e sql.Expression, columns sql.ColSet) bool {
	found := false
	sql.Inspect(e, func(e sql.Expression) bool {
		switch x := e.(type) {
		case *expression.GetField:
			found = found || columns.Contains(x.Id())
		case *hostplan.Subquery:
			found = found || x.Correlated().Intersects(columns)
		}
		return !found
	})
	return found
}
