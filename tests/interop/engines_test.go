package interop

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio/local"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
	"github.com/lakesql/lakesql/tests/interop/canonical"
)

// The engines, by the names that limits.txt and the compatibility page use.
const (
	lakesql = "lakesql"
	java    = "paimon"
	python  = "pypaimon"
	rust    = "paimon-rust"
	flink   = "flink"
)

// suite is one warehouse that all engines share.
type suite struct {
	dir    string
	env    *storage.Env
	java   *Tool
	python *Tool
	rust   *Tool  // pypaimon's process for --engine rust
	flink  *Flink // nil: not started
	limits []*limit
	report *report
	files  atomic.Int64
}

// needsEngines skips tests unless the other engines are there.
func needsEngines(t *testing.T) {
	t.Helper()
	if os.Getenv("LAKESQL_INTEROP") == "" {
		t.Skip("the other engines are run by tests/interop/run")
	}
}

func newSuite(t *testing.T) *suite {
	t.Helper()
	needsEngines(t)
	s := &suite{dir: t.TempDir(), limits: readLimits(t), report: newReport()}
	s.env = storage.NewEnv(storage.Config{Store: local.New("/")})
	t.Cleanup(s.env.Close)
	for to, name := range map[**Tool]string{&s.java: "paimon", &s.python: "pypaimon", &s.rust: "pypaimon"} {
		tool, err := StartTool(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tool.Close() })
		*to = tool
	}
	return s
}

// limit is something that an engine is known not to do. It must still fail in that
// way, so that a release that can do it shows.
type limit struct {
	engine, verb string // verb: reads or writes
	table        *regexp.Regexp
	words        string // of the error, or of the wrong rows
	reason       string
	hits         atomic.Int64
}

// readLimits reads testdata/limits.txt.
func readLimits(t *testing.T) []*limit {
	t.Helper()
	f, err := os.Open("testdata/limits.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []*limit
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		p := strings.Split(line, " | ")
		if len(p) != 5 {
			t.Fatalf("limits.txt: %q is not: engine | verb | table | words | reason", line)
		}
		for i := range p {
			p[i] = strings.TrimSpace(p[i])
		}
		out = append(out, &limit{
			engine: p[0], verb: p[1], words: p[3], reason: p[4],
			table: regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(p[2]), `\*`, ".*") + "$"),
		})
	}
	return out
}

func (s *suite) limitOf(engine, verb, table string) *limit {
	for _, l := range s.limits {
		if l.engine == engine && l.verb == verb && l.table.MatchString(table) {
			return l
		}
	}
	return nil
}

