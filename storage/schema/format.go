package schema

import (
	"bytes"
	"math/big"
	"strconv"
	"unsafe"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

const (
	millisPerDay = 24 * 60 * 60 * 1000
	nullText     = "null"
)

// FormatValue is a value of a flat type as Paimon prints it when it casts to
// STRING: decimals plain, floats as Java prints them, dates as 2024-01-31, times
// with the fraction digits of the type, TIMESTAMP_LTZ in UTC, bytes as they are.
// The null is null.
func FormatValue(t types.Type, v columnar.Value) string {
	if v.Null {
		return nullText
	}
	switch columnar.LayoutOf(t) {
	case columnar.Str:
		return v.S
	case columnar.F32, columnar.F64:
		return string(appendFloat(nil, v.F, t.Kind == types.Float))
	case columnar.D128:
		return string(appendDecimal(nil, v.Int128().Big(), t.Scale))
	case columnar.T96:
		return string(appendTimestamp(nil, v.I, int32(v.Hi), t.Precision))
	}
	return string(appendWhole(nil, t, v.I))
}

// appendWhole prints a value of layout I32 or I64.
func appendWhole(b []byte, t types.Type, v int64) []byte {
	switch t.Kind {
	case types.Boolean:
		return strconv.AppendBool(b, v != 0)
	case types.Date:
		return appendDate(b, v)
	case types.Time:
		return appendTime(b, v, t.Precision)
	case types.Timestamp, types.TimestampLTZ:
		millis, nanos := splitTime(v, t.Precision)
		return appendTimestamp(b, millis, nanos, t.Precision)
	case types.Decimal:
		return appendSmallDecimal(b, v, t.Scale)
	}
	return strconv.AppendInt(b, v, 10)
}

// splitTime gives milliseconds and the nanoseconds within the millisecond of a
// timestamp of precision up to 6.
func splitTime(v int64, precision int) (millis int64, nanos int32) {
	if precision <= 3 {
		return v, 0
	}
	millis = floorDiv(v, 1000)
	return millis, int32(v-millis*1000) * 1000
}

// joinTime is the opposite of splitTime; finer digits are cut.
func joinTime(millis int64, nanos int32, precision int) int64 {
	if precision <= 3 {
		return millis
	}
	return millis*1000 + int64(nanos/1000)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }

// civil gives the date of a day since the epoch in the Gregorian calendar.
func civil(days int64) (year int64, month, day int) {
	z := days + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy-(153*mp+2)/5) + 1
	month = int(mp) + 3
	year = yoe + era*400
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

// daysOf is the day since the epoch of a date that exists.
func daysOf(year int64, month, day int) int64 {
	if month <= 2 {
		year--
	}
	era := floorDiv(year, 400)
	yoe := year - era*400
	mp := int64(month+9) % 12
	doy := (153*mp+2)/5 + int64(day) - 1
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

func appendPadded(b []byte, v int64, width int) []byte {
	if v < 0 {
		b, v = append(b, '-'), -v
	}
	var digits [20]byte
	s := strconv.AppendInt(digits[:0], v, 10)
	for range width - len(s) {
		b = append(b, '0')
	}
	return append(b, s...)
}

func appendDate(b []byte, days int64) []byte {
	y, m, d := civil(days)
	b = append(appendPadded(b, y, 4), '-')
	b = append(appendPadded(b, int64(m), 2), '-')
	return appendPadded(b, int64(d), 2)
}

func appendClock(b []byte, secondOfDay int64) []byte {
	b = append(appendPadded(b, secondOfDay/3600, 2), ':')
	b = append(appendPadded(b, secondOfDay/60%60, 2), ':')
	return appendPadded(b, secondOfDay%60, 2)
}

// appendTime prints milliseconds of the day. From precision 1 on a point and
// digits follow, up to precision but without trailing zeros, at least one.
func appendTime(b []byte, millis int64, precision int) []byte {
	millis = floorMod(millis, millisPerDay)
	b = appendClock(b, millis/1000)
	if precision == 0 {
		return b
	}
	b = append(b, '.')
	for ms := millis % 1000; precision > 0; precision-- {
		b = append(b, byte('0'+ms/100))
		if ms = ms % 100 * 10; ms == 0 {
			break
		}
	}
	return b
}

// appendTimestamp prints a timestamp with at least precision fraction digits and
// as many more as the value has.
func appendTimestamp(b []byte, millis int64, nanos int32, precision int) []byte {
	day := floorDiv(millis, millisPerDay)
	ofDay := millis - day*millisPerDay
	b = append(appendDate(b, day), ' ')
	b = appendClock(b, ofDay/1000)
	var digits [9]byte
	fraction := appendPadded(digits[:0], ofDay%1000*1000000+int64(nanos), 9)
	for len(fraction) > precision && fraction[len(fraction)-1] == '0' {
		fraction = fraction[:len(fraction)-1]
	}
	if len(fraction) > 0 {
		b = append(append(b, '.'), fraction...)
	}
	return b
}

func appendSmallDecimal(b []byte, unscaled int64, scale int) []byte {
	if scale == 0 {
		return strconv.AppendInt(b, unscaled, 10)
	}
	u := uint64(unscaled)
	if unscaled < 0 {
		b, u = append(b, '-'), -u
	}
	var buf [20]byte
	digits := strconv.AppendUint(buf[:0], u, 10)
	if len(digits) <= scale {
		b = append(b, '0', '.')
		for range scale - len(digits) {
			b = append(b, '0')
		}
		return append(b, digits...)
	}
	b = append(b, digits[:len(digits)-scale]...)
	return append(append(b, '.'), digits[len(digits)-scale:]...)
}

func appendDecimal(b []byte, unscaled *big.Int, scale int) []byte {
	digits := new(big.Int).Abs(unscaled).Append(nil, 10)
	if unscaled.Sign() < 0 {
		b = append(b, '-')
	}
	for len(digits) <= scale {
		digits = append([]byte{'0'}, digits...)
	}
	b = append(b, digits[:len(digits)-scale]...)
	if scale > 0 {
		b = append(append(b, '.'), digits[len(digits)-scale:]...)
	}
	return b
}

// appendFloat prints as Java's Float.toString and Double.toString (JDK 19 and
// later) do: the shortest digits that give the value back, plain from 0.001 up
// to 10^7, else as 1.5E10.
func appendFloat(b []byte, f float64, single bool) []byte {
	bits := 64
	if single {
		bits = 32
	}
	switch {
	case f != f:
		return append(b, "NaN"...)
	case f > maxFinite:
		return append(b, "Infinity"...)
	case f < -maxFinite:
		return append(b, "-Infinity"...)
	case f == 0:
		if 1/f < 0 {
			b = append(b, '-')
		}
		return append(b, "0.0"...)
	}
	abs := f
	if abs < 0 {
		abs = -abs
	}
	if abs >= 1e-3 && abs < 1e7 {
		from := len(b)
		b = strconv.AppendFloat(b, f, 'f', -1, bits)
		if bytes.IndexByte(b[from:], '.') >= 0 {
			return b
		}
		return append(b, ".0"...)
	}
	var buf [32]byte
	s := strconv.AppendFloat(buf[:0], f, 'e', -1, bits)        // -d.ddde-07 or de+10
	if i := bytes.IndexByte(s, 'e'); i <= 2 && s[i-1] != '.' { // one digit: Java takes the nearest number of two
		s = strconv.AppendFloat(buf[:0], f, 'e', 1, bits)
	}
	mantissa, exponent, _ := bytes.Cut(s, []byte{'e'})
	b = append(append(b, mantissa...), 'E')
	if exponent[0] == '-' {
		b = append(b, '-')
	}
	exponent = exponent[1:]
	for len(exponent) > 1 && exponent[0] == '0' {
		exponent = exponent[1:]
	}
	return append(b, exponent...)
}

const maxFinite = 0x1p1023 * (1 + (1 - 0x1p-52))

// appendSlot prints slot i of a vector as FormatValue does, nested types too:
// [a, b] for ARRAY, {k -> v, …} for MAP, {a, b} for ROW.
func appendSlot(b []byte, v *columnar.Vector, i int) []byte {
	if v.IsNull(i) {
		return append(b, nullText...)
	}
	if v.Dict != nil {
		return appendSlot(b, v.Dict, int(v.Codes[i]))
	}
	switch columnar.LayoutOf(v.Type) {
	case columnar.I32:
		return appendWhole(b, v.Type, int64(v.I32[i]))
	case columnar.I64:
		return appendWhole(b, v.Type, v.I64[i])
	case columnar.F32:
		return appendFloat(b, float64(v.F32[i]), true)
	case columnar.F64:
		return appendFloat(b, v.F64[i], false)
	case columnar.D128:
		return appendDecimal(b, v.D128[i].Big(), v.Type.Scale)
	case columnar.T96:
		return appendTimestamp(b, v.I64[i], v.I32[i], v.Type.Precision)
	case columnar.Str:
		return append(b, v.Bytes(i)...)
	case columnar.List:
		return appendList(b, v, i)
	case columnar.Struct:
		b = append(b, '{')
		for c, child := range v.Children {
			if c > 0 {
				b = append(b, ", "...)
			}
			b = appendSlot(b, child, i)
		}
		return append(b, '}')
	}
	b = append(b, '[')
	for e := range v.Type.Length {
		if e > 0 {
			b = append(b, ", "...)
		}
		b = appendSlot(b, v.Children[0], i*v.Type.Length+e)
	}
	return append(b, ']')
}

func appendList(b []byte, v *columnar.Vector, i int) []byte {
	pairs := len(v.Children) == 2
	open, shut := byte('['), byte(']')
	if pairs {
		open, shut = '{', '}'
	}
	b = append(b, open)
	for e := v.Off[i]; e < v.Off[i+1]; e++ {
		if e > v.Off[i] {
			b = append(b, ", "...)
		}
		b = appendSlot(b, v.Children[0], int(e))
		if pairs {
			b = appendSlot(append(b, " -> "...), v.Children[1], int(e))
		}
	}
	return append(b, shut)
}

// text views bytes as a string for the time of a call.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
