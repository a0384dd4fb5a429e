package plan

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/funcs"
)

// shift is a time plus or minus an interval. It keeps fractions of seconds, which
// the host's operators cut off, and has the type of MySQL.
type shift struct {
	sql.Expression // the host's DATE_ADD or DATE_SUB
	typ            sql.Type
}

var _ sql.CollationCoercible = (*shift)(nil)

// newShift is the expression that stands for the host's e; ok is false when e is
// no such calculation, or one from text, which stays text.
func newShift(e sql.Expression) (out sql.Expression, ok bool) {
	var date sql.Expression
	var by *expression.Interval
	h := e
	switch x := e.(type) {
	case *function.DateAdd:
		date, by = x.Date, x.Interval
	case *function.DateSub:
		date, by = x.Date, x.Interval
	case *expression.Arithmetic:
		build := function.NewDateAdd
		if x.Op == "-" {
			build = function.NewDateSub
		}
		date = x.LeftChild
		if by, ok = x.RightChild.(*expression.Interval); !ok {
			if by, ok = x.LeftChild.(*expression.Interval); !ok || x.Op != "+" {
				return nil, false
			}
			date = x.RightChild
		}
		var err error
		if h, err = build(date, by); err != nil {
			return nil, false
		}
	default:
		return nil, false
	}
	t := date.Type()
	switch {
	case gmstypes.IsText(t):
		return h, h != e
	case bridge.IsTimespan(t):
		return newSpanShift(h, date, by)
	case !gmstypes.IsTime(t) && !gmstypes.IsTimestampType(t):
		return nil, false
	}
	return &shift{h, shiftType(t, by.Unit)}, true
}

// clockUnits are the units that a TIME stays a TIME under.
var clockUnits = wordSet(`MICROSECOND SECOND MINUTE HOUR SECOND_MICROSECOND MINUTE_MICROSECOND MINUTE_SECOND
	HOUR_MICROSECOND HOUR_SECOND HOUR_MINUTE`)

// newSpanShift is a TIME plus or minus an interval h.
func newSpanShift(h, date sql.Expression, by *expression.Interval) (sql.Expression, bool) {
	if !clockUnits[by.Unit] {
		return nil, false
	}
	digits := funcs.Digits(date)
	switch {
	case strings.HasSuffix(by.Unit, "MICROSECOND"):
		digits = 6
	case by.Unit == "SECOND":
		digits = max(digits, funcs.Digits(by.Child))
	}
	return &shift{h, bridge.NewTimeType(digits)}, true
}

// Eval implements sql.Expression.
func (s *shift) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if !bridge.IsTimespan(s.typ) {
		return s.Expression.Eval(ctx, row)
	}
	c := s.Expression.Children()
	v, err := c[0].Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	d, err := c[1].(*expression.Interval).EvalDelta(ctx, row)
	if err != nil || d == nil {
		return nil, err
	}
	span, ok := v.(gmstypes.Timespan)
	if !ok {
		return nil, nil
	}
	us := ((d.Hours*60+d.Minutes)*60+d.Seconds)*1_000_000 + d.Microseconds
	if _, ok := s.Expression.(*function.DateSub); ok {
		us = -us
	}
	return gmstypes.Time.MicrosecondsToTimespan(int64(span) + us), nil
}

// shiftType is the type of a time of type t moved by a number of units.
func shiftType(t sql.Type, unit string) sql.Type {
	precision := timePrecision(t)
	switch {
	case strings.HasSuffix(unit, "MICROSECOND"):
		precision = 6
	case !gmstypes.IsDateType(t):
	case unit == "DAY" || unit == "WEEK" || unit == "MONTH" || unit == "QUARTER" || unit == "YEAR" || unit == "YEAR_MONTH":
		return gmstypes.Date
	}
	return gmstypes.MustCreateDatetimeType(sqltypes.Datetime, precision)
}

// Type implements sql.Expression.
func (s *shift) Type() sql.Type { return s.typ }

// CollationCoercibility implements sql.CollationCoercible.
func (s *shift) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, s.Expression)
}

// Children implements sql.Expression. The host refuses intervals under
// expressions that it does not know, so that what is in the interval stands for it.
func (s *shift) Children() []sql.Expression {
	c := s.Expression.Children()
	return []sql.Expression{c[0], c[1].(*expression.Interval).Child}
}

// WithChildren implements sql.Expression.
func (s *shift) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 2)
	}
	unit := s.Expression.Children()[1].(*expression.Interval).Unit
	h, err := s.Expression.WithChildren(children[0], expression.NewInterval(children[1], unit))
	if err != nil {
		return nil, err
	}
	if out, ok := newShift(h); ok {
		return out, nil
	}
	return h, nil
}
