package predicate

import (
	"math/bits"
	"slices"

	"github.com/lakesql/lakesql/storage/columnar"
)

// Filter is a predicate made ready for many batches. It is for one goroutine.
//
// It works on bitmaps, a bit a slot: a leaf clears the bits of the slots for which it is
// not true and looks only at words with bits left; AND hands the bitmap from child to
// child; OR gives each child the slots that none before it took.
type Filter struct {
	root *check
	mask []uint64
}

// NewFilter makes a predicate ready.
func NewFilter(n *Node) *Filter {
	if n == nil {
		return &Filter{}
	}
	return &Filter{root: newCheck(n)}
}

// Select returns the live slots of the batch for which the predicate is true, in
// ascending order, in the memory of sel. A batch may have at most 65536 slots.
func (f *Filter) Select(b *columnar.Batch, sel []uint16) []uint16 {
	f.mask = live(f.mask, b)
	if f.root != nil {
		f.root.narrow(b, f.mask)
	}
	sel = sel[:0]
	for w, m := range f.mask {
		for ; m != 0; m &= m - 1 {
			sel = append(sel, uint16(w*64+bits.TrailingZeros64(m)))
		}
	}
	return sel
}

// live is the bitmap of a batch's live slots.
func live(mask []uint64, b *columnar.Batch) []uint64 {
	words := (b.N + 63) / 64
	mask = slices.Grow(mask[:0], words)[:words]
	if b.Sel != nil {
		clear(mask)
		for _, i := range b.Sel {
			mask[i>>6] |= 1 << (i & 63)
		}
		return mask
	}
	ones(mask, b.N)
	return mask
}

// ones sets the first n bits.
func ones(mask []uint64, n int) {
	for w := range mask {
		mask[w] = ^uint64(0)
	}
	if r := n & 63; r != 0 {
		mask[len(mask)-1] = 1<<r - 1
	}
}

// narrow clears the bits of slots for which the node is not true.
func (c *check) narrow(b *columnar.Batch, mask []uint64) {
	switch c.node.Op {
	case OpAnd:
		for _, child := range c.children {
			child.narrow(b, mask)
		}
	case OpOr:
		c.left = append(c.left[:0], mask...)
		clear(mask)
		for _, child := range c.children {
			c.in = append(c.in[:0], c.left...)
			child.narrow(b, c.in)
			for w, m := range c.in {
				mask[w] |= m
				c.left[w] &^= m
			}
		}
	default:
		c.leaf(b.Cols[c.node.Column], mask)
	}
}

func (c *check) leaf(v *columnar.Vector, mask []uint64) {
	switch {
	case c.node.Op == OpIsNull:
		for w := range mask {
			if v.Valid == nil {
				mask[w] = 0
			} else {
				mask[w] &^= v.Valid[w]
			}
		}
		return
	case c.never:
		clear(mask)
		return
	case v.Valid != nil:
		for w := range mask {
			mask[w] &= v.Valid[w]
		}
	}
	if c.node.Op == OpIsNotNull {
		return
	}
	if v.Dict == nil {
		c.test(v, v.N, mask)
		return
	}
	words := (v.Dict.N + 63) / 64
	c.entries = slices.Grow(c.entries[:0], words)[:words]
	ones(c.entries, v.Dict.N)
	c.test(v.Dict, v.Dict.N, c.entries)
	for w, m := range mask {
		for ; m != 0; m &= m - 1 {
			bit := bits.TrailingZeros64(m)
			code := v.Codes[w*64+bit]
			mask[w] &^= (^c.entries[code>>6] >> (code & 63) & 1) << bit
		}
	}
}

// test clears the bits of the first n slots of v, none of them null where its bit is
// set, for which the leaf is not true.
func (c *check) test(v *columnar.Vector, n int, mask []uint64) {
	switch c.layout {
	case columnar.I32:
		if c.ints != nil {
			intSet(v.I32[:n], c.ints, c.negate, mask)
		} else {
			intRange(v.I32[:n], c.low, c.high, c.negate, mask)
		}
	case columnar.I64:
		if c.ints != nil {
			intSet(v.I64[:n], c.ints, c.negate, mask)
		} else {
			intRange(v.I64[:n], c.low, c.high, c.negate, mask)
		}
	case columnar.F32:
		if c.slow {
			c.each(mask, func(i int) bool { return c.value(v.Value(i)) })
		} else {
			floats(v.F32[:n], c.node.Op, c.node.Values[0].F, mask)
		}
	case columnar.F64:
		if c.slow {
			c.each(mask, func(i int) bool { return c.value(v.Value(i)) })
		} else {
			floats(v.F64[:n], c.node.Op, c.node.Values[0].F, mask)
		}
	case columnar.Str:
		c.text(v, mask)
	default:
		c.wide(v, mask)
	}
}

// wide is test for layouts D128 and T96.
func (c *check) wide(v *columnar.Vector, mask []uint64) {
	op := c.node.Op
	switch lit := c.node.Values; {
	case op == OpIn || op == OpNotIn:
		c.each(mask, func(i int) bool { return c.value(v.Value(i)) })
	case c.layout == columnar.D128:
		wide(op, wideValue{hi: lit[0].Hi, lo: uint64(lit[0].I)}, mask, func(i int) wideValue {
			return wideValue{hi: v.D128[i].Hi, lo: v.D128[i].Lo}
		})
	default:
		wide(op, wideValue{hi: lit[0].I, lo: uint64(lit[0].Hi)}, mask, func(i int) wideValue {
			return wideValue{hi: v.I64[i], lo: uint64(v.I32[i])}
		})
	}
}

// each clears the bits of slots for which fn is false.
func (c *check) each(mask []uint64, fn func(i int) bool) {
	for w, m := range mask {
		keep := m
		for ; m != 0; m &= m - 1 {
			bit := bits.TrailingZeros64(m)
			if !fn(w*64 + bit) {
				keep &^= 1 << bit
			}
		}
		mask[w] = keep
	}
}
