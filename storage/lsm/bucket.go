package lsm

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/lsm/compact"
	"github.com/lakesql/lakesql/storage/lsm/level"
	"github.com/lakesql/lakesql/storage/lsm/memtable"
	"github.com/lakesql/lakesql/storage/lsm/merge"
	"github.com/lakesql/lakesql/storage/types"
)

// Files reads, writes and removes the data files of a bucket.
type Files interface {
	compact.Files
	// Delete removes a file that no snapshot names.
	Delete(ctx context.Context, m *datafile.Meta) error
}

// Config describes a bucket.
type Config struct {
	Partition    []byte // serialised partition row
	Number       int    // of the bucket
	TotalBuckets int    // in force; -1 for dynamic buckets

	// Types are the types of the table's columns; Key are those of the trimmed
	// primary key, in key order.
	Types []types.Type
	Key   []int
	// SequenceFields are the columns of sequence.field; Descending its sort order.
	SequenceFields []int
	Descending     bool
	// Function folds the versions of a key; nil: the newest wins.
	Function merge.Function

	// Existing are the live files of the bucket. A bucket that only writes may leave
	// them out and set NextSequence.
	Existing []*datafile.Meta
	// NextSequence is the least sequence number to give; what Existing asks for may be more.
	NextSequence int64
	// NumLevels is num-levels: the levels, level 0 included. At least 2.
	NumLevels int
	// SmallBytes is the size below which a compaction writes a file anew with its
	// neighbours instead of moving it.
	SmallBytes int64

	Files Files
	// BufferBytes is the size of the memtable at which it is flushed; 0: only Budget decides.
	BufferBytes int64
	// Budget is what buffered rows count against; nil: no limit.
	Budget *membudget.Budget
}

// Bucket is the merge tree of a bucket and the changes to it that are not published.
type Bucket struct {
	c        Config
	mem      *memtable.Table
	levels   *level.Levels
	next     int64 // sequence number of the next row
	rewriter compact.Rewriter

	newFiles []*datafile.Meta // level 0 files since the last Prepare
	before   []*datafile.Meta // what compactions since then replaced
	after    []*datafile.Meta // and made
}

// Open returns the bucket. It reads the metadata of c.Existing and does no IO.
func Open(c Config) (*Bucket, error) {
	mem, err := memtable.New(memtable.Config{
		Types: c.Types, Key: c.Key, SequenceFields: c.SequenceFields, Descending: c.Descending,
		Function: c.Function, Budget: c.Budget,
	})
	if err != nil {
		return nil, err
	}
	kt := make([]types.Type, len(c.Key))
	for i, k := range c.Key {
		kt[i] = c.Types[k]
	}
	levels, err := level.New(kt, c.Existing, c.NumLevels)
	if err != nil {
		return nil, err
	}
	return &Bucket{
		c: c, mem: mem, levels: levels, next: max(c.NextSequence, levels.MaxSequence()+1),
		rewriter: compact.Rewriter{
			Files: c.Files, Types: c.Types, Key: c.Key, SequenceFields: c.SequenceFields, Descending: c.Descending,
			Function: c.Function, SmallBytes: c.SmallBytes,
		},
	}, nil
}

// Levels are the runs as of now, files that are not published included and rows in
// memory not.
func (b *Bucket) Levels() *level.Levels { return b.levels }

// NextSequence is the sequence number that the next row gets.
func (b *Bucket) NextSequence() int64 { return b.next }

// BufferedBytes is what rows that are not flushed take in memory.
func (b *Bucket) BufferedBytes() int64 { return b.mem.SizeBytes() }

// Write takes the live rows of a batch with the table's columns and row kinds, and
// flushes when memory is short. It keeps nothing of the batch. Rows that the table
// ignores (ignore-delete, ignore-update-before) have been left out before.
func (b *Bucket) Write(ctx context.Context, rows *columnar.Batch) error {
	err := b.mem.Append(rows, b.next)
	if errors.Is(err, memtable.ErrFull) {
		if err = b.Flush(ctx); err != nil {
			return err
		}
		err = b.mem.Append(rows, b.next)
	}
	if err != nil {
		return err
	}
	b.next += int64(rows.Rows())
	if b.c.BufferBytes > 0 && b.mem.SizeBytes() >= b.c.BufferBytes {
		return b.Flush(ctx)
	}
	return nil
}

// Flush writes the rows in memory to files of level 0. After an error the rows are
// still there and no file is.
func (b *Bucket) Flush(ctx context.Context) error {
	if b.mem.Rows() == 0 {
		return nil
	}
	w, err := b.c.Files.Create(0, datafile.FromAppend)
	if err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	made, err := b.flushTo(ctx, w)
	if err != nil {
		return errors.Join(fmt.Errorf("flush: %w", err), w.Abort(context.WithoutCancel(ctx)))
	}
	b.newFiles = append(b.newFiles, made...)
	b.mem.Reset()
	return nil
}

