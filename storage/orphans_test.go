package storage_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage"
)

// orphanNote is what a check says of files that nothing names; other problems fail.
func orphanNote(t *testing.T, tb *storage.Table) string {
	t.Helper()
	note := ""
	for p, err := range storage.CheckTable(t.Context(), tb.Env(), tb.Dir()) {
		switch {
		case err != nil:
			t.Fatal(err)
		case strings.Contains(p.What, "named by no snapshot"):
			note = p.What
		case !p.Note:
			t.Errorf("%s: %s", p.Path, p.What)
		}
	}
	return note
}

// many are rows that outgrow the memory of a write.
func many(from, n int) []rec {
	rows := make([]rec, n)
	for i := range rows {
		rows[i] = rec{k: int32(from + i), v: strings.Repeat(fmt.Sprint("text ", from+i, " "), 30)}
	}
	return rows
}

// Files of a running write stay, whatever age is asked for; those of one that was
// given up without a trace go.
func TestOrphansOfWrites(t *testing.T) {
	tb, err := storage.Create(t.Context(), newEnv(t), "/wh/default.db/t", kv(map[string]string{"bucket": "1", "write-buffer-size": "1mb"}))
	if err != nil {
		t.Fatal(err)
	}
	put(t, tb, rec{k: 1, v: "a"})
	write := func(from int) (*storage.View, *storage.Write) {
		v, err := tb.View(t.Context(), storage.ViewOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w := v.Write(storage.WriteOptions{})
		for i := range 4 {
			if err := add(t.Context(), w, many(from+i*5000, 5000)...); err != nil {
				t.Fatal(err)
			}
		}
		return v, w
	}
	clean := func(want bool) {
		t.Helper()
		n, err := tb.RemoveOrphans(t.Context(), storage.OrphanOptions{OlderThan: time.Now().Add(time.Hour)})
		if err != nil || (n.Files > 0) != want {
			t.Fatalf("%+v, %v, want some: %v", n, err, want)
		}
	}
	v, w := write(1000)
	if orphanNote(t, tb) == "" {
		t.Fatal("the write holds its rows in memory")
	}
	clean(false)
	if _, err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	v.Close()
	if got := len(get(t, tb, storage.ViewOptions{}, storage.ScanOptions{})); got != 20_001 {
		t.Errorf("%d rows", got)
	}
	if note := orphanNote(t, tb); note != "" {
		t.Error(note)
	}

	v, _ = write(100_000) // neither committed nor aborted, as by a crash
	clean(false)
	v.Close()
	clean(true)
	if note := orphanNote(t, tb); note != "" {
		t.Error(note)
	}
	if got := len(get(t, tb, storage.ViewOptions{}, storage.ScanOptions{})); got != 20_001 {
		t.Errorf("%d rows", got)
	}
}

// Tables of every kind keep what they need: hash indexes of dynamic buckets,
// compacted files, files of a tag whose snapshot has expired.
func TestOrphansOfLayouts(t *testing.T) {
	for _, options := range []map[string]string{{"bucket": "-1"}, {"bucket": "3"}, {"bucket": "-1", "file.format": "avro"}} {
		tb, err := storage.Create(t.Context(), newEnv(t), "/wh/default.db/t", kv(options))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 12 {
			put(t, tb, rec{k: int32(i % 5), v: fmt.Sprint(i)}, rec{k: int32(100 + i), v: "x"})
			if i == 2 {
				if err := tb.CreateTag(t.Context(), "early", 0, 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := tb.Compact(t.Context(), storage.CompactOptions{Full: true}); err != nil {
			t.Fatal(err)
		}
		o, err := tb.Retention(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		o.RetainMin, o.RetainMax = 1, 1
		if _, err := tb.ExpireSnapshots(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		n, err := tb.RemoveOrphans(t.Context(), storage.OrphanOptions{OlderThan: time.Now().Add(time.Hour)})
		if err != nil || n.Files > 0 {
			t.Fatalf("%v: %+v, %v", options, n, err)
		}
		put(t, tb, rec{k: 0, v: "again"}, rec{k: 100, v: "again"})
		if got := len(get(t, tb, storage.ViewOptions{}, storage.ScanOptions{})); got != 17 {
			t.Errorf("%v: %d rows", options, got)
		}
		tag := storage.ViewOptions{Dynamic: map[string]string{"scan.tag-name": "early"}}
		if got := len(get(t, tb, tag, storage.ScanOptions{})); got != 6 {
			t.Errorf("%v: the tag has %d rows", options, got)
		}
		if note := orphanNote(t, tb); note != "" {
			t.Error(options, note)
		}
	}
}

// Orphan files are removed again and again, whatever their age, while others write,
// compact and expire: nothing that is needed goes.
func TestOrphansBesideWriters(t *testing.T) {
	const writers, rounds = 3, 15
	tb, err := storage.Create(t.Context(), newEnv(t), "/wh/default.db/t", kv(map[string]string{"bucket": "2", "snapshot.num-retained.min": "1", "snapshot.num-retained.max": "3"}))
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var beside, wg sync.WaitGroup
	again := func(do func() error) {
		beside.Add(1)
		go func() {
			defer beside.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := do(); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	again(func() error {
		_, err := tb.RemoveOrphans(t.Context(), storage.OrphanOptions{OlderThan: time.Now().Add(time.Hour)})
		return err
	})
	again(func() error {
		_, err := tb.Compact(t.Context(), storage.CompactOptions{Full: true})
		return err
	})
	for w := range writers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range rounds {
				if err := tryPut(t.Context(), tb, storage.WriteOptions{}, rec{k: int32(i*writers + w), v: "x"}); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	close(stop)
	beside.Wait()
	if got := len(get(t, tb, storage.ViewOptions{}, storage.ScanOptions{})); got != writers*rounds {
		t.Errorf("%d rows, want %d", got, writers*rounds)
	}
	if _, err := tb.RemoveOrphans(t.Context(), storage.OrphanOptions{OlderThan: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	orphanNote(t, tb)
}
