package plan

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// operator of an arithmetic expression.
type operator uint8

const (
	opAdd operator = iota
	opSub
	opMul
	opDiv
	opIntDiv
	opMod
	opNeg // the right operand is absent
)

var operatorText = [...]string{"+", "-", "*", "/", "DIV", "%", "-"}

// arith calculates as MySQL does: integers with checks, decimals exactly, with
// MySQL's result types. It takes the place of the host's expression, which wraps
// integers.
type arith struct {
	host        sql.Expression // with the same operands; for the host's printing
	op          operator
	left, right sql.Expression
	res         number
	typ         sql.Type
	writes      bool // part of a statement that writes: dividing by zero may be an error
}

var (
	_ sql.Expression         = (*arith)(nil)
	_ sql.CollationCoercible = (*arith)(nil)
)

// newArith is the expression that stands for the host's e; ok is false when e is
// not arithmetic on numbers.
func newArith(e sql.Expression) (*arith, bool) {
	a := &arith{host: e}
	switch x := e.(type) {
	case *expression.Arithmetic:
		a.left, a.right = x.LeftChild, x.RightChild
		switch x.Op {
		case "+":
			a.op = opAdd
		case "-":
			a.op = opSub
		case "*":
			a.op = opMul
		default:
			return nil, false
		}
	case *expression.Div:
		a.op, a.left, a.right = opDiv, x.LeftChild, x.RightChild
	case *expression.IntDiv:
		a.op, a.left, a.right = opIntDiv, x.LeftChild, x.RightChild
	case *expression.Mod:
		a.op, a.left, a.right = opMod, x.LeftChild, x.RightChild
	case *expression.UnaryMinus:
		a.op, a.left = opNeg, x.Child
	default:
		return nil, false
	}
	if !a.resolve() {
		return nil, false
	}
	return a, true
}

// resolve finds the result's type; false when an operand is no number.
func (a *arith) resolve() bool {
	l := numberOf(a.left)
	if l.kind == noNumber {
		return false
	}
	if a.op == opNeg {
		return a.resolveNeg(l)
	}
	r := numberOf(a.right)
	if r.kind == noNumber {
		return false
	}
	a.res = arithResult(a.op, l, r)
	a.typ = a.res.typ()
	return true
}

func (a *arith) resolveNeg(l number) bool {
	a.res = l
	switch l.kind {
	case signedInt, unsignedInt:
		lit, ok := a.left.(*expression.Literal)
		if !ok {
			a.res.kind = signedInt
			break
		}
		b, ok := intOf(lit.Value())
		if !ok {
			return false
		}
		if b = new(big.Int).Neg(b); !b.IsInt64() {
			a.res.kind = exactDecimal
			break
		}
		if lit.Value() != any(int64(math.MinInt64)) && l.kind == signedInt && b.Sign() < 0 && b.Int64() != math.MinInt64 {
			// The host's narrow literal types let it compare with columns of their type.
			return false
		}
		a.res.kind = signedInt
	}
	a.typ = a.res.typ()
	return true
}

// arithResult is the type of l op r.
func arithResult(op operator, l, r number) number {
	ints := l.kind != exactDecimal && r.kind != exactDecimal && l.kind != float && r.kind != float
	unsigned := l.kind == unsignedInt || r.kind == unsignedInt
	intKind := signedInt
	if unsigned {
		intKind = unsignedInt
	}
	switch {
	case op == opIntDiv:
		return number{kind: intKind, precision: 20}
	case l.kind == float || r.kind == float:
		return number{kind: float}
	case op == opDiv:
		return number{exactDecimal, l.precision + r.scale + divisionDigits, min(l.scale+divisionDigits, maxScale)}
	case op == opMod && ints:
		return number{kind: l.kind, precision: 20}
	case ints:
		return number{kind: intKind, precision: 20}
	}
	n := number{kind: exactDecimal}
	switch op {
	case opMul:
		n.scale, n.precision = l.scale+r.scale, l.precision+r.precision
	case opMod:
		n.scale = max(l.scale, r.scale)
		n.precision = max(l.precision-l.scale, r.precision-r.scale) + n.scale
	default:
		n.scale = max(l.scale, r.scale)
		n.precision = max(l.precision-l.scale, r.precision-r.scale) + 1 + n.scale
	}
	n.scale = min(n.scale, maxScale)
	n.precision = min(n.precision, maxDigits)
	return n
}

