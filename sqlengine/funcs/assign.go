package funcs

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/sqlengine/dialect"
)

// assign is @name := value, which is set row by row as the rows come.
type assign struct {
	expression.UnaryExpression
	name string
}

var (
	_ sql.NonDeterministicExpression = (*assign)(nil)
	_ sql.CollationCoercible         = (*assign)(nil)
)

func assignFunction() sql.Function {
	return sql.Function2{Name: dialect.AssignFunc, Fn: func(name, value sql.Expression) sql.Expression {
		text := ""
		if lit, ok := name.(*expression.Literal); ok {
			text = textOf(lit.Value())
		}
		return &assign{expression.UnaryExpression{Child: value}, text}
	}}
}

// IsNonDeterministic implements sql.NonDeterministicExpression.
func (a *assign) IsNonDeterministic() bool { return true }

// Type implements sql.Expression.
func (a *assign) Type() sql.Type { return a.Child.Type() }

// String implements sql.Expression.
func (a *assign) String() string { return fmt.Sprintf("@%s := %s", a.name, a.Child) }

// CollationCoercibility implements sql.CollationCoercible.
func (a *assign) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, a.Child)
}

// WithChildren implements sql.Expression.
func (a *assign) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 1)
	}
	return &assign{expression.UnaryExpression{Child: children[0]}, a.name}, nil
}

// Eval implements sql.Expression.
func (a *assign) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := a.Child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil {
		return nil, err
	}
	t := a.Type()
	if v == nil && t == nil {
		t = gmstypes.Null
	}
	return v, ctx.SetUserVariable(ctx, a.name, v, t)
}
