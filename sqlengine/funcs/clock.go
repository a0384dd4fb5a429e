package funcs

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
)

func clockFunctions() []entry {
	return []entry{
		{name: "maketime", min: 3, max: 3, typ: lastDigits, eval: makeTime},
		{name: "sec_to_time", min: 1, max: 1, typ: lastDigits, eval: secToTime},
		{name: "time", min: 1, max: 1, typ: lastDigits, eval: timeOf},
		{name: "timediff", min: 2, max: 2, typ: mostDigits, eval: timeDiff},
		{name: "addtime", min: 2, max: 2, typ: addTimeType, eval: addTime},
		{name: "subtime", min: 2, max: 2, typ: addTimeType, eval: addTime},
		{name: "time_format", min: 2, max: 2, typ: fixed(gmstypes.LongText), eval: timeFormat},
		{name: "time_to_sec", min: 1, max: 1, typ: secondsType, eval: timeToSec},
		{name: "hour", min: 1, max: 1, typ: fixed(gmstypes.Int32), eval: part(hour, 1<<20)},
		{name: "minute", min: 1, max: 1, typ: fixed(gmstypes.Int32), eval: part(minute, 60)},
		{name: "second", min: 1, max: 1, typ: fixed(gmstypes.Int32), eval: part(second, 60)},
		{name: "microsecond", min: 1, max: 1, typ: fixed(gmstypes.Int32), eval: part(1, 1_000_000)},
		{name: "curdate", typ: fixed(gmstypes.Date), eval: currentDate},
		{name: "current_date", typ: fixed(gmstypes.Date), eval: currentDate},
		{name: "utc_date", typ: fixed(gmstypes.Date), eval: currentDate},
		{name: "curtime", max: 1, typ: askedDigits, check: digitsAsked, eval: currentTime},
		{name: "current_time", max: 1, typ: askedDigits, check: digitsAsked, eval: currentTime},
		{name: "utc_time", max: 1, typ: askedDigits, check: digitsAsked, eval: currentTime},
		{name: "now", max: 1, typ: askedDatetime, check: digitsAsked, eval: currentDatetime},
		{name: "current_timestamp", max: 1, typ: askedDatetime, check: digitsAsked, eval: currentDatetime},
		{name: "localtime", max: 1, typ: askedDatetime, check: digitsAsked, eval: currentDatetime},
		{name: "localtimestamp", max: 1, typ: askedDatetime, check: digitsAsked, eval: currentDatetime},
		{name: "sysdate", max: 1, typ: askedDatetime, check: digitsAsked, eval: currentDatetime},
		{name: "utc_timestamp", max: 1, typ: askedDatetime, check: digitsAsked, eval: currentDatetime},
	}
}

// lastDigits is TIME with the digits of the last argument.
func lastDigits(args []sql.Expression) sql.Type {
	return bridge.NewTimeType(digitsOf(args[len(args)-1]))
}

// mostDigits is TIME with the most digits of the arguments.
func mostDigits(args []sql.Expression) sql.Type { return bridge.NewTimeType(digitsOfAll(args)) }

// askedDigits is TIME with as many digits as the argument says.
func askedDigits(args []sql.Expression) sql.Type { return bridge.NewTimeType(asked(args)) }

// askedDatetime is DATETIME with as many digits as the argument says.
func askedDatetime(args []sql.Expression) sql.Type {
	return gmstypes.MustCreateDatetimeType(sqltypes.Datetime, asked(args))
}

// asked is the number of digits that a function without further arguments is asked for.
func asked(args []sql.Expression) int {
	if len(args) == 0 {
		return 0
	}
	return int(intOf(nil, args[0].(*expression.Literal).Value()))
}

// digitsAsked refuses what is no number of digits.
func digitsAsked(name string, args []sql.Expression) error {
	if len(args) == 0 {
		return nil
	}
	lit, ok := args[0].(*expression.Literal)
	if !ok || !gmstypes.IsInteger(lit.Type()) {
		return bridge.Errorf(bridge.CodeBadArguments, "Incorrect arguments to %s", name)
	}
	if n := intOf(nil, lit.Value()); n < 0 || n > expr.MaxFraction {
		return bridge.Errorf(bridge.CodeTooBigPrecision, "Too-big precision %d specified for '%s'. Maximum is %d.", n, name, expr.MaxFraction)
	}
	return nil
}

