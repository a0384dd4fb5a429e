package canonical

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Append reads one line and appends it to a batch. With kinds the first element
// is the row kind.
func Append(b *columnar.Batch, line string, kinds bool) error {
	dec := json.NewDecoder(strings.NewReader(line))
	dec.UseNumber()
	var vals []any
	if err := dec.Decode(&vals); err != nil {
		return fmt.Errorf("row %s: %w", line, err)
	}
	if kinds {
		if len(vals) == 0 {
			return fmt.Errorf("row %s has no row kind", line)
		}
		text, _ := vals[0].(string)
		k, err := types.ParseRowKind(text)
		if err != nil {
			return fmt.Errorf("row %s: %w", line, err)
		}
		b.Kinds = append(b.Kinds, k)
		vals = vals[1:]
	}
	if len(vals) != len(b.Cols) {
		return fmt.Errorf("row %s has %d values for %d columns", line, len(vals), len(b.Cols))
	}
	for i, c := range b.Cols {
		if err := appendValue(c, vals[i]); err != nil {
			return fmt.Errorf("row %s, column %d: %w", line, i, err)
		}
	}
	b.N++
	return nil
}

func appendValue(v *columnar.Vector, x any) error {
	if x == nil {
		v.AppendNull()
		return nil
	}
	switch v.Type.Kind {
	case types.Array, types.Vector, types.Map, types.Multiset:
		return appendEntries(v, x)
	case types.Row:
		list, _ := x.([]any)
		if len(list) != len(v.Children) {
			return fmt.Errorf("%d values for %d fields", len(list), len(v.Children))
		}
		for i, c := range v.Children {
			if err := appendValue(c, list[i]); err != nil {
				return err
			}
		}
		v.EndList()
		return nil
	case types.Variant:
		return appendVariant(v, x)
	}
	val, err := flat(v.Type, x)
	if err != nil {
		return err
	}
	v.AppendValue(val)
	return nil
}

func appendEntries(v *columnar.Vector, x any) error {
	list, ok := x.([]any)
	if !ok {
		return fmt.Errorf("%v is no list", x)
	}
	for _, e := range list {
		if len(v.Children) == 1 {
			if err := appendValue(v.Children[0], e); err != nil {
				return err
			}
			continue
		}
		pair, _ := e.([]any)
		if len(pair) != 2 {
			return fmt.Errorf("%v is no pair", e)
		}
		for i, c := range v.Children {
			if err := appendValue(c, pair[i]); err != nil {
				return err
			}
		}
	}
	v.EndList()
	return nil
}

func appendVariant(v *columnar.Vector, x any) error {
	m, _ := x.(map[string]any)
	text, err := json.Marshal(m["variant"])
	if err != nil {
		return err
	}
	value, metadata, err := columnar.VariantFromJSON(text)
	if err != nil {
		return err
	}
	v.Children[0].AppendBytes(value)
	v.Children[1].AppendBytes(metadata)
	v.EndList()
	return nil
}

func flat(t types.Type, x any) (columnar.Value, error) {
	switch x := x.(type) {
	case bool:
		if x {
			return columnar.IntValue(1), nil
		}
		return columnar.IntValue(0), nil
	case json.Number:
		if t.Kind == types.Float || t.Kind == types.Double {
			bits := 64
			if t.Kind == types.Float {
				bits = 32
			}
			f, err := strconv.ParseFloat(x.String(), bits)
			return columnar.FloatValue(f), err
		}
		i, err := x.Int64()
		return columnar.IntValue(i), err
	case string:
		return text(t, x)
	}
	return columnar.Value{}, fmt.Errorf("%v is no %v", x, t.Kind)
}

func text(t types.Type, s string) (columnar.Value, error) {
	switch t.Kind {
	case types.Char, types.VarChar:
		return columnar.StringValue(s), nil
	case types.Float, types.Double:
		f, ok := map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}[s]
		if !ok {
			return columnar.Value{}, fmt.Errorf("%q is no number", s)
		}
		return columnar.FloatValue(f), nil
	case types.Decimal:
		u, ok := new(big.Int).SetString(strings.Replace(s, ".", "", 1), 10)
		if !ok {
			return columnar.Value{}, fmt.Errorf("%q is no decimal", s)
		}
		d, _ := columnar.Int128FromBig(u)
		if columnar.LayoutOf(t) == columnar.D128 {
			return columnar.DecimalValue(d), nil
		}
		return columnar.IntValue(int64(d.Lo)), nil
	case types.Date:
		at, err := time.Parse("2006-01-02", s)
		return columnar.IntValue(at.Unix() / 86400), err
	case types.Time:
		at, err := time.Parse("15:04:05.000", s)
		return columnar.IntValue(at.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)).Milliseconds()), err
	case types.Timestamp, types.TimestampLTZ:
		at, err := time.Parse("2006-01-02 15:04:05.999999999", strings.TrimSuffix(s, "Z"))
		switch {
		case t.Precision <= 3:
			return columnar.IntValue(at.UnixMilli()), err
		case t.Precision <= 6:
			return columnar.IntValue(at.UnixMicro()), err
		}
		return columnar.Time96Value(at.UnixMilli(), int32(at.Nanosecond()%1e6)), err
	}
	raw, err := hex.DecodeString(strings.TrimPrefix(s, "0x"))
	return columnar.StringValue(string(raw)), err
}
