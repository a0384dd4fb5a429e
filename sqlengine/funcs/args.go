package funcs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
)

const (
	second = int64(1_000_000) // in microseconds
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour

	maxSpan = 838*hour + 59*minute + 59*second // of a TIME
)

// textOf is a value as text.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case time.Time:
		v = v.UTC()
		us := int64(v.Hour())*hour + int64(v.Minute())*minute + int64(v.Second())*second + int64(v.Nanosecond())/1000
		digits := 0
		if v.Nanosecond() != 0 {
			digits = expr.MaxFraction
		}
		dst := expr.AppendDate(nil, dayOf(v))
		return string(expr.AppendTime(append(dst, ' '), us, digits))
	case float64:
		return string(expr.AppendFloat(nil, v, 64))
	}
	return fmt.Sprint(v)
}

// decimalOf is a value as an exact number; text counts as far as it is one.
func decimalOf(ctx *sql.Context, v any) decimal.Decimal {
	switch x := v.(type) {
	case decimal.Decimal:
		return x
	case float64:
		return decimal.NewFromFloat(x)
	case float32:
		return decimal.NewFromFloat32(x)
	case bool:
		if x {
			return decimal.New(1, 0)
		}
		return decimal.Zero
	case string, []byte:
		text := strings.TrimSpace(textOf(v))
		if d, err := bridge.ParseDecimal(text); err == nil {
			return d
		}
		ctx.Warn(bridge.CodeBadValue.Num, "Truncated incorrect DECIMAL value: '%s'", text)
		d, err := bridge.ParseDecimal(expr.NumberAt(text))
		if err != nil {
			return decimal.Zero
		}
		return d
	case time.Time:
		x = x.UTC()
		d, _ := decimal.NewFromString(x.Format("20060102150405.000000"))
		return d
	case gmstypes.Timespan:
		us := int64(x)
		sign := int64(1)
		if us < 0 {
			sign, us = -1, -us
		}
		whole := us/hour*10000 + us/minute%60*100 + us/second%60
		return decimal.New(sign*(whole*second+us%second), -6)
	}
	d, err := decimal.NewFromString(fmt.Sprint(v))
	if err != nil {
		return decimal.Zero
	}
	return d
}

