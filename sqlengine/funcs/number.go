package funcs

import (
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
)

func numberFunctions() []entry {
	return []entry{
		{name: "floor", min: 1, max: 1, typ: wholeType, eval: whole},
		{name: "ceil", min: 1, max: 1, typ: wholeType, eval: whole},
		{name: "ceiling", min: 1, max: 1, typ: wholeType, eval: whole},
		{name: "pow", min: 2, max: 2, typ: fixed(gmstypes.Float64), eval: power},
		{name: "power", min: 2, max: 2, typ: fixed(gmstypes.Float64), eval: power},
		{name: "exp", min: 1, max: 1, typ: fixed(gmstypes.Float64), eval: exponential},
		{name: "truncate", min: 2, max: 2, typ: truncateType, eval: truncate},
		{name: "round", min: 1, max: 2, typ: roundType, eval: round},
		{name: "oct", min: 1, max: 1, typ: fixed(gmstypes.LongText), eval: oct},
		{name: dialect.IntervalFunc, min: 2, max: -1, typ: fixed(gmstypes.Int64), eval: interval, nulls: true},
	}
}

func wrongArguments(c *call) error {
	return bridge.Errorf(bridge.CodeBadArguments, "Incorrect arguments to %s", strings.ToLower(c.name))
}

// maxScale is the largest scale of MySQL's DECIMAL, maxDigits its precision.
const (
	maxScale  = 30
	maxDigits = 65
)

// truncateType keeps integers; a decimal has as many digits as are asked for.
func truncateType(args []sql.Expression) sql.Type {
	t := args[0].Type()
	switch {
	case gmstypes.IsDecimal(t):
		d := t.(sql.DecimalType)
		scale := d.Scale()
		if n, ok := literalInt(args[1]); ok {
			scale = uint8(min(max(n, 0), maxScale))
		}
		return gmstypes.MustCreateColumnDecimalType(min(max(d.Precision()-d.Scale()+scale, 1), maxDigits), scale)
	case gmstypes.IsInteger(t) && gmstypes.IsUnsigned(t):
		return gmstypes.Uint64
	case gmstypes.IsInteger(t):
		return gmstypes.Int64
	}
	return gmstypes.Float64
}

// literalInt is the value of an integer literal, signed or not.
func literalInt(e sql.Expression) (int64, bool) {
	if v, err := e.Eval(sql.NewEmptyContext(), nil); err == nil && v != nil && gmstypes.IsInteger(e.Type()) && constant(e) {
		return decimalOf(nil, v).IntPart(), true
	}
	return 0, false
}

// constant reports whether e is a literal or a literal with a sign.
func constant(e sql.Expression) bool {
	if _, ok := e.(*expression.Literal); ok {
		return true
	}
	c := e.Children()
	return len(c) == 1 && constant(c[0])
}

func truncate(ctx *sql.Context, c *call, args []any) (any, error) {
	n := min(max(intOf(ctx, args[1]), -400), 400)
	switch c.Type() {
	case gmstypes.Float64:
		return truncateFloat(floatOf(ctx, args[0]), int(n)), nil
	case gmstypes.Int64:
		return toScale(decimalOf(ctx, args[0]), n).IntPart(), nil
	case gmstypes.Uint64:
		return toScale(decimalOf(ctx, args[0]), n).BigInt().Uint64(), nil
	}
	return toScale(decimalOf(ctx, args[0]), n), nil
}

// toScale cuts the digits behind n places after the point, or before it.
func toScale(d decimal.Decimal, n int64) decimal.Decimal {
	if n >= 0 {
		return d.Truncate(int32(min(n, 100)))
	}
	n = -n
	if n > int64(d.NumDigits()) {
		return decimal.Zero
	}
	return d.Shift(int32(-n)).Truncate(0).Shift(int32(n))
}

