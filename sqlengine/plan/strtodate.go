package plan

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
)

// codeWrongTime is ER_WRONG_VALUE_FOR_TYPE.
const codeWrongTime = 1411

// strToDate is STR_TO_DATE, of which the host knows neither weeks nor AM and PM.
type strToDate struct{ *function.StrToDate }

// WithChildren implements sql.Expression.
func (s *strToDate) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	h, err := s.StrToDate.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return &strToDate{h.(*function.StrToDate)}, nil
}

// Type implements sql.Expression.
func (s *strToDate) Type() sql.Type {
	lit, ok := s.Format.(*expression.Literal)
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

// Eval implements sql.Expression.
func (s *strToDate) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	text, ok, err := textOf(ctx, s.Date, row)
	if err != nil || !ok {
		return nil, err
	}
	format, ok, err := textOf(ctx, s.Format, row)
	if err != nil || !ok {
		return nil, err
	}
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

// textOf is an argument as text; ok is false for NULL.
func textOf(ctx *sql.Context, e sql.Expression, row sql.Row) (text string, ok bool, err error) {
	v, err := e.Eval(ctx, row)
	if err != nil || v == nil {
		return "", false, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil {
		return "", false, err
	}
	switch v := v.(type) {
	case nil:
		return "", false, nil
	case string:
		return v, true, nil
	case []byte:
		return string(v), true, nil
	}
	return fmt.Sprint(v), true, nil
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