func makeTime(ctx *sql.Context, _ *call, args []any) (any, error) {
	h, m, s := intOf(ctx, args[0]), intOf(ctx, args[1]), decimalOf(ctx, args[2]).Shift(6).Round(0).IntPart()
	if m < 0 || m > 59 || s < 0 || s >= minute {
		return nil, nil
	}
	sign := int64(1)
	if h < 0 {
		sign, h = -1, -max(h, -1000)
	}
	us := min(h, 1000)*hour + m*minute + s
	if us > maxSpan {
		warnTime(ctx, "time", string(expr.AppendTime(nil, sign*us, 0)))
	}
	return gmstypes.Timespan(clamp(sign * us)), nil
}

func secToTime(ctx *sql.Context, _ *call, args []any) (any, error) {
	d := decimalOf(ctx, args[0])
	limit := decimal.New(maxSpan/second, 0)
	if d.Abs().GreaterThan(limit) {
		warnTime(ctx, "time", textOf(args[0]))
		return gmstypes.Timespan(int64(d.Sign()) * maxSpan), nil
	}
	return gmstypes.Timespan(d.Shift(6).Round(0).IntPart()), nil
}

// span gives a TIME, NULL when ok is false.
func span(us int64, ok bool) (any, error) {
	if !ok {
		return nil, nil
	}
	return gmstypes.Timespan(us), nil
}

func timeOf(ctx *sql.Context, _ *call, args []any) (any, error) { return span(spanOf(ctx, args[0])) }

// isMoment reports whether a value is a date and time rather than a time.
func isMoment(v any) bool {
	switch v := v.(type) {
	case time.Time:
		return true
	case string, []byte:
		return hasDate(textOf(v))
	}
	return false
}

func timeDiff(ctx *sql.Context, _ *call, args []any) (any, error) {
	if isMoment(args[0]) != isMoment(args[1]) {
		return nil, nil
	}
	var us int64
	if isMoment(args[0]) {
		a, aok := dateOf(ctx, args[0])
		b, bok := dateOf(ctx, args[1])
		if !aok || !bok {
			return nil, nil
		}
		us = a.UnixMicro() - b.UnixMicro()
	} else {
		a, aok := spanOf(ctx, args[0])
		b, bok := spanOf(ctx, args[1])
		if !aok || !bok {
			return nil, nil
		}
		us = a - b
	}
	if c := clamp(us); c != us {
		warnTime(ctx, "time", string(expr.AppendTime(nil, us, 0)))
		us = c
	}
	return gmstypes.Timespan(us), nil
}

// addTimeType is DATETIME or TIME as the first argument is; text stays text.
func addTimeType(args []sql.Expression) sql.Type {
	switch t := args[0].Type(); {
	case bridge.IsTimespan(t):
		return mostDigits(args)
	case gmstypes.IsTime(t):
		return gmstypes.MustCreateDatetimeType(sqltypes.Datetime, digitsOfAll(args))
	}
	return gmstypes.LongText
}

// addTime is ADDTIME and SUBTIME.
func addTime(ctx *sql.Context, c *call, args []any) (any, error) {
	by, ok := spanOf(ctx, args[1])
	if !ok || isMoment(args[1]) {
		return nil, nil
	}
	if c.name == "subtime" {
		by = -by
	}
	text := gmstypes.IsText(c.Type())
	if isMoment(args[0]) {
		t, ok := dateOf(ctx, args[0])
		if !ok {
			return nil, nil
		}
		t = t.Add(time.Duration(by) * time.Microsecond)
		if t.Year() < 1 || t.Year() > 9999 {
			ctx.Warn(bridge.CodeTimeOverflow.Num, "Datetime function: %s field overflow", c.name)
			return nil, nil
		}
		if text {
			return textOf(t), nil
		}
		return t, nil
	}
	us, ok := spanOf(ctx, args[0])
	if !ok {
		return nil, nil
	}
	us = clamp(us + by)
	if !text {
		return gmstypes.Timespan(us), nil
	}
	digits := 0
	if us%second != 0 {
		digits = expr.MaxFraction
	}
	return string(expr.AppendTime(nil, us, digits)), nil
}

// timeFormat is TIME_FORMAT: DATE_FORMAT's letters for times of day, with hours beyond
// a day.
func timeFormat(ctx *sql.Context, _ *call, args []any) (any, error) {
	us, ok := spanOf(ctx, args[0])
	if !ok {
		return nil, nil
	}
	var out []byte
	if us < 0 {
		out, us = append(out, '-'), -us
	}
	format := textOf(args[1])
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out = append(out, format[i])
			continue
		}
		i++
		if out, ok = appendClock(out, us, format[i]); !ok {
			return nil, nil
		}
	}
	return string(out), nil
}

