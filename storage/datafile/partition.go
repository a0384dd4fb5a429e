package datafile

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// LegacyText is the text of a value, not null, as the reference's own objects print
// themselves: a date as its day number, a timestamp in ISO form. It is what names of
// partition folders have by default. Types without such a text give "".
func LegacyText(t types.Type, v columnar.Value) string {
	text, err := partitionText(t, v, true)
	if err != nil {
		return ""
	}
	return text
}

// partitionText is the string of a partition value that is not null, before the
// rule for blank values and before escaping. legacy is option
// partition.legacy-name: the value's Java toString; otherwise its cast to text.
func partitionText(t types.Type, v columnar.Value, legacy bool) (string, error) {
	switch t.Kind {
	case types.Boolean:
		return strconv.FormatBool(v.I != 0), nil
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		return strconv.FormatInt(v.I, 10), nil
	case types.Char, types.VarChar:
		return v.S, nil
	case types.Decimal:
		return decimalText(t, v), nil
	case types.Float:
		return javaFloat(v.F, 32), nil
	case types.Double:
		return javaFloat(v.F, 64), nil
	case types.Date:
		if legacy {
			return strconv.FormatInt(v.I, 10), nil
		}
		y, m, d := time.Unix(v.I*86400, 0).UTC().Date()
		return fmt.Sprintf("%04d-%02d-%02d", y, int(m), d), nil
	case types.Time:
		if legacy {
			return strconv.FormatInt(v.I, 10), nil
		}
		return timeText(int(v.I), t.Precision), nil
	case types.Timestamp, types.TimestampLTZ:
		if legacy {
			return isoDateTime(v.Instant(t)), nil
		}
		return spacedDateTime(v.Instant(t), t.Precision), nil
	case types.Binary, types.VarBinary:
		if !legacy && utf8.ValidString(v.S) {
			return v.S, nil
		}
	}
	return "", fmt.Errorf("partition value of type %s has no directory name", kindName(t))
}

// isoDateTime is the form of Java's LocalDateTime.toString: seconds are left out
// when they and the fraction are zero, the fraction has 3, 6 or 9 digits.
func isoDateTime(x time.Time) string {
	var b strings.Builder
	switch y := x.Year(); {
	case y > 9999:
		fmt.Fprintf(&b, "+%d", y)
	case y < 0:
		fmt.Fprintf(&b, "-%04d", -y)
	default:
		fmt.Fprintf(&b, "%04d", y)
	}
	fmt.Fprintf(&b, "-%02d-%02dT%02d:%02d", int(x.Month()), x.Day(), x.Hour(), x.Minute())
	nanos := x.Nanosecond()
	if x.Second() != 0 || nanos != 0 {
		fmt.Fprintf(&b, ":%02d", x.Second())
	}
	switch {
	case nanos == 0:
	case nanos%1_000_000 == 0:
		fmt.Fprintf(&b, ".%03d", nanos/1_000_000)
	case nanos%1_000 == 0:
		fmt.Fprintf(&b, ".%06d", nanos/1_000)
	default:
		fmt.Fprintf(&b, ".%09d", nanos)
	}
	return b.String()
}

// spacedDateTime is the form of a cast to text: the fraction has precision digits,
// or more if it has more.
func spacedDateTime(x time.Time, precision int) string {
	fraction := fmt.Sprintf("%09d", x.Nanosecond())
	for len(fraction) > precision && strings.HasSuffix(fraction, "0") {
		fraction = fraction[:len(fraction)-1]
	}
	out := fmt.Sprintf("%04d-%02d-%02d %02d:%02d:%02d", x.Year(), int(x.Month()), x.Day(), x.Hour(), x.Minute(), x.Second())
	if fraction == "" {
		return out
	}
	return out + "." + fraction
}

// timeText is the cast of a TIME to text: up to precision digits of the fraction,
// at least one, without zeros at the end.
func timeText(millis, precision int) string {
	const day = 86_400_000
	millis = (millis%day + day) % day
	out := fmt.Sprintf("%02d:%02d:%02d", millis/3_600_000, millis/60_000%60, millis/1000%60)
	if precision == 0 {
		return out
	}
	out += "."
	for ms := millis % 1000; precision > 0; precision-- {
		out += string(rune('0' + ms/100))
		ms = ms % 100 * 10
		if ms == 0 {
			break
		}
	}
	return out
}

