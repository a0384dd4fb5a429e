package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/write"
)

// pending is files with what a write has done so far: for scans of the write itself,
// and for the commit of one that takes rows out.
type pending struct {
	rows  int64 // added when it was made
	taken int   // taken when it was made

	added     *write.Preview
	rewritten []rewritten
	gone      map[string]bool // names of the files that were written anew
}

// rewritten is a file and those that have what is left of it.
type rewritten struct {
	old  *manifest.Entry
	own  bool // no snapshot has the old file: the write spilled it
	made []*datafile.Meta
}

// entries are the files that are not in the write's snapshot.
func (p *pending) entries() []*manifest.Entry {
	out := p.added.Added()
	for _, e := range p.added.Spilled() {
		if !p.gone[e.File.Name] {
			out = append(out, e)
		}
	}
	for _, r := range p.rewritten {
		for _, m := range r.made {
			e := *r.old
			e.File = m
			out = append(out, &e)
		}
	}
	return out
}

// increments are the files as one commit, for each bucket one.
func (p *pending) increments() []datafile.Increment {
	var out []datafile.Increment
	of := func(e *manifest.Entry) *datafile.Increment {
		i := slices.IndexFunc(out, func(inc datafile.Increment) bool {
			return inc.Bucket == e.Bucket && string(inc.Partition) == string(e.Partition)
		})
		if i < 0 {
			i = len(out)
			out = append(out, datafile.Increment{Partition: e.Partition, Bucket: e.Bucket, TotalBuckets: e.TotalBuckets})
		}
		return &out[i]
	}
	for _, r := range p.rewritten {
		inc := of(r.old)
		if r.own {
			inc.NewFiles = append(inc.NewFiles, r.made...)
			continue
		}
		inc.CompactBefore = append(inc.CompactBefore, r.old.File)
		inc.CompactAfter = append(inc.CompactAfter, r.made...)
	}
	for _, e := range slices.Concat(p.added.Spilled(), p.added.Added()) {
		if !p.gone[e.File.Name] {
			inc := of(e)
			inc.NewFiles = append(inc.NewFiles, e.File)
		}
	}
	return out
}

// pendingFiles makes the files, unless those of the last call still do.
func (w *Write) pendingFiles(ctx context.Context) (*pending, error) {
	if p := w.pending; p != nil && p.rows == w.st.Rows() && p.taken == len(w.taken.log) {
		return p, nil
	}
	w.dropPending()
	st, left := w.net()
	return w.makePending(ctx, st, left)
}

// net is the rows added and not taken again, and the rows to take out of files.
func (w *Write) net() (*write.Statement, *wanted) {
	left := w.taken.wanted()
	if left.left == 0 {
		return w.st, left
	}
	return w.st.Filter(func(b *columnar.Batch) []int32 {
		rows, _ := left.keep(b)
		return rows
	}), left
}

func (w *Write) makePending(ctx context.Context, st *write.Statement, left *wanted) (*pending, error) {
	p := &pending{rows: w.st.Rows(), taken: len(w.taken.log), gone: map[string]bool{}}
	var err error
	if p.added, err = w.v.t.publisher.Preview(ctx, st, w.v.snap); err != nil {
		return nil, err
	}
	w.pending = p // what fails from here on is dropped with it
	if left.left == 0 {
		return p, nil
	}
	if err := w.rewrite(ctx, p, left, p.added.Spilled(), true); err != nil {
		return nil, err
	}
	if w.v.snap != nil && left.left > 0 {
		live, err := w.v.t.manifests.ReadLive(ctx, w.v.snap, manifest.Filter{
			Partition: func(b []byte) bool { return left.partitions[string(b)] > 0 },
		})
		if err != nil {
			return nil, err
		}
		if err := w.rewrite(ctx, p, left, live, false); err != nil {
			return nil, err
		}
	}
	if left.left > 0 {
		return nil, fmt.Errorf("%d rows to take out are not in the table", left.left)
	}
	return p, nil
}

// rewrite writes files that hold a wanted row anew, until all are found.
func (w *Write) rewrite(ctx context.Context, p *pending, left *wanted, files []*manifest.Entry, own bool) error {
	for _, e := range files {
		if left.partitions[string(e.Partition)] == 0 {
			continue
		}
		made, found, err := w.rewriteFile(ctx, e, left)
		if err != nil {
			return err
		}
		if found {
			p.gone[e.File.Name] = true
			p.rewritten = append(p.rewritten, rewritten{old: e, own: own, made: made})
		}
	}
	return nil
}

// dropPending removes the files.
func (w *Write) dropPending() {
	p := w.pending
	if p == nil {
		return
	}
	w.pending = nil
	p.added.Discard()
	for _, r := range p.rewritten {
		bf := &bucketFiles{v: w.v, partition: r.old.Partition, bucket: r.old.Bucket}
		for _, m := range r.made {
			_ = bf.Delete(context.Background(), m) // what stays is an orphan
		}
	}
}

// commitTaken publishes a write that takes rows out.
func (w *Write) commitTaken(ctx context.Context) (write.Result, error) {
	st, left := w.net()
	if left.left == 0 { // of its own rows alone
		w.dropPending()
		defer st.Release()
		return w.v.t.publisher.Publish(ctx, st)
	}
	p := w.pending
	if p == nil || p.rows != w.st.Rows() || p.taken != len(w.taken.log) {
		w.dropPending()
		var err error
		if p, err = w.makePending(ctx, st, left); err != nil {
			if err = w.v.expired(ctx, err); errors.Is(err, snapshot.ErrExpired) {
				err = fmt.Errorf("%w: %w", ErrWriteConflict, err) // others took the place of its files
			}
			return write.Result{}, err
		}
	}
	res, err := w.v.t.publisher.Rewrite(ctx, w.v.layout, commit.Request{
		Increments: p.increments(), User: uuid.NewString(), Identifier: snapshot.BatchIdentifier, Operation: w.st.Operation, Rewrite: true,
	}, w.st.Turn)
	if err != nil && !errors.Is(err, commit.ErrUnknownOutcome) {
		return res, err // what was made is dropped by the caller
	}
	w.pending = nil
	p.added.Keep()
	for _, r := range p.rewritten {
		if r.own && err == nil {
			bf := &bucketFiles{v: w.v, partition: r.old.Partition, bucket: r.old.Bucket}
			_ = bf.Delete(context.WithoutCancel(ctx), r.old.File)
		}
	}
	return res, err
}
