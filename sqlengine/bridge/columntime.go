package bridge

import (
	"fmt"
	"strconv"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

func (e *Encoder) timestamp(dst *columnar.Vector, v any) error {
	switch x := v.(type) {
	case time.Time:
		return e.appendDateTime(dst, clockOf(x))
	case string:
		return e.timeText(dst, x)
	case []byte:
		return e.timeText(dst, string(x))
	case decimal.Decimal:
		return e.timeText(dst, x.String())
	case gmstypes.Timespan:
		return e.wrong(e.timeKind(), v)
	}
	n, err := e.int64(v)
	if err != nil {
		return err
	}
	return e.timeText(dst, strconv.FormatInt(n, 10))
}

func (e *Encoder) timeKind() string {
	if e.typ.Kind == types.Date {
		return "date"
	}
	return "datetime"
}

func (e *Encoder) timeText(dst *columnar.Vector, s string) error {
	dt, st := expr.ParseDateTime(s)
	if st != expr.OK {
		return e.wrong(e.timeKind(), s)
	}
	return e.appendDateTime(dst, dt)
}

// appendDateTime appends a clock reading; for TIMESTAMP_LTZ it is one in the
// session's zone unless it brings its own offset.
func (e *Encoder) appendDateTime(dst *columnar.Vector, dt expr.DateTime) error {
	if e.typ.Kind == types.Date {
		dst.AppendI32(int32(dt.Day))
		return nil
	}
	seconds := dt.Day * 86400
	nanos := expr.RoundNanos(dt.Nanos, e.typ.Precision)
	switch {
	case e.typ.Kind == types.TimestampLTZ && !dt.HasOffset:
		at := instant(time.Unix(seconds, nanos), e.loc)
		seconds, nanos = at.Unix(), int64(at.Nanosecond())
	case e.typ.Kind == types.TimestampLTZ:
		seconds -= int64(dt.Offset)
	case dt.HasOffset:
		// A clock with an offset means an instant; it is shown in the session's zone.
		at := wallClock(time.Unix(seconds-int64(dt.Offset), nanos), e.loc)
		seconds, nanos = at.Unix(), int64(at.Nanosecond())
	}
	seconds += nanos / 1e9
	nanos %= 1e9
	switch p := e.typ.Precision; {
	case p <= 3:
		dst.AppendI64(seconds*1000 + nanos/1e6)
	case p <= 6:
		dst.AppendI64(seconds*1_000_000 + nanos/1000)
	default:
		dst.AppendT96(seconds*1000+nanos/1e6, int32(nanos%1e6))
	}
	return nil
}

func (e *Encoder) time(dst *columnar.Vector, v any) error {
	var nanos int64
	switch x := v.(type) {
	case gmstypes.Timespan:
		nanos = int64(x) * 1000
	case time.Time:
		nanos = clockOf(x).Nanos
	default:
		var st expr.Status
		text, ok := spanText(v)
		if nanos, st = expr.ParseTime(text); !ok || st != expr.OK {
			return e.wrong("time", v)
		}
	}
	nanos = expr.RoundNanos(nanos, min(e.typ.Precision, 3))
	if nanos < 0 || nanos >= 86400e9 {
		return e.wrong("time", v)
	}
	dst.AppendI32(int32(nanos / 1e6))
	return nil
}

// spanText is a value that says a TIME, as 10:11:12 or 101112, as text.
func spanText(v any) (string, bool) {
	if s, ok := textOf(v); ok {
		return s, true
	}
	if d, ok := v.(decimal.Decimal); ok {
		return d.String(), true
	}
	n, ok := Int64(v)
	return strconv.FormatInt(n, 10), ok
}

// clockOf is what the clock of a host time shows.
func clockOf(x time.Time) expr.DateTime {
	x = x.UTC()
	y, m, d := x.Date()
	return expr.DateTime{
		Day:   expr.Day(int64(y), int(m), d),
		Nanos: int64(x.Hour())*3600e9 + int64(x.Minute())*60e9 + int64(x.Second())*1e9 + int64(x.Nanosecond()),
	}
}

// clockText is a host time as text, with the digits of the values' type where that
// is known and leaves nothing out.
func (e *Encoder) clockText(x time.Time) string {
	t, ok := e.from.(sql.DatetimeType)
	if n := clockOf(x).Nanos; ok && (e.isDate(x) || !gmstypes.IsDateType(t) && expr.RoundNanos(n, t.Precision()) == n) {
		return string(AppendTime(nil, x, t))
	}
	return x.UTC().Format("2006-01-02 15:04:05.999999")
}

// isDate reports whether a host time is a DATE.
func (e *Encoder) isDate(x time.Time) bool {
	return gmstypes.IsDateType(e.from) && clockOf(x).Nanos == 0
}

// clockNumber is a host time as MySQL's number, 20240229 or 20240229101112.5.
func (e *Encoder) clockNumber(x time.Time) string {
	if e.isDate(x) {
		return x.UTC().Format("20060102")
	}
	return x.UTC().Format("20060102150405.999999")
}

// spanNumber is a TIME as MySQL's number, -101112.5.
func spanNumber(x gmstypes.Timespan) string {
	us, sign := int64(x), ""
	if us < 0 {
		us, sign = -us, "-"
	}
	s := us / 1_000_000
	return fmt.Sprintf("%s%d.%06d", sign, s/3600*10000+s/60%60*100+s%60, us%1_000_000)
}
