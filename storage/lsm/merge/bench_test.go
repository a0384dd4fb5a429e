package merge

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// sliceReader returns prepared batches.
type sliceReader struct {
	batches []*columnar.Batch
	at      int
}

func (s *sliceReader) Next(context.Context) (*columnar.Batch, error) {
	if s.at == len(s.batches) {
		return nil, io.EOF
	}
	s.at++
	return s.batches[s.at-1], nil
}

func (s *sliceReader) Close() error { return nil }

// benchKeys are the sorted unique keys of each run.
func benchKeys(runs, rows int, kind string) [][]int64 {
	rng := rand.New(rand.NewPCG(1, 1))
	out := make([][]int64, runs)
	for r := range out {
		for i := range rows {
			switch kind {
			case "random":
				out[r] = append(out[r], rng.Int64N(2_000_000))
			case "dup":
				out[r] = append(out[r], rng.Int64N(int64(rows)))
			default: // ordered: every run lies behind the one before
				out[r] = append(out[r], int64(r*rows+i))
			}
		}
		slices.Sort(out[r])
		out[r] = slices.Compact(out[r])
	}
	return out
}

func benchRuns(keys [][]int64, ts []types.Type, add func(b *columnar.Batch, k int64)) ([]*sliceReader, int) {
	rows := 0
	var runs []*sliceReader
	for _, ks := range keys {
		rows += len(ks)
		s := &sliceReader{}
		for len(ks) > 0 {
			n := min(len(ks), columnar.BatchRows)
			b := columnar.NewBatch(ts, n)
			for _, k := range ks[:n] {
				add(b, k)
				b.N++
			}
			s.batches = append(s.batches, b)
			ks = ks[n:]
		}
		runs = append(runs, s)
	}
	return runs, rows
}

func runMerge(b *testing.B, runs []*sliceReader, rows int, c Config) {
	c.Runs = make([]columnar.Reader, len(runs))
	b.ReportAllocs()
	for b.Loop() {
		for i, r := range runs {
			r.at = 0
			c.Runs[i] = r
		}
		r, err := NewReader(c)
		if err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := r.Next(context.Background()); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
		r.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}

// BenchmarkLoserTree merges and returns no column: prefixes, tree and picks alone.
func BenchmarkLoserTree(b *testing.B) {
	for _, n := range []int{2, 5, 10, 30} {
		for _, kind := range []string{"random", "dup", "ordered"} {
			b.Run(fmt.Sprintf("runs=%d/keys=%s", n, kind), func(b *testing.B) {
				ts := []types.Type{notNull(tBigInt)}
				runs, rows := benchRuns(benchKeys(n, 1_000_000/n, kind), ts, func(b *columnar.Batch, k int64) { b.Cols[0].AppendI64(k) })
				runMerge(b, runs, rows, Config{Types: ts, Key: []int{0}, Versions: VersionOrder{ByAge: true}, Output: []int{}})
			})
		}
	}
}

// BenchmarkLoserTreeString merges string keys: with a common beginning that the
// key range tells, and with a beginning that fills the prefix.
func BenchmarkLoserTreeString(b *testing.B) {
	for _, n := range []int{5, 10} {
		for _, kind := range []string{"stripped", "poor"} {
			b.Run(fmt.Sprintf("runs=%d/prefix=%s", n, kind), func(b *testing.B) {
				ts := []types.Type{notNull(types.String())}
				runs, rows := benchRuns(benchKeys(n, 500_000/n, "random"), ts, func(b *columnar.Batch, k int64) { b.Cols[0].AppendString(fmt.Sprintf("user-key-%012d", k)) })
				c := Config{Types: ts, Key: []int{0}, Versions: VersionOrder{ByAge: true}, Output: []int{}}
				if kind == "stripped" {
					c.Min, c.Max = []columnar.Value{columnar.StringValue("user-key-000000000000")}, []columnar.Value{columnar.StringValue("user-key-000002000000")}
				}
				runMerge(b, runs, rows, c)
			})
		}
	}
}

// BenchmarkMergeRead merges ten runs and returns all columns of the kv table's shape.
func BenchmarkMergeRead(b *testing.B) {
	ts := []types.Type{notNull(tBigInt), tBigInt, tInt, types.Dec(18, 2), tDouble, types.String(), types.String(), tBigInt}
	runs, rows := benchRuns(benchKeys(10, 100_000, "random"), ts, func(b *columnar.Batch, k int64) {
		b.Cols[0].AppendI64(k)
		b.Cols[1].AppendI64(k)
		b.Cols[2].AppendI32(int32(k))
		b.Cols[3].AppendI64(k)
		b.Cols[4].AppendF64(float64(k))
		b.Cols[5].AppendString(fmt.Sprintf("%010x", k))
		b.Cols[6].AppendString(fmt.Sprintf("%030x", k))
		b.Cols[7].AppendI64(k)
	})
	for _, order := range []string{"age", "number", "field"} {
		b.Run("order="+order, func(b *testing.B) {
			c := Config{Types: ts, Key: []int{0}, Output: []int{0, 1, 2, 3, 4, 5, 6}, Versions: VersionOrder{ByAge: order == "age", Number: 7}}
			if order == "field" {
				c.Versions.Fields = []int{1}
			}
			runMerge(b, runs, rows, c)
		})
	}
}

// TestMergeAllocates holds the line: a merge takes memory for its blocks and its
// batch, nothing per row.
func TestMergeAllocates(t *testing.T) {
	ts := []types.Type{types.Of(types.BigInt).WithNotNull(true), types.Of(types.Double), types.String()}
	runs, rows := benchRuns(benchKeys(5, 40_000, "random"), ts, func(b *columnar.Batch, k int64) {
		b.Cols[0].AppendI64(k)
		b.Cols[1].AppendF64(float64(k))
		b.Cols[2].AppendString(fmt.Sprint("value ", k))
	})
	c := Config{Types: ts, Key: []int{0}, Versions: VersionOrder{ByAge: true}, Runs: make([]columnar.Reader, len(runs))}
	n := testing.AllocsPerRun(3, func() {
		for i, r := range runs {
			r.at = 0
			c.Runs[i] = r
		}
		r, err := NewReader(c)
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = r.Next(context.Background())
		}
		if err != io.EOF {
			t.Fatal(err)
		}
	})
	if n > 300 {
		t.Errorf("%.0f allocations for %d rows", n, rows)
	}
}
