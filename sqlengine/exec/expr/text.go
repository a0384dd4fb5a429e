package expr

import (
	"encoding/base64"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

const (
	millisPerDay = 86_400_000
	microsPerDay = 86_400_000_000
)

// MaxFraction is the number of fractional digits that a MySQL client can be shown.
const MaxFraction = 6

// Texter prints the values of one column as a MySQL client expects them in the
// text protocol. It is for one goroutine: it keeps the last date that it printed.
type Texter struct {
	typ  types.Type
	loc  *time.Location // zone of TIMESTAMP_LTZ
	frac int            // fractional digits shown

	day     int64 // of date
	date    [10]byte
	hasDate bool
	// zone of the last LTZ value: offset holds for seconds in [from, until)
	from, until, offset int64
	hasZone             bool
}

// NewTexter returns a printer for values of type t. LTZ values are shown in loc
// (nil: UTC).
func NewTexter(t types.Type, loc *time.Location) *Texter {
	x := &Texter{typ: t, loc: loc}
	switch t.Kind {
	case types.Time, types.Timestamp, types.TimestampLTZ:
		x.frac = min(t.Precision, MaxFraction)
	}
	return x
}

// Null reports whether slot i is shown as NULL: a null, NaN or an infinity.
func (x *Texter) Null(v *columnar.Vector, i int) bool {
	if v.IsNull(i) {
		return true
	}
	switch x.typ.Kind {
	case types.Float:
		f := float64(v.F32[i])
		return math.IsNaN(f) || math.IsInf(f, 0)
	case types.Double:
		f := v.F64[i]
		return math.IsNaN(f) || math.IsInf(f, 0)
	}
	return false
}

// Append appends the text of slot i of v, which is not null.
func (x *Texter) Append(dst []byte, v *columnar.Vector, i int) []byte {
	if v.Dict != nil {
		v, i = v.Dict, int(v.Codes[i])
	}
	switch x.typ.Kind {
	case types.Boolean, types.TinyInt, types.SmallInt, types.Int:
		return appendInt(dst, int64(v.I32[i]))
	case types.BigInt:
		return appendInt(dst, v.I64[i])
	case types.Float:
		return AppendFloat(dst, float64(v.F32[i]), 32)
	case types.Double:
		return AppendFloat(dst, v.F64[i], 64)
	case types.Decimal:
		if x.typ.Precision > types.MaxCompactPrecision {
			return appendDecimal128(dst, v.D128[i], x.typ.Scale)
		}
		return appendDecimal64(dst, v.I64[i], x.typ.Scale)
	case types.Date:
		return x.appendDay(dst, int64(v.I32[i]))
	case types.Time:
		return AppendTime(dst, int64(v.I32[i])*1000, x.frac)
	case types.Timestamp, types.TimestampLTZ:
		return x.appendTimestamp(dst, v, i)
	case types.Array, types.Map, types.Multiset, types.Row, types.Vector, types.Variant:
		return AppendJSON(dst, v, i, x.loc)
	}
	return append(dst, v.Data[v.Off[i]:v.Off[i+1]]...)
}

// Micros is slot i of a timestamp column in microseconds since the epoch; finer
// parts are cut.
func Micros(v *columnar.Vector, i int) int64 {
	switch p := v.Type.Precision; {
	case p <= 3:
		return v.I64[i] * 1000
	case p <= 6:
		return v.I64[i]
	}
	return v.I64[i]*1000 + int64(v.I32[i])/1000
}

func (x *Texter) appendTimestamp(dst []byte, v *columnar.Vector, i int) []byte {
	us := Micros(v, i)
	if x.typ.Kind == types.TimestampLTZ && x.loc != nil && x.loc != time.UTC {
		us += x.zoneOffset(us) * 1_000_000
	}
	day := floorDiv(us, microsPerDay)
	dst = x.appendDay(dst, day)
	dst = append(dst, ' ')
	return AppendTime(dst, us-day*microsPerDay, x.frac)
}

// zoneOffset is the offset in seconds that holds at the instant.
func (x *Texter) zoneOffset(us int64) int64 {
	s := floorDiv(us, 1_000_000)
	if x.hasZone && s >= x.from && s < x.until {
		return x.offset
	}
	t := time.Unix(s, 0).In(x.loc)
	_, off := t.Zone()
	start, end := t.ZoneBounds()
	x.from, x.until, x.offset, x.hasZone = math.MinInt64, math.MaxInt64, int64(off), true
	if !start.IsZero() {
		x.from = start.Unix()
	}
	if !end.IsZero() {
		x.until = end.Unix()
	}
	return x.offset
}

func (x *Texter) appendDay(dst []byte, day int64) []byte {
	if !x.hasDate || x.day != day {
		b := AppendDate(x.date[:0], day)
		if len(b) != len(x.date) {
			return append(dst, b...)
		}
		x.day, x.hasDate = day, true
	}
	return append(dst, x.date[:]...)
}

// AppendDate appends a day since the epoch as yyyy-mm-dd.
func AppendDate(dst []byte, day int64) []byte {
	y, m, d := civil(day)
	if y < 0 {
		dst = append(dst, '-')
		y = -y
	}
	if y > 9999 {
		dst = appendUint(dst, uint64(y))
	} else {
		dst = appendPadded(dst, uint64(y), 4)
	}
	return append(dst, '-', byte('0'+m/10), byte('0'+m%10), '-', byte('0'+d/10), byte('0'+d%10))
}

// civil is the proleptic Gregorian date of a day since 1970-01-01.
func civil(day int64) (year int64, month, dom int) {
	// Days are counted from 0000-03-01, so that a leap day ends its year.
	z := day + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	dom = int(doy - (153*mp+2)/5 + 1)
	month = int(mp) + 3
	if month > 12 {
		month -= 12
	}
	year = yoe + era*400
	if month <= 2 {
		year++
	}
	return year, month, dom
}

// Day is the day since 1970-01-01 of a proleptic Gregorian date.
func Day(year int64, month, dom int) int64 {
	if month <= 2 {
		year--
	}
	era := floorDiv(year, 400)
	yoe := year - era*400
	mp := int64((month + 9) % 12)
	doy := (153*mp+2)/5 + int64(dom) - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// AppendTime appends microseconds as hh:mm:ss with frac digits, with a sign if
// they are negative and as many digits of hours as there are.
func AppendTime(dst []byte, us int64, frac int) []byte {
	if us < 0 {
		dst, us = append(dst, '-'), -us
	}
	s := us / 1_000_000
	h, m := s/3600, s/60%60
	s %= 60
	if h >= 100 {
		dst = appendUint(dst, uint64(h/100))
		h %= 100
	}
	dst = append(dst, byte('0'+h/10), byte('0'+h%10), ':', byte('0'+m/10), byte('0'+m%10), ':', byte('0'+s/10), byte('0'+s%10))
	if frac == 0 {
		return dst
	}
	return appendPadded(append(dst, '.'), uint64(us%1_000_000)/pow10[MaxFraction-frac].Lo, frac)
}

// AppendJSON appends slot i of v as JSON text: a MAP with text keys and a ROW as
// an object, other maps as a list of [key, value], a MULTISET as a list of
// [element, count], bytes as "0x…", times as text, a VARIANT as the JSON that it is;
// one that is damaged as its parts in base64.
func AppendJSON(dst []byte, v *columnar.Vector, i int, loc *time.Location) []byte {
	if v.IsNull(i) {
		return append(dst, "null"...)
	}
	switch v.Type.Kind {
	case types.Boolean:
		return strconv.AppendBool(dst, v.I32[i] != 0)
	case types.Char, types.VarChar:
		return appendJSONString(dst, v.Bytes(i))
	case types.Binary, types.VarBinary, types.Blob, types.Geometry, types.Geography:
		return appendHex(dst, v.Bytes(i))
	case types.Date, types.Time, types.Timestamp, types.TimestampLTZ:
		dst = append(dst, '"')
		dst = NewTexter(v.Type, loc).Append(dst, v, i)
		return append(dst, '"')
	case types.Float, types.Double:
		x := NewTexter(v.Type, loc)
		if x.Null(v, i) {
			return append(dst, "null"...)
		}
		return x.Append(dst, v, i)
	case types.Array:
		return appendList(dst, int(v.Off[i]), int(v.Off[i+1]), func(dst []byte, k int) []byte {
			return AppendJSON(dst, v.Children[0], k, loc)
		})
	case types.Vector:
		n := v.Type.Length
		return appendList(dst, i*n, (i+1)*n, func(dst []byte, k int) []byte {
			return AppendJSON(dst, v.Children[0], k, loc)
		})
	case types.Map:
		return appendMap(dst, v, i, loc)
	case types.Multiset:
		return appendList(dst, int(v.Off[i]), int(v.Off[i+1]), func(dst []byte, k int) []byte {
			return appendPair(dst, v, k, loc)
		})
	case types.Row:
		dst = append(dst, '{')
		for f := range v.Type.Fields {
			if f > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendJSONString(dst, []byte(v.Type.Fields[f].Name))
			dst = append(dst, ": "...)
			dst = AppendJSON(dst, v.Children[f], i, loc)
		}
		return append(dst, '}')
	case types.Variant:
		if text, err := columnar.AppendVariantJSON(nil, v.Children[0].Bytes(i), v.Children[1].Bytes(i)); err == nil {
			return appendSpaced(dst, text)
		}
		dst = append(dst, `{"value": "`...)
		dst = base64.StdEncoding.AppendEncode(dst, v.Children[0].Bytes(i))
		dst = append(dst, `", "metadata": "`...)
		dst = base64.StdEncoding.AppendEncode(dst, v.Children[1].Bytes(i))
		return append(dst, `"}`...)
	}
	return NewTexter(v.Type, loc).Append(dst, v, i)
}

// appendSpaced appends JSON text with a space behind each comma and colon, as MySQL
// prints it.
func appendSpaced(dst, text []byte) []byte {
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		dst = append(dst, c)
		switch {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
			dst = append(dst, text[i])
		case !quoted && (c == ',' || c == ':'):
			dst = append(dst, ' ')
		}
	}
	return dst
}

func appendList(dst []byte, from, to int, one func([]byte, int) []byte) []byte {
	dst = append(dst, '[')
	for k := from; k < to; k++ {
		if k > from {
			dst = append(dst, ", "...)
		}
		dst = one(dst, k)
	}
	return append(dst, ']')
}

func appendPair(dst []byte, v *columnar.Vector, k int, loc *time.Location) []byte {
	dst = append(dst, '[')
	dst = AppendJSON(dst, v.Children[0], k, loc)
	dst = append(dst, ", "...)
	dst = AppendJSON(dst, v.Children[1], k, loc)
	return append(dst, ']')
}

func appendMap(dst []byte, v *columnar.Vector, i int, loc *time.Location) []byte {
	from, to := int(v.Off[i]), int(v.Off[i+1])
	if !v.Type.Key.Text() {
		return appendList(dst, from, to, func(dst []byte, k int) []byte { return appendPair(dst, v, k, loc) })
	}
	dst = append(dst, '{')
	for k := from; k < to; k++ {
		if k > from {
			dst = append(dst, ", "...)
		}
		dst = appendJSONString(dst, v.Children[0].Bytes(k))
		dst = append(dst, ": "...)
		dst = AppendJSON(dst, v.Children[1], k, loc)
	}
	return append(dst, '}')
}

func appendHex(dst, b []byte) []byte {
	const digits = "0123456789ABCDEF"
	dst = append(dst, `"0x`...)
	for _, c := range b {
		dst = append(dst, digits[c>>4], digits[c&15])
	}
	return append(dst, '"')
}

// appendJSONString appends text as a JSON string. Bytes that are not UTF-8 become
// the replacement character.
func appendJSONString(dst, s []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\b':
			dst = append(dst, `\b`...)
		case c == '\f':
			dst = append(dst, `\f`...)
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c < utf8.RuneSelf:
			dst = append(dst, c)
		default:
			r, n := utf8.DecodeRune(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		}
		i++
	}
	return append(dst, '"')
}
