package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
)

func nothing() error { return nil }

// write measures so many commits of all rows into a new table.
func (r *run) write(ctx context.Context) error {
	var t *storage.Table
	name := "write"
	return r.measure(ctx, "write", map[string]any{"write-only": true, "checkpoints": r.Checkpoints},
		func() (err error) {
			t, err = r.table(ctx, name, nil)
			return err
		},
		func() (int64, error) { return r.Rows, r.load(ctx, t, r.Checkpoints) },
		func() (int64, error) { return liveBytes(ctx, t) },
		func() error { return storage.Drop(ctx, r.env, r.dir(name)) })
}

// liveBytes is the size of the data files of the newest snapshot.
func liveBytes(ctx context.Context, t *storage.Table) (int64, error) {
	v, err := t.View(ctx, storage.ViewOptions{})
	if err != nil {
		return 0, err
	}
	defer v.Close()
	files, err := v.Files(ctx)
	if err != nil {
		return 0, err
	}
	var n int64
	for i := range files {
		n += files[i].SizeBytes
	}
	return n, nil
}

// prepared returns a table with all rows in so many sorted runs: one of another
// engine, or one of our own; 0 is fully compacted.
func (r *run) prepared(ctx context.Context, kind string, runs int) (*storage.Table, string, error) {
	name := fmt.Sprintf("%s_%d", kind, runs)
	if r.From != "" {
		t, err := storage.Open(ctx, r.env, filepath.ToSlash(filepath.Join(r.From, name)))
		return t, name, err
	}
	t, err := r.table(ctx, name, nil)
	if err != nil {
		return nil, name, err
	}
	if err := r.load(ctx, t, max(runs, 10)); runs == 0 || err != nil {
		if err == nil {
			_, err = t.Compact(ctx, storage.CompactOptions{Full: true})
		}
		return t, name, err
	}
	if runs >= 10 {
		return t, name, nil
	}
	// Fewer than ten runs: load again in that many commits.
	if err := storage.Drop(ctx, r.env, r.dir(name)); err != nil {
		return nil, name, err
	}
	if t, err = r.table(ctx, name, nil); err != nil {
		return nil, name, err
	}
	return t, name, r.load(ctx, t, runs)
}

func (r *run) mergeRead(ctx context.Context) error {
	rows, sum := r.expected()
	for _, runs := range r.SortedRuns {
		t, name, err := r.prepared(ctx, "merge_read", runs)
		if err != nil {
			return err
		}
		for _, cols := range [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 2}} {
			params := map[string]any{"sorted-runs": runs, "input-rows": r.Rows, "columns": len(cols), "from": r.From}
			err := r.measure(ctx, "merge-read", params, nothing,
				func() (int64, error) {
					n, s, err := r.scan(ctx, t, cols, slices.Index(cols, 2))
					if err == nil && (n != rows || s != sum) {
						err = fmt.Errorf("read %d rows and sum %d, want %d and %d", n, s, rows, sum)
					}
					return n, err
				},
				func() (int64, error) { return liveBytes(ctx, t) }, nothing)
			if err != nil {
				return err
			}
		}
		if r.From == "" {
			if err := r.drop(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// scan reads columns of a table with all threads and looks at every value.
func (r *run) scan(ctx context.Context, t *storage.Table, cols []int, sumOf int) (rows, sum int64, err error) {
	v, err := t.View(ctx, storage.ViewOptions{})
	if err != nil {
		return 0, 0, err
	}
	defer v.Close()
	s, err := v.Scan(ctx, storage.ScanOptions{Columns: cols})
	if err != nil {
		return 0, 0, err
	}
	var next, total, n atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range r.Threads {
		g.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(s.Splits()) {
					return nil
				}
				a, b, err := drain(ctx, s, i, sumOf)
				if err != nil {
					return err
				}
				n.Add(a)
				total.Add(b)
			}
		})
	}
	err = g.Wait()
	return n.Load(), total.Load(), err
}

func drain(ctx context.Context, s *storage.Scan, split, sumOf int) (rows, sum int64, err error) {
	rd, err := s.Open(ctx, split)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, rd.Close()) }()
	for {
		b, err := rd.Next(ctx)
		if errors.Is(err, io.EOF) {
			return rows, sum, nil
		}
		if err != nil {
			return rows, sum, err
		}
		rows += int64(b.Rows())
		v := b.Cols[sumOf]
		if b.Sel == nil {
			for _, x := range v.I64[:b.N] {
				sum += x
			}
			continue
		}
		for _, i := range b.Sel {
			sum += v.I64[i]
		}
	}
}

// compact measures a full compaction of all buckets.
func (r *run) compact(ctx context.Context) error {
	for _, runs := range r.CompactRuns {
		var t *storage.Table
		name := fmt.Sprintf("compact_%d", runs)
		err := r.measure(ctx, "compact", map[string]any{"sorted-runs": runs},
			func() (err error) {
				t, name, err = r.prepared(ctx, "compact", runs)
				return err
			},
			func() (int64, error) {
				_, err := t.Compact(ctx, storage.CompactOptions{Full: true})
				return r.Rows, err
			},
			func() (int64, error) { return liveBytes(ctx, t) },
			func() error { return storage.Drop(ctx, r.env, r.dir(name)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// commit measures commits of one row each by one client, at the beginning and
// after Before snapshots.
func (r *run) commit(ctx context.Context) error {
	name := "commit"
	t, err := r.table(ctx, name, map[string]string{"bucket": "1", "snapshot.num-retained.max": "100000", "snapshot.num-retained.min": "100000"})
	if err != nil {
		return err
	}
	batch := columnar.NewBatch(fieldTypes(), 1)
	row := int64(0)
	some := func(n int) ([]time.Duration, error) {
		took := make([]time.Duration, n)
		for i := range took {
			begin := time.Now()
			if err := r.loadRange(ctx, t, batch, row, row+1); err != nil {
				return nil, err
			}
			took[i] = time.Since(begin)
			row++
		}
		return took, nil
	}
	if _, err := some(r.Before); err != nil {
		return err
	}
	took, err := some(r.Commits)
	if err != nil {
		return err
	}
	var total time.Duration
	for _, d := range took {
		total += d
	}
	slices.Sort(took)
	params := map[string]any{
		"snapshots-before": r.Before, "durable": true,
		"p50_us": took[len(took)/2].Microseconds(), "p99_us": took[len(took)*99/100].Microseconds(),
	}
	if err := r.report("commit", int64(r.Commits), total.Seconds(), r.bytesBelow(name, "data-"), params); err != nil {
		return err
	}
	return r.drop(ctx, name)
}
