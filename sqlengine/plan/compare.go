package plan

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// class is what two values are compared as, where the host does otherwise: it rounds
// decimals to the scale of one side, and compares text and doubles with decimals as
// decimals.
type class uint8

const (
	asTheyAre class = iota // the host compares them rightly
	asExact
	asDouble
)

// classOf is the class of a comparison of l with r.
func classOf(l, r sql.Expression) class {
	a, b := comparedNumber(l), comparedNumber(r)
	text, other := gmstypes.IsTextOnly(l.Type()), b
	if !text {
		text, other = gmstypes.IsTextOnly(r.Type()), a
	}
	switch {
	case text && other.kind == noNumber, a.kind == noNumber && b.kind == noNumber:
		return asTheyAre
	case text:
		if isColumn(l) && isWholeText(r) || isColumn(r) && isWholeText(l) {
			return asTheyAre // for the sake of pruning
		}
		return asDouble
	case a.kind == noNumber || b.kind == noNumber:
		return asTheyAre
	case a.kind == float || b.kind == float:
		if a.kind == exactDecimal || b.kind == exactDecimal {
			return asDouble
		}
		return asTheyAre
	case a.kind == exactDecimal && b.kind == exactDecimal && a.scale < b.scale, a.kind != b.kind && a.kind != exactDecimal && b.kind != exactDecimal:
		return asExact
	}
	return asTheyAre
}

// comparedNumber is the number that e is, without text.
func comparedNumber(e sql.Expression) number {
	if t := e.Type(); t == nil || gmstypes.IsText(t) || gmstypes.IsTuple(t) {
		return number{}
	}
	return numberOf(e)
}

// isWholeText reports whether e is a constant text of digits alone.
func isWholeText(e sql.Expression) bool {
	lit, ok := e.(*expression.Literal)
	if !ok {
		return false
	}
	s, ok := lit.Value().(string)
	if !ok || s == "" || len(s) > 15 {
		return false
	}
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// of is e as an operand of the class.
func (c class) of(e sql.Expression) sql.Expression {
	if o, ok := e.(*operand); c == asTheyAre || ok && o.class == c {
		return e
	}
	return &operand{expression.UnaryExpression{Child: e}, c}
}

// operand is an operand of a comparison, as a value of the type that MySQL compares as.
type operand struct {
	expression.UnaryExpression
	class class
}

var _ sql.CollationCoercible = (*operand)(nil)

// Type implements sql.Expression.
func (o *operand) Type() sql.Type {
	if o.class == asDouble {
		return gmstypes.Float64
	}
	return decimalType(maxDigits, maxScale)
}

// Eval implements sql.Expression.
func (o *operand) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := o.Child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil || v == nil {
		return nil, err
	}
	if o.class == asDouble {
		return floatOf(ctx, v), nil
	}
	return decimalOf(ctx, v), nil
}

// String implements sql.Expression.
func (o *operand) String() string { return o.Child.String() }

// CollationCoercibility implements sql.CollationCoercible.
func (o *operand) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (o *operand) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(o, len(children), 1)
	}
	return o.class.of(children[0]), nil
}

// compareAll repairs a comparison of two expressions.
func compareAll(e expression.Comparer) (out sql.Expression, changed bool, err error) {
	if out, changed, err := compareRows(e); changed || err != nil {
		return out, changed, err
	}
	out, hidden, err := hideScalar(e)
	if err != nil {
		return nil, false, err
	}
	e = out.(expression.Comparer)
	for _, repair := range []func(expression.Comparer) (sql.Expression, bool, error){compareOperands, compareDates, compareSpans} {
		if out, changed, err := repair(e); changed || err != nil {
			return out, changed, err
		}
	}
	return e, hidden, nil
}

func compareDates(e expression.Comparer) (sql.Expression, bool, error) {
	return numberedDates(e, e.Children())
}

// compareOperands gives both sides of a comparison the type that they are compared as.
func compareOperands(e expression.Comparer) (sql.Expression, bool, error) {
	c := classOf(e.Left(), e.Right())
	if c == asTheyAre {
		return e, false, nil
	}
	return mapChildren(e, always(c.of))
}

// compareBetween is compareOperands for BETWEEN, whose three are compared alike.
func compareBetween(b *expression.Between) (sql.Expression, bool, error) {
	c := max(classOf(b.Lower, b.Val), classOf(b.Upper, b.Val), classOf(b.Val, b.Lower), classOf(b.Val, b.Upper))
	if c == asTheyAre {
		return b, false, nil
	}
	return mapChildren(b, always(c.of))
}

