package testkit

import (
	"strconv"

	"github.com/lakesql/lakesql/storage/types"
)

// FlatTypes has every flat type that a data file of any format can hold, with
// each layout and each class of precision; all nullable. Timestamps beyond
// microseconds are left out: see AllTypes.
func FlatTypes() []types.Type {
	return []types.Type{
		types.Of(types.Boolean), types.Of(types.TinyInt), types.Of(types.SmallInt), types.Of(types.Int), types.Of(types.BigInt),
		types.Of(types.Float), types.Of(types.Double), types.Of(types.Date), {Kind: types.Time, Precision: 3},
		types.Dec(1, 0), types.Dec(9, 2), types.Dec(18, 18), types.Dec(19, 0), types.Dec(38, 10),
		{Kind: types.Char, Length: 4}, {Kind: types.VarChar, Length: 20}, types.String(),
		{Kind: types.Binary, Length: 4}, {Kind: types.VarBinary, Length: 20}, types.Bytes(),
		types.TimestampOf(0), types.TimestampOf(3), types.TimestampOf(6), types.LTZOf(0), types.LTZOf(3), types.LTZOf(6),
	}
}

// NestedTypes has every nested type, with null and not-null members and several
// depths. Members of ROW have ids from 101 on.
func NestedTypes() []types.Type {
	str, i, d := types.String(), types.Of(types.Int), types.Dec(20, 4)
	row := types.RowOf(
		types.Field{ID: 101, Name: "a", Type: i},
		types.Field{ID: 102, Name: "b", Type: str.WithNotNull(true)},
	)
	deep := types.RowOf(
		types.Field{ID: 103, Name: "list", Type: types.ArrayOf(types.RowOf(types.Field{ID: 104, Name: "x", Type: d}))},
		types.Field{ID: 105, Name: "map", Type: types.MapOf(i.WithNotNull(true), types.ArrayOf(str))},
	)
	return []types.Type{
		types.ArrayOf(i), types.ArrayOf(str.WithNotNull(true)), types.ArrayOf(types.ArrayOf(types.Of(types.Double))),
		types.MapOf(str.WithNotNull(true), i), types.MapOf(types.Of(types.BigInt).WithNotNull(true), str), types.MapOf(d.WithNotNull(true), row),
		types.MultisetOf(str), types.MultisetOf(i), row, deep, types.Of(types.Variant),
	}
}

// AllTypes has FlatTypes, NestedTypes, and the timestamps beyond microseconds.
func AllTypes() []types.Type {
	return append(append(FlatTypes(), NestedTypes()...), types.TimestampOf(9), types.LTZOf(9), types.TimestampOf(7))
}

// Fields names the types f0, f1, … with ids from 0 on.
func Fields(ts []types.Type) []types.Field {
	out := make([]types.Field, len(ts))
	for i, t := range ts {
		out[i] = types.Field{ID: i, Name: "f" + strconv.Itoa(i), Type: t}
	}
	return out
}
