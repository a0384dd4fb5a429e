package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/fault"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
	"github.com/lakesql/lakesql/storage/snapshot/expire"
	"github.com/lakesql/lakesql/storage/types"
	"github.com/lakesql/lakesql/storage/write"
	"github.com/lakesql/lakesql/tests/harness"
)

const dir = "/wh/default.db/t"

func now() time.Time { return time.UnixMilli(1_700_000_000_000) }

func open(store fileio.Store) *storage.Env {
	// One thread keeps the order of operations the same in every run.
	return storage.NewEnv(storage.Config{Store: store, Now: now, Threads: 1})
}

func definition(keyed bool, options map[string]string) schema.Definition {
	d := schema.Definition{
		Fields: []types.Field{
			{Name: "k", Type: types.Of(types.Int).WithNotNull(keyed)},
			{Name: "p", Type: types.String().WithNotNull(keyed)},
			{Name: "v", Type: types.String()},
		},
		PartitionKeys: []string{"p"},
		Options: map[string]string{
			"commit.max-retries": "2", "commit.min-retry-wait": "1 ms", "commit.max-retry-wait": "1 ms",
			"manifest.merge-min-count": "3", "write-only": "true", // no expiry in the background
		},
	}
	if keyed {
		d.PrimaryKeys = []string{"k", "p"}
	}
	for k, v := range options {
		d.Options[k] = v
	}
	return d
}

func rows(from, n int, tag string) (out []harness.Row) {
	for i := from; i < from+n; i++ {
		out = append(out, harness.Row{
			columnar.IntValue(int64(i)), columnar.StringValue([]string{"a", "b"}[i%2]), columnar.StringValue(fmt.Sprint(tag, i)),
		})
	}
	return out
}

func put(ctx context.Context, tb *storage.Table, o storage.WriteOptions, r []harness.Row, kind types.RowKind) error {
	_, err := harness.Write(ctx, tb, o, r, slices.Repeat([]types.RowKind{kind}, len(r)))
	return err
}

// verb is an operation on a table with some history.
type verb struct {
	name string
	// loose says that the verb may take effect and return an error: its effect is
	// not in the rows, or comes in several steps.
	loose bool
	// undurable says that a power cut may take the effect back: a deletion is not synced.
	undurable bool
	do        func(ctx context.Context, tb *storage.Table) error
}

func verbs() []verb {
	return []verb{
		{name: "write", do: func(ctx context.Context, tb *storage.Table) error {
			return put(ctx, tb, storage.WriteOptions{}, rows(5, 20, "new"), types.Insert)
		}},
		{name: "read-modify-write", do: func(ctx context.Context, tb *storage.Table) error {
			return put(ctx, tb, storage.WriteOptions{ReadModify: true}, rows(0, 3, "mod"), types.Insert)
		}},
		{name: "overwrite", do: func(ctx context.Context, tb *storage.Table) error {
			return put(ctx, tb, storage.WriteOptions{Overwrite: &write.Overwrite{}}, rows(100, 4, "over"), types.Insert)
		}},
		{name: "overwrite partition", do: func(ctx context.Context, tb *storage.Table) error {
			o := &write.Overwrite{Partition: map[string]columnar.Value{"p": columnar.StringValue("a")}}
			return put(ctx, tb, storage.WriteOptions{Overwrite: o}, rows(200, 1, "part"), types.Insert)
		}},
		{name: "compact", do: func(ctx context.Context, tb *storage.Table) error {
			_, err := tb.Compact(ctx, storage.CompactOptions{Full: true})
			return err
		}},
		{name: "expire", loose: true, do: func(ctx context.Context, tb *storage.Table) error {
			_, err := tb.ExpireSnapshots(ctx, expire.Options{RetainMin: 1, RetainMax: 1, OlderThanMillis: now().UnixMilli()})
			return err
		}},
		{name: "alter", loose: true, do: func(ctx context.Context, tb *storage.Table) error {
			_, err := tb.Alter(ctx, []schema.Change{schema.SetOption{Key: "target-file-row-num", Value: "100"}})
			return err
		}},
		{name: "tag", loose: true, do: func(ctx context.Context, tb *storage.Table) error {
			return tb.CreateTag(ctx, "new", 0, 0)
		}},
		{name: "delete tag", loose: true, undurable: true, do: func(ctx context.Context, tb *storage.Table) error {
			return tb.DeleteTag(ctx, "old")
		}},
		{name: "read", do: func(ctx context.Context, tb *storage.Table) error {
			_, _, err := harness.Read(ctx, tb, storage.ViewOptions{})
			return err
		}},
	}
}

