package parquet

import (
	"testing"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/types"
)

func nestedFields() []types.Field {
	ts := append(testkit.NestedTypes(), types.Of(types.BigInt).WithNotNull(true), types.Type{Kind: types.Vector, Length: 3, Elem: &types.Type{Kind: types.Float}},
		types.ArrayOf(types.TimestampOf(9)), types.MapOf(types.String(), types.MapOf(types.Of(types.Int), types.ArrayOf(types.Of(types.Boolean)))))
	return testkit.Fields(ts)
}

func TestRoundTripNested(t *testing.T) {
	rng := testkit.Rand(2)
	fields := nestedFields()
	for _, n := range []int{0, 1, 5, 300, 4097} {
		for _, nulls := range []float64{0, 0.2, 1} {
			b := testkit.RandomBatch(rng, typesOf(fields), n, nulls)
			data := writeFile(t, format.WriteOptions{Fields: fields}, split(rng, b)...)
			for _, ro := range []format.ReadOptions{{Fields: fields}, {Fields: fields, BatchRows: 77, KeepDictionary: true}} {
				got, err := readFile(data, ro)
				if err == nil {
					err = testkit.EqualBatches(got, b)
				}
				if err != nil {
					t.Fatalf("%d rows, nulls %v: %v", n, nulls, err)
				}
			}
		}
	}
}