// Eval implements sql.Expression.
func (a *arith) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	l, err := a.left.Eval(ctx, row)
	if err != nil || l == nil {
		return nil, err
	}
	if a.op == opNeg {
		return a.negate(ctx, l)
	}
	r, err := a.right.Eval(ctx, row)
	if err != nil || r == nil {
		return nil, err
	}
	if l, err = sql.UnwrapAny(ctx, l); err != nil {
		return nil, err
	}
	if r, err = sql.UnwrapAny(ctx, r); err != nil {
		return nil, err
	}
	switch {
	case a.op == opIntDiv:
		return a.intDiv(ctx, l, r)
	case a.res.kind == float:
		return a.floats(ctx, floatOf(ctx, l), floatOf(ctx, r))
	case a.res.kind == exactDecimal:
		return a.decimals(ctx, decimalOf(ctx, l), decimalOf(ctx, r))
	}
	x, xok := bridge.Int64(l)
	y, yok := bridge.Int64(r)
	if xok && yok && a.res.kind == signedInt {
		return a.signed(ctx, x, y)
	}
	return a.bigInts(ctx, l, r)
}

func (a *arith) signed(ctx *sql.Context, x, y int64) (any, error) {
	switch a.op {
	case opAdd:
		s := x + y
		if (x^s)&(y^s) < 0 {
			return nil, a.overflow()
		}
		return s, nil
	case opSub:
		s := x - y
		if (x^y)&(x^s) < 0 {
			return nil, a.overflow()
		}
		return s, nil
	case opMul:
		p := x * y
		if x != 0 && (p/x != y || x == -1 && y == math.MinInt64) {
			return nil, a.overflow()
		}
		return p, nil
	}
	if y == 0 {
		return a.byZero(ctx)
	}
	if y == -1 {
		return int64(0), nil
	}
	return x % y, nil
}

// bigInts calculates integers of which one is unsigned, or not of an integer type.
func (a *arith) bigInts(ctx *sql.Context, l, r any) (any, error) {
	x, y := a.integer(ctx, l), a.integer(ctx, r)
	z := new(big.Int)
	switch a.op {
	case opAdd:
		z.Add(x, y)
	case opSub:
		z.Sub(x, y)
	case opMul:
		z.Mul(x, y)
	default:
		if y.Sign() == 0 {
			return a.byZero(ctx)
		}
		z.Rem(x, y)
	}
	return a.fit(z)
}

func (a *arith) integer(ctx *sql.Context, v any) *big.Int {
	if b, ok := intOf(v); ok {
		return b
	}
	return decimalOf(ctx, v).Round(0).BigInt()
}

// fit is z as a value of the integer result type.
func (a *arith) fit(z *big.Int) (any, error) {
	if a.res.kind == unsignedInt {
		if !z.IsUint64() {
			return nil, a.overflow()
		}
		return z.Uint64(), nil
	}
	if !z.IsInt64() {
		return nil, a.overflow()
	}
	return z.Int64(), nil
}

func (a *arith) intDiv(ctx *sql.Context, l, r any) (any, error) {
	x, xok := bridge.Int64(l)
	y, yok := bridge.Int64(r)
	if xok && yok && a.res.kind == signedInt && y != -1 {
		if y == 0 {
			return a.byZero(ctx)
		}
		return x / y, nil
	}
	p, q := decimalOf(ctx, l), decimalOf(ctx, r)
	if q.IsZero() {
		return a.byZero(ctx)
	}
	quotient, _ := p.QuoRem(q, 0)
	return a.fit(quotient.BigInt())
}

func (a *arith) floats(ctx *sql.Context, x, y float64) (any, error) {
	var z float64
	switch a.op {
	case opAdd:
		z = x + y
	case opSub:
		z = x - y
	case opMul:
		z = x * y
	default:
		if y == 0 {
			return a.byZero(ctx)
		}
		if z = x / y; a.op == opMod {
			z = math.Mod(x, y)
		}
	}
	if z-z != 0 {
		return nil, a.overflow()
	}
	return z, nil
}

