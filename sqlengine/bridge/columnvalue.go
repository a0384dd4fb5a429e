package bridge

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Encoder appends host values to one column in MySQL's strict mode: values that
// the type cannot hold are errors with MySQL's numbers, values that lose digits
// are rounded.
type Encoder struct {
	name string
	typ  types.Type
	loc  *time.Location
	row  int64 // of the statement, 1 is the first; for messages
	// from is the host type of the values, where all have one and it is known: a DATE
	// is a time.Time as a DATETIME is.
	from sql.Type
	// warn, when set, makes values that do not fit fit, with warnings.
	warn *sql.Context
}

// NewEncoder returns an encoder for a column of type t; values of TIMESTAMP_LTZ
// are read as clocks in loc.
func NewEncoder(name string, t types.Type, loc *time.Location) *Encoder {
	return &Encoder{name: name, typ: t, loc: loc}
}

// Append appends a host value of any type. NOT NULL is not checked here.
func (e *Encoder) Append(dst *columnar.Vector, v any) error {
	e.row++
	switch x := v.(type) {
	case nil:
		dst.AppendNull()
		return nil
	case sql.AnyWrapper:
		u, err := x.UnwrapAny(context.Background())
		if err != nil {
			return fmt.Errorf("column %s: %w", e.name, err)
		}
		e.row--
		return e.Append(dst, u)
	}
	err := e.strict(dst, v)
	if err != nil && e.warn != nil {
		return e.adjust(dst, v, err)
	}
	return err
}

func (e *Encoder) strict(dst *columnar.Vector, v any) error {
	switch e.typ.Kind {
	case types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		return e.integer(dst, v)
	case types.Float, types.Double:
		return e.float(dst, v)
	case types.Decimal:
		return e.decimal(dst, v)
	case types.Char, types.VarChar:
		return e.text(dst, v)
	case types.Date, types.Timestamp, types.TimestampLTZ:
		return e.timestamp(dst, v)
	case types.Time:
		return e.time(dst, v)
	case types.Array, types.Map, types.Multiset, types.Row, types.Vector, types.Variant:
		return e.nested(dst, v)
	}
	return e.bytes(dst, v)
}

func (e *Encoder) outOfRange() error {
	return Errorf(CodeOutOfRange, "Out of range value for column '%s' at row %d", e.name, e.row)
}

func (e *Encoder) wrong(kind string, v any) error {
	c := CodeWrongValue
	if kind == "datetime" || kind == "date" || kind == "time" {
		c = CodeBadValue
	}
	return Errorf(c, "Incorrect %s value: '%v' for column '%s' at row %d", kind, show(v), e.name, e.row)
}

func (e *Encoder) truncated() error {
	return Errorf(CodeDataTruncated, "Data truncated for column '%s' at row %d", e.name, e.row)
}

func (e *Encoder) tooLong() error {
	return Errorf(CodeTooLong, "Data too long for column '%s' at row %d", e.name, e.row)
}

// show is a value in a message, cut to a reasonable length.
func show(v any) string {
	var s string
	switch x := v.(type) {
	case []byte:
		s = string(x)
	case time.Time:
		s = x.Format("2006-01-02 15:04:05.999999")
	default:
		s = fmt.Sprint(x)
	}
	if len(s) > 64 {
		s = s[:64]
	}
	return strings.ToValidUTF8(s, "?")
}

