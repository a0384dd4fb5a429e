package testkit

import (
	"fmt"
	"testing"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// TestKVRows holds the rows against the formulas that other languages follow.
func TestKVRows(t *testing.T) {
	var ts []types.Type
	for _, f := range KVFields() {
		ts = append(ts, f.Type)
	}
	const distinct, from, n = 1000, 70, 500
	seed := uint64(3)
	b := columnar.NewBatch(ts, 0)
	KVBatch(b, seed, distinct, from, n/2)
	KVBatch(b, seed, distinct, from+n/2, n/2)
	if b.N != n {
		t.Fatalf("%d rows", b.N)
	}
	digits := func(x uint64, n int) string {
		out := ""
		for range n {
			out += fmt.Sprintf("%x", x&15)
			x >>= 4
		}
		return out
	}
	for r := range n {
		i := uint64(from + r)
		draw := func(j uint64) uint64 { return kvMix((i*8 + j + seed*kvGolden) * kvGolden) }
		want := []columnar.Value{
			columnar.IntValue(int64(draw(0) % distinct)), columnar.IntValue(int64(draw(1) % 1_000_000)), columnar.IntValue(int64(i)),
			columnar.FloatValue(float64(draw(2)>>11) / (1 << 53)), columnar.FloatValue(float64(draw(3)%100_000) / 100),
			columnar.IntValue(int64(draw(4) % 1_000_000_000)), columnar.StringValue(digits(draw(5), 10)),
			columnar.StringValue(digits(draw(6), 16) + digits(draw(7), 14)),
			columnar.IntValue(kvEpochMillis + int64(i)*10 + int64(draw(5)>>54)),
		}
		for c := range want {
			if got := b.Cols[c].Value(r); got != want[c] {
				t.Fatalf("row %d, column %d: %v, want %v", r, c, got, want[c])
			}
		}
	}
}

func BenchmarkKVBatch(b *testing.B) {
	var ts []types.Type
	for _, f := range KVFields() {
		ts = append(ts, f.Type)
	}
	batch := columnar.NewBatch(ts, columnar.BatchRows)
	b.ReportAllocs()
	for i := int64(0); b.Loop(); i++ {
		batch.Reset()
		KVBatch(batch, 1, 2_000_000, i*columnar.BatchRows, columnar.BatchRows)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/columnar.BatchRows, "ns/row")
}
