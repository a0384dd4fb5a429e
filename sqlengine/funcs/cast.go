package funcs

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
)

// Time is e as TIME(digits), rounded.
func Time(e sql.Expression, digits int) sql.Expression {
	t := bridge.NewTimeType(digits)
	eval := func(ctx *sql.Context, _ *call, args []any) (any, error) {
		us, ok := spanOf(ctx, args[0])
		if !ok {
			return nil, nil
		}
		return gmstypes.Timespan(clamp(roundSpan(us, t.Precision()))), nil
	}
	return &call{entry: &entry{name: "cast_time", typ: fixed(t), eval: eval}, args: []sql.Expression{e}}
}

// roundSpan rounds half away from zero.
func roundSpan(us int64, digits int) int64 {
	if us < 0 {
		return -roundSpan(-us, digits)
	}
	return expr.RoundNanos(us*1000, digits) / 1000
}

// Datetime is e, a date or time, as DATETIME(digits).
func Datetime(e sql.Expression, digits int) sql.Expression {
	eval := func(ctx *sql.Context, _ *call, args []any) (any, error) {
		t, ok := dateOf(ctx, args[0])
		if !ok {
			return nil, nil
		}
		return t, nil
	}
	typ := fixed(gmstypes.MustCreateDatetimeType(sqltypes.Datetime, digits))
	return &call{entry: &entry{name: "cast_datetime", typ: typ, eval: eval}, args: []sql.Expression{e}}
}

// Uncast is what is converted if e is Time, Datetime, Text or Number, else e.
func Uncast(e sql.Expression) sql.Expression {
	if c, ok := e.(*call); ok && strings.HasPrefix(c.name, "cast_") {
		return c.args[0]
	}
	return e
}

// Temporal reports whether an expression is a date, a date and time or a time.
func Temporal(e sql.Expression) bool { return gmstypes.IsTime(e.Type()) || bridge.IsTimespan(e.Type()) }

// Digits is how many digits of the second an expression has.
func Digits(e sql.Expression) int { return digitsOf(e) }

// Text is a temporal expression or a floating point number as the text that a client
// is shown.
func Text(e sql.Expression) sql.Expression {
	return &call{entry: &entry{name: "cast_char", typ: fixed(gmstypes.LongText), eval: shownText}, args: []sql.Expression{e}}
}

func shownText(_ *sql.Context, c *call, args []any) (any, error) {
	digits := digitsOf(c.args[0])
	switch v := args[0].(type) {
	case float32:
		return string(expr.AppendFloat(nil, float64(v), 32)), nil
	case decimal.Decimal:
		if t, ok := c.args[0].Type().(sql.DecimalType); ok {
			return v.StringFixed(int32(t.Scale())), nil
		}
		return v.String(), nil
	case gmstypes.Timespan:
		return string(expr.AppendTime(nil, int64(v), digits)), nil
	case time.Time:
		v = v.UTC()
		dst := expr.AppendDate(nil, dayOf(v))
		if gmstypes.IsDateType(c.args[0].Type()) {
			return string(dst), nil
		}
		us := int64(v.Hour())*hour + int64(v.Minute())*minute + int64(v.Second())*second + int64(v.Nanosecond())/1000
		return string(expr.AppendTime(append(dst, ' '), us, digits)), nil
	}
	return textOf(args[0]), nil
}

// Number is a temporal expression as the number of its digits: BIGINT, or DECIMAL with
// those of the second.
func Number(e sql.Expression) sql.Expression {
	return &call{entry: &entry{name: "cast_number", typ: numberType, eval: temporalNumber}, args: []sql.Expression{e}}
}

func numberType(args []sql.Expression) sql.Type {
	if n := digitsOf(args[0]); n > 0 {
		return gmstypes.MustCreateColumnDecimalType(uint8(14+n), uint8(n))
	}
	return gmstypes.Int64
}

func temporalNumber(ctx *sql.Context, c *call, args []any) (any, error) {
	v := args[0]
	if _, text := v.(string); text { // the host's DATE of a text
		t, ok := dateOf(ctx, v)
		if !ok {
			return nil, nil
		}
		v = t
	}
	d := decimalOf(ctx, v)
	switch {
	case gmstypes.IsDateType(c.args[0].Type()):
		return d.IntPart() / 1_000_000, nil
	case c.Type() == gmstypes.Int64:
		return d.IntPart(), nil
	}
	return d.Round(int32(digitsOf(c.args[0]))), nil
}

// argText is the value of an argument as the text that a client is shown.
func argText(ctx *sql.Context, arg sql.Expression, v any) (any, error) {
	return shownText(ctx, &call{args: []sql.Expression{arg}}, []any{v})
}

// Integer is text as a whole number: the digits that it begins with.
func Integer(e sql.Expression, unsigned bool) sql.Expression {
	t := sql.Type(gmstypes.Int64)
	if unsigned {
		t = gmstypes.Uint64
	}
	eval := func(ctx *sql.Context, _ *call, args []any) (any, error) {
		n, whole := expr.ParseInteger(textOf(args[0]))
		if !whole {
			ctx.Warn(bridge.CodeBadValue.Num, "Truncated incorrect INTEGER value: '%s'", textOf(args[0]))
		}
		if unsigned {
			return n, nil
		}
		return int64(n), nil
	}
	return &call{entry: &entry{name: "cast_integer", typ: fixed(t), eval: eval}, args: []sql.Expression{e}}
}