func integerRange(k types.Kind) (lo, hi int64) {
	switch k {
	case types.Boolean, types.TinyInt:
		return math.MinInt8, math.MaxInt8
	case types.SmallInt:
		return math.MinInt16, math.MaxInt16
	case types.Int:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

func (e *Encoder) integer(dst *columnar.Vector, v any) error {
	n, err := e.int64(v)
	if err != nil {
		return err
	}
	return e.appendInt(dst, n)
}

// appendInt appends an integer that is checked against the type here.
func (e *Encoder) appendInt(dst *columnar.Vector, n int64) error {
	if lo, hi := integerRange(e.typ.Kind); n < lo || n > hi {
		return e.outOfRange()
	}
	switch e.typ.Kind {
	case types.Boolean:
		if n < 0 || n > 1 {
			return e.outOfRange()
		}
		dst.AppendI32(int32(n))
	case types.BigInt:
		dst.AppendI64(n)
	default:
		dst.AppendI32(int32(n))
	}
	return nil
}

func (e *Encoder) int64(v any) (int64, error) {
	if n, ok := Int64(v); ok {
		return n, nil
	}
	switch x := v.(type) {
	case uint64:
		return 0, e.outOfRange()
	case uint:
		return e.int64(uint64(x))
	case float32:
		return e.int64(float64(x))
	case float64:
		r := math.RoundToEven(x)
		if r != r || r < math.MinInt64 || r >= math.MaxInt64 {
			return 0, e.outOfRange()
		}
		return int64(r), nil
	case decimal.Decimal:
		d, ok := expr.FromBig(x.Round(0).BigInt())
		if !ok || !expr.Fits64(d) {
			return 0, e.outOfRange()
		}
		return int64(d.Lo), nil
	case string:
		return e.intText(x)
	case []byte:
		return e.intText(string(x))
	case time.Time:
		return e.intText(e.clockNumber(x))
	case gmstypes.Timespan:
		return e.intText(spanNumber(x))
	}
	return 0, e.wrong("integer", v)
}

func (e *Encoder) intText(s string) (int64, error) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, nil
	}
	if e.typ.Kind == types.Boolean {
		switch strings.ToLower(strings.TrimSpace(s)) {
		case "true":
			return 1, nil
		case "false":
			return 0, nil
		}
	}
	d, st := expr.ParseDecimal(s, 38, 0)
	switch st {
	case expr.OK, expr.Rounded:
		if !expr.Fits64(d) {
			return 0, e.outOfRange()
		}
		return int64(d.Lo), nil
	case expr.OutOfRange:
		return 0, e.outOfRange()
	case expr.Trailing:
		return 0, e.truncated()
	}
	return 0, e.wrong("integer", s)
}

func (e *Encoder) float(dst *columnar.Vector, v any) error {
	f, err := e.float64(v)
	if err != nil {
		return err
	}
	return e.appendFloat(dst, f)
}

func (e *Encoder) appendFloat(dst *columnar.Vector, f float64) error {
	if e.typ.Kind == types.Float {
		if math.Abs(f) > math.MaxFloat32 {
			return e.outOfRange()
		}
		dst.AppendF32(float32(f))
		return nil
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return e.outOfRange()
	}
	dst.AppendF64(f)
	return nil
}

func (e *Encoder) float64(v any) (float64, error) {
	switch x := v.(type) {
	case float64:
		return x, nil
	case float32:
		if e.typ.Kind == types.Double {
			// The shortest text of the single is what the user means.
			f, err := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'g', -1, 32), 64)
			return f, err
		}
		return float64(x), nil
	case uint64:
		return float64(x), nil
	case decimal.Decimal:
		return x.InexactFloat64(), nil
	case time.Time:
		return e.floatText(e.clockNumber(x))
	case gmstypes.Timespan:
		return e.floatText(spanNumber(x))
	case string:
		return e.floatText(x)
	case []byte:
		return e.floatText(string(x))
	}
	n, err := e.int64(v)
	return float64(n), err
}

func (e *Encoder) floatText(s string) (float64, error) {
	if plainFloat(s) {
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return f, nil
		}
	}
	t := strings.TrimSpace(s)
	f, err := strconv.ParseFloat(t, 64)
	switch {
	case err == nil && !beyondMySQL(t):
		return f, nil
	case err != nil && math.IsInf(f, 0):
		return 0, e.outOfRange()
	}
	return 0, e.truncated()
}

// beyondMySQL reports whether a text that Go reads as a number is none for MySQL: a
// hexadecimal one, one with underscores, an infinity or NaN.
func beyondMySQL(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case 'x', 'X', 'n', 'N', 'p', 'P', '_':
			return true
		}
	}
	return false
}

// plainFloat reports whether a text has nothing but what numbers have.
func plainFloat(s string) bool {
	for i := range len(s) {
		if c := s[i]; c > '9' && c|0x20 != 'e' || c < '+' || c == ',' || c == '/' {
			return false
		}
	}
	return true
}

func (e *Encoder) decimal(dst *columnar.Vector, v any) error {
	var text string
	switch x := v.(type) {
	case int64:
		d, ok := expr.Rescale(expr.FromInt64(x), 0, e.typ.Scale)
		if !ok {
			return e.outOfRange()
		}
		return e.appendDecimal(dst, d)
	case decimal.Decimal:
		d, ok := expr.FromBig(x.Round(int32(e.typ.Scale)).Shift(int32(e.typ.Scale)).BigInt())
		if !ok {
			return e.outOfRange()
		}
		return e.appendDecimal(dst, d)
	case float64:
		text = strconv.FormatFloat(x, 'f', -1, 64)
	case float32:
		text = strconv.FormatFloat(float64(x), 'f', -1, 32)
	case string:
		text = x
	case []byte:
		text = string(x)
	case uint64:
		text = strconv.FormatUint(x, 10)
	case time.Time:
		text = e.clockNumber(x)
	case gmstypes.Timespan:
		text = spanNumber(x)
	default:
		n, err := e.int64(v)
		if err != nil {
			return err
		}
		text = strconv.FormatInt(n, 10)
	}
	return e.decimalText(dst, text)
}

