package write

import (
	"context"
	"sync"
	"time"

	"github.com/lakesql/lakesql/storage/snapshot/commit"
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
	busy    bool      // a leader is at work
	last    time.Time // when the last group was published
	loaded  bool      // the last group had company, or left some behind
}

// ticket is one statement's place in the queue.
type ticket struct {
	st     *Statement
	alone  bool                  // must not share its snapshot
	lost   *commit.ReplacedError // not a statement: publish again what was lost
	lead   chan struct{}         // closed when this ticket's caller is to lead
	done   chan struct{}         // closed when published
	result Result
	err    error
}

// do publishes a statement, with others that wait at the same time. A caller
// whose context ends while another leads leaves the queue if its statement was
// not taken yet; one that was taken is waited for, as it may become visible.
func (q *queue) do(ctx context.Context, st *Statement, alone bool) (Result, error) {
	return q.enter(ctx, &ticket{st: st, alone: alone})
}

// enter is do for a ticket.
func (q *queue) enter(ctx context.Context, t *ticket) (Result, error) {
	t.lead, t.done = make(chan struct{}), make(chan struct{})
	q.mu.Lock()
	q.waiting = append(q.waiting, t)
	if q.busy {
		q.loaded = true
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
		q.busy = true
		q.mu.Unlock()
	}
	q.run(ctx)
	return t.result, t.err
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

// run publishes one group, whose first member is the caller's, and hands over.
func (q *queue) run(ctx context.Context) {
	q.hold(ctx)
	group := q.take()
	// The statements of others must not fail because the leader's caller gave up.
	q.publish(context.WithoutCancel(ctx), group)
	for _, t := range group {
		close(t.done)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last = q.now()
	q.loaded = len(group) > 1 || len(q.waiting) > 0
	if len(q.waiting) == 0 {
		q.busy = false
		return
	}
	close(q.waiting[0].lead)
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

// take removes the next group from the queue: the first ticket, and all others
// up to one that must be alone.
func (q *queue) take() []*ticket {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 1
	if !q.waiting[0].alone {
		for n < len(q.waiting) && !q.waiting[n].alone {
			n++
		}
	}
	group := append([]*ticket(nil), q.waiting[:n]...)
	q.waiting = append(q.waiting[:0], q.waiting[n:]...)
	return group
}
