package lsm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/lsm/compact"
	"github.com/lakesql/lakesql/storage/lsm/merge"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/types"
)

// memFiles keeps the batches of files. Operation number failAt fails.
type memFiles struct {
	key    []int
	files  map[string][]*columnar.Batch
	next   int
	rows   int // of a file
	ops    int
	failAt int
}

var errInjected = errors.New("injected")

func (m *memFiles) op() error {
	m.ops++
	if m.ops == m.failAt {
		return errInjected
	}
	return nil
}

func (m *memFiles) Open(_ context.Context, f *datafile.Meta) (columnar.Reader, error) {
	if err := m.op(); err != nil {
		return nil, err
	}
	bs, ok := m.files[f.Name]
	if !ok {
		return nil, fmt.Errorf("no file %s", f.Name)
	}
	return &memReader{m: m, batches: bs}, nil
}

func (m *memFiles) Create(level int, source datafile.Source) (compact.Writer, error) {
	if err := m.op(); err != nil {
		return nil, err
	}
	return &memWriter{m: m, level: level, source: source}, nil
}

func (m *memFiles) Delete(_ context.Context, f *datafile.Meta) error {
	if err := m.op(); err != nil {
		return err
	}
	if _, ok := m.files[f.Name]; !ok {
		return fmt.Errorf("no file %s", f.Name)
	}
	delete(m.files, f.Name)
	return nil
}

type memReader struct {
	m       *memFiles
	batches []*columnar.Batch
}

func (r *memReader) Next(context.Context) (*columnar.Batch, error) {
	if err := r.m.op(); err != nil {
		return nil, err
	}
	if len(r.batches) == 0 {
		return nil, io.EOF
	}
	b := r.batches[0]
	r.batches = r.batches[1:]
	return b, nil
}

func (r *memReader) Close() error { return nil }

type memWriter struct {
	m       *memFiles
	level   int
	source  datafile.Source
	rows    []*columnar.Batch // one row each
	made    []*datafile.Meta
	lastKey []byte
}

func (w *memWriter) Write(_ context.Context, b *columnar.Batch) error {
	if err := w.m.op(); err != nil {
		return err
	}
	b = b.Clone()
	keys := w.keys(b)
	for i := range b.N {
		k := row.AppendNormalized(nil, keys, i)
		if w.lastKey != nil && string(k) <= string(w.lastKey) {
			return fmt.Errorf("key %x behind %x", k, w.lastKey)
		}
		w.lastKey = k
		one := &columnar.Batch{}
		for _, c := range b.Cols {
			one.Cols = append(one.Cols, columnar.NewVector(c.Type, 1))
		}
		one.AppendSlotRange(b, i, i+1)
		if w.rows = append(w.rows, one); len(w.rows) == w.m.rows {
			w.end()
		}
	}
	return nil
}

func (w *memWriter) keys(b *columnar.Batch) []*columnar.Vector {
	var keys []*columnar.Vector
	for _, k := range w.m.key {
		keys = append(keys, b.Cols[k])
	}
	return keys
}

func (w *memWriter) end() {
	if len(w.rows) == 0 {
		return
	}
	b := w.rows[0].Clone()
	for _, r := range w.rows[1:] {
		b.Append(r)
	}
	w.m.next++
	f := &datafile.Meta{Name: fmt.Sprintf("f%d", w.m.next), Level: w.level, Source: w.source, RowCount: int64(b.N), SizeBytes: int64(b.N) * 10}
	f.MinKey, f.MaxKey = row.SerializeRow(w.keys(b), 0), row.SerializeRow(w.keys(b), b.N-1)
	seqs := b.Cols[len(b.Cols)-1].I64
	f.MinSequence, f.MaxSequence = slices.Min(seqs), slices.Max(seqs)
	for _, k := range b.Kinds {
		if k.Retract() {
			f.DeleteRowCount++
		}
	}
	w.m.files[f.Name] = w.rows
	w.made = append(w.made, f)
	w.rows = nil
}

func (w *memWriter) Finish(context.Context) ([]*datafile.Meta, error) {
	if err := w.m.op(); err != nil {
		return nil, err
	}
	w.end()
	return w.made, nil
}

func (w *memWriter) Abort(context.Context) error {
	for _, f := range w.made {
		delete(w.m.files, f.Name)
	}
	w.made = nil
	return nil
}

var bucketTypes = []types.Type{types.Of(types.Int).WithNotNull(true), types.String().WithNotNull(true), types.Of(types.Int), types.String()}

// write is a row that was written.
type write struct {
	k1   int64
	k2   string
	f    columnar.Value
	kind types.RowKind
	id   string
	seq  int64
}

func toBatch(ws []write) *columnar.Batch {
	b := columnar.NewBatch(bucketTypes, len(ws))
	for _, w := range ws {
		b.Cols[0].AppendI32(int32(w.k1))
		b.Cols[1].AppendString(w.k2)
		b.Cols[2].AppendValue(w.f)
		b.Cols[3].AppendString(w.id)
		b.Kinds = append(b.Kinds, w.kind)
		b.N++
	}
	return b
}