// compareRows writes a comparison of rows out as comparisons of their columns.
func compareRows(e expression.Comparer) (sql.Expression, bool, error) {
	l, ok := e.Left().(expression.Tuple)
	r, ok2 := e.Right().(expression.Tuple)
	if !ok || !ok2 || len(l) != len(r) {
		return e, false, nil
	}
	var build func(l, r sql.Expression) (sql.Expression, error)
	var strict func(l, r sql.Expression) (sql.Expression, error) // of columns but the last; nil: all must be alike
	less := func(l, r sql.Expression) (sql.Expression, error) { return compared(expression.NewLessThan(l, r)) }
	greater := func(l, r sql.Expression) (sql.Expression, error) { return compared(expression.NewGreaterThan(l, r)) }
	switch e.(type) {
	case *expression.Equals:
		build = equal
	case *expression.NullSafeEquals:
		build = func(l, r sql.Expression) (sql.Expression, error) {
			return compared(expression.NewNullSafeEquals(l, r))
		}
	case *expression.LessThan:
		build, strict = less, less
	case *expression.GreaterThan:
		build, strict = greater, greater
	case *expression.LessThanOrEqual:
		build, strict = func(l, r sql.Expression) (sql.Expression, error) {
			return compared(expression.NewLessThanOrEqual(l, r))
		}, less
	case *expression.GreaterThanOrEqual:
		build, strict = func(l, r sql.Expression) (sql.Expression, error) {
			return compared(expression.NewGreaterThanOrEqual(l, r))
		}, greater
	default:
		return e, false, nil
	}
	last := len(l) - 1
	out, err := build(l[last], r[last])
	for i := last - 1; i >= 0 && err == nil; i-- {
		var same sql.Expression
		if strict == nil {
			if same, err = build(l[i], r[i]); err == nil {
				out = expression.NewAnd(same, out)
			}
			continue
		}
		var before sql.Expression
		if same, err = equal(l[i], r[i]); err == nil {
			before, err = strict(l[i], r[i])
			out = expression.NewOr(before, expression.NewAnd(same, out))
		}
	}
	return out, true, err
}

// compared is a comparison of expressions that are repaired, repaired itself.
func compared(e sql.Expression) (sql.Expression, error) {
	out, _, err := temporal(e)
	return out, err
}

func equal(l, r sql.Expression) (sql.Expression, error) {
	return compared(expression.NewEquals(l, r))
}

// compareIn makes x IN (a, b) compare x with each as MySQL does.
func compareIn(in *expression.InTuple) (sql.Expression, bool, error) {
	list, ok := in.Right().(expression.Tuple)
	if !ok {
		return in, false, nil
	}
	left := in.Left()
	mixed, changed := false, false
	elements := make(expression.Tuple, len(list))
	for i, e := range list {
		if t, ok := scaled(e, left.Type()); ok {
			e, changed = t, true
		}
		elements[i] = e
		mixed = mixed || mixedPair(left, e)
	}
	switch {
	case mixed:
		return eachOf(left, elements)
	case changed:
		return expression.NewInTuple(left, elements), true, nil
	}
	return in, false, nil
}

func mixedPair(l, r sql.Expression) bool {
	a, ok := l.(expression.Tuple)
	b, ok2 := r.(expression.Tuple)
	if !ok || !ok2 || len(a) != len(b) {
		return max(classOf(l, r), classOf(r, l)) != asTheyAre
	}
	for i := range a {
		if mixedPair(a[i], b[i]) || a[i].IsNullable() || b[i].IsNullable() || bridge.IsTimespan(a[i].Type()) || bridge.IsTimespan(b[i].Type()) {
			return true // the host holds NULLs in rows equal
		}
	}
	return false
}

// eachOf is x = a OR x = b.
func eachOf(x sql.Expression, list []sql.Expression) (sql.Expression, bool, error) {
	var out sql.Expression
	for _, e := range list {
		one, err := equal(x, e)
		if err != nil {
			return nil, false, err
		}
		if out == nil {
			out = one
		} else {
			out = expression.NewOr(out, one)
		}
	}
	return out, true, nil
}

// scaled is a constant with the type of the decimal that it is compared with, where it
// has no more digits after the point.
func scaled(e sql.Expression, t sql.Type) (sql.Expression, bool) {
	lit, ok := e.(*expression.Literal)
	d, ok2 := t.(sql.DecimalType)
	if !ok || !ok2 || lit.Type().Equals(t) {
		return e, false
	}
	v, ok := lit.Value().(decimal.Decimal)
	if !ok || -v.Exponent() > int32(d.Scale()) {
		return e, false
	}
	if _, _, err := d.BoundsCheck(v); err != nil {
		return e, false
	}
	return expression.NewLiteral(v, t), true
}

