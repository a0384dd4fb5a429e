package check_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

const dir = "/wh/default.db/t"

func definition(options map[string]string) schema.Definition {
	return schema.Definition{
		Fields: []types.Field{
			{Name: "k", Type: types.Of(types.Int)},
			{Name: "p", Type: types.String()},
			{Name: "v", Type: types.Of(types.Double)},
		},
		PartitionKeys: []string{"p"}, PrimaryKeys: []string{"k", "p"}, Options: options,
	}
}

func newTable(t *testing.T, def schema.Definition) (*mem.Store, *storage.Env, *storage.Table) {
	t.Helper()
	store := mem.New(time.Now)
	env := storage.NewEnv(storage.Config{Store: store})
	t.Cleanup(env.Close)
	tb, err := storage.Create(t.Context(), env, dir, def)
	if err != nil {
		t.Fatal(err)
	}
	return store, env, tb
}

func put(t *testing.T, tb *storage.Table, from, n int, kind types.RowKind) {
	t.Helper()
	v, err := tb.View(t.Context(), storage.ViewOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	w := v.Write(storage.WriteOptions{})
	b := columnar.NewBatch(types.FieldTypes(v.Schema().Fields), n)
	for i := from; i < from+n; i++ {
		b.Cols[0].AppendI32(int32(i))
		b.Cols[1].AppendString([]string{"a", "b"}[i%2])
		b.Cols[2].AppendF64(float64(i) / 2)
		b.Kinds = append(b.Kinds, kind)
		b.N++
	}
	if err := w.Add(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// fill makes a table with several versions, levels, a tag and deletes.
func fill(t *testing.T, tb *storage.Table) {
	t.Helper()
	put(t, tb, 0, 100, types.Insert)
	put(t, tb, 50, 100, types.Insert)
	if _, err := tb.Compact(t.Context(), storage.CompactOptions{Full: true}); err != nil {
		t.Fatal(err)
	}
	if err := tb.CreateTag(t.Context(), "one", 1, 0); err != nil {
		t.Fatal(err)
	}
	put(t, tb, 0, 10, types.Delete)
}

// faults are the problems of the table that are no notes.
func faults(t *testing.T, env *storage.Env) []string {
	t.Helper()
	var out []string
	for p, err := range storage.CheckTable(t.Context(), env, dir) {
		if err != nil {
			t.Fatal(err)
		}
		if !p.Note {
			out = append(out, p.String())
		}
	}
	return out
}

func TestGoodTablesHaveNoFaults(t *testing.T) {
	for _, o := range []map[string]string{
		{"bucket": "1"}, {"bucket": "3", "file.format": "avro"}, {"bucket": "-1", "dynamic-bucket.target-row-num": "20"},
		{"bucket": "2", "data-file.thin-mode": "true", "metadata.stats-mode": "full"}, {"bucket": "2", "metadata.stats-mode": "none"},
	} {
		_, env, tb := newTable(t, definition(o))
		fill(t, tb)
		if f := faults(t, env); len(f) > 0 {
			t.Errorf("%v: %s", o, strings.Join(f, "\n"))
		}
	}
	def := definition(map[string]string{"bucket": "-1"})
	def.PrimaryKeys = nil
	_, env, tb := newTable(t, def)
	put(t, tb, 0, 10, types.Insert)
	put(t, tb, 0, 10, types.Insert)
	if f := faults(t, env); len(f) > 0 {
		t.Errorf("append table: %s", strings.Join(f, "\n"))
	}
}

// find is the last path that contains all of the words.
func find(t *testing.T, s *mem.Store, words ...string) string {
	t.Helper()
	paths := slices.DeleteFunc(s.Paths(), func(p string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(p, w) })
	})
	if len(paths) == 0 {
		t.Fatalf("no file %v", words)
	}
	return paths[len(paths)-1]
}

// member changes one member of a JSON file.
func member(t *testing.T, s *mem.Store, path, name string, change func(any) any) {
	t.Helper()
	data, err := fileio.ReadFile(t.Context(), s, path)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	m[name] = change(m[name])
	if data, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	if err := s.Replace(t.Context(), path, data); err != nil {
		t.Fatal(err)
	}
}

func plus(n int64) func(any) any {
	return func(v any) any { i, _ := v.(json.Number).Int64(); return i + n }
}

func remove(t *testing.T, s *mem.Store, path string) string {
	t.Helper()
	if err := s.Delete(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFaultsAreFound(t *testing.T) {
	snap := func(n string) string { return dir + "/snapshot/snapshot-" + n }
	for name, c := range map[string]struct {
		options map[string]string
		damage  func(t *testing.T, s *mem.Store) string // returns the path to blame
		what    string
	}{
		"data file missing": {damage: func(t *testing.T, s *mem.Store) string {
			return remove(t, s, find(t, s, "/bucket-", ".parquet"))
		}, what: "missing"},
		"manifest missing": {damage: func(t *testing.T, s *mem.Store) string {
			return remove(t, s, find(t, s, "/manifest/manifest-list-"))
		}, what: "missing"},
		"schema missing": {damage: func(t *testing.T, s *mem.Store) string {
			if err := s.Replace(t.Context(), dir+"/schema/schema-2", []byte(`{`)); err != nil {
				t.Fatal(err)
			}
			return dir + "/schema/schema-2"
		}, what: "schema 1 is missing"},
		"snapshot missing": {damage: func(t *testing.T, s *mem.Store) string {
			remove(t, s, snap("2"))
			return snap("3")
		}, what: "snapshot 2 is missing"},
		"total": {damage: func(t *testing.T, s *mem.Store) string {
			member(t, s, snap("2"), "totalRecordCount", plus(1))
			return snap("2")
		}, what: "totalRecordCount"},
		"delta": {damage: func(t *testing.T, s *mem.Store) string {
			member(t, s, snap("2"), "deltaRecordCount", plus(-1))
			return snap("2")
		}, what: "deltaRecordCount"},
		"base": {damage: func(t *testing.T, s *mem.Store) string {
			data, err := fileio.ReadFile(t.Context(), s, snap("1"))
			if err != nil {
				t.Fatal(err)
			}
			var m map[string]any
			if err := json.Unmarshal(data, &m); err != nil {
				t.Fatal(err)
			}
			member(t, s, snap("2"), "baseManifestList", func(any) any { return m["baseManifestList"] })
			member(t, s, snap("2"), "baseManifestListSize", func(any) any { return m["baseManifestListSize"] })
			return snap("2")
		}, what: "base"},
		"pointer ahead": {damage: func(t *testing.T, s *mem.Store) string {
			p := dir + "/snapshot/LATEST"
			if err := s.Replace(t.Context(), p, []byte("9")); err != nil {
				t.Fatal(err)
			}
			return p
		}, what: "points to snapshot 9"},
		"tag": {damage: func(t *testing.T, s *mem.Store) string {
			member(t, s, dir+"/tag/tag-one", "schemaId", plus(7))
			return dir + "/tag/tag-one"
		}, what: "schema 7"},
		"hash index": {options: map[string]string{"bucket": "-1"}, damage: func(t *testing.T, s *mem.Store) string {
			p := find(t, s, "/index/index-")
			data, err := fileio.ReadFile(t.Context(), s, p)
			if err != nil {
				t.Fatal(err)
			}
			data[3]++
			if err := s.Replace(t.Context(), p, data); err != nil {
				t.Fatal(err)
			}
			return "/bucket-0/"
		}, what: "hash index"},
		"files swapped": {damage: func(t *testing.T, s *mem.Store) string {
			var two []string
			for _, p := range s.Paths() {
				if strings.Contains(p, "/bucket-") && strings.Contains(p, ".parquet") {
					two = append(two, p)
				}
			}
			a, err := fileio.ReadFile(t.Context(), s, two[0])
			if err != nil {
				t.Fatal(err)
			}
			b, err := fileio.ReadFile(t.Context(), s, two[len(two)-1])
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(s.Replace(t.Context(), two[0], b), s.Replace(t.Context(), two[len(two)-1], a)); err != nil {
				t.Fatal(err)
			}
			return two[0]
		}},
	} {
		t.Run(name, func(t *testing.T) {
			o := map[string]string{"bucket": "2"}
			if c.options != nil {
				o = c.options
			}
			store, env, tb := newTable(t, definition(o))
			fill(t, tb)
			blamed := c.damage(t, store)
			found := faults(t, env)
			if !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, blamed) && strings.Contains(f, c.what) }) {
				t.Errorf("no fault of %s with %q among:\n%s", blamed, c.what, strings.Join(found, "\n"))
			}
		})
	}
}