// appendClock writes what %letter stands for; ok is false for parts of a date.
func appendClock(out []byte, us int64, letter byte) (_ []byte, ok bool) {
	h, m, s := us/hour, us/minute%60, us/second%60
	twelve := (h+11)%12 + 1
	half := "AM"
	if h%24 >= 12 {
		half = "PM"
	}
	switch letter {
	case 'H':
		return appendPadded(out, h, 2), true
	case 'k':
		return appendPadded(out, h, 1), true
	case 'h', 'I':
		return appendPadded(out, twelve, 2), true
	case 'l':
		return appendPadded(out, twelve, 1), true
	case 'i':
		return appendPadded(out, m, 2), true
	case 's', 'S':
		return appendPadded(out, s, 2), true
	case 'f':
		return appendPadded(out, us%second, 6), true
	case 'p':
		return append(out, half...), true
	case 'T':
		return expr.AppendTime(out, us, 0), true
	case 'r':
		out = expr.AppendTime(out, twelve*hour+us%hour, 0)
		return append(append(out, ' '), half...), true
	case 'd', 'm', 'y', 'Y', 'c', 'e':
		zeros := map[byte]int{'d': 2, 'm': 2, 'y': 2, 'Y': 4, 'c': 1, 'e': 1}
		return appendPadded(out, 0, zeros[letter]), true
	}
	if strings.IndexByte("abDjMUuVvWwXx", letter) >= 0 {
		return nil, false
	}
	return append(out, letter), true
}

func appendPadded(out []byte, n int64, width int) []byte {
	text := decimal.New(n, 0).String()
	for range width - len(text) {
		out = append(out, '0')
	}
	return append(out, text...)
}

// secondsType is BIGINT, or DECIMAL for seconds with a fraction.
func secondsType(args []sql.Expression) sql.Type {
	if n := digitsOf(args[0]); n > 0 && !gmstypes.IsText(args[0].Type()) {
		return gmstypes.MustCreateColumnDecimalType(uint8(10+n), uint8(n))
	}
	return gmstypes.Int64
}

func timeToSec(ctx *sql.Context, c *call, args []any) (any, error) {
	us, ok := spanOf(ctx, args[0])
	if !ok {
		return nil, nil
	}
	if c.Type() == gmstypes.Int64 {
		return us / second, nil
	}
	return decimal.New(us, -6), nil
}

// part is HOUR, MINUTE, SECOND or MICROSECOND.
func part(unit, limit int64) func(*sql.Context, *call, []any) (any, error) {
	return func(ctx *sql.Context, _ *call, args []any) (any, error) {
		us, ok := spanOf(ctx, args[0])
		if !ok {
			return nil, nil
		}
		return int32(max(us, -us) / unit % limit), nil
	}
}

// currentDate is the date of the statement's time, in the session's zone but for
// UTC_DATE.
func currentDate(ctx *sql.Context, c *call, _ []any) (any, error) {
	y, m, d := c.now(ctx).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC), nil
}

// now is the statement's time in the session's zone, that of a function utc_… in UTC;
// SYSDATE is the time at which it is asked for.
func (c *call) now(ctx *sql.Context) time.Time {
	switch {
	case c.name == "sysdate":
		return time.Now().In(bridge.Location(ctx))
	case strings.HasPrefix(c.name, "utc_"):
		return bridge.Now(ctx).UTC()
	}
	return bridge.Now(ctx).In(bridge.Location(ctx))
}

// currentTime is the time of the statement's begin in the session's zone or in UTC.
func currentTime(ctx *sql.Context, c *call, _ []any) (any, error) {
	now := c.now(ctx)
	h, m, s := now.Clock()
	us := int64(h)*hour + int64(m)*minute + int64(s)*second + int64(now.Nanosecond())/1000
	unit := unitOf(c.args)
	return gmstypes.Timespan(us / unit * unit), nil
}

// currentDatetime is the date and time that the clock shows in the session's zone or in
// UTC.
func currentDatetime(ctx *sql.Context, c *call, _ []any) (any, error) {
	t := c.now(ctx)
	y, m, d := t.Date()
	unit := int(unitOf(c.args)) * 1000
	return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond()/unit*unit, time.UTC), nil
}

// unitOf is the microseconds of the last digit that is asked for.
func unitOf(args []sql.Expression) int64 {
	unit := second
	for range asked(args) {
		unit /= 10
	}
	return unit
}
