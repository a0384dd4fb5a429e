package predicate

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

var opTexts = [...]string{
	OpAnd: "AND", OpOr: "OR", OpEq: "=", OpNotEq: "<>", OpLt: "<", OpLe: "<=", OpGt: ">", OpGe: ">=",
	OpIn: "IN", OpNotIn: "NOT IN", OpIsNull: "IS NULL", OpIsNotNull: "IS NOT NULL",
	OpStartsWith: "STARTS WITH", OpEndsWith: "ENDS WITH", OpContains: "CONTAINS", OpLike: "LIKE",
}

// String is the operation as SQL writes it.
func (op Op) String() string {
	if int(op) < len(opTexts) {
		return opTexts[op]
	}
	return fmt.Sprintf("Op(%d)", uint8(op))
}

// String shows the predicate with columns as $ and their index.
func (n *Node) String() string {
	return n.Format(func(c int) string { return "$" + strconv.Itoa(c) })
}

// Format shows the predicate in the manner of SQL, with column names from name.
func (n *Node) Format(name func(column int) string) string {
	var b strings.Builder
	n.format(&b, name, false)
	return b.String()
}

// maxShown is how many values of an IN list are shown.
const maxShown = 10

func (n *Node) format(b *strings.Builder, name func(int) string, inner bool) {
	switch {
	case n == nil || n.Op == OpAnd && len(n.Children) == 0:
		b.WriteString("TRUE")
	case n.Op == OpOr && len(n.Children) == 0:
		b.WriteString("FALSE")
	case !n.leaf():
		if inner {
			b.WriteByte('(')
		}
		for i, c := range n.Children {
			if i > 0 {
				b.WriteString(" " + n.Op.String() + " ")
			}
			c.format(b, name, true)
		}
		if inner {
			b.WriteByte(')')
		}
	default:
		b.WriteString(name(n.Column) + " " + n.Op.String())
		switch n.Op {
		case OpIsNull, OpIsNotNull:
		case OpIn, OpNotIn:
			b.WriteString(" (")
			for i, v := range n.Values {
				if i == maxShown && len(n.Values) > maxShown+1 {
					fmt.Fprintf(b, ", … %d more", len(n.Values)-i)
					break
				}
				if i > 0 {
					b.WriteString(", ")
				}
				b.WriteString(FormatValue(n.Type, v))
			}
			b.WriteByte(')')
		default:
			b.WriteString(" " + FormatValue(n.Type, n.Values[0]))
		}
	}
}

// FormatValue shows a value of a flat type as an SQL literal.
func FormatValue(t types.Type, v columnar.Value) string {
	if v.Null {
		return "NULL"
	}
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	switch t.Kind {
	case types.Boolean:
		return strings.ToUpper(strconv.FormatBool(v.I != 0))
	case types.Float:
		return strconv.FormatFloat(v.F, 'g', -1, 32)
	case types.Double:
		return strconv.FormatFloat(v.F, 'g', -1, 64)
	case types.Decimal:
		return formatDecimal(t, v)
	case types.Date:
		return quote(time.Unix(v.I*86400, 0).UTC().Format("2006-01-02"))
	case types.Time:
		return quote(time.UnixMilli(v.I).UTC().Format("15:04:05.999"))
	case types.Timestamp, types.TimestampLTZ:
		return quote(v.Instant(t).Format("2006-01-02 15:04:05.999999999"))
	case types.Char, types.VarChar:
		return quote(v.S)
	}
	if columnar.LayoutOf(t) == columnar.Str {
		return "x'" + hex.EncodeToString([]byte(v.S)) + "'"
	}
	return strconv.FormatInt(v.I, 10)
}

func formatDecimal(t types.Type, v columnar.Value) string {
	n := big.NewInt(v.I)
	if columnar.LayoutOf(t) == columnar.D128 {
		n = new(big.Int).Lsh(big.NewInt(v.Hi), 64)
		n.Add(n, new(big.Int).SetUint64(uint64(v.I)))
	}
	digits := new(big.Int).Abs(n).String()
	if len(digits) <= t.Scale {
		digits = strings.Repeat("0", t.Scale+1-len(digits)) + digits
	}
	if t.Scale > 0 {
		digits = digits[:len(digits)-t.Scale] + "." + digits[len(digits)-t.Scale:]
	}
	if n.Sign() < 0 {
		digits = "-" + digits
	}
	return digits
}
