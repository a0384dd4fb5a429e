package metamorphic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/expire"
	"github.com/lakesql/lakesql/tests/harness"
)

const tableDir = "/wh/default.db/t"

// runner runs operations over the table of one variant.
type runner struct {
	f     flavour
	v     variant
	store *mem.Store
	clock atomic.Int64 // ms, one second a step
	env   *storage.Env
	tb    *storage.Table

	last     snapshot.ID
	versions map[snapshot.ID]*content
	tags     map[string]*content
	compact  bool // nothing was written since a full compaction
}

func newRunner(ctx context.Context, f flavour, v variant) (*runner, error) {
	r := &runner{f: f, v: v, versions: map[snapshot.ID]*content{}, tags: map[string]*content{}}
	r.clock.Store(1_700_000_000_000)
	r.store = mem.New(r.now)
	r.open()
	var err error
	r.tb, err = storage.Create(ctx, r.env, tableDir, definition(f, v))
	return r, err
}

func (r *runner) now() time.Time { return time.UnixMilli(r.clock.Load()) }

func (r *runner) open() {
	r.env = storage.NewEnv(storage.Config{Store: r.store, Now: r.now, MemoryBytes: r.v.memoryBytes})
}

func (r *runner) close() { r.env.Close() }

// step runs an operation and holds its answer against the model's.
func (r *runner) step(ctx context.Context, o *op) error {
	r.clock.Add(1000)
	if err := r.do(ctx, o); err != nil {
		return err
	}
	return r.note(ctx, o)
}

func (r *runner) do(ctx context.Context, o *op) error {
	switch o.kind {
	case opWrite, opOver:
		_, err := harness.Write(ctx, r.tb, storage.WriteOptions{Overwrite: o.over}, o.rows, o.kinds)
		return err
	case opPending:
		return r.pending(ctx, o)
	case opConflict:
		return r.conflict(ctx, o)
	case opCompact:
		_, err := r.tb.Compact(ctx, storage.CompactOptions{Full: o.full})
		return err
	case opAlter:
		_, err := r.tb.Alter(ctx, o.changes)
		return err
	case opExpire:
		_, err := r.tb.ExpireSnapshots(ctx, expire.Options{RetainMin: 1, RetainMax: o.retain, OlderThanMillis: r.clock.Load()})
		return err
	case opTag:
		if r.last == 0 {
			return nil
		}
		r.tags[o.tag] = r.versions[r.last]
		return r.tb.CreateTag(ctx, o.tag, 0, 0)
	case opUntag:
		if r.tags[o.tag] == nil {
			return nil
		}
		delete(r.tags, o.tag)
		return r.tb.DeleteTag(ctx, o.tag)
	case opReopen:
		r.close()
		r.open()
		var err error
		r.tb, err = storage.Open(ctx, r.env, tableDir)
		return err
	case opScan:
		return r.scan(ctx, o)
	case opTravel:
		return r.travel(ctx, o)
	}
	return fmt.Errorf("no such operation: %s", o.kind)
}

// note records the content of the newest snapshot, and reads the table.
func (r *runner) note(ctx context.Context, o *op) error {
	v, err := r.tb.View(ctx, storage.ViewOptions{})
	if err != nil {
		return err
	}
	defer v.Close()
	if s := v.Snapshot(); s != nil && s.ID != r.last {
		r.last = s.ID
		r.versions[s.ID] = o.after
		r.compact = false
	}
	switch o.kind {
	case opCompact:
		r.compact = o.full
	case opAlter:
		r.compact = false // the top level follows num-levels, which follows the trigger
	}
	switch o.kind {
	case opScan, opTravel, opTag, opUntag:
		return nil
	}
	if err := r.whole(ctx, v, storage.ScanOptions{}, o.after); err != nil {
		return err
	}
	if r.compact && r.f.keyed {
		if err := r.whole(ctx, v, storage.ScanOptions{ReadOptimized: true}, o.after); err != nil {
			return fmt.Errorf("read optimized: %w", err)
		}
	}
	rows, exact, err := v.RowCount(ctx)
	if err != nil {
		return err
	}
	if n := int64(len(o.after.rows)); rows < n || exact && rows != n {
		return fmt.Errorf("row count %d (exact: %t), there are %d", rows, exact, n)
	}
	return nil
}

// whole reads all of a view and compares.
func (r *runner) whole(ctx context.Context, v *storage.View, o storage.ScanOptions, want *content) error {
	fields := v.Schema().Fields
	if len(fields) != len(want.fields) {
		return fmt.Errorf("%d columns, want %d", len(fields), len(want.fields))
	}
	o.Columns = harness.All(fields)
	s, err := v.Scan(ctx, o)
	if err != nil {
		return err
	}
	rows, err := harness.ReadAll(ctx, s.Reader())
	if err != nil {
		return err
	}
	if d := harness.Differ(harness.Texts(want.fields, rows), want.texts()); d != "" {
		return errors.New(d)
	}
	return nil
}

func (r *runner) pending(ctx context.Context, o *op) error {
	v, err := r.tb.View(ctx, storage.ViewOptions{})
	if err != nil {
		return err
	}
	defer v.Close()
	w := v.Write(storage.WriteOptions{})
	fields := v.Schema().Fields
	err = func() error {
		if err := w.Add(ctx, harness.Batch(fields, o.rows, o.kinds)); err != nil {
			return err
		}
		if err := r.whole(ctx, v, storage.ScanOptions{Pending: w}, o.seen[0]); err != nil {
			return fmt.Errorf("own rows: %w", err)
		}
		mark := w.Mark()
		if err := w.Add(ctx, harness.Batch(fields, o.more, o.moreKinds)); err != nil {
			return err
		}
		if err := r.whole(ctx, v, storage.ScanOptions{Pending: w}, o.seen[1]); err != nil {
			return fmt.Errorf("own rows of two statements: %w", err)
		}
		w.Rewind(mark)
		if err := r.whole(ctx, v, storage.ScanOptions{Pending: w}, o.seen[0]); err != nil {
			return fmt.Errorf("own rows after the second was taken back: %w", err)
		}
		return nil
	}()
	if err != nil || !o.commit {
		w.Abort()
		return err
	}
	_, err = w.Commit(ctx)
	return err
}

