package write

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/internal/parallel"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/lsm/memtable"
	"github.com/lakesql/lakesql/storage/lsm/merge"
)

// builder turns the rows of buckets into files. Safe for many goroutines.
type builder struct {
	store   fileio.Store
	formats map[string]format.Format
	budget  *membudget.Budget
	now     func() time.Time
	threads int

	mu   sync.Mutex
	idle []*memtable.Table // empty ones, of layout
	of   *Layout
}

// built is the files made of a bucket's rows.
type built struct {
	bucket   Bucket
	firstSeq int64 // number of the first row
	nextSeq  int64 // one above that of the last
	files    []*datafile.Meta
	paths    []string
	index    []datafile.IndexFile // the bucket's new hash index, if it has got new keys
}

// job is the rows of a bucket, oldest batch first, and the number of the first.
type job struct {
	bucket   Bucket
	batches  []*columnar.Batch
	firstSeq int64
}

// run makes the files of several buckets, some at a time. Either all are made, or
// none is left.
func (b *builder) run(ctx context.Context, l *Layout, jobs []job) ([]*built, error) {
	out := make([]*built, len(jobs))
	g, gctx := parallel.WithContext(ctx)
	g.SetLimit(b.threads)
	for i := range jobs {
		g.Go(func() (err error) {
			out[i], err = b.one(gctx, l, &jobs[i])
			return err
		})
	}
	if err := g.Wait(); err != nil {
		for _, f := range out {
			if f != nil {
				err = errors.Join(err, b.discard(ctx, f))
			}
		}
		return nil, err
	}
	return out, nil
}

// discard removes files that were not published.
func (b *builder) discard(ctx context.Context, f *built) error {
	var errs []error
	for _, p := range f.paths {
		errs = append(errs, b.store.Delete(context.WithoutCancel(ctx), p))
	}
	f.files, f.paths, f.index = nil, nil, nil
	return errors.Join(errs...)
}

func (b *builder) one(ctx context.Context, l *Layout, j *job) (*built, error) {
	dir, err := l.paths.BucketDir([]byte(j.bucket.Partition), int(j.bucket.Number))
	if err != nil {
		return nil, err
	}
	out := &built{bucket: j.bucket, firstSeq: j.firstSeq, nextSeq: j.firstSeq}
	run := func(rows func(w *datafile.Writer) error) error {
		w, err := datafile.NewWriter(datafile.WriterConfig{
			Store: b.store, Dir: dir, Names: l.names, Formats: b.formats, Layout: l.level0, Source: datafile.FromAppend,
			Lean: l.Keyed(), FirstSequence: j.firstSeq, Now: b.now(),
		})
		if err != nil {
			return err
		}
		if err := rows(w); err != nil {
			return errors.Join(err, w.Abort(context.WithoutCancel(ctx)))
		}
		files, err := w.Finish(ctx)
		if err != nil {
			return errors.Join(err, w.Abort(context.WithoutCancel(ctx)))
		}
		out.files = append(out.files, files...)
		out.paths = append(out.paths, w.Paths()...)
		return nil
	}
	if l.Keyed() {
		err = b.sorted(ctx, l, j, out, run)
	} else {
		err = run(func(w *datafile.Writer) error { return appended(ctx, w, j, out) })
	}
	if err != nil {
		return nil, errors.Join(err, b.discard(ctx, out))
	}
	return out, nil
}

// appended writes rows as they come.
func appended(ctx context.Context, w *datafile.Writer, j *job, out *built) error {
	for _, batch := range j.batches {
		if err := w.Write(ctx, batch); err != nil {
			return err
		}
		out.nextSeq += int64(batch.Rows())
	}
	return nil
}

// sorted writes rows as a sorted run, or several when memory does not hold all.
func (b *builder) sorted(ctx context.Context, l *Layout, j *job, out *built, run func(func(*datafile.Writer) error) error) error {
	m, err := b.table(l)
	if err != nil {
		return err
	}
	defer func() { b.giveBack(l, m) }()
	flush := func() error {
		defer m.Reset()
		return run(func(w *datafile.Writer) error {
			return m.Flush(func(batch *columnar.Batch) error { return w.Write(ctx, batch) })
		})
	}
	for _, batch := range j.batches {
		err := m.Adopt(batch, out.nextSeq)
		if errors.Is(err, memtable.ErrFull) {
			if err = flush(); err == nil {
				err = m.Adopt(batch, out.nextSeq)
			}
		}
		if err != nil {
			return err
		}
		out.nextSeq += int64(batch.Rows())
	}
	return flush()
}

// table takes an idle memtable or makes one.
func (b *builder) table(l *Layout) (*memtable.Table, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of != l {
		for _, m := range b.idle {
			m.Close()
		}
		b.idle, b.of = nil, l
	}
	if n := len(b.idle); n > 0 {
		m := b.idle[n-1]
		b.idle = b.idle[:n-1]
		return m, nil
	}
	m, err := memtable.New(memtable.Config{
		Types: l.types, Key: l.key, SequenceFields: l.sequence, Descending: l.Options.Merge.Descending,
		Function: l.function(), Budget: b.budget,
	})
	if err != nil {
		return nil, fmt.Errorf("write rows: %w", err)
	}
	return m, nil
}

func (b *builder) giveBack(l *Layout, m *memtable.Table) {
	m.Reset()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of == l && len(b.idle) < b.threads {
		b.idle = append(b.idle, m)
		return
	}
	m.Close()
}

// function is the merge function of the table; nil: the newest version wins.
func (l *Layout) function() merge.Function {
	if l.Options.Merge.IgnoreDelete {
		return merge.Deduplicate{IgnoreDelete: true}
	}
	return nil
}
