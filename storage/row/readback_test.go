package row

import (
	"encoding/binary"
	"math"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// What follows reads rows back into vectors, nested values too, which only tests do:
// it shows that a row keeps all of what it was made of.

// readRow reads a binary row and appends each field to its column, whose type says
// how it is read; nested types are read too. After an error the columns may differ in
// length and must be reset.
func readRow(cols []*columnar.Vector, data []byte) error {
	r, err := openRow(len(cols), data)
	if err != nil {
		return err
	}
	for f, c := range cols {
		if err := r.appendTo(c, f); err != nil {
			return err
		}
	}
	return nil
}

// readSerialized is readRow for the serialised form.
func readSerialized(cols []*columnar.Vector, data []byte) error {
	row, err := Body(len(cols), data)
	if err != nil {
		return err
	}
	return readRow(cols, row)
}

// appendTo appends field f to a column.
func (r *reader) appendTo(c *columnar.Vector, f int) error {
	if r.isNull(f) {
		c.AppendNull()
		return nil
	}
	switch columnar.LayoutOf(c.Type) {
	case columnar.I32:
		c.AppendI32(widen(c.Type.Kind, r.slot(f)))
	case columnar.I64:
		v, err := r.long(f, &c.Type)
		if err != nil {
			return err
		}
		c.AppendI64(v)
	case columnar.F32:
		c.AppendF32(math.Float32frombits(uint32(r.slot(f))))
	case columnar.F64:
		c.AppendF64(math.Float64frombits(r.slot(f)))
	case columnar.D128:
		d, err := r.decimal(r.slot(f))
		if err != nil {
			return err
		}
		c.AppendD128(d)
	case columnar.T96:
		millis, nanos, err := r.timestamp(r.slot(f))
		if err != nil {
			return err
		}
		c.AppendT96(millis, nanos)
	case columnar.Str:
		b, err := r.bytes(f)
		if err != nil {
			return err
		}
		c.AppendBytes(b)
	default:
		b, err := r.variable(r.slot(f), int(uint32(r.slot(f))))
		if err != nil {
			return err
		}
		return appendNested(c, b)
	}
	return nil
}

// appendNested reads a nested value of the column's type.
func appendNested(c *columnar.Vector, b []byte) error {
	switch c.Type.Kind {
	case types.Array:
		if _, err := readArray(c.Children[0], b); err != nil {
			return err
		}
	case types.Map, types.Multiset:
		if err := readMap(c, b); err != nil {
			return err
		}
	case types.Row:
		if err := readRow(c.Children, b); err != nil {
			return err
		}
	case types.Variant:
		if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
			return damaged("variant of %d bytes", len(b))
		}
		n := int(binary.LittleEndian.Uint32(b))
		c.Children[0].AppendBytes(b[4 : 4+n])
		c.Children[1].AppendBytes(b[4+n:])
	case types.Vector:
		n, width := c.Type.Length, elementBytes(c.Children[0].Type.Kind)
		if len(b) < 4 || binary.LittleEndian.Uint32(b) != uint32(n) || uint64(len(b)-4) != uint64(n)*uint64(width) {
			return damaged("vector of %d bytes, want %d elements of %d bytes", len(b), n, width)
		}
		for i := range n {
			getElement(c.Children[0], b[4+i*width:])
		}
	}
	c.EndList()
	return nil
}

func readMap(c *columnar.Vector, b []byte) error {
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return damaged("map of %d bytes", len(b))
	}
	n := int(binary.LittleEndian.Uint32(b))
	keys, err := readArray(c.Children[0], b[4:4+n])
	if err != nil {
		return err
	}
	values, err := readArray(c.Children[1], b[4+n:])
	if err != nil {
		return err
	}
	if keys != values {
		return damaged("map of %d keys and %d values", keys, values)
	}
	return nil
}

// readArray appends the elements of an array to c and returns how many they are.
func readArray(c *columnar.Vector, b []byte) (int, error) {
	if len(b) < 4 {
		return 0, damaged("array of %d bytes", len(b))
	}
	count, width := binary.LittleEndian.Uint32(b), elementBytes(c.Type.Kind)
	if uint64(count)*uint64(width) > uint64(len(b)) {
		return 0, damaged("array of %d elements in %d bytes", count, len(b))
	}
	n := int(count)
	head := arrayHeader(n)
	if head+n*width > len(b) {
		return 0, damaged("array of %d elements in %d bytes", n, len(b))
	}
	r := reader{data: b, nulls: b[4:head], slots: b[head : head+n*width], room: len(b)}
	packed := width < 8 || c.Type.Kind == types.Double
	for i := range n {
		switch {
		case !packed:
			if err := r.appendTo(c, i); err != nil {
				return 0, err
			}
		case r.isNull(i):
			c.AppendNull()
		default:
			getElement(c, r.slots[i*width:])
		}
	}
	return n, nil
}

// getElement appends an element of fixed width.
func getElement(c *columnar.Vector, b []byte) {
	switch k := c.Type.Kind; k {
	case types.Boolean, types.TinyInt:
		c.AppendI32(widen(k, uint64(b[0])))
	case types.SmallInt:
		c.AppendI32(widen(k, uint64(binary.LittleEndian.Uint16(b))))
	case types.Float:
		c.AppendF32(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case types.Double:
		c.AppendF64(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	case types.BigInt:
		c.AppendI64(int64(binary.LittleEndian.Uint64(b)))
	default:
		c.AppendI32(int32(binary.LittleEndian.Uint32(b)))
	}
}
