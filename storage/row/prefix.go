package row

import (
	"encoding/binary"
	"fmt"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// A prefix is a number that orders rows as far as it goes: a smaller prefix means a
// smaller key. Equal prefixes mean equal keys only where PrefixExact says so;
// otherwise ties are decided by the normalised keys.

// PrefixExact reports whether a prefix of the given number of bits (64 or 128) holds
// all of a key of the types ts, so that equal prefixes are equal keys. It holds for
// columns of fixed width that are NOT NULL and fit together.
func PrefixExact(ts []types.Type, bits int) bool {
	sum := 0
	for i := range ts {
		w := keyBytes(&ts[i])
		if w == 0 || !ts[i].NotNull {
			return false
		}
		sum += w
	}
	return sum*8 <= bits
}

// CommonPrefix is how many leading bytes all values of a column of layout Str share,
// and those bytes (aliasing the column). Columns with nulls share none.
func CommonPrefix(c *columnar.Vector) []byte {
	if c.N == 0 || c.Valid != nil && c.NullCount() > 0 {
		return nil
	}
	common := c.Bytes(0)
	for i := 1; i < c.N && len(common) > 0; i++ {
		common = common[:Shared(common, c.Bytes(i))]
	}
	return common
}

// Shared is how many leading bytes a and b have in common.
func Shared(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if binary.LittleEndian.Uint64(a[i:]) != binary.LittleEndian.Uint64(b[i:]) {
			break
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// PrefixU64 sets dst[i] to the 64-bit prefix of slot i of the column, and returns dst
// with the column's length, grown if need be. skip is how many leading bytes of a
// column of layout Str to leave out: all rows that will be compared must share them
// (see CommonPrefix) and none may be null. It is 0 for other columns.
func PrefixU64(dst []uint64, c *columnar.Vector, skip int) []uint64 {
	dst = resize(dst, c.N)
	if c.Dict != nil {
		table := PrefixU64(nil, c.Dict, skip)
		for i, code := range c.Codes[:c.N] {
			dst[i] = 0
			if !c.IsNull(i) {
				dst[i] = table[code]
			}
		}
		return dst
	}
	fill(dst, c, 0, skip)
	return dst
}

// fill sets dst[i] to the first 8 bytes of the normalised value of slot from+i, without
// a null byte; for a null to 0. The column is not in dictionary form.
func fill(dst []uint64, c *columnar.Vector, from, skip int) {
	const top = 1 << 63
	switch layout := columnar.LayoutOf(c.Type); layout {
	case columnar.I64, columnar.T96:
		for i, v := range c.I64[from : from+len(dst)] {
			dst[i] = uint64(v) ^ top
		}
	case columnar.I32:
		shift, flip := 64-8*keyBytes(&c.Type), flip(c.Type.Kind)
		for i, v := range c.I32[from : from+len(dst)] {
			dst[i] = uint64(v)<<(shift&63) ^ flip
		}
	case columnar.F32:
		for i, v := range c.F32[from : from+len(dst)] {
			dst[i] = uint64(rank32(v)) << 32
		}
	case columnar.F64:
		for i, v := range c.F64[from : from+len(dst)] {
			dst[i] = rank64(v)
		}
	case columnar.D128:
		for i := range dst {
			dst[i] = uint64(c.D128[from+i].Hi) ^ top
		}
	case columnar.Str:
		off := c.Off[from : from+len(dst)+1]
		at := int(off[0])
		for i := range dst {
			next := int(off[i+1])
			dst[i] = load64(c.Data, at+skip, next)
			at = next
		}
	default:
		panic(fmt.Sprintf("row: key of nested type %v", c.Type.Kind))
	}
	if c.Valid != nil {
		for i := range dst {
			if c.IsNull(from + i) {
				dst[i] = 0
			}
		}
	}
}

// load64 is the first 8 bytes of data[from:to], big-endian, zeros behind the end.
func load64(data []byte, from, to int) uint64 {
	n := to - from
	if n <= 0 {
		return 0
	}
	if from+8 <= len(data) {
		v := binary.BigEndian.Uint64(data[from:])
		if n >= 8 {
			return v
		}
		return v &^ (^uint64(0) >> (8 * n))
	}
	var v uint64
	for i := range min(n, 8) {
		v |= uint64(data[from+i]) << (56 - 8*i)
	}
	return v
}

// Prefix128 sets hi[i] and lo[i] to the halves of the 128-bit prefix of slot i of the
// key columns, for slots 0 to n-1, and returns both with length n, grown if need be.
// skip is as in PrefixU64, for a first column of layout Str.
func Prefix128(hi, lo []uint64, cols []*columnar.Vector, n, skip int) ([]uint64, []uint64) {
	hi, lo = resize(hi, n), resize(lo, n)
	if len(cols) == 1 && columnar.LayoutOf(cols[0].Type) == columnar.Str {
		prefixText(hi, lo, cols[0], skip)
		return hi, lo
	}
	clear(hi)
	clear(lo)
	at := 0 // bits set so far, the same in every row
	for k, c := range cols {
		if at >= 128 {
			break
		}
		w := keyBytes(&c.Type)
		if w == 0 {
			prefixRest(hi, lo, cols[k:], at, skip)
			break
		}
		prefixFixed(hi, lo, c, at)
		at += 8 * w
		if !c.Type.NotNull {
			at += 8
		}
	}
	return hi, lo
}

// prefixText is the prefix of one column of layout Str: its bytes, not escaped.
func prefixText(hi, lo []uint64, c *columnar.Vector, skip int) {
	if c.Dict != nil {
		h, l := make([]uint64, c.Dict.N), make([]uint64, c.Dict.N)
		prefixText(h, l, c.Dict, skip)
		for i, code := range c.Codes[:len(hi)] {
			hi[i], lo[i] = 0, 0
			if !c.IsNull(i) {
				hi[i], lo[i] = h[code], l[code]
			}
		}
		return
	}
	off := c.Off[:len(hi)+1]
	at := int(off[0])
	for i := range hi {
		next := int(off[i+1])
		hi[i] = load64(c.Data, at+skip, next)
		lo[i] = load64(c.Data, at+skip+8, next)
		at = next
	}
	if c.Valid == nil {
		return
	}
	for i := range hi {
		if c.IsNull(i) {
			hi[i], lo[i] = 0, 0
		}
	}
}

// prefixFixed puts a column of fixed width at bit at of every prefix.
func prefixFixed(hi, lo []uint64, c *columnar.Vector, at int) {
	if c.Dict != nil || keyBytes(&c.Type) > 8 {
		prefixSlots(hi, lo, c, at)
		return
	}
	var keys [256]uint64
	for from := 0; from < len(hi); from += len(keys) {
		part := keys[:min(len(hi)-from, len(keys))]
		fill(part, c, from, 0)
		h, l := hi[from:from+len(part)], lo[from:from+len(part)]
		switch {
		case !c.Type.NotNull:
			for i, k := range part {
				if !c.IsNull(from + i) {
					place(h, l, i, 1<<56|k>>8, k<<56, at)
				}
			}
		case at == 0:
			copy(h, part)
		case at < 64:
			for i, k := range part {
				h[i] |= k >> (at & 63)
				l[i] |= k << ((64 - at) & 63)
			}
		default:
			for i, k := range part {
				l[i] |= k >> ((at - 64) & 63)
			}
		}
	}
}

// prefixSlots is prefixFixed slot by slot, for wide values and dictionaries.
func prefixSlots(hi, lo []uint64, c *columnar.Vector, at int) {
	layout := columnar.LayoutOf(c.Type)
	for i := range hi {
		null := c.IsNull(i)
		pos := at
		if !c.Type.NotNull {
			if !null {
				place(hi, lo, i, 1<<56, 0, at)
			}
			pos += 8
		}
		if null {
			continue
		}
		v, j := c, i
		if c.Dict != nil {
			v, j = c.Dict, int(c.Codes[i])
		}
		a, b, _ := fixedKey(v, layout, j)
		place(hi, lo, i, a, b, pos)
	}
}

// place puts the bits of a:b at bit at of prefix i; what does not fit is cut.
func place(hi, lo []uint64, i int, a, b uint64, at int) {
	switch {
	case at == 0:
		hi[i] |= a
		lo[i] |= b
	case at < 64:
		hi[i] |= a >> at
		lo[i] |= a<<(64-at) | b>>at
	case at < 128:
		lo[i] |= a >> (at - 64)
	}
}

// prefixRest fills prefixes from bit at on with the normalised keys of columns of which
// the first is of layout Str.
func prefixRest(hi, lo []uint64, cols []*columnar.Vector, at, skip int) {
	var buf []byte
	if at > 0 {
		skip = 0
	}
	room := (128 - at) / 8
	first := cols[0]
	for i := range hi {
		if first.Type.NotNull && first.Dict == nil {
			if a, b, ok := longText(first, i, skip, room); ok {
				place(hi, lo, i, a, b, at)
				continue
			}
		}
		buf = buf[:0]
		if skip > 0 {
			if !first.Type.NotNull {
				buf = append(buf, 1)
			}
			buf = appendEscaped(buf, first.Bytes(i)[skip:])
		} else {
			buf = appendNormalized(buf, first, i)
		}
		for _, c := range cols[1:] {
			if len(buf) >= room {
				break
			}
			buf = appendNormalized(buf, c, i)
		}
		buf = append(buf, zeroes...)
		place(hi, lo, i, binary.BigEndian.Uint64(buf), binary.BigEndian.Uint64(buf[8:]), at)
	}
}

// longText is the first 16 bytes of a text of which at least room bytes come after
// skip, none of them 0: there the normalised key is the text itself.
func longText(c *columnar.Vector, i, skip, room int) (a, b uint64, ok bool) {
	from, to := int(c.Off[i])+skip, int(c.Off[i+1])
	if to-from < room || from+16 > len(c.Data) {
		return 0, 0, false
	}
	a, b = binary.BigEndian.Uint64(c.Data[from:]), binary.BigEndian.Uint64(c.Data[from+8:])
	// Bytes past room do not count: make them anything but 0.
	if room <= 8 {
		return a, b, !hasZero(a | ^uint64(0)>>(8*room))
	}
	return a, b, !hasZero(a) && !hasZero(b|^uint64(0)>>(8*(room-8)))
}

// hasZero reports whether a byte of x is 0.
func hasZero(x uint64) bool { return (x-0x0101010101010101)&^x&0x8080808080808080 != 0 }