// file writes lines to a new file.
func (s *suite) file(t *testing.T, lines []string) string {
	t.Helper()
	name := filepath.Join(s.dir, fmt.Sprintf("input-%d", s.files.Add(1)))
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// shape is the definition of a table.
type shape struct {
	name      string // db.t
	feature   string // on the compatibility page
	fields    []types.Field
	primary   []string
	partition []string
	options   map[string]string
}

// table is a table that engines share.
type table struct {
	*suite
	t *testing.T
	shape
	tb    *storage.Table
	state string // " compacted" after a compaction; limits.txt tells tables apart by it
}

// create makes a table with lakesql.
func (s *suite) create(t *testing.T, sh shape) *table {
	t.Helper()
	tb, err := s.tryCreate(t, sh)
	if err != nil {
		t.Fatalf("create %s: %v", sh.name, err)
	}
	return &table{suite: s, t: t, shape: sh, tb: tb}
}

func (s *suite) tryCreate(t *testing.T, sh shape) (*storage.Table, error) {
	db, name, _ := strings.Cut(sh.name, ".")
	return storage.Create(t.Context(), s.env, filepath.ToSlash(filepath.Join(s.dir, db+".db", name)), schema.Definition{
		Fields: sh.fields, PrimaryKeys: sh.primary, PartitionKeys: sh.partition, Options: sh.options,
	})
}

// createJava makes a table with Java and opens it with lakesql.
func (s *suite) createJava(t *testing.T, sh shape) *table {
	t.Helper()
	def, err := json.Marshal(map[string]any{
		"fields": withoutIDs(sh.fields), "primaryKeys": orEmpty(sh.primary), "partitionKeys": orEmpty(sh.partition), "options": sh.options,
	})
	if err != nil {
		t.Fatal(err)
	}
	x := &table{suite: s, t: t, shape: sh}
	x.run(s.java, "create", "--schema", s.file(t, []string{string(def)}))
	db, name, _ := strings.Cut(sh.name, ".")
	if x.tb, err = storage.Open(t.Context(), s.env, filepath.ToSlash(filepath.Join(s.dir, db+".db", name))); err != nil {
		t.Fatal(err)
	}
	return x
}

func orEmpty(l []string) []string { return append([]string{}, l...) }

// withoutIDs are the fields as the tool's create command takes them.
func withoutIDs(fields []types.Field) []map[string]any {
	var out []map[string]any
	for _, f := range fields {
		out = append(out, map[string]any{"name": f.Name, "type": f.Type})
	}
	return out
}

// run has a tool do a command on the table; a failure ends the test.
func (x *table) run(tool *Tool, command string, words ...string) []string {
	x.t.Helper()
	out, err := x.try(tool, command, words...)
	if err != nil {
		x.t.Fatal(err)
	}
	return out
}

func (x *table) try(tool *Tool, command string, words ...string) ([]string, error) {
	return tool.Do(append([]string{command, "--warehouse", x.dir, "--table", x.name}, words...)...)
}

// batches makes batches of canonical rows.
func batches(fields []types.Field, rows []string, kinds bool) ([]*columnar.Batch, error) {
	var out []*columnar.Batch
	for part := range slices.Chunk(rows, 3000) {
		b := columnar.NewBatch(types.FieldTypes(fields), len(part))
		for _, r := range part {
			if err := canonical.Append(b, r, kinds); err != nil {
				return nil, err
			}
		}
		out = append(out, b)
	}
	return out, nil
}

// tryWrite commits rows with lakesql.
func (x *table) tryWrite(rows []string, kinds bool, o storage.WriteOptions) error {
	ctx := x.t.Context()
	v, err := x.tb.View(ctx, storage.ViewOptions{})
	if err != nil {
		return err
	}
	defer v.Close()
	bs, err := batches(v.Schema().Fields, rows, kinds)
	if err != nil {
		return err
	}
	w := v.Write(o)
	for _, b := range bs {
		if err := w.Add(ctx, b); err != nil {
			w.Abort()
			return err
		}
	}
	_, err = w.Commit(ctx)
	return err
}

// write commits rows with lakesql; a failure ends the test.
func (x *table) write(rows ...string) {
	x.t.Helper()
	if err := x.tryWrite(rows, false, storage.WriteOptions{}); err != nil {
		x.t.Fatalf("lakesql writes %s: %v", x.name, err)
	}
	x.report.ok(x.feature, lakesql, "writes")
}

// change commits rows with their kinds with lakesql.
func (x *table) change(rows ...string) {
	x.t.Helper()
	if err := x.tryWrite(rows, true, storage.WriteOptions{}); err != nil {
		x.t.Fatalf("lakesql writes %s: %v", x.name, err)
	}
}

// writeBy commits rows with another engine; false: a known limit.
func (x *table) writeBy(engine string, rows []string, words ...string) bool {
	x.t.Helper()
	if l := x.limitOf(engine, "misplaces", x.name); l != nil {
		x.misplaced(l, rows)
		return false
	}
	tool := x.java
	if engine == python {
		tool = x.python
	}
	var err error
	if engine == flink {
		err = x.flink.Write(x.name, x.fields, rows)
	} else {
		_, err = x.try(tool, "write", append([]string{"--rows", x.file(x.t, rows)}, words...)...)
	}
	return x.judge(engine, "writes", err)
}

// misplaced has pypaimon write to a table of its own, which must show the known limit:
// rows in a bucket that is not theirs.
func (x *table) misplaced(l *limit, rows []string) {
	x.t.Helper()
	sh := x.shape
	sh.name += "_misplaced"
	if _, err := x.tryCreate(x.t, sh); err != nil && !errors.Is(err, storage.ErrExist) {
		x.t.Fatal(err)
	}
	y := &table{suite: x.suite, t: x.t, shape: sh}
	y.run(x.python, "write", "--rows", x.file(x.t, rows))
	found := ""
	for p, err := range storage.CheckTable(x.t.Context(), x.env, filepath.ToSlash(filepath.Join(x.dir, strings.Replace(sh.name, ".", ".db/", 1)))) {
		if err != nil {
			x.t.Fatal(err)
		}
		if !p.Note {
			found += p.What + "\n"
		}
	}
	if !strings.Contains(found, l.words) {
		x.t.Errorf("%s: a known limit is gone: %s\n%s", x.name, l.reason, found)
	}
	l.hits.Add(1)
	x.report.limit(x.feature, l.engine, "writes", l.reason)
}

// judge holds the outcome against the known limits and notes it for the page.
func (x *table) judge(engine, verb string, err error) bool {
	x.t.Helper()
	l := x.limitOf(engine, verb, x.name+x.state)
	switch {
	case l == nil && err == nil:
		x.report.ok(x.feature, engine, verb)
		return true
	case l == nil:
		x.t.Errorf("%s %s %s: %v", engine, verb, x.name, err)
	case err == nil:
		x.t.Errorf("%s %s %s: a known limit is gone: %s", engine, verb, x.name, l.reason)
	case !strings.Contains(err.Error(), l.words):
		x.t.Errorf("%s %s %s: not as the known limit %q: %v", engine, verb, x.name, l.words, err)
	default:
		l.hits.Add(1)
		x.report.limit(x.feature, engine, verb, l.reason)
	}
	return false
}

// readBy reads the table, sorted, with one engine. options are table options k=v.
func (x *table) readBy(engine string, options ...string) ([]string, error) {
	var words []string
	dynamic := map[string]string{}
	for _, o := range options {
		words = append(words, "--option", o)
		k, v, _ := strings.Cut(o, "=")
		dynamic[k] = v
	}
	switch engine {
	case java:
		return x.java.Read(x.dir, x.name, words...)
	case python:
		return x.python.Read(x.dir, x.name, words...)
	case rust:
		return x.rust.Read(x.dir, x.name, append(words, "--engine", "rust")...)
	case flink:
		return x.flink.Read(x.name, options)
	}
	return x.readLake(x.t.Context(), dynamic)
}

func (x *table) readLake(ctx context.Context, dynamic map[string]string) ([]string, error) {
	v, err := x.tb.View(ctx, storage.ViewOptions{Dynamic: dynamic})
	if err != nil {
		return nil, err
	}
	defer v.Close()
	var cols []int
	for i := range v.Schema().Fields {
		cols = append(cols, i)
	}
	sc, err := v.Scan(ctx, storage.ScanOptions{Columns: cols})
	if err != nil {
		return nil, err
	}
	rows, err := drain(ctx, sc.Reader(), false, nil, nil)
	slices.Sort(rows)
	return rows, err
}

// all has every engine but Flink read the table: the rows must be want, in any order.
func (x *table) all(want []string, options ...string) {
	x.t.Helper()
	x.by([]string{lakesql, java, python, rust}, want, options...)
}

// withFlink is all and Flink, which takes half a second for a read.
func (x *table) withFlink(want []string, options ...string) {
	x.t.Helper()
	engines := []string{lakesql, java, python, rust}
	if x.flink != nil {
		engines = append(engines, flink)
	}
	x.by(engines, want, options...)
}

// by has some engines read the table at the same time.
func (x *table) by(engines, want []string, options ...string) {
	x.t.Helper()
	want = slices.Sorted(slices.Values(want))
	errs := make([]error, len(engines))
	var wg sync.WaitGroup
	for i, e := range engines {
		wg.Go(func() {
			got, err := x.readBy(e, options...)
			if err == nil {
				if err = difference(got, want); err != nil {
					err = fmt.Errorf("%v %w", options, err)
				}
			}
			errs[i] = err
		})
	}
	wg.Wait()
	for i, e := range engines {
		x.judge(e, "reads", errs[i])
	}
}

// clean has lakesql and Java check the whole table.
func (x *table) clean() {
	x.t.Helper()
	for p, err := range storage.CheckTable(x.t.Context(), x.env, x.tb.Dir()) {
		if err != nil {
			x.t.Errorf("check %s: %v", x.name, err)
		} else if !p.Note {
			x.t.Errorf("check %s: %s", x.name, strings.ReplaceAll(p.String(), x.dir, ""))
		}
	}
	_, err := x.try(x.java, "check")
	x.judge(java, "checks", err)
}

// compact folds the table with lakesql.
func (x *table) compact() {
	x.t.Helper()
	if _, err := x.tb.Compact(x.t.Context(), storage.CompactOptions{Full: true}); err != nil {
		x.t.Fatal(err)
	}
	x.state = " compacted"
}

// newest is the id of the newest snapshot.
func (x *table) newest() string {
	x.t.Helper()
	all, err := x.tb.Snapshots(x.t.Context())
	if err != nil || len(all) == 0 {
		x.t.Fatalf("snapshots of %s: %d, %v", x.name, len(all), err)
	}
	return strconv.FormatInt(int64(all[len(all)-1].ID), 10)
}

// model is what a table with a primary key has to hold: rows by key, in order of commits.
type model struct {
	keys []int // columns of the primary key
	rows map[string]string
	// The sequence field's column, and that of a second one or -1; seq 0: none.
	seq, seqV int
	desc      bool
}

func newModel(x *shape) *model {
	m := &model{rows: map[string]string{}}
	for _, k := range x.primary {
		m.keys = append(m.keys, schema.FieldIndex(x.fields, k))
	}
	return m
}

// values splits a canonical row.
func values(row string) []json.RawMessage {
	var out []json.RawMessage
	if err := json.Unmarshal([]byte(row), &out); err != nil {
		panic(fmt.Sprintf("row %s: %v", row, err))
	}
	return out
}

// apply takes rows, with their kinds or all inserts.
func (m *model) apply(rows []string, kinds bool) {
	for _, r := range rows {
		vals := values(r)
		gone := false
		if kinds {
			gone = string(vals[0]) == `"-D"` || string(vals[0]) == `"-U"`
			r = "[" + strings.TrimPrefix(r, "["+string(vals[0])+",")
			vals = vals[1:]
		}
		key := ""
		for _, k := range m.keys {
			key += string(vals[k]) + ","
		}
		if m.keys == nil {
			key = strconv.Itoa(len(m.rows))
		}
		if old, ok := m.rows[key]; ok && m.seq > 0 && m.older(vals, values(old)) {
			continue
		}
		if gone {
			delete(m.rows, key)
		} else {
			m.rows[key] = r
		}
	}
}

// older says whether a row loses against the one that is there.
func (m *model) older(row, old []json.RawMessage) bool {
	a, _ := strconv.Atoi(string(row[m.seq]))
	b, _ := strconv.Atoi(string(old[m.seq]))
	order := a - b
	if order == 0 && m.seqV > 0 {
		order = strings.Compare(string(row[m.seqV]), string(old[m.seqV]))
	}
	if m.desc {
		order = -order
	}
	return order < 0
}

// all are the rows, sorted.
func (m *model) all() []string {
	var out []string
	for _, r := range m.rows {
		out = append(out, r)
	}
	slices.Sort(out)
	return out
}

// mustType parses a column type; nested ones are spelled ARRAY<T>, MULTISET<T>,
// MAP<K, V> and ROW<name T, …>.
func mustType(text string) types.Type {
	head, inner, nested := strings.Cut(text, "<")
	if !nested {
		t, err := types.Parse(text)
		if err != nil {
			panic(err)
		}
		return t
	}
	parts := topLevel(strings.TrimSuffix(inner, ">"))
	switch head {
	case "ARRAY":
		return types.ArrayOf(mustType(parts[0]))
	case "MULTISET":
		return types.MultisetOf(mustType(parts[0]))
	case "MAP":
		return types.MapOf(mustType(parts[0]), mustType(parts[1]))
	}
	return types.RowOf(columns(parts...)...)
}

// topLevel splits at the commas that are in no brackets.
func topLevel(text string) (parts []string) {
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(text[from:i]))
				from = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(text[from:]))
}