// intOf is a value as an integer, rounded half away from zero; what is beyond
// BIGINT is the nearest one.
func intOf(ctx *sql.Context, v any) int64 {
	if u, ok := v.(uint64); ok && u > math.MaxInt64 {
		return math.MaxInt64
	}
	b := decimalOf(ctx, v).Round(0).BigInt()
	switch {
	case b.IsInt64():
		return b.Int64()
	case b.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

func floatOf(ctx *sql.Context, v any) float64 {
	if f, ok := v.(float64); ok {
		return f
	}
	if text, ok := v.([]byte); ok {
		v = string(text)
	}
	if text, ok := v.(string); ok {
		f, whole := expr.ParseFloat(text)
		if !whole {
			ctx.Warn(bridge.CodeBadValue.Num, "Truncated incorrect DOUBLE value: '%s'", text)
		}
		return f
	}
	f, _ := strconv.ParseFloat(decimalOf(ctx, v).String(), 64)
	return f
}

// spanOf is a value as a TIME in microseconds: a time, the time of day of a date and
// time, or hhmmss as text or number. ok is false, with a warning, when it is none.
func spanOf(ctx *sql.Context, v any) (us int64, ok bool) {
	switch x := v.(type) {
	case gmstypes.Timespan:
		return int64(x), true
	case time.Time:
		x = x.UTC()
		return int64(x.Hour())*hour + int64(x.Minute())*minute + int64(x.Second())*second + int64(x.Nanosecond())/1000, true
	case string, []byte:
		text := textOf(v)
		if hasDate(text) {
			if dt, st := expr.ParseDateTime(text); st == expr.OK {
				return dt.Nanos / 1000, true
			}
		}
		us, ok = parseSpan(text)
		if !ok {
			warnTime(ctx, "time", text)
		}
	default:
		us, ok = numberSpan(decimalOf(ctx, v))
		if !ok {
			warnTime(ctx, "time", textOf(v))
		}
	}
	if c := clamp(us); ok && c != us {
		warnTime(ctx, "time", textOf(v))
		us = c
	}
	return us, ok
}

func clamp(us int64) int64 { return min(max(us, -maxSpan), maxSpan) }

func warnTime(ctx *sql.Context, kind, text string) {
	ctx.Warn(bridge.CodeBadValue.Num, "Truncated incorrect %s value: '%s'", kind, text)
}

// hasDate reports whether text begins like a date rather than like a time.
func hasDate(text string) bool {
	text = strings.TrimSpace(text)
	i := 0
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	return i >= 12 || i > 0 && i < len(text) && strings.IndexByte("-/", text[i]) >= 0
}

// numberSpan reads hhmmss.
func numberSpan(d decimal.Decimal) (us int64, ok bool) {
	n := d.Abs().Round(6)
	whole := n.IntPart()
	if whole/100%100 > 59 || whole%100 > 59 {
		return 0, false
	}
	if n.GreaterThanOrEqual(decimal.New(1, 8)) { // beyond any TIME
		return int64(d.Sign()) * (maxSpan + 1), true
	}
	us = whole/10000*hour + whole/100%100*minute + whole%100*second + n.Sub(decimal.New(whole, 0)).Shift(6).IntPart()
	if d.Sign() < 0 {
		us = -us
	}
	return us, true
}

// parseSpan reads [-][days ]hh:mm[:ss[.fraction]], days hh or hhmmss[.fraction].
func parseSpan(text string) (us int64, ok bool) {
	text = strings.TrimSpace(text)
	rest, neg := strings.CutPrefix(text, "-")
	if days, clock, ok := strings.Cut(rest, " "); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return 0, false
		}
		us = int64(n) * day
		rest = strings.TrimSpace(clock)
		if !strings.Contains(rest, ":") {
			rest += ":00"
		}
	}
	rest, fraction, _ := strings.Cut(rest, ".")
	parts := strings.Split(rest, ":")
	if len(parts) == 1 {
		d, err := bridge.ParseDecimal(rest)
		if err != nil || rest[0] < '0' || rest[0] > '9' {
			return 0, false
		}
		if us, ok = numberSpan(d); !ok {
			return 0, false
		}
	} else {
		unit := hour
		for i, p := range parts {
			n, err := strconv.ParseUint(p, 10, 32)
			if err != nil || i > 2 || i > 0 && n > 59 {
				return 0, false
			}
			us += int64(n) * unit
			unit /= 60
		}
	}
	if fraction != "" {
		d, err := bridge.ParseDecimal("0." + fraction)
		if err != nil {
			return 0, false
		}
		us += d.Shift(6).Round(0).IntPart()
	}
	if neg {
		us = -us
	}
	return us, true
}

// dateOf is a value as a date or date and time; ok is false, with a warning, when it
// is none.
func dateOf(ctx *sql.Context, v any) (t time.Time, ok bool) {
	switch x := v.(type) {
	case time.Time:
		return x.UTC(), true
	case gmstypes.Timespan:
		today := bridge.Now(ctx).In(bridge.Location(ctx))
		y, m, d := today.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Add(time.Duration(x) * time.Microsecond), true
	}
	text := textOf(v)
	dt, st := expr.ParseDateTime(text)
	if st != expr.OK {
		warnTime(ctx, "datetime", text)
		return t, false
	}
	return time.Unix(dt.Day*86400, expr.RoundNanos(dt.Nanos, expr.MaxFraction)).UTC(), true
}

// dayOf counts the days of a time since 1970.
func dayOf(t time.Time) int64 {
	y, m, d := t.Date()
	return expr.Day(int64(y), int(m), d)
}

// digitsOf is how many digits of the second an expression has.
func digitsOf(e sql.Expression) int {
	t := e.Type()
	switch x := t.(type) {
	case bridge.TimeType:
		return x.Precision()
	case sql.DatetimeType:
		if gmstypes.IsDateType(t) {
			return 0
		}
		return min(x.Precision(), expr.MaxFraction)
	case sql.DecimalType:
		return min(int(x.Scale()), expr.MaxFraction)
	}
	if gmstypes.IsInteger(t) || gmstypes.IsNull(e) {
		return 0
	}
	if lit, ok := e.(*expression.Literal); ok && gmstypes.IsText(t) {
		_, fraction, _ := strings.Cut(textOf(lit.Value()), ".")
		return min(len(fraction), expr.MaxFraction)
	}
	return expr.MaxFraction
}

// digitsOfAll is the most digits of several expressions.
func digitsOfAll(args []sql.Expression) int {
	n := 0
	for _, a := range args {
		n = max(n, digitsOf(a))
	}
	return n
}
