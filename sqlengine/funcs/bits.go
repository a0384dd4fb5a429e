package funcs

import (
	"math"
	"math/big"
	"math/bits"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/shopspring/decimal"
)

func bitFunctions() []entry {
	return []entry{
		{name: "bit_count", min: 1, max: 1, typ: fixed(gmstypes.Int64), eval: bitCount},
	}
}

// bitCount is BIT_COUNT: of a number, or of all bytes of a binary string.
func bitCount(ctx *sql.Context, c *call, args []any) (any, error) {
	if b, ok := args[0].([]byte); ok {
		n := 0
		for _, x := range b {
			n += bits.OnesCount8(x)
		}
		return int64(n), nil
	}
	return int64(bits.OnesCount64(bitsOf(ctx, c.args[0], args[0]))), nil
}

// bitOp is &, |, ^, << and >> of 64 bits without a sign; the host calculates in signed
// integers and floats.
type bitOp struct{ *expression.BitOp }

// BitOp puts ours in the place of the host's; ok is false for other expressions.
func BitOp(e sql.Expression) (out sql.Expression, ok bool) {
	h, ok := e.(*expression.BitOp)
	if !ok {
		return e, false
	}
	return &bitOp{h}, true
}

// Type implements sql.Expression.
func (b *bitOp) Type() sql.Type { return gmstypes.Uint64 }

// WithChildren implements sql.Expression.
func (b *bitOp) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	h, err := b.BitOp.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return &bitOp{h.(*expression.BitOp)}, nil
}

// Eval implements sql.Expression.
func (b *bitOp) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	left, ok, err := bitsAt(ctx, b.LeftChild, row)
	if err != nil || !ok {
		return nil, err
	}
	right, ok, err := bitsAt(ctx, b.RightChild, row)
	if err != nil || !ok {
		return nil, err
	}
	switch b.Op {
	case sqlparser.BitAndStr:
		return left & right, nil
	case sqlparser.BitOrStr:
		return left | right, nil
	case sqlparser.BitXorStr:
		return left ^ right, nil
	case sqlparser.ShiftLeftStr:
		return left << right, nil
	}
	return left >> right, nil
}

// bitsAt evaluates an operand; ok is false for NULL.
func bitsAt(ctx *sql.Context, e sql.Expression, row sql.Row) (n uint64, ok bool, err error) {
	v, err := e.Eval(ctx, row)
	if err != nil || v == nil {
		return 0, false, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil || v == nil {
		return 0, false, err
	}
	return bitsOf(ctx, e, v), true, nil
}

// HexNumber is a literal of at most eight bytes, x'0a', as the number that it is among
// numbers.
func HexNumber(e sql.Expression) (n uint64, ok bool) {
	lit, ok := e.(*expression.Literal)
	if !ok {
		return 0, false
	}
	b, ok := lit.Value().([]byte)
	if !ok || len(b) > 8 {
		return 0, false
	}
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n, true
}

var (
	leastBits = decimal.New(math.MinInt64, 0)
	mostBits  = decimal.NewFromBigInt(new(big.Int).SetUint64(math.MaxUint64), 0)
)

// bitsOf is a value of an expression as 64 bits: rounded to an integer, of whose negative
// ones the sign is the highest bit; what is beyond is the nearest one.
func bitsOf(ctx *sql.Context, e sql.Expression, v any) uint64 {
	if u, ok := v.(uint64); ok {
		return u
	}
	if n, ok := HexNumber(e); ok {
		return n
	}
	d := decimalOf(ctx, v).Round(0)
	if _, ok := v.(time.Time); ok && e.Type() == gmstypes.Date {
		d = d.Shift(-6) // a date has no clock
	}
	switch {
	case d.LessThan(leastBits):
		return 1 << 63
	case d.GreaterThan(mostBits):
		return math.MaxUint64
	case d.Sign() < 0:
		return uint64(d.IntPart())
	}
	return d.BigInt().Uint64()
}