func truncateFloat(f float64, n int) float64 {
	unit := math.Pow10(n)
	if n < 0 {
		unit = math.Pow10(-n)
		if math.IsInf(unit, 0) {
			return 0
		}
		return math.Trunc(f/unit) * unit
	}
	if math.IsInf(f*unit, 0) {
		return f
	}
	return math.Trunc(f*unit) / unit
}

// roundType is truncateType, with a digit more for what rounds up.
func roundType(args []sql.Expression) sql.Type {
	if len(args) == 1 {
		args = append(args[:1:1], expression.NewLiteral(int64(0), gmstypes.Int64))
	}
	d, ok := truncateType(args).(sql.DecimalType)
	if !ok {
		return truncateType(args)
	}
	precision := d.Precision()
	if d.Scale() < args[0].Type().(sql.DecimalType).Scale() {
		precision = min(precision+1, maxDigits)
	}
	return gmstypes.MustCreateColumnDecimalType(precision, d.Scale())
}

// round rounds exact numbers half away from zero, others half to even.
func round(ctx *sql.Context, c *call, args []any) (any, error) {
	n := int64(0)
	if len(args) == 2 {
		n = min(max(intOf(ctx, args[1]), -400), 400)
	}
	t := c.Type()
	if t == gmstypes.Float64 {
		return roundFloat(floatOf(ctx, args[0]), int(n)), nil
	}
	d := decimalOf(ctx, args[0])
	if n < 0 && -n > int64(d.NumDigits())+1 {
		d = decimal.Zero
	} else {
		d = d.Round(int32(min(n, 100)))
	}
	switch t {
	case gmstypes.Int64:
		if b := d.BigInt(); b.IsInt64() {
			return b.Int64(), nil
		}
		return nil, bridge.Errorf(bridge.CodeOverflow, "BIGINT value is out of range in '%s'", c)
	case gmstypes.Uint64:
		if b := d.BigInt(); b.IsUint64() {
			return b.Uint64(), nil
		}
		return nil, bridge.Errorf(bridge.CodeOverflow, "BIGINT UNSIGNED value is out of range in '%s'", c)
	}
	return d, nil
}

func roundFloat(f float64, n int) float64 {
	unit := math.Pow10(max(n, -n))
	switch {
	case n < 0 && math.IsInf(unit, 0):
		return 0
	case n < 0:
		return math.RoundToEven(f/unit) * unit
	case math.IsInf(f*unit, 0):
		return f
	}
	return math.RoundToEven(f*unit) / unit
}

func oct(ctx *sql.Context, _ *call, args []any) (any, error) {
	return function.NewConv(expression.NewLiteral(textOf(args[0]), gmstypes.LongText),
		expression.NewLiteral(int64(10), gmstypes.Int64), expression.NewLiteral(int64(8), gmstypes.Int64)).Eval(ctx, nil)
}

// interval is the number of bounds that are not above the first argument, which
// MySQL takes to be in order; -1 for NULL.
func interval(ctx *sql.Context, _ *call, args []any) (any, error) {
	if args[0] == nil {
		return int64(-1), nil
	}
	n := decimalOf(ctx, args[0])
	for i, v := range args[1:] {
		if v != nil && n.LessThan(decimalOf(ctx, v)) {
			return int64(i), nil
		}
	}
	return int64(len(args) - 1), nil
}

// extremeFunction is GREATEST or LEAST.
func extremeFunction(name string) sql.Function {
	e := entry{name: name, min: 2, max: -1, typ: extremeType, eval: extreme}
	return e.function()
}

