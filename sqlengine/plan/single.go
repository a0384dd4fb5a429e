package plan

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
)

// single hides a scalar subquery from the host, which makes a join of a comparison
// with one: several rows are then no error, and no row is not NULL. It hides EXISTS too.
type single struct{ expression.UnaryExpression }

var _ sql.CollationCoercible = (*single)(nil)

// hideScalar hides the subquery on the right of a comparison, unless it has one row
// whatever is in the tables.
func hideScalar(e expression.Comparer) (sql.Expression, bool, error) {
	sub, ok := e.Right().(*hostplan.Subquery)
	if !ok || hasOneRow(sub.Query) || gmstypes.IsTuple(e.Left().Type()) {
		return e, false, nil
	}
	out, err := e.WithChildren(e.Left(), &single{expression.UnaryExpression{Child: sub}})
	return out, true, err
}

// hasOneRow reports whether a query is an aggregate of all rows.
func hasOneRow(n sql.Node) bool {
	for {
		switch x := n.(type) {
		case *hostplan.Project:
			n = x.Child
		case *hostplan.GroupBy:
			return len(x.GroupByExprs) == 0 && aggregates(x.SelectedExprs)
		default:
			return false
		}
	}
}

// Type implements sql.Expression.
func (s *single) Type() sql.Type { return s.Child.Type() }

// String implements sql.Expression.
func (s *single) String() string { return s.Child.String() }

// CollationCoercibility implements sql.CollationCoercible.
func (s *single) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, s.Child)
}

// WithChildren implements sql.Expression.
func (s *single) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	return &single{expression.UnaryExpression{Child: children[0]}}, nil
}

// Eval implements sql.Expression.
func (s *single) Eval(ctx *sql.Context, row sql.Row) (any, error) { return s.Child.Eval(ctx, row) }
