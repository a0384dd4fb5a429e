package plan

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// bounded is CAST to DECIMAL. Text counts as far as it is a number, and what is beyond
// the type is its largest value. The host makes 0 of both, and writes out all digits of
// 1e999999999 before it looks whether they fit.
type bounded struct {
	expression.UnaryExpression
	host *expression.Convert // for the host's printing
}

var _ sql.CollationCoercible = (*bounded)(nil)

func newBounded(c *expression.Convert) *bounded {
	return &bounded{expression.UnaryExpression{Child: c.Child}, c}
}

// Type implements sql.Expression.
func (b *bounded) Type() sql.Type {
	t := b.host.Type().(sql.DecimalType)
	return decimalType(int(t.Precision()), int(t.Scale()))
}

// Eval implements sql.Expression.
func (b *bounded) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := b.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil || v == nil {
		return nil, err
	}
	t := b.Type().(sql.DecimalType)
	scale := int32(t.Scale())
	d := bridge.Reachable(decimalOf(ctx, v)).Round(scale)
	if most := decimal.New(1, int32(t.Precision())-scale).Sub(decimal.New(1, -scale)); d.Abs().GreaterThan(most) {
		ctx.Warn(bridge.CodeOutOfRange.Num, "Out of range value for column '%s' at row 1", b.host)
		if d.Sign() < 0 {
			return most.Neg(), nil
		}
		return most, nil
	}
	return d, nil
}

// String implements sql.Expression.
func (b *bounded) String() string { return b.host.String() }

// CollationCoercibility implements sql.CollationCoercible.
func (b *bounded) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (b *bounded) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	h, err := b.host.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return newBounded(h.(*expression.Convert)), nil
}
