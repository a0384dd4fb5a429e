package write

import "context"

// wholeAfter is after how many losses a turn stands for all keys: the statement
// writes others at every run, or too much happens for their record.
const wholeAfter = 3

// Turn is the place of a statement that is run again because it lost a conflict.
// While it stands in line, statements that write one of the keys it lost wait
// until it is published or ends, so that it is not overtaken again; those that
// lost the same keys after it are run after it. It belongs to one goroutine.
type Turn struct {
	q *queue

	// Guarded by the queue's lock.
	lost   *writes       // what it was to write when it lost; nil: it has not
	losses int           // how often
	gone   chan struct{} // closed when it ends; nil: it does not stand in line
}

// NewTurn returns the turn of a statement that is about to run first. It holds
// nobody back until the statement has lost.
func (p *Publisher) NewTurn() *Turn { return &Turn{q: &p.queue} }

// Wait puts the statement in line for the keys that it lost, and returns when it
// should be run again, on a version of the table that is newer than the call. The
// caller ends the turn whatever comes.
func (t *Turn) Wait(ctx context.Context) error {
	t.q.mu.Lock()
	if t.lost == nil {
		t.q.mu.Unlock()
		return nil // it was not this table that the statement lost at
	}
	first := t.gone == nil
	if first {
		t.gone = make(chan struct{})
		t.q.turns = append(t.q.turns, t)
	}
	running := t.q.current // the groups after it know of this turn
	if !t.q.busy {
		running = nil
	}
	t.q.mu.Unlock()
	for first { // a statement in line never waits again: two could wait for each other
		gone := t.q.before(t)
		if gone == nil {
			break
		}
		select {
		case <-gone:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if running == nil {
		return nil
	}
	select {
	case <-running:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// End leaves the line. It may be called at any time, more than once.
func (t *Turn) End() {
	t.q.mu.Lock()
	defer t.q.mu.Unlock()
	if t.gone == nil {
		return
	}
	close(t.gone)
	t.gone = nil
	for i, x := range t.q.turns {
		if x == t {
			t.q.turns = append(t.q.turns[:i:i], t.q.turns[i+1:]...)
			break
		}
	}
	t.q.handOver()
}

// lose notes what the statement was to write. A nil turn notes nothing.
func (t *Turn) lose(w *writes) {
	if t == nil {
		return
	}
	t.q.mu.Lock()
	defer t.q.mu.Unlock()
	all := &writes{}
	if t.lost != nil {
		all.merge(t.lost)
	}
	all.merge(w)
	t.losses++
	all.everything = all.everything || t.losses >= wholeAfter
	t.lost = all
}

// before is closed when the first turn in front of t that is for one of its keys
// ends; nil: there is none.
func (q *queue) before(t *Turn) <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, x := range q.turns {
		if x == t {
			return nil
		}
		if x.lost.meets(t.lost) {
			return x.gone
		}
	}
	return nil
}

// held reports whether a ticket must wait for a statement that is run again. Those
// that are run again themselves are never held. The caller has the lock.
func (q *queue) held(t *ticket) bool {
	if len(q.turns) == 0 || (t.turn != nil && t.turn.gone != nil) {
		return false
	}
	w := t.writes()
	if w == nil {
		return false
	}
	for _, x := range q.turns {
		if x.lost.meets(w) {
			return true
		}
	}
	return false
}
