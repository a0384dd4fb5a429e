package damage

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/tests/harness"
)

var seedFlag = flag.Uint64("seed", 1, "seed of the first mutation")

const (
	mutations = 2000
	patience  = 20 * time.Second
	// allowance is how much a read of a damaged table may allocate: a good one
	// takes some megabytes, for batches and buffers.
	allowance = 256 << 20
)

// outcome of a read of a damaged table.
type outcome string

const (
	right    outcome = "right rows"
	named    outcome = "error, file named"
	nameless outcome = "error, no file named"
	otherT   outcome = "another table"
	wrong    outcome = "WRONG ROWS"
)

func TestDamage(t *testing.T) {
	n := mutations
	if text := os.Getenv("DAMAGE"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		n /= 10
	}
	var tables []*table
	for _, name := range slices.Sorted(maps.Keys(layouts())) {
		tab, err := newTable(t.Context(), name, layouts()[name])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		tables = append(tables, tab)
	}
	s := &summary{counts: map[string]map[outcome]int{}}
	for i := range uint64(n) {
		seed := *seedFlag + i
		rng := rand.New(rand.NewPCG(seed, 2))
		tab := tables[rng.IntN(len(tables))]
		m, err := tab.draw(rng)
		if err != nil {
			t.Fatal(err)
		}
		if m == nil {
			continue
		}
		for _, fault := range tab.try(t.Context(), m, s) {
			t.Errorf("-seed %d (DAMAGE=1), %s: %s: %s", seed, tab.name, m, fault)
		}
	}
	t.Log(s)
}

// draw draws a mutation; nil when none came of it.
func (t *table) draw(rng *rand.Rand) (*mutation, error) {
	switch n := rng.IntN(20); {
	case n < 11:
		return t.randomBytes(rng), nil
	case n < 14:
		return t.randomJSON(rng)
	case n < 19:
		return t.randomAvro(rng)
	}
	p := dir + "/snapshot/" + []string{"LATEST", "EARLIEST"}[rng.IntN(2)]
	content := pointerFiles(rng)
	return &mutation{class: "anything", path: p, note: fmt.Sprintf("%q", content), files: map[string][]byte{p: content}}, nil
}

// try reads the table with the mutation and judges what comes of it.
func (t *table) try(ctx context.Context, m *mutation, s *summary) (faults []string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	store, err := m.apply(ctx, t.store)
	if err != nil {
		return []string{err.Error()}
	}
	defer func() {
		if r := recover(); r != nil {
			faults = append(faults, fmt.Sprintf("panic: %v\n%s", r, debug.Stack()))
		}
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	checked := store.Clone()
	got, errs := t.read(ctx, store)
	runtime.ReadMemStats(&after)
	used := after.TotalAlloc - before.TotalAlloc
	if s.most = max(s.most, used); used > allowance {
		faults = append(faults, fmt.Sprintf("%d MiB allocated", used>>20))
	}
	if took := time.Since(start); took > patience/2 {
		faults = append(faults, fmt.Sprintf("took %v", took))
	}
	pairs := []struct {
		what      string
		got, want []string
	}{
		{"newest", got.newest, t.good.newest}, {"tag", got.tag, t.good.tag}, {"by key", got.byKey, t.good.byKey}, {"after a write", got.written, t.good.written},
	}
	for i, p := range pairs {
		o := t.judge(m, p.got, p.want, errs[i])
		s.add(kindOf(m.path)+": "+m.class, o)
		switch o {
		case wrong:
			faults = append(faults, fmt.Sprintf("%s: %s", p.what, harness.Differ(p.got, p.want)))
		case nameless:
			faults = append(faults, fmt.Sprintf("%s: the error names no file: %v", p.what, errs[i]))
		}
	}
	return append(faults, t.check(ctx, checked, m, s)...)
}

// judge tells what came of a read.
func (t *table) judge(m *mutation, got, want []string, err error) outcome {
	switch {
	case err == nil && slices.Equal(got, want):
		return right
	case err == nil && m.value:
		return otherT
	case err == nil:
		return wrong
	case errors.Is(err, context.DeadlineExceeded):
		return wrong
	}
	// A file is named by its path or its name; a changed reference names what it
	// refers to, which then is some file of the table.
	text := err.Error()
	if strings.Contains(text, path.Base(m.path)) {
		return named
	}
	if m.value && (strings.Contains(text, dir) || strings.Contains(text, "table t") || strings.Contains(text, "data-")) {
		return named
	}
	if m.class == "missing" && kindOf(m.path) == "tag" && strings.Contains(text, "'first'") {
		return named
	}
	return nameless
}

// check runs the offline check, which must end without an error of its own.
func (t *table) check(ctx context.Context, store *mem.Store, m *mutation, s *summary) []string {
	env := storage.NewEnv(storage.Config{Store: store, Now: now})
	defer env.Close()
	found, _, err := harness.Check(ctx, env, dir)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return []string{fmt.Sprintf("check: %v", err)}
	}
	if len(found) > 0 || err != nil {
		s.found++
	} else {
		s.clean++
		if !m.value && !strings.Contains(kindOf(m.path), "pointer") && !strings.Contains(kindOf(m.path), "hash") {
			s.missed = append(s.missed, m.String())
		}
	}
	return nil
}

// summary counts outcomes.
type summary struct {
	counts       map[string]map[outcome]int
	found, clean int
	most         uint64   // bytes allocated by the reads of one table
	missed       []string // mutations of bytes that the offline check does not see
}

func (s *summary) add(class string, o outcome) {
	if s.counts[class] == nil {
		s.counts[class] = map[outcome]int{}
	}
	s.counts[class][o]++
}

func (s *summary) String() string {
	var b strings.Builder
	order := []outcome{right, named, otherT, nameless, wrong}
	fmt.Fprintf(&b, "\n%-36s", "reads of a table with")
	for _, o := range order {
		fmt.Fprintf(&b, " %20s", o)
	}
	for _, class := range slices.Sorted(maps.Keys(s.counts)) {
		fmt.Fprintf(&b, "\n%-36s", class)
		for _, o := range order {
			fmt.Fprintf(&b, " %20d", s.counts[class][o])
		}
	}
	fmt.Fprintf(&b, "\nthe reads of one table allocated %d MiB at the most", s.most>>20)
	fmt.Fprintf(&b, "\nthe offline check found a fault after %d mutations, none after %d", s.found, s.clean)
	for _, m := range s.missed[:min(len(s.missed), 10)] {
		fmt.Fprintf(&b, "\n  none after %s", m)
	}
	return b.String()
}
