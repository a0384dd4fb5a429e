package storage_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/snapshot/expire"
)

func newAppend(t *testing.T, env *storage.Env, options map[string]string) *storage.Table {
	t.Helper()
	def := kv(options)
	def.PrimaryKeys = nil
	tb, err := storage.Create(t.Context(), env, "/wh/default.db/t", def)
	if err != nil {
		t.Fatal(err)
	}
	return tb
}

func begin(t *testing.T, tb *storage.Table, o storage.WriteOptions) *storage.Write {
	t.Helper()
	v, err := tb.View(t.Context(), storage.ViewOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.Close)
	return v.Write(o)
}

func dataFiles(t *testing.T, env *storage.Env) int {
	t.Helper()
	list, err := env.Store.List(t.Context(), "/wh/default.db/t/bucket-0")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// A write of an append table reads what it would leave, whatever it took and added,
// and goes back to any mark. What it gives up leaves no file.
func TestWriteSeesWhatItTakes(t *testing.T) {
	env := newEnv(t)
	tb := newAppend(t, env, nil)
	put(t, tb, rec{k: 1, v: "a"}, rec{k: 2, v: "b"}, rec{k: 2, v: "b"})
	put(t, tb, rec{k: 3, v: "c"})
	before := dataFiles(t, env)
	w := begin(t, tb, storage.WriteOptions{})
	sees := func(want ...rec) {
		t.Helper()
		same(t, read(t, w.View(), storage.ScanOptions{Pending: w}), want...)
	}
	sees(rec{k: 1, v: "a"}, rec{k: 2, v: "b"}, rec{k: 2, v: "b"}, rec{k: 3, v: "c"})
	take(t, w, rec{k: 2, v: "b"})
	sees(rec{k: 1, v: "a"}, rec{k: 2, v: "b"}, rec{k: 3, v: "c"})
	mark := w.Mark()
	if err := add(t.Context(), w, rec{k: 4, v: "d"}, rec{k: 5, v: "e"}); err != nil {
		t.Fatal(err)
	}
	sees(rec{k: 1, v: "a"}, rec{k: 2, v: "b"}, rec{k: 3, v: "c"}, rec{k: 4, v: "d"}, rec{k: 5, v: "e"})
	take(t, w, rec{k: 4, v: "d"}, rec{k: 3, v: "c"}) // one of its own rows, one of the table's
	sees(rec{k: 1, v: "a"}, rec{k: 2, v: "b"}, rec{k: 5, v: "e"})
	w.Rewind(mark)
	sees(rec{k: 1, v: "a"}, rec{k: 2, v: "b"}, rec{k: 3, v: "c"})
	if !w.Changes() {
		t.Error("a row is taken")
	}
	w.Abort()
	if w.Changes() {
		t.Error("everything was taken back")
	}
	if n := dataFiles(t, env); n != before {
		t.Errorf("%d data files, %d before the write", n, before)
	}
	// What is not in the table, and not added, cannot be taken.
	w = begin(t, tb, storage.WriteOptions{})
	take(t, w, rec{k: 9, v: "z"})
	if _, err := w.Commit(t.Context()); err == nil || errors.Is(err, storage.ErrWriteConflict) {
		t.Errorf("a row that is nowhere was taken: %v", err)
	}
	if n := dataFiles(t, env); n != before {
		t.Errorf("%d data files, %d before the write", n, before)
	}
}

// Rows that have spilled are taken out of the files that they lie in; a mark behind
// them keeps them.
func TestTakeRowsThatHaveSpilled(t *testing.T) {
	env := newEnv(t)
	tb := newAppend(t, env, map[string]string{"write-buffer-size": "1 mb"})
	put(t, tb, rec{k: -1, v: "old"})
	w := begin(t, tb, storage.WriteOptions{})
	var want []rec
	for k := range int32(30_000) {
		want = append(want, rec{k: k, v: fmt.Sprintf("some text that takes room %d", k)})
	}
	for part := range slices.Chunk(want, 3000) {
		if err := add(t.Context(), w, part...); err != nil {
			t.Fatal(err)
		}
	}
	if dataFiles(t, env) < 2 {
		t.Fatal("the rows have not spilled")
	}
	mark := w.Mark()
	if err := add(t.Context(), w, rec{k: 99_999, v: "more"}); err != nil {
		t.Fatal(err)
	}
	take(t, w, want[5], want[29_999], rec{k: -1, v: "old"})
	w.Rewind(mark)
	take(t, w, want[7], rec{k: -1, v: "old"})
	left := slices.Delete(slices.Clone(want), 7, 8)
	same(t, read(t, w.View(), storage.ScanOptions{Pending: w}), left...)
	if _, err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}), left...)
	// Only the files of the spill that were not rewritten, and the table's own, are left.
	files, err := begin(t, tb, storage.WriteOptions{}).View().Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := dataFiles(t, env); n != len(files)+1 {
		t.Errorf("%d data files for %d live ones and one of an older snapshot", n, len(files))
	}
}

