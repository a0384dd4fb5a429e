package storage_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

func newEnv(t *testing.T) *storage.Env {
	t.Helper()
	env := storage.NewEnv(storage.Config{Store: mem.New(time.Now)})
	t.Cleanup(env.Close)
	return env
}

func kv(options map[string]string) schema.Definition {
	return schema.Definition{
		Fields: []types.Field{
			{Name: "k", Type: types.Of(types.Int).WithNotNull(true)},
			{Name: "v", Type: types.String()},
		},
		PrimaryKeys: []string{"k"}, Options: options,
	}
}

type rec struct {
	k    int32
	v    string
	kind types.RowKind
}

func put(t *testing.T, tb *storage.Table, rows ...rec) {
	t.Helper()
	if err := tryPut(t.Context(), tb, storage.WriteOptions{}, rows...); err != nil {
		t.Fatal(err)
	}
}

func tryPut(ctx context.Context, tb *storage.Table, o storage.WriteOptions, rows ...rec) error {
	v, err := tb.View(ctx, storage.ViewOptions{})
	if err != nil {
		return err
	}
	defer v.Close()
	w := v.Write(o)
	if err := add(ctx, w, rows...); err != nil {
		w.Abort()
		return err
	}
	_, err = w.Commit(ctx)
	return err
}

func add(ctx context.Context, w *storage.Write, rows ...rec) error {
	b := columnar.NewBatch(types.FieldTypes(w.View().Schema().Fields), len(rows))
	for _, r := range rows {
		b.Cols[0].AppendI32(r.k)
		b.Cols[1].AppendString(r.v)
		b.Kinds = append(b.Kinds, r.kind)
		b.N++
	}
	return w.Add(ctx, b)
}

func get(t *testing.T, tb *storage.Table, o storage.ViewOptions, s storage.ScanOptions) []rec {
	t.Helper()
	v, err := tb.View(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	return read(t, v, s)
}

func read(t *testing.T, v *storage.View, o storage.ScanOptions) []rec {
	t.Helper()
	o.Columns = []int{0, 1}
	s, err := v.Scan(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Reader()
	defer r.Close()
	var out []rec
	for {
		b, err := r.Next(t.Context())
		if errors.Is(err, io.EOF) {
			slices.SortFunc(out, func(a, b rec) int { return int(a.k - b.k) })
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		b = b.Clone()
		for i := range b.N {
			out = append(out, rec{k: b.Cols[0].I32[i], v: string(b.Cols[1].Bytes(i))})
		}
	}
}

func same(t *testing.T, got []rec, want ...rec) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestUpsertAndDelete(t *testing.T) {
	for _, buckets := range []string{"1", "4", "-1"} {
		tb, err := storage.Create(t.Context(), newEnv(t), "/wh/default.db/t", kv(map[string]string{"bucket": buckets}))
		if err != nil {
			t.Fatal(err)
		}
		same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}))
		put(t, tb, rec{k: 1, v: "a"}, rec{k: 2, v: "b"}, rec{k: 3, v: "c"})
		put(t, tb, rec{k: 1, v: "A"}, rec{k: 4, v: "d"}, rec{k: 4, v: "D"})
		put(t, tb, rec{k: 2, kind: types.Delete})
		want := []rec{{k: 1, v: "A"}, {k: 3, v: "c"}, {k: 4, v: "D"}}
		same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}), want...)
		same(t, get(t, tb, storage.ViewOptions{AsOf: storage.AsOf{Version: "1"}}, storage.ScanOptions{}),
			rec{k: 1, v: "a"}, rec{k: 2, v: "b"}, rec{k: 3, v: "c"})
		if _, err := tb.Compact(t.Context(), storage.CompactOptions{Full: true}); err != nil {
			t.Fatal(err)
		}
		same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}), want...)
		same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{ReadOptimized: true}), want...)
		put(t, tb, rec{k: 2, v: "back"})
		same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}), rec{k: 1, v: "A"}, rec{k: 2, v: "back"}, rec{k: 3, v: "c"}, rec{k: 4, v: "D"})
	}
}

func TestPendingRowsAreReadByTheirWriter(t *testing.T) {
	tb, err := storage.Create(t.Context(), newEnv(t), "/wh/default.db/t", kv(map[string]string{"bucket": "-1"}))
	if err != nil {
		t.Fatal(err)
	}
	put(t, tb, rec{k: 1, v: "a"}, rec{k: 2, v: "b"})
	v, err := tb.View(t.Context(), storage.ViewOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	w := v.Write(storage.WriteOptions{})
	if err := add(t.Context(), w, rec{k: 1, v: "mine"}); err != nil {
		t.Fatal(err)
	}
	mark := w.Mark()
	if err := add(t.Context(), w, rec{k: 2, v: "undone"}, rec{k: 3, v: "undone"}); err != nil {
		t.Fatal(err)
	}
	same(t, read(t, v, storage.ScanOptions{Pending: w}), rec{k: 1, v: "mine"}, rec{k: 2, v: "undone"}, rec{k: 3, v: "undone"})
	w.Rewind(mark)
	same(t, read(t, v, storage.ScanOptions{Pending: w}), rec{k: 1, v: "mine"}, rec{k: 2, v: "b"})
	same(t, read(t, v, storage.ScanOptions{}), rec{k: 1, v: "a"}, rec{k: 2, v: "b"})
	if _, err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}), rec{k: 1, v: "mine"}, rec{k: 2, v: "b"})
}

