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

// LimitError says that a Holder needs more than the budget has. It tells the user
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

// step is how many bytes a Holder asks for at a time, at the least.
const step = 64 << 10

// Holder counts what one operator of a statement keeps, when a refusal is the end
// of the statement. It asks the budget for a step at a time, so that it may be told
// of every row. It belongs to one goroutine; nil counts nothing.
type Holder struct {
	acct  *Account
	what  string
	bytes int64 // told so far
}

// Holder opens a count; what names the operator in the error, such as "a sort".
func (b *Budget) Holder(what string) *Holder { return &Holder{acct: b.Account(), what: what} }

// More adds n bytes, and To brings the count to n. Both return a *LimitError when
// the budget does not have them; the count is then as it was asked for.
func (h *Holder) More(n int64) error {
	if h == nil {
		return nil
	}
	return h.To(h.bytes + n)
}

// To is described at More.
func (h *Holder) To(n int64) error {
	if h == nil {
		return nil
	}
	h.bytes = n
	held := h.acct.Held()
	switch {
	case n < held:
		h.acct.Release(held - n)
	case n >= held+step || held == 0 && n > 0:
		if !h.acct.Reserve(n - held) {
			return &LimitError{What: h.what, Bytes: n, Limit: h.acct.b.Limit()}
		}
	}
	return nil
}

// Close gives everything back. It may be called more than once.
func (h *Holder) Close() {
	if h == nil {
		return
	}
	h.bytes = 0
	h.acct.Close()
}
