package faults

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/fault"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/tests/harness"
)

// takesSpace reports whether an operation fails on a full disk. A file can be removed
// from it, and what is there can be synced.
func takesSpace(k fault.Kind) bool {
	switch k {
	case fault.Create, fault.Write, fault.Finish, fault.CreateIfAbsent, fault.Replace:
		return true
	}
	return false
}

// fullFrom is a disk that is full from the n-th operation on that takes space.
func fullFrom(n int) fault.Rule {
	var seen atomic.Int64
	return func(op fault.Op) fault.Outcome {
		if !takesSpace(op.Kind) || seen.Add(1) < int64(n) {
			return fault.Outcome{}
		}
		return fault.Outcome{Before: fmt.Errorf("%s %s: %w", op.Kind, op.Path, fileio.ErrNoSpace)}
	}
}

// TestFullDisk fills the disk before each operation of every verb in turn. The verb
// says so and names a file; the table reads as before, also by the handle that met
// the full disk; once there is space again the same handle does the verb.
func TestFullDisk(t *testing.T) {
	for name, keyed := range map[string]bool{"keyed": true, "append": false} {
		base := history(t, keyed, map[string]string{"bucket": "-1"})
		before := content(t, base)
		for _, v := range verbs() {
			if v.name == "read" || v.name == "delete tag" {
				continue // they take no space
			}
			good := base.Clone()
			if err := run(t.Context(), good, v, nil); err != nil {
				t.Fatalf("%s: %v", v.name, err)
			}
			after := content(t, good)
			t.Run(name+"/"+v.name, func(t *testing.T) {
				refused := 0
				for n := 1; n < most && !t.Failed(); n++ {
					if !full(t, base.Clone(), v, n, before, after, &refused) {
						break
					}
				}
				// Expiry makes space: it must get by without.
				if expires := v.name == "expire"; (refused == 0) != expires {
					t.Errorf("the verb was refused %d times", refused)
				}
			})
		}
	}
}

// full does a verb while the disk fills up. It reports whether an operation failed.
func full(t *testing.T, store *mem.Store, v verb, n int, before, after string, refused *int) (hit bool) {
	t.Helper()
	f := fault.Wrap(store)
	env := open(f)
	defer env.Close()
	tb, err := storage.Open(t.Context(), env, dir)
	if err != nil {
		t.Fatal(err)
	}
	rule := fullFrom(n)
	f.SetRule(func(op fault.Op) fault.Outcome {
		out := rule(op)
		hit = hit || out.Before != nil
		return out
	})
	err = v.do(t.Context(), tb)
	if !hit {
		return false
	}
	if err != nil {
		*refused++
		if !errors.Is(err, fileio.ErrNoSpace) || !strings.Contains(err.Error(), dir+"/") {
			t.Errorf("full before operation %d: %v", n, err)
		}
	}
	fields, rows, readErr := harness.Read(t.Context(), tb, storage.ViewOptions{})
	if readErr != nil {
		t.Fatalf("full before operation %d, read: %v", n, readErr)
	}
	got := content(t, store)
	if !strings.HasSuffix(got, strings.Join(harness.Texts(fields, rows), "\n")) {
		t.Errorf("full before operation %d: the handle reads other rows than a new one", n)
	}
	if got != before && (err != nil && !v.loose || got != after) {
		t.Errorf("full before operation %d, %v: the table holds\n%s", n, err, got)
	}
	f.SetRule(nil)
	if err == nil {
		return true
	}
	if err := v.do(t.Context(), tb); err != nil {
		t.Fatalf("full before operation %d, done again with space: %v", n, err)
	}
	if got := content(t, store); got != after {
		t.Errorf("full before operation %d, done again with space the table holds\n%s", n, got)
	}
	return true
}

// TestReadOnlyWarehouse does every verb on a store that takes no change: reads work,
// all else is an error that says so and names a file, and nothing is changed.
func TestReadOnlyWarehouse(t *testing.T) {
	for name, keyed := range map[string]bool{"keyed": true, "append": false} {
		base := history(t, keyed, map[string]string{"bucket": "-1"})
		before := content(t, base)
		paths := fmt.Sprint(base.Paths())
		for _, v := range verbs() {
			t.Run(name+"/"+v.name, func(t *testing.T) {
				store := base.Clone()
				f := fault.Wrap(store)
				env := open(f)
				defer env.Close()
				f.SetRule(func(op fault.Op) fault.Outcome {
					if op.Changes() && op.Kind != fault.Sync {
						return fault.Outcome{Before: fmt.Errorf("%s %s: %w", op.Kind, op.Path, fileio.ErrReadOnly)}
					}
					return fault.Outcome{}
				})
				tb, err := storage.Open(t.Context(), env, dir)
				if err != nil {
					t.Fatal(err)
				}
				err = v.do(t.Context(), tb)
				switch {
				case v.name == "read":
					if err != nil {
						t.Errorf("read: %v", err)
					}
				case !errors.Is(err, fileio.ErrReadOnly) || !strings.Contains(err.Error(), dir+"/"):
					t.Errorf("the verb says: %v", err)
				}
				if fmt.Sprint(store.Paths()) != paths {
					t.Errorf("files were changed: %v", store.Paths())
				}
				if got := content(t, store); got != before {
					t.Errorf("the table holds\n%s", got)
				}
			})
		}
	}
}
