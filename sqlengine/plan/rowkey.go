package plan

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"time"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// rowKey writes host values as keys: two values of one column have the same bytes
// exactly if SQL holds them equal, or both are NULL.
type rowKey struct {
	cols []keyColumn
}

type keyColumn struct {
	weight sql.CollationSorter // nil: text compares by bytes
	scale  int32               // of decimals; -1 for other types
}

func newRowKey(ts []sql.Type) *rowKey {
	k := &rowKey{cols: make([]keyColumn, len(ts))}
	for i, t := range ts {
		k.cols[i].scale = -1
		switch x := t.(type) {
		case sql.StringType:
			if c := x.Collation(); c != sql.Collation_binary && c != sql.Collation_Default && c != sql.Collation_Unspecified {
				k.cols[i].weight = c.Sorter()
			}
		case sql.DecimalType:
			k.cols[i].scale = int32(x.Scale())
		}
	}
	return k
}

func typesOfExprs(list []sql.Expression) []sql.Type {
	out := make([]sql.Type, len(list))
	for i, e := range list {
		out[i] = e.Type()
		if a, ok := e.(*expression.Alias); ok {
			out[i] = a.Child.Type()
		}
	}
	return out
}

func typesOfSchema(s sql.Schema) []sql.Type {
	out := make([]sql.Type, len(s))
	for i, c := range s {
		out[i] = c.Type
	}
	return out
}

// appendRow appends the key of the last columns of row.
func (k *rowKey) appendRow(ctx *sql.Context, dst []byte, row sql.Row) ([]byte, error) {
	if len(row) < len(k.cols) {
		return nil, fmt.Errorf("internal error: a row has %d columns, not %d", len(row), len(k.cols))
	}
	var err error
	row = row[len(row)-len(k.cols):]
	for i, v := range row {
		if dst, err = k.append(ctx, dst, i, v); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// Tags of key parts.
const (
	keyNull byte = iota
	keyInt
	keyDecimal
	keyFloat
	keyText
	keyTime
	keySpan
	keyJSON
)

// append appends the value of column i.
func (k *rowKey) append(ctx *sql.Context, dst []byte, i int, v any) ([]byte, error) {
	v, err := sql.UnwrapAny(ctx, v)
	if err != nil {
		return nil, err
	}
	if n, ok := bridge.Int64(v); ok {
		return appendIntKey(dst, n), nil
	}
	switch x := v.(type) {
	case nil:
		return append(dst, keyNull), nil
	case uint64:
		return appendBigKey(dst, new(big.Int).SetUint64(x), 0), nil
	case decimal.Decimal:
		if s := k.cols[i].scale; s >= 0 && x.Exponent() < -s {
			x = x.Round(s)
		}
		return appendBigKey(dst, x.Coefficient(), x.Exponent()), nil
	case float64:
		return appendFloatKey(dst, x), nil
	case float32:
		return appendFloatKey(dst, float64(x)), nil
	case string:
		return k.cols[i].text(dst, x)
	case []byte:
		return k.cols[i].text(dst, string(x))
	case time.Time:
		dst = binary.BigEndian.AppendUint64(append(dst, keyTime), uint64(x.Unix()))
		return binary.BigEndian.AppendUint32(dst, uint32(x.Nanosecond())), nil
	case gmstypes.Timespan:
		return binary.BigEndian.AppendUint64(append(dst, keySpan), uint64(x)), nil
	case sql.JSONWrapper:
		s, err := gmstypes.JsonToMySqlString(x)
		if err != nil {
			return nil, err
		}
		return appendTextKey(append(dst, keyJSON), s), nil
	}
	return nil, fmt.Errorf("internal error: a value of type %T is no key", v)
}

func appendIntKey(dst []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, keyInt), uint64(n))
}

// appendBigKey appends coef*10^exp in its only form: an int64 if it is one, else
// without zeros at the end.
func appendBigKey(dst []byte, coef *big.Int, exp int32) []byte {
	if coef.Sign() == 0 {
		return appendIntKey(dst, 0)
	}
	ten, q, r := big.NewInt(10), new(big.Int), new(big.Int)
	for coef.Sign() != 0 {
		if q.QuoRem(coef, ten, r); r.Sign() != 0 {
			break
		}
		coef, exp = new(big.Int).Set(q), exp+1
	}
	if exp >= 0 && exp < 20 {
		n := new(big.Int).Exp(ten, big.NewInt(int64(exp)), nil)
		if n.Mul(n, coef); n.IsInt64() {
			return appendIntKey(dst, n.Int64())
		}
	}
	dst = binary.BigEndian.AppendUint32(append(dst, keyDecimal, byte(coef.Sign())), uint32(exp))
	return appendTextKey(dst, string(coef.Bytes()))
}

// appendFloatKey appends whole numbers as integers, so that -0 is 0 and 1.0 is 1.
func appendFloatKey(dst []byte, f float64) []byte {
	if n := int64(f); f >= -1<<63 && f < 1<<63 && float64(n) == f {
		return appendIntKey(dst, n)
	}
	if f != f {
		f = math.NaN()
	}
	return binary.BigEndian.AppendUint64(append(dst, keyFloat), math.Float64bits(f))
}

func appendTextKey(dst []byte, s string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

func (c *keyColumn) text(dst []byte, s string) ([]byte, error) {
	if c.weight == nil {
		return appendTextKey(append(dst, keyText), s), nil
	}
	dst = binary.AppendUvarint(append(dst, keyText), uint64(utf8.RuneCountInString(s)))
	for _, r := range s {
		dst = binary.BigEndian.AppendUint32(dst, uint32(c.weight(r)))
	}
	return dst, nil
}
