package plan

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/types"
)

// probe is what conditions over an outer row and the rows of an inner input say
// about those inner rows for which they can be true. It only prunes: whoever asks
// evaluates the conditions afterwards.
type probe struct {
	fixed *predicate.Node // exact, and the same for all outer rows; over the input's columns
	keys  []probeKey
	bound []*boundNode // predicates with values of the outer row

	byKeys, where []string // the conditions of keys and bound
}

// probeKey is an equality: inner over the input's row, outer over the outer one.
type probeKey struct {
	inner, outer sql.Expression
	class        joinClass
	nulls        bool // NULL is equal to NULL
	scope        int
}

// outerScope says of conditions which columns they see.
type outerScope struct {
	base   int  // columns from base on are the input's
	scope  int  // which of the outer rows they see, see prober.rows
	strict bool // a condition that is NULL is not as one that is false
}

// add takes in a condition. ts are the types of the input's columns, nil where
// they are unknown.
func (p *probe) add(ctx *sql.Context, cond sql.Expression, ts []types.Type, s outerScope) {
	conds := expression.SplitConjunction(cond)
	for _, e := range conds {
		if volatile(e) { // how often it is evaluated may be seen
			return
		}
	}
	for _, e := range conds {
		h, ok := e.(*holds)
		if ok {
			for _, e := range expression.SplitConjunction(h.Child) {
				p.addConjunct(ctx, e, ts, s)
			}
		} else if !s.strict {
			p.addConjunct(ctx, e, ts, s)
		}
	}
}

func (p *probe) addConjunct(ctx *sql.Context, e sql.Expression, ts []types.Type, s outerScope) {
	inner, outer := s.sides(e)
	switch {
	case inner && !outer:
		if pred, exact := predicateOf(ctx, s.shift(e), ts); exact {
			p.fixed = predicate.And(p.fixed, pred)
		}
		return
	case !inner:
		return
	}
	k, isKey := s.key(e)
	if isKey {
		p.keys = append(p.keys, k)
	}
	b := s.bind(ctx, e, ts)
	if b != nil {
		p.bound = append(p.bound, b)
	}
	switch {
	case isKey:
		p.byKeys = append(p.byKeys, e.String())
	case b != nil:
		p.where = append(p.where, e.String())
	}
}

// String says how rows are found, for EXPLAIN.
func (p *probe) String() string {
	switch {
	case len(p.keys) > 0:
		return " by " + strings.Join(p.byKeys, " AND ")
	case len(p.where) > 0:
		return " where " + strings.Join(p.where, " AND ")
	}
	return ""
}

// predicate is true for all rows for which the conditions are, given the outer rows.
func (p *probe) predicate(ctx *sql.Context, outer [scopes]sql.Row) (*predicate.Node, error) {
	var all *predicate.Node
	for _, n := range p.bound {
		q, err := n.predicate(ctx, outer)
		if err != nil {
			return nil, err
		}
		all = predicate.And(all, q)
	}
	return all, nil
}

// sides tells whose columns an expression names. A subquery may name any.
func (s outerScope) sides(e sql.Expression) (inner, outer bool) {
	sql.Inspect(e, func(e sql.Expression) bool {
		switch x := e.(type) {
		case *expression.GetField:
			if x.Index() >= s.base {
				inner = true
			} else {
				outer = true
			}
		case *hostplan.Subquery:
			inner, outer = true, true
		}
		return true
	})
	return inner, outer
}