func (b *Bucket) flushTo(ctx context.Context, w compact.Writer) ([]*datafile.Meta, error) {
	if err := b.mem.Flush(func(rows *columnar.Batch) error { return w.Write(ctx, rows) }); err != nil {
		return nil, err
	}
	made, err := w.Finish(ctx)
	if err != nil {
		return nil, err
	}
	levels, err := b.levels.Apply(nil, made)
	if err != nil {
		return nil, err
	}
	b.levels = levels
	return made, nil
}

// Compact flushes and folds all runs into the highest level. With force, files are
// written anew even when nothing is to be folded. It reports whether there was
// something to do.
func (b *Bucket) Compact(ctx context.Context, force bool) (bool, error) {
	if err := b.Flush(ctx); err != nil {
		return false, err
	}
	return b.run(ctx, compact.PickFull(b.levels, force))
}

// CompactPicked flushes and folds the runs that the policy picks, if any: one step
// towards a bucket in shape. It reports whether there was something to do.
func (b *Bucket) CompactPicked(ctx context.Context, p compact.Policy) (bool, error) {
	if err := b.Flush(ctx); err != nil {
		return false, err
	}
	return b.run(ctx, compact.Pick(b.levels, p))
}

// run carries a compaction out; a nil unit is nothing to do.
func (b *Bucket) run(ctx context.Context, u *compact.Unit) (bool, error) {
	if u == nil {
		return false, nil
	}
	res, err := b.rewriter.Run(ctx, b.levels, u)
	if err != nil {
		return false, err
	}
	levels, err := b.levels.Apply(res.Before, res.After)
	if err != nil {
		return false, errors.Join(err, res.Abort(context.WithoutCancel(ctx)))
	}
	b.levels = levels
	return true, b.note(ctx, res)
}

// note adds a compaction to the unpublished ones. What an earlier of them made and
// this one replaced was never visible: it is forgotten, and removed unless it was
// only moved.
func (b *Bucket) note(ctx context.Context, res *compact.Result) error {
	moved := make(map[string]bool)
	for _, m := range res.After {
		moved[m.Name] = true
	}
	replaced := make(map[string]bool)
	for _, m := range b.before {
		replaced[m.Name] = true
	}
	var errs []error
	for _, m := range res.Before {
		i := indexOf(b.after, m.Name)
		if i < 0 {
			b.before = append(b.before, m)
			continue
		}
		b.after = append(b.after[:i], b.after[i+1:]...)
		if !moved[m.Name] && !replaced[m.Name] {
			errs = append(errs, b.c.Files.Delete(ctx, m))
		}
	}
	b.after = append(b.after, res.After...)
	return errors.Join(errs...)
}

func indexOf(ms []*datafile.Meta, name string) int {
	for i, m := range ms {
		if m.Name == name {
			return i
		}
	}
	return -1
}

// Prepare flushes and hands over what has changed since the last Prepare. The files
// of the increment are the caller's from now on.
func (b *Bucket) Prepare(ctx context.Context) (datafile.Increment, error) {
	if err := b.Flush(ctx); err != nil {
		return datafile.Increment{}, err
	}
	inc := datafile.Increment{
		Partition: b.c.Partition, Bucket: b.c.Number, TotalBuckets: b.c.TotalBuckets,
		NewFiles: b.newFiles, CompactBefore: b.before, CompactAfter: b.after,
	}
	b.newFiles, b.before, b.after = nil, nil, nil
	return inc, nil
}

// Abort removes the files that were not handed over, and drops the rows in memory.
// The bucket must not be used after it, but for Close.
func (b *Bucket) Abort(ctx context.Context) error {
	existed := make(map[string]bool) // files that were moved keep their name
	for _, m := range b.before {
		existed[m.Name] = true
	}
	gone := make(map[string]bool)
	var errs []error
	for _, m := range b.newFiles {
		gone[m.Name] = true
		errs = append(errs, b.c.Files.Delete(ctx, m))
	}
	for _, m := range b.after {
		if !existed[m.Name] && !gone[m.Name] {
			errs = append(errs, b.c.Files.Delete(ctx, m))
		}
	}
	b.newFiles, b.before, b.after = nil, nil, nil
	b.mem.Close()
	return errors.Join(errs...)
}

// Close gives the memory back. Rows that were not flushed are dropped; files are left
// as they are.
func (b *Bucket) Close() { b.mem.Close() }
