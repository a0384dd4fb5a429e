package arrowrecord

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Copy takes an Arrow record into a new batch of the types. Each column may
// have any Arrow form that holds its values: other widths and units of numbers and
// times, large and fixed-size strings and lists, dictionaries. A value that does not
// fit its type is an error.
func Copy(rec arrow.RecordBatch, ts []types.Type) (*columnar.Batch, error) {
	if int(rec.NumCols()) != len(ts) {
		return nil, fmt.Errorf("arrow record of %d columns, want %d", rec.NumCols(), len(ts))
	}
	b := columnar.NewBatch(ts, int(rec.NumRows()))
	b.N = int(rec.NumRows())
	for i, v := range b.Cols {
		if err := appendArrow(v, rec.Column(i), 0, b.N); err != nil {
			return nil, fmt.Errorf("arrow column %s: %w", rec.ColumnName(i), err)
		}
	}
	return b, nil
}

// appendArrow appends slots from to to-1 of an array.
func appendArrow(v *columnar.Vector, a arrow.Array, from, to int) error {
	for i := from; i < to; i++ {
		if a.IsNull(i) {
			v.AppendNull()
			continue
		}
		if err := appendArrowValue(v, a, i); err != nil {
			return err
		}
	}
	return nil
}

func appendArrowValue(v *columnar.Vector, a arrow.Array, i int) error {
	if d, ok := a.(*array.Dictionary); ok {
		j := d.GetValueIndex(i)
		if d.Dictionary().IsNull(j) {
			v.AppendNull()
			return nil
		}
		return appendArrowValue(v, d.Dictionary(), j)
	}
	switch columnar.LayoutOf(v.Type) {
	case columnar.I32, columnar.I64, columnar.T96, columnar.D128:
		return appendArrowNumber(v, a, i)
	case columnar.F32, columnar.F64:
		var f float64
		switch a := a.(type) {
		case *array.Float32:
			f = float64(a.Value(i))
		case *array.Float64:
			f = a.Value(i)
		default:
			return refuseArrow(v, a)
		}
		v.AppendValue(columnar.FloatValue(f))
		return nil
	case columnar.Str:
		return appendArrowText(v, a, i)
	}
	return appendArrowNested(v, a, i)
}

func refuseArrow(v *columnar.Vector, a arrow.Array) error {
	return fmt.Errorf("%v does not read as %v", a.DataType(), v.Type)
}

func appendArrowText(v *columnar.Vector, a arrow.Array, i int) error {
	switch a := a.(type) {
	case *array.String:
		v.AppendString(a.Value(i))
	case *array.LargeString:
		v.AppendString(a.Value(i))
	case *array.Binary:
		v.AppendBytes(a.Value(i))
	case *array.LargeBinary:
		v.AppendBytes(a.Value(i))
	case *array.FixedSizeBinary:
		v.AppendBytes(a.Value(i))
	default:
		return refuseArrow(v, a)
	}
	return nil
}

// appendArrowNumber appends to the layouts of integers.
func appendArrowNumber(v *columnar.Vector, a arrow.Array, i int) error {
	switch v.Type.Kind {
	case types.Boolean:
		b, ok := a.(*array.Boolean)
		if !ok {
			return refuseArrow(v, a)
		}
		x := int32(0)
		if b.Value(i) {
			x = 1
		}
		v.AppendI32(x)
		return nil
	case types.Decimal:
		return appendArrowDecimal(v, a, i)
	case types.Timestamp, types.TimestampLTZ:
		return appendArrowTimestamp(v, a, i)
	}
	x, ok := arrowInt(a, i)
	if !ok {
		return refuseArrow(v, a)
	}
	if columnar.LayoutOf(v.Type) == columnar.I64 {
		v.AppendI64(x)
		return nil
	}
	if int64(int32(x)) != x {
		return fmt.Errorf("value %d does not fit %v", x, v.Type)
	}
	v.AppendI32(int32(x))
	return nil
}

func arrowInt(a arrow.Array, i int) (int64, bool) {
	switch a := a.(type) {
	case *array.Int8:
		return int64(a.Value(i)), true
	case *array.Int16:
		return int64(a.Value(i)), true
	case *array.Int32:
		return int64(a.Value(i)), true
	case *array.Int64:
		return a.Value(i), true
	case *array.Uint8:
		return int64(a.Value(i)), true
	case *array.Uint16:
		return int64(a.Value(i)), true
	case *array.Uint32:
		return int64(a.Value(i)), true
	case *array.Date32:
		return int64(a.Value(i)), true
	case *array.Date64:
		return floorDiv(int64(a.Value(i)), 86_400_000), true
	case *array.Time32:
		if a.DataType().(*arrow.Time32Type).Unit == arrow.Second {
			return int64(a.Value(i)) * 1000, true
		}
		return int64(a.Value(i)), true
	case *array.Time64:
		if a.DataType().(*arrow.Time64Type).Unit == arrow.Microsecond {
			return int64(a.Value(i)) / 1000, true
		}
		return int64(a.Value(i)) / 1_000_000, true
	}
	return 0, false
}

