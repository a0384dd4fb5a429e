package write

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/indexfile"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// ErrConflict is returned for a ReadModify statement of whose keys one was
// written since the snapshot it read. Nothing of it was published: it may be run
// again from the newest snapshot.
var ErrConflict = errors.New("a row was changed since the statement read it")

// Config is what a Publisher works with. All handles are the caller's.
type Config struct {
	Store     fileio.Store
	Snapshots *snapshot.Manager
	Manifests *manifest.Files
	Formats   map[string]format.Format
	// IndexNames makes the names of hash index files.
	IndexNames *indexfile.Names
	Budget     *membudget.Budget
	Now        func() time.Time
	// Threads is how many buckets are flushed at a time.
	Threads int
	// Committer returns what publishes for tables of a layout.
	Committer func(l *Layout) *commit.Committer
	// Published is called after each publication by the goroutine that led it.
	Published func(ctx context.Context, l *Layout, snaps []*snapshot.Snapshot)
}

// Publisher publishes the statements of one table, see the package comment. Safe
// for many goroutines.
type Publisher struct {
	c     Config
	queue queue
	build builder

	// The leader of a group alone uses these.
	state *state
}

// Result tells what a statement became.
type Result struct {
	// Snapshots are those that hold the statement, shared with its group; none when
	// it changed nothing.
	Snapshots []*snapshot.Snapshot
}

// NewPublisher returns the publisher of a table.
func NewPublisher(c Config) *Publisher {
	p := &Publisher{c: c, state: newState(c.Snapshots, c.Manifests)}
	p.build = builder{store: c.Store, formats: c.Formats, budget: c.Budget, now: c.Now, threads: c.Threads}
	p.queue = queue{publish: p.publish, now: c.Now}
	return p
}

// Publish makes a statement durable and visible, together with others that arrive
// at the same time. ErrConflict: see there. On any other error, but for
// commit.ErrUnknownOutcome, nothing of the statement is visible.
func (p *Publisher) Publish(ctx context.Context, st *Statement) (Result, error) {
	if st.released {
		return Result{}, errors.New("publish a statement: its rows were let go")
	}
	if st.rows == 0 && st.Overwrite == nil {
		return Result{}, nil
	}
	return p.queue.enter(ctx, &ticket{st: st, turn: st.Turn, alone: st.Overwrite != nil || st.spill != nil})
}

// Rewrite publishes a request that writes files anew, alone and in turn with the
// statements. ErrConflict when one of the files is gone.
func (p *Publisher) Rewrite(ctx context.Context, l *Layout, r commit.Request, turn *Turn) (Result, error) {
	t := &ticket{alone: true, turn: turn, keys: &writes{everything: true}}
	t.run = func(ctx context.Context) (Result, error) {
		res, err := p.settled(ctx, p.c.Committer(l), r)
		if errors.Is(err, commit.ErrConflict) {
			turn.lose(t.keys)
			err = fmt.Errorf("%w: %w", ErrConflict, err)
		}
		if err == nil && len(res.Snapshots) > 0 && p.c.Published != nil {
			p.c.Published(ctx, l, res.Snapshots)
		}
		return Result{Snapshots: res.Snapshots}, err
	}
	return p.queue.enter(ctx, t)
}

// group is the statements that are published together, and what was made of them.
type group struct {
	p       *Publisher
	state   *state
	layout  *Layout
	tickets []*ticket

	attempts  int
	released  bool      // published; see prepareAgain
	overwrite bool      // of one statement that replaces partitions
	taken     []*ticket // that passed the check of lost updates at the last attempt
	writes    *writes   // of taken
	files     []*built  // of taken
	madeFor   []*ticket // the tickets that files were made of
}

// publish is called by the queue with one group at a time.
func (p *Publisher) publish(ctx context.Context, tickets []*ticket) {
	if t := tickets[0]; t.run != nil {
		t.result, t.err = t.run(ctx)
		return
	}
	for len(tickets) > 0 { // statements of one layout are neighbours, but for an ALTER between
		l := tickets[0].st.layout
		n := slices.IndexFunc(tickets, func(t *ticket) bool { return t.st.layout != l })
		if n < 0 {
			n = len(tickets)
		}
		p.publishGroup(ctx, &group{p: p, state: p.state, layout: l, tickets: tickets[:n], overwrite: tickets[0].st.Overwrite != nil})
		tickets = tickets[n:]
	}
}