func TestOrphansAreNotesAndCheckEndsEarly(t *testing.T) {
	store, env, tb := newTable(t, definition(map[string]string{"bucket": "2"}))
	fill(t, tb)
	for _, p := range []string{"/manifest/manifest-x-0", "/p=a/bucket-0/data-x-0.parquet", "/index/index-x-0"} {
		if err := fileio.WriteFile(t.Context(), store, dir+p, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	before := store.Paths()
	var notes []string
	for p, err := range storage.CheckTable(t.Context(), env, dir) {
		if err != nil || !p.Note {
			t.Errorf("%v: %v", p, err)
		}
		notes = append(notes, p.What)
	}
	if all := strings.Join(notes, "\n"); !strings.Contains(all, "3 files of 3 bytes") || !strings.Contains(all, "4 snapshots, 1 tags") {
		t.Errorf("notes:\n%s", all)
	}
	if after := store.Paths(); !slices.Equal(before, after) {
		t.Error("the check changed the store")
	}
	remove(t, store, dir+"/schema/schema-0")
	n := 0
	for _, err := range storage.CheckTable(t.Context(), env, dir) {
		if !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("error %v", err)
		}
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d problems of a directory without a table", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, env, tb = newTable(t, definition(map[string]string{"bucket": "2"}))
	fill(t, tb)
	var last error
	for _, err := range storage.CheckTable(ctx, env, dir) {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("cancelled check ends with %v", last)
	}
}

func TestWarehouse(t *testing.T) {
	store, env, tb := newTable(t, definition(map[string]string{"bucket": "2"}))
	fill(t, tb)
	if _, err := storage.Create(t.Context(), env, "/wh/other.db/u", definition(nil)); err != nil {
		t.Fatal(err)
	}
	bad := remove(t, store, find(t, store, dir, ".parquet"))
	var paths []string
	for p, err := range storage.CheckWarehouse(t.Context(), env, "/wh") {
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p.Path)
	}
	for _, want := range []string{bad, dir, "/wh/other.db/u"} {
		if !slices.Contains(paths, want) {
			t.Errorf("nothing told of %s: %v", want, paths)
		}
	}
}