func decimalText(t types.Type, v columnar.Value) string {
	var unscaled big.Int
	if t.Precision <= types.MaxCompactPrecision {
		unscaled.SetInt64(v.I)
	} else {
		unscaled.SetInt64(v.Hi)
		unscaled.Lsh(&unscaled, 64)
		unscaled.Add(&unscaled, new(big.Int).SetUint64(uint64(v.I)))
	}
	sign := ""
	if unscaled.Sign() < 0 {
		sign = "-"
		unscaled.Neg(&unscaled)
	}
	digits := unscaled.String()
	if t.Scale == 0 {
		return sign + digits
	}
	if pad := t.Scale + 1 - len(digits); pad > 0 {
		digits = strings.Repeat("0", pad) + digits
	}
	cut := len(digits) - t.Scale
	return sign + digits[:cut] + "." + digits[cut:]
}

// javaFloat is Double.toString and Float.toString of Java 19 and later: the
// shortest digits that read back, but of at least two digits the nearest; plain
// from 0.001 to 10^7, scientific outside. Older Javas print some values longer.
func javaFloat(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		if math.Signbit(f) {
			return "-0.0"
		}
		return "0.0"
	}
	text := strconv.FormatFloat(f, 'e', -1, bits)
	if !strings.Contains(text, ".") {
		text = strconv.FormatFloat(f, 'e', 1, bits)
	}
	mantissa, exponent, _ := strings.Cut(text, "e")
	exp, _ := strconv.Atoi(exponent)
	sign := ""
	if mantissa[0] == '-' {
		sign, mantissa = "-", mantissa[1:]
	}
	if exp < -3 || exp >= 7 {
		return sign + mantissa + "E" + strconv.Itoa(exp)
	}
	digits := strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0")
	if exp < 0 {
		return sign + "0." + strings.Repeat("0", -exp-1) + digits
	}
	if pad := exp + 2 - len(digits); pad > 0 { // at least one digit behind the point
		digits += strings.Repeat("0", pad)
	}
	return sign + digits[:exp+1] + "." + digits[exp+1:]
}

// blank reports whether s is empty or all white space as Java's
// Character.isWhitespace sees it: no non-breaking spaces, the separators of ASCII.
func blank(s string) bool {
	for _, r := range s {
		switch {
		case r >= '\t' && r <= '\r', r >= 0x1c && r <= ' ':
		case r == 0x1680, r >= 0x2000 && r <= 0x2006, r >= 0x2008 && r <= 0x200a, r == 0x2028, r == 0x2029, r == 0x205f, r == 0x3000:
		default:
			return false
		}
	}
	return true
}

// escapePath replaces what a directory name must not hold by %XX.
func escapePath(s string) string {
	i := 0
	for i < len(s) && !mustEscape(s[i]) {
		i++
	}
	if i == len(s) {
		return s
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(s) {
		if mustEscape(c) {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// mustEscape looks at bytes: all that is escaped is ASCII, and no byte of a
// longer UTF-8 character is.
func mustEscape(c byte) bool {
	return c < 0x20 || c == 0x7f || strings.IndexByte(`"#%'*/:=?\{}[]^`, c) >= 0
}

// kindName is a type's root for messages.
func kindName(t types.Type) string {
	switch t.Kind {
	case types.Binary:
		return "BINARY"
	case types.VarBinary:
		return "VARBINARY"
	case types.Float:
		return "FLOAT"
	case types.Double:
		return "DOUBLE"
	case types.Timestamp:
		return "TIMESTAMP"
	case types.TimestampLTZ:
		return "TIMESTAMP WITH LOCAL TIME ZONE"
	case types.Array, types.Map, types.Multiset, types.Row, types.Vector:
		return "ARRAY, MAP, MULTISET, ROW or VECTOR"
	}
	return fmt.Sprintf("kind %d", t.Kind)
}