func (p *Publisher) publishGroup(ctx context.Context, g *group) {
	res, err := p.commit(ctx, g)
	for _, t := range g.tickets {
		if t.err == nil {
			t.result, t.err = Result{Snapshots: res.Snapshots}, err
		}
		if errors.Is(t.err, ErrConflict) {
			t.turn.lose(t.writes())
		}
	}
	if err != nil {
		p.state.forgetHashes()
		return
	}
	g.files = g.all()
	p.state.published(res.Snapshots, g.writes, g.files, g.layout.TotalBuckets())
	if g.overwrite {
		p.state.reset() // what was known of the partitions is gone
	}
	g.release()
	if len(res.Snapshots) > 0 && p.c.Published != nil {
		p.c.Published(ctx, g.layout, res.Snapshots)
	}
}

// commit publishes a group, anew if another engine replaced an earlier snapshot of ours.
func (p *Publisher) commit(ctx context.Context, g *group) (commit.Result, error) {
	c := p.c.Committer(g.layout)
	req := commit.Request{
		User: uuid.NewString(), Identifier: snapshot.BatchIdentifier, Operation: g.operation(), Prepare: g.prepare,
	}
	st := g.tickets[0].st
	if st.Overwrite != nil {
		req.Overwrite = st.Overwrite.request(g.layout)
	}
	res, err := p.settled(ctx, c, req)
	if err != nil && !errors.Is(err, commit.ErrUnknownOutcome) && len(res.Snapshots) == 0 {
		err = errors.Join(err, g.discard(ctx))
	}
	return res, err
}

// settled commits a request, after what was lost before it.
func (p *Publisher) settled(ctx context.Context, c *commit.Committer, req commit.Request) (commit.Result, error) {
	for {
		res, err := c.Commit(ctx, req)
		var replaced *commit.ReplacedError
		if errors.As(err, &replaced) {
			if err = p.republish(ctx, c, replaced); err == nil {
				continue
			}
		}
		return res, err
	}
}

// operation is the statements' common operation, WRITE if they differ.
func (g *group) operation() snapshot.Operation {
	op := g.tickets[0].st.Operation
	for _, t := range g.tickets {
		if t.st.Operation != op {
			return snapshot.OpWrite
		}
	}
	if op == "" {
		return snapshot.OpWrite
	}
	return op
}

func (g *group) discard(ctx context.Context) error {
	var errs []error
	for _, f := range g.files {
		errs = append(errs, g.p.build.discard(ctx, f))
	}
	g.files, g.madeFor = nil, nil
	return errors.Join(errs...)
}

