package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/planbuilder/dateparse"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
)

// codeWrongTime is ER_WRONG_VALUE_FOR_TYPE.
const codeWrongTime = 1411

// strToDate is STR_TO_DATE with hours of the 12-hour clock, which the host reads
// without AM and PM, and with NULL.
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
	t := s.StrToDate.Type()
	if !bridge.IsTimespan(t) {
		return t
	}
	if lit, ok := s.Format.(*expression.Literal); ok && !hasSpecifier(fmt.Sprint(lit.Value()), "f") {
		return bridge.NewTimeType(0)
	}
	return bridge.NewTimeType(expr.MaxFraction)
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
	v, err := dateparse.ParseDateWithFormat(text, format)
	at, isTime := v.(time.Time)
	hour := at.Hour()
	twelve := isTime && hasSpecifier(format, "hIlr")
	if err != nil || twelve && (hour < 1 || hour > 12) {
		ctx.Warn(codeWrongTime, "Incorrect datetime value: '%s' for function str_to_date", text)
		return nil, nil
	}
	if !twelve {
		return v, nil
	}
	to := hour % 12
	if hasSpecifier(format, "pr") {
		lower := strings.ToLower(text)
		am, pm := strings.Count(lower, "am"), strings.Count(lower, "pm")
		if am+pm != 1 {
			return nil, bridge.Errorf(bridge.CodeNotSupported, "STR_TO_DATE with AM or PM beside other text ('%s') is not supported", text)
		}
		to += 12 * pm
	}
	return at.Add(time.Duration(to-hour) * time.Hour), nil
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
