package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// drain reads all rows, each as its columns' values.
func drain(t *testing.T, r columnar.Reader) [][]columnar.Value {
	t.Helper()
	var out [][]columnar.Value
	for {
		b, err := r.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for n := range b.Rows() {
			i := n
			if b.Sel != nil {
				i = int(b.Sel[n])
			}
			var row []columnar.Value
			for _, c := range b.Cols {
				row = append(row, c.Value(i))
			}
			out = append(out, row)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// compareSQL orders two values as SQL does: floats that are not finite are null, -0.0 is 0.0.
func compareSQL(ts types.Type, a, b columnar.Value) int {
	for _, v := range []*columnar.Value{&a, &b} {
		if v.F-v.F != 0 {
			*v = columnar.NullValue
		}
		v.F += 0
	}
	return columnar.Compare(ts, a, b)
}

func TestSort(t *testing.T) {
	orders := [][]SortField{{{0, false}}, {{1, true}}, {{4, false}, {0, true}}, {{3, true}, {1, false}}, {{2, false}}, {{0, true}, {4, true}}}
	for _, order := range orders {
		for _, limit := range []int{-1, 0, 1, 7, 900, 100_000} {
			for _, rows := range []int{0, 40, 30_000} {
				t.Run(fmt.Sprint(order, limit, rows), func(t *testing.T) {
					ts, batches := randomBatches(3, rows)
					want := drain(t, &batchList{list: batches})
					slices.SortStableFunc(want, func(a, b []columnar.Value) int {
						for _, f := range order {
							c := compareSQL(ts[f.Col], a[f.Col], b[f.Col])
							if f.Desc {
								c = -c
							}
							if c != 0 {
								return c
							}
						}
						return 0
					})
					if limit >= 0 {
						want = want[:min(limit, len(want))]
					}
					budget := membudget.New(0)
					got := drain(t, NewSort(&batchList{list: batches}, ts, order, limit, budget))
					if len(got) != len(want) {
						t.Fatalf("%d rows, want %d", len(got), len(want))
					}
					for i := range want {
						if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) { // NaN is not equal to itself
							t.Fatalf("row %d is %v, want %v", i, got[i], want[i])
						}
					}
					if budget.Used() != 0 {
						t.Errorf("%d bytes are reserved after Close", budget.Used())
					}
				})
			}
		}
	}
}

func TestSortMemory(t *testing.T) {
	ts, batches := randomBatches(3, 50_000)
	r := NewSort(&batchList{list: batches}, ts, []SortField{{2, false}}, -1, membudget.New(1<<20))
	defer r.Close()
	if _, err := r.Next(t.Context()); !errors.As(err, new(*membudget.LimitError)) {
		t.Errorf("a sort of 50000 rows in 1 MiB ends with %v", err)
	}
	// The first rows alone fit.
	ts, batches = randomBatches(3, 50_000)
	drain(t, NewSort(&batchList{list: batches}, ts, []SortField{{2, false}}, 10, membudget.New(2<<20)))
}

func TestDistinct(t *testing.T) {
	ts, batches := randomBatches(5, 4000)
	cols := []int{0, 1, 4}
	var kept []types.Type
	for _, c := range cols {
		kept = append(kept, ts[c])
	}
	want := len(reckon(batches, cols).rows)
	got := drain(t, NewDistinct(NewProject(&batchList{list: batches}, cols), kept, nil))
	if len(got) != want {
		t.Errorf("%d distinct rows, want %d", len(got), want)
	}
}

func BenchmarkSort(b *testing.B) {
	const rows = 1 << 19
	ts := []types.Type{types.Of(types.BigInt), types.String()}
	rnd := rand.New(rand.NewPCG(1, 2))
	var list []*columnar.Batch
	for range rows / columnar.BatchRows {
		x := columnar.NewBatch(ts, columnar.BatchRows)
		for range columnar.BatchRows {
			x.Cols[0].AppendI64(rnd.Int64())
			x.Cols[1].AppendString("some text")
			x.N++
		}
		list = append(list, x)
	}
	for _, limit := range []int{10, -1} {
		b.Run(fmt.Sprint("limit", limit), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := NewSort(&batchList{list: list}, ts, []SortField{{0, true}}, limit, nil)
				for {
					if _, err := r.Next(context.Background()); err != nil {
						break
					}
				}
				r.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}
