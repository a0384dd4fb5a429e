package funcs

import (
	"errors"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
)

// quantifier is the right side of a comparison with ANY or ALL of a subquery, until
// Quantify puts the two together.
type quantifier struct {
	expression.UnaryExpression
	all bool
}

func quantifierFunction(name string) sql.Function {
	return sql.Function1{Name: name, Fn: func(e sql.Expression) sql.Expression {
		return &quantifier{expression.UnaryExpression{Child: e}, name == dialect.AllFunc}
	}}
}

// Type implements sql.Expression.
func (q *quantifier) Type() sql.Type { return q.Child.Type() }

// String implements sql.Expression.
func (q *quantifier) String() string {
	if q.all {
		return "ALL " + q.Child.String()
	}
	return "ANY " + q.Child.String()
}

// WithChildren implements sql.Expression.
func (q *quantifier) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(q, len(children), 1)
	}
	return &quantifier{expression.UnaryExpression{Child: children[0]}, q.all}, nil
}

// Eval implements sql.Expression.
func (q *quantifier) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, errors.New("internal error: ANY or ALL outside of a comparison")
}

// quantified is a comparison with each row of a subquery: true if it is for all rows,
// or for any, and NULL if that depends on a NULL.
type quantified struct {
	compare func(l, r sql.Expression) sql.Expression
	op      string
	all     bool
	left    sql.Expression
	sub     *hostplan.Subquery
}

var _ sql.CollationCoercible = (*quantified)(nil)

// Quantify is the comparison e with a quantifier as one expression; ok is false for
// others.
func Quantify(e expression.Comparer) (out sql.Expression, ok bool, err error) {
	q, ok := e.Right().(*quantifier)
	if !ok {
		return nil, false, nil
	}
	sub, ok := q.Child.(*hostplan.Subquery)
	if !ok || len(sub.Query.Schema()) != 1 {
		return nil, false, bridge.Errorf(bridge.CodeOperandColumns, "Operand should contain 1 column(s)")
	}
	c := &quantified{all: q.all, left: e.Left(), sub: sub}
	switch e.(type) {
	case *expression.Equals:
		c.op, c.compare = "=", equals
	case *expression.GreaterThan:
		c.op, c.compare = ">", func(l, r sql.Expression) sql.Expression { return expression.NewGreaterThan(l, r) }
	case *expression.GreaterThanOrEqual:
		c.op, c.compare = ">=", func(l, r sql.Expression) sql.Expression { return expression.NewGreaterThanOrEqual(l, r) }
	case *expression.LessThan:
		c.op, c.compare = "<", func(l, r sql.Expression) sql.Expression { return expression.NewLessThan(l, r) }
	case *expression.LessThanOrEqual:
		c.op, c.compare = "<=", func(l, r sql.Expression) sql.Expression { return expression.NewLessThanOrEqual(l, r) }
	default:
		return nil, false, fmt.Errorf("internal error: %T with ANY or ALL", e)
	}
	return c, true, nil
}

// EqualsAny is left = ANY (sub), for a subquery of one column.
func EqualsAny(left sql.Expression, sub *hostplan.Subquery) sql.Expression {
	return &quantified{op: "=", compare: equals, left: left, sub: sub}
}

func equals(l, r sql.Expression) sql.Expression { return expression.NewEquals(l, r) }

// Type implements sql.Expression.
func (c *quantified) Type() sql.Type { return gmstypes.Boolean }

// IsNullable implements sql.Expression.
func (c *quantified) IsNullable() bool { return true }

// Resolved implements sql.Expression.
func (c *quantified) Resolved() bool { return c.left.Resolved() && c.sub.Resolved() }

// String implements sql.Expression.
func (c *quantified) String() string {
	word := "ANY"
	if c.all {
		word = "ALL"
	}
	return fmt.Sprintf("(%s %s %s %s)", c.left, c.op, word, c.sub)
}

// CollationCoercibility implements sql.CollationCoercible.
func (c *quantified) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// Children implements sql.Expression.
func (c *quantified) Children() []sql.Expression { return []sql.Expression{c.left, c.sub} }

// WithChildren implements sql.Expression.
func (c *quantified) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 2)
	}
	out := *c
	sub, ok := children[1].(*hostplan.Subquery)
	if !ok {
		return nil, fmt.Errorf("internal error: %T in place of a subquery", children[1])
	}
	out.left, out.sub = children[0], sub
	return &out, nil
}

// Eval implements sql.Expression.
func (c *quantified) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	l, err := c.left.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	values, err := c.sub.EvalMultiple(ctx, row)
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return c.all, nil
	}
	if l == nil {
		return nil, nil
	}
	r := &slot{Literal: expression.NewLiteral(nil, c.sub.Type())}
	left, right := sql.Expression(expression.NewLiteral(l, c.left.Type())), sql.Expression(r)
	if bridge.IsTimespan(left.Type()) != bridge.IsTimespan(right.Type()) {
		left, right = Time(left, expr.MaxFraction), Time(right, expr.MaxFraction)
	}
	compare := c.compare(left, right)
	null := false
	for _, v := range values {
		r.value = v
		v, err := compare.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		is, known := v.(bool)
		switch {
		case !known:
			null = true
		case is != c.all:
			return !c.all, nil
		}
	}
	if null {
		return nil, nil
	}
	return c.all, nil
}

// slot is a literal whose value changes.
type slot struct {
	*expression.Literal
	value any
}

// Eval implements sql.Expression.
func (s *slot) Eval(*sql.Context, sql.Row) (any, error) { return s.value, nil }
