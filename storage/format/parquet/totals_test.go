package parquet

import (
	"bytes"
	"testing"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

// The statistics that a writer finds are those of a collector over the same rows: for
// every type, over several row groups, with selections and nulls, for key columns that
// share the pages of their values, and when that sharing ends.
func TestStatsAreTheCollectors(t *testing.T) {
	ts := append(testkit.AllTypes(), types.TimestampOf(9), types.Of(types.BigInt).WithNotNull(true), types.String().WithNotNull(true))
	fields := testkit.Fields(ts)
	for _, i := range []int{len(ts) - 2, len(ts) - 1} {
		fields = append(fields, types.Field{ID: 1000 + i, Name: types.KeyPrefix + fields[i].Name, Type: ts[i]})
		ts = append(ts, ts[i])
	}
	full := make([]stats.Mode, len(fields))
	for i := range full {
		full[i] = stats.Mode{Kind: stats.Full}
	}
	for seed := range uint64(12) {
		rng := testkit.Rand(seed)
		o := format.WriteOptions{Fields: fields, Compression: "none", BlockBytes: []int64{0, 20_000}[seed%2]}
		var out bytes.Buffer
		made, err := New(codec.NewPool()).NewWriter(&out, o)
		if err != nil {
			t.Fatal(err)
		}
		w := made.(format.StatsWriter)
		c := stats.NewCollector(fields, full)
		var has []bool
		for i := range fields {
			has = append(has, w.HasStats(i))
		}
		for n := range 1 + rng.IntN(6) {
			b := testkit.RandomBatch(rng, ts, 1+rng.IntN(900), []float64{0, 0.3, 1}[rng.IntN(3)])
			if seed%3 > 0 || n < 2 { // keys are the value columns themselves
				b.Cols[len(ts)-2], b.Cols[len(ts)-1] = b.Cols[len(ts)-4], b.Cols[len(ts)-3]
			}
			if rng.IntN(3) == 0 {
				b.Sel = []uint16{0}
			}
			if err := w.Write(b); err != nil {
				t.Fatal(err)
			}
			c.Add(b)
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		known := 0
		for i, want := range c.Columns() {
			if !has[i] {
				continue
			}
			known++
			got := w.Stats(i)
			if got.Nulls != want.Nulls || got.HasBounds != want.HasBounds || want.HasBounds && (!same(ts[i], got.Min, want.Min) || !same(ts[i], got.Max, want.Max)) {
				t.Errorf("seed %d, %v: %+v, want %+v", seed, ts[i], got, want)
			}
		}
		if known < 15 {
			t.Fatalf("statistics of %d columns only", known)
		}
	}
}

// same compares bounds; zeros of either sign may stand for each other.
func same(t types.Type, a, b columnar.Value) bool {
	return columnar.Compare(t, a, b) == 0 || a.F == 0 && b.F == 0 && (t.Kind == types.Float || t.Kind == types.Double)
}
