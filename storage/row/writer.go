package row

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// maxInline is the length of the longest byte string kept in a slot.
const maxInline = 7

// bitsetBytes is the size of row kind and null bits of a row of n fields.
func bitsetBytes(n int) int { return (n + 63 + 8) / 64 * 8 }

// fixedBytes is the size of a row of n fields without its variable part.
func fixedBytes(n int) int { return bitsetBytes(n) + 8*n }

// compactTimestamp reports whether a timestamp of precision p is kept as milliseconds.
func compactTimestamp(p int) bool { return p <= 3 }

// AppendRow appends the binary row of slot i of cols, without the arity, and returns
// the longer dst. All types are written, nested ones too. dst may be nil or end at any
// length; offsets in the row count from where it starts.
func AppendRow(dst []byte, cols []*columnar.Vector, i int) []byte {
	w := writer{buf: dst}
	w.start(len(cols))
	for f, c := range cols {
		w.field(f, c, i)
	}
	return w.buf
}

// AppendValues appends the binary row of values of flat types, without the arity.
func AppendValues(dst []byte, ts []types.Type, vals []columnar.Value) []byte {
	w := writer{buf: dst}
	w.start(len(ts))
	for f := range ts {
		w.value(f, &ts[f], &vals[f])
	}
	return w.buf
}

// Serialize is the serialised form of a row of flat types: arity, then the row.
func Serialize(ts []types.Type, vals []columnar.Value) []byte {
	dst := make([]byte, 4, 4+fixedBytes(len(ts))+32)
	binary.BigEndian.PutUint32(dst, uint32(len(ts)))
	return AppendValues(dst, ts, vals)
}

// SerializeRow is the serialised form of slot i of cols.
func SerializeRow(cols []*columnar.Vector, i int) []byte {
	return AppendSerialized(nil, cols, i)
}

// AppendSerialized appends the serialised form of slot i of cols.
func AppendSerialized(dst []byte, cols []*columnar.Vector, i int) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(cols)))
	return AppendRow(dst, cols, i)
}

// writer appends one row, or one array, to buf.
type writer struct {
	buf   []byte
	base  int // where the row or array starts; offsets count from here
	nulls int // where null bit 0 lies: byte, and bit within it
	shift int
	slots int // where slot 0 lies
}

// start begins a row of n fields.
func (w *writer) start(n int) {
	w.base = len(w.buf)
	w.nulls, w.shift = w.base, 8
	w.slots = w.base + bitsetBytes(n)
	w.zeros(fixedBytes(n))
}

// zeroes are bytes to pad with.
const zeroes = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

func (w *writer) zeros(n int) {
	for ; n > len(zeroes); n -= len(zeroes) {
		w.buf = append(w.buf, zeroes...)
	}
	w.buf = append(w.buf, zeroes[:n]...)
}

func (w *writer) setNull(f int) {
	bit := f + w.shift
	w.buf[w.nulls+bit>>3] |= 1 << (bit & 7)
}

// slot sets the 8 bytes of slot f.
func (w *writer) slot(f int, v uint64) {
	binary.LittleEndian.PutUint64(w.buf[w.slots+8*f:], v)
}

// offset is where the next variable value will lie, as the high half of a slot.
func (w *writer) offset() uint64 { return uint64(len(w.buf)-w.base) << 32 }

func (w *writer) pad() {
	if r := (len(w.buf) - w.base) & 7; r != 0 {
		w.buf = append(w.buf, zeroes[:8-r]...)
	}
}

// null writes a null field. A row keeps room under a null of the types that it could
// overwrite in place; the bytes are part of the row's identity.
func (w *writer) null(f int, t *types.Type) {
	w.setNull(f)
	switch {
	case t.Kind == types.Decimal && t.Precision > types.MaxCompactPrecision:
		w.slot(f, w.offset())
		w.zeros(16)
	case (t.Kind == types.Timestamp || t.Kind == types.TimestampLTZ) && !compactTimestamp(t.Precision):
		w.slot(f, w.offset())
		w.zeros(8)
	}
}

// field writes slot i of a column as field f.
func (w *writer) field(f int, c *columnar.Vector, i int) {
	if c.IsNull(i) {
		w.null(f, &c.Type)
		return
	}
	if c.Dict != nil {
		c, i = c.Dict, int(c.Codes[i])
	}
	w.vectorSlot(f, c, i)
}

