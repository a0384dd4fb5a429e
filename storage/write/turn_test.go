package write

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// keysOf is the writes of a statement that touches some keys of one bucket.
func keysOf(keys ...uint32) *writes {
	w := &writes{}
	w.of(Bucket{}).add(keys)
	return w
}

// table is a publisher without files: it counts versions, and refuses a ticket
// whose keys were written after the version that it read.
type table struct {
	p       *Publisher
	version int64
	written *recent
	log     []string
}

func newTable() *table {
	tb := &table{written: newRecent(1000)}
	tb.p = &Publisher{}
	tb.p.queue = queue{now: time.Now, publish: func(ctx context.Context, group []*ticket) {
		for _, t := range group {
			t.result, t.err = t.run(ctx)
		}
	}}
	return tb
}

// write publishes a statement that read base; blind ones read nothing.
func (tb *table) write(ctx context.Context, name string, base int64, blind bool, turn *Turn, keys *writes) error {
	t := &ticket{turn: turn, keys: keys}
	t.run = func(context.Context) (Result, error) {
		if !blind && tb.written.writtenSince(base, tb.version, keys) {
			turn.lose(keys)
			return Result{}, ErrConflict
		}
		tb.version++
		tb.written.add(tb.version, keys)
		tb.log = append(tb.log, name)
		return Result{}, nil
	}
	_, err := tb.p.queue.enter(ctx, t)
	return err
}

// A statement that has lost is overtaken by nobody who writes its key, however many
// come and whatever they are; others go on.
func TestStatementThatLostHoldsItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := newTable()
		turn := tb.p.NewTurn()
		defer turn.End()
		base := tb.version
		must(t, tb.write(t.Context(), "rival", 0, true, nil, keysOf(1)))
		if err := tb.write(t.Context(), "first", base, false, turn, keysOf(1, 2)); !errors.Is(err, ErrConflict) {
			t.Fatalf("it read before the rival wrote: %v", err)
		}
		must(t, turn.Wait(t.Context()))
		base = tb.version
		for i := range 20 { // all arrive while it runs again
			go func() {
				if err := tb.write(context.Background(), "late", 0, true, nil, keysOf(uint32(1+i%2))); err != nil {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		must(t, tb.write(t.Context(), "other", 0, true, nil, keysOf(3)))
		must(t, tb.write(t.Context(), "first", base, false, turn, keysOf(1, 2)))
		turn.End()
		settle()
		want := append([]string{"rival", "other", "first"}, slices.Repeat([]string{"late"}, 20)...)
		if !slices.Equal(tb.log, want) {
			t.Fatalf("order of publication:\n%v, want\n%v", tb.log, want)
		}
	})
}

// Statements that all read the same version and write one key are each run again
// once: those that lost stand in line in the order in which they lost.
func TestEachIsRunAgainOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 50
		tb := newTable()
		runs := make([]int, n)
		start := make(chan struct{})
		for i := range n {
			go func() {
				turn := tb.p.NewTurn()
				defer turn.End()
				base := tb.version // all the same
				<-start
				for {
					runs[i]++
					err := tb.write(context.Background(), fmt.Sprint(i), base, false, turn, keysOf(7))
					if err == nil {
						return
					}
					if !errors.Is(err, ErrConflict) {
						t.Error(err)
						return
					}
					if err := turn.Wait(context.Background()); err != nil {
						t.Error(err)
						return
					}
					base = tb.version
				}
			}()
		}
		synctest.Wait()
		close(start)
		synctest.Wait()
		settle()
		if len(tb.log) != n {
			t.Fatalf("%d of %d are published", len(tb.log), n)
		}
		once := 0
		for _, r := range runs {
			if r > 2 {
				t.Errorf("a statement was run %d times", r)
			}
			if r == 1 {
				once++
			}
		}
		if once != 1 {
			t.Errorf("%d statements did not lose, want 1", once)
		}
	})
}

// A turn that is given up, or whose caller goes, lets the others on.
func TestTurnThatEndsLetsOthersOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := newTable()
		lost := func() *Turn {
			turn := tb.p.NewTurn()
			turn.lose(keysOf(1))
			return turn
		}
		first, second := lost(), lost()
		must(t, first.Wait(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		waited := make(chan error, 1)
		go func() { waited <- second.Wait(ctx) }()
		go func() { waited <- tb.write(context.Background(), "held", 0, true, nil, keysOf(1)) }()
		synctest.Wait()
		cancel()
		if err := <-waited; !errors.Is(err, context.Canceled) {
			t.Fatalf("waiting in line: %v", err)
		}
		second.End()
		synctest.Wait()
		if len(tb.log) != 0 {
			t.Fatal("the first still stands in line")
		}
		first.End()
		must(t, <-waited)
		first.End()
		if len(tb.p.queue.turns) != 0 || tb.p.queue.busy {
			t.Fatal("something is left in the queue")
		}
	})
}

// After some losses a turn is for every key, but not for rows without keys.
func TestTurnThatKeepsLosing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := newTable()
		turn := tb.p.NewTurn()
		for i := range wholeAfter {
			turn.lose(keysOf(uint32(i)))
			must(t, turn.Wait(t.Context()))
		}
		done := make(chan error, 1)
		go func() { done <- tb.write(context.Background(), "late", 0, true, nil, keysOf(99)) }()
		must(t, tb.write(t.Context(), "no keys", 0, true, nil, &writes{}))
		synctest.Wait()
		if len(tb.log) != 1 {
			t.Fatalf("published: %v", tb.log)
		}
		turn.End()
		must(t, <-done)
	})
}

// settle lets all goroutines of the bubble go as far as they can; its clock costs no time.
func settle() {
	time.Sleep(time.Minute)
	synctest.Wait()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
