package interop

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/types"
	"github.com/lakesql/lakesql/systables"
	"github.com/lakesql/lakesql/tests/interop/canonical"
)

// laterRead says that reads belong to work that is not built.
type laterRead struct {
	pattern string // of reads, as label writes them; * is any text
	names   string // what the error has to say
	reason  string
	match   *regexp.Regexp
	count   int // reads that it fits
}

// laterReads reads testdata/later.txt.
func laterReads(t *testing.T) []*laterRead {
	t.Helper()
	f, err := os.Open("testdata/later.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []*laterRead
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, " | ")
		if len(parts) != 3 {
			t.Fatalf("later.txt: %q is not: reads | what the error names | reason", line)
		}
		l := &laterRead{pattern: strings.TrimSpace(parts[0]), names: strings.TrimSpace(parts[1]), reason: strings.TrimSpace(parts[2])}
		l.match = regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(l.pattern), `\*`, "[^$]*") + "$")
		out = append(out, l)
	}
	return out
}

// label names a read: fixture, table, stream if it is one, and its options.
func label(f *Fixture, r *Read) string {
	name := f.Name + " " + r.Table
	if r.Mode != "batch" {
		name += " " + r.Mode
	}
	for _, o := range slices.Sorted(keysOf(r.Options)) {
		name += " " + o + "=" + r.Options[o]
	}
	return name
}

