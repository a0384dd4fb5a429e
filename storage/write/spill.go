package write

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/snapshot"
)

// A statement whose rows outgrow memory is written to files before it is published:
// it spills. Its files are numbered from where the snapshot it reads ends; when
// the table has moved on by the time it is published, they are numbered anew. A
// statement that has spilled is published alone.

// spill is what a statement has written to files.
type spill struct {
	state *state // of the snapshot that the statement reads, and of the files so far
	index string // the index manifest of that snapshot
	files []*built
}

// Spill writes the rows of a statement that are in memory to files. at is the
// snapshot that the statement reads, nil in an empty table. The statement must
// have no mark but at its beginning.
func (p *Publisher) Spill(ctx context.Context, st *Statement, at *snapshot.Snapshot) error {
	if st.spill == nil {
		own := newState(p.c.Snapshots, p.c.Manifests)
		own.at = at
		st.spill = &spill{state: own}
		if at != nil {
			st.spill.index = at.IndexManifest
		}
	}
	g := &group{p: p, state: st.spill.state, layout: st.layout, taken: []*ticket{{st: st}}, overwrite: st.Overwrite != nil}
	jobs, err := g.jobs(ctx)
	if err != nil {
		return err
	}
	touched := st.writes() // while the rows are here
	files, err := p.build.run(ctx, st.layout, jobs)
	if err != nil {
		return fmt.Errorf("write rows that outgrow memory: %w", err)
	}
	st.spill.files = append(st.spill.files, files...)
	st.spill.state.written = newRecent(0)
	for _, f := range files {
		st.spill.state.advance(f, st.layout.TotalBuckets())
	}
	st.spilled(touched)
	return nil
}

// spilled forgets the rows in memory, which are in files now.
func (s *Statement) spilled(touched *writes) {
	for _, g := range s.segments {
		s.layout.chunks.put(g)
	}
	s.segments, s.bytes = nil, 0
	s.before = touched
	s.touched = nil
}

// Marked reports whether Rewind may be asked for a place other than the beginning.
func (s *Statement) Marked() bool { return s.marked }

// DiscardSpill removes the files of a statement that is not published.
func (p *Publisher) DiscardSpill(ctx context.Context, st *Statement) error {
	if st.spill == nil {
		return nil
	}
	var errs []error
	for _, f := range st.spill.files {
		errs = append(errs, p.build.discard(ctx, f))
	}
	st.spill = nil
	return errors.Join(errs...)
}

// advance takes in files that are not published.
func (s *state) advance(f *built, total int) {
	part := s.loaded[f.bucket.Partition]
	if part == nil {
		part = map[int32]bucket{}
		s.loaded[f.bucket.Partition] = part
	}
	part[f.bucket.Number] = bucket{nextSeq: max(part[f.bucket.Number].nextSeq, f.nextSeq), total: total}
}

// takeSpill makes the files that a statement has spilled part of its group, which
// it forms alone: as they are, or numbered anew behind what was written since. For
// dynamic buckets ErrConflict when another writer assigned keys since.
func (g *group) takeSpill(ctx context.Context) error {
	st := g.taken[0].st
	if st.spill == nil {
		return nil
	}
	if g.layout.Dynamic() {
		if g.state.hashes.of != st.spill.index && !g.overwrite {
			return ErrConflict
		}
		for name, p := range st.spill.state.hashes.parts {
			g.state.hashes.parts[name] = p
		}
	}
	move := map[Bucket]int64{}
	for i, f := range st.spill.files {
		by, seen := move[f.bucket]
		if !seen {
			first, err := g.firstSeq(ctx, f.bucket)
			if err != nil {
				return err
			}
			by = max(0, first-f.firstSeq)
			move[f.bucket] = by
		}
		if by > 0 && g.layout.Keyed() {
			again, err := g.renumber(ctx, f, by)
			if err != nil {
				return fmt.Errorf("number rows anew: %w", err)
			}
			if err := g.p.build.discard(ctx, f); err != nil {
				return err
			}
			st.spill.files[i], f = again, again
		}
		g.state.advance(f, g.layout.TotalBuckets())
	}
	return nil
}

// renumber writes the files of a spill again with sequence numbers raised by so much.
func (g *group) renumber(ctx context.Context, f *built, by int64) (*built, error) {
	out := &built{bucket: f.bucket, firstSeq: f.firstSeq + by, nextSeq: f.nextSeq + by}
	dir, err := g.layout.paths.BucketDir([]byte(f.bucket.Partition), int(f.bucket.Number))
	if err != nil {
		return nil, err
	}
	for _, m := range f.files {
		w, err := datafile.NewWriter(datafile.WriterConfig{
			Store: g.p.c.Store, Dir: dir, Names: g.layout.names, Formats: g.p.c.Formats, Layout: g.layout.level0,
			Source: datafile.FromAppend, Lean: true, Now: g.p.c.Now(),
		})
		if err == nil {
			err = g.copyRaised(ctx, f.bucket, m, w, by)
		}
		var files []*datafile.Meta
		if err == nil {
			files, err = w.Finish(ctx)
		}
		if err != nil {
			if w != nil {
				err = errors.Join(err, w.Abort(context.WithoutCancel(ctx)))
			}
			return nil, errors.Join(err, g.p.build.discard(ctx, out))
		}
		out.files = append(out.files, files...)
		out.paths = append(out.paths, w.Paths()...)
	}
	return out, nil
}

// copyRaised copies the records of a file with their sequence numbers raised.
func (g *group) copyRaised(ctx context.Context, b Bucket, m *datafile.Meta, w *datafile.Writer, by int64) (err error) {
	r, err := g.open(ctx, b, m, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	var raised []int64
	for {
		batch, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		last := len(batch.Cols) - 1
		raised = raised[:0]
		for _, n := range batch.Cols[last].I64[:batch.N] {
			raised = append(raised, n+by)
		}
		number := *batch.Cols[last]
		number.I64 = raised
		out := *batch
		out.Cols = append(slices.Clone(batch.Cols[:last]), &number)
		if err := w.Write(ctx, &out); err != nil {
			return err
		}
	}
}

// open reads all columns of a file of ours, with row kinds, and sequence numbers
// if asked for.
func (g *group) open(ctx context.Context, b Bucket, m *datafile.Meta, numbers bool) (columnar.Reader, error) {
	return datafile.Open(ctx, datafile.ReadConfig{
		Store: g.p.c.Store, Paths: g.layout.paths, Formats: g.p.c.Formats, Schema: g.layout.Schema,
	}, datafile.File{Partition: []byte(b.Partition), Bucket: int(b.Number), Meta: m},
		datafile.ReadRequest{Fields: g.layout.Schema.Fields, Sequence: numbers, Kinds: g.layout.Keyed(), ExactKinds: g.layout.Keyed()})
}
