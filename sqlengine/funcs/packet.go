package funcs

import (
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// longTextFunctions are the host's functions that make a text as long as a number
// says, which the host makes whatever the number: ours are NULL beyond max_allowed_packet.
func longTextFunctions() []sql.Function {
	pad := func(name string) sql.Function {
		e := entry{name: name, typ: fixed(gmstypes.LongText), eval: padded}
		return sql.FunctionN{Name: name, Fn: func(args ...sql.Expression) (sql.Expression, error) {
			if len(args) != 3 {
				return nil, sql.ErrInvalidArgumentNumber.New(strings.ToUpper(name), 3, len(args))
			}
			args = append([]sql.Expression(nil), args...)
			args[1] = newCount(name, args[1], nil)
			return &call{entry: &e, args: args}, nil
		}}
	}
	return []sql.Function{
		pad("lpad"),
		pad("rpad"),
		sql.Function1{Name: "space", Fn: func(n sql.Expression) sql.Expression {
			return function.NewSpace(newCount("space", n, nil))
		}},
		sql.Function2{Name: "repeat", Fn: func(text, n sql.Expression) sql.Expression {
			return function.NewRepeat(text, newCount("repeat", n, text))
		}},
	}
}

// padded is LPAD or RPAD(text, length, with): lengths count characters.
func padded(ctx *sql.Context, c *call, args []any) (any, error) {
	text, with, n := []rune(textOf(args[0])), []rune(textOf(args[2])), intOf(ctx, args[1])
	if n < 0 {
		return nil, nil
	}
	missing := int(n) - len(text)
	switch {
	case missing <= 0:
		return string(text[:n]), nil
	case len(with) == 0:
		return "", nil
	}
	fill := make([]rune, 0, missing)
	for len(fill) < missing {
		fill = append(fill, with[:min(len(with), missing-len(fill))]...)
	}
	if c.name == "lpad" {
		return string(fill) + string(text), nil
	}
	return string(text) + string(fill), nil
}

// count is the number of times that a text occurs in a function's result, or NULL,
// with MySQL's warning, when that is too long.
type count struct {
	expression.UnaryExpression
	name string
	text sql.Expression // nil: one byte
}

var _ sql.CollationCoercible = (*count)(nil)

func newCount(name string, n, text sql.Expression) sql.Expression {
	return &count{expression.UnaryExpression{Child: n}, name, text}
}

// Eval implements sql.Expression.
func (c *count) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	times, size := floatOf(ctx, v), 1.0
	if c.text != nil && times < 0 {
		return int64(0), nil // which the host refuses
	}
	if c.text != nil {
		text, err := c.text.Eval(ctx, row)
		if err != nil || text == nil {
			return nil, err
		}
		if text, err = sql.UnwrapAny(ctx, text); err != nil {
			return nil, err
		}
		size = float64(len(textOf(text)))
	}
	if most := maxPacket(ctx); times*size > most {
		ctx.Warn(bridge.CodeLongResult.Num, "Result of %s() was larger than max_allowed_packet (%.0f) - truncated", c.name, most)
		return nil, nil
	}
	return v, nil
}

// maxPacket is max_allowed_packet in bytes.
func maxPacket(ctx *sql.Context) float64 {
	v, err := ctx.GetSessionVariable(ctx, "max_allowed_packet")
	if n, ok := bridge.Int64(v); ok && err == nil {
		return float64(n)
	}
	return math.MaxInt32
}

// Type implements sql.Expression.
func (c *count) Type() sql.Type { return c.Child.Type() }

// String implements sql.Expression.
func (c *count) String() string { return c.Child.String() }

// CollationCoercibility implements sql.CollationCoercible.
func (c *count) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, c.Child)
}

// Children implements sql.Expression.
func (c *count) Children() []sql.Expression {
	if c.text == nil {
		return []sql.Expression{c.Child}
	}
	return []sql.Expression{c.Child, c.text}
}

// WithChildren implements sql.Expression.
func (c *count) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(c.Children()) {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), len(c.Children()))
	}
	var text sql.Expression
	if len(children) > 1 {
		text = children[1]
	}
	return newCount(c.name, children[0], text), nil
}

// Resolved implements sql.Expression.
func (c *count) Resolved() bool { return c.Child.Resolved() && (c.text == nil || c.text.Resolved()) }
