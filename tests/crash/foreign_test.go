package crash

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/tests/harness"
)

// replace does what a writer of another engine can do on a local disk: it planned
// its commit on the store as theirs began, and its rename puts its snapshot over ours.
func replace(t *testing.T, ours, theirs *mem.Store) {
	t.Helper()
	have := ours.Paths()
	for _, p := range theirs.Paths() {
		isSnapshot := strings.Contains(p, "/snapshot/snapshot-")
		if slices.Contains(have, p) && !isSnapshot {
			continue
		}
		data, err := fileio.ReadFile(t.Context(), theirs, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := ours.Replace(t.Context(), p, data); err != nil {
			t.Fatal(err)
		}
	}
}

func write(ctx context.Context, tb *storage.Table, writer, n int) error {
	_, err := harness.Write(ctx, tb, storage.WriteOptions{}, rowsOf(writer, n), nil)
	return err
}

// TestReplacedSnapshotIsCommittedAnew forces the interleaving: both writers begin
// from snapshot 1, ours publishes snapshot 2, the other one renames its own over it.
func TestReplacedSnapshotIsCommittedAnew(t *testing.T) {
	for name, options := range tables() {
		for _, next := range []string{"read", "write", "compact"} {
			t.Run(name+"/"+next, func(t *testing.T) {
				ctx := t.Context()
				store := mem.New(time.Now)
				env := storage.NewEnv(storage.Config{Store: store})
				defer env.Close()
				tb, err := storage.Create(ctx, env, tableDir("/wh"), definition(options))
				if err != nil {
					t.Fatal(err)
				}
				if err := write(ctx, tb, 0, 0); err != nil {
					t.Fatal(err)
				}
				theirs := store.Clone()
				if err := write(ctx, tb, 0, 1); err != nil {
					t.Fatal(err)
				}
				other := storage.NewEnv(storage.Config{Store: theirs})
				defer other.Close()
				theirTable, err := storage.Open(ctx, other, tableDir("/wh"))
				if err != nil {
					t.Fatal(err)
				}
				if err := write(ctx, theirTable, 1, 0); err != nil {
					t.Fatal(err)
				}
				replace(t, store, theirs)
				want := [writers]int{2, 1}
				switch next {
				case "write":
					if err := write(ctx, tb, 0, 2); err != nil {
						t.Fatal(err)
					}
					want[0] = 3
				case "compact":
					if _, err := tb.Compact(ctx, storage.CompactOptions{Full: true}); err != nil {
						t.Fatal(err)
					}
				}
				keyed := options["append"] == ""
				var all []harness.Row
				for w, n := range want {
					for i := range n {
						rows := rowsOf(w, i)
						if keyed && i < n-1 {
							rows = rows[1:]
						}
						all = append(all, rows...)
					}
				}
				f, got, err := harness.Read(ctx, tb, storage.ViewOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if d := harness.Differ(harness.Texts(f, got), harness.Texts(f, all)); d != "" {
					t.Error(d)
				}
				faults, _, err := harness.Check(ctx, env, tableDir("/wh"))
				if err != nil || len(faults) > 0 {
					t.Errorf("check: %v %v", faults, err)
				}
			})
		}
	}
}
