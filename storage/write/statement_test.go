package write

import (
	"slices"
	"testing"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/types"
)

// kvLayout is as much of the kv table's layout as a statement needs.
func kvLayout(t testing.TB, buckets int) *Layout {
	t.Helper()
	ts := types.FieldTypes(testkit.KVFields())
	b, err := row.NewBucketer(row.DefaultBuckets, ts[:1], buckets)
	if err != nil {
		t.Fatal(err)
	}
	return &Layout{types: ts, key: []int{0}, bucketKey: []int{0}, bucketer: b}
}

// kvRows gives batches of the kv table, n rows together.
func kvRows(n int) []*columnar.Batch {
	var out []*columnar.Batch
	for from := 0; from < n; from += columnar.BatchRows {
		b := columnar.NewBatch(types.FieldTypes(testkit.KVFields()), 0)
		testkit.KVBatch(b, 1, 0, int64(from), min(columnar.BatchRows, n-from))
		out = append(out, b)
	}
	return out
}

// TestChunks adds more rows than a chunk holds, twice, and looks for each row in its
// bucket, in the order of arrival.
func TestChunks(t *testing.T) {
	l := kvLayout(t, 3)
	in := kvRows(400_000)
	for round := range 2 {
		s := NewStatement(l)
		for _, b := range in {
			s.Add(b)
		}
		if round == 1 && len(l.chunks.idle) > 0 {
			t.Errorf("%d chunks were not used again", len(l.chunks.idle))
		}
		rows := map[int32][]int64{}
		for _, b := range in {
			for i, n := range l.bucketer.Buckets(nil, b.Cols[:1], b.N) {
				rows[n] = append(rows[n], b.Cols[2].I64[i])
			}
		}
		for _, b := range s.buckets() {
			var got []int64
			for i, c := range b.batches {
				if c.N > chunkRows+columnar.BatchRows || i == 0 && c.N > firstRows+columnar.BatchRows {
					t.Errorf("chunk %d has %d rows", i, c.N)
				}
				if err := testkit.CheckVector(c.Cols[7]); err != nil {
					t.Fatal(err)
				}
				got = append(got, c.Cols[2].I64...)
			}
			if !slices.Equal(got, rows[b.bucket.Number]) {
				t.Fatalf("bucket %d: %d rows, want %d in order", b.bucket.Number, len(got), len(rows[b.bucket.Number]))
			}
		}
		s.Release()
		if l.chunks.bytes == 0 || l.chunks.bytes > idleBytes {
			t.Fatalf("%d bytes are kept", l.chunks.bytes)
		}
	}
}

// TestAddAllocates holds the line: what Add allocates must not depend on the number
// of rows.
func TestAddAllocates(t *testing.T) {
	l := kvLayout(t, 4)
	in := kvRows(300_000)
	add := func() {
		s := NewStatement(l)
		for _, b := range in {
			s.Add(b)
		}
		s.Release()
	}
	add()
	if n := testing.AllocsPerRun(3, add); n > 1000 {
		t.Errorf("%.0f allocations for %d batches", n, len(in))
	}
}

// BenchmarkAdd routes the rows of the kv table to eight buckets.
func BenchmarkAdd(b *testing.B) {
	l := kvLayout(b, 8)
	in := kvRows(1_000_000)
	b.ReportAllocs()
	for b.Loop() {
		s := NewStatement(l)
		for _, batch := range in {
			s.Add(batch)
		}
		s.Release()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/row")
}
