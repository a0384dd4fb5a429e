package predicate

import (
	"slices"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Op is the operation of a node.
type Op uint8

// The operations. Those of two or more nodes use Children, all others Column and Type;
// Values has one value for the comparisons and the text operations, any number for IN
// and NOT IN, none for IS NULL.
const (
	OpAnd        Op = iota // all children; without any: true
	OpOr                   // any child; without any: false
	OpEq                   // column = value
	OpNotEq                // column <> value
	OpLt                   // column < value
	OpLe                   // column <= value
	OpGt                   // column > value
	OpGe                   // column >= value
	OpIn                   // column IN (values)
	OpNotIn                // column NOT IN (values)
	OpIsNull               // column IS NULL
	OpIsNotNull            // column IS NOT NULL
	OpStartsWith           // text begins with value
	OpEndsWith             // text ends with value
	OpContains             // text has value in it
	OpLike                 // text LIKE value, escaped by a backslash
)

// Node is a predicate. nil is true.
type Node struct {
	Op       Op
	Column   int        // index into the table's fields
	Type     types.Type // of the column; says how Values are held
	Values   []columnar.Value
	Children []*Node
}

// And is true where all nodes are. Those that are nil are left out.
func And(nodes ...*Node) *Node {
	var out []*Node
	for _, n := range nodes {
		switch {
		case n == nil:
		case n.Op == OpAnd:
			out = append(out, n.Children...)
		default:
			out = append(out, n)
		}
	}
	switch len(out) {
	case 0:
		return nil
	case 1:
		return out[0]
	}
	return &Node{Op: OpAnd, Children: out}
}

// Or is true where any node is. Or of nothing is False.
func Or(nodes ...*Node) *Node {
	var out []*Node
	for _, n := range nodes {
		switch {
		case n == nil:
			return nil
		case n.Op == OpOr:
			out = append(out, n.Children...)
		default:
			out = append(out, n)
		}
	}
	if len(out) == 1 {
		return out[0]
	}
	return &Node{Op: OpOr, Children: out}
}

// False is true for no row.
func False() *Node { return &Node{Op: OpOr} }

// Compare is a node of one column and one value: OpEq to OpGe, OpStartsWith to OpLike.
func Compare(op Op, column int, t types.Type, v columnar.Value) *Node {
	return &Node{Op: op, Column: column, Type: t, Values: []columnar.Value{v}}
}

// Eq is column = v.
func Eq(column int, t types.Type, v columnar.Value) *Node { return Compare(OpEq, column, t, v) }

// NotEq is column <> v.
func NotEq(column int, t types.Type, v columnar.Value) *Node { return Compare(OpNotEq, column, t, v) }

// Lt is column < v.
func Lt(column int, t types.Type, v columnar.Value) *Node { return Compare(OpLt, column, t, v) }

// Le is column <= v.
func Le(column int, t types.Type, v columnar.Value) *Node { return Compare(OpLe, column, t, v) }

// Gt is column > v.
func Gt(column int, t types.Type, v columnar.Value) *Node { return Compare(OpGt, column, t, v) }

// Ge is column >= v.
func Ge(column int, t types.Type, v columnar.Value) *Node { return Compare(OpGe, column, t, v) }

// Between is low <= column and column <= high.
func Between(column int, t types.Type, low, high columnar.Value) *Node {
	return And(Ge(column, t, low), Le(column, t, high))
}

// In is column IN (vals). It keeps vals.
func In(column int, t types.Type, vals ...columnar.Value) *Node {
	return &Node{Op: OpIn, Column: column, Type: t, Values: vals}
}

// NotIn is column NOT IN (vals). It keeps vals.
func NotIn(column int, t types.Type, vals ...columnar.Value) *Node {
	return &Node{Op: OpNotIn, Column: column, Type: t, Values: vals}
}

// IsNull is column IS NULL.
func IsNull(column int, t types.Type) *Node { return &Node{Op: OpIsNull, Column: column, Type: t} }

// IsNotNull is column IS NOT NULL.
func IsNotNull(column int, t types.Type) *Node {
	return &Node{Op: OpIsNotNull, Column: column, Type: t}
}

// StartsWith takes values of layout Str that begin with s.
func StartsWith(column int, t types.Type, s string) *Node {
	return Compare(OpStartsWith, column, t, columnar.StringValue(s))
}

// EndsWith takes values of layout Str that end with s.
func EndsWith(column int, t types.Type, s string) *Node {
	return Compare(OpEndsWith, column, t, columnar.StringValue(s))
}

// Contains takes values of layout Str that have s in them.
func Contains(column int, t types.Type, s string) *Node {
	return Compare(OpContains, column, t, columnar.StringValue(s))
}

// Like takes values of layout Str that match an SQL pattern: % is any text, _ one
// character (one byte of a binary column), a backslash takes the next character as it
// is. Letters match in their case only.
func Like(column int, t types.Type, pattern string) *Node {
	return Compare(OpLike, column, t, columnar.StringValue(pattern))
}

// Conjuncts are the nodes that AND joins at the top; none for nil.
func (n *Node) Conjuncts() []*Node {
	switch {
	case n == nil:
		return nil
	case n.Op == OpAnd:
		return n.Children
	}
	return []*Node{n}
}

// leaf reports whether the node looks at a column.
func (n *Node) leaf() bool { return n.Op != OpAnd && n.Op != OpOr }

// walk calls fn for every leaf.
func (n *Node) walk(fn func(*Node)) {
	switch {
	case n == nil:
	case n.leaf():
		fn(n)
	default:
		for _, c := range n.Children {
			c.walk(fn)
		}
	}
}

// Remap renames the columns by f. Leaves whose column has no new name are dropped
// where that makes the predicate only weaker, so that the result is true wherever the
// predicate is; at worst it is nil. exact tells that nothing was dropped.
func (n *Node) Remap(f func(column int) (int, bool)) (out *Node, exact bool) {
	if n == nil {
		return nil, true
	}
	if n.leaf() {
		to, ok := f(n.Column)
		if !ok {
			return nil, false
		}
		if to == n.Column {
			return n, true
		}
		c := *n
		c.Column = to
		return &c, true
	}
	children := make([]*Node, len(n.Children))
	exact = true
	for i, c := range n.Children {
		got, ok := c.Remap(f)
		children[i], exact = got, exact && ok
	}
	if n.Op == OpAnd {
		return And(children...), exact
	}
	return Or(children...), exact
}

// OnlyColumns is the part of the predicate that looks at those columns only. It is true
// wherever the predicate is, and nil when there is no such part.
func (n *Node) OnlyColumns(columns []int) *Node {
	out, _ := n.Remap(func(c int) (int, bool) { return c, slices.Contains(columns, c) })
	return out
}

// negated is the operation that is true where op is false.
func negated(op Op) (Op, bool) {
	switch op {
	case OpEq, OpLt, OpGt, OpIn, OpIsNull:
		return [...]Op{OpEq: OpNotEq, OpLt: OpGe, OpGt: OpLe, OpIn: OpNotIn, OpIsNull: OpIsNotNull}[op], true
	case OpNotEq, OpGe, OpLe, OpNotIn, OpIsNotNull:
		return [...]Op{OpNotEq: OpEq, OpGe: OpLt, OpLe: OpGt, OpNotIn: OpIn, OpIsNotNull: OpIsNull}[op], true
	}
	return op, false
}

// Negate is NOT n: true where n is false, not where it is unknown. ok is false when
// there is no node for it, as for LIKE. The negation of nil is False.
func (n *Node) Negate() (out *Node, ok bool) {
	if n == nil {
		return False(), true
	}
	if n.leaf() {
		op, ok := negated(n.Op)
		if !ok {
			return nil, false
		}
		c := *n
		c.Op = op
		return &c, true
	}
	children := make([]*Node, len(n.Children))
	for i, c := range n.Children {
		if children[i], ok = c.Negate(); !ok {
			return nil, false
		}
	}
	if n.Op == OpAnd {
		return Or(children...), true
	}
	return And(children...), true
}

// compare orders two values that are not null as predicates do: see rule 2.
func compare(layout columnar.Layout, t types.Type, a, b columnar.Value) int {
	if (layout == columnar.F64 || layout == columnar.F32) && a.F == b.F {
		return 0
	}
	return columnar.Compare(t, a, b)
}
