package arrowrecord

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// arrowFields are the fields of a record of columns, see arrowType.
func arrowFields(fields []types.Field) ([]arrow.Field, error) {
	out := make([]arrow.Field, len(fields))
	for i, f := range fields {
		t, err := arrowType(f.Type)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", f.Name, err)
		}
		out[i] = arrow.Field{Name: f.Name, Type: t, Nullable: !f.Type.NotNull}
	}
	return out, nil
}

// arrowType is a column's type in Arrow: decimals are decimal128, times time32[ms],
// timestamps of p <= 3, p <= 6 and above have milli-, micro- and nanoseconds,
// TIMESTAMP_LTZ the zone UTC; a MULTISET is a map from element to count and a VARIANT
// a struct of value and metadata.
func arrowType(t types.Type) (arrow.DataType, error) {
	switch t.Kind {
	case types.Boolean:
		return arrow.FixedWidthTypes.Boolean, nil
	case types.TinyInt:
		return arrow.PrimitiveTypes.Int8, nil
	case types.SmallInt:
		return arrow.PrimitiveTypes.Int16, nil
	case types.Int:
		return arrow.PrimitiveTypes.Int32, nil
	case types.BigInt:
		return arrow.PrimitiveTypes.Int64, nil
	case types.Float:
		return arrow.PrimitiveTypes.Float32, nil
	case types.Double:
		return arrow.PrimitiveTypes.Float64, nil
	case types.Date:
		return arrow.FixedWidthTypes.Date32, nil
	case types.Time:
		return arrow.FixedWidthTypes.Time32ms, nil
	case types.Decimal:
		return &arrow.Decimal128Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}, nil
	case types.Timestamp, types.TimestampLTZ:
		return arrowTimestamp(t), nil
	case types.Char, types.VarChar:
		return arrow.BinaryTypes.String, nil
	case types.Binary, types.VarBinary, types.Blob, types.Geometry, types.Geography:
		return arrow.BinaryTypes.Binary, nil
	}
	return arrowNested(t)
}

func arrowTimestamp(t types.Type) arrow.DataType {
	out := &arrow.TimestampType{Unit: arrow.Millisecond}
	if t.Kind == types.TimestampLTZ {
		out.TimeZone = "UTC"
	}
	switch {
	case t.Precision > 6:
		out.Unit = arrow.Nanosecond
	case t.Precision > 3:
		out.Unit = arrow.Microsecond
	}
	return out
}

func arrowNested(t types.Type) (arrow.DataType, error) {
	kids := columnar.ChildTypes(t)
	if kids == nil {
		return nil, fmt.Errorf("type %v has no form in arrow", t)
	}
	sub := make([]arrow.DataType, len(kids))
	for i, k := range kids {
		var err error
		if sub[i], err = arrowType(k); err != nil {
			return nil, err
		}
	}
	switch t.Kind {
	case types.Array:
		return arrow.ListOfField(arrow.Field{Name: "element", Type: sub[0], Nullable: !kids[0].NotNull}), nil
	case types.Vector:
		return arrow.FixedSizeListOfField(int32(t.Length), arrow.Field{Name: "element", Type: sub[0], Nullable: !kids[0].NotNull}), nil
	case types.Map, types.Multiset:
		m := arrow.MapOf(sub[0], sub[1])
		m.SetItemNullable(!kids[1].NotNull)
		return m, nil
	case types.Row:
		fields, err := arrowFields(t.Fields)
		if err != nil {
			return nil, err
		}
		return arrow.StructOf(fields...), nil
	}
	return arrow.StructOf(arrow.Field{Name: "value", Type: sub[0]}, arrow.Field{Name: "metadata", Type: sub[1]}), nil
}

// Wrap presents the live rows of a batch as an Arrow record. What has Arrow's form
// already is not copied, so that the record is valid as long as the batch; it need
// not be released. Row kinds are left out. A batch with a selection is copied.
// Timestamps beyond microseconds must lie in the years 1678 to 2261.
func Wrap(b *columnar.Batch, fields []types.Field) (arrow.RecordBatch, error) {
	if b.Sel != nil {
		ts := make([]types.Type, len(b.Cols))
		for i, c := range b.Cols {
			ts[i] = c.Type
		}
		dense := columnar.NewBatch(ts, b.Rows())
		dense.Append(b)
		b = dense
	}
	out := make([]arrow.Field, len(fields))
	arrays := make([]arrow.Array, len(fields))
	for i, v := range b.Cols {
		data, err := toArrowData(v)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", fields[i].Name, err)
		}
		arrays[i] = array.MakeFromData(data)
		out[i] = arrow.Field{Name: fields[i].Name, Type: data.DataType(), Nullable: !fields[i].Type.NotNull}
	}
	return array.NewRecordBatch(arrow.NewSchema(out, nil), arrays, int64(b.N)), nil
}

