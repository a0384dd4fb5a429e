package predicate

import (
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/stats"
)

// MayMatch is false only if no row of a block can match. col gives the statistics of a
// column of the block, ok false when there are none; rows is the number of rows in the
// block, -1 if it is not known.
func (n *Node) MayMatch(col func(column int) (stats.Column, bool), rows int64) bool {
	switch {
	case n == nil:
		return true
	case n.Op == OpAnd:
		for _, c := range n.Children {
			if !c.MayMatch(col, rows) {
				return false
			}
		}
		return true
	case n.Op == OpOr:
		for _, c := range n.Children {
			if c.MayMatch(col, rows) {
				return true
			}
		}
		return false
	}
	c, ok := col(n.Column)
	if !ok {
		c = stats.Column{Nulls: stats.Unknown}
	}
	return n.leafMayMatch(&c, rows)
}

func (n *Node) leafMayMatch(c *stats.Column, rows int64) bool {
	allNull := c.Nulls != stats.Unknown && rows >= 0 && c.Nulls >= rows
	switch n.Op {
	case OpIsNull:
		return c.Nulls == stats.Unknown || c.Nulls > 0
	case OpIsNotNull:
		return !allNull
	}
	if allNull {
		return false
	}
	layout := columnar.LayoutOf(n.Type)
	switch n.Op {
	case OpIn:
		for i := range n.Values {
			if !n.Values[i].Null && n.boundsAdmit(OpEq, layout, c, &n.Values[i]) {
				return true
			}
		}
		return false
	case OpNotIn:
		for i := range n.Values {
			if n.Values[i].Null || !n.boundsAdmit(OpNotEq, layout, c, &n.Values[i]) {
				return false
			}
		}
		return true
	}
	return !n.Values[0].Null && n.boundsAdmit(n.Op, layout, c, &n.Values[0])
}

// boundsAdmit reports whether a value within the bounds can satisfy op with v.
func (n *Node) boundsAdmit(op Op, layout columnar.Layout, c *stats.Column, v *columnar.Value) bool {
	// A NaN among bounds or values has no place in an order of bounds: keep the block.
	if !c.HasBounds || v.F != v.F || c.Min.F != c.Min.F || c.Max.F != c.Max.F {
		return true
	}
	low := func() int { return compare(layout, n.Type, c.Min, *v) }
	high := func() int { return compare(layout, n.Type, c.Max, *v) }
	switch op {
	case OpEq:
		return low() <= 0 && high() >= 0
	case OpNotEq:
		return low() != 0 || high() != 0
	case OpLt:
		return low() < 0
	case OpLe:
		return low() <= 0
	case OpGt:
		return high() > 0
	case OpGe:
		return high() >= 0
	case OpStartsWith:
		return prefixAdmits(c, v.S)
	case OpLike:
		switch p := parseLike(v.S, n.Type.Text()); p.op {
		case OpEq:
			return c.Min.S <= p.text && c.Max.S >= p.text
		case OpStartsWith, OpLike:
			return prefixAdmits(c, p.text)
		}
	}
	return true
}

// prefixAdmits reports whether a text that begins with p can lie between the bounds: it
// is at least p, and cut to p's length it is p.
func prefixAdmits(c *stats.Column, p string) bool {
	low := c.Min.S
	if len(low) > len(p) {
		low = low[:len(p)]
	}
	return low <= p && c.Max.S >= p
}
