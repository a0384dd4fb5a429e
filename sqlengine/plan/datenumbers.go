package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/sqlengine/funcs"
)

// numberedDates compares dates with numbers as MySQL does: constants that are dates
// written as numbers, such as 20260101, are these dates; else the digits of the date
// are compared. The host takes no number for a date, and each for less. args are
// children of e: the value, then what it is compared with.
func numberedDates(e sql.Expression, args []sql.Expression) (out sql.Expression, changed bool, err error) {
	if !slices.ContainsFunc(args, isDate) || !slices.ContainsFunc(args, isNumber) {
		return e, false, nil
	}
	dates := map[sql.Expression]sql.Expression{}
	for _, a := range args {
		if !isNumber(a) {
			continue
		}
		if dates[a] = dateOfNumber(a); dates[a] == nil {
			return mapChildren(e, func(c sql.Expression) (sql.Expression, bool) {
				if isDate(c) {
					return funcs.Number(c), true
				}
				return c, false
			})
		}
	}
	return mapChildren(e, func(c sql.Expression) (sql.Expression, bool) {
		d := dates[c]
		return d, d != nil
	})
}

func isDate(e sql.Expression) bool {
	return e.Resolved() && gmstypes.IsTime(e.Type()) && !bridge.IsTimespan(e.Type())
}

func isNumber(e sql.Expression) bool {
	_, interval := e.(*expression.Interval)
	return !interval && e.Resolved() && gmstypes.IsNumber(e.Type())
}

// dateOfNumber is a constant as a date; nil when it is none.
func dateOfNumber(e sql.Expression) sql.Expression {
	lit, ok := e.(*expression.Literal)
	if !ok {
		return nil
	}
	n, ok := bridge.Int64(lit.Value())
	if !ok {
		return nil
	}
	dt, st := expr.ParseDateTime(fmt.Sprint(n))
	if st != expr.OK {
		return nil
	}
	t := time.Unix(dt.Day*86400, dt.Nanos).UTC()
	if dt.Nanos == 0 {
		return expression.NewLiteral(t, gmstypes.Date)
	}
	return expression.NewLiteral(t, gmstypes.MustCreateDatetimeType(sqltypes.Datetime, 0))
}
