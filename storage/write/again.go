package write

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// A snapshot of ours can be replaced by a writer that renames over it. What it held
// must be published again, although its statements have returned long ago: their
// rows are read back from the files that were made of them.

// release lets go of the statements of a published group. What is kept of it, in
// the request that the committer remembers, is its files.
func (g *group) release() {
	g.released = true
	g.tickets, g.taken, g.madeFor = nil, nil, nil
}

// prepareAgain makes the increments of a group whose snapshot was replaced: none
// if its files are live all the same, because another snapshot was made on top of
// the lost one first. The old files are left to the cleaning of orphan files.
func (g *group) prepareAgain(ctx context.Context, latest *snapshot.Snapshot, live commit.LiveReader) ([]datafile.Increment, error) {
	if err := g.state.follow(ctx, latest); err != nil {
		return nil, err
	}
	g.state.forgetHashes()
	names, parts := map[string]bool{}, map[string]bool{}
	for _, f := range g.files {
		parts[f.bucket.Partition] = true
		for _, m := range f.files {
			names[m.Name] = true
		}
	}
	found := false
	_, err := live.Live(ctx, manifest.Filter{
		Partition: func(p []byte) bool { return parts[string(p)] },
		Entry: func(e *manifest.Entry) bool {
			found = found || names[e.File.Name]
			return false
		},
	})
	if err != nil || found {
		return nil, err
	}
	jobs, err := g.jobsOfFiles(ctx)
	if errors.Is(err, fileio.ErrNotFound) {
		return nil, nil // the table was dropped and made anew: there is nothing of ours in it
	}
	if err != nil {
		return nil, fmt.Errorf("read back the rows of a lost snapshot: %w", err)
	}
	old := g.files
	if g.files, err = g.p.build.run(ctx, g.layout, jobs); err != nil {
		g.files = old
		return nil, err
	}
	if err := g.saveIndex(ctx); err != nil {
		return nil, err
	}
	return g.increments(), nil
}

// jobsOfFiles reads the group's files back into jobs.
func (g *group) jobsOfFiles(ctx context.Context) ([]job, error) {
	var jobs []job
	at := map[Bucket]int{}
	for _, f := range g.files {
		for _, m := range f.files {
			batches, err := g.readBack(ctx, f.bucket, m)
			if err != nil {
				return nil, err
			}
			if g.layout.Dynamic() {
				b := bucketRows{bucket: Bucket{f.bucket.Partition, unassigned}, batches: batches}
				if jobs, err = g.spread(ctx, jobs, at, b); err != nil {
					return nil, err
				}
				continue
			}
			for _, batch := range batches {
				if jobs, err = g.addRows(ctx, jobs, at, f.bucket, batch); err != nil {
					return nil, err
				}
			}
		}
	}
	return jobs, nil
}

// readBack reads all rows of a file, with their kinds.
func (g *group) readBack(ctx context.Context, b Bucket, m *datafile.Meta) (out []*columnar.Batch, err error) {
	r, err := g.open(ctx, b, m, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		batch, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, batch.Clone())
	}
}

// Recover publishes again what a replaced snapshot held. It waits for its turn as
// a statement does.
func (p *Publisher) Recover(ctx context.Context, lost *commit.ReplacedError, l *Layout) error {
	_, err := p.queue.enter(ctx, &ticket{alone: true, run: func(ctx context.Context) (Result, error) {
		return Result{}, p.republish(ctx, p.c.Committer(l), lost)
	}})
	return err
}

// republish is Recover by the leader.
func (p *Publisher) republish(ctx context.Context, c *commit.Committer, lost *commit.ReplacedError) error {
	if _, err := c.Commit(ctx, lost.Request); err != nil {
		return fmt.Errorf("publish snapshot %d again, which another engine replaced: %w", lost.Lost.ID, err)
	}
	p.state.reset()
	return nil
}