// TestFixtures reads every table of the fixtures and compares the rows with those
// that the writer of the table read. A read that belongs to later work must be
// refused by an error that names the feature.
func TestFixtures(t *testing.T) {
	fixtures, err := Fixtures()
	if err != nil {
		t.Fatal(err)
	}
	if len(fixtures) < 120 {
		t.Fatalf("%d fixtures", len(fixtures))
	}
	skip := laterReads(t)
	var mu sync.Mutex
	t.Run("all", func(t *testing.T) {
		for _, f := range fixtures {
			t.Run(f.Name, func(t *testing.T) {
				t.Parallel()
				store, err := f.Store(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				env := storage.NewEnv(storage.Config{Store: store})
				defer env.Close()
				for i := range f.Reads {
					r := &f.Reads[i]
					got, err := readFixture(t.Context(), env, r, nil)
					checkRead(t, f, r, skip, &mu, got, err)
				}
				for _, w := range f.Filters {
					checkFilter(t, env, f, w, skip)
				}
			})
		}
	})
	for _, l := range skip {
		if l.count == 0 {
			t.Errorf("later.txt: no read fits %q", l.pattern)
		}
	}
}

func checkRead(t *testing.T, f *Fixture, r *Read, skip []*laterRead, mu *sync.Mutex, got []string, err error) {
	t.Helper()
	name := label(f, r)
	if l := firstOf(skip, name); l != nil {
		mu.Lock()
		l.count++
		mu.Unlock()
		switch {
		case err == nil:
			t.Errorf("%s is read, though later.txt lists it", name)
		case !strings.Contains(err.Error(), l.names):
			t.Errorf("%s: the error does not name %q: %v", name, l.names, err)
		}
		return
	}
	if err := holds(f, r, got, err); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// checkFilter reads a table with a condition pushed down, with all columns and with
// those of the condition alone, and compares the rows for which it is true.
func checkFilter(t *testing.T, env *storage.Env, f *Fixture, w Filter, skip []*laterRead) {
	t.Helper()
	r := &Read{Table: w.Table, Mode: "batch", Expect: w.Expect}
	if firstOf(skip, label(f, r)) != nil {
		return
	}
	got, err := readFixture(t.Context(), env, r, &w.Where)
	if err := holds(f, r, got, err); err != nil {
		t.Errorf("%s %s WHERE %s: %v", f.Name, w.Table, w.Where, err)
	}
}

func keysOf(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// firstOf finds the first entry that fits a read.
func firstOf(skip []*laterRead, name string) *laterRead {
	for _, l := range skip {
		if l.match.MatchString(name) {
			return l
		}
	}
	return nil
}

// holds compares what a read gave with what it must give.
func holds(f *Fixture, r *Read, got []string, err error) error {
	want := r.Error
	if want == "" {
		want = f.Error
	}
	if want != "" {
		if err == nil {
			return fmt.Errorf("read %d rows, want an error that names %s", len(got), want)
		}
		return names(f, err, want)
	}
	if err != nil {
		return err
	}
	rows, err := f.Rows(r.Expect)
	if err != nil {
		return err
	}
	if strings.HasSuffix(r.Table, "$schemas") {
		got, rows = sortedMembers(got), sortedMembers(rows)
	}
	if !r.Ordered {
		slices.Sort(got)
	}
	return difference(got, rows)
}

// difference is nil for equal lists; else it shows where they part.
func difference(got, want []string) error {
	for i := range max(len(got), len(want)) {
		a, b := "(none)", "(none)"
		if i < len(got) {
			a = got[i]
		}
		if i < len(want) {
			b = want[i]
		}
		if a != b {
			return fmt.Errorf("%d rows, want %d; row %d is\n  %s, want\n  %s", len(got), len(want), i, a, b)
		}
	}
	return nil
}

var (
	quoted   = regexp.MustCompile(`'([^']+)'`)
	telling  = regexp.MustCompile(`\b([A-Z]{4,}|snapshot-\d+|merge-engine|version)\b`)
	fileName = regexp.MustCompile(`\b(?:data|manifest|snapshot|index)-[0-9a-f][0-9a-f-]*(?:\.[a-z]+)?`)
)

// names checks that an error says what the fixture's description of it says: the
// words in quotes and the telling ones, and where it is about a file the name of a
// file that is there, or is not.
func names(f *Fixture, err error, want string) error {
	var words []string
	for _, m := range quoted.FindAllStringSubmatch(want, -1) {
		words = append(words, m[1])
	}
	words = append(words, telling.FindAllString(strings.ReplaceAll(want, "JSON", ""), -1)...)
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			return fmt.Errorf("the error does not name %q, as in %q: %w", w, want, err)
		}
	}
	file := fileName.FindString(err.Error())
	var there bool
	for name := range f.Files {
		there = there || strings.HasSuffix(name, "/"+file)
	}
	missing, broken := strings.Contains(want, "missing"), regexp.MustCompile("corrupt|not valid|bad ").MatchString(want)
	switch {
	case !missing && !broken:
	case file == "":
		return fmt.Errorf("the error names no file, as in %q: %w", want, err)
	case missing && (there || !errors.Is(err, fileio.ErrNotFound)):
		return fmt.Errorf("file %s is not what is missing: %w", file, err)
	case broken && (!there || !errors.Is(err, corrupt.Err)):
		return fmt.Errorf("file %s is not what is damaged: %w", file, err)
	}
	return nil
}

// readFixture does a read; where limits it to the rows for which a condition is true.
func readFixture(ctx context.Context, env *storage.Env, r *Read, where *string) ([]string, error) {
	if r.Mode != "batch" {
		return nil, errors.New("there is no streaming read")
	}
	db, table, _ := strings.Cut(r.Table, ".")
	table, system, isSystem := strings.Cut(table, "$")
	if db == "sys" {
		return nil, errors.New("there is no database sys")
	}
	t, err := storage.Open(ctx, env, "/warehouse/"+db+".db/"+table)
	if err != nil {
		return nil, err
	}
	if isSystem && system != "ro" {
		return readSystem(ctx, t, system, r)
	}
	v, err := t.View(ctx, storage.ViewOptions{Dynamic: r.Options})
	if err != nil {
		return nil, err
	}
	defer v.Close()
	var cols []int
	if r.Columns == nil {
		for i := range v.Schema().Fields {
			cols = append(cols, i)
		}
	} else if cols, err = v.Schema().Indexes(r.Columns); err != nil {
		return nil, err
	}
	var filter *predicate.Node
	if where != nil {
		if filter, err = parseWhere(v.Schema().Fields, *where); err != nil {
			return nil, err
		}
	}
	s, err := v.Scan(ctx, storage.ScanOptions{Columns: cols, Filter: filter, ReadOptimized: isSystem})
	if err != nil {
		return nil, err
	}
	return drain(ctx, s.Reader(), r.Kinds, filter, nil)
}

// readSystem reads a system table.
func readSystem(ctx context.Context, t *storage.Table, name string, r *Read) ([]string, error) {
	def, err := systables.Find(ctx, t, name, storage.ViewOptions{Dynamic: r.Options})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var cols []int
	for _, want := range r.Columns {
		i := slices.IndexFunc(def.Fields(), func(f types.Field) bool { return f.Name == want })
		if i < 0 {
			return nil, fmt.Errorf("%s has no column %s", name, want)
		}
		cols = append(cols, i)
	}
	rd, err := def.Open(ctx)
	if err != nil {
		return nil, err
	}
	return drain(ctx, rd, r.Kinds, nil, cols)
}

// drain prints all rows of a reader, the live ones of those for which filter is
// true, and of these the columns cols; nil: all.
func drain(ctx context.Context, rd columnar.Reader, kinds bool, filter *predicate.Node, cols []int) (out []string, err error) {
	defer func() { err = errors.Join(err, rd.Close()) }()
	for {
		b, err := rd.Next(ctx)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		shown := *b
		if filter != nil {
			shown.Sel = predicate.NewFilter(filter).Select(b, make([]uint16, 0, b.N))
		}
		if cols != nil {
			shown.Cols = nil
			for _, c := range cols {
				shown.Cols = append(shown.Cols, b.Cols[c])
			}
		}
		lines, err := canonical.Rows(&shown, kinds)
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
	}
}

// sortedMembers puts the members of JSON objects in text cells in order: that of
// options is the reference's hash order.
func sortedMembers(lines []string) []string {
	out := slices.Clone(lines)
	for i, line := range lines {
		var cells []any
		if json.Unmarshal([]byte(line), &cells) != nil {
			continue
		}
		for k, c := range cells {
			var object map[string]any
			if text, ok := c.(string); ok && json.Unmarshal([]byte(text), &object) == nil {
				cells[k] = object
			}
		}
		if data, err := json.Marshal(cells); err == nil {
			out[i] = string(data)
		}
	}
	return out
}
