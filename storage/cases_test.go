package storage_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio/fault"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/expire"
)

// C025: a read of a snapshot that another process expires gives all of its rows, or
// says that it has expired; never that a file is missing.
func TestReadWhileSnapshotsExpire(t *testing.T) {
	const commits, reads = 30, 100
	store := mem.New(time.Now)
	env, other := storage.NewEnv(storage.Config{Store: store}), storage.NewEnv(storage.Config{Store: store})
	defer env.Close()
	defer other.Close()
	tb, err := storage.Create(t.Context(), env, "/wh/default.db/t", kv(map[string]string{"bucket": "1", "write-only": "true"}))
	if err != nil {
		t.Fatal(err)
	}
	for i := range int32(commits) {
		var rows []rec
		for k := range int32(10) {
			rows = append(rows, rec{k: i*10 + k, v: "v"})
		}
		put(t, tb, rows...)
	}
	theirs, err := storage.Open(t.Context(), other, "/wh/default.db/t")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for keep := commits - 1; keep > 0; keep-- { // one snapshot after the other goes
			o := expire.Options{RetainMin: keep, RetainMax: keep, OlderThanMillis: time.Now().UnixMilli()}
			if _, err := theirs.ExpireSnapshots(t.Context(), o); err != nil {
				t.Error(err)
				return
			}
		}
	})
	read := func(id int) (int, error) {
		v, err := tb.View(t.Context(), storage.ViewOptions{Dynamic: map[string]string{"scan.snapshot-id": fmt.Sprint(id)}})
		if err != nil {
			return 0, err
		}
		defer v.Close()
		s, err := v.Scan(t.Context(), storage.ScanOptions{Columns: []int{0}})
		if err != nil {
			return 0, err
		}
		n := 0
		r := s.Reader()
		defer r.Close()
		for {
			b, err := r.Next(t.Context())
			if errors.Is(err, io.EOF) {
				return n, nil
			}
			if err != nil {
				return n, err
			}
			n += b.Rows()
		}
	}
	for i := range reads {
		id := 1 + i*commits/reads
		n, err := read(id)
		switch {
		case err != nil && !errors.Is(err, snapshot.ErrExpired) && !errors.Is(err, storage.ErrNoVersion):
			t.Errorf("snapshot %d: %v", id, err)
		case err != nil && strings.Contains(err.Error(), ".parquet"):
			t.Errorf("snapshot %d: the error names a file that is no fault: %v", id, err)
		case err == nil && n != 10*id:
			t.Errorf("snapshot %d has %d rows, want %d", id, n, 10*id)
		}
	}
	wg.Wait()
}

// C034: the snapshot is written, but the writer is told that it is not: it finds its
// own snapshot, and neither writes the rows twice nor deletes what they lie in.
func TestAcknowledgementIsLost(t *testing.T) {
	store := fault.Wrap(mem.New(time.Now))
	env := storage.NewEnv(storage.Config{Store: store})
	defer env.Close()
	tb, err := storage.Create(t.Context(), env, "/wh/default.db/t", kv(map[string]string{"bucket": "1", "write-only": "true"}))
	if err != nil {
		t.Fatal(err)
	}
	put(t, tb, rec{k: 1, v: "a"})
	lost := 0
	store.SetRule(func(o fault.Op) fault.Outcome {
		if o.Kind == fault.CreateIfAbsent && strings.HasSuffix(o.Path, "snapshot-2") && lost == 0 {
			lost++
			return fault.Outcome{After: fault.ErrInjected}
		}
		return fault.Outcome{}
	})
	put(t, tb, rec{k: 2, v: "b"})
	if lost != 1 {
		t.Fatal("no acknowledgement was lost")
	}
	same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}), rec{k: 1, v: "a"}, rec{k: 2, v: "b"})
	all, err := tb.Snapshots(t.Context())
	if err != nil || len(all) != 2 {
		t.Errorf("%d snapshots, %v, want 2", len(all), err)
	}
	fresh := storage.NewEnv(storage.Config{Store: store})
	defer fresh.Close()
	again, err := storage.Open(t.Context(), fresh, "/wh/default.db/t")
	if err != nil {
		t.Fatal(err)
	}
	same(t, get(t, again, storage.ViewOptions{}, storage.ScanOptions{}), rec{k: 1, v: "a"}, rec{k: 2, v: "b"})
}

// C035: two processes compact one bucket at once, while a third writes to it.
func TestTwoCompactAtOnce(t *testing.T) {
	store := mem.New(time.Now)
	var tables []*storage.Table
	for i := range 3 {
		env := storage.NewEnv(storage.Config{Store: store})
		defer env.Close()
		open := func() (*storage.Table, error) { return storage.Open(t.Context(), env, "/wh/default.db/t") }
		if i == 0 {
			open = func() (*storage.Table, error) {
				return storage.Create(t.Context(), env, "/wh/default.db/t", kv(map[string]string{"bucket": "1", "write-only": "true"}))
			}
		}
		tb, err := open()
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, tb)
	}
	write := func(tb *storage.Table, round int) error {
		var rows []rec
		for k := range int32(100) {
			rows = append(rows, rec{k: k, v: fmt.Sprint(round)})
		}
		return tryPut(t.Context(), tb, storage.WriteOptions{}, rows...)
	}
	for i := range 20 {
		if err := write(tables[0], i); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for _, tb := range tables[:2] {
		wg.Go(func() {
			for range 3 {
				if _, err := tb.Compact(t.Context(), storage.CompactOptions{Full: true}); err != nil && !strings.Contains(err.Error(), "conflict") {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() {
		for i := range 5 {
			if err := write(tables[2], 20+i); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	got := get(t, tables[0], storage.ViewOptions{}, storage.ScanOptions{})
	if len(got) != 100 {
		t.Errorf("%d rows, want 100", len(got))
	}
	for _, r := range got {
		if r.v != "24" {
			t.Errorf("key %d has version %s, want the last", r.k, r.v)
		}
	}
	levels := map[int]int{}
	files, err := begin(t, tables[0], storage.WriteOptions{}).View().Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if levels[f.Meta.Level]++; f.Meta.Level > 0 && levels[f.Meta.Level] > 1 {
			t.Errorf("two files of all keys at level %d", f.Meta.Level)
		}
	}
}

// C053: the first rows of many unmerged files cost a part of each file, not the whole.
func TestFirstRowsOfManyFiles(t *testing.T) {
	const commits, rows = 12, 50_000
	env := newEnv(t)
	tb, err := storage.Create(t.Context(), env, "/wh/default.db/t", kv(map[string]string{"bucket": "1", "write-only": "true"}))
	if err != nil {
		t.Fatal(err)
	}
	pad := strings.Repeat("x", 200)
	for i := range commits {
		list := make([]rec, rows)
		for k := range list {
			list[k] = rec{k: int32(k*commits + i), v: fmt.Sprintf("%s%d", pad, k*i)}
		}
		put(t, tb, list...)
	}
	live := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := live()
	v, err := tb.View(t.Context(), storage.ViewOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	s, err := v.Scan(t.Context(), storage.ScanOptions{Columns: []int{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	r := s.Reader()
	defer r.Close()
	b, err := r.Next(t.Context())
	if err != nil || b.Rows() < 10 {
		t.Fatalf("%v", err)
	}
	if grown, all := live()-before, int64(commits*rows*len(pad)); grown > all/3 {
		t.Errorf("%d MB are held for the first rows of %d MB", grown>>20, all>>20)
	}
	runtime.KeepAlive(r)
}
