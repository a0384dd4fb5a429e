package write

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

func newQueue(publish func(group []*ticket)) *queue {
	return &queue{publish: func(_ context.Context, g []*ticket) { publish(g) }, now: time.Now}
}

func TestLoneStatementPublishesAtOnce(t *testing.T) {
	n := 0
	q := newQueue(func(g []*ticket) { n += len(g) })
	for range 3 {
		if _, err := q.enter(t.Context(), &ticket{}); err != nil {
			t.Fatal(err)
		}
	}
	if n != 3 || q.busy || q.loaded {
		t.Fatalf("published %d, busy %v, loaded %v", n, q.busy, q.loaded)
	}
}

// While the first statement is published, others arrive: they must share the
// next group, in the order of their arrival.
func TestStatementsThatArriveTogetherShareASnapshot(t *testing.T) {
	const others = 50
	release, entered := make(chan struct{}), make(chan struct{})
	var groups [][]*ticket
	q := newQueue(func(g []*ticket) {
		groups = append(groups, g)
		if len(groups) == 1 {
			close(entered)
			<-release
		}
	})
	var wg sync.WaitGroup
	do := func() {
		defer wg.Done()
		if _, err := q.enter(context.Background(), &ticket{}); err != nil {
			t.Error(err)
		}
	}
	wg.Add(1)
	go do()
	<-entered
	for i := range others {
		wg.Add(1)
		go do()
		for { // until it waits
			q.mu.Lock()
			n := len(q.waiting)
			q.mu.Unlock()
			if n == i+1 {
				break
			}
		}
	}
	waiting := append([]*ticket(nil), q.waiting...)
	close(release)
	wg.Wait()
	if len(groups) != 2 || len(groups[1]) != others {
		t.Fatalf("%d groups, the second of %d statements", len(groups), len(groups[len(groups)-1]))
	}
	for i, tk := range groups[1] {
		if tk != waiting[i] {
			t.Fatalf("statement %d is out of order", i)
		}
	}
}

func TestAloneStandsAlone(t *testing.T) {
	q := newQueue(nil)
	for _, alone := range []bool{false, false, true, false} {
		q.waiting = append(q.waiting, &ticket{alone: alone})
	}
	for _, want := range []int{2, 1, 1} {
		if g := q.take(q.waiting[0]); len(g) != want {
			t.Fatalf("group of %d, want %d", len(g), want)
		}
	}
}

func TestWaitingStatementCanBeCancelled(t *testing.T) {
	release, entered := make(chan struct{}), make(chan struct{})
	published := 0
	q := newQueue(func(g []*ticket) {
		published += len(g)
		if published == 1 {
			close(entered)
			<-release
		}
	})
	first := make(chan error)
	go func() {
		_, err := q.enter(context.Background(), &ticket{})
		first <- err
	}()
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.enter(ctx, &ticket{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled statement: %v", err)
	}
	close(release)
	if err := <-first; err != nil || published != 1 {
		t.Fatalf("%v, %d published", err, published)
	}
}
