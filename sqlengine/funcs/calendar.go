package funcs

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/lakesql/lakesql/sqlengine/exec/expr"
)

// zeroDays is how many days MySQL counts from the year 0 to 1970.
const zeroDays = 719528

func calendarFunctions() []entry {
	return []entry{
		{name: "date", min: 1, max: 1, typ: fixed(gmstypes.Date), eval: dateAlone},
		{name: "makedate", min: 2, max: 2, typ: fixed(gmstypes.Date), eval: makeDate},
		{name: "period_add", min: 2, max: 2, typ: fixed(gmstypes.Int64), eval: periodAdd},
		{name: "period_diff", min: 2, max: 2, typ: fixed(gmstypes.Int64), eval: periodDiff},
		{name: "to_seconds", min: 1, max: 1, typ: fixed(gmstypes.Int64), eval: toSeconds},
		{name: "week", min: 1, max: 2, typ: fixed(gmstypes.Int32), eval: weekOf},
		{name: "yearweek", min: 1, max: 2, typ: fixed(gmstypes.Int32), eval: yearWeek},
		{name: "timestamp", min: 1, max: 2, typ: datetimeType, eval: timestamp},
		{name: "str_to_date", min: 2, max: 2, typ: strToDateType, eval: strToDate},
		timestampDiff(),
	}
}

// datetimeType is DATETIME with the most digits of the arguments.
func datetimeType(args []sql.Expression) sql.Type {
	return gmstypes.MustCreateDatetimeType(sqltypes.Datetime, digitsOfAll(args))
}

// dateAlone is DATE(x); the host's is a text.
func dateAlone(ctx *sql.Context, _ *call, args []any) (any, error) {
	t, ok := dateOf(ctx, args[0])
	if !ok {
		return nil, nil
	}
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC), nil
}

func makeDate(ctx *sql.Context, _ *call, args []any) (any, error) {
	y, n := intOf(ctx, args[0]), intOf(ctx, args[1])
	if n < 1 || n > 4_000_000 || y < 0 || y > 9999 {
		return nil, nil
	}
	t := time.Date(int(fourDigits(y)), 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(n-1))
	if t.Year() > 9999 {
		return nil, nil
	}
	return t, nil
}

// fourDigits is a year that may be of two digits.
func fourDigits(y int64) int64 {
	switch {
	case y < 70:
		return y + 2000
	case y < 100:
		return y + 1900
	}
	return y
}

// months counts the months of a period YYMM or YYYYMM.
func months(ctx *sql.Context, c *call, v any) (int64, error) {
	p := intOf(ctx, v)
	if p < 0 || p%100 < 1 || p%100 > 12 {
		return 0, wrongArguments(c)
	}
	return fourDigits(p/100)*12 + p%100 - 1, nil
}

func periodAdd(ctx *sql.Context, c *call, args []any) (any, error) {
	m, err := months(ctx, c, args[0])
	if err != nil {
		return nil, err
	}
	if m += intOf(ctx, args[1]); m < 0 {
		return nil, wrongArguments(c)
	}
	return m/12*100 + m%12 + 1, nil
}

func periodDiff(ctx *sql.Context, c *call, args []any) (any, error) {
	a, err := months(ctx, c, args[0])
	if err != nil {
		return nil, err
	}
	b, err := months(ctx, c, args[1])
	if err != nil {
		return nil, err
	}
	return a - b, nil
}

func toSeconds(ctx *sql.Context, _ *call, args []any) (any, error) {
	t, ok := dateOf(ctx, args[0])
	if !ok {
		return nil, nil
	}
	return t.Unix() + zeroDays*86400, nil
}

// timestamp is TIMESTAMP(a) and TIMESTAMP(a, time to add).
func timestamp(ctx *sql.Context, _ *call, args []any) (any, error) {
	t, ok := dateOf(ctx, args[0])
	if !ok {
		return nil, nil
	}
	if len(args) == 2 {
		us, ok := spanOf(ctx, args[1])
		if !ok || isMoment(args[1]) {
			return nil, nil
		}
		t = t.Add(time.Duration(us) * time.Microsecond)
	}
	return t, nil
}

