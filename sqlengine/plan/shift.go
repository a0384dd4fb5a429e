package plan

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/funcs"
)

// shift is a date or time plus or minus an interval, with MySQL's range and type. The
// host cuts fractions of seconds off, knows few forms of intervals of several numbers,
// and fails where the result is no date.
type shift struct {
	host     sql.Expression // the host's DATE_ADD or DATE_SUB, for its printing
	date, by sql.Expression
	unit     string
	minus    bool
	typ      sql.Type
}

var _ sql.CollationCoercible = (*shift)(nil)

// newShift is the expression that stands for the host's e; ok is false when e is
// no such calculation.
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
	_, minus := h.(*function.DateSub)
	s := &shift{host: h, date: date, by: by.Child, unit: by.Unit, minus: minus}
	t := date.Type()
	if bridge.IsTimespan(t) {
		if clockUnits[by.Unit] || strings.HasPrefix(by.Unit, "DAY") {
			s.typ = bridge.NewTimeType(max(funcs.Digits(date), secondDigits(by)))
			return s, true
		}
		s.date = funcs.Datetime(date, funcs.Digits(date))
		t = s.date.Type()
	}
	if gmstypes.IsTime(t) || gmstypes.IsTimestampType(t) {
		s.typ = shiftType(t, by)
	} else {
		s.typ = gmstypes.LongText
	}
	return s, true
}

// clockUnits are the units within a day.
var clockUnits = wordSet(`MICROSECOND SECOND MINUTE HOUR SECOND_MICROSECOND MINUTE_MICROSECOND MINUTE_SECOND
	HOUR_MICROSECOND HOUR_SECOND HOUR_MINUTE`)

// secondDigits is how many digits of the second an interval has.
func secondDigits(by *expression.Interval) int {
	switch {
	case strings.HasSuffix(by.Unit, "MICROSECOND"):
		return 6
	case by.Unit == "SECOND":
		return funcs.Digits(by.Child)
	}
	return 0
}

// Eval implements sql.Expression.
func (s *shift) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := s.date.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	n, err := s.by.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil {
		return nil, err
	}
	if n, err = sql.UnwrapAny(ctx, n); err != nil {
		return nil, err
	}
	d, ok := funcs.Interval(ctx, n, s.unit)
	if !ok {
		return nil, nil
	}
	if s.minus {
		d = d.Negated()
	}
	switch x := v.(type) {
	case gmstypes.Timespan:
		return d.MoveSpan(x), nil
	case time.Time:
		if t, ok := d.Move(ctx, x.UTC()); ok {
			return t, nil
		}
		return nil, nil
	}
	if text, ok := d.MoveText(ctx, v, clockUnits[s.unit] || strings.HasPrefix(s.unit, "DAY_")); ok {
		return text, nil
	}
	return nil, nil
}

// shiftType is the type of a time of type t moved by an interval.
func shiftType(t sql.Type, by *expression.Interval) sql.Type {
	switch by.Unit {
	case "DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "YEAR_MONTH":
		if gmstypes.IsDateType(t) {
			return gmstypes.Date
		}
	}
	return gmstypes.MustCreateDatetimeType(sqltypes.Datetime, max(timePrecision(t), secondDigits(by)))
}

// Type implements sql.Expression.
func (s *shift) Type() sql.Type { return s.typ }

// IsNullable implements sql.Expression.
func (s *shift) IsNullable() bool { return true }

// Resolved implements sql.Expression.
func (s *shift) Resolved() bool { return s.date.Resolved() && s.by.Resolved() }

// String implements sql.Expression.
func (s *shift) String() string { return s.host.String() }

// DebugString implements sql.DebugStringer.
func (s *shift) DebugString() string { return sql.DebugString(s.host) }

// CollationCoercibility implements sql.CollationCoercible.
func (s *shift) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, s.host)
}

// Children implements sql.Expression. The host refuses intervals under
// expressions that it does not know, so that what is in the interval stands for it.
func (s *shift) Children() []sql.Expression { return []sql.Expression{s.date, s.by} }

// WithChildren implements sql.Expression.
func (s *shift) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 2)
	}
	h, err := s.host.WithChildren(children[0], expression.NewInterval(children[1], s.unit))
	if err != nil {
		return nil, err
	}
	if out, ok := newShift(h); ok {
		return out, nil
	}
	return h, nil
}
