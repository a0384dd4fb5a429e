package manifest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/types"
)

var strType = []types.Type{types.String()}

func entry(kind Kind, partition string, bucket, level int, name string) Entry {
	e := goldenEntryValue()
	m := *e.File
	m.Name, m.Level = name, level
	return Entry{Kind: kind, Partition: serialize(strType, str(partition)), Bucket: bucket, TotalBuckets: 4, File: &m}
}

func show(list []*Entry) string {
	var out []string
	for _, e := range list {
		out = append(out, fmt.Sprintf("%s@%d", e.File.Name, e.File.Level))
	}
	return strings.Join(out, " ")
}

func TestLive(t *testing.T) {
	store := mem.New(nil)
	f := NewFiles(store, "/t", nil)
	w := f.NewWriter(WriterOptions{PartitionTypes: strType})
	var metas []FileMeta
	for _, group := range [][]Entry{
		{entry(Add, "p", 0, 0, "a"), entry(Add, "p", 1, 0, "b"), entry(Add, "q", 0, 0, "c")},
		{entry(Delete, "p", 0, 0, "a"), entry(Add, "p", 0, 5, "a")},
		{entry(Delete, "q", 0, 0, "c"), entry(Delete, "q", 2, 0, "d")},
		{entry(Add, "q", 2, 0, "d"), entry(Add, "q", 3, 0, "a")},
	} {
		m, err := w.Entries(t.Context(), group)
		if err != nil {
			t.Fatal(err)
		}
		metas = append(metas, m...)
	}
	q := string(serialize(strType, str("q")))
	for name, c := range map[string]struct {
		filter Filter
		want   string
	}{
		"all":       {Filter{}, "b@0 a@5 a@0"},
		"partition": {Filter{Partition: func(p []byte) bool { return string(p) == q }}, "a@0"},
		"bucket":    {Filter{Bucket: func(b, total int) bool { return b == 1 && total == 4 }}, "b@0"},
		"level":     {Filter{Level: func(l int) bool { return l > 0 }}, "a@5"},
		"entry":     {Filter{Entry: func(e *Entry) bool { return e.File.Name == "a" }}, "a@5 a@0"},
		"manifest":  {Filter{Manifest: func(m *FileMeta) bool { return m.MayHold(strType, []columnar.Value{str("p")}) }}, "b@0 a@5"},
	} {
		if name == "manifest" { // prunes the partition as a whole, as a filter on it does
			c.filter.Partition = func(p []byte) bool { return string(p) != q }
		}
		live, err := f.Live(t.Context(), metas, c.filter)
		if err != nil || show(live) != c.want {
			t.Errorf("%s: %s, %v; want %s", name, show(live), err, c.want)
		}
	}
	if _, err := f.Live(t.Context(), append(metas, metas[0]), Filter{}); !errors.Is(err, corrupt.Err) {
		t.Errorf("added twice: %v", err)
	}
	if _, err := f.Live(t.Context(), metas[1:2], Filter{}); !errors.Is(err, corrupt.Err) || !strings.Contains(err.Error(), "never added") {
		t.Errorf("deleted without an ADD: %v", err)
	}

	s := &snapshot.Snapshot{Version: 3, ID: 7, CommitKind: snapshot.Append, DeltaManifestListSize: -1}
	var err error
	if s.BaseManifestList, s.BaseManifestListSize, err = w.List(t.Context(), metas); err != nil {
		t.Fatal(err)
	}
	if s.DeltaManifestList, _, err = w.List(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	snapshots := snapshot.New(store, "/t")
	if err := snapshots.Publish(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := store.Delete(t.Context(), f.Path(metas[1].Name)); err != nil {
		t.Fatal(err)
	}
	cold := NewFiles(store, "/t", nil)
	if _, err := cold.ReadLive(t.Context(), s, Filter{}); !errors.Is(err, fileio.ErrNotFound) || errors.Is(err, snapshot.ErrExpired) ||
		!strings.Contains(err.Error(), metas[1].Name) {
		t.Errorf("a missing manifest: %v", err)
	}
	if err := snapshots.Remove(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	if _, err := cold.ReadLive(t.Context(), s, Filter{}); !errors.Is(err, snapshot.ErrExpired) || !strings.Contains(err.Error(), metas[1].Name) {
		t.Errorf("an expired snapshot: %v", err)
	}
}

// TestMergeKeepsLiveFiles adds and deletes at random, merges manifests now and
// then, and holds the live files against a map.
func TestMergeKeepsLiveFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	store := mem.New(nil)
	f := NewFiles(store, "/t", nil)
	w := f.NewWriter(WriterOptions{PartitionTypes: strType, TargetBytes: 5000})
	want := map[string]Entry{}
	var metas []FileMeta
	fulls := 0
	for step := range 300 {
		var delta []Entry
		for i := range 1 + rng.IntN(8) {
			e := entry(Add, fmt.Sprint("p", rng.IntN(4)), rng.IntN(3), 0, fmt.Sprintf("f-%d-%d", step, i))
			delta = append(delta, e)
			want[e.File.Name] = e
		}
		for name, e := range want {
			if rng.IntN(20) == 0 && !strings.HasPrefix(name, fmt.Sprintf("f-%d-", step)) {
				e.Kind = Delete
				delta = append(delta, e)
				delete(want, name)
			}
		}
		m, err := w.Entries(t.Context(), delta)
		if err != nil {
			t.Fatal(err)
		}
		metas = append(metas, m...)
		steps := PlanMerge(metas, MergeOptions{TargetBytes: 5000, FullBytes: 30_000, MinCount: 5})
		for _, s := range steps {
			if s.Full {
				fulls++
			}
		}
		if metas, err = f.MergeManifests(t.Context(), w, steps); err != nil {
			t.Fatal(err)
		}
		live, err := f.Live(t.Context(), metas, Filter{})
		if err != nil {
			t.Fatal(err)
		}
		if len(live) != len(want) {
			t.Fatalf("step %d: %d live files, want %d", step, len(live), len(want))
		}
		for _, e := range live {
			if o := want[e.File.Name]; !e.SameFile(&o) {
				t.Fatalf("step %d: %s", step, e.File.Name)
			}
		}
	}
	if fulls == 0 || len(metas) > 60 {
		t.Fatalf("%d full merges, %d manifests left", fulls, len(metas))
	}
}

func TestIdentity(t *testing.T) {
	base := entry(Add, "p", 0, 0, "a")
	for name, change := range map[string]func(*Entry, *datafile.Meta){
		"partition": func(e *Entry, _ *datafile.Meta) { e.Partition = serialize(strType, str("q")) },
		"bucket":    func(e *Entry, _ *datafile.Meta) { e.Bucket = 1 },
		"level":     func(_ *Entry, m *datafile.Meta) { m.Level = 1 },
		"name":      func(_ *Entry, m *datafile.Meta) { m.Name = "b" },
		"extra":     func(_ *Entry, m *datafile.Meta) { m.ExtraFiles = []string{"x"} },
		"index":     func(_ *Entry, m *datafile.Meta) { m.EmbeddedIndex = []byte{1} },
		"path":      func(_ *Entry, m *datafile.Meta) { m.ExternalPath = "/x" },
	} {
		e, m := base, *base.File
		change(&e, &m)
		e.File = &m
		if e.SameFile(&base) {
			t.Errorf("another %s is the same file", name)
		}
	}
	e, m := base, *base.File
	e.Kind, m.SizeBytes, m.RowCount, m.MaxSequence = Delete, 9, 9, 9
	e.File = &m
	if !e.SameFile(&base) || e.hash() != base.hash() {
		t.Error("what is not identity counts")
	}
}

func TestDamage(t *testing.T) {
	store := mem.New(nil)
	f := NewFiles(store, "/t", NewCache(-1))
	w := f.NewWriter(WriterOptions{PartitionTypes: strType})
	metas, err := w.Entries(t.Context(), []Entry{entry(Add, "p", 0, 0, "a"), entry(Add, "p", 0, 0, "b")})
	if err != nil {
		t.Fatal(err)
	}
	path := f.Path(metas[0].Name)
	good, err := fileio.ReadFile(t.Context(), store, path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range good {
		bad := append([]byte(nil), good...)
		bad[i] ^= 0x41
		if err := store.Replace(t.Context(), path, bad); err != nil {
			t.Fatal(err)
		}
		list, err := f.Entries(t.Context(), metas[0].Name, metas[0].SizeBytes)
		if err != nil && !strings.Contains(err.Error(), metas[0].Name) {
			t.Fatalf("byte %d: the error does not name the file: %v", i, err)
		}
		if err == nil && len(list) != 2 { // a changed name in the schema of a member we skip is no damage
			t.Fatalf("byte %d: %d entries", i, len(list))
		}
		if i > len(good)-100 && !errors.Is(err, corrupt.Err) {
			t.Fatalf("byte %d of %d: %v", i, len(good), err)
		}
	}
	for _, n := range []int{0, 3, 100, len(good) - 1} {
		if err := store.Replace(t.Context(), path, good[:n]); err != nil {
			t.Fatal(err)
		}
		for _, size := range []int64{-1, metas[0].SizeBytes} {
			if _, err := f.Entries(t.Context(), metas[0].Name, size); !errors.Is(err, corrupt.Err) {
				t.Fatalf("cut to %d bytes: %v", n, err)
			}
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	store := mem.New(nil)
	cache := NewCache(20_000)
	f := NewFiles(store, "/t", cache)
	w := f.NewWriter(WriterOptions{PartitionTypes: strType})
	for i := range 50 {
		metas, err := w.Entries(t.Context(), []Entry{entry(Add, "p", 0, 0, fmt.Sprint("f", i))})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Entries(t.Context(), metas[0].Name, -1); err != nil {
			t.Fatal(err)
		}
		if _, _, used := cache.Stats(); used > 20_000 {
			t.Fatalf("the cache holds %d bytes", used)
		}
	}
	if hits, loads, _ := cache.Stats(); hits != 50 || loads != 0 {
		t.Fatalf("%d hits, %d loads", hits, loads)
	}
}

// BenchmarkSmallManifest encodes and decodes a manifest of one entry.
func BenchmarkSmallManifest(b *testing.B) {
	e := goldenEntryValue()
	b.ReportAllocs()
	for range b.N {
		c := newContainer(entrySchema, codecZstd)
		c.block = appendEntry(c.block, &e)
		if err := c.endRecord(); err != nil {
			b.Fatal(err)
		}
		data, err := c.finish()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := decodeEntries(b.Context(), data, &plans{}); err != nil {
			b.Fatal(err)
		}
	}
}
