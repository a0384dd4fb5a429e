package storage_test

import (
	"errors"
	"testing"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

func take(t *testing.T, w *storage.Write, rows ...rec) {
	t.Helper()
	b := columnar.NewBatch(types.FieldTypes(w.View().Schema().Fields), len(rows))
	for _, r := range rows {
		b.Cols[0].AppendI32(r.k)
		b.Cols[1].AppendString(r.v)
		b.N++
	}
	if err := w.Take(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// Rows of an append table have no key: what is taken out is one equal row for each.
func TestTakeRowsOutOfAnAppendTable(t *testing.T) {
	for _, options := range []map[string]string{nil, {"bucket": "2", "bucket-key": "k"}} {
		def := kv(options)
		def.PrimaryKeys = nil
		tb, err := storage.Create(t.Context(), newEnv(t), "/wh/default.db/t", def)
		if err != nil {
			t.Fatal(err)
		}
		put(t, tb, rec{k: 1, v: "a"}, rec{k: 2, v: "b"}, rec{k: 2, v: "b"})
		put(t, tb, rec{k: 3, v: "c"}, rec{k: 2, v: "b"})
		begin := func() *storage.Write {
			v, err := tb.View(t.Context(), storage.ViewOptions{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(v.Close)
			return v.Write(storage.WriteOptions{Operation: "UPDATE"})
		}
		w, late := begin(), begin()
		take(t, w, rec{k: 2, v: "b"}, rec{k: 1, v: "a"})
		if err := add(t.Context(), w, rec{k: 1, v: "A"}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}),
			rec{k: 1, v: "A"}, rec{k: 2, v: "b"}, rec{k: 2, v: "b"}, rec{k: 3, v: "c"})

		take(t, late, rec{k: 1, v: "a"})
		if _, err := late.Commit(t.Context()); !errors.Is(err, storage.ErrWriteConflict) {
			t.Fatalf("the row was changed meanwhile: %v", err)
		}
		w = begin()
		take(t, w, rec{k: 2, v: "b"}, rec{k: 2, v: "b"}, rec{k: 3, v: "c"}, rec{k: 1, v: "A"})
		if _, err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}))
	}
}
