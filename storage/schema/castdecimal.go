package schema

import (
	"math/big"
	"strconv"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// pow10s are the powers of ten that an int64 holds.
func pow10s() [19]int64 {
	var out [19]int64
	out[0] = 1
	for i := 1; i < len(out); i++ {
		out[i] = out[i-1] * 10
	}
	return out
}

// toDecimal casts numbers and BOOLEAN to DECIMAL.
func toDecimal(src *columnar.Vector, to types.Type) *columnar.Vector {
	out := &columnar.Vector{Type: to, N: src.N, Valid: src.Valid}
	small := columnar.LayoutOf(to) == columnar.I64
	if small {
		out.I64 = make([]int64, out.N)
	} else {
		out.D128 = make([]columnar.Int128, out.N)
	}
	scale := 0
	if src.Type.Kind == types.Decimal {
		scale = src.Type.Scale
	}
	pow, own := pow10s(), false
	for i := range out.N {
		if src.IsNull(i) {
			continue
		}
		if v, ok := smallUnscaled(src, i); ok && small { // no big numbers for most values
			if v, ok = smallRescale(v, scale, to, &pow); ok {
				out.I64[i] = v
				continue
			}
		}
		u, from, ok := bigUnscaled(src, i)
		if ok {
			u, ok = rescale(u, from, to.Precision, to.Scale)
		}
		switch {
		case !ok:
			out.Valid = clearValid(out.Valid, &own, out.N, i)
		case small:
			out.I64[i] = u.Int64()
		default:
			out.D128[i], _ = columnar.Int128FromBig(u)
		}
	}
	return out
}

// smallRescale is rescale for what fits in an int64 all the way; ok is false when
// it does not, or has too many digits.
func smallRescale(v int64, from int, to types.Type, pow *[19]int64) (int64, bool) {
	up := to.Scale - from
	if up >= 0 {
		if up > to.Precision || v <= -pow[to.Precision-up] || v >= pow[to.Precision-up] {
			return 0, false
		}
		return v * pow[up], true
	}
	if up < -18 {
		return 0, false
	}
	p := pow[-up]
	q, r := v/p, v%p
	switch {
	case r >= p-r && r > 0:
		q++
	case -r >= p+r && r < 0:
		q--
	}
	return q, q > -pow[to.Precision] && q < pow[to.Precision]
}

// smallUnscaled is slot i of a whole number or a small decimal as an int64.
func smallUnscaled(v *columnar.Vector, i int) (int64, bool) {
	switch columnar.LayoutOf(v.Type) {
	case columnar.I32:
		return int64(v.I32[i]), true
	case columnar.I64:
		return v.I64[i], true
	}
	return 0, false
}

// bigUnscaled is slot i of a number as unscaled value and scale; ok is false for
// NaN and infinities.
func bigUnscaled(v *columnar.Vector, i int) (u *big.Int, scale int, ok bool) {
	switch columnar.LayoutOf(v.Type) {
	case columnar.F32:
		return floatUnscaled(float64(v.F32[i]))
	case columnar.F64:
		return floatUnscaled(v.F64[i])
	case columnar.D128:
		return v.D128[i].Big(), v.Type.Scale, true
	}
	n, _ := smallUnscaled(v, i)
	if v.Type.Kind == types.Decimal {
		scale = v.Type.Scale
	}
	return big.NewInt(n), scale, true
}

// floatUnscaled gives the shortest decimal that reads back as f, as Java's
// BigDecimal.valueOf does.
func floatUnscaled(f float64) (u *big.Int, scale int, ok bool) {
	if f != f || f > maxFinite || f < -maxFinite {
		return nil, 0, false
	}
	var buf [32]byte
	s := strconv.AppendFloat(buf[:0], f, 'e', -1, 64)
	digits, exponent, fraction := make([]byte, 0, 20), 0, 0
	for i, c := range s {
		if c == 'e' {
			exponent, _ = strconv.Atoi(string(s[i+1:]))
			break
		}
		if c == '.' {
			fraction = 1
			continue
		}
		if fraction > 0 {
			fraction++
		}
		digits = append(digits, c)
	}
	u, _ = new(big.Int).SetString(string(digits), 10)
	return u, max(fraction-1, 0) - exponent, true
}

// fromDecimal casts DECIMAL to numbers that are none.
func fromDecimal(out, src *columnar.Vector) {
	switch columnar.LayoutOf(out.Type) {
	case columnar.F32:
		out.F32 = make([]float32, out.N)
		for i, f := range decimalFloats(src) {
			out.F32[i] = float32(f)
		}
	case columnar.F64:
		out.F64 = decimalFloats(src)
	case columnar.I64:
		out.I64 = decimalWhole(src)
	default:
		fromWhole(out, decimalWhole(src))
	}
}

func decimalFloats(v *columnar.Vector) []float64 {
	out := make([]float64, v.N)
	if columnar.LayoutOf(v.Type) == columnar.I64 {
		p := float64(pow10s()[v.Type.Scale])
		for i, u := range v.I64[:v.N] {
			out[i] = float64(u) / p
		}
		return out
	}
	var buf []byte
	for i := range out {
		if !v.IsNull(i) {
			buf = appendDecimal(buf[:0], v.D128[i].Big(), v.Type.Scale)
			out[i], _ = strconv.ParseFloat(text(buf), 64)
		}
	}
	return out
}

// decimalWhole drops fractions toward zero and then all but the low 64 bits.
func decimalWhole(v *columnar.Vector) []int64 {
	out := make([]int64, v.N)
	if columnar.LayoutOf(v.Type) == columnar.I64 {
		p := pow10s()[v.Type.Scale]
		for i := range out {
			out[i] = v.I64[i] / p
		}
		return out
	}
	p := pow10(v.Type.Scale)
	for i := range out {
		d := v.D128[i]
		if d == (columnar.Int128{}) {
			continue
		}
		q, _ := columnar.Int128FromBig(d.Big().Quo(d.Big(), p))
		out[i] = int64(q.Lo)
	}
	return out
}
