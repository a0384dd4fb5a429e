package schema

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

var (
	// ErrMalformed matches the error for text that is no value of the type.
	ErrMalformed = errors.New("malformed value")
	// ErrOutOfRange matches the error for a number that the type cannot hold.
	ErrOutOfRange = errors.New("value out of range")
	// ErrTooLong matches the error for text or bytes longer than the type allows.
	ErrTooLong = errors.New("value too long")
)

// ParseValue reads text as a value of a flat type, by Paimon's rules for casts
// from STRING: FormatValue's forms and a little more (t, yes and 1 as true; a
// fraction after a whole number is cut; DATE, TIME and TIMESTAMP also as the
// number that is stored; months and days without leading zeros). TIMESTAMP_LTZ
// text is UTC. Decimals are rounded half up to the scale.
//
// Unlike a cast, a value that does not fit is an error: it matches ErrMalformed,
// ErrOutOfRange or ErrTooLong.
func ParseValue(t types.Type, text string) (columnar.Value, error) {
	v, err := parseValue(t, text)
	if err != nil {
		shown := text
		if len(shown) > 64 {
			shown = strings.ToValidUTF8(shown[:64], "") + "…"
		}
		return columnar.NullValue, fmt.Errorf("%w: '%s' for %s", err, shown, t.WithNotNull(false))
	}
	return v, nil
}

func parseValue(t types.Type, text string) (columnar.Value, error) {
	switch t.Kind {
	case types.Char, types.VarChar:
		if len(text) > t.Length && utf8.RuneCountInString(text) > t.Length {
			return columnar.NullValue, ErrTooLong
		}
		return columnar.StringValue(text), nil
	case types.Binary, types.VarBinary:
		if len(text) > t.Length {
			return columnar.NullValue, ErrTooLong
		}
		return columnar.StringValue(text), nil
	case types.Blob, types.Geometry, types.Geography:
		return columnar.StringValue(text), nil
	case types.Array, types.Map, types.Multiset, types.Row, types.Vector, types.Variant:
		return columnar.NullValue, ErrMalformed
	}
	text = strings.TrimSpace(text)
	switch t.Kind {
	case types.Boolean:
		return parseBool(text)
	case types.TinyInt:
		return wholeIn(text, math.MinInt8, math.MaxInt8)
	case types.SmallInt:
		return wholeIn(text, math.MinInt16, math.MaxInt16)
	case types.Int:
		return wholeIn(text, math.MinInt32, math.MaxInt32)
	case types.BigInt:
		return wholeIn(text, math.MinInt64, math.MaxInt64)
	case types.Float:
		return parseFloat(text, 32)
	case types.Double:
		return parseFloat(text, 64)
	case types.Decimal:
		return parseDecimal(t, text)
	case types.Date:
		if numeric(text) {
			return wholeIn(text, math.MinInt32, math.MaxInt32)
		}
		day, err := parseDate(text)
		return columnar.IntValue(day), err
	case types.Time:
		if numeric(text) {
			return wholeIn(text, 0, millisPerDay-1)
		}
		millis, err := parseTime(text)
		return columnar.IntValue(millis), err
	case types.Timestamp, types.TimestampLTZ:
		return parseTimestamp(t, text)
	}
	return columnar.NullValue, ErrMalformed
}

func parseBool(text string) (columnar.Value, error) {
	switch strings.ToLower(text) {
	case "t", "true", "y", "yes", "1":
		return columnar.IntValue(1), nil
	case "f", "false", "n", "no", "0":
		return columnar.IntValue(0), nil
	}
	return columnar.NullValue, ErrMalformed
}