// weekRule says how weeks are counted, as MySQL numbers the ways from 0 to 7.
type weekRule struct {
	monday   bool // weeks begin on Monday, else on Sunday
	ofYear   bool // 1 to 53: days before the first week are of the last year's last week
	firstDay bool // the first week is that with the first such day, else that with 4 days of the year
}

func ruleOf(mode int64) weekRule {
	r := weekRule{monday: mode&1 != 0, ofYear: mode&2 != 0, firstDay: mode&4 != 0}
	if !r.monday {
		r.firstDay = !r.firstDay
	}
	return r
}

// begin is the first day of the first week of a year.
func (r weekRule) begin(year int) time.Time {
	first := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	at := int(first.Weekday()) // days since the week began
	if r.monday {
		at = (at + 6) % 7
	}
	if r.firstDay && at > 0 || !r.firstDay && at > 3 {
		return first.AddDate(0, 0, 7-at)
	}
	return first.AddDate(0, 0, -at)
}

// week is the number of the week of t and the year that it belongs to.
func (r weekRule) week(t time.Time) (year, week int) {
	t = time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	year = t.Year()
	begin := r.begin(year)
	switch {
	case t.Before(begin):
		if !r.ofYear {
			return year, 0
		}
		if year == 0 { // there is none before
			return 0, 1
		}
		year--
		begin = r.begin(year)
	case r.ofYear && !t.Before(r.begin(year+1)):
		year++
		begin = r.begin(year)
	}
	return year, int(dayOf(t)-dayOf(begin))/7 + 1
}

func weekOf(ctx *sql.Context, _ *call, args []any) (any, error) {
	t, ok := dateOf(ctx, args[0])
	if !ok {
		return nil, nil
	}
	mode := int64(0)
	if len(args) == 2 {
		mode = intOf(ctx, args[1])
	}
	_, week := ruleOf(mode).week(t)
	return int32(week), nil
}

func yearWeek(ctx *sql.Context, _ *call, args []any) (any, error) {
	t, ok := dateOf(ctx, args[0])
	if !ok {
		return nil, nil
	}
	mode := int64(0)
	if len(args) == 2 {
		mode = intOf(ctx, args[1])
	}
	year, week := ruleOf(mode | 2).week(t)
	return int32(year*100 + week), nil
}

func timestampDiff() entry {
	return entry{name: "timestampdiff", min: 3, max: 3, typ: fixed(gmstypes.Int64), eval: difference}
}

// TimestampDiff is the call in place of the host's, whose months may be one short.
func TimestampDiff(h *function.TimestampDiff) sql.Expression {
	e := timestampDiff()
	return &call{entry: &e, args: h.Children()}
}

func difference(ctx *sql.Context, c *call, args []any) (any, error) {
	from, fok := dateOf(ctx, args[1])
	to, tok := dateOf(ctx, args[2])
	if !fok || !tok {
		return nil, nil
	}
	us := to.UnixMicro() - from.UnixMicro()
	unit := strings.TrimPrefix(strings.ToUpper(textOf(args[0])), "SQL_TSI_")
	switch unit {
	case "MICROSECOND":
		return us, nil
	case "SECOND":
		return us / second, nil
	case "MINUTE":
		return us / minute, nil
	case "HOUR":
		return us / hour, nil
	case "DAY":
		return us / day, nil
	case "WEEK":
		return us / (7 * day), nil
	}
	n := monthsBetween(from, to)
	switch unit {
	case "MONTH":
		return n, nil
	case "QUARTER":
		return n / 3, nil
	case "YEAR":
		return n / 12, nil
	}
	return nil, wrongArguments(c)
}

// monthsBetween counts the whole months from one time to another.
func monthsBetween(from, to time.Time) int64 {
	sign := int64(1)
	if to.Before(from) {
		sign, from, to = -1, to, from
	}
	n := int64(to.Year()-from.Year())*12 + int64(to.Month()) - int64(from.Month())
	f, t := inMonth(from), inMonth(to)
	if t < f {
		n--
	}
	return sign * n
}

// inMonth is the time since the month began, in microseconds.
func inMonth(t time.Time) int64 {
	return int64(t.Day())*day + t.UnixMicro() - expr.Day(int64(t.Year()), int(t.Month()), t.Day())*day
}
