package memtable

import (
	"errors"
	"fmt"
	"math"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/lsm/merge"
	"github.com/lakesql/lakesql/storage/types"
)

// MaxRows is how many rows a table holds at the most.
const MaxRows = columnar.MaxPickRow

// ErrFull says that the table cannot take the batch before it is flushed. A table
// without rows never returns it.
var ErrFull = errors.New("memtable is full")

// Config describes a bucket's records.
type Config struct {
	// Types are the types of the table's columns.
	Types []types.Type
	// Key are the columns of the key, in key order.
	Key []int
	// SequenceFields are the columns of sequence.field, most significant first;
	// Descending inverts their order, but for null.
	SequenceFields []int
	Descending     bool
	// Function folds the versions of a key; nil: the newest wins.
	Function merge.Function
	// Budget is what the rows count against; nil: no limit.
	Budget *membudget.Budget
}

// Table collects the records of a bucket.
type Table struct {
	c        Config
	order    *merge.Order
	versions merge.VersionOrder
	rows     *columnar.Batch // the table's columns, then the sequence number
	account  *membudget.Account
	used     int64 // bytes of rows and of what sorting them takes
	last     int64 // highest sequence number so far
	arrival  bool  // sequence numbers have not fallen from row to row
	sorter   sorter
	flush    flush
}

// New returns an empty table.
func New(c Config) (*Table, error) {
	kt := make([]types.Type, 0, len(c.Key))
	for _, k := range c.Key {
		if k < 0 || k >= len(c.Types) {
			return nil, fmt.Errorf("memtable: no key column %d among %d", k, len(c.Types))
		}
		kt = append(kt, c.Types[k])
	}
	order, err := merge.NewOrder(kt)
	if err != nil {
		return nil, fmt.Errorf("memtable: %w", err)
	}
	for _, f := range c.SequenceFields {
		if f < 0 || f >= len(c.Types) || c.Types[f].Nested() {
			return nil, fmt.Errorf("memtable: column %d cannot be a sequence field", f)
		}
	}
	t := &Table{
		c: c, order: order, account: c.Budget.Account(),
		versions: merge.VersionOrder{Fields: c.SequenceFields, Descending: c.Descending, Number: len(c.Types)},
	}
	t.Reset()
	return t, nil
}

// Types are the types of the batches of Flush: the table's columns, then the
// sequence number.
func (t *Table) Types() []types.Type {
	return append(t.c.Types[:len(t.c.Types):len(t.c.Types)], types.Of(types.BigInt).WithNotNull(true))
}

// Rows is how many rows have been appended, versions of one key counted each.
func (t *Table) Rows() int { return t.rows.N }

// SizeBytes is what the rows, and sorting them, take in memory.
func (t *Table) SizeBytes() int64 { return t.used }

// sortBytes is what a flush takes per row: prefixes and two arrays of pairs.
const sortBytes = 16 + 2*16 + 4

// Append takes the live rows of b, whose columns are the table's, with the sequence
// numbers from first on. It keeps nothing of b. ErrFull: nothing was taken.
func (t *Table) Append(b *columnar.Batch, first int64) error {
	n := b.Rows()
	if n == 0 {
		return nil
	}
	if err := t.admit(b); err != nil {
		return err
	}
	t.take(b, first+int64(n)-1, first > t.last)
	num := t.rows.Cols[len(t.c.Types)]
	num.Reserve(n)
	for i := range n {
		num.AppendI64(first + int64(i))
	}
	return nil
}

// AppendNumbered is Append with a sequence number for each live row.
func (t *Table) AppendNumbered(b *columnar.Batch, numbers []int64) error {
	n := b.Rows()
	if len(numbers) != n {
		return fmt.Errorf("memtable: %d sequence numbers for %d rows", len(numbers), n)
	}
	if n == 0 {
		return nil
	}
	if err := t.admit(b); err != nil {
		return err
	}
	high, rising := numbers[0], numbers[0] > t.last
	for i, x := range numbers[1:] {
		high = max(high, x)
		rising = rising && x > numbers[i]
	}
	t.take(b, high, rising)
	num := t.rows.Cols[len(t.c.Types)]
	num.Reserve(n)
	for _, x := range numbers {
		num.AppendI64(x)
	}
	return nil
}

// admit reserves memory for a batch and checks that it fits.
func (t *Table) admit(b *columnar.Batch) error {
	if len(b.Cols) != len(t.c.Types) {
		return fmt.Errorf("memtable: batch of %d columns, want %d", len(b.Cols), len(t.c.Types))
	}
	n := b.Rows()
	if t.rows.N+n > MaxRows {
		return t.full(b)
	}
	size := b.SizeBytes()
	if b.N > 0 {
		size = int64(float64(size) * float64(n) / float64(b.N))
	}
	size += int64(n) * (sortBytes + 8)
	for i, c := range b.Cols {
		if room(t.rows.Cols[i], c) < 0 {
			return t.full(b)
		}
	}
	if more := t.used + size - t.account.Held(); more > 0 && !t.account.Reserve(more) {
		if t.rows.N > 0 {
			return ErrFull
		}
		t.account.Force(more)
	}
	t.used += size
	return nil
}

func (t *Table) full(b *columnar.Batch) error {
	if t.rows.N > 0 {
		return ErrFull
	}
	return fmt.Errorf("memtable: batch of %d rows is too large", b.Rows())
}

// room is how many more bytes or entries fit behind those of v after all of c's.
func room(v, c *columnar.Vector) int64 {
	left := int64(math.MaxInt32 - columnar.SlackBytes)
	switch {
	case c.Dict != nil:
		if len(c.Dict.Off) > 0 {
			for i := range c.N {
				if !c.IsNull(i) {
					left -= int64(len(c.Bytes(i)))
				}
			}
			left -= int64(len(v.Data))
		}
		return left
	case len(c.Off) > 0:
		left -= int64(len(v.Data)) + int64(c.Off[c.N]-c.Off[0])
		if len(v.Children) > 0 {
			left = math.MaxInt32 - int64(v.Children[0].N) - int64(c.Off[c.N]-c.Off[0])
		}
	}
	for i := range v.Children {
		left = min(left, room(v.Children[i], c.Children[i]))
	}
	return left
}

// take appends a batch but for its sequence numbers.
func (t *Table) take(b *columnar.Batch, high int64, rising bool) {
	view := columnar.Batch{N: t.rows.N, Cols: t.rows.Cols[:len(t.c.Types)], Kinds: t.rows.Kinds}
	view.Append(b)
	t.rows.N, t.rows.Kinds = view.N, view.Kinds
	t.arrival = t.arrival && rising
	t.last = max(t.last, high)
}

// Reset empties the table and keeps its memory and what is reserved for it.
func (t *Table) Reset() {
	if t.rows == nil {
		t.rows = columnar.NewBatch(t.Types(), 0)
	}
	t.rows.Reset()
	t.rows.Kinds = nil
	t.used, t.arrival, t.last = 0, true, math.MinInt64
}

// Close empties the table and gives its memory back. The table may be used again.
func (t *Table) Close() {
	t.rows, t.sorter, t.flush = nil, sorter{}, flush{}
	t.Reset()
	t.account.Close()
}
