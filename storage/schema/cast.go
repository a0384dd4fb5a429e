package schema

import (
	"fmt"
	"math"
	"slices"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Cast returns the values of src as another type, slot by slot; src stays as it
// is and the result may share its memory.
//
// The rules are Paimon's: whole numbers are narrowed by dropping high bits;
// floats go to whole numbers toward zero and saturate at INT (for TINYINT,
// SMALLINT and INT) or BIGINT, NaN is 0; decimals lose their fraction, then high
// bits; what becomes DECIMAL is rounded half up and is NULL when it has too many
// digits; timestamps go to DATE by the day they lie in and to numbers as seconds;
// whatever becomes text has the form of FormatValue, cut to the length, CHAR
// filled up with blanks. Text that is no value of the type is an error that
// matches ErrMalformed or ErrOutOfRange. TIMESTAMP_LTZ is seen in UTC.
//
// Types that CastSupported refuses even for explicit casts are an error.
func Cast(src *columnar.Vector, to types.Type) (*columnar.Vector, error) {
	from := src.Type
	if from.SameValues(to) {
		return retyped(src, to), nil
	}
	if !castable(from, to) {
		return nil, fmt.Errorf("cannot cast %s to %s", from.WithNotNull(false), to.WithNotNull(false))
	}
	if src.Dict != nil {
		return castDict(src, to)
	}
	switch {
	case to.Text():
		return toText(src, to), nil
	case from.Text() && !binaryKind(to.Kind):
		return fromText(src, to)
	case binaryKind(to.Kind):
		return toBinary(src, to), nil
	case to.Kind == types.Decimal:
		return toDecimal(src, to), nil
	}
	out := &columnar.Vector{Type: to, N: src.N, Valid: src.Valid}
	switch {
	case timestampKind(to.Kind):
		toTimestamp(out, src)
	case timestampKind(from.Kind):
		fromTimestamp(out, src)
	case from.Kind == types.Decimal:
		fromDecimal(out, src)
	case columnar.LayoutOf(from) == columnar.F32:
		fromFloat(out, src.F32)
	case columnar.LayoutOf(from) == columnar.F64:
		fromFloat(out, src.F64)
	case columnar.LayoutOf(from) == columnar.I64:
		fromWhole(out, src.I64)
	default:
		fromWhole(out, src.I32)
	}
	return out, nil
}

// retyped is the same vector under another type of the same values.
func retyped(src *columnar.Vector, to types.Type) *columnar.Vector {
	if src.Type.Equal(to) {
		return src
	}
	out := *src
	out.Type = to
	return &out
}

// castDict casts the dictionary and keeps the codes, where every entry has a
// value after the cast and the result's layout can be in dictionary form.
func castDict(src *columnar.Vector, to types.Type) (*columnar.Vector, error) {
	switch columnar.LayoutOf(to) {
	case columnar.Str, columnar.I32, columnar.I64, columnar.T96:
		if src.Type.Text() && !to.Text() {
			break // an entry that no slot uses must not fail
		}
		dict, err := Cast(src.Dict, to)
		if err != nil {
			return nil, err
		}
		if dict.NullCount() > src.Dict.NullCount() {
			break
		}
		return &columnar.Vector{Type: to, N: src.N, Valid: src.Valid, Codes: src.Codes, Dict: dict}, nil
	}
	flat := *src
	flat.Flatten()
	return Cast(&flat, to)
}

// convert fills a slice from another, element by element.
func convert[S, D any](src []S, n int, f func(S) D) []D {
	out := make([]D, n)
	for i, x := range src[:n] {
		out[i] = f(x)
	}
	return out
}

func b2i(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// fromWhole casts BOOLEAN and whole numbers to numbers and BOOLEAN.
func fromWhole[S int32 | int64](out *columnar.Vector, src []S) {
	switch out.Type.Kind {
	case types.Boolean:
		out.I32 = convert(src, out.N, func(x S) int32 { return b2i(x != 0) })
	case types.TinyInt:
		out.I32 = convert(src, out.N, func(x S) int32 { return int32(int8(x)) })
	case types.SmallInt:
		out.I32 = convert(src, out.N, func(x S) int32 { return int32(int16(x)) })
	case types.Int:
		out.I32 = convert(src, out.N, func(x S) int32 { return int32(x) })
	case types.BigInt:
		out.I64 = convert(src, out.N, func(x S) int64 { return int64(x) })
	case types.Float:
		out.F32 = convert(src, out.N, func(x S) float32 { return float32(x) })
	case types.Double:
		out.F64 = convert(src, out.N, func(x S) float64 { return float64(x) })
	}
}

// fromFloat casts FLOAT and DOUBLE to numbers.
func fromFloat[S float32 | float64](out *columnar.Vector, src []S) {
	switch out.Type.Kind {
	case types.TinyInt:
		out.I32 = convert(src, out.N, func(x S) int32 { return int32(int8(saturate32(float64(x)))) })
	case types.SmallInt:
		out.I32 = convert(src, out.N, func(x S) int32 { return int32(int16(saturate32(float64(x)))) })
	case types.Int:
		out.I32 = convert(src, out.N, func(x S) int32 { return saturate32(float64(x)) })
	case types.BigInt:
		out.I64 = convert(src, out.N, func(x S) int64 { return saturate64(float64(x)) })
	case types.Float:
		out.F32 = convert(src, out.N, func(x S) float32 { return float32(x) })
	case types.Double:
		out.F64 = convert(src, out.N, func(x S) float64 { return float64(x) })
	}
}

func saturate32(f float64) int32 {
	switch {
	case f != f:
		return 0
	case f >= math.MaxInt32:
		return math.MaxInt32
	case f <= math.MinInt32:
		return math.MinInt32
	}
	return int32(f)
}

func saturate64(f float64) int64 {
	switch {
	case f != f:
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// moment gives slot i of a timestamp vector as milliseconds and the nanoseconds
// within the millisecond.
func moment(v *columnar.Vector, i int) (int64, int32) {
	if v.Type.Precision > 6 {
		return v.I64[i], v.I32[i]
	}
	return splitTime(v.I64[i], v.Type.Precision)
}

// toTimestamp casts timestamps, DATE, TIME and seconds as INT or BIGINT.
func toTimestamp(out, src *columnar.Vector) {
	p := out.Type.Precision
	out.I64 = make([]int64, out.N)
	if p > 6 {
		out.I32 = make([]int32, out.N)
	}
	for i := range out.N {
		var millis int64
		var nanos int32
		switch src.Type.Kind {
		case types.Date:
			millis = int64(src.I32[i]) * millisPerDay
		case types.Time:
			millis = int64(src.I32[i])
		case types.Int:
			millis = int64(src.I32[i]) * 1000
		case types.BigInt:
			millis = src.I64[i] * 1000
		default:
			millis, nanos = moment(src, i)
			if p < src.Type.Precision {
				millis, nanos = truncateTime(millis, nanos, p)
			}
		}
		if p > 6 {
			out.I64[i], out.I32[i] = millis, nanos
		} else {
			out.I64[i] = joinTime(millis, nanos, p)
		}
	}
}

// truncateTime drops digits of a second's fraction as Paimon's cast does: below
// milliseconds toward the past, above toward 1970.
func truncateTime(millis int64, nanos int32, precision int) (int64, int32) {
	if precision >= 3 {
		return cutTime(millis, nanos, precision)
	}
	if nanos == 0 && millis%1000 == 0 {
		return millis, 0
	}
	unit := int64(1)
	for range 3 - precision {
		unit *= 10
	}
	return millis / unit * unit, 0
}

// fromTimestamp casts timestamps to DATE, TIME and seconds as INT or BIGINT.
func fromTimestamp(out, src *columnar.Vector) {
	if out.Type.Kind == types.BigInt {
		out.I64 = make([]int64, out.N)
	} else {
		out.I32 = make([]int32, out.N)
	}
	for i := range out.N {
		millis, _ := moment(src, i)
		switch out.Type.Kind {
		case types.Date:
			out.I32[i] = int32(floorDiv(millis, millisPerDay))
		case types.Time:
			out.I32[i] = int32(floorMod(millis, millisPerDay))
		case types.Int:
			out.I32[i] = int32(millis / 1000)
		case types.BigInt:
			out.I64[i] = millis / 1000
		}
	}
}

// clearValid marks slot i null in a validity of n slots, which is made if need
// be; *own says whether it belongs to the result already.
func clearValid(valid []uint64, own *bool, n, i int) []uint64 {
	if !*own {
		*own = true
		if valid == nil {
			valid = make([]uint64, (n+63)/64)
			for w := range valid {
				valid[w] = ^uint64(0)
			}
			if r := uint(n) & 63; r != 0 {
				valid[n>>6] = 1<<r - 1
			}
		} else {
			valid = slices.Clone(valid)
		}
	}
	valid[i>>6] &^= 1 << (uint(i) & 63)
	return valid
}
