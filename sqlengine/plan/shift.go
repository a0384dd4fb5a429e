package plan

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
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
	case !gmstypes.IsTime(t) && !gmstypes.IsTimestampType(t):
		return nil, false
	}
	return &shift{h, shiftType(t, by.Unit)}, true
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