// extremeType is the type as which all arguments are compared: a number when all are,
// a time when all are of one kind, else text.
func extremeType(args []sql.Expression) sql.Type {
	whole, scale, numbers, floats, times, spans, texts := 0, 0, 0, 0, 0, 0, 0
	var temporal sql.Type
	for _, a := range args {
		t := a.Type()
		switch {
		case t == nil || gmstypes.IsDeferredType(t) || t == gmstypes.Null:
			continue
		case gmstypes.IsDecimal(t):
			d := t.(sql.DecimalType)
			whole, scale = max(whole, int(d.Precision()-d.Scale())), max(scale, int(d.Scale()))
		case gmstypes.IsInteger(t):
			whole = max(whole, 19)
			if gmstypes.IsUnsigned(t) {
				whole = max(whole, 20)
			}
		case gmstypes.IsFloat(t):
			floats++
		case bridge.IsTimespan(t):
			spans++
			continue
		case gmstypes.IsTime(t):
			times++
			if temporal == nil || gmstypes.IsDateType(temporal) {
				temporal = t
			}
			continue
		default:
			texts++
			continue
		}
		numbers++
	}
	switch {
	case texts > 0 || numbers > 0 && times+spans > 0 || times > 0 && spans > 0:
		return gmstypes.LongText
	case spans > 0:
		return mostDigits(args)
	case times > 0:
		if gmstypes.IsDateType(temporal) {
			return temporal
		}
		return datetimeType(args)
	case numbers == 0:
		return gmstypes.Null
	case floats > 0:
		return gmstypes.Float64
	case scale == 0 && whole == 19:
		return gmstypes.Int64
	}
	return gmstypes.MustCreateColumnDecimalType(uint8(min(whole+scale, maxDigits)), uint8(scale))
}

func extreme(ctx *sql.Context, c *call, args []any) (any, error) {
	t := c.Type()
	var best any
	for i, v := range args {
		var err error
		if t == gmstypes.LongText {
			v, err = argText(ctx, c.args[i], v)
		} else {
			v, _, err = t.Convert(ctx, v)
		}
		if err != nil {
			return nil, err
		}
		if best != nil {
			order, err := t.Compare(ctx, v, best)
			if err != nil {
				return nil, err
			}
			if c.name == "least" && order >= 0 || c.name == "greatest" && order <= 0 {
				continue
			}
		}
		best = v
	}
	return best, nil
}

// wholeType is the type of FLOOR and CEIL: BIGINT where it holds the whole digits.
func wholeType(args []sql.Expression) sql.Type {
	t := args[0].Type()
	if d, ok := t.(sql.DecimalType); ok {
		if n := int(d.Precision()) - int(d.Scale()); n > 17 {
			return gmstypes.MustCreateColumnDecimalType(uint8(min(n+1, maxDigits)), 0)
		}
		return gmstypes.Int64
	}
	if gmstypes.IsInteger(t) {
		return t
	}
	return gmstypes.Float64
}

// whole is FLOOR or CEIL.
func whole(ctx *sql.Context, c *call, args []any) (any, error) {
	up := c.name != "floor"
	t := c.Type()
	switch {
	case gmstypes.IsFloat(t):
		if up {
			return math.Ceil(floatOf(ctx, args[0])), nil
		}
		return math.Floor(floatOf(ctx, args[0])), nil
	case !gmstypes.IsDecimal(c.args[0].Type()):
		return args[0], nil
	}
	d := decimalOf(ctx, args[0])
	if up {
		d = d.Ceil()
	} else {
		d = d.Floor()
	}
	if gmstypes.IsDecimal(t) {
		return d, nil
	}
	return d.IntPart(), nil
}

// power is POW(x, y), exponential EXP(x): beyond DOUBLE they are errors.
func power(ctx *sql.Context, c *call, args []any) (any, error) {
	return finite(c, math.Pow(floatOf(ctx, args[0]), floatOf(ctx, args[1])))
}

func exponential(ctx *sql.Context, c *call, args []any) (any, error) {
	return finite(c, math.Exp(floatOf(ctx, args[0])))
}

func finite(c *call, f float64) (any, error) {
	if f-f != 0 {
		return nil, bridge.Errorf(bridge.CodeOverflow, "DOUBLE value is out of range in '%s'", c)
	}
	return f, nil
}