func (a *arith) decimals(ctx *sql.Context, x, y decimal.Decimal) (any, error) {
	var z decimal.Decimal
	switch a.op {
	case opAdd:
		z = x.Add(y)
	case opSub:
		z = x.Sub(y)
	case opMul:
		z = x.Mul(y)
	case opDiv:
		if y.IsZero() {
			return a.byZero(ctx)
		}
		z, _ = x.QuoRem(y, quotientScale(x, y))
	default:
		if y.IsZero() {
			return a.byZero(ctx)
		}
		z = x.Mod(y)
	}
	if z.Exponent() < -maxScale {
		z = z.Round(maxScale)
	}
	if z.NumDigits() > maxDigits && z.NumDigits()+int(min(z.Exponent(), 0)) > maxDigits-a.res.scale {
		return nil, a.overflow()
	}
	return z, nil
}

// quotientScale is how many digits MySQL keeps of x/y before it rounds the
// result to its type: it divides in words of nine digits.
func quotientScale(x, y decimal.Decimal) int32 {
	const word = 9
	up := func(n int32) int32 { return (n + word - 1) / word * word }
	xs, ys := max(-x.Exponent(), 0), max(-y.Exponent(), 0)
	extra := max(divisionDigits-(up(xs)-xs+up(ys)-ys), 0)
	return min(up(up(xs)+up(ys)+extra), maxScale)
}

func (a *arith) negate(ctx *sql.Context, v any) (any, error) {
	v, err := sql.UnwrapAny(ctx, v)
	if err != nil || v == nil {
		return nil, err
	}
	switch a.res.kind {
	case float:
		return -floatOf(ctx, v), nil
	case exactDecimal:
		return decimalOf(ctx, v).Neg(), nil
	}
	return a.fit(new(big.Int).Neg(a.integer(ctx, v)))
}

func (a *arith) byZero(ctx *sql.Context) (any, error) {
	if bridge.Strict(ctx) {
		return nil, bridge.Errorf(bridge.CodeDivisionByZero, "Division by 0")
	}
	ctx.Warn(bridge.CodeDivisionByZero.Num, "Division by 0")
	return nil, nil
}

func (a *arith) overflow() error {
	kind := "BIGINT"
	switch a.res.kind {
	case unsignedInt:
		kind = "BIGINT UNSIGNED"
	case exactDecimal:
		kind = "DECIMAL"
	case float:
		kind = "DOUBLE"
	}
	return bridge.Errorf(bridge.CodeOverflow, "%s value is out of range in '%s'", kind, mysqlText(a))
}

// mysqlText prints an expression as MySQL's messages do.
func mysqlText(e sql.Expression) string {
	switch x := e.(type) {
	case *arith:
		if x.op == opNeg {
			return "-(" + mysqlText(x.left) + ")"
		}
		return "(" + mysqlText(x.left) + " " + operatorText[x.op] + " " + mysqlText(x.right) + ")"
	case *expression.GetField:
		var b strings.Builder
		for _, name := range []string{x.Database(), x.Table(), x.Name()} {
			if name == "" {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString("`" + name + "`")
		}
		return b.String()
	case *expression.Alias:
		return mysqlText(x.Child)
	}
	return fmt.Sprint(e)
}

// Type implements sql.Expression.
func (a *arith) Type() sql.Type { return a.typ }

// IsNullable implements sql.Expression.
func (a *arith) IsNullable() bool { return a.host.IsNullable() }

// Resolved implements sql.Expression.
func (a *arith) Resolved() bool { return a.left.Resolved() && (a.right == nil || a.right.Resolved()) }

// String implements sql.Expression. The host matches expressions by this text.
func (a *arith) String() string { return a.host.String() }

// DebugString implements sql.DebugStringer.
func (a *arith) DebugString() string { return sql.DebugString(a.host) }

// CollationCoercibility implements sql.CollationCoercible.
func (a *arith) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// Children implements sql.Expression.
func (a *arith) Children() []sql.Expression {
	if a.right == nil {
		return []sql.Expression{a.left}
	}
	return []sql.Expression{a.left, a.right}
}

// WithChildren implements sql.Expression.
func (a *arith) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	h, err := a.host.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	if e, ok := newArith(h); ok {
		e.writes = a.writes
		return e, nil
	}
	return h, nil
}
