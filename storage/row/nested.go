package row

import (
	"encoding/binary"
	"math"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// nested writes a value of a nested type into the variable part and its place into
// slot f.
func (w *writer) nested(f int, c *columnar.Vector, i int) {
	place, start := w.offset(), len(w.buf)
	switch c.Type.Kind {
	case types.Array:
		w.buf = appendArray(w.buf, c.Children[0], int(c.Off[i]), int(c.Off[i+1]))
	case types.Map, types.Multiset:
		w.buf = appendMap(w.buf, c, i)
	case types.Row:
		w.buf = AppendRow(w.buf, c.Children, i)
	case types.Variant:
		value, meta := c.Children[0].Bytes(i), c.Children[1].Bytes(i)
		w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(len(value)))
		w.buf = append(append(w.buf, value...), meta...)
	case types.Vector:
		w.buf = appendPacked(w.buf, c.Children[0], i*c.Type.Length, (i+1)*c.Type.Length)
	}
	w.slot(f, place|uint64(len(w.buf)-start))
	w.pad()
}

// appendMap writes the bytes of the key array, the key array and the value array.
func appendMap(dst []byte, c *columnar.Vector, i int) []byte {
	from, to := int(c.Off[i]), int(c.Off[i+1])
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = appendArray(dst, c.Children[0], from, to)
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return appendArray(dst, c.Children[1], from, to)
}

// elementBytes is the width of an element of an array, and of a VECTOR.
func elementBytes(k types.Kind) int {
	switch k {
	case types.Boolean, types.TinyInt:
		return 1
	case types.SmallInt:
		return 2
	case types.Int, types.Float, types.Date, types.Time:
		return 4
	}
	return 8
}

// arrayHeader is the size of the count and the null bits of an array of n elements.
func arrayHeader(n int) int { return 4 + (n+31)/32*4 }

// appendArray writes entries from to to of c as an array.
func appendArray(dst []byte, c *columnar.Vector, from, to int) []byte {
	n, width := to-from, elementBytes(c.Type.Kind)
	w := writer{buf: dst, base: len(dst), nulls: len(dst) + 4, slots: len(dst) + arrayHeader(n)}
	w.zeros(arrayHeader(n) + n*width)
	binary.LittleEndian.PutUint32(w.buf[w.base:], uint32(n))
	w.pad()
	for i := from; i < to; i++ {
		if c.IsNull(i) {
			w.setNull(i - from)
			continue
		}
		v, j := c, i
		if c.Dict != nil {
			v, j = c.Dict, int(c.Codes[i])
		}
		if width < 8 || c.Type.Kind == types.Double {
			putElement(w.buf[w.slots+(i-from)*width:], v, j)
		} else {
			w.vectorSlot(i-from, v, j)
		}
	}
	return w.buf
}

// appendPacked writes a VECTOR: the count, then the elements side by side.
func appendPacked(dst []byte, c *columnar.Vector, from, to int) []byte {
	width := elementBytes(c.Type.Kind)
	w := writer{buf: binary.LittleEndian.AppendUint32(dst, uint32(to-from))}
	at := len(w.buf)
	w.zeros((to - from) * width)
	for i := from; i < to; i++ {
		putElement(w.buf[at+(i-from)*width:], c, i)
	}
	return w.buf
}

// Arrays hold one NaN only, rows keep its bits.
const (
	nan32 = 0x7fc00000
	nan64 = 0x7ff8000000000000
)

// putElement writes an element of fixed width.
func putElement(dst []byte, c *columnar.Vector, i int) {
	switch c.Type.Kind {
	case types.Boolean, types.TinyInt:
		dst[0] = byte(c.I32[i])
	case types.SmallInt:
		binary.LittleEndian.PutUint16(dst, uint16(c.I32[i]))
	case types.Float:
		b := math.Float32bits(c.F32[i])
		if c.F32[i] != c.F32[i] {
			b = nan32
		}
		binary.LittleEndian.PutUint32(dst, b)
	case types.Double:
		b := math.Float64bits(c.F64[i])
		if c.F64[i] != c.F64[i] {
			b = nan64
		}
		binary.LittleEndian.PutUint64(dst, b)
	case types.BigInt:
		binary.LittleEndian.PutUint64(dst, uint64(c.I64[i]))
	default:
		binary.LittleEndian.PutUint32(dst, uint32(c.I32[i]))
	}
}
