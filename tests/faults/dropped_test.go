package faults

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio/fault"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/types"
	"github.com/lakesql/lakesql/tests/harness"
)

// second makes the table that takes the place of a dropped one, with so many commits.
// Its columns have the same types, another name and no partitions.
func second(ctx context.Context, store *mem.Store, written int) error {
	env := open(store)
	defer env.Close()
	def := definition(true, map[string]string{"bucket": "1"})
	def.PartitionKeys, def.Fields[2].Name = nil, "w"
	tb, err := storage.Create(ctx, env, dir, def)
	for i := 0; i < written && err == nil; i++ {
		err = put(ctx, tb, storage.WriteOptions{}, rows(50, 2, "second"), types.Insert)
	}
	return err
}

// readSecond reads the table in a store and checks it.
func readSecond(t *testing.T, store *mem.Store) (string, error) {
	t.Helper()
	env := open(store)
	defer env.Close()
	tb, err := storage.Open(t.Context(), env, dir)
	if err != nil {
		return "", err
	}
	fields, rows, err := harness.Read(t.Context(), tb, storage.ViewOptions{})
	if err != nil {
		return "", err
	}
	faults, _, err := harness.Check(t.Context(), env, dir)
	if len(faults) > 0 {
		err = errors.Join(err, fmt.Errorf("check: %v", faults))
	}
	return strings.Join(harness.Texts(fields, rows), "\n"), err
}

// TestDroppedInTheMiddle has another process drop the table before each operation of
// every verb in turn, and in some runs make another one in its place. The verb ends,
// the dropped table stays away, and the other one is whole: it holds its own rows, or
// those and what the verb does to it, when it was there as the verb began.
func TestDroppedInTheMiddle(t *testing.T) {
	for name, keyed := range map[string]bool{"keyed": true, "append": false} {
		base := history(t, keyed, map[string]string{"bucket": "-1"})
		for _, v := range verbs() {
			for what, written := range map[string]int{"gone": -1, "replaced": 0, "replaced and written": 2} {
				t.Run(name+"/"+v.name+"/"+what, func(t *testing.T) {
					alone := mem.New(now)
					made := written
					if written < 0 {
						made = 1
					}
					if err := second(t.Context(), alone, made); err != nil {
						t.Fatal(err)
					}
					before, err := readSecond(t, alone)
					if err != nil {
						t.Fatal(err)
					}
					_ = run(t.Context(), alone, v, nil) // which may be wrong for that table
					after, err := readSecond(t, alone)
					if err != nil {
						t.Fatal(err)
					}
					if written < 0 {
						after = before
					}
					for n := 1; n < most && !t.Failed(); n++ {
						if !dropped(t, base.Clone(), v, n, written, before, after) {
							return
						}
					}
				})
			}
		}
	}
}

// dropped does a verb on a table that is dropped before operation n, and made anew
// with so many commits, unless these are negative. It reports whether it came to that.
// Expiry opens each snapshot and compares it with the one that it planned to remove. No
// file store lets anybody look once more as it removes a name: in between it is not dropped.
func dropped(t *testing.T, store *mem.Store, v verb, n, written int, before, after string) (hit bool) {
	t.Helper()
	ctx, f := t.Context(), fault.Wrap(store)
	env := open(f)
	defer env.Close()
	tb, err := storage.Open(ctx, env, dir)
	if err != nil {
		t.Fatal(err)
	}
	passed := false
	f.SetRule(func(op fault.Op) fault.Outcome {
		if op.N == n {
			hit = true
			if passed = v.name == "expire" && written > 0 && op.Kind != fault.Open && strings.Contains(op.Path, "/snapshot/snapshot-"); passed {
				return fault.Outcome{}
			}
			if err := store.RemoveAll(ctx, dir); err != nil {
				t.Error(err)
			}
			if written >= 0 {
				if err := second(ctx, store, written); err != nil {
					t.Error(err)
				}
			}
		}
		return fault.Outcome{}
	})
	err = v.do(ctx, tb)
	if !hit || passed {
		return hit
	}
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("dropped before operation %d, the verb says: %v\n%s\n%v", n, err, fmt.Sprintf(format, args...), f.Log())
	}
	if written < 0 {
		other := open(store)
		defer other.Close()
		if _, err := storage.Open(ctx, other, dir); !errors.Is(err, storage.ErrNotFound) {
			fail("the table is there: %v", err)
		}
		if err := second(ctx, store, 1); err != nil {
			fail("made anew: %v; there are %v", err, store.Paths())
			return true
		}
	}
	if got, err := readSecond(t, store); err != nil || got != before && got != after {
		fail("the table in its place: %v\n%s", err, got)
	}
	return true
}