// texts is what readAll returns of folded writes.
func texts(ws []write) []string {
	var out []string
	for _, w := range ws {
		out = append(out, fmt.Sprintf("%s#%d", w.id, w.seq))
	}
	return out
}

// newest folds writes as the table does.
func newest(c *Config, ws []write) []write {
	all := slices.Clone(ws)
	slices.SortStableFunc(all, func(a, b write) int {
		if x := cmp.Or(cmp.Compare(a.k1, b.k1), strings.Compare(a.k2, b.k2)); x != 0 {
			return x
		}
		if len(c.SequenceFields) > 0 {
			if x := columnar.Compare(bucketTypes[2], a.f, b.f); x != 0 {
				return x
			}
		}
		return cmp.Compare(a.seq, b.seq)
	})
	var out []write
	for i, w := range all {
		last := i+1 == len(all) || all[i+1].k1 != w.k1 || all[i+1].k2 != w.k2
		if last && !w.kind.Retract() {
			out = append(out, w)
		}
	}
	return out
}

func readAll(t *testing.T, b *tree) []string {
	t.Helper()
	r := b.read(3, 4)
	var out []string
	for {
		rows, err := r.Next(context.Background())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rows = rows.Compact()
		for i := range rows.N {
			if rows.Kind(i).Retract() {
				t.Fatal("a retraction was returned")
			}
			out = append(out, fmt.Sprintf("%s#%d", rows.Cols[0].Bytes(i), rows.Cols[1].I64[i]))
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// table is the model: what is published, and what a bucket has added to it.
type table struct {
	t       *testing.T
	rng     *rand.Rand
	c       Config
	m       *memFiles
	live    []*datafile.Meta
	history []write // published
	// view is history and what the bucket has added. A full compaction folds it: a
	// retraction is forgotten then, and no longer wins over a row that is written
	// later with a lower sequence field.
	view    []write
	b       *tree
	budget  *membudget.Budget
	limit   int64
	written int
}

func newTable(t *testing.T, seed uint64) *table {
	rng := rand.New(rand.NewPCG(seed, 2))
	m := &memFiles{key: []int{0, 1}, files: map[string][]*columnar.Batch{}, rows: 1 + rng.IntN(30)}
	c := Config{
		Types: bucketTypes, Key: m.key, Files: m, NumLevels: 2 + rng.IntN(4), SmallBytes: rng.Int64N(300),
		Number: 3, TotalBuckets: 7, Partition: []byte("p"),
	}
	limit := rng.Int64N(20_000)
	var budget *membudget.Budget
	if rng.IntN(2) == 0 {
		budget = membudget.New(3000)
	}
	if rng.IntN(2) == 0 {
		c.SequenceFields = []int{2}
	}
	if rng.IntN(3) == 0 {
		c.Function = merge.Deduplicate{}
	}
	tab := &table{t: t, rng: rng, c: c, m: m, budget: budget, limit: limit}
	tab.open()
	return tab
}

func (x *table) open() {
	x.c.Existing = x.live
	var err error
	if x.b, err = openTree(x.c, x.budget, x.limit); err != nil {
		x.t.Fatal(err)
	}
	x.view = slices.Clone(x.history)
}

func (x *table) draw() []write {
	ws := make([]write, 1+x.rng.IntN(20))
	for i := range ws {
		ws[i] = write{
			k1: x.rng.Int64N(4), k2: fmt.Sprintf("key number %02d", x.rng.IntN(25)), f: columnar.IntValue(x.rng.Int64N(4)),
			kind: []types.RowKind{types.Insert, types.Insert, types.UpdateAfter, types.Delete}[x.rng.IntN(4)], id: fmt.Sprint("w", x.written),
		}
		if x.rng.IntN(6) == 0 {
			ws[i].f = columnar.NullValue
		}
		x.written++
	}
	return ws
}

// publish applies an increment as commit does: the append part, then the compact part.
func (x *table) publish(inc datafile.Increment) {
	x.t.Helper()
	if inc.Bucket != 3 || inc.TotalBuckets != 7 || string(inc.Partition) != "p" {
		x.t.Fatalf("increment of %+v", inc)
	}
	live := append(slices.Clone(x.live), inc.NewFiles...)
	for _, m := range inc.CompactBefore {
		i := slices.IndexFunc(live, func(f *datafile.Meta) bool { return f.Name == m.Name && f.Level == m.Level })
		if i < 0 {
			x.t.Fatalf("compaction deletes %s at level %d, which is not live", m.Name, m.Level)
		}
		live = slices.Delete(live, i, i+1)
	}
	x.live = append(live, inc.CompactAfter...)
	x.history = slices.Clone(x.view)
}

// checkFiles: what lies there is what is live, and what publishing keeps of older
// snapshots; nothing that no increment ever named.
func (x *table) checkFiles(named map[string]bool) {
	x.t.Helper()
	for _, m := range x.live {
		if x.m.files[m.Name] == nil {
			x.t.Fatalf("live file %s is gone", m.Name)
		}
	}
	for name := range x.m.files {
		if !named[name] {
			x.t.Fatalf("file %s was left behind", name)
		}
	}
}

// compactPicked compacts by a policy. When that folded all runs, retractions are gone.
func (x *table) compactPicked(p compact.Policy) {
	x.t.Helper()
	if err := x.b.compactPicked(context.Background(), p); err != nil {
		x.t.Fatal(err)
	}
	l := x.b.levels
	if len(l.Runs()) == 1 && l.HighestNonEmpty() == l.Max() {
		x.view = newest(&x.c, x.view)
	}
	if n := len(l.Runs()); n > p.Trigger {
		x.t.Fatalf("%d runs are left at a trigger of %d", n, p.Trigger)
	}
}

// TestModel runs random lists of operations and checks after each that the merged
// view is what a plain fold of all writes says.
func TestModel(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(60) {
		x := newTable(t, seed)
		named := map[string]bool{}
		for step := range 40 {
			switch op := x.rng.IntN(12); {
			case op < 5:
				ws := x.draw()
				first := x.b.next
				if err := x.b.write(ctx, toBatch(ws)); err != nil {
					t.Fatal(err)
				}
				for i := range ws {
					ws[i].seq = first + int64(i)
				}
				x.view = append(x.view, ws...)
			case op < 7:
				if err := x.b.compact(ctx); err != nil {
					t.Fatal(err)
				}
				x.view = newest(&x.c, x.view)
				for _, f := range x.b.levels.Files() {
					if f.Level != x.b.levels.Max() || f.HoldsDeletes() {
						t.Fatalf("after a compaction %s is at level %d with %d deletes", f.Name, f.Level, f.DeleteRowCount)
					}
				}
			case op < 9:
				if err := x.b.flush(ctx); err != nil {
					t.Fatal(err)
				}
				inc := x.b.increment()
				for _, m := range slices.Concat(inc.NewFiles, inc.CompactAfter) {
					named[m.Name] = true
				}
				x.publish(inc)
				x.checkFiles(named)
				if x.rng.IntN(2) == 0 {
					x.b.mem.Close()
					x.open()
				}
			case op < 11:
				policy := compact.Policy{Trigger: 1 + x.rng.IntN(4), SizeRatio: x.rng.IntN(100), MaxSizeAmplification: x.rng.IntN(300)}
				x.compactPicked(policy)
			default:
				if err := x.b.abort(ctx); err != nil {
					t.Fatal(err)
				}
				x.open()
				x.checkFiles(named)
			}
			if err := x.b.flush(ctx); err != nil {
				t.Fatal(err)
			}
			want := texts(newest(&x.c, x.view))
			if got := readAll(t, x.b); !slices.Equal(got, want) {
				t.Fatalf("seed %d step %d:\n got %v\nwant %v", seed, step, got, want)
			}
		}
		x.b.mem.Close()
		if x.budget.Used() != 0 {
			t.Fatalf("seed %d: %d bytes still reserved", seed, x.budget.Used())
		}
	}
}

// TestFailures fails the n-th operation on files, for n = 1, 2, … until all pass:
// nothing is lost and nothing is left behind.
func TestFailures(t *testing.T) {
	ctx := context.Background()
	for n := 1; ; n++ {
		x := newTable(t, 7)
		x.limit = 0
		x.open()
		work := func() error {
			for range 3 {
				ws := x.draw()
				first := x.b.next
				if err := x.b.write(ctx, toBatch(ws)); err != nil {
					return err
				}
				for i := range ws {
					ws[i].seq = first + int64(i)
				}
				x.view = append(x.view, ws...)
				if err := x.b.flush(ctx); err != nil {
					return err
				}
			}
			return x.b.compact(ctx)
		}
		x.m.failAt = n
		err := work()
		failed := x.m.ops >= n
		x.m.failAt = 0
		if !failed {
			return
		}
		if !errors.Is(err, errInjected) {
			t.Fatalf("n=%d: %v", n, err)
		}
		if err := x.b.flush(ctx); err != nil {
			t.Fatal(err)
		}
		if got, want := readAll(t, x.b), texts(newest(&x.c, x.view)); !slices.Equal(got, want) {
			t.Fatalf("n=%d:\n got %v\nwant %v", n, got, want)
		}
		if err := x.b.abort(ctx); err != nil {
			t.Fatal(err)
		}
		if len(x.m.files) > 0 {
			t.Fatalf("n=%d: left behind %v", n, slices.Collect(maps.Keys(x.m.files)))
		}
	}
}

func TestOpenFaults(t *testing.T) {
	m := &memFiles{}
	if _, err := Open(Config{Types: bucketTypes, Files: m}); err == nil {
		t.Error("a bucket without a key was opened")
	}
	bad := &datafile.Meta{Name: "bad", MinKey: []byte{1}, MaxKey: []byte{1}}
	if _, err := Open(Config{Types: bucketTypes, Key: []int{0}, Files: m, Existing: []*datafile.Meta{bad}}); err == nil {
		t.Error("a file with a damaged key was accepted")
	}
}
