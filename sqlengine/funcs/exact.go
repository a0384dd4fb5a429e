package funcs

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"github.com/lakesql/lakesql/sqlengine/dialect"
)

// exact hides a constant of a comparison from the host, until Exact takes it out again.
type exact struct{ expression.UnaryExpression }

func exactFunction() sql.Function {
	return sql.Function1{Name: dialect.ExactFunc, Fn: func(e sql.Expression) sql.Expression {
		return &exact{expression.UnaryExpression{Child: e}}
	}}
}

// Exact is the constant that e hides; ok is false for other expressions.
func Exact(e sql.Expression) (hidden sql.Expression, ok bool) {
	x, ok := e.(*exact)
	if !ok {
		return nil, false
	}
	return x.Child, true
}

// Type implements sql.Expression.
func (x *exact) Type() sql.Type { return x.Child.Type() }

// String implements sql.Expression.
func (x *exact) String() string { return x.Child.String() }

// Eval implements sql.Expression.
func (x *exact) Eval(ctx *sql.Context, row sql.Row) (any, error) { return x.Child.Eval(ctx, row) }

// WithChildren implements sql.Expression.
func (x *exact) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(x, len(children), 1)
	}
	return &exact{expression.UnaryExpression{Child: children[0]}}, nil
}