// numeric reports whether text is digits alone.
func numeric(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// wholeIn reads a whole number; a fraction is checked and cut.
func wholeIn(text string, lo, hi int64) (columnar.Value, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	digits := whole
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		digits = digits[1:]
	}
	if digits == "" && fraction == "" || digits != "" && !numeric(digits) || fraction != "" && !numeric(fraction) {
		return columnar.NullValue, ErrMalformed
	}
	if digits == "" {
		return columnar.IntValue(0), nil
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n < lo || n > hi {
		return columnar.NullValue, ErrOutOfRange
	}
	return columnar.IntValue(n), nil
}

func parseFloat(text string, bits int) (columnar.Value, error) {
	if strings.ContainsAny(text, "_xX") {
		return columnar.NullValue, ErrMalformed
	}
	f, err := strconv.ParseFloat(text, bits)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return columnar.FloatValue(f), ErrOutOfRange
	case err != nil:
		return columnar.NullValue, ErrMalformed
	}
	return columnar.FloatValue(f), nil
}

// parseDecimal reads a number with an optional fraction and exponent.
func parseDecimal(t types.Type, text string) (columnar.Value, error) {
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		e, err := strconv.Atoi(text[i+1:])
		if err != nil || e > 1000 || e < -1000 {
			if errors.Is(err, strconv.ErrSyntax) {
				return columnar.NullValue, ErrMalformed
			}
			return columnar.NullValue, ErrOutOfRange
		}
		mantissa, exponent = text[:i], e
	}
	digits := strings.TrimPrefix(mantissa, "-")
	negative := len(digits) < len(mantissa)
	if !negative {
		digits = strings.TrimPrefix(digits, "+")
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	digits = whole + fraction
	if !numeric(digits) || len(digits) > 4096 {
		return columnar.NullValue, ErrMalformed
	}
	if len(digits) <= 18 {
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			if negative {
				n = -n
			}
			return decimalValue(t, big.NewInt(n), len(fraction)-exponent)
		}
	}
	n, _ := new(big.Int).SetString(digits, 10)
	if negative {
		n.Neg(n)
	}
	return decimalValue(t, n, len(fraction)-exponent)
}

// decimalValue is unscaled*10^-scale as a value of a DECIMAL type.
func decimalValue(t types.Type, unscaled *big.Int, scale int) (columnar.Value, error) {
	u, ok := rescale(unscaled, scale, t.Precision, t.Scale)
	if !ok {
		return columnar.NullValue, ErrOutOfRange
	}
	if columnar.LayoutOf(t) == columnar.I64 {
		return columnar.IntValue(u.Int64()), nil
	}
	d, _ := columnar.Int128FromBig(u)
	return columnar.DecimalValue(d), nil
}

// rescale gives the unscaled value at another scale, rounded half up (away from
// zero); ok is false when it has more than precision digits.
func rescale(u *big.Int, from, precision, to int) (out *big.Int, ok bool) {
	switch {
	case u.Sign() == 0:
		return u, true
	case to-from > 2*types.MaxDecimalPrecision:
		return nil, false
	case to > from:
		out = new(big.Int).Mul(u, pow10(to-from))
	case to == from:
		out = u
	default:
		p := pow10(from - to)
		q, r := new(big.Int).QuoRem(u, p, new(big.Int))
		if r.Abs(r).Lsh(r, 1).Cmp(p) >= 0 {
			q.Add(q, big.NewInt(int64(u.Sign())))
		}
		out = q
	}
	return out, new(big.Int).Abs(out).Cmp(pow10(precision)) < 0
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// parseDate reads year-month-day, year-month or a year, and passes over a time
// of day behind a blank.
func parseDate(text string) (int64, error) {
	if day, _, ok := strings.Cut(text, " "); ok {
		text = day
	}
	parts := strings.Split(text, "-")
	n := [3]int{0, 1, 1}
	if len(parts) > 3 {
		return 0, ErrMalformed
	}
	for i, p := range parts {
		v, err := strconv.Atoi(strings.TrimSpace(p))
		if err != nil || !numeric(strings.TrimSpace(p)) {
			return 0, ErrMalformed
		}
		n[i] = v
	}
	if n[0] > 9999 || n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > daysIn(n[0], n[1]) {
		return 0, ErrMalformed
	}
	return daysOf(int64(n[0]), n[1], n[2]), nil
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && year%100 != 0 || year%400 == 0 {
			return 29
		}
		return 28
	}
	return 31
}

