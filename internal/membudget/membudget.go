package membudget

import (
	"fmt"
	"sync/atomic"
)

// Budget is a limit in bytes that many accounts share. A nil Budget has no limit.
type Budget struct {
	limit int64
	used  atomic.Int64
}

// New returns a budget of limit bytes; 0 is no limit.
func New(limit int64) *Budget { return &Budget{limit: limit} }

// Limit is the budget in bytes; 0 is no limit.
func (b *Budget) Limit() int64 {
	if b == nil {
		return 0
	}
	return b.limit
}

// Used is how many bytes are reserved now. Forced reservations may raise it over Limit.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load()
}

func (b *Budget) add(n int64) {
	if b != nil {
		b.used.Add(n)
	}
}

func (b *Budget) reserve(n int64) bool {
	if b == nil {
		return true
	}
	if b.limit <= 0 || n <= 0 {
		b.used.Add(n)
		return true
	}
	for {
		u := b.used.Load()
		if u+n > b.limit {
			return false
		}
		if b.used.CompareAndSwap(u, u+n) {
			return true
		}
	}
}

// Account is what one holder has reserved. The zero value counts against no budget.
type Account struct {
	b    *Budget
	held atomic.Int64
}

// Account opens an account on the budget.
func (b *Budget) Account() *Account { return &Account{b: b} }

// Reserve adds n bytes and reports whether the budget has them; if not, nothing changes.
func (a *Account) Reserve(n int64) bool {
	if !a.b.reserve(n) {
		return false
	}
	a.held.Add(n)
	return true
}

// Force adds n bytes whatever the limit says.
func (a *Account) Force(n int64) {
	a.b.add(n)
	a.held.Add(n)
}

// Release gives n bytes back; at most what is held.
func (a *Account) Release(n int64) {
	for {
		h := a.held.Load()
		give := min(n, h)
		if a.held.CompareAndSwap(h, h-give) {
			a.b.add(-give)
			return
		}
	}
}

// Held is how many bytes the account has.
func (a *Account) Held() int64 { return a.held.Load() }

// Close gives everything back. The account may be used again.
func (a *Account) Close() { a.b.add(-a.held.Swap(0)) }

// LimitError says that a holder needs more than the budget has. It tells the user
// the limit and how it is set.
type LimitError struct {
	What  string // who asked, such as "a sort"
	Bytes int64  // that it holds, with those that it asked for
	Limit int64  // of the budget
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("Out of memory: %s needs %s, and all statements together have %s (--memory-limit)", e.What, size(e.Bytes), size(e.Limit))
}

// size shows bytes in the largest unit that keeps a digit.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d KiB", (n+1023)>>10)
}

// Need is Reserve for a holder that can do nothing about a refusal: a *LimitError.
func (a *Account) Need(what string, n int64) error {
	if a.Reserve(n) {
		return nil
	}
	return &LimitError{What: what, Bytes: a.Held() + n, Limit: a.b.Limit()}
}