// prepare is called at each attempt with the newest snapshot. It refuses
// statements whose keys were written since they read them, and makes the files of
// the others, unless those of the attempt before still do.
func (g *group) prepare(ctx context.Context, latest *snapshot.Snapshot, live commit.LiveReader) ([]datafile.Increment, error) {
	if g.released {
		return g.prepareAgain(ctx, latest, live)
	}
	if err := g.state.follow(ctx, latest); err != nil {
		return nil, err
	}
	if err := g.replaces(ctx, live); err != nil {
		return nil, err
	}
	if g.attempts++; g.attempts > 1 {
		g.state.forgetHashes() // those of rows that this attempt may leave out
	}
	if g.overwrite {
		g.state.forgetHashes() // its partitions begin anew
	}
	g.check(latest)
	if len(g.taken) == 0 {
		return nil, g.discard(ctx)
	}
	if err := g.takeSpill(ctx); errors.Is(err, ErrConflict) {
		g.taken[0].err = ErrConflict
		g.taken[0].keys = &writes{everything: true} // whatever key it was
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	jobs, err := g.jobs(ctx)
	if err != nil {
		return nil, err
	}
	if !g.stillGood(jobs) {
		if err := g.discard(ctx); err != nil {
			return nil, err
		}
		if g.files, err = g.p.build.run(ctx, g.layout, jobs); err != nil {
			return nil, err
		}
		if err := g.saveIndex(ctx); err != nil {
			return nil, errors.Join(err, g.discard(ctx))
		}
		g.madeFor = slices.Clone(g.taken)
	}
	return g.increments(), nil
}

// check sorts out the statements that lose an update.
func (g *group) check(latest *snapshot.Snapshot) {
	var newest int64
	if latest != nil {
		newest = int64(latest.ID)
	}
	g.taken, g.writes = nil, &writes{}
	for _, t := range g.tickets {
		t.err = nil
		w := t.st.writes()
		if t.st.ReadModify && (g.writes.meets(w) || g.state.written.writtenSince(t.st.Base, newest, w)) {
			t.err = ErrConflict
			continue
		}
		g.taken = append(g.taken, t)
		g.writes.merge(w)
	}
}

// jobs gathers the rows of each bucket over the statements, in arrival order.
func (g *group) jobs(ctx context.Context) ([]job, error) {
	var jobs []job
	var err error
	at := map[Bucket]int{}
	for _, t := range g.taken {
		for _, b := range t.st.buckets() {
			if g.layout.Dynamic() {
				if jobs, err = g.spread(ctx, jobs, at, b); err != nil {
					return nil, err
				}
				continue
			}
			for _, batch := range b.batches {
				if jobs, err = g.addRows(ctx, jobs, at, b.bucket, batch); err != nil {
					return nil, err
				}
			}
		}
	}
	return jobs, nil
}

// addRows appends a batch to the job of its bucket; at has the place of each.
func (g *group) addRows(ctx context.Context, jobs []job, at map[Bucket]int, b Bucket, batch *columnar.Batch) ([]job, error) {
	i, ok := at[b]
	if !ok {
		first, err := g.firstSeq(ctx, b)
		if err != nil {
			return nil, err
		}
		i = len(jobs)
		at[b] = i
		jobs = append(jobs, job{bucket: b, firstSeq: first})
	}
	jobs[i].batches = append(jobs[i].batches, batch)
	return jobs, nil
}

// firstSeq is the first free sequence number of a bucket.
func (g *group) firstSeq(ctx context.Context, b Bucket) (int64, error) {
	if !g.layout.Keyed() && g.layout.bucketKey == nil {
		return 0, nil // nobody orders the rows of an append table without buckets
	}
	have, err := g.state.bucket(ctx, b)
	if err != nil {
		return 0, err
	}
	want := g.layout.TotalBuckets()
	if have.total > 0 && have.total != want && !g.overwrite {
		return 0, fmt.Errorf("partition has %d buckets, the table now %d: %w; INSERT OVERWRITE the partition to give it the new number",
			have.total, want, commit.ErrBuckets)
	}
	return have.nextSeq, nil
}

// stillGood reports whether the files of the last attempt serve this one too.
func (g *group) stillGood(jobs []job) bool {
	if g.files == nil || g.layout.Dynamic() || !slices.Equal(g.madeFor, g.taken) || len(jobs) != len(g.files) {
		return false
	}
	for i, j := range jobs {
		if j.bucket != g.files[i].bucket || j.firstSeq != g.files[i].firstSeq {
			return false
		}
	}
	return true
}

func (g *group) increments() []datafile.Increment {
	incs := make([]datafile.Increment, 0, len(g.files))
	for _, f := range g.all() {
		if i := slices.IndexFunc(incs, f.in); i >= 0 {
			incs[i].NewFiles = append(incs[i].NewFiles, f.files...)
			incs[i].NewIndexFiles = append(incs[i].NewIndexFiles, f.index...)
			continue
		}
		incs = append(incs, datafile.Increment{
			Partition: []byte(f.bucket.Partition), Bucket: int(f.bucket.Number), TotalBuckets: g.layout.TotalBuckets(),
			NewFiles: slices.Clone(f.files), NewIndexFiles: f.index,
		})
	}
	return incs
}

// all is the files of the group: those that a statement spilled, then the others.
func (g *group) all() []*built {
	if len(g.taken) == 0 || g.taken[0].st.spill == nil {
		return g.files
	}
	return slices.Concat(g.taken[0].st.spill.files, g.files)
}

// in reports whether an increment is of the same bucket.
func (f *built) in(inc datafile.Increment) bool {
	return int(f.bucket.Number) == inc.Bucket && f.bucket.Partition == string(inc.Partition)
}
