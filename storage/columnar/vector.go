package columnar

import (
	"fmt"
	"math/bits"

	"github.com/lakesql/lakesql/storage/types"
)

// SlackBytes is the room kept behind the bytes of a string vector that we build.
const SlackBytes = 64

// Layout says which slices of a Vector hold a type's values.
type Layout uint8

// The layouts.
const (
	// I32 holds BOOLEAN (0 or 1), TINYINT, SMALLINT, INT, DATE (days since
	// 1970-01-01) and TIME (milliseconds of the day) in Vector.I32.
	I32 Layout = iota
	// I64 holds BIGINT, DECIMAL(p <= 18) as its unscaled value, TIMESTAMP and
	// TIMESTAMP_LTZ as milliseconds (p <= 3) or microseconds (p <= 6) since the
	// epoch in Vector.I64.
	I64
	// F32 holds FLOAT in Vector.F32.
	F32
	// F64 holds DOUBLE in Vector.F64.
	F64
	// D128 holds the unscaled value of DECIMAL(p > 18) in Vector.D128.
	D128
	// T96 holds timestamps of p > 6: milliseconds since the epoch in Vector.I64
	// and nanoseconds within the millisecond (0 to 999999) in Vector.I32.
	T96
	// Str holds CHAR, VARCHAR, BINARY, VARBINARY, BLOB, GEOMETRY and GEOGRAPHY:
	// value i is Data[Off[i]:Off[i+1]].
	Str
	// List holds ARRAY (Children: element), MAP (key, value) and MULTISET
	// (element, INT count): entries of row i are Off[i] to Off[i+1] of Children.
	List
	// Struct holds ROW (Children: one vector a field, N slots each), VARIANT
	// (Children: value, metadata, both Str).
	Struct
	// Fixed holds VECTOR: entries of row i are i*Length to (i+1)*Length of
	// Children[0].
	Fixed
)

// LayoutOf is the layout of a type's vectors.
func LayoutOf(t types.Type) Layout {
	switch t.Kind {
	case types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.Date, types.Time:
		return I32
	case types.BigInt:
		return I64
	case types.Decimal:
		if t.Precision > types.MaxCompactPrecision {
			return D128
		}
		return I64
	case types.Timestamp, types.TimestampLTZ:
		if t.Precision > 6 {
			return T96
		}
		return I64
	case types.Float:
		return F32
	case types.Double:
		return F64
	case types.Array, types.Map, types.Multiset:
		return List
	case types.Row, types.Variant:
		return Struct
	case types.Vector:
		return Fixed
	}
	return Str
}

// Int128 is a 128-bit integer in two's complement: Hi*2^64 + Lo. The layout is Arrow's.
type Int128 struct {
	Lo uint64
	Hi int64
}

// Vector is one column of a batch. See the package's rules for what its slices hold.
type Vector struct {
	Type     types.Type
	N        int
	Valid    []uint64
	I32      []int32
	I64      []int64
	F32      []float32
	F64      []float64
	D128     []Int128
	Off      []int32
	Data     []byte
	Children []*Vector
	// Codes and Dict, when Dict is set, hold a Str, I32, I64 or T96 column in
	// dictionary form: value i is Dict's value Codes[i], and no other slice but
	// Valid is set. Only readers that were asked for it return this form. The
	// code under a null is 0.
	Codes []int32
	Dict  *Vector
}

// NewVector returns an empty vector of the type, with room for n slots.
func NewVector(t types.Type, n int) *Vector {
	v := &Vector{Type: t}
	v.init()
	v.Reserve(n)
	return v
}

func (v *Vector) init() {
	switch LayoutOf(v.Type) {
	case Str, List:
		v.Off = append(v.Off[:0], 0)
	}
	if v.Children == nil {
		for _, ct := range ChildTypes(v.Type) {
			c := &Vector{Type: ct}
			c.init()
			v.Children = append(v.Children, c)
		}
	}
}