// What a transaction has written, and may take back, counts against the memory of
// all; a statement of its own goes to files instead.
func TestWriteOutgrowsMemory(t *testing.T) {
	env := storage.NewEnv(storage.Config{Store: mem.New(time.Now), MemoryBytes: 4 << 20})
	defer env.Close()
	tb := newAppend(t, env, nil)
	fill := func(w *storage.Write) error {
		for i := range int32(100) {
			var part []rec
			for k := range int32(1000) {
				part = append(part, rec{k: i*1000 + k, v: "some text that takes room, and some more of it"})
			}
			if err := add(t.Context(), w, part...); err != nil {
				return err
			}
		}
		return nil
	}
	w := begin(t, tb, storage.WriteOptions{})
	if err := add(t.Context(), w, rec{k: -1, v: "first"}); err != nil {
		t.Fatal(err)
	}
	mark := w.Mark()
	var limit *membudget.LimitError
	if err := fill(w); !errors.As(err, &limit) {
		t.Fatalf("a transaction of 5 MB in 4 MiB: %v", err)
	}
	w.Rewind(mark)
	if _, err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}), rec{k: -1, v: "first"})
	if n := env.Budget().Used(); n > 1<<20 {
		t.Errorf("%d bytes are held", n)
	}
	w = begin(t, tb, storage.WriteOptions{})
	if err := fill(w); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(get(t, tb, storage.ViewOptions{}, storage.ScanOptions{})); n != 100_001 {
		t.Errorf("%d rows", n)
	}
}

// A rewrite that lost its turn is not overtaken by other rewrites; rows that are
// only appended pass.
func TestRewriteThatLostHoldsItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env := storage.NewEnv(storage.Config{Store: mem.New(time.Now)})
		defer env.Close()
		tb := newAppend(t, env, nil)
		put(t, tb, rec{k: 1, v: "a"}, rec{k: 2, v: "b"})
		turn := tb.NewTurn()
		defer turn.End()
		w, rival := begin(t, tb, storage.WriteOptions{Turn: turn}), begin(t, tb, storage.WriteOptions{})
		take(t, w, rec{k: 1, v: "a"})
		take(t, rival, rec{k: 2, v: "b"})
		if _, err := rival.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(t.Context()); !errors.Is(err, storage.ErrWriteConflict) {
			t.Fatalf("the file was rewritten meanwhile: %v", err)
		}
		if err := turn.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		w, rival = begin(t, tb, storage.WriteOptions{Turn: turn}), begin(t, tb, storage.WriteOptions{})
		take(t, w, rec{k: 1, v: "a"})
		take(t, rival, rec{k: 1, v: "a"})
		lost := make(chan error, 1)
		go func() {
			_, err := rival.Commit(t.Context())
			lost <- err
		}()
		synctest.Wait()
		put(t, tb, rec{k: 3, v: "c"})
		if _, err := w.Commit(t.Context()); err != nil {
			t.Fatalf("the statement was overtaken: %v", err)
		}
		turn.End()
		if err := <-lost; !errors.Is(err, storage.ErrWriteConflict) {
			t.Errorf("the rival took a row that was gone: %v", err)
		}
		same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}), rec{k: 3, v: "c"})
	})
}

// Compaction takes the files of a write's base away, expiry removes them: the write
// loses, also where the process has no record of what happened since.
func TestTakeOverACompactedBase(t *testing.T) {
	env := newEnv(t)
	tb := newAppend(t, env, nil)
	put(t, tb, rec{k: 1, v: "a"})
	w, late := begin(t, tb, storage.WriteOptions{}), begin(t, tb, storage.WriteOptions{})
	take(t, w, rec{k: 1, v: "a"})
	take(t, late, rec{k: 1, v: "a"})
	put(t, tb, rec{k: 2, v: "b"})
	other := storage.NewEnv(storage.Config{Store: env.Store}) // as another process
	defer other.Close()
	same2, err := storage.Open(t.Context(), other, "/wh/default.db/t")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := same2.Compact(t.Context(), storage.CompactOptions{Full: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context()); !errors.Is(err, storage.ErrWriteConflict) {
		t.Fatalf("the file of the row was compacted: %v", err)
	}
	n, err := same2.ExpireSnapshots(t.Context(), expire.Options{RetainMin: 1, RetainMax: 1, OlderThanMillis: time.Now().UnixMilli()})
	if err != nil || n == 0 {
		t.Fatalf("%d snapshots expired, %v", n, err)
	}
	if _, err := late.Commit(t.Context()); !errors.Is(err, storage.ErrWriteConflict) {
		t.Fatalf("the file of the row is gone: %v", err)
	}
	same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}), rec{k: 1, v: "a"}, rec{k: 2, v: "b"})
}
