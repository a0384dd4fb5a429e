package expr

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/lakesql/lakesql/storage/columnar"
)

// Numbers are printed eight digits at a time, straight into the buffer: a result
// is mostly numbers, and strconv writes each into a buffer of its own first.

const eightDigits = 100_000_000 // the first number that has nine

// eight gives the eight digits of u, below eightDigits, one a byte from the lowest
// byte on. The digits are halved thrice: into lanes of four, two and one.
func eight(u uint32) uint64 {
	hi := u / 10_000
	x := uint64(hi) | uint64(u-hi*10_000)<<32
	hundreds := x * 10_486 >> 20 & 0x0000_007f_0000_007f // x/100 for x < 10,000
	x = hundreds | (x-hundreds*100)<<16
	tens := x * 103 >> 10 & 0x000f_000f_000f_000f // x/10 for x < 100
	return tens | (x-tens*10)<<8
}

const asciiZeros = 0x3030_3030_3030_3030

// appendDigits appends the last n, at most eight, of the digits of u.
func appendDigits(dst []byte, digits uint64, n int) []byte {
	at := len(dst)
	dst = slices.Grow(dst, 8)
	binary.LittleEndian.PutUint64(dst[at:at+8], (digits|asciiZeros)>>(64-8*n))
	return dst[:at+n]
}

// appendPadded appends u, of at most width digits, with zeros in front. width is
// from 1 to 19.
func appendPadded(dst []byte, u uint64, width int) []byte {
	if width <= 8 {
		return appendDigits(dst, eight(uint32(u)), width)
	}
	q := u / eightDigits
	return appendDigits(appendPadded(dst, q, width-8), eight(uint32(u-q*eightDigits)), 8)
}

func appendUint(dst []byte, u uint64) []byte {
	if u < eightDigits {
		digits := eight(uint32(u))
		zeros := bits.TrailingZeros64(digits|1<<56) / 8 // in front of the first digit; 0 has one
		return appendDigits(dst, digits, 8-zeros)
	}
	q := u / eightDigits
	return appendDigits(appendUint(dst, q), eight(uint32(u-q*eightDigits)), 8)
}

func appendInt(dst []byte, v int64) []byte {
	if v < 0 {
		return appendUint(append(dst, '-'), -uint64(v))
	}
	return appendUint(dst, uint64(v))
}

// AppendFloat appends a float as MySQL prints one: the shortest text that reads
// back the same, in exponent form below 1e-15 and from 1e15 on.
func AppendFloat(dst []byte, f float64, bitSize int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strconv.AppendFloat(dst, f, 'f', -1, bitSize)
	}
	if math.Signbit(f) {
		dst, f = append(dst, '-'), -f
	}
	if bitSize == 64 && f < 1e13 {
		if cents := uint64(f*100 + 0.5); float64(cents)/100 == f {
			return appendCents(dst, cents)
		}
	}
	var tmp [32]byte
	b := strconv.AppendFloat(tmp[:0], f, 'e', -1, bitSize) // d.ddde-07, d.ddde+123
	e := len(b) - len("e+07")
	if b[e] != 'e' {
		e--
	}
	exp := 0
	for _, c := range b[e+2:] {
		exp = exp*10 + int(c-'0')
	}
	if b[e+1] == '-' {
		exp = -exp
	}
	if f != 0 && (f < 1e-15 || f >= 1e15) {
		return appendInt(append(dst, b[:e+1]...), int64(exp))
	}
	digits := b[:1]
	if e > 1 {
		b[1] = b[0]
		digits = b[1:e]
	}
	switch {
	case exp < 0:
		dst = append(dst, "0.00000000000000"[:1-exp]...)
		return append(dst, digits...)
	case exp+1 >= len(digits):
		dst = append(dst, digits...)
		return append(dst, "000000000000000"[:exp+1-len(digits)]...)
	}
	dst = append(dst, digits[:exp+1]...)
	dst = append(dst, '.')
	return append(dst, digits[exp+1:]...)
}

// appendCents appends a number of hundredths, below 1e15, without zeros at the end.
// Fifteen digits tell any two floats of 64 bits apart that have no more, so that no
// shorter text reads back the same.
func appendCents(dst []byte, cents uint64) []byte {
	whole := cents / 100
	dst = appendUint(dst, whole)
	switch part := cents - whole*100; {
	case part == 0:
		return dst
	case part%10 == 0:
		return append(dst, '.', byte('0'+part/10))
	default:
		return append(dst, '.', byte('0'+part/10), byte('0'+part%10))
	}
}

// appendDecimal64 appends an unscaled value with scale digits after the point.
func appendDecimal64(dst []byte, v int64, scale int) []byte {
	u := uint64(v)
	if v < 0 {
		dst, u = append(dst, '-'), -u
	}
	if scale == 0 {
		return appendUint(dst, u)
	}
	one := pow10[scale].Lo
	whole := u / one
	return appendPadded(append(appendUint(dst, whole), '.'), u-whole*one, scale)
}

// appendDecimal128 appends an unscaled value with scale digits after the point.
func appendDecimal128(dst []byte, d columnar.Int128, scale int) []byte {
	hi, lo := uint64(d.Hi), d.Lo
	if d.Hi < 0 {
		dst = append(dst, '-')
		var c uint64
		lo, c = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, c)
	}
	// Two divisions by 1e19 give at most three groups of 19 digits.
	const group = 10_000_000_000_000_000_000
	var tmp [64]byte
	q1, r1 := hi/group, hi%group
	q0, low := bits.Div64(r1, lo, group)
	var b []byte
	switch {
	case q1 == 0 && q0 == 0:
		b = appendUint(tmp[:0], low)
	default:
		// q = q1*2^64 + q0 is below 2^64 for every 38-digit value, q1 is 0 or 1 beyond that.
		top, mid := bits.Div64(q1, q0, group)
		if top != 0 {
			b = appendUint(tmp[:0], top)
			b = appendPadded(b, mid, 19)
		} else {
			b = appendUint(tmp[:0], mid)
		}
		b = appendPadded(b, low, 19)
	}
	if scale == 0 {
		return append(dst, b...)
	}
	return appendScaled(dst, b, scale)
}

func appendScaled(dst, digits []byte, scale int) []byte {
	if len(digits) <= scale {
		dst = append(dst, '0', '.')
		for range scale - len(digits) {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	}
	p := len(digits) - scale
	dst = append(dst, digits[:p]...)
	dst = append(dst, '.')
	return append(dst, digits[p:]...)
}
