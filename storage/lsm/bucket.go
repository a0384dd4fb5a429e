package lsm

import (
	"context"
	"errors"

	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/lsm/compact"
	"github.com/lakesql/lakesql/storage/lsm/level"
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

	// Existing are the live files of the bucket.
	Existing []*datafile.Meta
	// NumLevels is num-levels: the levels, level 0 included. At least 2.
	NumLevels int
	// SmallBytes is the size below which a compaction writes a file anew with its
	// neighbours instead of moving it.
	SmallBytes int64

	Files Files
}

// Bucket is the merge tree of a bucket and the compactions of it that are not
// published.
type Bucket struct {
	c        Config
	levels   *level.Levels
	rewriter compact.Rewriter

	before []*datafile.Meta // what compactions since the last Increment replaced
	after  []*datafile.Meta // and made
}

// Open returns the bucket. It reads the metadata of c.Existing and does no IO.
func Open(c Config) (*Bucket, error) {
	if len(c.Key) == 0 {
		return nil, errors.New("a bucket without a key has no merge tree")
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
		c: c, levels: levels,
		rewriter: compact.Rewriter{
			Files: c.Files, Types: c.Types, Key: c.Key, SequenceFields: c.SequenceFields, Descending: c.Descending,
			Function: c.Function, SmallBytes: c.SmallBytes,
		},
	}, nil
}

// Compact folds all runs into the highest level, if they are not there already.
func (b *Bucket) Compact(ctx context.Context) error {
	return b.run(ctx, compact.PickFull(b.levels))
}

// CompactPicked folds the runs that the policy picks, again and again until it finds
// the bucket in shape.
func (b *Bucket) CompactPicked(ctx context.Context, p compact.Policy) error {
	// It ends: a step takes at least two runs and leaves one.
	for u := compact.Pick(b.levels, p); u != nil; u = compact.Pick(b.levels, p) {
		if err := b.run(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

// run carries a compaction out; a nil unit is nothing to do.
func (b *Bucket) run(ctx context.Context, u *compact.Unit) error {
	if u == nil {
		return nil
	}
	res, err := b.rewriter.Run(ctx, b.levels, u)
	if err != nil {
		return err
	}
	levels, err := b.levels.Apply(res.Before, res.After)
	if err != nil {
		return errors.Join(err, res.Abort(context.WithoutCancel(ctx)))
	}
	b.levels = levels
	return b.note(ctx, res)
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

// Increment hands over what has changed since the last Increment. Its files are the
// caller's from now on.
func (b *Bucket) Increment() datafile.Increment {
	inc := datafile.Increment{
		Partition: b.c.Partition, Bucket: b.c.Number, TotalBuckets: b.c.TotalBuckets, CompactBefore: b.before, CompactAfter: b.after,
	}
	b.before, b.after = nil, nil
	return inc
}

// Abort removes the files that were not handed over. The bucket must not be used
// after it.
func (b *Bucket) Abort(ctx context.Context) error {
	existed := make(map[string]bool) // files that were moved keep their name
	for _, m := range b.before {
		existed[m.Name] = true
	}
	var errs []error
	for _, m := range b.after {
		if !existed[m.Name] {
			errs = append(errs, b.c.Files.Delete(ctx, m))
		}
	}
	b.before, b.after = nil, nil
	return errors.Join(errs...)
}
