package storage_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio/fault"
	"github.com/lakesql/lakesql/storage/fileio/mem"
)

// TestSnapshotsExpireAfterCommits: what the options of the table let go goes in the
// background, once a commit has been published; a tag and its rows stay. A table that is
// write-only keeps all.
func TestSnapshotsExpireAfterCommits(t *testing.T) {
	for _, writeOnly := range []string{"false", "true"} {
		var millis atomic.Int64
		now := func() time.Time { return time.UnixMilli(1_700_000_000_000 + millis.Add(1000)) }
		store := fault.Wrap(mem.New(now))
		expired := make(chan struct{}, 100)
		store.SetRule(func(op fault.Op) fault.Outcome {
			if op.Kind == fault.Replace && strings.HasSuffix(op.Path, "/EARLIEST") { // its last step
				expired <- struct{}{}
			}
			return fault.Outcome{}
		})
		env := storage.NewEnv(storage.Config{Store: store, Now: now})
		defer env.Close()
		tb, err := storage.Create(t.Context(), env, "/wh/default.db/t", kv(map[string]string{
			"bucket": "1", "snapshot.num-retained.min": "1", "snapshot.num-retained.max": "2", "snapshot.time-retained": "1 h", "write-only": writeOnly,
		}))
		if err != nil {
			t.Fatal(err)
		}
		count := func() int {
			all, err := tb.Snapshots(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return len(all)
		}
		put(t, tb, rec{k: 1, v: "first"})
		if err := tb.CreateTag(t.Context(), "first", 0, 0); err != nil {
			t.Fatal(err)
		}
		for i := range int32(5) {
			put(t, tb, rec{k: 1, v: string('a' + i)}, rec{k: 2, v: "x"})
		}
		if writeOnly == "true" {
			if n := count(); n != 6 {
				t.Errorf("a write-only table has %d snapshots", n)
			}
			continue
		}
		for count() > 2 {
			select {
			case <-expired:
			case <-t.Context().Done():
				t.Fatal("nothing expires")
			}
		}
		same(t, get(t, tb, storage.ViewOptions{}, storage.ScanOptions{}), rec{k: 1, v: "e"}, rec{k: 2, v: "x"})
		same(t, get(t, tb, storage.ViewOptions{AsOf: storage.AsOf{Version: "first"}}, storage.ScanOptions{}), rec{k: 1, v: "first"})
	}
}
