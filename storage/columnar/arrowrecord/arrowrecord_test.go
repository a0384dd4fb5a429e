package arrowrecord_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/columnar/arrowrecord"
	"github.com/lakesql/lakesql/storage/types"
)

func TestRoundTrip(t *testing.T) {
	rng := testkit.Rand(5)
	ts := append(testkit.FlatTypes(), testkit.NestedTypes()...)
	ts = append(ts, types.Type{Kind: types.Vector, Length: 2, Elem: &types.Type{Kind: types.Double}}, types.TimestampOf(9))
	fields := testkit.Fields(ts)
	for _, n := range []int{0, 1, 65, 500} {
		for _, nulls := range []float64{0, 0.3} {
			b := testkit.RandomBatch(rng, ts, n, nulls)
			near(rng, b.Cols[len(ts)-1])
			if n > 10 {
				b.Sel = []uint16{0, 3, 4, 9}
			}
			rec, err := arrowrecord.Wrap(b, fields)
			if err != nil {
				t.Fatal(err)
			}
			got, err := arrowrecord.Copy(rec, ts)
			if err == nil {
				err = testkit.EqualBatches(got, b)
			}
			if err != nil {
				t.Fatalf("%d rows, nulls %v: %v", n, nulls, err)
			}
		}
	}
}

// near replaces timestamps by some that fit nanoseconds in 64 bits.
func near(rng *rand.Rand, v *columnar.Vector) {
	for i := range v.N {
		if !v.IsNull(i) {
			v.I64[i] = rng.Int64N(4e12) - 1e12
		}
	}
}

func TestDictionary(t *testing.T) {
	dict := columnar.NewVector(types.String(), 2)
	dict.AppendString("a")
	dict.AppendString("bc")
	v := &columnar.Vector{Type: types.String(), N: 4, Codes: []int32{1, 0, 0, 1}, Dict: dict, Valid: []uint64{0b1011}}
	b := &columnar.Batch{N: 4, Cols: []*columnar.Vector{v}}
	rec, err := arrowrecord.Wrap(b, testkit.Fields([]types.Type{types.String()}))
	if err != nil {
		t.Fatal(err)
	}
	got, err := arrowrecord.Copy(rec, []types.Type{types.String()})
	if err == nil {
		err = testkit.EqualBatches(got, b)
	}
	if err != nil {
		t.Fatal(err)
	}
}
