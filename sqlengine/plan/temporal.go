package plan

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/funcs"
)

// temporal puts our conversions where the host mixes dates and times with other
// types: it knows no text for a TIME, takes a DATE for a DATETIME in texts and
// numbers, and compares a TIME with text as text. changed is false for expressions
// that it leaves.
func temporal(e sql.Expression) (out sql.Expression, changed bool, err error) {
	switch x := e.(type) {
	case *function.TimestampDiff:
		return funcs.TimestampDiff(x), true, nil
	case *expression.Convert:
		return convertTemporal(x)
	case *expression.Arithmetic, *expression.Div, *expression.IntDiv, *expression.Mod, *expression.UnaryMinus, *expression.BitOp,
		*aggregation.Sum, *aggregation.Avg:
		return numberedChildren(e)
	case *function.If:
		return evenBranches(e, 1)
	case *function.IfNull:
		return evenBranches(e, 0)
	case *function.Coalesce:
		return evenCoalesce(x)
	case *expression.Case:
		even, changed, err := compareCase(x)
		if err != nil {
			return nil, false, err
		}
		out, evened, err := evenCase(even)
		return out, changed || evened, err
	case *function.NullIf:
		return compareNullIf(x)
	case *expression.Like, *aggregation.GroupConcat:
		return textChildren(e)
	case *expression.InTuple:
		return compareIn(x)
	case *hostplan.InSubquery:
		return compareWithSubquery(x)
	case expression.Comparer:
		if q, ok, err := funcs.Quantify(x); err != nil {
			return nil, false, err
		} else if ok {
			out, _, err := compareWithSubquery(q)
			return out, true, err
		}
		return compareAll(x)
	case *expression.Between:
		if out, changed, err := compareBetween(x); changed || err != nil {
			return out, changed, err
		}
		if out, changed, err := numberedDates(e, e.Children()); changed || err != nil {
			return out, changed, err
		}
		return betweenSpans(x)
	case sql.FunctionExpression:
		name := strings.ToLower(x.FunctionName())
		if wholeTexts[name] {
			return mapChildren(e, floatAsText)
		}
		if textFunctions[name] {
			return textChildren(e)
		}
	}
	return e, false, nil
}

// textFunctions are functions that take their arguments as texts.
var textFunctions = wordSet(`concat concat_ws left right substring substr mid length char_length character_length
	octet_length bit_length lower lcase upper ucase trim ltrim rtrim replace lpad rpad instr locate reverse repeat quote
	md5 sha sha1 sha2 crc32 field elt find_in_set substring_index strcmp to_base64 ascii ord insert make_set hex soundex
	json_object json_array json_set json_insert json_replace json_array_append json_array_insert json_arrayagg json_quote
	regexp_like regexp_replace regexp_substr regexp_instr`)

