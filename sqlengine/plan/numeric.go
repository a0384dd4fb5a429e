package plan

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
)

// MySQL's limits of exact numbers, and the digits that a division adds to the
// scale of its dividend.
const (
	maxDigits      = 65
	maxScale       = 30
	divisionDigits = 4
)

// numberKind is the class in which MySQL calculates.
type numberKind uint8

const (
	noNumber numberKind = iota // times, JSON, NULL, anything that the host must calculate
	signedInt
	unsignedInt
	exactDecimal
	float
)

// number is a numeric type: for exact numbers with how many digits, scale of
// them after the point.
type number struct {
	kind      numberKind
	precision int
	scale     int
}

// numberOf is the number that an expression gives; text calculates as DOUBLE.
func numberOf(e sql.Expression) number {
	if _, ok := e.(*expression.Interval); ok {
		return number{}
	}
	n := numberOfType(e.Type())
	if lit, ok := e.(*expression.Literal); ok && (n.kind == signedInt || n.kind == unsignedInt) {
		n.precision = len(strings.TrimPrefix(fmt.Sprint(lit.Value()), "-"))
		if n.kind == unsignedInt { // a literal is unsigned only beyond BIGINT
			if x, ok := intOf(lit.Value()); ok && x.IsInt64() {
				n.kind = signedInt
			}
		}
	}
	return n
}

func numberOfType(t sql.Type) number {
	switch {
	case t == nil || gmstypes.IsDeferredType(t) || gmstypes.IsBit(t) || gmstypes.IsYear(t) || gmstypes.IsJSON(t) ||
		gmstypes.IsEnum(t) || gmstypes.IsSet(t) || t == gmstypes.Null:
		return number{}
	case gmstypes.IsDecimal(t):
		d := t.(sql.DecimalType)
		return number{exactDecimal, int(d.Precision()), int(d.Scale())}
	case gmstypes.IsFloat(t), gmstypes.IsText(t):
		return number{kind: float}
	case !gmstypes.IsInteger(t):
		return number{}
	}
	n := number{kind: signedInt, precision: 19}
	switch t {
	case gmstypes.Int8, gmstypes.Uint8, gmstypes.Boolean:
		n.precision = 3
	case gmstypes.Int16, gmstypes.Uint16:
		n.precision = 5
	case gmstypes.Int24, gmstypes.Uint24:
		n.precision = 8
	case gmstypes.Int32, gmstypes.Uint32:
		n.precision = 10
	case gmstypes.Uint64:
		n.precision = 20
	}
	if gmstypes.IsUnsigned(t) {
		n.kind = unsignedInt
	}
	return n
}

func (n number) exact() bool {
	return n.kind == signedInt || n.kind == unsignedInt || n.kind == exactDecimal
}

// typ is n as a host type.
func (n number) typ() sql.Type {
	switch n.kind {
	case signedInt:
		return gmstypes.Int64
	case unsignedInt:
		return gmstypes.Uint64
	case exactDecimal:
		return decimalType(n.precision, n.scale)
	}
	return gmstypes.Float64
}

func decimalType(precision, scale int) sql.Type {
	scale = min(max(scale, 0), maxScale)
	precision = min(max(precision, scale, 1), maxDigits)
	return gmstypes.MustCreateColumnDecimalType(uint8(precision), uint8(scale))
}

// intOf is a host value as an integer, if it is one.
func intOf(v any) (*big.Int, bool) {
	switch x := v.(type) {
	case bool:
		if x {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	case int:
		return big.NewInt(int64(x)), true
	case uint:
		return new(big.Int).SetUint64(uint64(x)), true
	case uint64:
		return new(big.Int).SetUint64(x), true
	case decimal.Decimal:
		if x.IsInteger() {
			return x.BigInt(), true
		}
		return nil, false
	}
	if n, ok := bridge.Int64(v); ok {
		return big.NewInt(n), true
	}
	return nil, false
}

// decimalOf is a host value as an exact number; text is read as far as it is one.
func decimalOf(ctx *sql.Context, v any) decimal.Decimal {
	switch x := v.(type) {
	case decimal.Decimal:
		return x
	case float64:
		return decimal.NewFromFloat(x)
	case float32:
		return decimal.NewFromFloat32(x)
	case string:
		d, err := bridge.ParseDecimal(strings.TrimSpace(x))
		if err != nil {
			return decimal.NewFromFloat(floatOf(ctx, x))
		}
		return d
	}
	if n, ok := bridge.Int64(v); ok {
		return decimal.New(n, 0)
	}
	if b, ok := intOf(v); ok {
		return decimal.NewFromBigInt(b, 0)
	}
	return decimal.NewFromFloat(floatOf(ctx, v))
}

// floatOf is a host value as a DOUBLE; text is read as far as it is a number.
func floatOf(ctx *sql.Context, v any) float64 {
	switch x := v.(type) {
	case float64:
		return x
	case float32:
		return float64(x)
	case decimal.Decimal:
		f, _ := strconv.ParseFloat(x.String(), 64)
		return f
	}
	if n, ok := bridge.Int64(v); ok {
		return float64(n)
	}
	if text, ok := v.([]byte); ok {
		v = string(text)
	}
	if text, ok := v.(string); ok {
		f, whole := expr.ParseFloat(text)
		if !whole {
			ctx.Warn(bridge.CodeBadValue.Num, "Truncated incorrect DOUBLE value: '%s'", text)
		}
		return f
	}
	f, _, err := gmstypes.Float64.Convert(ctx, v)
	if g, ok := f.(float64); ok && err == nil && !math.IsNaN(g) {
		return g
	}
	ctx.Warn(bridge.CodeBadValue.Num, "Truncated incorrect DOUBLE value: '%v'", show(v))
	return 0
}

func show(v any) string {
	if b, ok := v.([]byte); ok {
		return string(b)
	}
	return fmt.Sprint(v)
}