func (e *Encoder) decimalText(dst *columnar.Vector, text string) error {
	d, st := expr.ParseDecimal(text, e.typ.Precision, e.typ.Scale)
	switch st {
	case expr.OK, expr.Rounded:
		return e.appendDecimal(dst, d)
	case expr.OutOfRange:
		return e.outOfRange()
	case expr.Trailing:
		return e.truncated()
	}
	return e.wrong("decimal", text)
}

func (e *Encoder) appendDecimal(dst *columnar.Vector, d columnar.Int128) error {
	if !expr.FitsPrecision(d, e.typ.Precision) {
		return e.outOfRange()
	}
	if e.typ.Precision > types.MaxCompactPrecision {
		dst.AppendD128(d)
	} else {
		dst.AppendI64(int64(d.Lo))
	}
	return nil
}

func (e *Encoder) text(dst *columnar.Vector, v any) error {
	switch x := v.(type) {
	case string:
		return e.appendText(dst, x)
	case []byte:
		return e.appendText(dst, string(x))
	case bool:
		if x {
			return e.appendText(dst, "1")
		}
		return e.appendText(dst, "0")
	case time.Time:
		return e.appendText(dst, e.clockText(x))
	case gmstypes.Timespan:
		if t, ok := e.from.(TimeType); ok {
			return e.appendText(dst, string(expr.AppendTime(nil, int64(x), t.Precision())))
		}
	case float32:
		return e.appendText(dst, string(expr.AppendFloat(nil, float64(x), 32)))
	case float64:
		return e.appendText(dst, string(expr.AppendFloat(nil, x, 64)))
	case decimal.Decimal:
		return e.appendText(dst, x.StringFixed(max(-x.Exponent(), 0)))
	case sql.JSONWrapper:
		s, err := gmstypes.JsonToMySqlString(x)
		if err != nil {
			return fmt.Errorf("column %s: %w", e.name, err)
		}
		return e.appendText(dst, s)
	}
	return e.appendText(dst, fmt.Sprint(v))
}

// appendText checks text against CHAR(n) and VARCHAR(n), n in characters.
func (e *Encoder) appendText(dst *columnar.Vector, s string) error {
	if !utf8.ValidString(s) {
		return e.badString(s)
	}
	if len(s) > e.typ.Length && utf8.RuneCountInString(s) > e.typ.Length {
		// Trailing blanks beyond the length are dropped, as MySQL does.
		cut := strings.TrimRight(s, " ")
		if utf8.RuneCountInString(cut) > e.typ.Length {
			return e.tooLong()
		}
		for utf8.RuneCountInString(s) > e.typ.Length {
			s = s[:len(s)-1]
		}
	}
	dst.AppendString(s)
	return nil
}

// badString refuses a text with bytes that are no characters; it shows the first.
func (e *Encoder) badString(s string) error {
	at := 0
	for at < len(s) {
		r, n := utf8.DecodeRuneInString(s[at:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		at += n
	}
	return Errorf(CodeWrongValue, "Incorrect string value: '%s' for column '%s' at row %d", hexShow(s[at:]), e.name, e.row)
}

func hexShow(s string) string {
	var b strings.Builder
	for i := 0; i < len(s) && i < 6; i++ {
		if s[i] >= 0x20 && s[i] < 0x7f {
			b.WriteByte(s[i])
			continue
		}
		fmt.Fprintf(&b, `\x%02X`, s[i])
	}
	return b.String()
}

func (e *Encoder) bytes(dst *columnar.Vector, v any) error {
	var s string
	switch x := v.(type) {
	case []byte:
		s = string(x)
	case string:
		s = x
	default:
		s = fmt.Sprint(v)
	}
	if e.typ.Length > 0 && len(s) > e.typ.Length {
		return e.tooLong()
	}
	if e.typ.Kind == types.Binary && len(s) < e.typ.Length {
		s += strings.Repeat("\x00", e.typ.Length-len(s))
	}
	dst.AppendString(s)
	return nil
}
