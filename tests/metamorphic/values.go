package metamorphic

import (
	"fmt"
	"math/rand/v2"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
	"github.com/lakesql/lakesql/tests/harness"
)

func baseFields() []types.Field {
	return []types.Field{
		{Name: "k", Type: types.Of(types.Int)},
		{Name: "p", Type: types.String()},
		{Name: "s", Type: types.Of(types.BigInt)},
		{Name: "v", Type: types.String()},
		{Name: "d", Type: types.Dec(20, 4)},
		{Name: "f", Type: types.Of(types.Double)},
		{Name: "t", Type: types.TimestampOf(6)},
		{Name: "a", Type: types.ArrayOf(types.Of(types.Int))},
		{Name: "i", Type: types.Of(types.Int)},
	}
}

// addable are the types of columns that are added later.
func addable() []types.Type {
	return []types.Type{
		types.String(), types.Of(types.Int), types.Of(types.BigInt), types.Of(types.Double), types.Dec(10, 2),
		types.TimestampOf(3), types.Of(types.Date), types.Of(types.Boolean),
	}
}

// partitions are few, so that they are hit again and again; one needs escaping.
func partitions() []string { return []string{"a", "b/c=d", "é 1", "2026-11-29"} }

// value draws a value of a column's type from a small range; null now and then.
func value(rng *rand.Rand, t types.Type) columnar.Value {
	if rng.IntN(6) == 0 {
		return columnar.NullValue
	}
	switch t.Kind {
	case types.VarChar:
		if rng.IntN(10) == 0 {
			return columnar.StringValue(fmt.Sprintf("%0*d", 20+rng.IntN(40), rng.IntN(1000)))
		}
		return columnar.StringValue(fmt.Sprintf("x%d", rng.IntN(50)))
	case types.Boolean:
		return columnar.IntValue(int64(rng.IntN(2)))
	case types.Double:
		return columnar.FloatValue(float64(rng.IntN(2000)-1000) / 8)
	case types.Array:
		text := ""
		for range rng.IntN(4) {
			if rng.IntN(5) == 0 {
				text += "N,"
			} else {
				text += fmt.Sprintf("%d,", rng.IntN(100))
			}
		}
		return columnar.StringValue(text)
	case types.Decimal:
		x := int64(rng.IntN(200000) - 100000)
		if t.Precision > types.MaxCompactPrecision {
			hi := int64(0)
			if x < 0 {
				hi = -1
			}
			return columnar.Value{I: x, Hi: hi}
		}
		return columnar.IntValue(x)
	case types.Timestamp:
		return columnar.IntValue(int64(rng.IntN(1_000_000)) * 1_000_003)
	}
	return columnar.IntValue(int64(rng.IntN(2000) - 1000))
}

// row draws a row; keys come from a small range, the more so the lower.
func (g *generator) row() harness.Row {
	r := make(harness.Row, len(g.m.fields))
	for i, f := range g.m.fields {
		r[i] = value(g.rng, f.Type)
	}
	k := g.rng.IntN(1 + g.rng.IntN(300))
	r[colKey] = columnar.IntValue(int64(k))
	if g.m.keyed || g.rng.IntN(8) > 0 {
		r[colPartition] = columnar.StringValue(partitions()[(k*7+g.rng.IntN(2))%len(partitions())])
	}
	return r
}

// beyond sets the sequence field of a record that is, or follows, a delete so that it
// wins: when a delete has been compacted away, an older record would be taken for a
// new one, whatever the options.
func (g *generator) beyond(r harness.Row, k types.RowKind) {
	if !g.m.sequence {
		return
	}
	old, ok := g.m.keys[keyText(r)]
	if !ok || !old.retract && !k.Retract() || old.row[colSequence].Null {
		return
	}
	step := int64(g.rng.IntN(20))
	if g.m.descending {
		step = -step
	}
	r[colSequence] = columnar.IntValue(old.row[colSequence].I + step)
}