// vectorSlot writes a value that is not null into the 8-byte slot f.
func (w *writer) vectorSlot(f int, c *columnar.Vector, i int) {
	switch columnar.LayoutOf(c.Type) {
	case columnar.I32:
		w.slot(f, small(c.Type.Kind, c.I32[i]))
	case columnar.I64:
		w.int64(f, &c.Type, c.I64[i])
	case columnar.F32:
		w.slot(f, uint64(math.Float32bits(c.F32[i])))
	case columnar.F64:
		w.slot(f, math.Float64bits(c.F64[i]))
	case columnar.D128:
		w.decimal(f, c.D128[i])
	case columnar.T96:
		w.timestamp(f, c.I64[i], c.I32[i])
	case columnar.Str:
		w.bytes(f, c.Data[c.Off[i]:c.Off[i+1]])
	default:
		w.nested(f, c, i)
	}
}

// value writes a value as field f.
func (w *writer) value(f int, t *types.Type, v *columnar.Value) {
	if v.Null {
		w.null(f, t)
		return
	}
	switch columnar.LayoutOf(*t) {
	case columnar.I32:
		w.slot(f, small(t.Kind, int32(v.I)))
	case columnar.I64:
		w.int64(f, t, v.I)
	case columnar.F32:
		w.slot(f, uint64(math.Float32bits(float32(v.F))))
	case columnar.F64:
		w.slot(f, math.Float64bits(v.F))
	case columnar.D128:
		w.decimal(f, v.Int128())
	case columnar.T96:
		w.timestamp(f, v.I, int32(v.Hi))
	case columnar.Str:
		w.string(f, v.S)
	default:
		panic(fmt.Sprintf("row: value of nested type %v", t.Kind))
	}
}

// small is the slot of a value of layout I32: only the type's own width is set.
func small(k types.Kind, v int32) uint64 {
	switch k {
	case types.Boolean, types.TinyInt:
		return uint64(uint8(v))
	case types.SmallInt:
		return uint64(uint16(v))
	}
	return uint64(uint32(v))
}

func (w *writer) int64(f int, t *types.Type, v int64) {
	if (t.Kind == types.Timestamp || t.Kind == types.TimestampLTZ) && !compactTimestamp(t.Precision) {
		millis, micros := floorDiv(v, 1000)
		w.timestamp(f, millis, int32(micros)*1000)
		return
	}
	w.slot(f, uint64(v))
}

// floorDiv rounds down, so that the remainder is never negative.
func floorDiv(v, by int64) (q, r int64) {
	q, r = v/by, v%by
	if r < 0 {
		q, r = q-1, r+by
	}
	return q, r
}

func (w *writer) timestamp(f int, millis int64, nanoOfMilli int32) {
	w.slot(f, w.offset()|uint64(uint32(nanoOfMilli)))
	w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(millis))
}

func (w *writer) decimal(f int, d columnar.Int128) {
	var be [16]byte
	binary.BigEndian.PutUint64(be[:], uint64(d.Hi))
	binary.BigEndian.PutUint64(be[8:], d.Lo)
	// The shortest two's complement: drop leading bytes that repeat the sign.
	skip := 0
	sign := byte(d.Hi >> 63)
	for skip < 15 && be[skip] == sign && (be[skip+1]^sign)&0x80 == 0 {
		skip++
	}
	w.slot(f, w.offset()|uint64(16-skip))
	w.buf = append(w.buf, be[skip:]...)
	w.buf = append(w.buf, zeroes[:skip]...)
}

func (w *writer) bytes(f int, b []byte) {
	if len(b) <= maxInline {
		w.slot(f, inline(b))
		return
	}
	w.slot(f, w.offset()|uint64(len(b)))
	w.buf = append(w.buf, b...)
	w.pad()
}

func (w *writer) string(f int, s string) {
	if len(s) <= maxInline {
		w.slot(f, inline(s))
		return
	}
	w.slot(f, w.offset()|uint64(len(s)))
	w.buf = append(w.buf, s...)
	w.pad()
}

// inline is the slot of at most 7 bytes: themselves, and their number with the high
// bit set on top.
func inline[T string | []byte](b T) uint64 {
	v := uint64(0x80|len(b)) << 56
	for i := range len(b) {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}