func (r *runner) conflict(ctx context.Context, o *op) error {
	v, err := r.tb.View(ctx, storage.ViewOptions{})
	if err != nil {
		return err
	}
	defer v.Close()
	slow := v.Write(storage.WriteOptions{ReadModify: true})
	if err := slow.Add(ctx, harness.Batch(v.Schema().Fields, o.more, o.moreKinds)); err != nil {
		return err
	}
	if _, err := harness.Write(ctx, r.tb, storage.WriteOptions{}, o.rows, o.kinds); err != nil {
		return err
	}
	_, err = slow.Commit(ctx)
	if o.overlap {
		if !errors.Is(err, storage.ErrWriteConflict) {
			return fmt.Errorf("a key was written since it was read, commit says: %s", fmt.Sprint(err))
		}
		return nil
	}
	return err
}

// scan reads some columns with a filter, whose columns are read too so that it can
// be applied.
func (r *runner) scan(ctx context.Context, o *op) error {
	v, err := r.tb.View(ctx, storage.ViewOptions{})
	if err != nil {
		return err
	}
	defer v.Close()
	columns := slices.Clone(o.columns)
	for _, c := range columnsOf(o.filter, nil) {
		if !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
	}
	s, err := v.Scan(ctx, storage.ScanOptions{Columns: columns, Filter: typed(o.filter, v)})
	if err != nil {
		return err
	}
	var got []string
	want := o.after
	fields := v.Schema().FieldsOf(columns)
	keep := func(part harness.Row) {
		full := make(harness.Row, len(want.fields))
		for i, c := range columns {
			full[c] = part[i]
		}
		if eval(o.filter, full) == yes {
			got = append(got, part.Text(fields))
		}
	}
	if len(columns) == 0 {
		n, err := count(ctx, s.Reader())
		if err != nil || n != len(want.rows) {
			return fmt.Errorf("%d rows without columns, want %d: %w", n, len(want.rows), err)
		}
		return nil
	}
	for i := range s.Splits() { // in any order: from the last
		reader, err := s.Open(ctx, len(s.Splits())-1-i)
		if err != nil {
			return err
		}
		rows, err := harness.ReadAll(ctx, reader)
		if err != nil {
			return err
		}
		for _, row := range rows {
			keep(row)
		}
	}
	var texts []string
	for _, row := range want.rows {
		if eval(o.filter, row) == yes {
			part := make(harness.Row, len(columns))
			for i, c := range columns {
				part[i] = row[c]
			}
			texts = append(texts, part.Text(fields))
		}
	}
	slices.Sort(got)
	slices.Sort(texts)
	if d := harness.Differ(got, texts); d != "" {
		return errors.New(d)
	}
	return nil
}

// typed is a filter with the column types that the table has.
func typed(n *predicate.Node, v *storage.View) *predicate.Node {
	if n == nil {
		return nil
	}
	out := *n
	out.Children = nil
	for _, c := range n.Children {
		out.Children = append(out.Children, typed(c, v))
	}
	if len(n.Children) == 0 && n.Op != predicate.OpAnd && n.Op != predicate.OpOr {
		out.Type = v.Schema().Fields[n.Column].Type
	}
	return &out
}

func columnsOf(n *predicate.Node, to []int) []int {
	if n == nil {
		return to
	}
	if n.Op == predicate.OpAnd || n.Op == predicate.OpOr {
		for _, c := range n.Children {
			to = columnsOf(c, to)
		}
		return to
	}
	return append(to, n.Column)
}

func count(ctx context.Context, r columnar.Reader) (n int, err error) {
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		b, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n += b.Rows()
	}
}

// travel reads a snapshot and all tags.
func (r *runner) travel(ctx context.Context, o *op) error {
	snaps, err := r.tb.Snapshots(ctx)
	if err != nil {
		return err
	}
	if len(snaps) > 0 {
		s := snaps[o.pick%uint64(len(snaps))]
		as := storage.AsOf{Version: fmt.Sprint(s.ID)}
		if o.pick&(1<<40) != 0 {
			as = storage.AsOf{TimeMillis: &s.TimeMillis}
		}
		if want := r.versions[s.ID]; want != nil {
			if err := r.at(ctx, as, want); err != nil {
				return fmt.Errorf("snapshot %d: %w", s.ID, err)
			}
		}
	}
	for name, want := range r.tags {
		if err := r.at(ctx, storage.AsOf{Version: name}, want); err != nil {
			return fmt.Errorf("tag %s: %w", name, err)
		}
	}
	return nil
}

func (r *runner) at(ctx context.Context, as storage.AsOf, want *content) error {
	v, err := r.tb.View(ctx, storage.ViewOptions{AsOf: as})
	if err != nil {
		return err
	}
	defer v.Close()
	return r.whole(ctx, v, storage.ScanOptions{}, want)
}

// finish checks the table offline.
func (r *runner) finish(ctx context.Context) error {
	faults, orphans, err := harness.Check(ctx, r.env, tableDir)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		return fmt.Errorf("check: %s", faults[0])
	}
	if orphans != "" {
		return fmt.Errorf("check: %s", orphans)
	}
	return nil
}
