package inspect_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

const dir = "/wh/default.db/t"

// newTable makes a table with a partition, nested columns, a tag and two levels.
func newTable(t *testing.T, options map[string]string) (*mem.Store, *storage.Env) {
	t.Helper()
	store := mem.New(time.Now)
	env := storage.NewEnv(storage.Config{Store: store})
	t.Cleanup(env.Close)
	tb, err := storage.Create(t.Context(), env, dir, schema.Definition{
		Fields: []types.Field{
			{Name: "k", Type: types.Of(types.BigInt)}, {Name: "p", Type: types.String()},
			{Name: "d", Type: types.Dec(12, 2)}, {Name: "a", Type: types.ArrayOf(types.String())},
		},
		PartitionKeys: []string{"p"}, PrimaryKeys: []string{"k", "p"}, Options: options,
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		v, err := tb.View(t.Context(), storage.ViewOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		w := v.Write(storage.WriteOptions{})
		b := columnar.NewBatch(types.FieldTypes(v.Schema().Fields), 2)
		for i := range 2 {
			b.Cols[0].AppendI64(int64(10 + i))
			b.Cols[1].AppendString("x y")
			b.Cols[2].AppendI64(1234)
			b.Cols[3].Children[0].AppendString("one")
			b.Cols[3].Children[0].AppendNull()
			b.Cols[3].EndList()
			b.N++
		}
		if err := w.Add(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tb.Compact(t.Context(), storage.CompactOptions{Full: true}); err != nil {
		t.Fatal(err)
	}
	if err := tb.CreateTag(t.Context(), "one", 1, 0); err != nil {
		t.Fatal(err)
	}
	return store, env
}

func TestEveryFileIsShown(t *testing.T) {
	want := map[string]string{ // part of the path: parts of the output
		"/schema/schema-0":         "primary key (k, p), partitioned by (p)",
		"/snapshot/snapshot-3":     "snapshot 3, COMPACT of ",
		"/snapshot/snapshot-":      " rows, +2",
		"/snapshot/LATEST":         "snapshot 3",
		"/tag/tag-one":             "snapshot 1, APPEND of ",
		"/manifest/manifest-list-": "manifest list of ",
		"/manifest/index-manifest": "HASH index-|partition (p=\"x y\"), bucket 0",
		"/index/index-":            "hash index of 2 keys",
		".parquet":                 "_SEQUENCE_NUMBER|row group 0|  #|+I|k=10|p=\"x y\"|d=12.34|a=[\"one\", NULL]",
		".avro":                    "codec zstandard|+I|k=10|d=12.34",
		"/manifest/manifest-":      "manifest of |keys (k=10) … (k=11)|0 nulls",
	}
	seen := map[string]bool{}
	for _, format := range []string{"parquet", "avro"} {
		store, env := newTable(t, map[string]string{"bucket": "-1", "file.format": format})
		for _, path := range store.Paths() {
			var out strings.Builder
			if err := storage.Inspect(t.Context(), env, path, 5, &out); err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			key := ""
			for part := range want {
				if strings.Contains(path, part) && len(part) > len(key) {
					key = part
				}
			}
			if key == "" {
				t.Errorf("unexpected file %s", path)
			}
			seen[key] = true
			for _, words := range strings.Split(want[key], "|") {
				if !strings.Contains(out.String(), words) {
					t.Errorf("%s: no %q in\n%s", path, words, out.String())
				}
			}
		}
	}
	for key := range want {
		if !seen[key] {
			t.Errorf("no file %s was looked at", key)
		}
	}
}

func TestFilesOutsideOfTablesAndDamage(t *testing.T) {
	store, env := newTable(t, map[string]string{"bucket": "-1"})
	rng := testkit.Rand(1)
	for _, path := range store.Paths() {
		data, err := fileio.ReadFile(t.Context(), store, path)
		if err != nil {
			t.Fatal(err)
		}
		out := "/elsewhere" + path[strings.LastIndexByte(path, '/'):]
		if err := store.Replace(t.Context(), out, data); err != nil {
			t.Fatal(err)
		}
		if err := storage.Inspect(t.Context(), env, out, 5, io.Discard); err != nil {
			t.Errorf("%s: %v", out, err)
		}
		for range 50 { // it must end, with or without an error
			bad := append([]byte(nil), data...)
			bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
			if rng.IntN(3) == 0 {
				bad = bad[:rng.IntN(len(bad))]
			}
			if err := store.Replace(t.Context(), path, bad); err != nil {
				t.Fatal(err)
			}
			_ = storage.Inspect(t.Context(), env, path, 5, io.Discard) // either outcome is right
		}
		if err := store.Replace(t.Context(), path, data); err != nil {
			t.Fatal(err)
		}
	}
}
