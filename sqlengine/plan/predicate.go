package plan

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/types"
)

// predicateOf turns a host condition over rows into a predicate over their
// columns, whose storage types are ts. exact says that the predicate is true for exactly the rows for
// which the condition is; else it is true for all of those and perhaps others
// (nil: for all rows), and only prunes.
func predicateOf(ctx *sql.Context, e sql.Expression, ts []types.Type) (p *predicate.Node, exact bool) {
	c := conditions{ctx: ctx, types: ts}
	return c.node(e)
}

type conditions struct {
	ctx   *sql.Context
	types []types.Type
	// unknown: a NULL in the condition was taken for false, which its negation must not be
	unknown bool
}

func (c *conditions) node(e sql.Expression) (*predicate.Node, bool) {
	switch e := e.(type) {
	case *expression.And:
		l, lx := c.node(e.LeftChild)
		r, rx := c.node(e.RightChild)
		return predicate.And(l, r), lx && rx
	case *expression.Or:
		l, lx := c.node(e.LeftChild)
		r, rx := c.node(e.RightChild)
		if l == nil || r == nil {
			return nil, false
		}
		return predicate.Or(l, r), lx && rx
	case *expression.Equals:
		return c.compare(predicate.OpEq, e.Left(), e.Right())
	case *expression.GreaterThan:
		return c.compare(predicate.OpGt, e.Left(), e.Right())
	case *expression.GreaterThanOrEqual:
		return c.compare(predicate.OpGe, e.Left(), e.Right())
	case *expression.LessThan:
		return c.compare(predicate.OpLt, e.Left(), e.Right())
	case *expression.LessThanOrEqual:
		return c.compare(predicate.OpLe, e.Left(), e.Right())
	case *expression.Between:
		l, lx := c.compare(predicate.OpGe, e.Val, e.Lower)
		r, rx := c.compare(predicate.OpLe, e.Val, e.Upper)
		return predicate.And(l, r), lx && rx
	case *expression.IsNull:
		if i, t, ok := c.column(e.Child); ok {
			return predicate.IsNull(i, t), exactNulls(t)
		}
	case *expression.InTuple:
		return c.in(e.Left(), e.Right())
	case *expression.HashInTuple:
		return c.in(e.Left(), e.Right())
	case *expression.Like:
		return c.like(e)
	case *expression.Not:
		return c.not(e.Child)
	}
	return nil, false
}

// exactNulls reports whether SQL sees a null exactly where the column has one.
func exactNulls(t types.Type) bool { return t.Kind != types.Float && t.Kind != types.Double }

// not negates a condition that is exact: it is true where that is false.
func (c *conditions) not(e sql.Expression) (*predicate.Node, bool) {
	if n, ok := e.(*expression.IsNull); ok {
		if i, t, ok := c.column(n.Child); ok {
			return predicate.IsNotNull(i, t), exactNulls(t)
		}
	}
	inner := conditions{ctx: c.ctx, types: c.types}
	p, exact := inner.node(e)
	if !exact || inner.unknown {
		return nil, false
	}
	if p, exact = p.Negate(); !exact {
		return nil, false
	}
	return p, true
}

// like takes patterns for texts, which compare by bytes unless a COLLATE says otherwise.
func (c *conditions) like(e *expression.Like) (*predicate.Node, bool) {
	i, t, ok := c.column(e.LeftChild)
	pattern, escape, known := likePattern(e.RightChild, e.Escape)
	if !ok || !known || !t.Text() {
		return nil, false
	}
	return predicate.Like(i, t, escapeByBackslash(pattern, escape)), true
}

// column is a column whose values predicates can hold.
func (c *conditions) column(e sql.Expression) (int, types.Type, bool) {
	f, ok := e.(*expression.GetField)
	if !ok || f.Index() >= len(c.types) {
		return 0, types.Type{}, false
	}
	t := c.types[f.Index()]
	return f.Index(), t, !t.Nested()
}

func (c *conditions) compare(op predicate.Op, l, r sql.Expression) (*predicate.Node, bool) {
	if i, t, ok := c.column(l); ok {
		return c.literal(op, i, t, r)
	}
	if i, t, ok := c.column(r); ok {
		return c.literal(flip(op), i, t, l)
	}
	return nil, false
}

func flip(op predicate.Op) predicate.Op {
	switch op {
	case predicate.OpLt:
		return predicate.OpGt
	case predicate.OpLe:
		return predicate.OpGe
	case predicate.OpGt:
		return predicate.OpLt
	case predicate.OpGe:
		return predicate.OpLe
	}
	return op
}

// literal compares a column with a constant.
func (c *conditions) literal(op predicate.Op, col int, t types.Type, e sql.Expression) (*predicate.Node, bool) {
	v, ok := c.constant(e, t)
	if !ok {
		return nil, false
	}
	if v.Null {
		c.unknown = true
		return predicate.False(), true // a comparison with NULL is never true
	}
	return predicate.Compare(op, col, t, v), true
}

func (c *conditions) in(l, r sql.Expression) (*predicate.Node, bool) {
	col, t, ok := c.column(l)
	tuple, isTuple := r.(expression.Tuple)
	if !ok || !isTuple {
		return nil, false
	}
	var vals []columnar.Value
	for _, e := range tuple {
		v, ok := c.constant(e, t)
		if !ok {
			return nil, false
		}
		if v.Null {
			c.unknown = true
			continue
		}
		vals = append(vals, v)
	}
	if len(vals) == 0 {
		return predicate.False(), true
	}
	return predicate.In(col, t, vals...), true
}

// constant is a literal as a value of the column's type; ok is false when it is
// no literal or when comparing in the column's type would differ from comparing
// as MySQL does.
func (c *conditions) constant(e sql.Expression, t types.Type) (columnar.Value, bool) {
	lit, ok := e.(*expression.Literal)
	if !ok {
		return columnar.Value{}, false
	}
	x := lit.Value()
	if x == nil {
		return columnar.NullValue, true
	}
	return bridge.ExactValue(t, x, bridge.Location(c.ctx))
}
