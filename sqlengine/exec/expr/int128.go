package expr

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/lakesql/lakesql/storage/columnar"
)

// Int128 arithmetic. Results wrap unless a function says otherwise.

// FromInt64 widens v.
func FromInt64(v int64) columnar.Int128 { return columnar.Int128{Lo: uint64(v), Hi: v >> 63} }

// Fits64 reports whether d is an int64.
func Fits64(d columnar.Int128) bool { return d.Hi == int64(d.Lo)>>63 }

// Add128 is a + b; ok is false when it does not fit.
func Add128(a, b columnar.Int128) (s columnar.Int128, ok bool) {
	lo, c := bits.Add64(a.Lo, b.Lo, 0)
	hi := int64(uint64(a.Hi) + uint64(b.Hi) + c)
	s = columnar.Int128{Lo: lo, Hi: hi}
	return s, (a.Hi^s.Hi)&(b.Hi^s.Hi) >= 0
}

// neg128 is -a.
func neg128(a columnar.Int128) columnar.Int128 {
	lo, borrow := bits.Sub64(0, a.Lo, 0)
	return columnar.Int128{Lo: lo, Hi: int64(0 - uint64(a.Hi) - borrow)}
}

// mulSmall is u*m + add for an unsigned 128-bit value; ok is false on overflow.
func mulSmall(hi, lo, m, add uint64) (h, l uint64, ok bool) {
	c0, l := bits.Mul64(lo, m)
	l, c := bits.Add64(l, add, 0)
	c1, h := bits.Mul64(hi, m)
	h, c2 := bits.Add64(h, c0, c)
	return h, l, c1 == 0 && c2 == 0
}

// divSmall is u/m with the rest, for an unsigned 128-bit value.
func divSmall(hi, lo, m uint64) (h, l, rest uint64) {
	h = hi / m
	l, rest = bits.Div64(hi%m, lo, m)
	return h, l, rest
}

// BigInt is d as a big integer.
func BigInt(d columnar.Int128) *big.Int {
	neg := d.Hi < 0
	if neg {
		d = neg128(d)
	}
	b := new(big.Int).SetUint64(uint64(d.Hi))
	b.Lsh(b, 64).Or(b, new(big.Int).SetUint64(d.Lo))
	if neg {
		b.Neg(b)
	}
	return b
}

// FromBig is b as a 128-bit integer; ok is false when it does not fit.
func FromBig(b *big.Int) (d columnar.Int128, ok bool) {
	if b.BitLen() > 127 {
		return d, false
	}
	var a big.Int
	a.Abs(b)
	d.Lo = new(big.Int).And(&a, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	d.Hi = int64(new(big.Int).Rsh(&a, 64).Uint64())
	if b.Sign() < 0 {
		d = neg128(d)
	}
	return d, true
}

// pow10 holds the powers of ten of 128-bit integers.
var pow10 = func() (p [39]columnar.Int128) {
	hi, lo := uint64(0), uint64(1)
	for i := range p {
		p[i] = columnar.Int128{Lo: lo, Hi: int64(hi)}
		hi, lo, _ = mulSmall(hi, lo, 10, 0)
	}
	return p
}()

// FitsPrecision reports whether d has at most p decimal digits.
func FitsPrecision(d columnar.Int128, p int) bool {
	if d.Hi < 0 {
		d = neg128(d)
	}
	if d.Hi < 0 { // -2^127
		return false
	}
	return d.Compare(pow10[p]) < 0
}

// Rescale changes a decimal's scale, rounding half away from zero; ok is false on
// overflow of 128 bits.
func Rescale(d columnar.Int128, from, to int) (out columnar.Int128, ok bool) {
	if from == to {
		return d, true
	}
	neg := d.Hi < 0
	if neg {
		d = neg128(d)
	}
	hi, lo := uint64(d.Hi), d.Lo
	ok = true
	for ; from < to && ok; from++ {
		hi, lo, ok = mulSmall(hi, lo, 10, 0)
	}
	var rest uint64
	for ; from > to; from-- {
		hi, lo, rest = divSmall(hi, lo, 10)
	}
	if rest >= 5 {
		var c uint64
		lo, c = bits.Add64(lo, 1, 0)
		hi += c
	}
	if !ok || int64(hi) < 0 {
		return out, false
	}
	out = columnar.Int128{Lo: lo, Hi: int64(hi)}
	if neg {
		out = neg128(out)
	}
	return out, true
}
