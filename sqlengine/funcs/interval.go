package funcs

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
)

// Delta is the value of an INTERVAL.
type Delta struct {
	months, days, us int64
	far              bool // beyond what a date can be moved by
}

// wholeUnits are the units of one number, as months, days or microseconds.
var wholeUnits = map[string]Delta{
	"MICROSECOND": {us: 1},
	"SECOND":      {us: second},
	"MINUTE":      {us: minute},
	"HOUR":        {us: hour},
	"DAY":         {days: 1},
	"WEEK":        {days: 7},
	"MONTH":       {months: 1},
	"QUARTER":     {months: 3},
	"YEAR":        {months: 12},
}

// parts are the single units of those of several numbers, the largest first.
var parts = map[string][]string{
	"YEAR_MONTH":         {"YEAR", "MONTH"},
	"DAY_HOUR":           {"DAY", "HOUR"},
	"DAY_MINUTE":         {"DAY", "HOUR", "MINUTE"},
	"DAY_SECOND":         {"DAY", "HOUR", "MINUTE", "SECOND"},
	"DAY_MICROSECOND":    {"DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND"},
	"HOUR_MINUTE":        {"HOUR", "MINUTE"},
	"HOUR_SECOND":        {"HOUR", "MINUTE", "SECOND"},
	"HOUR_MICROSECOND":   {"HOUR", "MINUTE", "SECOND", "MICROSECOND"},
	"MINUTE_SECOND":      {"MINUTE", "SECOND"},
	"MINUTE_MICROSECOND": {"MINUTE", "SECOND", "MICROSECOND"},
	"SECOND_MICROSECOND": {"SECOND", "MICROSECOND"},
}

// add adds n units to a delta.
func (d *Delta) add(n int64, unit string) {
	const far = 1 << 58 // microseconds in over 9000 years
	u := wholeUnits[unit]
	if per := max(u.us, u.days, u.months); n > far/per || n < -far/per {
		d.far = true
		return
	}
	d.months, d.days, d.us = d.months+n*u.months, d.days+n*u.days, d.us+n*u.us
}

// Interval is INTERVAL v unit; ok is false for NULL and for text with something behind
// its numbers.
func Interval(ctx *sql.Context, v any, unit string) (d Delta, ok bool) {
	if v == nil {
		return d, false
	}
	if units := parts[unit]; units != nil {
		return severalParts(textOf(v), units)
	}
	switch v := v.(type) {
	case string, []byte:
		if unit != "SECOND" {
			n, _ := expr.ParseInteger(textOf(v))
			d.add(int64(n), unit)
			return d, true
		}
	}
	if unit == "SECOND" {
		us := decimalOf(ctx, v).Shift(6).Truncate(0)
		if b := us.BigInt(); b.IsInt64() {
			d.add(b.Int64(), "MICROSECOND")
		} else {
			d.far = true
		}
		return d, true
	}
	d.add(intOf(ctx, v), unit)
	return d, true
}

// severalParts reads numbers with anything between them. When there are fewer than
// units they are of the last ones.
func severalParts(text string, units []string) (d Delta, ok bool) {
	text, negative := strings.CutPrefix(strings.TrimLeft(text, " "), "-")
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	rest := strings.TrimLeftFunc(text, func(r rune) bool { return !isDigit(r) })
	var numbers []int64
	length := 0 // of the last number
	for rest != "" && len(numbers) < len(units) {
		behind := strings.TrimLeftFunc(rest, isDigit)
		length = len(rest) - len(behind)
		n, _ := expr.ParseInteger(rest[:length])
		numbers = append(numbers, int64(n))
		rest = strings.TrimLeftFunc(behind, func(r rune) bool { return !isDigit(r) })
		if rest == "" {
			break
		}
	}
	if len(numbers) == 0 {
		numbers = []int64{0}
	}
	if rest != "" {
		return d, false
	}
	units = units[len(units)-len(numbers):]
	for i, n := range numbers {
		if i == len(numbers)-1 && units[i] == "MICROSECOND" {
			for ; length < 6; length++ { // a fraction of a second
				n *= 10
			}
		}
		if negative {
			n = -n
		}
		d.add(n, units[i])
	}
	return d, true
}

// Negated is the delta the other way.
func (d Delta) Negated() Delta {
	return Delta{months: -d.months, days: -d.days, us: -d.us, far: d.far}
}

// Move is a date and time moved by a delta; ok is false, with a warning, when that is
// none.
func (d Delta) Move(ctx *sql.Context, t time.Time) (moved time.Time, ok bool) {
	y, m, day := t.Date()
	months := int64(y)*12 + int64(m) - 1
	if d.months != 0 {
		months += d.months
	}
	if !d.far && months >= 12 && months < 120_000 {
		y, m = int(months/12), time.Month(months%12+1)
		if last := time.Date(y, m+1, 0, 0, 0, 0, 0, time.UTC).Day(); day > last {
			day = last
		}
		us := int64(t.Hour())*hour + int64(t.Minute())*minute + int64(t.Second())*second + int64(t.Nanosecond())/1000 + d.us
		moved = time.UnixMicro((expr.Day(int64(y), int(m), day)+d.days)*24*hour + us).UTC()
		if y := moved.Year(); y >= 1 && y <= 9999 {
			return moved, true
		}
	}
	ctx.Warn(bridge.CodeDatetimeOverflow.Num, "Datetime function: datetime field overflow")
	return moved, false
}

// MoveSpan is a TIME moved by a delta.
func (d Delta) MoveSpan(span gmstypes.Timespan) gmstypes.Timespan {
	return gmstypes.Timespan(clamp(int64(span) + d.us + d.days*day))
}

// MoveText is a date or date and time as text moved by a delta: a date stays one unless
// it gets a time of day. ok is false when it is none.
func (d Delta) MoveText(ctx *sql.Context, v any, clock bool) (moved string, ok bool) {
	t, ok := dateOf(ctx, v)
	if !ok {
		return "", false
	}
	if t, ok = d.Move(ctx, t); !ok {
		return "", false
	}
	text := textOf(t)
	if !clock && !strings.Contains(textOf(v), ":") && t.Equal(t.Truncate(24*time.Hour)) {
		text, _, _ = strings.Cut(text, " ")
	}
	return text, true
}
