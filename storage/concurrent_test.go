package storage_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/types"
)

// Sessions of two servers increment counters at the same time, reading before they
// write; inside a server no increment may be lost. A third one compacts.
func TestNoUpdateIsLost(t *testing.T) {
	const sessions, rounds, keys = 8, 15, 3
	for _, options := range []map[string]string{{"bucket": "2"}, {"bucket": "-1"}} {
		store := mem.New(time.Now)
		env := storage.NewEnv(storage.Config{Store: store})
		defer env.Close()
		tb, err := storage.Create(t.Context(), env, "/wh/default.db/t", kv(options))
		if err != nil {
			t.Fatal(err)
		}
		for k := range int32(keys) {
			put(t, tb, rec{k: k, v: "0"})
		}
		var wg sync.WaitGroup
		for s := range sessions {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range rounds {
					increment(t, tb, int32((s+i)%keys))
				}
			}()
		}
		stop := make(chan struct{})
		compacted := make(chan error, 1)
		go func() {
			for {
				select {
				case <-stop:
					compacted <- nil
					return
				default:
				}
				if _, err := tb.Compact(t.Context(), storage.CompactOptions{Full: true}); err != nil {
					compacted <- err
					return
				}
			}
		}()
		wg.Wait()
		close(stop)
		if err := <-compacted; err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, r := range get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}) {
			n, err := strconv.Atoi(r.v)
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
		if sum != sessions*rounds {
			t.Errorf("%v: counted %d, want %d", options, sum, sessions*rounds)
		}
	}
}

// increment adds one to a counter, and tries again while it loses.
func increment(t *testing.T, tb *storage.Table, k int32) {
	for {
		v, err := tb.View(t.Context(), storage.ViewOptions{})
		if err != nil {
			t.Error(err)
			return
		}
		f := predicate.Eq(0, types.Of(types.Int), columnar.IntValue(int64(k)))
		var n int
		for _, r := range read(t, v, storage.ScanOptions{Filter: f}) {
			if r.k == k {
				n, _ = strconv.Atoi(r.v)
			}
		}
		w := v.Write(storage.WriteOptions{ReadModify: true})
		err = add(t.Context(), w, rec{k: k, v: strconv.Itoa(n + 1)})
		if err == nil {
			_, err = w.Commit(t.Context())
		}
		v.Close()
		if err == nil {
			return
		}
		if !errors.Is(err, storage.ErrWriteConflict) {
			t.Error(err)
			return
		}
	}
}
