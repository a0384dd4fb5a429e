package storage_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
)

// A table is rescaled again and again while others write to it: no row is lost or
// twice, whoever wins.
func TestRescaleLosesNothing(t *testing.T) {
	const writers, rounds = 3, 12
	for _, keyed := range []bool{true, false} {
		def := kv(map[string]string{"bucket": "2"})
		if !keyed {
			def.PrimaryKeys = nil
			def.Options["bucket-key"] = "k"
		}
		tb, err := storage.Create(t.Context(), newEnv(t), "/wh/default.db/t", def)
		if err != nil {
			t.Fatal(err)
		}
		put(t, tb, rec{k: -1, v: "first"})
		var wg sync.WaitGroup
		for w := range writers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range rounds {
					for {
						err := tryPut(t.Context(), tb, storage.WriteOptions{}, rec{k: int32(i*writers + w), v: "x"})
						if err == nil {
							break
						}
						if !errors.Is(err, commit.ErrBuckets) { // between the files and the option
							t.Error(err)
							return
						}
					}
				}
			}()
		}
		for i := range 6 {
			n := 1 + (i+2)%4
			if _, err := tb.Rescale(t.Context(), storage.RescaleOptions{Buckets: n}); err != nil && !errors.Is(err, storage.ErrWriteConflict) {
				t.Fatal(err)
			}
		}
		wg.Wait()
		if _, err := tb.Rescale(t.Context(), storage.RescaleOptions{Buckets: 5}); err != nil {
			t.Fatal(err)
		}
		got := get(t, tb, storage.ViewOptions{}, storage.ScanOptions{})
		if len(got) != writers*rounds+1 {
			t.Errorf("keyed %v: %d rows, want %d", keyed, len(got), writers*rounds+1)
		}
		for i, r := range got {
			if int(r.k) != i-1 {
				t.Fatalf("keyed %v: row %d has key %d", keyed, i, r.k)
			}
		}
		v, err := tb.View(t.Context(), storage.ViewOptions{})
		if err != nil {
			t.Fatal(err)
		}
		files, err := v.Files(t.Context())
		v.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if f.TotalBuckets != 5 {
				t.Errorf("%s is of %d buckets", f.Path, f.TotalBuckets)
			}
		}
		if s, err := tb.Schema(t.Context()); err != nil || fmt.Sprint(s.Options["bucket"]) != "5" {
			t.Errorf("option bucket is %v, %v", s.Options["bucket"], err)
		}
		orphanNote(t, tb)
	}
}
