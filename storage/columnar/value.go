package columnar

import (
	"cmp"
	"encoding/binary"
	"math"
	"strings"
	"time"

	"github.com/lakesql/lakesql/storage/types"
)

// Value is one value of a flat type outside a vector: a literal, a bound, a
// partition key. Which members count follows from the type's Layout; the others
// are zero, so that == compares values of one type.
type Value struct {
	Null bool
	I    int64   // I32, I64; the milliseconds of T96; the low 64 bits of D128
	Hi   int64   // the high 64 bits of D128; the nanoseconds within the millisecond of T96
	F    float64 // F32, F64
	S    string  // Str
}

// NullValue is the null of every type.
var NullValue = Value{Null: true}

// IntValue is a value of layout I32 or I64.
func IntValue(i int64) Value { return Value{I: i} }

// FloatValue is a value of layout F32 or F64.
func FloatValue(f float64) Value { return Value{F: f} }

// StringValue is a value of layout Str: text or bytes.
func StringValue(s string) Value { return Value{S: s} }

// DecimalValue is a value of layout D128.
func DecimalValue(d Int128) Value { return Value{I: int64(d.Lo), Hi: d.Hi} }

// Time96Value is a value of layout T96.
func Time96Value(millis int64, nanoOfMilli int32) Value {
	return Value{I: millis, Hi: int64(nanoOfMilli)}
}

// Int128 is the value of layout D128.
func (v Value) Int128() Int128 { return Int128{Lo: uint64(v.I), Hi: v.Hi} }

// Compare orders two values of type t as keys are ordered: null first, numbers
// naturally with -0.0 before 0.0 and NaN last, text and bytes by unsigned bytes.
func Compare(t types.Type, a, b Value) int {
	if a.Null || b.Null {
		switch {
		case a.Null && b.Null:
			return 0
		case a.Null:
			return -1
		}
		return 1
	}
	switch LayoutOf(t) {
	case F32, F64:
		return CompareFloat(a.F, b.F)
	case D128:
		return a.Int128().Compare(b.Int128())
	case T96:
		if c := cmp.Compare(a.I, b.I); c != 0 {
			return c
		}
		return cmp.Compare(a.Hi, b.Hi)
	case Str:
		return strings.Compare(a.S, b.S)
	}
	return cmp.Compare(a.I, b.I)
}

// CompareFloat orders as Java's Double.compare: -0.0 before 0.0, NaN equal to
// itself and after everything else.
func CompareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b && a != 0:
		return 0
	}
	return cmp.Compare(FloatRank64(a), FloatRank64(b))
}

// FloatRank64 is an unsigned integer of the same order, one for all NaNs.
func FloatRank64(f float64) uint64 {
	if f != f {
		return math.MaxUint64
	}
	b := math.Float64bits(f)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// FloatRank32 is FloatRank64 for FLOAT, in 32 bits.
func FloatRank32(f float32) uint32 {
	if f != f {
		return math.MaxUint32
	}
	b := math.Float32bits(f)
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}

// Head is the first 8 bytes of data[from:to] as a big-endian number, zeros behind the
// end: where two differ, their order is that of the bytes.
func Head(data []byte, from, to int) uint64 {
	n := to - from
	if from+8 <= len(data) {
		h := binary.BigEndian.Uint64(data[from:])
		if n >= 8 {
			return h
		}
		return h &^ (^uint64(0) >> (8 * n))
	}
	return shortHead(data[from:to])
}

func shortHead(b []byte) (h uint64) {
	for i, c := range b[:min(len(b), 8)] {
		h |= uint64(c) << (56 - 8*i)
	}
	return h
}

// Instant is the value of a TIMESTAMP of type t as a time in UTC, which stands for a
// local date and time.
func (v Value) Instant(t types.Type) time.Time {
	switch {
	case t.Precision <= 3:
		return time.UnixMilli(v.I).UTC()
	case t.Precision <= 6:
		return time.UnixMicro(v.I).UTC()
	}
	return time.UnixMilli(v.I).Add(time.Duration(v.Hi)).UTC()
}

// Compare orders two 128-bit integers.
func (d Int128) Compare(o Int128) int {
	if c := cmp.Compare(d.Hi, o.Hi); c != 0 {
		return c
	}
	return cmp.Compare(d.Lo, o.Lo)
}
