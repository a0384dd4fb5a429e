package funcs

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
)

// maxUnix is the last second that MySQL's functions of Unix time know.
const maxUnix = 32536771199

func zoneFunctions() []entry {
	return []entry{
		{name: "from_unixtime", min: 1, max: 2, typ: fromUnixType, eval: fromUnix},
		{name: "unix_timestamp", max: 1, typ: unixType, eval: toUnix},
		{name: "convert_tz", min: 3, max: 3, typ: firstDatetime, eval: convertZone},
	}
}

// firstDatetime is DATETIME with the digits of the first argument.
func firstDatetime(args []sql.Expression) sql.Type {
	return gmstypes.MustCreateDatetimeType(sqltypes.Datetime, digitsOf(args[0]))
}

func fromUnixType(args []sql.Expression) sql.Type {
	if len(args) == 2 {
		return gmstypes.LongText
	}
	if gmstypes.IsText(args[0].Type()) {
		return gmstypes.MustCreateDatetimeType(sqltypes.Datetime, expr.MaxFraction)
	}
	return firstDatetime(args)
}

func fromUnix(ctx *sql.Context, c *call, args []any) (any, error) {
	d := decimalOf(ctx, args[0])
	if d.Sign() < 0 || d.IntPart() > maxUnix {
		return nil, nil
	}
	digits := expr.MaxFraction
	if t, ok := c.Type().(sql.DatetimeType); ok {
		digits = t.Precision()
	}
	us := d.Round(int32(digits)).Shift(6).IntPart()
	at := wall(time.UnixMicro(us), bridge.Location(ctx))
	if len(args) == 1 {
		return at, nil
	}
	// The letters of the format are the host's.
	return function.NewDateFormat(
		expression.NewLiteral(at, gmstypes.DatetimeMaxPrecision), expression.NewLiteral(textOf(args[1]), gmstypes.LongText),
	).Eval(ctx, nil)
}

// unixType is BIGINT, or DECIMAL for times with a fraction.
func unixType(args []sql.Expression) sql.Type {
	if len(args) == 0 || digitsOf(args[0]) == 0 {
		return gmstypes.Int64
	}
	n := digitsOf(args[0])
	return gmstypes.MustCreateColumnDecimalType(uint8(11+n), uint8(n))
}

func toUnix(ctx *sql.Context, c *call, args []any) (any, error) {
	at := bridge.Now(ctx)
	if len(args) == 1 {
		t, ok := dateOf(ctx, args[0])
		if ok {
			at = instant(t, bridge.Location(ctx))
		}
		if !ok || at.Unix() < 0 || at.Unix() > maxUnix {
			at = time.Unix(0, 0)
		}
	}
	if c.Type() == gmstypes.Int64 {
		return at.Unix(), nil
	}
	return decimal.New(at.UnixMicro(), -expr.MaxFraction).Round(int32(digitsOf(c.args[0]))), nil
}

// instant is the time at which a clock in loc shows t's UTC reading.
func instant(t time.Time, loc *time.Location) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), loc)
}

// wall is the clock that t shows in loc, labelled UTC.
func wall(t time.Time, loc *time.Location) time.Time {
	_, off := t.In(loc).Zone()
	return t.UTC().Add(time.Duration(off) * time.Second)
}

func convertZone(ctx *sql.Context, _ *call, args []any) (any, error) {
	t, ok := dateOf(ctx, args[0])
	if !ok {
		return nil, nil
	}
	from, err := bridge.ParseLocation(textOf(args[1]))
	if err != nil || textOf(args[1]) == "" {
		return nil, nil
	}
	to, err := bridge.ParseLocation(textOf(args[2]))
	if err != nil || textOf(args[2]) == "" {
		return nil, nil
	}
	at := instant(t, from)
	if s := at.Unix(); s < 0 || s > maxUnix {
		return t, nil // beyond Unix time MySQL converts nothing
	}
	return wall(at, to), nil
}
