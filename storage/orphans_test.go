package storage_test

import (
	"fmt"
	"strings"
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
