package write

import (
	"context"
	"sync"
	"time"
)

// groupWindow is how long a group stays open under load, so that a table gets at
// most some fifty snapshots a second however many statements commit.
const groupWindow = 20 * time.Millisecond

// queue lets the callers of do share the work of publish: the caller that finds
// nobody at work leads, and publishes for all that wait; those that arrive
// meanwhile form the next group, led by one of them. A lone caller never waits.
//
// Safe for many goroutines. No goroutine is started.
type queue struct {
	publish func(ctx context.Context, group []*ticket)
	now     func() time.Time

	mu      sync.Mutex
	waiting []*ticket
	turns   []*Turn       // statements that are run again, in the order in which they lost
	busy    bool          // a leader is at work
	current chan struct{} // while busy: closed when its group is published
	last    time.Time     // when the last group was published
	loaded  bool          // the last group had company, or left some behind
}

// ticket is one statement's place in the queue.
type ticket struct {
	st     *Statement
	alone  bool                                      // must not share its snapshot
	run    func(ctx context.Context) (Result, error) // not a statement: what to do instead
	keys   *writes                                   // what it touches, once somebody asked; of run from the beginning
	turn   *Turn                                     // of a statement that may be run again
	lead   chan struct{}                             // closed when this ticket's caller is to lead
	done   chan struct{}                             // closed when published
	result Result
	err    error
}

// writes is what the ticket touches; nil: nothing that others could.
func (t *ticket) writes() *writes {
	if t.keys == nil && t.st != nil {
		t.keys = t.st.writes()
	}
	return t.keys
}

// enter publishes a ticket's statement, with others that wait at the same time. A
// caller whose context ends while another leads leaves the queue if its statement
// was not taken yet; one that was taken is waited for, as it may become visible.
func (q *queue) enter(ctx context.Context, t *ticket) (Result, error) {
	t.lead, t.done = make(chan struct{}), make(chan struct{})
	q.mu.Lock()
	q.waiting = append(q.waiting, t)
	if q.busy || q.held(t) {
		q.loaded = q.loaded || q.busy
		q.mu.Unlock()
		select {
		case <-t.done:
			return t.result, t.err
		case <-t.lead:
		case <-ctx.Done():
			if q.leave(t) {
				return Result{}, ctx.Err()
			}
			select {
			case <-t.done:
				return t.result, t.err
			case <-t.lead:
			}
		}
	} else {
		q.begin()
		q.mu.Unlock()
	}
	q.run(ctx, t)
	return t.result, t.err
}

// begin says that a leader is at work; the caller has the lock.
func (q *queue) begin() { q.busy, q.current = true, make(chan struct{}) }

// handOver lets the first ticket that nobody is in front of lead, if no other
// does; the caller has the lock.
func (q *queue) handOver() {
	if q.busy {
		return
	}
	for _, t := range q.waiting {
		if !q.held(t) {
			q.begin()
			close(t.lead)
			return
		}
	}
}

// leave takes t out of the queue; false if it was taken already.
func (q *queue) leave(t *ticket) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, w := range q.waiting {
		if w == t {
			select {
			case <-t.lead: // it was told to lead: it must
				return false
			default:
			}
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// run publishes one group, which t is in, and hands over.
func (q *queue) run(ctx context.Context, t *ticket) {
	q.hold(ctx)
	group := q.take(t)
	// The statements of others must not fail because the leader's caller gave up.
	q.publish(context.WithoutCancel(ctx), group)
	for _, t := range group {
		close(t.done)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last = q.now()
	q.loaded = len(group) > 1 || len(q.waiting) > 0
	q.busy = false
	close(q.current)
	q.handOver()
}

// hold keeps the group open until the window since the last group has passed, if
// the table is under load.
func (q *queue) hold(ctx context.Context) {
	q.mu.Lock()
	wait := q.last.Add(groupWindow).Sub(q.now())
	loaded := q.loaded
	q.mu.Unlock()
	if !loaded || wait <= 0 || wait > groupWindow {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// take removes the next group from the queue: the leader's ticket and, unless that
// must be alone, those that wait with it, up to one that must be alone. A ticket
// that a statement which is run again holds back stays.
func (q *queue) take(leader *ticket) []*ticket {
	q.mu.Lock()
	defer q.mu.Unlock()
	var group, rest []*ticket
	full := false
	for _, t := range q.waiting {
		switch {
		case t == leader:
			full = full || t.alone
		case full || leader.alone || q.held(t):
			rest = append(rest, t)
			continue
		case t.alone:
			full = true
			rest = append(rest, t)
			continue
		}
		group = append(group, t)
	}
	q.waiting = rest
	return group
}
