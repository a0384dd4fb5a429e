package storage

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// taken is the rows that a write takes out of an append table, which has no keys:
// each stands for one equal row, whichever it is. Files that hold one are written
// anew without it.
type taken struct {
	rows       map[string]int64 // by the bytes of a row: how many are still to be found
	partitions map[string]bool
	left       int64 // sum of rows
	scratch    []byte
}

// Take takes the live rows of b, which have all columns in schema order and are
// what a scan of this write's view returned, out of an append table; UPDATE adds
// the changed rows with Add. A write that takes rows is published alone, as an
// OVERWRITE snapshot; ErrWriteConflict when a file that holds one was rewritten
// meanwhile. Scans with ScanOptions.Pending do not see it.
func (w *Write) Take(ctx context.Context, b *columnar.Batch) error {
	if w.err != nil {
		return w.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.v.schema.HasPrimaryKey() {
		return fmt.Errorf("table %s has a primary key: its rows are deleted by rows of kind -D", w.v.t.Name())
	}
	if w.taken == nil {
		w.taken = &taken{rows: map[string]int64{}, partitions: map[string]bool{}}
	}
	b = b.Compact()
	parts := make([]*columnar.Vector, 0, len(w.v.schema.PartitionKeys))
	for _, i := range w.v.schema.PartitionIndexes() {
		parts = append(parts, b.Cols[i])
	}
	for i := range b.N {
		w.taken.rows[string(w.taken.key(b, i))]++
		w.taken.partitions[string(row.SerializeRow(parts, i))] = true
	}
	w.taken.left += int64(b.N)
	return nil
}

// key is the bytes of a row, valid until the next call.
func (t *taken) key(b *columnar.Batch, i int) []byte {
	t.scratch = row.AppendRow(t.scratch[:0], b.Cols, i)
	return t.scratch
}

// keep returns the rows of b that are not taken; none may be left.
func (t *taken) keep(b *columnar.Batch) (rows []int32, found bool) {
	for i := range b.N {
		if k := t.key(b, i); t.rows[string(k)] > 0 {
			t.rows[string(k)]--
			t.left--
			found = true
			continue
		}
		rows = append(rows, int32(i))
	}
	return rows, found
}

// commitTaken publishes a write that takes rows.
func (w *Write) commitTaken(ctx context.Context) ([]*snapshot.Snapshot, error) {
	incs, err := w.rewrite(ctx)
	if err == nil && w.taken.left > 0 {
		err = fmt.Errorf("%d rows to take out are not in the table", w.taken.left)
	}
	if err != nil {
		return nil, errors.Join(err, w.discardIncrements(ctx, incs))
	}
	added, err := w.v.t.publisher.Preview(ctx, w.st, w.v.snap)
	if err != nil {
		return nil, errors.Join(err, w.discardIncrements(ctx, incs))
	}
	incs = joinIncrements(incs, added.Increments())
	res, err := w.v.t.committerOf(w.v.layout).Commit(ctx, commit.Request{
		Increments: incs, User: uuid.NewString(), Identifier: snapshot.BatchIdentifier, Operation: w.st.Operation, Rewrite: true,
	})
	if err != nil {
		if !errors.Is(err, commit.ErrUnknownOutcome) {
			err = errors.Join(err, w.discardIncrements(ctx, incs))
		}
		if errors.Is(err, commit.ErrConflict) {
			err = fmt.Errorf("%w: %w", ErrWriteConflict, err)
		}
		return nil, err
	}
	w.v.t.published(ctx, w.v.layout, res.Snapshots)
	return res.Snapshots, nil
}

// rewrite writes the files that hold a taken row anew, those of each partition
// until all are found.
func (w *Write) rewrite(ctx context.Context) ([]datafile.Increment, error) {
	if w.v.snap == nil {
		return nil, nil
	}
	live, err := w.v.t.manifests.ReadLive(ctx, w.v.snap, manifest.Filter{
		Partition: func(p []byte) bool { return w.taken.partitions[string(p)] },
	})
	if err != nil {
		return nil, err
	}
	var incs []datafile.Increment
	for _, e := range live {
		if w.taken.left == 0 {
			break
		}
		made, found, err := w.rewriteFile(ctx, e)
		if err != nil {
			return incs, err
		}
		if found {
			incs = joinIncrements(incs, []datafile.Increment{{
				Partition: e.Partition, Bucket: e.Bucket, TotalBuckets: e.TotalBuckets,
				CompactBefore: []*datafile.Meta{e.File}, CompactAfter: made,
			}})
		}
	}
	return incs, nil
}

// rewriteFile copies what is left of a file; found is false, and nothing made,
// when it holds no taken row.
func (w *Write) rewriteFile(ctx context.Context, e *manifest.Entry) (made []*datafile.Meta, found bool, err error) {
	bf := &bucketFiles{v: w.v, partition: e.Partition, bucket: e.Bucket}
	r, err := bf.Open(ctx, e.File)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	var waiting []*columnar.Batch // rows before the first taken one
	var out *datafile.Writer
	for {
		b, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			b = b.Compact()
			rows, hit := w.taken.keep(b)
			kept := columnar.NewBatch(w.v.layout.Types(), len(rows))
			kept.AppendSlots(b, rows)
			waiting, found = append(waiting, kept), found || hit
			if found {
				out, err = w.write(ctx, bf, e.File, out, waiting)
				waiting = waiting[:0]
			}
		}
		if err != nil {
			if out != nil {
				err = errors.Join(err, out.Abort(context.WithoutCancel(ctx)))
			}
			return nil, false, err
		}
	}
	if !found {
		return nil, false, nil
	}
	made, err = out.Finish(ctx)
	if err != nil {
		return nil, false, errors.Join(err, out.Abort(context.WithoutCancel(ctx)))
	}
	return made, true, nil
}

// write appends batches to a writer, which it makes for the first.
func (w *Write) write(ctx context.Context, bf *bucketFiles, old *datafile.Meta, out *datafile.Writer, batches []*columnar.Batch) (*datafile.Writer, error) {
	if out == nil {
		var err error
		if out, err = bf.writer(0, datafile.FromCompact, old.MinSequence); err != nil {
			return nil, err
		}
	}
	for _, b := range batches {
		if err := out.Write(ctx, b); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (w *Write) discardIncrements(ctx context.Context, incs []datafile.Increment) error {
	c := compaction{v: w.v}
	return c.discard(ctx, incs)
}

// joinIncrements adds increments to a list that has one for each bucket.
func joinIncrements(list, more []datafile.Increment) []datafile.Increment {
	for _, m := range more {
		i := 0
		for i < len(list) && (list[i].Bucket != m.Bucket || string(list[i].Partition) != string(m.Partition)) {
			i++
		}
		if i == len(list) {
			list = append(list, m)
			continue
		}
		list[i].NewFiles = append(list[i].NewFiles, m.NewFiles...)
		list[i].CompactBefore = append(list[i].CompactBefore, m.CompactBefore...)
		list[i].CompactAfter = append(list[i].CompactAfter, m.CompactAfter...)
	}
	return list
}