// shift makes an expression over the input's row of one over both rows.
func (s outerScope) shift(e sql.Expression) sql.Expression {
	if s.base == 0 {
		return e
	}
	out, _, err := transform.Expr(e, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if f, ok := e.(*expression.GetField); ok {
			return f.WithIndex(f.Index() - s.base), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
	if err != nil {
		return e
	}
	return out
}

// key is the equality of an expression over the inner row and one over the outer.
func (s outerScope) key(e sql.Expression) (k probeKey, ok bool) {
	var l, r sql.Expression
	switch x := e.(type) {
	case *expression.Equals:
		l, r = x.Left(), x.Right()
	case *expression.NullSafeEquals:
		l, r, k.nulls = x.Left(), x.Right(), true
	default:
		return k, false
	}
	if inner, outer := s.sides(l); inner || !outer {
		l, r = r, l
	}
	li, lo := s.sides(l)
	ri, ro := s.sides(r)
	k.outer, k.inner, k.class, k.scope = l, s.shift(r), joinClassOf(l.Type(), r.Type()), s.scope
	return k, lo && !li && ri && !ro && k.class != noJoinClass
}

// boundNode is a predicate once the values of the outer row are known.
type boundNode struct {
	op    predicate.Op // OpAnd and OpOr: of children
	list  []*boundNode
	fixed *predicate.Node // the same for all outer rows

	col   int // compared with outer
	typ   types.Type
	outer sql.Expression
	scope int
}

// bind prepares a condition; nil when it says nothing about the inner row alone.
func (s outerScope) bind(ctx *sql.Context, e sql.Expression, ts []types.Type) *boundNode {
	if inner, outer := s.sides(e); !outer {
		if pred, _ := predicateOf(ctx, s.shift(e), ts); inner && pred != nil {
			return &boundNode{fixed: pred}
		}
		return nil
	}
	switch e := e.(type) {
	case *expression.And:
		return both(s.bind(ctx, e.LeftChild, ts), s.bind(ctx, e.RightChild, ts))
	case *expression.Or:
		l, r := s.bind(ctx, e.LeftChild, ts), s.bind(ctx, e.RightChild, ts)
		if l == nil || r == nil {
			return nil
		}
		return &boundNode{op: predicate.OpOr, list: []*boundNode{l, r}}
	case *expression.Equals:
		return s.bindCompare(predicate.OpEq, e.Left(), e.Right(), ts)
	case *expression.GreaterThan:
		return s.bindCompare(predicate.OpGt, e.Left(), e.Right(), ts)
	case *expression.GreaterThanOrEqual:
		return s.bindCompare(predicate.OpGe, e.Left(), e.Right(), ts)
	case *expression.LessThan:
		return s.bindCompare(predicate.OpLt, e.Left(), e.Right(), ts)
	case *expression.LessThanOrEqual:
		return s.bindCompare(predicate.OpLe, e.Left(), e.Right(), ts)
	case *expression.Between:
		return both(s.bindCompare(predicate.OpGe, e.Val, e.Lower, ts), s.bindCompare(predicate.OpLe, e.Val, e.Upper, ts))
	}
	return nil
}

func both(l, r *boundNode) *boundNode {
	switch {
	case l == nil:
		return r
	case r == nil:
		return l
	}
	return &boundNode{op: predicate.OpAnd, list: []*boundNode{l, r}}
}

// bindCompare prepares a comparison of a column with an expression over the outer row.
func (s outerScope) bindCompare(op predicate.Op, l, r sql.Expression, ts []types.Type) *boundNode {
	if f, ok := l.(*expression.GetField); !ok || f.Index() < s.base {
		l, r, op = r, l, flip(op)
	}
	f, ok := l.(*expression.GetField)
	if !ok || f.Index() < s.base || f.Index()-s.base >= len(ts) {
		return nil
	}
	if inner, _ := s.sides(r); inner || joinClassOf(l.Type(), r.Type()) == noJoinClass {
		return nil
	}
	t := ts[f.Index()-s.base]
	if t.Nested() || t.Kind == types.TimestampLTZ { // whose clock goes back once a year
		return nil
	}
	return &boundNode{op: op, col: f.Index() - s.base, typ: t, outer: r, scope: s.scope}
}

// predicate is the node with the values of the outer rows; nil is true for all rows.
func (n *boundNode) predicate(ctx *sql.Context, outer [scopes]sql.Row) (*predicate.Node, error) {
	switch {
	case n.fixed != nil:
		return n.fixed, nil
	case n.op == predicate.OpAnd || n.op == predicate.OpOr:
		list := make([]*predicate.Node, len(n.list))
		for i, c := range n.list {
			p, err := c.predicate(ctx, outer)
			if err != nil {
				return nil, err
			}
			if p == nil && n.op == predicate.OpOr {
				return nil, nil
			}
			list[i] = p
		}
		if n.op == predicate.OpOr {
			return predicate.Or(list...), nil
		}
		return predicate.And(list...), nil
	}
	x, err := n.outer.Eval(ctx, outer[n.scope])
	if err != nil {
		return nil, err
	}
	if x, err = sql.UnwrapAny(ctx, x); err != nil {
		return nil, err
	}
	if x == nil {
		return predicate.False(), nil
	}
	v, ok := bridge.ExactValue(n.typ, x, bridge.Location(ctx))
	if !ok {
		return nil, nil
	}
	return predicate.Compare(n.op, n.col, n.typ, v), nil
}

// volatile reports whether an expression may have another value, or effect, each
// time that it is evaluated within a statement.
func volatile(e sql.Expression) bool {
	found := false
	sql.Inspect(e, func(e sql.Expression) bool {
		switch x := e.(type) {
		case *expression.UserVar, *function.Sleep:
			found = true
		case *hostplan.Subquery:
			found = found || x.Volatile()
		case *function.Now, *function.CurrDate, *function.CurrTime, function.ConnectionID, function.User, *function.Database, function.Version:
		case sql.NonDeterministicExpression:
			found = found || x.IsNonDeterministic()
		}
		return !found
	})
	return found
}

// holds is a condition that is false where its child is NULL.
type holds struct{ expression.UnaryExpression }

var _ sql.CollationCoercible = (*holds)(nil)

// Type implements sql.Expression.
func (h *holds) Type() sql.Type { return h.Child.Type() }

// String implements sql.Expression.
func (h *holds) String() string { return h.Child.String() }

// CollationCoercibility implements sql.CollationCoercible.
func (h *holds) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, h.Child)
}

// WithChildren implements sql.Expression.
func (h *holds) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(h, len(children), 1)
	}
	return &holds{expression.UnaryExpression{Child: children[0]}}, nil
}

// Eval implements sql.Expression.
func (h *holds) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := sql.EvaluateCondition(ctx, h.Child, row)
	if err != nil {
		return nil, err
	}
	return sql.IsTrue(v), nil
}
