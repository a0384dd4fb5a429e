package bridge

import (
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

// ExactValue is a literal as a value of column type t. ok is false when the type
// cannot hold it exactly or when comparing it as a value of t would give another
// answer than MySQL's comparison of the two.
func ExactValue(t types.Type, x any, loc *time.Location) (v columnar.Value, ok bool) {
	switch t.Kind {
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.Boolean:
		n, ok := exactInt(x)
		lo, hi := integerRange(t.Kind)
		return columnar.IntValue(n), ok && n >= lo && n <= hi && (t.Kind != types.Boolean || n == 0 || n == 1)
	case types.Double:
		f, ok := exactFloat(x)
		return columnar.FloatValue(f), ok
	case types.Decimal:
		return exactDecimal(t, x)
	case types.Char, types.VarChar:
		s, ok := x.(string)
		return columnar.StringValue(s), ok && utf8.ValidString(s)
	case types.Binary, types.VarBinary:
		switch s := x.(type) {
		case []byte:
			return columnar.StringValue(string(s)), true
		case string:
			return columnar.StringValue(s), true
		}
	case types.Date, types.Timestamp, types.TimestampLTZ:
		return exactTime(t, x, loc)
	}
	return v, false
}

// Int64 is a host integer or bool, of an unsigned type if it fits; false of others.
func Int64(v any) (int64, bool) {
	switch x := v.(type) {
	case int64:
		return x, true
	case int32:
		return int64(x), true
	case int16:
		return int64(x), true
	case int8:
		return int64(x), true
	case int:
		return int64(x), true
	case uint8:
		return int64(x), true
	case uint16:
		return int64(x), true
	case uint32:
		return int64(x), true
	case uint64:
		return int64(x), x <= math.MaxInt64
	case bool:
		if x {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

func exactInt(x any) (int64, bool) {
	switch x := x.(type) {
	case decimal.Decimal:
		if !x.IsInteger() || !x.BigInt().IsInt64() {
			return 0, false
		}
		return x.BigInt().Int64(), true
	case string:
		n, err := strconv.ParseInt(strings.TrimSpace(x), 10, 64)
		return n, err == nil
	}
	return Int64(x)
}

// ParseDecimal reads text as an exact number within the reach of DOUBLE.
func ParseDecimal(text string) (decimal.Decimal, error) {
	d, err := decimal.NewFromString(text)
	return Reachable(d), err
}

// Reachable is d within the reach of DOUBLE: to calculate with what 1e999999999 says
// would take as many digits. A number beyond it is the largest power of ten in it, one
// that is closer to 0 is 0.
func Reachable(d decimal.Decimal) decimal.Decimal {
	const most = 308                            // the largest power of ten of a DOUBLE
	digits := d.NumDigits() + int(d.Exponent()) // before the point
	switch {
	case d.Exponent() > 0 && digits > most+1:
		return decimal.New(int64(d.Sign()), most)
	case digits < -most:
		return decimal.Zero
	}
	return d
}

func exactFloat(x any) (float64, bool) {
	switch x := x.(type) {
	case float64:
		return x, x == x
	case float32:
		return float64(x), x == x
	case decimal.Decimal:
		f, _ := x.Float64()
		return f, !math.IsInf(f, 0)
	}
	n, ok := exactInt(x)
	return float64(n), ok && n > -1<<53 && n < 1<<53
}

func exactDecimal(t types.Type, x any) (columnar.Value, bool) {
	var text string
	switch x := x.(type) {
	case decimal.Decimal:
		text = x.String()
	case string:
		text = x
	default:
		n, ok := exactInt(x)
		if !ok {
			return columnar.Value{}, false
		}
		text = strconv.FormatInt(n, 10)
	}
	d, st := expr.ParseDecimal(text, t.Precision, t.Scale)
	if st != expr.OK {
		return columnar.Value{}, false
	}
	if t.Precision > types.MaxCompactPrecision {
		return columnar.DecimalValue(d), true
	}
	return columnar.IntValue(int64(d.Lo)), true
}

func exactTime(t types.Type, x any, loc *time.Location) (columnar.Value, bool) {
	var dt expr.DateTime
	switch x := x.(type) {
	case time.Time:
		dt = clockOf(x)
	case string:
		var st expr.Status
		if dt, st = expr.ParseDateTime(x); st != expr.OK || dt.HasOffset {
			return columnar.Value{}, false
		}
	case gmstypes.Timespan:
		return columnar.Value{}, false
	default:
		return columnar.Value{}, false
	}
	if expr.RoundNanos(dt.Nanos, t.Precision) != dt.Nanos && t.Kind != types.Date || t.Kind == types.Date && dt.Nanos != 0 {
		return columnar.Value{}, false
	}
	v := columnar.NewVector(t, 1)
	if err := NewEncoder("", t, loc).appendDateTime(v, dt); err != nil {
		return columnar.Value{}, false
	}
	return v.Value(0), true
}

// Compare orders two host values of a type, NULL first.
func Compare(ctx *sql.Context, t sql.Type, a, b any) (int, error) {
	switch {
	case a == nil && b == nil:
		return 0, nil
	case a == nil:
		return -1, nil
	case b == nil:
		return 1, nil
	}
	return t.Compare(ctx, a, b)
}
