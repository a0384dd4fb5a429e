package predicate

import (
	"math/bits"
	"slices"
)

// The kernels test 64 values at a time into a word and look at words with bits left
// only. None branches on a value, but for IN.

// intRange keeps values between low and high, or outside of them. Both bounds are
// tested at once: value - low, without sign, is at most high - low.
func intRange[T int32 | int64](vals []T, low, high int64, negate bool, mask []uint64) {
	span := uint64(high) - uint64(low)
	flip := uint64(0)
	if negate {
		flip = ^uint64(0)
	}
	for w, m := range mask {
		if m == 0 {
			continue
		}
		block := vals[w*64 : min(w*64+64, len(vals))]
		var out uint64
		for i, x := range block {
			_, borrow := bits.Sub64(span, uint64(int64(x))-uint64(low), 0)
			out |= (borrow ^ 1) << (i & 63)
		}
		mask[w] = m & (out ^ flip)
	}
}

// intTable is a set of integers: open addressing with at most a quarter of the slots
// taken, where every probe looks at the same few slots. Free slots hold a member, which
// harms nothing: who equals it is a member.
type intTable struct {
	slots       []int64 // a power of two, and reach more that repeat the first ones
	shift       uint
	reach       int // slots to look at
	least, most int64
}

func newIntTable(list []int64) *intTable {
	size := bits.Len(uint(4*len(list) - 1))
	t := &intTable{shift: uint(64 - size), least: slices.Min(list), most: slices.Max(list)}
	taken := make([]bool, 1<<size)
	t.slots = make([]int64, 1<<size)
	for i := range t.slots {
		t.slots[i] = list[0]
	}
	for _, x := range list {
		at, n := t.hash(x), 1
		for taken[at] {
			at, n = (at+1)&(len(taken)-1), n+1
		}
		taken[at], t.slots[at] = true, x
		t.reach = max(t.reach, n)
	}
	for i := range t.reach {
		t.slots = append(t.slots, t.slots[i])
	}
	return t
}

func (t *intTable) hash(x int64) int { return int(uint64(x) * 0x9e3779b97f4a7c15 >> t.shift) }

func (t *intTable) has(x int64) bool {
	at := t.hash(x)
	found := false
	for _, y := range t.slots[at : at+t.reach] {
		found = found || x == y
	}
	return found
}

// intSet keeps values in the table, or not in it.
func intSet[T int32 | int64](vals []T, t *intTable, negate bool, mask []uint64) {
	for w, m := range mask {
		keep := uint64(0)
		for r := m; r != 0; r &= r - 1 {
			k := bits.TrailingZeros64(r)
			x := int64(vals[w*64+k])
			keep |= bit(x >= t.least && x <= t.most && t.has(x)) << k
		}
		if negate {
			keep = m &^ keep
		}
		mask[w] = keep
	}
}

// wide keeps 128-bit values, hi:lo by slot, with value op lit. The high halves are
// signed.
func wide(op Op, lit wideValue, mask []uint64, at func(i int) wideValue) {
	flip := uint64(0)
	if op == OpNotEq || op == OpGe || op == OpLe {
		flip = ^uint64(0)
	}
	for w, m := range mask {
		var out uint64
		for r := m; r != 0; r &= r - 1 {
			k := bits.TrailingZeros64(r)
			x := at(w*64 + k)
			switch op {
			case OpEq, OpNotEq:
				out |= bit(x == lit) << k
			case OpLt, OpGe:
				out |= less(x, lit) << k
			default:
				out |= less(lit, x) << k
			}
		}
		mask[w] = m & (out ^ flip)
	}
}

// wideValue is a 128-bit number, or milliseconds and nanoseconds.
type wideValue struct {
	hi int64
	lo uint64
}

func less(a, b wideValue) uint64 {
	_, borrow := bits.Sub64(a.lo, b.lo, 0)
	_, borrow = bits.Sub64(uint64(a.hi)^1<<63, uint64(b.hi)^1<<63, borrow)
	return borrow
}

// floats keeps values x with x op lit, where lit is not NaN. A NaN is false under <, <=
// and =, and so true under their opposites: it is greater than every number.
func floats[T float32 | float64](vals []T, op Op, lit float64, mask []uint64) {
	flip := uint64(0)
	if op == OpNotEq || op == OpGe || op == OpGt {
		flip = ^uint64(0)
	}
	for w, m := range mask {
		if m == 0 {
			continue
		}
		block := vals[w*64 : min(w*64+64, len(vals))]
		var out uint64
		switch op {
		case OpEq, OpNotEq:
			for i, x := range block {
				out |= bit(float64(x) == lit) << (i & 63)
			}
		case OpLt, OpGe:
			for i, x := range block {
				out |= bit(float64(x) < lit) << (i & 63)
			}
		default:
			for i, x := range block {
				out |= bit(float64(x) <= lit) << (i & 63)
			}
		}
		mask[w] = m & (out ^ flip)
	}
}

// bit compiles to a conditional set.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
