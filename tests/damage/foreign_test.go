package damage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/snapshot/expire"
	"github.com/lakesql/lakesql/storage/types"
	"github.com/lakesql/lakesql/tests/harness"
	"github.com/lakesql/lakesql/tests/interop"
)

// foreign are the tables of other engines, moved to dir.
func foreign(t *testing.T) []*table {
	t.Helper()
	fixtures, err := interop.Fixtures()
	if err != nil {
		t.Fatal(err)
	}
	var out []*table
	for _, f := range fixtures {
		byTable := map[string]*table{}
		for name, data := range f.Files {
			parts := strings.SplitN(name, "/", 4)
			if len(parts) != 4 || parts[0] != "warehouse" || !strings.HasSuffix(parts[1], ".db") {
				continue
			}
			key := f.Name + " " + parts[2]
			if byTable[key] == nil {
				byTable[key] = &table{name: key, store: mem.New(now), files: map[string][]byte{}}
			}
			p := path.Join(dir, parts[3])
			byTable[key].files[p] = data
			if err := fileio.WriteFile(t.Context(), byTable[key].store, p, data); err != nil {
				t.Fatal(err)
			}
		}
		for _, tab := range byTable {
			if len(tab.paths(func(p string) bool { return kindOf(p) == "schema" })) > 0 {
				out = append(out, tab)
			}
		}
	}
	slices.SortFunc(out, func(a, b *table) int { return strings.Compare(a.name, b.name) })
	if len(out) == 0 {
		t.Fatal("no tables")
	}
	return out
}

// TestOtherEnginesTablesAreClean: the offline check holds no rule that the
// reference does not keep; the tables that are damaged on purpose are found out.
func TestOtherEnginesTablesAreClean(t *testing.T) {
	harmless := []string{"damaged/earliest-garbage", "damaged/latest-", "damaged/orphans", "damaged/unknown-format", "damaged/unknown-aggregate"}
	for _, tab := range foreign(t) {
		env := storage.NewEnv(storage.Config{Store: tab.store, Now: now})
		faults, _, err := harness.Check(t.Context(), env, dir)
		env.Close()
		damaged := strings.HasPrefix(tab.name, "damaged/") &&
			!slices.ContainsFunc(harmless, func(h string) bool { return strings.HasPrefix(tab.name, h) })
		switch {
		case err != nil:
			t.Errorf("%s: %v", tab.name, err)
		case damaged && len(faults) == 0:
			t.Errorf("%s: no fault was found", tab.name)
		case !damaged && len(faults) > 0:
			t.Errorf("%s: %v", tab.name, faults)
		}
	}
}

// TestDamageOfOtherEnginesTables only wants reads, writes, compactions and expiries
// to end, with or without an error: many of those files have no checksums.
func TestDamageOfOtherEnginesTables(t *testing.T) {
	n := 1000
	if os.Getenv("DAMAGE") != "" {
		n *= 20
	}
	if testing.Short() {
		n /= 10
	}
	tables := foreign(t)
	for i := range uint64(n) {
		seed := *seedFlag + i
		rng := rand.New(rand.NewPCG(seed, 3))
		tab := tables[rng.IntN(len(tables))]
		m := tab.randomBytes(rng)
		if rng.IntN(4) == 0 {
			if v, err := tab.randomAvro(rng); err == nil && v != nil { // manifests may be Parquet
				m = v
			}
		}
		if fault := tab.survive(t.Context(), m); fault != "" {
			t.Errorf("-seed %d, %s: %s: %s", seed, tab.name, m, fault)
		}
	}
}

// survive uses the damaged table in every way; "" when each ended well.
func (t *table) survive(ctx context.Context, m *mutation) (fault string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	store, err := m.apply(ctx, t.store)
	if err != nil {
		return err.Error()
	}
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	env := storage.NewEnv(storage.Config{Store: store, Now: now})
	defer env.Close()
	_, _, err = harness.Check(ctx, env, dir)
	if tb, openErr := storage.Open(ctx, env, dir); openErr == nil {
		// Errors are fine: what is looked for is what does not end in one.
		readErr := readAny(ctx, tb)
		if readErr != nil && strings.HasPrefix(readErr.Error(), "column ") {
			return fmt.Sprintf("a reader gave a vector of wrong form: %v", readErr)
		}
		err = errors.Join(err, readErr, t.write(ctx, tb))
		_, e1 := tb.Compact(ctx, storage.CompactOptions{Full: true})
		_, e2 := tb.ExpireSnapshots(ctx, expire.Options{RetainMin: 1, RetainMax: 1, OlderThanMillis: 1 << 60})
		err = errors.Join(err, e1, e2)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > allowance || time.Since(start) > patience/2 {
		return fmt.Sprintf("%d MiB allocated in %v: %v", used>>20, time.Since(start), err)
	}
	return ""
}

// readAny reads a table of any types and checks the form of every vector.
func readAny(ctx context.Context, tb *storage.Table) error {
	v, err := tb.View(ctx, storage.ViewOptions{})
	if err != nil {
		return err
	}
	defer v.Close()
	s, err := v.Scan(ctx, storage.ScanOptions{Columns: harness.All(v.Schema().Fields)})
	if err != nil {
		return err
	}
	_, err = testkit.ReadAll(ctx, s.Reader(), types.FieldTypes(v.Schema().Fields))
	return err
}

// TestEveryByteOfADataFile changes each byte of one of our Parquet files: its pages,
// footer and page indexes have checksums, so that nothing passes for another row.
func TestEveryByteOfADataFile(t *testing.T) {
	tab, err := newTable(t.Context(), "parquet zstd", layouts()["parquet zstd"])
	if err != nil {
		t.Fatal(err)
	}
	var name string // of the newest data file, which every read of the newest version opens
	for _, p := range tab.paths(func(p string) bool { return kindOf(p) == "parquet data" && strings.Contains(p, "p=two") }) {
		c := tab.store.Clone()
		if err := c.Delete(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		env := storage.NewEnv(storage.Config{Store: c, Now: now})
		if tb, err := storage.Open(t.Context(), env, dir); err != nil {
			t.Fatal(err)
		} else if _, err := all(t.Context(), tb, storage.ViewOptions{}, nil); err != nil {
			name = p
		}
		env.Close()
	}
	data := tab.files[name]
	rng := rand.New(rand.NewPCG(*seedFlag, 4))
	step := 1
	if testing.Short() {
		step = 7
	}
	refused := 0
	for at := 0; at < len(data); at += step {
		m := &mutation{class: "bit", path: name, note: fmt.Sprint(at), files: map[string][]byte{name: flip(rng, data, at)}}
		store, err := m.apply(t.Context(), tab.store)
		if err != nil {
			t.Fatal(err)
		}
		env := storage.NewEnv(storage.Config{Store: store, Now: now})
		tb, err := storage.Open(t.Context(), env, dir)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := all(t.Context(), tb, storage.ViewOptions{}, nil)
		switch tab.judge(m, rows, tab.good.newest, err) {
		case named:
			refused++
		case right:
		default:
			t.Errorf("byte %d of %s: %v, %s", at, name, err, harness.Differ(rows, tab.good.newest))
		}
		env.Close()
	}
	t.Logf("%d bytes: %d changes refused, the others mean nothing", (len(data)+step-1)/step, refused)
	if refused < len(data)/step/3 {
		t.Error("hardly any change was noticed")
	}
}