func buffer[T any](s []T) *memory.Buffer {
	var t T
	if len(s) == 0 {
		return memory.NewBufferBytes(nil)
	}
	return memory.NewBufferBytes(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t))))
}

func toArrowData(v *columnar.Vector) (arrow.ArrayData, error) {
	var valid *memory.Buffer
	if v.Valid != nil {
		valid = buffer(v.Valid)
	}
	nulls := v.NullCount()
	if v.Dict != nil {
		dict, err := toArrowData(v.Dict)
		if err != nil {
			return nil, err
		}
		dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: dict.DataType()}
		return array.NewDataWithDictionary(dt, v.N, []*memory.Buffer{valid, buffer(v.Codes)}, nulls, 0, dict.(*array.Data)), nil
	}
	dt, err := arrowType(v.Type)
	if err != nil {
		return nil, err
	}
	flat := func(bufs ...*memory.Buffer) (arrow.ArrayData, error) {
		return array.NewData(dt, v.N, append([]*memory.Buffer{valid}, bufs...), nil, nulls, 0), nil
	}
	switch columnar.LayoutOf(v.Type) {
	case columnar.I32:
		return flat(buffer32(v))
	case columnar.I64:
		if v.Type.Kind == types.Decimal {
			wide := make([]columnar.Int128, v.N)
			for i, x := range v.I64[:v.N] {
				wide[i] = columnar.Int128{Lo: uint64(x), Hi: x >> 63}
			}
			return flat(buffer(wide))
		}
		return flat(buffer(v.I64[:v.N]))
	case columnar.F32:
		return flat(buffer(v.F32[:v.N]))
	case columnar.F64:
		return flat(buffer(v.F64[:v.N]))
	case columnar.D128:
		return flat(buffer(v.D128[:v.N]))
	case columnar.T96:
		nanos, err := toNanos(v)
		if err != nil {
			return nil, err
		}
		return flat(buffer(nanos))
	case columnar.Str:
		return flat(buffer(v.Off[:v.N+1]), buffer(v.Data))
	}
	return nestedArrowData(v, dt, valid, nulls)
}

// buffer32 narrows what Arrow keeps in fewer bits.
func buffer32(v *columnar.Vector) *memory.Buffer {
	switch v.Type.Kind {
	case types.Boolean:
		bits := make([]byte, (v.N+7)/8)
		for i, x := range v.I32[:v.N] {
			bits[i>>3] |= byte(x&1) << uint(i&7)
		}
		return buffer(bits)
	case types.TinyInt:
		out := make([]int8, v.N)
		for i, x := range v.I32[:v.N] {
			out[i] = int8(x)
		}
		return buffer(out)
	case types.SmallInt:
		out := make([]int16, v.N)
		for i, x := range v.I32[:v.N] {
			out[i] = int16(x)
		}
		return buffer(out)
	}
	return buffer(v.I32[:v.N])
}

func toNanos(v *columnar.Vector) ([]int64, error) {
	out := make([]int64, v.N)
	const limit = math.MaxInt64 / 1_000_000
	for i, ms := range v.I64[:v.N] {
		if ms >= limit || ms <= -limit {
			return nil, fmt.Errorf("timestamp of %d milliseconds does not fit arrow's nanoseconds", ms)
		}
		out[i] = ms*1_000_000 + int64(v.I32[i])
	}
	return out, nil
}

func nestedArrowData(v *columnar.Vector, dt arrow.DataType, valid *memory.Buffer, nulls int) (arrow.ArrayData, error) {
	kids := make([]arrow.ArrayData, len(v.Children))
	for i, c := range v.Children {
		var err error
		if kids[i], err = toArrowData(c); err != nil {
			return nil, err
		}
	}
	bufs := []*memory.Buffer{valid}
	switch v.Type.Kind {
	case types.Array:
		bufs = append(bufs, buffer(v.Off[:v.N+1]))
	case types.Map, types.Multiset:
		bufs = append(bufs, buffer(v.Off[:v.N+1]))
		entries := array.NewData(dt.(*arrow.MapType).Elem(), v.Children[0].N, []*memory.Buffer{nil}, kids, 0, 0)
		kids = []arrow.ArrayData{entries}
	}
	return array.NewData(dt, v.N, bufs, kids, nulls, 0), nil
}
