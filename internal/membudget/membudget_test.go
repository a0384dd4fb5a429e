package membudget

import (
	"errors"
	"sync"
	"testing"
)

func TestReserveUpToLimit(t *testing.T) {
	b := New(100)
	x, y := b.Account(), b.Account()
	if !x.Reserve(60) || !y.Reserve(40) {
		t.Fatal("refused within the limit")
	}
	if y.Reserve(1) {
		t.Fatal("granted past the limit")
	}
	y.Force(10)
	if b.Used() != 110 || y.Held() != 50 {
		t.Fatalf("used %d, held %d", b.Used(), y.Held())
	}
	y.Release(500)
	if b.Used() != 60 || y.Held() != 0 {
		t.Fatalf("used %d, held %d after a release of more than was held", b.Used(), y.Held())
	}
	x.Close()
	x.Close()
	if b.Used() != 0 {
		t.Fatalf("used %d after close", b.Used())
	}
}

func TestNoLimit(t *testing.T) {
	for _, b := range []*Budget{nil, New(0)} {
		a := b.Account()
		if !a.Reserve(1 << 60) {
			t.Fatal("refused without a limit")
		}
		a.Close()
		if b.Used() != 0 || b.Limit() != 0 {
			t.Fatal("not empty")
		}
	}
	var a Account
	if !a.Reserve(5) || a.Held() != 5 {
		t.Fatal("zero account")
	}
}

func TestConcurrentNeverPassesLimit(t *testing.T) {
	b := New(1000)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			a := b.Account()
			for range 2000 {
				if a.Reserve(7) {
					if u := b.Used(); u > 1000 {
						t.Errorf("used %d", u)
					}
				} else {
					a.Close()
				}
			}
			a.Close()
		})
	}
	wg.Wait()
	if b.Used() != 0 {
		t.Fatalf("used %d at the end", b.Used())
	}
}

func TestHolderAsksInSteps(t *testing.T) {
	b := New(10 * step)
	h, other := b.Holder("a sort"), b.Holder("a join")
	if err := other.More(2 * step); err != nil {
		t.Fatal(err)
	}
	for range 7 * step / 1024 {
		if err := h.More(1024); err != nil {
			t.Fatal(err)
		}
	}
	if b.Used() < 8*step || b.Used() > 9*step {
		t.Fatalf("used %d", b.Used())
	}
	err := h.More(3 * step)
	var limit *LimitError
	if !errors.As(err, &limit) || limit.Bytes != 10*step || limit.Limit != 10*step {
		t.Fatalf("past the limit: %v", err)
	}
	if want := "Out of memory: a sort needs 640 KiB, and all statements together have 640 KiB (--memory-limit)"; err.Error() != want {
		t.Errorf("%s, want %s", err, want)
	}
	if err := h.To(1); err != nil || b.Used() != 2*step+1 {
		t.Fatalf("%v, used %d after most was given back", err, b.Used())
	}
	h.Close()
	h.Close()
	other.Close()
	if b.Used() != 0 {
		t.Fatalf("used %d at the end", b.Used())
	}
}
