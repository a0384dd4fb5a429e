package predicate

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/lakesql/lakesql/storage/columnar"
)

// check is a node made ready. What a leaf tests depends on its layout: integers lie
// between low and high, or are in a list; text and the rest have their own ways.
type check struct {
	node     *Node
	layout   columnar.Layout
	children []*check
	left, in []uint64 // scratch of OR: slots to decide, slots for a child
	entries  []uint64 // scratch: result per entry of a dictionary

	never  bool // true for no slot
	slow   bool // floats: go value by value
	negate bool // true where the test is not
	low    int64
	high   int64
	ints   *intTable // nil: test low and high

	lit  []byte          // text to compare with
	head uint64          // its first 8 bytes
	set  map[string]bool // IN of text
	like *pattern
	vals []columnar.Value // IN of the rest: no nulls
}

func newCheck(n *Node) *check {
	c := &check{node: n}
	if !n.leaf() {
		for _, child := range n.Children {
			c.children = append(c.children, newCheck(child))
		}
		return c
	}
	if n.Op == OpIsNull || n.Op == OpIsNotNull {
		return c
	}
	c.layout = columnar.LayoutOf(n.Type)
	c.never = n.unsatisfiable()
	if c.never {
		return c
	}
	for _, v := range n.Values {
		if !v.Null {
			c.vals = append(c.vals, v)
		}
	}
	switch c.layout {
	case columnar.I32, columnar.I64:
		c.prepareInts()
	case columnar.F32, columnar.F64:
		c.slow = n.Op == OpIn || n.Op == OpNotIn || n.Values[0].F != n.Values[0].F
	case columnar.Str:
		c.prepareText()
	}
	return c
}

// unsatisfiable reports whether the values alone make a leaf true for no row: a
// comparison with null, IN of nothing, NOT IN with a null.
func (n *Node) unsatisfiable() bool {
	nulls := 0
	for i := range n.Values {
		if n.Values[i].Null {
			nulls++
		}
	}
	switch n.Op {
	case OpIn:
		return nulls == len(n.Values)
	case OpNotIn:
		return nulls > 0
	}
	return nulls > 0
}

func (c *check) prepareInts() {
	v := int64(0)
	if len(c.vals) > 0 {
		v = c.vals[0].I
	}
	c.low, c.high = math.MinInt64, math.MaxInt64
	switch c.node.Op {
	case OpEq:
		c.low, c.high = v, v
	case OpNotEq:
		c.low, c.high, c.negate = v, v, true
	case OpLe:
		c.high = v
	case OpGt:
		c.high, c.negate = v, true
	case OpGe:
		c.low = v
	case OpLt:
		c.low, c.negate = v, true
	case OpIn, OpNotIn:
		c.negate = c.node.Op == OpNotIn
		if len(c.vals) == 0 { // NOT IN (): all
			c.negate = false
			return
		}
		list := make([]int64, len(c.vals))
		for i, x := range c.vals {
			list[i] = x.I
		}
		slices.Sort(list)
		list = slices.Compact(list)
		if n := len(list); list[n-1]-list[0] == int64(n-1) { // a range without gaps
			c.low, c.high = list[0], list[n-1]
		} else {
			c.ints = newIntTable(list)
		}
	}
}

func (c *check) prepareText() {
	switch c.node.Op {
	case OpIn, OpNotIn:
		c.negate = c.node.Op == OpNotIn
		c.set = make(map[string]bool, len(c.vals))
		for _, v := range c.vals {
			c.set[v.S] = true
		}
	case OpLike:
		c.like = parseLike(c.node.Values[0].S, c.node.Type.Text())
	default:
		c.lit = []byte(c.node.Values[0].S)
		c.head = columnar.Head(c.lit, 0, len(c.lit))
	}
}

