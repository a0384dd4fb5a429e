package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/lakesql/lakesql/internal/parallel"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/lsm"
	"github.com/lakesql/lakesql/storage/lsm/compact"
	"github.com/lakesql/lakesql/storage/lsm/merge"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/types"
	"github.com/lakesql/lakesql/storage/write"
)

// CompactOptions choose what to compact.
type CompactOptions struct {
	// Full folds all runs of a bucket into its highest level, and joins any two small
	// files of an append table. Without it a bucket is compacted as far as the table's
	// options find it out of shape: compact.Pick, and compaction.min.file-num.
	Full bool
	// Partition has the values of some partition columns by name; nil: all partitions.
	Partition map[string]columnar.Value
}

// CompactResult tells what a compaction did.
type CompactResult struct {
	Snapshot *snapshot.Snapshot // nil: there was nothing to do
	Buckets  int                // compacted
}

// compactAttempts is how often a compaction is planned again after it lost a conflict.
const compactAttempts = 5

// Compact folds the runs of each bucket of a primary key table into its highest
// level; of an append table it joins small files. Readers and writers go on
// meanwhile; when another commit takes a file away it is planned again.
func (t *Table) Compact(ctx context.Context, o CompactOptions) (CompactResult, error) {
	var err error
	for range compactAttempts {
		var res CompactResult
		if res, err = t.compactOnce(ctx, o); !errors.Is(err, commit.ErrConflict) {
			return res, err
		}
	}
	return CompactResult{}, err
}

func (t *Table) compactOnce(ctx context.Context, o CompactOptions) (CompactResult, error) {
	v, err := t.View(ctx, ViewOptions{})
	if err != nil {
		return CompactResult{}, err
	}
	defer v.Close()
	if w := v.Write(WriteOptions{}); w.err != nil {
		return CompactResult{}, w.err
	}
	if v.snap == nil {
		return CompactResult{}, nil
	}
	spec := write.Overwrite{Partition: o.Partition}
	live, err := t.manifests.ReadLive(ctx, v.snap, manifest.Filter{
		Partition: func(p []byte) bool { return spec.Covers(v.layout, p) },
	})
	if err != nil {
		return CompactResult{}, fmt.Errorf("compact table %s: %w", t.Name(), err)
	}
	c := &compaction{v: v, o: o}
	incs, err := c.run(ctx, live)
	if err != nil || len(incs) == 0 {
		return CompactResult{}, wrapCompact(t, err)
	}
	res, err := t.committerOf(v.layout).Commit(ctx, commit.Request{
		Increments: incs, User: uuid.NewString(), Identifier: snapshot.BatchIdentifier,
	})
	if err != nil {
		if !errors.Is(err, commit.ErrUnknownOutcome) && len(res.Snapshots) == 0 {
			err = errors.Join(err, c.discard(ctx, incs))
		}
		return CompactResult{}, wrapCompact(t, err)
	}
	t.published(ctx, v.layout, res.Snapshots)
	return CompactResult{Snapshot: res.Snapshots[len(res.Snapshots)-1], Buckets: len(incs)}, nil
}

func wrapCompact(t *Table, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("compact table %s: %w", t.Name(), err)
}

// compaction is one attempt over all buckets.
type compaction struct {
	v *View
	o CompactOptions
}

