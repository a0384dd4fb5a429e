package row

import (
	"encoding/binary"
	"math"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Deserialize reads the serialised form of a row of flat types. The row must have as
// many fields as ts. nil is the row without fields. Strings do not alias data.
func Deserialize(ts []types.Type, data []byte) ([]columnar.Value, error) {
	row, err := Body(len(ts), data)
	if err != nil {
		return nil, err
	}
	return Decode(ts, row)
}

// Body checks the arity in front of a serialised row and returns the row. For arity 0
// data may be nil.
func Body(arity int, data []byte) ([]byte, error) {
	if data == nil && arity == 0 {
		return make([]byte, fixedBytes(0)), nil
	}
	if len(data) < 4 {
		return nil, damaged("serialised row has %d bytes", len(data))
	}
	if n := binary.BigEndian.Uint32(data); n != uint32(arity) {
		return nil, damaged("serialised row has %d fields, want %d", n, arity)
	}
	return data[4:], nil
}

// Decode reads a binary row of flat types. Strings do not alias data.
func Decode(ts []types.Type, data []byte) ([]columnar.Value, error) {
	r, err := openRow(len(ts), data)
	if err != nil {
		return nil, err
	}
	out := make([]columnar.Value, len(ts))
	for f := range ts {
		if out[f], err = r.value(f, &ts[f]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func damaged(format string, args ...any) error {
	return corrupt.Errorf("", corrupt.NoOffset, format, args...)
}

// reader looks into a row, or into an array of 8-byte elements.
type reader struct {
	data  []byte // from the row's start to its end
	nulls []byte
	shift int
	slots []byte
	// room is how many bytes of variable values may still be read. Values that do not
	// overlap fit into data; damaged ones that do could make a small row endless.
	room int
}

func openRow(n int, data []byte) (reader, error) {
	if len(data) < fixedBytes(n) {
		return reader{}, damaged("row of %d fields has %d bytes", n, len(data))
	}
	return reader{data: data, nulls: data, shift: 8, slots: data[bitsetBytes(n):fixedBytes(n)], room: len(data)}, nil
}

func (r *reader) isNull(f int) bool {
	bit := f + r.shift
	return r.nulls[bit>>3]&(1<<(bit&7)) != 0
}

func (r *reader) slot(f int) uint64 { return binary.LittleEndian.Uint64(r.slots[8*f:]) }

// variable is n bytes of the variable part at the offset in the high half of a slot.
func (r *reader) variable(slot uint64, n int) ([]byte, error) {
	at := int(slot >> 32)
	if n > len(r.data) || at > len(r.data)-n {
		return nil, damaged("value of %d bytes at %d reaches past the %d bytes of its row", n, at, len(r.data))
	}
	if r.room -= n; r.room < 0 {
		return nil, damaged("values of a row of %d bytes overlap", len(r.data))
	}
	return r.data[at : at+n], nil
}

// bytes are the bytes of a string slot; f is where an inline one lies.
func (r *reader) bytes(f int) ([]byte, error) {
	s := r.slot(f)
	if s>>63 == 0 {
		return r.variable(s, int(uint32(s)))
	}
	n := int(s >> 56 & 0x7f)
	if n > maxInline {
		return nil, damaged("inline value of %d bytes", n)
	}
	return r.slots[8*f : 8*f+n], nil
}

func (r *reader) timestamp(slot uint64) (millis int64, nanos int32, err error) {
	b, err := r.variable(slot, 8)
	if err != nil {
		return 0, 0, err
	}
	nanos = int32(slot)
	if nanos < 0 || nanos > 999999 {
		return 0, 0, damaged("timestamp with %d nanoseconds in a millisecond", nanos)
	}
	return int64(binary.LittleEndian.Uint64(b)), nanos, nil
}

func (r *reader) decimal(slot uint64) (columnar.Int128, error) {
	n := int(uint32(slot))
	if n < 1 || n > 16 {
		return columnar.Int128{}, damaged("decimal of %d bytes", n)
	}
	b, err := r.variable(slot, n)
	if err != nil {
		return columnar.Int128{}, err
	}
	d := columnar.Int128{Hi: int64(int8(b[0])) >> 7}
	d.Lo = uint64(d.Hi)
	for _, x := range b {
		d.Hi = d.Hi<<8 | int64(d.Lo>>56)
		d.Lo = d.Lo<<8 | uint64(x)
	}
	return d, nil
}

func (r *reader) micros(slot uint64) (int64, error) {
	millis, nanos, err := r.timestamp(slot)
	if err != nil {
		return 0, err
	}
	if millis > math.MaxInt64/1000-1 || millis < math.MinInt64/1000 {
		return 0, damaged("timestamp of %d milliseconds", millis)
	}
	return millis*1000 + int64(nanos)/1000, nil
}

// widen is the value of layout I32 in a slot.
func widen(k types.Kind, s uint64) int32 {
	switch k {
	case types.Boolean:
		if uint8(s) != 0 {
			return 1
		}
		return 0
	case types.TinyInt:
		return int32(int8(s))
	case types.SmallInt:
		return int32(int16(s))
	}
	return int32(s)
}

// long is a value of layout I64.
func (r *reader) long(f int, t *types.Type) (int64, error) {
	if (t.Kind == types.Timestamp || t.Kind == types.TimestampLTZ) && !compactTimestamp(t.Precision) {
		return r.micros(r.slot(f))
	}
	return int64(r.slot(f)), nil
}

func (r *reader) value(f int, t *types.Type) (columnar.Value, error) {
	if r.isNull(f) {
		return columnar.NullValue, nil
	}
	switch columnar.LayoutOf(*t) {
	case columnar.I32:
		return columnar.IntValue(int64(widen(t.Kind, r.slot(f)))), nil
	case columnar.I64:
		v, err := r.long(f, t)
		return columnar.IntValue(v), err
	case columnar.F32:
		return columnar.FloatValue(float64(math.Float32frombits(uint32(r.slot(f))))), nil
	case columnar.F64:
		return columnar.FloatValue(math.Float64frombits(r.slot(f))), nil
	case columnar.D128:
		d, err := r.decimal(r.slot(f))
		return columnar.DecimalValue(d), err
	case columnar.T96:
		millis, nanos, err := r.timestamp(r.slot(f))
		return columnar.Time96Value(millis, nanos), err
	case columnar.Str:
		b, err := r.bytes(f)
		return columnar.StringValue(string(b)), err
	}
	return columnar.Value{}, damaged("value of nested type %s where a flat one is wanted", t)
}
