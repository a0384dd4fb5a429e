package funcs

import (
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
)

// formatFunction is FORMAT(number, digits): the host's calculates in DOUBLE. With a
// locale it is the host's.
func formatFunction() sql.Function {
	e := entry{name: "format", min: 2, max: 2, typ: fixed(gmstypes.LongText), eval: format}
	ours := e.function()
	return sql.FunctionN{Name: "format", Fn: func(args ...sql.Expression) (sql.Expression, error) {
		if len(args) == 3 {
			return function.NewFormat(args...)
		}
		return ours.NewInstance(args)
	}}
}

func format(ctx *sql.Context, c *call, args []any) (any, error) {
	digits := min(max(intOf(ctx, args[1]), 0), maxScale)
	var text string
	if t := c.args[0].Type(); gmstypes.IsInteger(t) || gmstypes.IsDecimal(t) {
		text = decimalOf(ctx, args[0]).StringFixed(int32(digits))
	} else {
		text = strconv.FormatFloat(roundFloat(floatOf(ctx, args[0]), int(digits)), 'f', int(digits), 64)
	}
	return grouped(text), nil
}

// grouped puts a comma after each three digits before the point.
func grouped(text string) string {
	text, negative := strings.CutPrefix(text, "-")
	whole, fraction, point := strings.Cut(text, ".")
	var b strings.Builder
	if negative {
		b.WriteByte('-')
	}
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	if point {
		b.WriteString("." + fraction)
	}
	return b.String()
}

// benchmark is BENCHMARK(n, expression): 0, after it has evaluated the expression n times.
type benchmark struct {
	expression.BinaryExpressionStub
}

var _ sql.CollationCoercible = (*benchmark)(nil)

func benchmarkFunction() sql.Function {
	return sql.Function2{Name: "benchmark", Fn: func(n, e sql.Expression) sql.Expression {
		return &benchmark{expression.BinaryExpressionStub{LeftChild: n, RightChild: e}}
	}}
}

// Type implements sql.Expression.
func (b *benchmark) Type() sql.Type { return gmstypes.Int64 }

// IsNullable implements sql.Expression.
func (b *benchmark) IsNullable() bool { return true }

// String implements sql.Expression.
func (b *benchmark) String() string {
	return "benchmark(" + b.LeftChild.String() + "," + b.RightChild.String() + ")"
}

// CollationCoercibility implements sql.CollationCoercible.
func (b *benchmark) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// Eval implements sql.Expression.
func (b *benchmark) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := b.LeftChild.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	n := intOf(ctx, v)
	if n < 0 {
		return nil, nil
	}
	for i := range n {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, err := b.RightChild.Eval(ctx, row); err != nil {
			return nil, err
		}
	}
	return int64(0), nil
}

// WithChildren implements sql.Expression.
func (b *benchmark) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(b, len(children), 2)
	}
	return &benchmark{expression.BinaryExpressionStub{LeftChild: children[0], RightChild: children[1]}}, nil
}
