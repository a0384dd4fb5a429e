package parquet

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// conversion says how stored values become those of a column's layout.
type conversion uint8

const (
	asIs        conversion = iota // INT32 → I32, INT64 → I64, FLOAT → F32, DOUBLE → F64, BYTE_ARRAY → Str
	widenSigned                   // INT32 → I64
	widenUnsign                   // unsigned INT32 → I64
	narrow                        // INT64 → I32
	floatWiden                    // FLOAT → F64
	fixedText                     // FIXED_LEN_BYTE_ARRAY → Str
	decimal64                     // bytes → I64
	decimal128                    // bytes → D128
	int32To128
	int64To128
	timeDown    // INT64 micro- or nanoseconds of the day → milliseconds
	timestamp64 // INT64 → I64 of another unit
	timestamp96 // INT64 → T96
	int96To64   // INT96 → I64
	int96To96   // INT96 → T96
)

// converter turns the stored values of one leaf into a vector's.
type converter struct {
	how  conversion
	t    types.Type
	lay  columnar.Layout
	phys physical
	mul  int64 // timestamp64: factor, or with div set divisor
	div  bool
}

// newConverter finds the conversion from a leaf to a flat type.
func newConverter(n *node, t types.Type) (converter, error) {
	c := converter{t: t, lay: columnar.LayoutOf(t), phys: n.typ}
	refuse := func() (converter, error) {
		return c, fmt.Errorf("stored as %v, which does not read as %s", n.describe(), t)
	}
	switch t.Kind {
	case types.Boolean:
		if n.typ != pBoolean {
			return refuse()
		}
	case types.TinyInt, types.SmallInt, types.Int, types.Date:
		switch n.typ {
		case pInt32:
		case pInt64:
			c.how = narrow
		default:
			return refuse()
		}
	case types.Time:
		switch unit := n.unit(); {
		case n.typ == pInt32:
		case n.typ == pInt64 && unit == unitMillis:
			c.how = narrow
		case n.typ == pInt64 && unit == unitNanos:
			c.how, c.mul = timeDown, 1_000_000
		case n.typ == pInt64:
			c.how, c.mul = timeDown, 1_000
		default:
			return refuse()
		}
	case types.BigInt:
		switch {
		case n.typ == pInt64:
		case n.typ == pInt32 && (n.converted == convUint32 || n.logical.kind == logInteger && !n.logical.signed):
			c.how = widenUnsign
		case n.typ == pInt32:
			c.how = widenSigned
		default:
			return refuse()
		}
	case types.Float:
		if n.typ != pFloat {
			return refuse()
		}
	case types.Double:
		switch n.typ {
		case pDouble:
		case pFloat:
			c.how = floatWiden
		default:
			return refuse()
		}
	case types.Decimal:
		return decimalConverter(c, n)
	case types.Timestamp, types.TimestampLTZ:
		return timestampConverter(c, n)
	default:
		switch n.typ {
		case pBytes:
		case pFixed:
			c.how = fixedText
		default:
			return refuse()
		}
	}
	return c, nil
}

// describe names a leaf's stored type for errors.
func (n *node) describe() string {
	if n.typ == pNone {
		return "a group"
	}
	return n.typ.String()
}

func decimalConverter(c converter, n *node) (converter, error) {
	scale, known := n.scale, n.converted == convDecimal
	if n.logical.kind == logDecimal {
		scale, known = n.logical.scale, true
	}
	if known && int(scale) != c.t.Scale {
		return c, fmt.Errorf("stored with scale %d, want %d", scale, c.t.Scale)
	}
	wide := c.lay == columnar.D128
	switch {
	case n.typ == pInt32 && wide:
		c.how = int32To128
	case n.typ == pInt32:
		c.how = widenSigned
	case n.typ == pInt64 && wide:
		c.how = int64To128
	case n.typ == pInt64:
	case (n.typ == pBytes || n.typ == pFixed) && wide:
		c.how = decimal128
	case n.typ == pBytes || n.typ == pFixed:
		c.how = decimal64
	default:
		return c, fmt.Errorf("stored as %v, which does not read as a decimal", n.describe())
	}
	return c, nil
}

// unit is the unit of a time or timestamp by the annotation, 0 without one.
func (n *node) unit() uint8 {
	if n.logical.kind == logTime || n.logical.kind == logTimestamp {
		return n.logical.unit
	}
	switch n.converted {
	case convTimeMillis, convTimestampMillis:
		return unitMillis
	case convTimeMicros, convTimestampMicros:
		return unitMicros
	}
	return 0
}