// compareWithSubquery gives the column of a subquery, the right child of e, and what it
// is compared with one type, if the host would compare them wrongly.
func compareWithSubquery(e sql.Expression) (sql.Expression, bool, error) {
	left := e.Children()[0]
	sub, ok := e.Children()[1].(*hostplan.Subquery)
	if !ok || gmstypes.IsTuple(left.Type()) || len(sub.Query.Schema()) != 1 {
		return e, false, nil
	}
	c := max(classOf(left, sub), classOf(sub, left))
	if c == asTheyAre && gmstypes.IsInteger(sub.Type()) && gmstypes.IsDecimal(left.Type()) {
		c = asExact // the host would make an integer of the decimal
	}
	if c == asTheyAre {
		return e, false, nil
	}
	left = c.of(left)
	query, err := castResult(sub.Query, left.Type())
	if err != nil {
		return nil, false, err
	}
	out, err := e.WithChildren(left, sub.WithQuery(query))
	return out, true, err
}

// castResult makes the one column of a query one of type t, where its values are made:
// above it the host would look for its name among those of the outer query.
func castResult(n sql.Node, t sql.Type) (sql.Node, error) {
	switch x := n.(type) {
	case *hostplan.Project:
		e := x.Projections[0]
		a, ok := e.(*expression.Alias)
		if !ok {
			return hostplan.NewProject([]sql.Expression{expression.NewAlias(e.String(), newCast(e, t))}, x.Child), nil
		}
		out := expression.NewAlias(a.Name(), newCast(a.Child, t)).WithId(a.Id())
		return hostplan.NewProject([]sql.Expression{out.(sql.Expression)}, x.Child), nil
	case *hostplan.Limit, *hostplan.Offset, *hostplan.Distinct, *hostplan.Sort, *hostplan.SetOp:
		var children []sql.Node
		for _, c := range n.Children() {
			c, err := castResult(c, t)
			if err != nil {
				return nil, err
			}
			children = append(children, c)
		}
		return n.WithChildren(children...)
	}
	out, _ := castColumns(n, []sql.Type{t})
	return out, nil
}

// compareCase makes CASE x WHEN a compare x with each as MySQL does.
func compareCase(c *expression.Case) (*expression.Case, bool, error) {
	if c.Expr == nil {
		return c, false, nil
	}
	mixed := false
	for _, b := range c.Branches {
		mixed = mixed || mixedPair(c.Expr, b.Cond) || bridge.IsTimespan(b.Cond.Type()) || bridge.IsTimespan(c.Expr.Type())
	}
	if !mixed {
		return c, false, nil
	}
	branches := append([]expression.CaseBranch(nil), c.Branches...)
	for i, b := range branches {
		var err error
		if branches[i].Cond, err = equal(c.Expr, b.Cond); err != nil {
			return nil, false, err
		}
	}
	return expression.NewCase(nil, branches, c.Else), true, nil
}

// compareNullIf makes NULLIF compare as = does.
func compareNullIf(n *function.NullIf) (sql.Expression, bool, error) {
	l, r := n.LeftChild, n.RightChild
	if gmstypes.IsNull(l) || gmstypes.IsNull(r) {
		return n, false, nil
	}
	c, err := equal(l, r)
	if err != nil {
		return nil, false, err
	}
	return &nullIf{expression.BinaryExpressionStub{LeftChild: l, RightChild: c}}, true, nil
}

// nullIf is a value, or NULL where a condition, its right child, is true.
type nullIf struct {
	expression.BinaryExpressionStub
}

var _ sql.CollationCoercible = (*nullIf)(nil)

// Type implements sql.Expression.
func (n *nullIf) Type() sql.Type { return n.LeftChild.Type() }

// IsNullable implements sql.Expression.
func (n *nullIf) IsNullable() bool { return true }

// String implements sql.Expression.
func (n *nullIf) String() string { return fmt.Sprintf("nullif(%s,%s)", n.LeftChild, n.RightChild) }

// CollationCoercibility implements sql.CollationCoercible.
func (n *nullIf) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, n.LeftChild)
}

// Eval implements sql.Expression.
func (n *nullIf) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	is, err := sql.EvaluateCondition(ctx, n.RightChild, row)
	if err != nil || sql.IsTrue(is) {
		return nil, err
	}
	return n.LeftChild.Eval(ctx, row)
}

// WithChildren implements sql.Expression.
func (n *nullIf) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 2)
	}
	return &nullIf{expression.BinaryExpressionStub{LeftChild: children[0], RightChild: children[1]}}, nil
}