// run compacts buckets, some at a time.
func (c *compaction) run(ctx context.Context, live []*manifest.Entry) ([]datafile.Increment, error) {
	buckets := map[write.Bucket][]*manifest.Entry{}
	var order []write.Bucket
	for _, e := range live {
		k := write.Bucket{Partition: string(e.Partition), Number: int32(e.Bucket)}
		if buckets[k] == nil {
			order = append(order, k)
		}
		buckets[k] = append(buckets[k], e)
	}
	incs := make([]datafile.Increment, len(order))
	g, gctx := parallel.WithContext(ctx)
	g.SetLimit(c.v.t.env.Threads)
	for i, k := range order {
		g.Go(func() (err error) {
			if c.v.schema.HasPrimaryKey() {
				incs[i], err = c.keyed(gctx, buckets[k])
			} else {
				incs[i], err = c.appended(gctx, buckets[k])
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, errors.Join(err, c.discard(ctx, incs))
	}
	return slices.DeleteFunc(incs, func(i datafile.Increment) bool { return len(i.CompactBefore) == 0 }), nil
}

// discard removes the files that were made.
func (c *compaction) discard(ctx context.Context, incs []datafile.Increment) error {
	var errs []error
	for i := range incs {
		paths, err := newPaths(c.v.layout, &incs[i])
		errs = append(errs, err)
		for _, p := range paths {
			errs = append(errs, c.v.t.env.Store.Delete(context.WithoutCancel(ctx), p))
		}
	}
	return errors.Join(errs...)
}

func metasOf(entries []*manifest.Entry) []*datafile.Meta {
	out := make([]*datafile.Meta, len(entries))
	for i, e := range entries {
		out[i] = e.File
	}
	return out
}

// keyed folds a bucket of a primary key table.
func (c *compaction) keyed(ctx context.Context, entries []*manifest.Entry) (datafile.Increment, error) {
	v, e := c.v, entries[0]
	keys := v.schema.KeyIndexes()
	sequence, err := v.schema.Indexes(v.opts.Merge.SequenceFields)
	if err != nil {
		return datafile.Increment{}, err
	}
	var fn merge.Function
	if v.opts.Merge.IgnoreDelete {
		fn = merge.Deduplicate{IgnoreDelete: true}
	}
	b, err := lsm.Open(lsm.Config{
		Partition: e.Partition, Number: e.Bucket, TotalBuckets: e.TotalBuckets, Types: types.FieldTypes(v.schema.Fields),
		Key: keys, SequenceFields: sequence, Descending: v.opts.Merge.Descending, Function: fn, Existing: metasOf(entries),
		NumLevels: v.opts.Compaction.NumLevels, SmallBytes: c.smallBytes(true),
		Files: &bucketFiles{v: v, partition: e.Partition, bucket: e.Bucket},
	})
	if err != nil {
		return datafile.Increment{}, err
	}
	if c.o.Full {
		err = b.Compact(ctx)
	} else {
		o := v.opts.Compaction
		err = b.CompactPicked(ctx, compact.Policy{Trigger: o.Trigger, MaxSizeAmplification: o.MaxSizeAmplification, SizeRatio: o.SizeRatio})
	}
	if err != nil {
		return datafile.Increment{}, errors.Join(err, b.Abort(context.WithoutCancel(ctx)))
	}
	return b.Increment(), nil
}

// appended joins the small files of a bucket of an append table, in order.
func (c *compaction) appended(ctx context.Context, entries []*manifest.Entry) (datafile.Increment, error) {
	v := c.v
	files := metasOf(entries)
	slices.SortStableFunc(files, func(a, b *datafile.Meta) int { return cmp.Compare(a.MinSequence, b.MinSequence) })
	small, least := c.smallBytes(false), 2
	if !c.o.Full {
		least = max(least, v.opts.Compaction.MinFileNum)
	}
	inc := datafile.Increment{Partition: entries[0].Partition, Bucket: entries[0].Bucket, TotalBuckets: entries[0].TotalBuckets}
	bf := &bucketFiles{v: v, partition: inc.Partition, bucket: inc.Bucket}
	for _, group := range smallGroups(files, small, least, v.layout.Mode == schema.Unaware) {
		made, err := bf.join(ctx, group)
		if err != nil {
			return datafile.Increment{}, errors.Join(err, c.discard(ctx, []datafile.Increment{inc}))
		}
		inc.CompactBefore = append(inc.CompactBefore, group...)
		inc.CompactAfter = append(inc.CompactAfter, made...)
	}
	return inc, nil
}

// smallBytes is the size below which a file is written anew with its neighbours.
func (c *compaction) smallBytes(keyed bool) int64 {
	return int64(float64(c.v.opts.File.TargetFileBytes(keyed)) * c.v.opts.Compaction.SmallFileRatio)
}

// smallGroups gathers files below a size that can be joined: neighbours, or any where
// the order of files does not matter. A group has at least so many files.
func smallGroups(files []*datafile.Meta, small int64, least int, anyOrder bool) [][]*datafile.Meta {
	var out [][]*datafile.Meta
	var group []*datafile.Meta
	end := func() {
		if len(group) >= least {
			out = append(out, group)
		}
		group = nil
	}
	for _, m := range files {
		switch {
		case m.SizeBytes < small:
			group = append(group, m)
		case !anyOrder:
			end()
		}
	}
	end()
	return out
}

// bucketFiles reads and writes the data files of a bucket for the merge tree.
type bucketFiles struct {
	v         *View
	partition []byte
	bucket    int
}

var _ lsm.Files = (*bucketFiles)(nil)

// Open reads all columns of a file, its sequence numbers and kinds.
func (b *bucketFiles) Open(ctx context.Context, m *datafile.Meta) (columnar.Reader, error) {
	return datafile.Open(ctx, b.v.scanConfig().Read, datafile.File{Partition: b.partition, Bucket: b.bucket, Meta: m},
		datafile.ReadRequest{Fields: b.v.schema.Fields, Sequence: b.v.schema.HasPrimaryKey(), Kinds: true, ExactKinds: b.v.schema.HasPrimaryKey(), BatchRows: compactRows})
}

// compactRows is the most rows of a batch that a compaction reads: a page.
const compactRows = 8192

// Create prepares to write files of a level.
func (b *bucketFiles) Create(level int, source datafile.Source) (compact.Writer, error) {
	return b.writer(level, source, 0)
}

func (b *bucketFiles) writer(level int, source datafile.Source, firstSeq int64) (*datafile.Writer, error) {
	l, err := datafile.NewLayout(b.v.schema, b.v.opts, level, false)
	if err != nil {
		return nil, err
	}
	dir, err := b.v.layout.Paths().BucketDir(b.partition, b.bucket)
	if err != nil {
		return nil, err
	}
	return datafile.NewWriter(datafile.WriterConfig{
		Store: b.v.t.env.Store, Dir: dir, Names: b.v.layout.Names(), Formats: b.v.t.env.formats, Layout: l, Source: source,
		FirstSequence: firstSeq, Now: b.v.t.env.Now(),
	})
}

// Delete removes a file that no snapshot names, and what lies beside it.
func (b *bucketFiles) Delete(ctx context.Context, m *datafile.Meta) error {
	paths, err := pathsOf(b.v.layout, b.partition, b.bucket, m)
	if err != nil {
		return err
	}
	var errs []error
	for _, p := range paths {
		errs = append(errs, b.v.t.env.Store.Delete(ctx, p))
	}
	return errors.Join(errs...)
}

// join copies the rows of files into new ones, in order.
func (b *bucketFiles) join(ctx context.Context, files []*datafile.Meta) ([]*datafile.Meta, error) {
	w, err := b.writer(0, datafile.FromCompact, files[0].MinSequence)
	if err != nil {
		return nil, err
	}
	var parts []merge.OpenFunc
	for _, m := range files {
		parts = append(parts, func(ctx context.Context) (columnar.Reader, error) { return b.Open(ctx, m) })
	}
	r := merge.Concat(parts...)
	if err := copyRows(ctx, r, w); err != nil {
		return nil, errors.Join(err, r.Close(), w.Abort(context.WithoutCancel(ctx)))
	}
	made, err := w.Finish(ctx)
	if err != nil {
		return nil, errors.Join(err, r.Close(), w.Abort(context.WithoutCancel(ctx)))
	}
	return made, r.Close()
}
