package storage

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// taken is the rows that a write takes out of an append table, which has no keys:
// each stands for one equal row, whichever it is. What a write leaves is therefore
// the table's rows, plus those added, less those taken, in whatever order. Files
// that hold a taken row are written anew without it.
type taken struct {
	log        []takenRow        // in the order in which they were taken
	partitions map[string]string // each partition's bytes once
	mem        *membudget.Holder
	bytes      int64 // that the log takes
	scratch    []byte
}

// takenRow is the bytes of a row, and of its partition.
type takenRow struct{ row, partition string }

// takenBytes is what a taken row costs beside its bytes: its place here and in wanted.
const takenBytes = 96

// Take takes the live rows of b, which have all columns in schema order and are
// what a scan of this write's view, with ScanOptions.Pending or without, returned,
// out of an append table; UPDATE adds the changed rows with Add. A write that takes
// rows of the view is published alone, as an OVERWRITE snapshot; ErrWriteConflict
// when a file that holds one was rewritten meanwhile.
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
	t := &w.taken
	if t.partitions == nil {
		t.partitions, t.mem = map[string]string{}, w.v.t.env.budget.Holder("what the statement takes out of table "+w.v.t.Name())
	}
	b = b.Compact()
	parts := make([]*columnar.Vector, 0, len(w.v.schema.PartitionKeys))
	for _, i := range w.v.schema.PartitionIndexes() {
		parts = append(parts, b.Cols[i])
	}
	size := int64(0)
	for i := range b.N {
		t.scratch = row.AppendRow(t.scratch[:0], b.Cols, i)
		name := row.SerializeRow(parts, i)
		part, ok := t.partitions[string(name)]
		if !ok {
			part = string(name)
			t.partitions[part] = part
		}
		t.log = append(t.log, takenRow{string(t.scratch), part})
		size += int64(len(t.scratch)) + takenBytes
	}
	t.bytes += size
	return t.mem.To(t.bytes)
}

// rewind forgets the rows taken since there were n.
func (t *taken) rewind(n int) {
	if n >= len(t.log) {
		return
	}
	size := int64(0)
	for _, r := range t.log[n:] {
		size += int64(len(r.row)) + takenBytes
	}
	clear(t.log[n:])
	t.log = t.log[:n]
	if t.bytes -= size; t.bytes == 0 {
		t.mem.Close()
	}
}

// wanted is rows that are still to be found, in files or elsewhere.
type wanted struct {
	rows       map[string]*sought // by the bytes of a row
	partitions map[string]int64   // how many of each partition
	left       int64              // of all
	scratch    []byte
}

// sought is one of several equal rows.
type sought struct {
	n         int64
	partition string
}

func (t *taken) wanted() *wanted {
	w := &wanted{rows: map[string]*sought{}, partitions: map[string]int64{}, left: int64(len(t.log))}
	for _, r := range t.log {
		s := w.rows[r.row]
		if s == nil {
			s = &sought{partition: r.partition}
			w.rows[r.row] = s
		}
		s.n++
		w.partitions[r.partition]++
	}
	return w
}

func (w *wanted) find(b *columnar.Batch, i int) *sought {
	w.scratch = row.AppendRow(w.scratch[:0], b.Cols, i)
	if s := w.rows[string(w.scratch)]; s != nil && s.n > 0 {
		return s
	}
	return nil
}

// keep returns the rows of b that are not wanted, and strikes out those that are.
func (w *wanted) keep(b *columnar.Batch) (rows []int32, found bool) {
	for i := range b.N {
		s := w.find(b, i)
		if s == nil {
			rows = append(rows, int32(i))
			continue
		}
		s.n--
		w.partitions[s.partition]--
		w.left--
		found = true
	}
	return rows, found
}

// holds reports whether a file has a wanted row.
func (w *wanted) holds(ctx context.Context, bf *bucketFiles, m *datafile.Meta) (found bool, err error) {
	r, err := bf.Open(ctx, m)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		b, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		b = b.Compact()
		for i := range b.N {
			if w.find(b, i) != nil {
				return true, nil
			}
		}
	}
}

// rewriteFile copies what is left of a file without the wanted rows; found is false,
// and nothing made, when it holds none.
func (w *Write) rewriteFile(ctx context.Context, e *manifest.Entry, left *wanted) (made []*datafile.Meta, found bool, err error) {
	bf := &bucketFiles{v: w.v, partition: e.Partition, bucket: e.Bucket}
	if found, err = left.holds(ctx, bf, e.File); err != nil || !found {
		return nil, false, err
	}
	r, err := bf.Open(ctx, e.File)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	out, err := bf.writer(0, datafile.FromCompact, e.File.MinSequence)
	if err != nil {
		return nil, false, err
	}
	if err = w.copyKept(ctx, r, out, left); err == nil {
		made, err = out.Finish(ctx)
	}
	if err != nil {
		return nil, false, errors.Join(err, out.Abort(context.WithoutCancel(ctx)))
	}
	return made, true, nil
}

// copyKept writes the rows of r that are not wanted.
func (w *Write) copyKept(ctx context.Context, r columnar.Reader, out *datafile.Writer, left *wanted) error {
	for {
		b, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		b = b.Compact()
		rows, hit := left.keep(b)
		if hit {
			kept := columnar.NewBatch(w.v.layout.Types(), len(rows))
			kept.AppendSlots(b, rows)
			b = kept
		}
		if b.N == 0 {
			continue
		}
		if err := out.Write(ctx, b); err != nil {
			return err
		}
	}
}