// wholeTexts are those of them that take nothing but texts, so that a floating point
// number can be printed as MySQL does: the host writes it without an exponent.
var wholeTexts = wordSet(`concat concat_ws length char_length character_length octet_length bit_length lower lcase upper ucase
	trim ltrim rtrim replace reverse quote md5 sha sha1 crc32 find_in_set strcmp to_base64 ascii ord`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// change is an expression in place of another; false when it stays.
type change func(sql.Expression) (sql.Expression, bool)

// always is a change of every expression.
func always(f func(sql.Expression) sql.Expression) change {
	return func(e sql.Expression) (sql.Expression, bool) { return f(e), true }
}

// mapChildren changes the children of e.
func mapChildren(e sql.Expression, change change) (sql.Expression, bool, error) {
	children := append([]sql.Expression(nil), e.Children()...)
	changed := false
	for i, c := range children {
		if c == nil {
			continue
		}
		if d, ok := change(c); ok {
			children[i], changed = d, true
		}
	}
	if !changed {
		return e, false, nil
	}
	out, err := e.WithChildren(children...)
	return sameID(e, out), true, err
}

// sameID gives an expression the number of the one that it is made of, which some
// of the host's forget.
func sameID(from, to sql.Expression) sql.Expression {
	id, ok := from.(sql.IdExpression)
	if !ok {
		return to
	}
	if now, ok := to.(sql.IdExpression); ok && now.Id() != id.Id() {
		return now.WithId(id.Id())
	}
	return to
}

func textChildren(e sql.Expression) (sql.Expression, bool, error) {
	return mapChildren(e, asText)
}

func asText(e sql.Expression) (sql.Expression, bool) { return ifTemporal(e, funcs.Text) }

// ifTemporal converts e, or what DISTINCT stands before, if it is a date or time.
func ifTemporal(e sql.Expression, convert func(sql.Expression) sql.Expression) (sql.Expression, bool) {
	if d, ok := e.(*expression.DistinctExpression); ok && funcs.Temporal(d.Child) {
		return expression.NewDistinctExpression(convert(d.Child)), true
	}
	if funcs.Temporal(e) {
		return convert(e), true
	}
	return e, false
}

func floatAsText(e sql.Expression) (sql.Expression, bool) {
	if e.Resolved() && (gmstypes.IsFloat(e.Type()) || gmstypes.IsDecimal(e.Type())) {
		return funcs.Text(e), true
	}
	return asText(e)
}

// numberedChildren makes numbers of the times that arithmetic is done with, but for
// those that an interval is added to.
func numberedChildren(e sql.Expression) (sql.Expression, bool, error) {
	for _, c := range e.Children() {
		if _, ok := c.(*expression.Interval); ok {
			return e, false, nil
		}
	}
	return mapChildren(e, func(c sql.Expression) (sql.Expression, bool) {
		if n, ok := hexNumber(c); ok {
			return n, true
		}
		return ifTemporal(c, funcs.Number)
	})
}

// hexNumber is a constant such as X'0a' as the number that it is among numbers.
func hexNumber(e sql.Expression) (sql.Expression, bool) {
	n, ok := funcs.HexNumber(e)
	if !ok {
		return nil, false
	}
	return expression.NewLiteral(n, gmstypes.Uint64), true
}

// convertTemporal is CAST to TIME, CAST of a date or time to text or a number, and
// CAST of text to DECIMAL.
func convertTemporal(c *expression.Convert) (sql.Expression, bool, error) {
	t := c.Type()
	switch {
	case bridge.IsTimespan(t):
		digits := 0
		text := c.String()
		if _, err := fmt.Sscanf(text[strings.LastIndex(text, ", ")+2:], "time(%d)", &digits); err != nil {
			digits = 0
		}
		return funcs.Time(c.Child, digits), true, nil
	case gmstypes.IsTextOnly(t):
		return mapChildren(c, floatAsText)
	case gmstypes.IsDecimal(t) && (gmstypes.IsNumber(c.Child.Type()) || gmstypes.IsTextOnly(c.Child.Type())):
		return newBounded(c), true, nil
	case gmstypes.IsDecimal(t) && funcs.Temporal(c.Child):
		out, err := c.WithChildren(funcs.Number(c.Child))
		if err != nil {
			return nil, false, err
		}
		return newBounded(out.(*expression.Convert)), true, nil
	case gmstypes.IsFloat(t) && gmstypes.IsTextOnly(c.Child.Type()):
		return asDouble.of(c.Child), true, nil
	case gmstypes.IsInteger(t) && gmstypes.IsTextOnly(c.Child.Type()):
		return funcs.Integer(c.Child, gmstypes.IsUnsigned(t)), true, nil
	case !funcs.Temporal(c.Child):
		return c, false, nil
	case gmstypes.IsNumber(t):
		return mapChildren(c, always(funcs.Number))
	case gmstypes.IsTime(t) && bridge.IsTimespan(c.Child.Type()):
		digits := timePrecision(t)
		return mapChildren(c, always(func(e sql.Expression) sql.Expression { return funcs.Datetime(e, digits) }))
	}
	return c, false, nil
}

// isColumn reports whether the host compares an expression by its own type.
func isColumn(e sql.Expression) bool {
	_, ok := e.(*expression.GetField)
	return ok
}

// compareSpans compares a calculated TIME as such with what is not one. Columns are
// left as they are, for the sake of pruning; the host compares them rightly.
func compareSpans(e expression.Comparer) (sql.Expression, bool, error) {
	l, r := e.Left(), e.Right()
	lspan, rspan := bridge.IsTimespan(l.Type()), bridge.IsTimespan(r.Type())
	if !lspan && !rspan || lspan && isColumn(l) || rspan && isColumn(r) ||
		gmstypes.IsTime(l.Type()) || gmstypes.IsTime(r.Type()) || gmstypes.IsTuple(l.Type()) || gmstypes.IsTuple(r.Type()) {
		return e, false, nil
	}
	return mapChildren(e, always(spanOfSix))
}

func spanOfSix(e sql.Expression) sql.Expression { return funcs.Time(e, 6) }

func betweenSpans(b *expression.Between) (sql.Expression, bool, error) {
	if !bridge.IsTimespan(b.Val.Type()) || isColumn(b.Val) {
		return b, false, nil
	}
	return mapChildren(b, always(spanOfSix))
}
