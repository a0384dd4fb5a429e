package funcs

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
)

// codeWrongTime is ER_WRONG_VALUE_FOR_TYPE.
const codeWrongTime = 1411

// strToDateType follows from the format where that is known.
func strToDateType(args []sql.Expression) sql.Type {
	lit, ok := args[1].(*expression.Literal)
	if !ok {
		return gmstypes.DatetimeMaxPrecision
	}
	format := fmt.Sprint(lit.Value())
	hasDate, hasTime, fraction := hasSpecifier(format, dateSpecifiers), hasSpecifier(format, timeSpecifiers), hasSpecifier(format, "f")
	switch {
	case !hasTime:
		return gmstypes.Date
	case !hasDate && fraction:
		return bridge.NewTimeType(expr.MaxFraction)
	case !hasDate:
		return bridge.NewTimeType(0)
	case fraction:
		return gmstypes.DatetimeMaxPrecision
	}
	return gmstypes.Datetime
}

// strToDate reads a text by a format; the host knows neither weeks nor AM and PM.
func strToDate(ctx *sql.Context, _ *call, args []any) (any, error) {
	text, format := textOf(args[0]), textOf(args[1])
	r, ok := readTimeText(text, format)
	at, valid := r.time()
	if clockOnly := hasSpecifier(format, timeSpecifiers) && !hasSpecifier(format, dateSpecifiers); !ok || !valid && !clockOnly {
		ctx.Warn(codeWrongTime, "Incorrect datetime value: '%s' for function str_to_date", text)
		return nil, nil
	}
	if strings.TrimSpace(r.rest) != "" {
		ctx.Warn(bridge.CodeBadValue.Num, "Truncated incorrect datetime value: '%s'", text)
	}
	return at, nil
}

// hasSpecifier reports whether one of the specifiers occurs in a format of dates.
func hasSpecifier(format, specifiers string) bool {
	for i := 0; i+1 < len(format); i++ {
		if format[i] == '%' {
			i++
			if strings.IndexByte(specifiers, format[i]) >= 0 {
				return true
			}
		}
	}
	return false
}
