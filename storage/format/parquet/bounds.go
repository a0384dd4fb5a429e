package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

func onesCount(w uint64) int { return bits.OnesCount64(w) }

// bounds are the least and the greatest value of a page or chunk, as stored.
type bounds struct {
	min, max []byte // own memory
	ok       bool   // false: no value, or none to be told
	nan      bool   // a NaN is among the values: the column has no bounds
}

// hasBounds reports whether values of a type have an order that readers agree on.
func hasBounds(t types.Type, p physical) bool {
	switch t.Kind {
	case types.Geometry, types.Geography, types.Blob:
		return false
	}
	return p != pInt96
}

// set finds the bounds of values.
func (b *bounds) set(t types.Type, leaf *node, d *dense) {
	b.ok, b.nan = false, false
	b.min, b.max = b.min[:0], b.max[:0]
	if d.n == 0 || !hasBounds(t, leaf.typ) {
		return
	}
	b.ok = true
	switch leaf.typ {
	case pBoolean:
		lo, hi := minMax(d.i32[:d.n])
		b.min, b.max = append(b.min, byte(lo)), append(b.max, byte(hi))
	case pInt32:
		lo, hi := minMax(d.i32[:d.n])
		b.min = binary.LittleEndian.AppendUint32(b.min, uint32(lo))
		b.max = binary.LittleEndian.AppendUint32(b.max, uint32(hi))
	case pInt64:
		lo, hi := minMax(d.i64[:d.n])
		b.min = binary.LittleEndian.AppendUint64(b.min, uint64(lo))
		b.max = binary.LittleEndian.AppendUint64(b.max, uint64(hi))
	case pFloat:
		lo, hi, nan := floatMinMax(viewAs[float32](d.i32[:d.n]))
		b.ok, b.nan = !nan, nan
		b.min = binary.LittleEndian.AppendUint32(b.min, math.Float32bits(lo))
		b.max = binary.LittleEndian.AppendUint32(b.max, math.Float32bits(hi))
	case pDouble:
		lo, hi, nan := floatMinMax(viewAs[float64](d.i64[:d.n]))
		b.ok, b.nan = !nan, nan
		b.min = binary.LittleEndian.AppendUint64(b.min, math.Float64bits(lo))
		b.max = binary.LittleEndian.AppendUint64(b.max, math.Float64bits(hi))
	case pFixed:
		b.fixed(d.data, int(leaf.length))
	case pBytes:
		lo, hi := textMinMax(d)
		b.min, b.max = append(b.min, lo...), append(b.max, hi...)
	}
}