// columns makes fields of "name TYPE" texts.
func columns(defs ...string) []types.Field {
	var out []types.Field
	for i, d := range defs {
		name, typ, _ := strings.Cut(d, " ")
		out = append(out, types.Field{ID: i, Name: name, Type: mustType(typ)})
	}
	return out
}

// insert puts a kind before rows.
func kinded(kind string, rows ...string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = `["` + kind + `",` + r[1:]
	}
	return out
}

// TestEngines has lakesql and the other engines write and read one another's tables.
func TestEngines(t *testing.T) {
	s := newSuite(t)
	s.startFlink(t)
	groups := map[string]func(*testing.T, *suite){
		"types": testTypes, "keys": testKeys, "layouts": testLayouts, "partitions": testPartitions,
		"pages": testPages, "history": testHistory, "streaming": testStreamingWriter, "indexes": testIndexes,
	}
	var done atomic.Int64
	t.Run("all", func(t *testing.T) {
		for name, test := range groups {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, s)
				done.Add(1)
			})
		}
	})
	if t.Failed() || s.flink == nil || int(done.Load()) < len(groups) {
		return // what is below needs the whole suite
	}
	for _, l := range s.limits {
		if l.hits.Load() == 0 {
			t.Errorf("limits.txt: nothing met %s %s %s", l.engine, l.verb, l.table)
		}
	}
	s.report.hold(t)
}
