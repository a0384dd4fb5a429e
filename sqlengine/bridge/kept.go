package bridge

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/internal/membudget"
)

// kept counts the memory of rows that a statement keeps until its end against the
// server's budget. What is refused is a *membudget.LimitError.
type kept struct {
	acct    *membudget.Account
	what    string
	waiting int64 // not yet asked for: the budget is not asked for every row
}

// keptStep is how much is asked for at a time.
const keptStep = 64 << 10

// keeps opens a count; its holder closes it.
func (t *Table) keeps(what string) kept {
	return kept{acct: t.handle.Env().Budget().Account(), what: what}
}

// more adds n bytes.
func (k *kept) more(n int64) error {
	if k.waiting += n; k.waiting < keptStep {
		return nil
	}
	n, k.waiting = k.waiting, 0
	return k.acct.Need(k.what, n)
}

// rows adds what rows take.
func (k *kept) rows(rows ...sql.Row) error {
	n := int64(0)
	for _, r := range rows {
		n += RowBytes(r)
	}
	return k.more(n)
}

func (k *kept) close() { k.acct.Close() }

// RowBytes estimates what a row of the host takes in memory.
func RowBytes(r sql.Row) int64 {
	n := int64(24)
	for _, v := range r {
		n += ValueBytes(v)
	}
	return n
}

// ValueBytes estimates what a value of the host takes in memory.
func ValueBytes(v any) int64 {
	switch x := v.(type) {
	case nil, bool, int8, uint8:
		return 16
	case string:
		return 32 + int64(len(x))
	case []byte:
		return 40 + int64(len(x))
	case int, int16, int32, int64, uint16, uint32, uint64, float32, float64:
		return 24
	case sql.Row:
		return RowBytes(x)
	case []any:
		return RowBytes(x)
	case map[string]any:
		n := int64(48)
		for k, v := range x {
			n += 48 + int64(len(k)) + ValueBytes(v)
		}
		return n
	}
	return 80 // times, decimals and their kin
}