func minMax[T int32 | int64](s []T) (lo, hi T) {
	lo, hi = s[0], s[0]
	for _, x := range s {
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

// floatMinMax takes zeros as the format wants them: a least zero negative, a
// greatest one positive.
func floatMinMax[T float32 | float64](s []T) (lo, hi T, nan bool) {
	lo, hi = s[0], s[0]
	bad := 0
	for _, x := range s {
		if x != x {
			bad++
		}
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
	}
	if lo == 0 {
		lo = T(math.Copysign(0, -1))
	}
	if hi == 0 {
		hi = 0
	}
	return lo, hi, bad > 0
}

// fixed compares big-endian two's complement numbers.
func (b *bounds) fixed(data []byte, width int) {
	lo, hi := data[:width], data[:width]
	for at := width; at < len(data); at += width {
		x := data[at : at+width]
		if compareSigned(x, lo) < 0 {
			lo = x
		} else if compareSigned(x, hi) > 0 {
			hi = x
		}
	}
	b.min, b.max = append(b.min, lo...), append(b.max, hi...)
}

func compareSigned(a, b []byte) int {
	if len(a) > 0 && len(b) > 0 && (a[0]^b[0])&0x80 != 0 {
		if a[0]&0x80 != 0 {
			return -1
		}
		return 1
	}
	return bytes.Compare(a, b)
}

// textMinMax compares the first 8 bytes as a number and looks at the rest only
// where those are equal to a bound's.
func textMinMax(d *dense) (lo, hi []byte) {
	at := func(i int) []byte { return d.data[d.off[i]:d.off[i+1]] }
	lo, hi = at(0), at(0)
	loHead, hiHead := columnar.Head(d.data, int(d.off[0]), int(d.off[1])), uint64(0)
	hiHead = loHead
	for i := 1; i < d.n; i++ {
		h := columnar.Head(d.data, int(d.off[i]), int(d.off[i+1]))
		if h > loHead && h < hiHead {
			continue
		}
		x := at(i)
		if h < loHead || h == loHead && bytes.Compare(x, lo) < 0 {
			lo, loHead = x, h
		}
		if h > hiHead || h == hiHead && bytes.Compare(x, hi) > 0 {
			hi, hiHead = x, h
		}
	}
	return lo, hi
}

// merge widens b by o, whose values are stored alike.
func (b *bounds) merge(leaf *node, o *bounds) {
	b.nan = b.nan || o.nan
	if !o.ok {
		return
	}
	if !b.ok {
		b.ok = true
		b.min, b.max = append(b.min[:0], o.min...), append(b.max[:0], o.max...)
		return
	}
	if compareStored(leaf, o.min, b.min) < 0 {
		b.min = append(b.min[:0], o.min...)
	}
	if compareStored(leaf, o.max, b.max) > 0 {
		b.max = append(b.max[:0], o.max...)
	}
}

// compareStored orders two stored values of a leaf.
func compareStored(leaf *node, a, b []byte) int {
	switch leaf.typ {
	case pInt32:
		return compareNumbers(int32(binary.LittleEndian.Uint32(a)), int32(binary.LittleEndian.Uint32(b)))
	case pInt64:
		return compareNumbers(int64(binary.LittleEndian.Uint64(a)), int64(binary.LittleEndian.Uint64(b)))
	case pFloat:
		return compareNumbers(math.Float32frombits(binary.LittleEndian.Uint32(a)), math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case pDouble:
		return compareNumbers(math.Float64frombits(binary.LittleEndian.Uint64(a)), math.Float64frombits(binary.LittleEndian.Uint64(b)))
	case pFixed:
		return compareSigned(a, b)
	}
	return bytes.Compare(a, b)
}

func compareNumbers[T int32 | int64 | float32 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

const (
	// maxIndexBound is the most bytes of a bound in a column index; maxChunkBounds
	// of both bounds of a chunk, beyond which the footer has none.
	maxIndexBound  = 64
	maxChunkBounds = 4096
)

// cutMin shortens a least value of text or bytes.
func cutMin(b []byte, text bool) []byte {
	if len(b) <= maxIndexBound {
		return b
	}
	return b[:cutAt(b, text)]
}

// cutAt is where to cut a value so that no character is split.
func cutAt(b []byte, text bool) int {
	n := maxIndexBound
	if text {
		for i := 0; i < 4 && n > 0 && !utf8.RuneStart(b[n]); i++ {
			n--
		}
	}
	return n
}

// cutMax appends to dst a shorter value that is greater than all that begin like
// b; b itself when there is none.
func cutMax(dst, b []byte, text bool) []byte {
	if len(b) <= maxIndexBound {
		return append(dst, b...)
	}
	cut := b[:cutAt(b, text)]
	if !text || !utf8.Valid(cut) {
		for i := len(cut) - 1; i >= 0 && !text; i-- {
			if cut[i] != 0xff {
				return append(append(dst, cut[:i]...), cut[i]+1)
			}
		}
		return append(dst, b...)
	}
	for len(cut) > 0 {
		r, n := utf8.DecodeLastRune(cut)
		cut = cut[:len(cut)-n]
		if r++; r == 0xd800 {
			r = 0xe000
		}
		if r <= utf8.MaxRune {
			return utf8.AppendRune(append(dst, cut...), r)
		}
	}
	return append(dst, b...)
}