// ChildTypes are the types of the children of a nested type's vector; nil for a flat type.
func ChildTypes(t types.Type) []types.Type {
	switch t.Kind {
	case types.Array, types.Vector:
		return []types.Type{*t.Elem}
	case types.Map:
		return []types.Type{t.Key.WithNotNull(true), *t.Elem}
	case types.Multiset:
		return []types.Type{*t.Elem, types.Of(types.Int).WithNotNull(true)}
	case types.Row:
		out := make([]types.Type, len(t.Fields))
		for i := range t.Fields {
			out[i] = t.Fields[i].Type
		}
		return out
	case types.Variant:
		return []types.Type{types.Bytes().WithNotNull(true), types.Bytes().WithNotNull(true)}
	}
	return nil
}

// Reserve makes room for n more slots.
func (v *Vector) Reserve(n int) {
	switch LayoutOf(v.Type) {
	case I32:
		v.I32 = grow(v.I32, n)
	case I64:
		v.I64 = grow(v.I64, n)
	case F32:
		v.F32 = grow(v.F32, n)
	case F64:
		v.F64 = grow(v.F64, n)
	case D128:
		v.D128 = grow(v.D128, n)
	case T96:
		v.I64, v.I32 = grow(v.I64, n), grow(v.I32, n)
	case Str, List:
		v.Off = grow(v.Off, n+1)
	}
}

func grow[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	c := max(2*cap(s), len(s)+n)
	out := make([]T, len(s), c)
	copy(out, s)
	return out
}

// Reset empties the vector and keeps its memory.
func (v *Vector) Reset() {
	v.N = 0
	v.Valid = nil
	v.I32, v.I64, v.F32, v.F64, v.D128 = v.I32[:0], v.I64[:0], v.F32[:0], v.F64[:0], v.D128[:0]
	v.Data = v.Data[:0]
	v.Codes, v.Dict = nil, nil
	if l := LayoutOf(v.Type); l == Str || l == List {
		v.Off = append(v.Off[:0], 0)
	}
	for _, c := range v.Children {
		c.Reset()
	}
}

// IsNull reports whether slot i is null.
func (v *Vector) IsNull(i int) bool {
	return v.Valid != nil && v.Valid[i>>6]&(1<<(uint(i)&63)) == 0
}

// NullCount counts the null slots.
func (v *Vector) NullCount() int {
	if v.Valid == nil {
		return 0
	}
	set := 0
	full := v.N >> 6
	for _, w := range v.Valid[:full] {
		set += bits.OnesCount64(w)
	}
	if r := uint(v.N) & 63; r != 0 {
		set += bits.OnesCount64(v.Valid[full] & (1<<r - 1))
	}
	return v.N - set
}

// Bytes is value i of a Str vector. It aliases the vector.
func (v *Vector) Bytes(i int) []byte {
	if v.Dict != nil {
		return v.Dict.Bytes(int(v.Codes[i]))
	}
	return v.Data[v.Off[i]:v.Off[i+1]]
}

// pushValid records the validity of the slot that is being appended, before N grows.
func (v *Vector) pushValid(valid bool) {
	if v.Valid == nil {
		if valid {
			return
		}
		v.Valid = make([]uint64, (v.N>>6)+1, max((cap(v.Off)>>6)+1, (v.N>>6)+8))
		for i := range v.Valid {
			v.Valid[i] = ^uint64(0)
		}
		if r := uint(v.N) & 63; r != 0 {
			v.Valid[v.N>>6] = 1<<r - 1
		} else {
			v.Valid[v.N>>6] = 0
		}
	}
	w := v.N >> 6
	if w == len(v.Valid) {
		v.Valid = append(v.Valid, 0)
	}
	if valid {
		v.Valid[w] |= 1 << (uint(v.N) & 63)
	}
}

