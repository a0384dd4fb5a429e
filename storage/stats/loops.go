package stats

import (
	"math"
	"math/bits"
)

// blocks calls fn for runs of the slots below n whose bit is set, none of them empty;
// nil: all slots.
func blocks(n int, valid []uint64, fn func(from, to int)) {
	if valid == nil {
		if n > 0 {
			fn(0, n)
		}
		return
	}
	for w := 0; w*64 < n; w++ {
		m := valid[w]
		if rest := n - w*64; rest < 64 {
			m &= 1<<rest - 1
		}
		for m != 0 {
			from := bits.TrailingZeros64(m)
			ones := bits.TrailingZeros64(^(m >> from))
			fn(w*64+from, w*64+from+ones)
			if from+ones == 64 {
				break
			}
			m &^= 1<<(from+ones) - 1
		}
	}
}

// intBounds is the least and the greatest of at least one value. Two pairs of bounds
// let the comparisons of neighbours overlap.
func intBounds[T int32 | int64](vals []T) (least, most int64) {
	a, b := vals[0], vals[0]
	c, d := a, b
	i := 0
	for ; i+1 < len(vals); i += 2 {
		x, y := vals[i], vals[i+1]
		a, b = min(a, x), max(b, x)
		c, d = min(c, y), max(d, y)
	}
	if i < len(vals) {
		a, b = min(a, vals[i]), max(b, vals[i])
	}
	return int64(min(a, c)), int64(max(b, d))
}

// The rank of a float is an integer of the same order, -0.0 before 0.0; NaNs lie
// beyond the infinities on both sides. It is its own inverse on the bits.

func rank32(f float32) int32 {
	b := int32(math.Float32bits(f))
	return b ^ b>>31&math.MaxInt32
}

func rank64(f float64) int64 {
	b := int64(math.Float64bits(f))
	return b ^ b>>63&math.MaxInt64
}

// floatBounds32 is the ranks of the least and the greatest of at least one value.
func floatBounds32(vals []float32) (least, most int64) {
	a := rank32(vals[0])
	b := a
	for _, x := range vals {
		r := rank32(x)
		a, b = min(a, r), max(b, r)
	}
	return int64(a), int64(b)
}

// floatBounds64 is floatBounds32 for DOUBLE.
func floatBounds64(vals []float64) (least, most int64) {
	a := rank64(vals[0])
	b := a
	for _, x := range vals {
		r := rank64(x)
		a, b = min(a, r), max(b, r)
	}
	return a, b
}
