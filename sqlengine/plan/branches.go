package plan

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/funcs"
)

// evener finds what branches of one value must become for the host to type it as
// MySQL does; nil when nothing.
func evener(branches []sql.Expression) change {
	spans, times, others, digits := 0, 0, 0, 0
	var first sql.Type
	mixed := false
	for _, b := range branches {
		if b == nil || b.Type() == gmstypes.Null {
			continue
		}
		t := b.Type()
		if first == nil {
			first = t
		}
		mixed = mixed || !first.Equals(t)
		switch {
		case bridge.IsTimespan(t):
			spans++
		case gmstypes.IsTime(t):
			times++
		default:
			others++
			continue
		}
		digits = max(digits, funcs.Digits(b))
	}
	unlessNull := func(convert func(sql.Expression) sql.Expression) change {
		return func(e sql.Expression) (sql.Expression, bool) {
			if e == nil || e.Type() == gmstypes.Null {
				return e, false
			}
			return convert(e), true
		}
	}
	switch {
	case !mixed || spans+times == 0:
		return nil
	case others > 0:
		return asText
	case times == 0:
		return unlessNull(func(e sql.Expression) sql.Expression { return funcs.Time(e, digits) })
	}
	return unlessNull(func(e sql.Expression) sql.Expression { return funcs.Datetime(e, digits) })
}

// evenBranches makes the branches of IF, IFNULL and COALESCE, the children of e from
// number first on, even.
func evenBranches(e sql.Expression, first int) (sql.Expression, bool, error) {
	branches, changed := even(e.Children()[first:])
	out := e
	if changed {
		var err error
		if out, err = e.WithChildren(append(slices.Clone(e.Children()[:first]), branches...)...); err != nil {
			return nil, false, err
		}
	}
	if t := commonTime(branches); t != nil && !t.Equals(out.Type()) { // IF makes DATETIME(6) of any
		return newCast(out, t), true, nil
	}
	return out, changed, nil
}

// commonTime is the type of branches that are all of one type of dates or times, or
// NULL; nil of others.
func commonTime(branches []sql.Expression) sql.Type {
	var common sql.Type
	for _, b := range branches {
		switch {
		case b == nil || gmstypes.IsNull(b):
		case !funcs.Temporal(b) || common != nil && !common.Equals(b.Type()):
			return nil
		default:
			common = b.Type()
		}
	}
	return common
}

// even gives the branches of one value the types that make the host give it MySQL's;
// nil stays.
func even(branches []sql.Expression) (out []sql.Expression, changed bool) {
	out = slices.Clone(branches)
	if change := evener(branches); change != nil {
		for i, b := range out {
			if b == nil {
				continue
			}
			if c, ok := change(b); ok {
				out[i], changed = c, true
			}
		}
	}
	common, mixed := commonBranch(out)
	if !mixed {
		return out, changed
	}
	for i, b := range out {
		if b != nil && !gmstypes.IsNull(b) && !b.Type().Equals(common) {
			out[i] = newCast(b, common)
		}
	}
	return out, true
}

// commonBranch is the type of a value that is one of numbers, or of numbers and texts;
// mixed is false where the host knows.
func commonBranch(branches []sql.Expression) (common sql.Type, mixed bool) {
	for _, b := range branches {
		if b == nil || gmstypes.IsNull(b) {
			continue
		}
		t := b.Type()
		if !gmstypes.IsNumber(t) && !gmstypes.IsTextOnly(t) {
			return nil, false
		}
		if common == nil {
			common = t
			continue
		}
		if common.Equals(t) {
			continue
		}
		if n, ok := commonNumber(common, t); ok {
			common, mixed = n, true
		} else if gmstypes.IsNumber(common) || gmstypes.IsNumber(t) {
			common, mixed = gmstypes.LongText, true
		}
	}
	return common, mixed
}

// evenCoalesce also drops the NULLs of a COALESCE, which the host takes for text.
func evenCoalesce(c *function.Coalesce) (sql.Expression, bool, error) {
	var args []sql.Expression
	for _, a := range c.Children() {
		if !gmstypes.IsNull(a) {
			args = append(args, a)
		}
	}
	if len(args) == 0 || len(args) == len(c.Children()) {
		return evenBranches(c, 0)
	}
	short, err := function.NewCoalesce(args...)
	if err != nil {
		return nil, false, err
	}
	out, _, err := evenBranches(short, 0)
	return out, true, err
}

// evenCase makes the branches of a CASE even. One of decimals, which the host types
// with ten digits after the point, and one of TIME, for which it has no type, are IFs.
func evenCase(c *expression.Case) (sql.Expression, bool, error) {
	values := make([]sql.Expression, 0, len(c.Branches)+1)
	for _, b := range c.Branches {
		values = append(values, b.Value)
	}
	values, changed := even(append(values, c.Else))
	for _, v := range values {
		if v != nil && (gmstypes.IsDecimal(v.Type()) || bridge.IsTimespan(v.Type())) {
			return ifs(c, values)
		}
	}
	if !changed {
		return c, false, nil
	}
	branches := slices.Clone(c.Branches)
	for i := range branches {
		branches[i].Value = values[i]
	}
	return expression.NewCase(c.Expr, branches, values[len(branches)]), true, nil
}

// ifs is a CASE with other values as IFs within each other.
func ifs(c *expression.Case, values []sql.Expression) (sql.Expression, bool, error) {
	out := values[len(c.Branches)]
	if out == nil {
		out = expression.NewLiteral(nil, gmstypes.Null)
	}
	for i, b := range slices.Backward(c.Branches) {
		cond := b.Cond
		if c.Expr != nil {
			var err error
			if cond, err = equal(c.Expr, cond); err != nil {
				return nil, false, err
			}
		}
		out = function.NewIf(cond, values[i], out)
	}
	return out, true, nil
}
