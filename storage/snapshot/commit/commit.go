package commit

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

const (
	defaultRetries = 10
	defaultMinWait = 10 * time.Millisecond
	defaultMaxWait = 10 * time.Second
	jitter         = 0.2
	// settleTime is how long a commit whose caller has gone looks for its outcome.
	settleTime = 30 * time.Second
)

// Committer commits to one table. It is safe for many goroutines and lets one
// commit at a time through: others would only lose the race for the next id.
type Committer struct {
	c    Config
	turn chan struct{} // holds a token while a commit runs; IO happens under it

	// The rest is guarded by turn.
	last    *published
	buckets bucketState
}

// published is the last commit of this Committer, until it is known to stand.
type published struct {
	snapshot *snapshot.Snapshot
	request  Request
}

// New returns a Committer for a table.
func New(c Config) *Committer {
	if c.MaxRetries <= 0 {
		c.MaxRetries = defaultRetries
	}
	if c.MinRetryWait <= 0 {
		c.MinRetryWait = defaultMinWait
	}
	if c.MaxRetryWait <= 0 {
		c.MaxRetryWait = defaultMaxWait
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Rand == nil {
		c.Rand = rand.Float64
	}
	if c.PartitionName == nil {
		c.PartitionName = hex.EncodeToString
	}
	return &Committer{c: c, turn: make(chan struct{}, 1)}
}

func (c *Committer) take(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Committer) give() { <-c.turn }

// Commit publishes a request and returns its snapshots once they are durable and
// visible. See Result for what an error leaves.
func (c *Committer) Commit(ctx context.Context, r Request) (Result, error) {
	if err := r.check(); err != nil {
		return Result{}, err
	}
	if err := c.take(ctx); err != nil {
		return Result{}, err
	}
	defer c.give()
	run := &run{Committer: c, request: &r, incs: r.Increments, start: c.c.Now(), synced: map[string]bool{}}
	err := run.all(ctx)
	return run.result, err
}

// verify compares the last published snapshot with what is there now.
func (c *Committer) verify(ctx context.Context, latest *snapshot.Snapshot) error {
	last := c.last
	if last == nil || latest == nil || latest.ID < last.snapshot.ID {
		c.last = nil // nothing there, or rolled back: not a replacement
		return nil
	}
	there := latest
	if latest.ID > last.snapshot.ID {
		var err error
		there, err = c.c.Snapshots.Get(ctx, last.snapshot.ID)
		if errors.Is(err, snapshot.ErrNotFound) {
			c.last = nil // expired
			return nil
		}
		if err != nil {
			return err
		}
	}
	if !there.SameCommit(last.snapshot) {
		c.last, c.buckets = nil, bucketState{}
		return &ReplacedError{Lost: last.snapshot, Request: last.request}
	}
	if latest.ID > last.snapshot.ID {
		c.last = nil // it has a successor: nobody renames over it any more
	}
	return nil
}

// run is one call of Commit.
type run struct {
	*Committer
	request *Request
	incs    []datafile.Increment
	start   time.Time
	result  Result
	synced  map[string]bool // data files that are durable already
}

// all publishes the parts of the request, one after the other.
func (r *run) all(ctx context.Context) error {
	var parts []part
	if r.request.Prepare == nil {
		if err := checkBuckets(r.incs); err != nil {
			return err
		}
		if parts = split(r.request, r.incs); len(parts) == 0 {
			return nil
		}
	}
	for n := 0; n == 0 || n < len(parts); n++ {
		o := &outcome{first: n == 0, parts: parts, n: n}
		if err := r.one(ctx, o); err != nil {
			var replaced *ReplacedError
			if errors.As(err, &replaced) && n > 0 {
				r.result.Snapshots = nil // the append part is lost too
			}
			return err
		}
		parts = o.parts
	}
	return nil
}

// outcome is the state of the attempts at one part.
type outcome struct {
	first bool
	parts []part // of the request; made anew by Prepare while first
	n     int    // which part

	tried   map[string]bool // uuids of the snapshots whose fate is unknown
	after   snapshot.ID     // newest snapshot when the first of them was tried
	unknown error           // what left it unknown
}

// one publishes one part, in as many attempts as it takes.
func (r *run) one(ctx context.Context, o *outcome) error {
	for try := 0; ; try++ {
		r.result.Attempts++
		latest, err := r.c.Snapshots.Latest(ctx)
		if err != nil {
			return r.wrap(o, err)
		}
		s, err := r.settle(ctx, latest, o)
		switch {
		case errors.Is(err, errTaken):
			continue // what was published was taken back
		case err != nil || s != nil:
			return r.wrap(o, r.finish(ctx, s, err))
		}
		if err := r.verify(ctx, latest); err != nil {
			return r.wrap(o, err)
		}
		s, err = r.attempt(ctx, latest, o, try == 0 /* merge manifests */)
		switch {
		case err == nil && s == nil:
			return nil // nothing to publish
		case err == nil:
			return r.finish(ctx, s, nil)
		case errors.Is(err, errUnknown):
			// The caller may have gone; what happened must be found out nevertheless.
			found, settleErr := r.settleNow(ctx, o)
			if settleErr == nil && found != nil {
				return r.finish(ctx, found, nil)
			}
		case errors.Is(err, errTaken):
		case r.expired(ctx, latest, err): // the one that it was to build on: begin from the newest
		default:
			return r.wrap(o, err)
		}
		if try >= r.c.MaxRetries {
			return r.wrap(o, fmt.Errorf("snapshot was not published in %d attempts: %w: %w", try+1, ErrGaveUp, err))
		}
		if err := r.pause(ctx, try); err != nil {
			return r.wrap(o, err)
		}
	}
}

// expired reports whether an attempt failed because its base was expired meanwhile.
func (r *run) expired(ctx context.Context, base *snapshot.Snapshot, err error) bool {
	if errors.Is(err, snapshot.ErrExpired) {
		return true
	}
	if base == nil || !errors.Is(err, fileio.ErrNotFound) {
		return false
	}
	there, lookErr := r.c.Snapshots.Exists(ctx, base.ID)
	return lookErr == nil && !there
}

// wrap marks an error after which nobody knows whether the commit happened.
func (r *run) wrap(o *outcome, err error) error {
	if err == nil || o.unknown == nil {
		return err
	}
	return fmt.Errorf("%w: %w (then: %w)", ErrUnknownOutcome, o.unknown, err)
}

// finish notes a published snapshot.
func (r *run) finish(ctx context.Context, s *snapshot.Snapshot, err error) error {
	if err != nil {
		return err
	}
	if err := r.belongs(context.WithoutCancel(ctx), s); err != nil {
		return err
	}
	r.c.Snapshots.PointLatest(context.WithoutCancel(ctx), s.ID)
	r.result.Snapshots = append(r.result.Snapshots, s)
	r.last = &published{snapshot: s, request: *r.request}
	return nil
}

// settle looks for the snapshots whose fate is unknown among the published ones. One
// that is late is taken back: errTaken.
func (r *run) settle(ctx context.Context, latest *snapshot.Snapshot, o *outcome) (*snapshot.Snapshot, error) {
	if len(o.tried) == 0 || latest == nil {
		return nil, nil
	}
	for id := latest.ID; id > o.after; id-- {
		s, err := r.c.Snapshots.Get(ctx, id)
		if errors.Is(err, snapshot.ErrNotFound) {
			return nil, fmt.Errorf("look for the commit of %s: %w", r.request.User, err)
		}
		if err != nil {
			return nil, err
		}
		if o.tried[s.UUID] {
			err := r.stands(ctx, s)
			switch {
			case err == nil:
				err = r.c.Snapshots.Sync(ctx, s.ID) // what failed may have been just that
			case errors.Is(err, errTaken):
				if delete(o.tried, s.UUID); len(o.tried) == 0 {
					o.unknown = nil
				}
			}
			return s, err
		}
	}
	return nil, nil
}

// settleNow is settle right after a failure, also for a caller that has gone.
func (r *run) settleNow(ctx context.Context, o *outcome) (*snapshot.Snapshot, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	latest, err := r.c.Snapshots.Latest(ctx)
	if err != nil {
		return nil, err
	}
	return r.settle(ctx, latest, o)
}

// pause waits before the next attempt, longer each time.
func (r *run) pause(ctx context.Context, try int) error {
	wait := r.c.MaxRetryWait
	if try < 30 {
		wait = min(wait, r.c.MinRetryWait<<try)
	}
	wait += time.Duration(float64(wait) * jitter * r.c.Rand())
	if r.c.Timeout > 0 && r.c.Now().Add(wait).Sub(r.start) > r.c.Timeout {
		return fmt.Errorf("commit took longer than %s: %w", r.c.Timeout, ErrGaveUp)
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// view shows one snapshot to the request's functions.
type view struct {
	files  *manifest.Files
	latest *snapshot.Snapshot
}

func (v view) Live(ctx context.Context, f manifest.Filter) ([]*manifest.Entry, error) {
	if v.latest == nil {
		return nil, nil
	}
	return v.files.ReadLive(ctx, v.latest, f)
}

// index returns the index files.
func (v view) index(ctx context.Context) ([]manifest.IndexEntry, error) {
	if v.latest == nil {
		return nil, nil
	}
	return v.files.IndexOf(ctx, v.latest)
}
