package bucketindex

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/lakesql/lakesql/internal/corrupt"
)

func assign(t *testing.T, p *Partition, hashes ...uint32) []int32 {
	t.Helper()
	got, err := p.Assign(nil, hashes)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAssign(t *testing.T) {
	p := NewPartition(Options{TargetRows: 3})
	if got, want := assign(t, p, 1, 2, 3, 4, 5, 6, 7), []int32{0, 0, 0, 1, 1, 1, 2}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	if got := assign(t, p, 2); got[0] != 0 {
		t.Fatalf("an update of key 2 went to bucket %d", got[0])
	}
	if got := p.Changed(); !slices.Equal(got, []int{0, 1, 2}) {
		t.Fatal(got)
	}
	if got := p.Hashes(1); !slices.Equal(got, []uint32{4, 5, 6}) {
		t.Fatal(got)
	}

	// Loaded again, with a hole where bucket 1 was.
	q := NewPartition(Options{TargetRows: 3})
	q.Load(0, []uint32{1, 2, 3})
	q.Load(2, []uint32{7})
	if got, want := assign(t, q, 3, 7, 8, 9, 10, 11), []int32{0, 2, 2, 2, 1, 1}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	if got := q.Changed(); !slices.Equal(got, []int{1, 2}) {
		t.Fatal(got)
	}
	q.Saved()
	if got := q.Changed(); len(got) != 0 {
		t.Fatal(got)
	}
}

func TestMaxBuckets(t *testing.T) {
	p := NewPartition(Options{TargetRows: 1, MaxBuckets: 2, Pick: func(n int) int { return n - 1 }})
	if got, want := assign(t, p, 1, 2, 3, 4, 1), []int32{0, 1, 1, 1, 0}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	p = NewPartition(Options{TargetRows: 1})
	hashes := make([]uint32, maxBucket+2)
	for i := range hashes {
		hashes[i] = uint32(i)
	}
	if _, err := p.Assign(nil, hashes); err == nil {
		t.Fatal("too many buckets passed")
	}
}

func TestManyHashes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := NewPartition(Options{TargetRows: 1000})
	want := map[uint32]int32{}
	for range 200 {
		hashes := make([]uint32, 500)
		for i := range hashes {
			hashes[i] = rng.Uint32N(60_000) * 7919
		}
		for i, b := range assign(t, p, hashes...) {
			if old, ok := want[hashes[i]]; ok && old != b {
				t.Fatalf("hash %d moved from bucket %d to %d", hashes[i], old, b)
			}
			want[hashes[i]] = b
		}
	}
	total := 0
	for b := range len(p.numbers) {
		total += len(p.Hashes(b))
	}
	if total != len(want) {
		t.Fatalf("%d hashes in the buckets, want %d", total, len(want))
	}
}

func TestCodec(t *testing.T) {
	data, err := os.ReadFile("testdata/java-2.0")
	if err != nil {
		t.Fatal(err)
	}
	hashes, err := Decode(data)
	if err != nil || len(hashes) != 3 || !bytes.Equal(Encode(hashes), data) {
		t.Fatalf("%v, %v", hashes, err)
	}
	if _, err := Decode(data[:5]); !errors.Is(err, corrupt.Err) {
		t.Fatal(err)
	}
}

func FuzzDecode(f *testing.F) {
	java, err := os.ReadFile("testdata/java-2.0")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(java)
	f.Add([]byte{0, 0, 0, 1})
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, data []byte) {
		if hashes, err := Decode(data); err == nil && !bytes.Equal(Encode(hashes), data) {
			t.Fatal("read and written back it differs")
		}
	})
}

func BenchmarkAssign(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	hashes := make([]uint32, 1<<20)
	for i := range hashes {
		hashes[i] = rng.Uint32()
	}
	p := NewPartition(Options{})
	dst, _ := p.Assign(nil, hashes)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += len(hashes) {
		dst, _ = p.Assign(dst[:0], hashes)
	}
}