func floorDiv(x, by int64) int64 {
	q := x / by
	if x%by < 0 {
		q--
	}
	return q
}

func appendArrowDecimal(v *columnar.Vector, a arrow.Array, i int) error {
	var d columnar.Int128
	var scale int32
	switch a := a.(type) {
	case *array.Decimal128:
		x := a.Value(i)
		d, scale = columnar.Int128{Lo: x.LowBits(), Hi: x.HighBits()}, a.DataType().(*arrow.Decimal128Type).Scale
	case *array.Decimal64:
		x := int64(a.Value(i))
		d, scale = columnar.Int128{Lo: uint64(x), Hi: x >> 63}, a.DataType().(*arrow.Decimal64Type).Scale
	case *array.Decimal32:
		x := int64(a.Value(i))
		d, scale = columnar.Int128{Lo: uint64(x), Hi: x >> 63}, a.DataType().(*arrow.Decimal32Type).Scale
	default:
		return refuseArrow(v, a)
	}
	if int(scale) != v.Type.Scale {
		return fmt.Errorf("scale %d, want %v", scale, v.Type)
	}
	if columnar.LayoutOf(v.Type) == columnar.D128 {
		v.AppendD128(d)
		return nil
	}
	if d.Hi != int64(d.Lo)>>63 {
		return fmt.Errorf("decimal does not fit %v", v.Type)
	}
	v.AppendI64(int64(d.Lo))
	return nil
}

func appendArrowTimestamp(v *columnar.Vector, a arrow.Array, i int) error {
	t, ok := a.(*array.Timestamp)
	if !ok {
		return refuseArrow(v, a)
	}
	x := int64(t.Value(i))
	per := int64(1) // units of the array in a millisecond; seconds are made milliseconds
	switch t.DataType().(*arrow.TimestampType).Unit {
	case arrow.Second:
		x *= 1000
	case arrow.Microsecond:
		per = 1_000
	case arrow.Nanosecond:
		per = 1_000_000
	}
	ms := floorDiv(x, per)
	nanos := (x - ms*per) * (1_000_000 / per)
	switch {
	case columnar.LayoutOf(v.Type) == columnar.T96:
		v.AppendT96(ms, int32(nanos))
	case v.Type.Precision > 3:
		v.AppendI64(ms*1000 + nanos/1000)
	default:
		v.AppendI64(ms)
	}
	return nil
}

func appendArrowNested(v *columnar.Vector, a arrow.Array, i int) error {
	switch a := a.(type) {
	case *array.Map:
		if len(v.Children) != 2 {
			return refuseArrow(v, a)
		}
		from, to := a.ValueOffsets(i)
		if err := appendArrow(v.Children[0], a.Keys(), int(from), int(to)); err != nil {
			return err
		}
		if err := appendArrow(v.Children[1], a.Items(), int(from), int(to)); err != nil {
			return err
		}
	case array.ListLike:
		if v.Type.Kind != types.Array && v.Type.Kind != types.Vector {
			return refuseArrow(v, a)
		}
		from, to := a.ValueOffsets(i)
		if v.Type.Kind == types.Vector && int(to-from) != v.Type.Length {
			return fmt.Errorf("list of %d elements, want %v", to-from, v.Type)
		}
		if err := appendArrow(v.Children[0], a.ListValues(), int(from), int(to)); err != nil {
			return err
		}
	case *array.Struct:
		if err := appendArrowStruct(v, a, i); err != nil {
			return err
		}
	default:
		return refuseArrow(v, a)
	}
	v.EndList()
	return nil
}

// appendArrowStruct finds members by name; one that is missing is null.
func appendArrowStruct(v *columnar.Vector, a *array.Struct, i int) error {
	names := []string{"value", "metadata"}
	if v.Type.Kind == types.Row {
		names = names[:0]
		for j := range v.Type.Fields {
			names = append(names, v.Type.Fields[j].Name)
		}
	} else if v.Type.Kind != types.Variant {
		return refuseArrow(v, a)
	}
	t := a.DataType().(*arrow.StructType)
	for j, c := range v.Children {
		at, ok := t.FieldIdx(names[j])
		if !ok {
			c.AppendNull()
			continue
		}
		if err := appendArrow(c, a.Field(at), i, i+1); err != nil {
			return err
		}
	}
	return nil
}