// text is test for layout Str.
func (c *check) text(v *columnar.Vector, mask []uint64) {
	at := func(i int) []byte { return v.Data[v.Off[i]:v.Off[i+1]] }
	switch c.node.Op {
	case OpIn, OpNotIn:
		c.each(mask, func(i int) bool { return c.set[string(at(i))] != c.negate })
	case OpLike:
		c.each(mask, func(i int) bool { return c.like.match(at(i)) })
	case OpStartsWith:
		c.each(mask, func(i int) bool { return bytes.HasPrefix(at(i), c.lit) })
	case OpEndsWith:
		c.each(mask, func(i int) bool { return bytes.HasSuffix(at(i), c.lit) })
	case OpContains:
		c.each(mask, func(i int) bool { return bytes.Contains(at(i), c.lit) })
	case OpEq, OpNotEq:
		c.textEqual(v, mask)
	default:
		less, equal := c.node.Op == OpLt || c.node.Op == OpLe, c.node.Op == OpLe || c.node.Op == OpGe
		c.each(mask, func(i int) bool {
			h := columnar.Head(v.Data, int(v.Off[i]), int(v.Off[i+1]))
			if h != c.head {
				return (h < c.head) == less
			}
			o := bytes.Compare(at(i), c.lit)
			if o == 0 {
				return equal
			}
			return (o < 0) == less
		})
	}
}

// textEqual finds the texts that have the literal's length and head, and compares those.
func (c *check) textEqual(v *columnar.Vector, mask []uint64) {
	n := len(c.lit)
	for w, m := range mask {
		if m == 0 {
			continue
		}
		off := v.Off[w*64 : min(w*64+65, len(v.Off))]
		var same uint64
		from := int(off[0])
		for k, to := range off[1:] {
			if int(to)-from == n && columnar.Head(v.Data, from, int(to)) == c.head {
				same |= 1 << (k & 63)
			}
			from = int(to)
		}
		same &= m
		if n > 8 {
			for r := same; r != 0; r &= r - 1 {
				k := bits.TrailingZeros64(r)
				if !bytes.Equal(v.Data[off[k]:off[k+1]], c.lit) {
					same &^= 1 << k
				}
			}
		}
		if c.node.Op == OpNotEq {
			same = m &^ same
		}
		mask[w] = same
	}
}

// value is whether the leaf is true for a value that is not null, for the comparisons
// and IN.
func (c *check) value(x columnar.Value) bool {
	t := c.node.Type
	switch c.node.Op {
	case OpIn, OpNotIn:
		for i := range c.vals {
			if !c.vals[i].Null && compare(c.layout, t, x, c.vals[i]) == 0 {
				return c.node.Op == OpIn
			}
		}
		return c.node.Op == OpNotIn
	}
	return holds(c.node.Op, compare(c.layout, t, x, c.vals[0]))
}

// holds reports whether an order between value and literal satisfies the operation.
func holds(op Op, order int) bool {
	switch op {
	case OpEq:
		return order == 0
	case OpNotEq:
		return order != 0
	case OpLt:
		return order < 0
	case OpLe:
		return order <= 0
	case OpGt:
		return order > 0
	}
	return order >= 0
}

// Matches reports whether the predicate is true for one row, whose columns value gives.
// Of a column of a nested type only Null is looked at. It prepares nothing and is for
// few rows, such as the values of a partition.
func (n *Node) Matches(value func(column int) columnar.Value) bool {
	switch {
	case n == nil:
		return true
	case n.Op == OpAnd:
		return !slices.ContainsFunc(n.Children, func(c *Node) bool { return !c.Matches(value) })
	case n.Op == OpOr:
		return slices.ContainsFunc(n.Children, func(c *Node) bool { return c.Matches(value) })
	}
	x := value(n.Column)
	switch n.Op {
	case OpIsNull:
		return x.Null
	case OpIsNotNull:
		return !x.Null
	}
	if x.Null || n.unsatisfiable() {
		return false
	}
	switch n.Op {
	case OpStartsWith:
		return strings.HasPrefix(x.S, n.Values[0].S)
	case OpEndsWith:
		return strings.HasSuffix(x.S, n.Values[0].S)
	case OpContains:
		return strings.Contains(x.S, n.Values[0].S)
	case OpLike:
		return parseLike(n.Values[0].S, n.Type.Text()).match([]byte(x.S))
	}
	c := check{node: n, layout: columnar.LayoutOf(n.Type), vals: n.Values}
	return c.value(x)
}
