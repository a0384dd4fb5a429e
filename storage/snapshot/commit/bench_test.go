package commit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/local"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// BenchmarkCommit commits small files to a local disk, in a table of few and of
// many snapshots: the time must not grow with them.
func BenchmarkCommit(b *testing.B) {
	for _, history := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("snapshots=%d", history), func(b *testing.B) {
			disk := mem.New(nil)
			seed := openAt(struct{ fileio.Store }{disk}, "/seed") // without syncs: its data files are not there
			for i := range history {
				r := commit.Request{User: "u", Identifier: 1, Increments: []datafile.Increment{increment(1, meta(fmt.Sprint("seed", i, ".x"), 0, 1, 3))}}
				if _, err := seed.committer.Commit(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
			root := b.TempDir()
			for _, p := range disk.Paths() {
				data, err := fileio.ReadFile(b.Context(), disk, p)
				if err != nil {
					b.Fatal(err)
				}
				to := root + strings.TrimPrefix(p, "/seed")
				if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
					b.Fatal(err)
				}
				if err := os.WriteFile(to, data, 0o644); err != nil {
					b.Fatal(err)
				}
			}
			store := local.New(root)
			tab := openAt(store, root)
			b.ResetTimer()
			for i := range b.N {
				name := fmt.Sprintf("f%d.x", i)
				if err := fileio.WriteFile(b.Context(), store, root+dataPath(name), make([]byte, 2500)); err != nil {
					b.Fatal(err)
				}
				r := commit.Request{User: name, Identifier: snapshot.BatchIdentifier, Increments: []datafile.Increment{increment(1, meta(name, 0, 1, 3))}}
				if _, err := tab.committer.Commit(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
		})
	}
}

// BenchmarkPlan works out the live files of a table with 100,000 files.
func BenchmarkPlan(b *testing.B) {
	const files, each = 100_000, 5000
	store := mem.New(nil)
	tab := openAt(struct{ fileio.Store }{store}, "/seed")
	for i := 0; i < files; i += each {
		var metas []*datafile.Meta
		for k := range each {
			m := meta(fmt.Sprintf("data-344f4ef0-d2cd-4e8f-8fb7-009ae5474569-%d.parquet", i+k), 0, i+k, i+k+3)
			m.KeyStats.Min, m.KeyStats.Max, m.KeyStats.NullCounts = m.MinKey, m.MaxKey, []int64{0}
			m.ValueStats = m.KeyStats
			metas = append(metas, m)
		}
		r := commit.Request{User: "u", Identifier: int64(i), Increments: []datafile.Increment{increment(i/each, metas...)}}
		if _, err := tab.committer.Commit(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
	s, err := tab.snapshots.Latest(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		files func() *manifest.Files
	}{
		{"warm", func() *manifest.Files { return manifest.NewFiles(store, "/seed"+dir, nil) }},
		{"cold", nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			var f *manifest.Files
			if c.files != nil {
				f = c.files()
				if _, err := f.ReadLive(b.Context(), s, manifest.Filter{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				files := f
				if files == nil {
					files = manifest.NewFiles(store, "/seed"+dir, manifest.NewCache(-1))
				}
				live, err := files.ReadLive(b.Context(), s, manifest.Filter{})
				if err != nil || len(live) != 100_000 {
					b.Fatal(len(live), err)
				}
			}
		})
	}
}
