package plan

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// boundedText is text that the host turns into a DECIMAL. It writes out all digits of
// a number before it looks whether they fit, so that 1e999999999 would take the memory
// of the server: numbers that no DECIMAL holds come to it as shorter ones.
type boundedText struct{ expression.UnaryExpression }

var _ sql.CollationCoercible = (*boundedText)(nil)

// boundText bounds an expression that gives text; changed is false where it need not.
func boundText(e sql.Expression) (out sql.Expression, changed bool) {
	switch x := e.(type) {
	case *boundedText:
		return e, false
	case *expression.Literal:
		text, ok := x.Value().(string)
		if !ok {
			return e, false
		}
		if short := shortNumber(text); short != text {
			return expression.NewLiteral(short, x.Type()), true
		}
		return e, false
	}
	return &boundedText{expression.UnaryExpression{Child: e}}, true
}

// boundOperands bounds the texts that a comparison has beside decimals.
func boundOperands(e sql.Expression) (sql.Expression, bool, error) {
	if !hasDecimal(e.Children()) {
		return e, false, nil
	}
	return mapChildren(e, boundTexts)
}

// boundCase is boundOperands for CASE x WHEN y, whose results stay as they are.
func boundCase(c *expression.Case) (sql.Expression, bool) {
	if c.Expr == nil {
		return c, false
	}
	out := *c
	out.Branches = slices.Clone(c.Branches)
	operands := []*sql.Expression{&out.Expr}
	for i := range out.Branches {
		operands = append(operands, &out.Branches[i].Cond)
	}
	decimals, changed := false, false
	for _, e := range operands {
		decimals = decimals || hasDecimal([]sql.Expression{*e})
	}
	for _, e := range operands {
		if b, ok := boundTexts(*e); ok && decimals {
			*e, changed = b, true
		}
	}
	return &out, changed
}

func hasDecimal(list []sql.Expression) bool {
	for _, e := range list {
		if t, ok := e.(expression.Tuple); ok && hasDecimal(t) || !ok && gmstypes.IsDecimal(e.Type()) {
			return true
		}
	}
	return false
}

func boundTexts(e sql.Expression) (sql.Expression, bool) {
	if t, ok := e.(expression.Tuple); ok {
		out, changed, err := mapChildren(t, boundTexts)
		return out, changed && err == nil
	}
	if !gmstypes.IsText(e.Type()) {
		return e, false
	}
	return boundText(e)
}

// Eval implements sql.Expression.
func (b *boundedText) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := b.Child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil {
		return nil, err
	}
	return shortNumber(v), nil
}

// shortNumber is v, or the number within DOUBLE's reach next to it.
func shortNumber(v any) any {
	text, ok := v.(string)
	if !ok || !strings.ContainsAny(text, "eE") {
		return v
	}
	d, err := decimal.NewFromString(strings.TrimSpace(text))
	if err != nil {
		return v
	}
	if short := bridge.Reachable(d); short.Exponent() != d.Exponent() {
		return short.String()
	}
	return v
}

// Type implements sql.Expression.
func (b *boundedText) Type() sql.Type { return b.Child.Type() }

// String implements sql.Expression.
func (b *boundedText) String() string { return b.Child.String() }

// CollationCoercibility implements sql.CollationCoercible.
func (b *boundedText) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, b.Child)
}

// WithChildren implements sql.Expression.
func (b *boundedText) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(b, len(children), 1)
	}
	return &boundedText{expression.UnaryExpression{Child: children[0]}}, nil
}