func timestampConverter(c converter, n *node) (converter, error) {
	wanted := uint8(unitMillis)
	if c.t.Precision > 3 {
		wanted = unitMicros
	}
	switch {
	case n.typ == pInt96 && c.lay == columnar.T96:
		c.how = int96To96
	case n.typ == pInt96:
		c.how, c.mul = int96To64, perMilli(wanted)
	case n.typ != pInt64:
		return c, fmt.Errorf("stored as %v, which does not read as a timestamp", n.describe())
	case c.lay == columnar.T96:
		unit := n.unit()
		if unit == 0 {
			return c, fmt.Errorf("stored as INT64 without the unit of its timestamps")
		}
		c.how, c.mul = timestamp96, perMilli(unit)
	default:
		unit := n.unit()
		if unit == 0 || unit == wanted {
			return c, nil
		}
		c.how = timestamp64
		have, want := perMilli(unit), perMilli(wanted)
		if c.div = have > want; c.div {
			c.mul = have / want
		} else {
			c.mul = want / have
		}
	}
	return c, nil
}

// perMilli is how many of a unit are in a millisecond.
func perMilli(unit uint8) int64 {
	switch unit {
	case unitMicros:
		return 1_000
	case unitNanos:
		return 1_000_000
	}
	return 1
}

// apply makes the values those of dst, which it may let alias them. dst has no
// nulls and v.n slots afterwards.
func (c *converter) apply(dst *columnar.Vector, own *columnar.Vector, v *values) error {
	n := v.n
	dst.N, dst.Valid, dst.Codes, dst.Dict = n, nil, nil, nil
	switch c.how {
	case asIs:
		c.alias(dst, v)
	case widenSigned:
		out := takeI64(dst, own, n)
		for i, x := range v.i32[:n] {
			out[i] = int64(x)
		}
	case widenUnsign:
		out := takeI64(dst, own, n)
		for i, x := range v.i32[:n] {
			out[i] = int64(uint32(x))
		}
	case narrow:
		out := takeI32(dst, own, n)
		for i, x := range v.i64[:n] {
			if int64(int32(x)) != x {
				return badf("value %d does not fit 32 bits", x)
			}
			out[i] = int32(x)
		}
	case floatWiden:
		own.F64 = resize(own.F64, n)
		dst.F64 = own.F64
		for i, x := range v.i32[:n] {
			dst.F64[i] = float64(math.Float32frombits(uint32(x)))
		}
	case fixedText:
		own.Off = resize(own.Off, n+1)
		dst.Off, dst.Data = own.Off, v.data
		for i := range dst.Off {
			dst.Off[i] = int32(i * v.width)
		}
	case decimal64, decimal128, int32To128, int64To128:
		return c.applyDecimal(dst, own, v)
	default:
		return c.applyTime(dst, own, v)
	}
	return nil
}

func (c *converter) alias(dst *columnar.Vector, v *values) {
	switch c.lay {
	case columnar.I32:
		dst.I32 = v.i32[:v.n]
	case columnar.I64:
		dst.I64 = v.i64[:v.n]
	case columnar.F32:
		dst.F32 = floatsOf(v.i32[:v.n])
	case columnar.F64:
		dst.F64 = doublesOf(v.i64[:v.n])
	case columnar.Str:
		dst.Off, dst.Data = v.off[:v.n+1], v.data
	}
}

func takeI32(dst, own *columnar.Vector, n int) []int32 {
	own.I32 = resize(own.I32, n)
	dst.I32 = own.I32
	return own.I32
}

func takeI64(dst, own *columnar.Vector, n int) []int64 {
	own.I64 = resize(own.I64, n)
	dst.I64 = own.I64
	return own.I64
}