// history is what every verb finds: several snapshots, levels, a tag whose snapshot
// has expired.
func history(t *testing.T, keyed bool, options map[string]string) *mem.Store {
	t.Helper()
	ctx, store := t.Context(), mem.New(now)
	env := open(store)
	defer env.Close()
	tb, err := storage.Create(ctx, env, dir, definition(keyed, options))
	if err != nil {
		t.Fatal(err)
	}
	steps := []func() error{
		func() error { return put(ctx, tb, storage.WriteOptions{}, rows(0, 10, "x"), types.Insert) },
		func() error { return tb.CreateTag(ctx, "old", 0, 0) },
		func() error { return put(ctx, tb, storage.WriteOptions{}, rows(5, 10, "y"), types.Insert) },
		func() error { _, err := tb.Compact(ctx, storage.CompactOptions{Full: true}); return err },
		func() error {
			_, err := tb.ExpireSnapshots(ctx, expire.Options{RetainMin: 1, RetainMax: 2, OlderThanMillis: now().UnixMilli()})
			return err
		},
		func() error { return put(ctx, tb, storage.WriteOptions{}, rows(12, 6, "z"), types.Insert) },
		func() error {
			if !keyed {
				return nil
			}
			return put(ctx, tb, storage.WriteOptions{}, rows(0, 2, ""), types.Delete)
		},
	}
	for i, f := range steps {
		if err := f(); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	return store
}

// content reads the table in a store, and all its tags, and checks it: the id of the
// newest schema, the names of the tags, and the rows.
func content(t *testing.T, store fileio.Store) string {
	t.Helper()
	ctx, env := t.Context(), open(store)
	defer env.Close()
	tb, err := storage.Open(ctx, env, dir)
	if err != nil {
		t.Errorf("open: %v", err)
		return ""
	}
	fields, all, err := harness.Read(ctx, tb, storage.ViewOptions{})
	if err != nil {
		t.Errorf("read: %v", err)
		return ""
	}
	tags, err := tb.Tags(ctx)
	if err != nil {
		t.Errorf("tags: %v", err)
	}
	for _, tag := range tags {
		if _, _, err := harness.Read(ctx, tb, storage.ViewOptions{AsOf: storage.AsOf{Version: tag.Name}}); err != nil {
			t.Errorf("read tag %s: %v", tag.Name, err)
		}
	}
	faults, _, err := harness.Check(ctx, env, dir)
	if err != nil || len(faults) > 0 {
		t.Errorf("check: %v %v", faults, err)
	}
	current, err := tb.Schema(ctx)
	if err != nil {
		t.Errorf("schema: %v", err)
		return ""
	}
	lines := []string{fmt.Sprint("schema ", current.ID)}
	for _, tag := range tags {
		lines = append(lines, "tag "+tag.Name)
	}
	return strings.Join(append(lines, harness.Texts(fields, all)...), "\n")
}

// loseNthChange lets the n-th operation that changes the store happen, and reports a
// failure. Of reads there is nothing to lose.
func loseNthChange(n int) fault.Rule {
	var seen atomic.Int64
	return func(op fault.Op) fault.Outcome {
		if op.Changes() && seen.Add(1) == int64(n) {
			return fault.Outcome{After: fault.ErrInjected}
		}
		return fault.Outcome{}
	}
}

// dieAtNthChange fails the n-th operation that changes the store and all later ones.
func dieAtNthChange(n int) fault.Rule {
	var seen atomic.Int64
	return func(op fault.Op) fault.Outcome {
		if op.Changes() && seen.Add(1) >= int64(n) || seen.Load() >= int64(n) {
			return fault.Outcome{Before: fault.ErrInjected}
		}
		return fault.Outcome{}
	}
}

// most is more operations than any verb needs.
const most = 2000

func TestEveryOperationFails(t *testing.T) {
	tables := []struct {
		name    string
		keyed   bool
		options map[string]string
	}{
		{"fixed", true, map[string]string{"bucket": "2"}},
		{"dynamic", true, map[string]string{"bucket": "-1", "file.format": "avro"}},
		{"append", false, nil},
		{"append bucketed", false, map[string]string{"bucket": "2", "bucket-key": "k"}},
	}
	modes := map[string]func(int) fault.Rule{"before": fault.FailNth, "after": loseNthChange, "die": dieAtNthChange}
	for _, tab := range tables {
		base := history(t, tab.keyed, tab.options)
		before := content(t, base)
		for _, v := range verbs() {
			if tab.name == "append bucketed" && v.name != "write" && v.name != "compact" {
				continue // like those of the other append table
			}
			good := base.Clone()
			if err := run(t.Context(), good, v, nil); err != nil {
				t.Fatalf("%s, %s: %v", tab.name, v.name, err)
			}
			after := content(t, good)
			for mode, rule := range modes {
				if v.name == "read" && mode != "before" {
					continue // it changes nothing
				}
				t.Run(tab.name+"/"+v.name+"/"+mode, func(t *testing.T) {
					n := 1
					for ; n < most && !t.Failed(); n++ {
						c := attempt{base: base, before: before, after: after, verb: v, rule: rule(n), retry: tab.keyed}
						if c.run(t, n) {
							break
						}
					}
					if n < 2 || n == most {
						t.Errorf("the rule never failed an operation, or always did: %d", n)
					}
					t.Logf("%d operations", n-1)
				})
			}
		}
	}
}

// run opens the table and does a verb under a rule that begins then.
func run(ctx context.Context, store fileio.Store, v verb, rule fault.Rule) error {
	f := fault.Wrap(store)
	env := open(f)
	defer env.Close()
	tb, err := storage.Open(ctx, env, dir)
	if err != nil {
		return err
	}
	f.SetRule(rule)
	return v.do(ctx, tb)
}

type attempt struct {
	base          *mem.Store
	before, after string
	verb          verb
	rule          fault.Rule
	retry         bool // the verb may be done again
}

// run does one attempt. It reports whether no operation failed.
func (a *attempt) run(t *testing.T, n int) (passed bool) {
	store := a.base.Clone()
	f := fault.Wrap(store)
	env := open(f)
	defer env.Close()
	tb, err := storage.Open(t.Context(), env, dir)
	if err != nil {
		t.Fatal(err)
	}
	hit := ""
	f.SetRule(func(op fault.Op) fault.Outcome {
		out := a.rule(op)
		if hit == "" && (out.Before != nil || out.After != nil) {
			hit = op.String()
		}
		return out
	})
	err = a.verb.do(t.Context(), tb)
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("operation %s failed, the verb says: %v\n%s", hit, err, fmt.Sprintf(format, args...))
	}
	const cut = "store after a power cut"
	for what, left := range map[string]fileio.Store{"store": store, cut: store.Crash()} {
		got := content(t, left)
		switch {
		case t.Failed():
			fail("the %s is not well", what)
		case got != a.before && got != a.after:
			fail("the %s has neither the rows before nor after:\n%s", what, got)
		case err == nil && got != a.after && !(a.verb.undurable && what == cut):
			fail("the %s has lost what was acknowledged", what)
		case err != nil && !a.verb.loose && !errors.Is(err, commit.ErrUnknownOutcome) && got != a.before:
			fail("the %s has what was refused", what)
		}
	}
	if hit == "" {
		return true
	}
	f.SetRule(nil)
	if a.verb.name == "delete tag" || a.verb.name == "tag" || !a.retry {
		return false
	}
	if err := a.verb.do(t.Context(), tb); err != nil {
		fail("done again it fails: %v", err)
	}
	if got := content(t, store); got != a.after {
		fail("done again the table has:\n%s", got)
	}
	return false
}