// Two writers read a row before they change it: the second must be told.
func TestLostUpdateIsRefused(t *testing.T) {
	tb, err := storage.Create(t.Context(), newEnv(t), "/wh/default.db/t", kv(map[string]string{"bucket": "1"}))
	if err != nil {
		t.Fatal(err)
	}
	put(t, tb, rec{k: 1, v: "0"}, rec{k: 2, v: "0"})
	begin := func(k int32, v string) *storage.Write {
		view, err := tb.View(t.Context(), storage.ViewOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(view.Close)
		w := view.Write(storage.WriteOptions{ReadModify: true})
		if err := add(t.Context(), w, rec{k: k, v: v}); err != nil {
			t.Fatal(err)
		}
		return w
	}
	first, second, other := begin(1, "first"), begin(1, "second"), begin(2, "other")
	if _, err := first.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Commit(t.Context()); !errors.Is(err, storage.ErrWriteConflict) {
		t.Fatalf("second writer of a key: %v", err)
	}
	if _, err := other.Commit(t.Context()); err != nil {
		t.Fatalf("writer of another key: %v", err)
	}
	same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}), rec{k: 1, v: "first"}, rec{k: 2, v: "other"})
}

// A writer that renames over our snapshot, as Java does on a local disk, must not
// take our rows away.
func TestReplacedSnapshotIsPublishedAgain(t *testing.T) {
	for _, buckets := range []string{"2", "-1"} {
		store := mem.New(time.Now)
		ours := storage.NewEnv(storage.Config{Store: store})
		defer ours.Close()
		theirs := storage.NewEnv(storage.Config{Store: store})
		defer theirs.Close()
		const dir = "/wh/default.db/t"
		tb, err := storage.Create(t.Context(), ours, dir, kv(map[string]string{"bucket": buckets}))
		if err != nil {
			t.Fatal(err)
		}
		put(t, tb, rec{k: 1, v: "a"})

		// Both see snapshot 1; theirs commits snapshot 2, is undone, ours commits
		// snapshot 2, and theirs renames its own over it.
		other, err := storage.Open(t.Context(), theirs, dir)
		if err != nil {
			t.Fatal(err)
		}
		put(t, other, rec{k: 1, v: "theirs"}, rec{k: 2, v: "theirs"})
		second := dir + "/snapshot/snapshot-2"
		stolen, err := fileio.ReadFile(t.Context(), store, second)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Delete(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		if err := store.Replace(t.Context(), dir+"/snapshot/LATEST", []byte("1")); err != nil {
			t.Fatal(err)
		}
		put(t, tb, rec{k: 1, v: "ours"}, rec{k: 3, v: "ours"})
		if err := store.Replace(t.Context(), second, stolen); err != nil {
			t.Fatal(err)
		}
		want := []rec{{k: 1, v: "ours"}, {k: 2, v: "theirs"}, {k: 3, v: "ours"}}
		same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}), want...)
		put(t, tb, rec{k: 4, v: "next"})
		same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}), append(want, rec{k: 4, v: "next"})...)
	}
}

// A table that another process drops and makes anew under an open handle is read
// and written as what it is now.
func TestTableReplacedUnderAnOpenHandle(t *testing.T) {
	store := mem.New(time.Now)
	ours, theirs := storage.NewEnv(storage.Config{Store: store}), storage.NewEnv(storage.Config{Store: store})
	defer ours.Close()
	defer theirs.Close()
	const dir = "/wh/default.db/t"
	tb, err := storage.Create(t.Context(), ours, dir, kv(map[string]string{"bucket": "-1"}))
	if err != nil {
		t.Fatal(err)
	}
	put(t, tb, rec{k: 1, v: "old"})
	put(t, tb, rec{k: 2, v: "old"})
	if err := storage.Drop(t.Context(), theirs, dir); err != nil {
		t.Fatal(err)
	}
	if _, err := tb.View(t.Context(), storage.ViewOptions{}); !errors.Is(err, storage.ErrNotFound) {
		t.Fatalf("view of a dropped table: %v", err)
	}
	def := kv(map[string]string{"bucket": "1"})
	def.Fields[1] = types.Field{Name: "w", Type: types.String()}
	other, err := storage.Create(t.Context(), theirs, dir, def)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int32(5) {
		put(t, other, rec{k: 1, v: string('a' + i)})
	}
	v, err := tb.View(t.Context(), storage.ViewOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if name := v.Schema().Fields[1].Name; name != "w" {
		t.Errorf("column %s of the old table", name)
	}
	v.Close()
	put(t, tb, rec{k: 1, v: "new"}, rec{k: 7, v: "new"})
	same(t, get(t, other, storage.ViewOptions{}, storage.ScanOptions{}), rec{k: 1, v: "new"}, rec{k: 7, v: "new"})
}
