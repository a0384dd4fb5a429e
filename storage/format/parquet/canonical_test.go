package parquet

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// canonicalRows prints the rows of a batch as JSON arrays, sorted by their bytes.
// Variants are printed as the bytes they are.
func canonicalRows(b *columnar.Batch) []string {
	var out []string
	for i := range b.N {
		parts := make([]string, len(b.Cols))
		for c, v := range b.Cols {
			parts[c] = canonical(v, i)
		}
		out = append(out, "["+strings.Join(parts, ",")+"]")
	}
	slices.Sort(out)
	return out
}

func canonical(v *columnar.Vector, i int) string {
	if v.IsNull(i) {
		return "null"
	}
	switch v.Type.Kind {
	case types.Boolean:
		return strconv.FormatBool(v.I32[i] != 0)
	case types.TinyInt, types.SmallInt, types.Int:
		return strconv.Itoa(int(v.I32[i]))
	case types.BigInt:
		return strconv.FormatInt(v.I64[i], 10)
	case types.Float:
		return canonicalFloat(float64(v.F32[i]), 32)
	case types.Double:
		return canonicalFloat(v.F64[i], 64)
	case types.Decimal:
		return strconv.Quote(canonicalDecimal(v, i))
	case types.Char, types.VarChar:
		return canonicalText(string(v.Bytes(i)))
	case types.Binary, types.VarBinary, types.Blob:
		return `"0x` + hex.EncodeToString(v.Bytes(i)) + `"`
	case types.Date:
		return `"` + canonicalDate(int64(v.I32[i])) + `"`
	case types.Time:
		return `"` + time.UnixMilli(int64(v.I32[i])).UTC().Format("15:04:05.000") + `"`
	case types.Timestamp, types.TimestampLTZ:
		return canonicalTime(v, i)
	}
	return canonicalNested(v, i)
}

func canonicalFloat(f float64, bits int) string {
	switch {
	case f != f:
		return `"NaN"`
	case math.IsInf(f, 1):
		return `"Infinity"`
	case math.IsInf(f, -1):
		return `"-Infinity"`
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}

func canonicalDecimal(v *columnar.Vector, i int) string {
	d := new(big.Int)
	if columnar.LayoutOf(v.Type) == columnar.I64 {
		d.SetInt64(v.I64[i])
	} else {
		d.SetInt64(v.D128[i].Hi).Lsh(d, 64).Add(d, new(big.Int).SetUint64(v.D128[i].Lo))
	}
	s := new(big.Int).Abs(d).String()
	if n := v.Type.Scale; n > 0 {
		for len(s) <= n {
			s = "0" + s
		}
		s = s[:len(s)-n] + "." + s[len(s)-n:]
	}
	if d.Sign() < 0 {
		s = "-" + s
	}
	return s
}

func canonicalText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\b':
			b.WriteString(`\b`)
		case r == '\f':
			b.WriteString(`\f`)
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

func canonicalDate(day int64) string {
	return time.Unix(day*86400, 0).UTC().Format("2006-01-02")
}

func canonicalTime(v *columnar.Vector, i int) string {
	ms, nanos := v.I64[i], int64(0)
	switch {
	case v.Type.Precision > 6:
		nanos = int64(v.I32[i])
	case v.Type.Precision > 3:
		var us int64
		ms, us = floorDiv(ms, 1000)
		nanos = us * 1000
	}
	day, rest := floorDiv(ms, 86_400_000)
	text := canonicalDate(day) + time.UnixMilli(rest).UTC().Format(" 15:04:05")
	if p := v.Type.Precision; p > 0 {
		text += fmt.Sprintf(".%03d%06d", rest%1000, nanos)[:p+1]
	}
	if v.Type.Kind == types.TimestampLTZ {
		text += "Z"
	}
	return `"` + text + `"`
}

func canonicalNested(v *columnar.Vector, i int) string {
	var parts []string
	switch v.Type.Kind {
	case types.Array:
		for k := v.Off[i]; k < v.Off[i+1]; k++ {
			parts = append(parts, canonical(v.Children[0], int(k)))
		}
	case types.Map, types.Multiset:
		for k := v.Off[i]; k < v.Off[i+1]; k++ {
			parts = append(parts, "["+canonical(v.Children[0], int(k))+","+canonical(v.Children[1], int(k))+"]")
		}
		slices.Sort(parts)
	default:
		for _, c := range v.Children {
			parts = append(parts, canonical(c, i))
		}
	}
	return "[" + strings.Join(parts, ",") + "]"
}
