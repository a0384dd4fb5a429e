package bridge

import (
	"errors"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// adjust appends the nearest value to v that the column can hold and warns of
// fault, as MySQL does under IGNORE. Times that are none have no nearest value:
// they become NULL where the column takes it. The fault stays an error where
// nothing fits.
func (e *Encoder) adjust(dst *columnar.Vector, v any, fault error) error {
	var coded *codedError
	if !errors.As(fault, &coded) {
		return fault
	}
	switch e.typ.Kind {
	case types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		e.adjustInt(dst, v, coded.code)
	case types.Float, types.Double:
		e.adjustFloat(dst, v, coded.code)
	case types.Decimal:
		e.adjustDecimal(dst, v, coded.code)
	case types.Char, types.VarChar:
		e.adjustText(dst, v)
	case types.Binary, types.VarBinary:
		s, ok := textOf(v)
		if !ok {
			return fault
		}
		dst.AppendString(s[:min(len(s), e.typ.Length)])
	case types.Date, types.Time, types.Timestamp, types.TimestampLTZ:
		if e.typ.NotNull {
			return fault
		}
		dst.AppendNull()
	default:
		return fault
	}
	code, text := coded.code.Num, fault.Error()
	if code == CodeTooLong.Num {
		truncated := e.truncated()
		code, text = CodeDataTruncated.Num, truncated.Error()
	}
	e.warn.Warn(code, "%s", text)
	return nil
}

func textOf(v any) (string, bool) {
	switch x := v.(type) {
	case string:
		return x, true
	case []byte:
		return string(x), true
	}
	return "", false
}

// negative reports the sign of a number or of a text that begins with one.
func negative(v any) bool {
	switch x := v.(type) {
	case int64:
		return x < 0
	case int32:
		return x < 0
	case int16:
		return x < 0
	case int8:
		return x < 0
	case float64:
		return x < 0
	case float32:
		return x < 0
	case decimal.Decimal:
		return x.Sign() < 0
	}
	s, ok := textOf(v)
	return ok && strings.HasPrefix(strings.TrimSpace(s), "-")
}

func (e *Encoder) adjustInt(dst *columnar.Vector, v any, code Code) {
	lo, hi := integerRange(e.typ.Kind)
	if e.typ.Kind == types.Boolean {
		lo, hi = 0, 1
	}
	n := int64(0)
	if s, ok := textOf(v); ok && code == CodeDataTruncated {
		if d, st := expr.ParseDecimal(s, 38, 0); st == expr.Trailing && expr.Fits64(d) {
			n = min(max(int64(d.Lo), lo), hi)
		}
	} else if code == CodeOutOfRange {
		if n = hi; negative(v) {
			n = lo
		}
	}
	if e.typ.Kind == types.BigInt {
		dst.AppendI64(n)
	} else {
		dst.AppendI32(int32(n))
	}
}

func (e *Encoder) adjustFloat(dst *columnar.Vector, v any, code Code) {
	f := 0.0
	if s, ok := textOf(v); ok && code == CodeDataTruncated {
		if d, st := expr.ParseDecimal(s, 38, 12); st == expr.Trailing {
			f, _ = decimal.NewFromBigInt(expr.BigInt(d), -12).Float64()
		}
	} else if code == CodeOutOfRange {
		if f = math.MaxFloat64; e.typ.Kind == types.Float {
			f = math.MaxFloat32
		}
		if negative(v) {
			f = -f
		}
	}
	if e.typ.Kind == types.Float {
		dst.AppendF32(float32(f))
	} else {
		dst.AppendF64(f)
	}
}

func (e *Encoder) adjustDecimal(dst *columnar.Vector, v any, code Code) {
	text := "0"
	if s, ok := textOf(v); ok && code == CodeDataTruncated {
		if d, st := expr.ParseDecimal(s, e.typ.Precision, e.typ.Scale); st == expr.Trailing {
			text = decimal.NewFromBigInt(expr.BigInt(d), -int32(e.typ.Scale)).String()
		}
	} else if code == CodeOutOfRange {
		text = strings.Repeat("9", e.typ.Precision-e.typ.Scale) + "." + strings.Repeat("9", e.typ.Scale)
		if negative(v) {
			text = "-" + text
		}
	}
	d, _ := expr.ParseDecimal(text, e.typ.Precision, e.typ.Scale)
	if e.typ.Precision > types.MaxCompactPrecision {
		dst.AppendD128(d)
	} else {
		dst.AppendI64(int64(d.Lo))
	}
}

// adjustText cuts a text to what is valid and to the column's length.
func (e *Encoder) adjustText(dst *columnar.Vector, v any) {
	s, _ := textOf(v)
	end, chars := 0, 0
	for end < len(s) && chars < e.typ.Length {
		r, n := utf8.DecodeRuneInString(s[end:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		end += n
		chars++
	}
	dst.AppendString(s[:end])
}

// implicitDefault is what MySQL puts into a NOT NULL column that gets NULL under
// IGNORE; nil where a type has none.
func implicitDefault(t types.Type) any {
	switch t.Kind {
	case types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.Float, types.Double, types.Decimal:
		return int64(0)
	case types.Char, types.VarChar, types.Binary, types.VarBinary:
		return ""
	case types.Time:
		return "00:00:00"
	}
	return nil
}