// parseTime reads hour[:minute[:second[.fraction]]] as milliseconds of the day;
// the fraction is rounded.
func parseTime(text string) (int64, error) {
	secs, nanos, err := parseClock(text)
	if err != nil {
		return 0, err
	}
	millis := secs*1000 + (nanos+500000)/1000000
	return min(millis, millisPerDay-1), nil
}

// parseClock reads a time of day as seconds and nanoseconds.
func parseClock(text string) (secs, nanos int64, err error) {
	clock, fraction, hasFraction := strings.Cut(text, ".")
	parts := strings.Split(clock, ":")
	if len(parts) > 3 || hasFraction && (len(parts) != 3 || fraction != "" && !numeric(fraction)) {
		return 0, 0, ErrMalformed
	}
	limits := [3]int64{23, 59, 59}
	unit := [3]int64{3600, 60, 1}
	for i, p := range parts {
		p = strings.TrimSpace(p)
		v, err := strconv.ParseInt(p, 10, 64)
		if err != nil || !numeric(p) || v > limits[i] {
			return 0, 0, ErrMalformed
		}
		secs += v * unit[i]
	}
	if len(fraction) > 9 {
		fraction = fraction[:9]
	}
	if fraction != "" {
		nanos, _ = strconv.ParseInt(fraction+strings.Repeat("0", 9-len(fraction)), 10, 64)
	}
	return secs, nanos, nil
}

// parseTimestamp reads a date and an optional time of day behind a blank or a T;
// digits finer than the precision are cut. Digits alone are the stored number
// at precisions 0, 3, 6 and 9.
func parseTimestamp(t types.Type, text string) (columnar.Value, error) {
	if numeric(text) && t.Kind == types.Timestamp {
		return epochTimestamp(t, text)
	}
	day, clock := text, ""
	if i := strings.IndexAny(text, " Tt"); i > 0 {
		day, clock = text[:i], strings.TrimSpace(text[i+1:])
		if clock == "" {
			return columnar.NullValue, ErrMalformed
		}
	}
	if strings.Count(day, "-") != 2 {
		return columnar.NullValue, ErrMalformed
	}
	days, err := parseDate(day)
	if err != nil {
		return columnar.NullValue, err
	}
	var secs, nanos int64
	if clock != "" {
		if !strings.Contains(clock, ":") {
			return columnar.NullValue, ErrMalformed
		}
		if secs, nanos, err = parseClock(clock); err != nil {
			return columnar.NullValue, err
		}
	}
	return timeValue(t, days*millisPerDay+secs*1000+nanos/1000000, int32(nanos%1000000)), nil
}

func epochTimestamp(t types.Type, text string) (columnar.Value, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return columnar.NullValue, ErrOutOfRange
	}
	switch t.Precision {
	case 0:
		if n > math.MaxInt64/1000 {
			return columnar.NullValue, ErrOutOfRange
		}
		return timeValue(t, n*1000, 0), nil
	case 3:
		return timeValue(t, n, 0), nil
	case 6:
		return timeValue(t, n/1000, int32(n%1000)*1000), nil
	case 9:
		return timeValue(t, n/1000000, int32(n%1000000)), nil
	}
	return columnar.NullValue, ErrMalformed
}

// timeValue is a timestamp cut to the precision of its type.
func timeValue(t types.Type, millis int64, nanos int32) columnar.Value {
	millis, nanos = cutTime(millis, nanos, t.Precision)
	if t.Precision > 6 {
		return columnar.Time96Value(millis, nanos)
	}
	return columnar.IntValue(joinTime(millis, nanos, t.Precision))
}

// cutTime drops the digits of a second's fraction beyond precision, toward the past.
func cutTime(millis int64, nanos int32, precision int) (int64, int32) {
	if precision >= 9 {
		return millis, nanos
	}
	if precision <= 3 {
		unit := int64(1)
		for range 3 - precision {
			unit *= 10
		}
		return millis - floorMod(millis, unit), 0
	}
	unit := int32(1)
	for range 9 - precision {
		unit *= 10
	}
	return millis, nanos - nanos%unit
}