func (c *converter) applyDecimal(dst, own *columnar.Vector, v *values) error {
	n := v.n
	if c.how == decimal64 {
		out := takeI64(dst, own, n)
		for i := range out {
			d, ok := bigEndian(v.at(i))
			if !ok || d.Hi != int64(d.Lo)>>63 {
				return badf("decimal of %d bytes does not fit 64 bits", len(v.at(i)))
			}
			out[i] = int64(d.Lo)
		}
		return nil
	}
	own.D128 = resize(own.D128, n)
	dst.D128 = own.D128
	switch c.how {
	case int32To128:
		for i, x := range v.i32[:n] {
			dst.D128[i] = columnar.Int128{Lo: uint64(int64(x)), Hi: int64(x) >> 63}
		}
	case int64To128:
		for i, x := range v.i64[:n] {
			dst.D128[i] = columnar.Int128{Lo: uint64(x), Hi: x >> 63}
		}
	default:
		for i := range dst.D128 {
			d, ok := bigEndian(v.at(i))
			if !ok {
				return badf("decimal of %d bytes does not fit 128 bits", len(v.at(i)))
			}
			dst.D128[i] = d
		}
	}
	return nil
}

// at is byte string i.
func (v *values) at(i int) []byte {
	if v.width > 0 {
		return v.data[i*v.width : (i+1)*v.width]
	}
	return v.data[v.off[i]:v.off[i+1]]
}

// bigEndian reads a two's complement number. Bytes beyond 16 may only extend the sign.
func bigEndian(b []byte) (columnar.Int128, bool) {
	if len(b) == 0 {
		return columnar.Int128{}, false
	}
	sign := int64(int8(b[0])) >> 7
	for len(b) > 16 {
		if b[0] != byte(sign) {
			return columnar.Int128{}, false
		}
		b = b[1:]
	}
	if int64(int8(b[0]))>>7 != sign {
		return columnar.Int128{}, false
	}
	d := columnar.Int128{Hi: sign, Lo: uint64(sign)}
	for _, x := range b {
		d.Hi = d.Hi<<8 | int64(d.Lo>>56)
		d.Lo = d.Lo<<8 | uint64(x)
	}
	return d, true
}

// julianEpoch is the Julian day of 1970-01-01.
const julianEpoch = 2440588

const (
	millisPerDay = 86_400_000
	nanosPerDay  = millisPerDay * 1_000_000
)

// int96 reads a timestamp as milliseconds and nanoseconds within; negative
// nanoseconds of the day, as old writers have them, are carried.
func int96(b []byte) (millis, nanos int64, ok bool) {
	ofDay := int64(binary.LittleEndian.Uint64(b))
	day := int64(int32(binary.LittleEndian.Uint32(b[8:]))) - julianEpoch
	if ofDay <= -2*nanosPerDay || ofDay >= 2*nanosPerDay {
		return 0, 0, false
	}
	millis, nanos = floorDiv(ofDay, 1_000_000)
	return day*millisPerDay + millis, nanos, true
}

func floorDiv(x, by int64) (q, r int64) {
	q, r = x/by, x%by
	if r < 0 {
		q--
		r += by
	}
	return q, r
}

func (c *converter) applyTime(dst, own *columnar.Vector, v *values) error {
	n := v.n
	switch c.how {
	case timeDown:
		out := takeI32(dst, own, n)
		for i, x := range v.i64[:n] {
			out[i] = int32(x / c.mul)
		}
	case timestamp64:
		return c.rescale(takeI64(dst, own, n), v.i64[:n])
	case timestamp96:
		ms, ns := takeI64(dst, own, n), takeI32(dst, own, n)
		for i, x := range v.i64[:n] {
			q, r := floorDiv(x, c.mul)
			ms[i], ns[i] = q, int32(r*(1_000_000/c.mul))
		}
	case int96To64:
		out := takeI64(dst, own, n)
		for i := range out {
			ms, ns, ok := int96(v.at(i))
			x := ms*c.mul + ns*c.mul/1_000_000
			if !ok || x/c.mul > ms+1 || x/c.mul < ms-1 {
				return badf("timestamp %x is out of range", v.at(i))
			}
			out[i] = x
		}
	case int96To96:
		ms, ns := takeI64(dst, own, n), takeI32(dst, own, n)
		for i := range ms {
			m, r, ok := int96(v.at(i))
			if !ok {
				return badf("timestamp %x is out of range", v.at(i))
			}
			ms[i], ns[i] = m, int32(r)
		}
	default:
		return badf("conversion %d", c.how)
	}
	return nil
}

func (c *converter) rescale(out, in []int64) error {
	if c.div {
		for i, x := range in {
			out[i], _ = floorDiv(x, c.mul)
		}
		return nil
	}
	limit := math.MaxInt64 / c.mul
	for i, x := range in {
		if x > limit || x < -limit {
			return badf("timestamp %d is out of range", x)
		}
		out[i] = x * c.mul
	}
	return nil
}
