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

// intSet keeps values in the ascending list, or not in it.
func intSet[T int32 | int64](vals []T, list []int64, negate bool, mask []uint64) {
	least, most := list[0], list[len(list)-1]
	for w, m := range mask {
		keep := uint64(0)
		for r := m; r != 0; r &= r - 1 {
			bit := bits.TrailingZeros64(r)
			x := int64(vals[w*64+bit])
			if x >= least && x <= most {
				if _, found := slices.BinarySearch(list, x); found {
					keep |= 1 << bit
				}
			}
		}
		if negate {
			keep = m &^ keep
		}
		mask[w] = keep
	}
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