// AppendNull appends a null slot.
func (v *Vector) AppendNull() {
	v.pushValid(false)
	switch LayoutOf(v.Type) {
	case I32:
		v.I32 = append(v.I32, 0)
	case I64:
		v.I64 = append(v.I64, 0)
	case F32:
		v.F32 = append(v.F32, 0)
	case F64:
		v.F64 = append(v.F64, 0)
	case D128:
		v.D128 = append(v.D128, Int128{})
	case T96:
		v.I64, v.I32 = append(v.I64, 0), append(v.I32, 0)
	case Str:
		v.Off = append(v.Off, v.Off[v.N])
	case List:
		v.Off = append(v.Off, v.Off[v.N])
	case Struct:
		for _, c := range v.Children {
			c.AppendNull()
		}
	case Fixed:
		for range v.Type.Length {
			v.Children[0].AppendNull()
		}
	}
	v.N++
}

// AppendI32 appends a value of layout I32.
func (v *Vector) AppendI32(x int32) {
	v.pushValid(true)
	v.I32 = append(v.I32, x)
	v.N++
}

// AppendI64 appends a value of layout I64.
func (v *Vector) AppendI64(x int64) {
	v.pushValid(true)
	v.I64 = append(v.I64, x)
	v.N++
}

// AppendF32 appends a value of layout F32.
func (v *Vector) AppendF32(x float32) {
	v.pushValid(true)
	v.F32 = append(v.F32, x)
	v.N++
}

// AppendF64 appends a value of layout F64.
func (v *Vector) AppendF64(x float64) {
	v.pushValid(true)
	v.F64 = append(v.F64, x)
	v.N++
}

// AppendD128 appends a value of layout D128.
func (v *Vector) AppendD128(x Int128) {
	v.pushValid(true)
	v.D128 = append(v.D128, x)
	v.N++
}

// AppendT96 appends a value of layout T96.
func (v *Vector) AppendT96(millis int64, nanoOfMilli int32) {
	v.pushValid(true)
	v.I64, v.I32 = append(v.I64, millis), append(v.I32, nanoOfMilli)
	v.N++
}

// AppendBytes appends a value of layout Str.
func (v *Vector) AppendBytes(b []byte) {
	v.pushValid(true)
	v.Data = append(v.Data, b...)
	v.Off = append(v.Off, int32(len(v.Data)))
	v.N++
}

// AppendString appends a value of layout Str.
func (v *Vector) AppendString(s string) {
	v.pushValid(true)
	v.Data = append(v.Data, s...)
	v.Off = append(v.Off, int32(len(v.Data)))
	v.N++
}

// EndList closes a slot of a List or Struct or Fixed vector whose entries were
// appended to Children: all entries since the slot before belong to it.
func (v *Vector) EndList() {
	v.pushValid(true)
	if LayoutOf(v.Type) == List {
		v.Off = append(v.Off, int32(v.Children[0].N))
	}
	v.N++
}

// AppendValue appends a value of a flat type.
func (v *Vector) AppendValue(x Value) {
	if x.Null {
		v.AppendNull()
		return
	}
	switch LayoutOf(v.Type) {
	case I32:
		v.AppendI32(int32(x.I))
	case I64:
		v.AppendI64(x.I)
	case F32:
		v.AppendF32(float32(x.F))
	case F64:
		v.AppendF64(x.F)
	case D128:
		v.AppendD128(x.Int128())
	case T96:
		v.AppendT96(x.I, int32(x.Hi))
	case Str:
		v.AppendString(x.S)
	default:
		panic(fmt.Sprintf("columnar: AppendValue on a vector of nested type %v", v.Type.Kind))
	}
}

// Value is slot i of a vector of a flat type.
func (v *Vector) Value(i int) Value {
	if v.IsNull(i) {
		return NullValue
	}
	if v.Dict != nil {
		return v.Dict.Value(int(v.Codes[i]))
	}
	switch LayoutOf(v.Type) {
	case I32:
		return IntValue(int64(v.I32[i]))
	case I64:
		return IntValue(v.I64[i])
	case F32:
		return FloatValue(float64(v.F32[i]))
	case F64:
		return FloatValue(v.F64[i])
	case D128:
		return DecimalValue(v.D128[i])
	case T96:
		return Time96Value(v.I64[i], v.I32[i])
	case Str:
		return StringValue(string(v.Data[v.Off[i]:v.Off[i+1]]))
	}
	panic(fmt.Sprintf("columnar: Value of a vector of nested type %v", v.Type.Kind))
}
