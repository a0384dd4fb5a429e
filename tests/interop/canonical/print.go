package canonical

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Rows prints the live rows of a batch, one string a row. With kinds the row
// kind is the first element.
func Rows(b *columnar.Batch, kinds bool) ([]string, error) {
	var out []string
	one := func(i int) error {
		dst := []byte{'['}
		if kinds {
			k := types.Insert
			if b.Kinds != nil {
				k = b.Kinds[i]
			}
			dst = append(append(append(dst, '"'), k.String()...), '"')
		}
		for j, c := range b.Cols {
			if j > 0 || kinds {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = appendSlot(dst, c, i); err != nil {
				return err
			}
		}
		out = append(out, string(append(dst, ']')))
		return nil
	}
	if b.Sel != nil {
		for _, i := range b.Sel {
			if err := one(int(i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	for i := range b.N {
		if err := one(i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func appendSlot(dst []byte, v *columnar.Vector, i int) ([]byte, error) {
	if v.IsNull(i) {
		return append(dst, "null"...), nil
	}
	switch v.Type.Kind {
	case types.Array, types.Vector:
		from, to := entries(v, i)
		return appendList(dst, v.Children[:1], from, to, false)
	case types.Map, types.Multiset:
		from, to := entries(v, i)
		return appendList(dst, v.Children, from, to, true)
	case types.Row:
		dst = append(dst, '[')
		for j, c := range v.Children {
			if j > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = appendSlot(dst, c, i); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case types.Variant:
		dst, err := columnar.AppendVariantJSON(append(dst, `{"variant":`...), v.Children[0].Bytes(i), v.Children[1].Bytes(i))
		return append(dst, '}'), err
	}
	return appendFlat(dst, v.Type, v.Value(i)), nil
}

func entries(v *columnar.Vector, i int) (from, to int) {
	if v.Type.Kind == types.Vector {
		return i * v.Type.Length, (i + 1) * v.Type.Length
	}
	return int(v.Off[i]), int(v.Off[i+1])
}

// appendList prints entries of one column, or pairs of two sorted by the text of the first.
func appendList(dst []byte, cols []*columnar.Vector, from, to int, pairs bool) ([]byte, error) {
	type entry struct{ key, text string }
	list := make([]entry, 0, to-from)
	for i := from; i < to; i++ {
		text, err := appendSlot(nil, cols[0], i)
		if err != nil {
			return dst, err
		}
		e := entry{key: string(text), text: string(text)}
		if pairs {
			if text, err = appendSlot(nil, cols[1], i); err != nil {
				return dst, err
			}
			e.text = "[" + e.key + "," + string(text) + "]"
		}
		list = append(list, e)
	}
	if pairs {
		slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	}
	dst = append(dst, '[')
	for i, e := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, e.text...)
	}
	return append(dst, ']'), nil
}

func appendFlat(dst []byte, t types.Type, v columnar.Value) []byte {
	switch t.Kind {
	case types.Boolean:
		return strconv.AppendBool(dst, v.I != 0)
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		return strconv.AppendInt(dst, v.I, 10)
	case types.Float:
		return appendFloat(dst, v.F, 32)
	case types.Double:
		return appendFloat(dst, v.F, 64)
	case types.Decimal:
		return appendDecimal(dst, t, v)
	case types.Char, types.VarChar:
		return columnar.AppendJSONString(dst, []byte(v.S))
	case types.Date:
		return append(appendDate(append(dst, '"'), time.Unix(v.I*86400, 0).UTC()), '"')
	case types.Time:
		return time.UnixMilli(v.I).UTC().AppendFormat(append(dst, '"'), `15:04:05.000"`)
	case types.Timestamp, types.TimestampLTZ:
		return appendTimestamp(dst, t, v)
	}
	return append(hex.AppendEncode(append(dst, `"0x`...), []byte(v.S)), '"')
}

func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, bits)
}

func appendDecimal(dst []byte, t types.Type, v columnar.Value) []byte {
	s := strconv.FormatInt(v.I, 10)
	if columnar.LayoutOf(t) == columnar.D128 {
		s = v.Int128().Big().String()
	}
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	if len(s) <= t.Scale {
		s = strings.Repeat("0", t.Scale-len(s)+1) + s
	}
	dst = append(append(append(dst, '"'), sign...), s[:len(s)-t.Scale]...)
	if t.Scale > 0 {
		dst = append(append(dst, '.'), s[len(s)-t.Scale:]...)
	}
	return append(dst, '"')
}

func appendDate(dst []byte, t time.Time) []byte {
	if y := t.Year(); y < 0 || y > 9999 {
		return fmt.Appendf(dst, "%s%04d-%02d-%02d", map[bool]string{true: "-"}[y < 0], max(y, -y), t.Month(), t.Day())
	}
	return t.AppendFormat(dst, "2006-01-02")
}

func appendTimestamp(dst []byte, t types.Type, v columnar.Value) []byte {
	var at time.Time
	switch {
	case t.Precision <= 3:
		at = time.UnixMilli(v.I)
	case t.Precision <= 6:
		at = time.UnixMicro(v.I)
	default:
		at = time.UnixMilli(v.I).Add(time.Duration(v.Hi))
	}
	at = at.UTC()
	dst = append(appendDate(append(dst, '"'), at), at.Format(" 15:04:05")...)
	if t.Precision > 0 {
		dst = append(append(dst, '.'), fmt.Sprintf("%09d", at.Nanosecond())[:t.Precision]...)
	}
	if t.Kind == types.TimestampLTZ {
		dst = append(dst, 'Z')
	}
	return append(dst, '"')
}
