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

// maxChunks is how many chunks a table has at the most: a pick must tell them apart.
const maxChunks = columnar.MaxSources

// chunkRows and chunkBytes are where the table begins a new chunk of its own.
const (
	chunkRows  = 1 << 16
	chunkBytes = 32 << 20
)

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

// Table collects the records of a bucket in chunks, in the order of arrival: chunks
// of its own, to which batches are copied, and batches that it has adopted.
type Table struct {
	c        Config
	types    []types.Type
	order    *merge.Order
	versions merge.VersionOrder

	chunks []*columnar.Batch // the table's columns, then the sequence number
	n      int               // rows of chunks
	open   int               // chunk to which rows are copied; -1: none
	free   []*columnar.Batch // empty chunks of its own
	hulls  []*hull           // of adopted batches; those of chunks come first
	used   int               // of hulls

	adoptRows int

	account *membudget.Account
	bytes   int64 // of chunks and of what sorting takes
	last    int64 // highest sequence number so far
	arrival bool  // sequence numbers have not fallen from row to row
	sorter  sorter
	flush   flush
}

// hull is what a chunk needs around an adopted batch.
type hull struct {
	batch  columnar.Batch
	number columnar.Vector
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
		c: c, order: order, account: c.Budget.Account(), adoptRows: adoptRows,
		types:    append(c.Types[:len(c.Types):len(c.Types)], types.Of(types.BigInt).WithNotNull(true)),
		versions: merge.VersionOrder{Fields: c.SequenceFields, Descending: c.Descending, Number: len(c.Types)},
	}
	t.Reset()
	return t, nil
}

// Rows is how many rows have been appended, versions of one key counted each.
func (t *Table) Rows() int { return t.n }

// SizeBytes is what the rows, and sorting them, take in memory.
func (t *Table) SizeBytes() int64 { return t.bytes }

// sortBytes is what a flush takes per row: prefixes and two arrays of pairs.
const sortBytes = 16 + 2*16 + 4

// Append takes the live rows of b, whose columns are the table's, with the sequence
// numbers from first on. It keeps nothing of b. ErrFull: nothing was taken.
func (t *Table) Append(b *columnar.Batch, first int64) error {
	n := b.Rows()
	if n == 0 {
		return nil
	}
	chunk, err := t.admit(b)
	if err != nil {
		return err
	}
	t.take(chunk, b, first)
	num := chunk.Cols[len(t.c.Types)]
	num.Reserve(n)
	for i := range n {
		num.AppendI64(first + int64(i))
	}
	return nil
}

// adoptRows is how many rows make it worth to spend a chunk on a batch.
const adoptRows = 1 << 13

// Adopt is Append without a copy where that pays: the caller leaves b as it is until
// Reset or Close. The bytes of b are the caller's to account for.
func (t *Table) Adopt(b *columnar.Batch, first int64) error {
	if b.N < t.adoptRows || b.Sel != nil || len(t.chunks) > maxChunks/2 || inDictionary(b) {
		return t.Append(b, first)
	}
	if len(b.Cols) != len(t.c.Types) {
		return fmt.Errorf("memtable: batch of %d columns, want %d", len(b.Cols), len(t.c.Types))
	}
	if t.n+b.N > MaxRows {
		return t.full(b)
	}
	if err := t.reserve(int64(b.N) * (sortBytes + 8)); err != nil {
		return err
	}
	if t.used == len(t.hulls) {
		t.hulls = append(t.hulls, &hull{number: columnar.Vector{Type: t.types[len(t.c.Types)]}})
	}
	h := t.hulls[t.used]
	t.used++
	h.number.Reset()
	h.number.Reserve(b.N)
	numbers := h.number.I64[:b.N]
	for i := range numbers {
		numbers[i] = first + int64(i)
	}
	h.number.I64, h.number.N = numbers, b.N
	h.batch = columnar.Batch{N: b.N, Kinds: b.Kinds, Cols: append(append(h.batch.Cols[:0], b.Cols...), &h.number)}
	t.chunks, t.open = append(t.chunks, &h.batch), -1
	t.took(b.N, first)
	return nil
}

func inDictionary(b *columnar.Batch) bool {
	for _, c := range b.Cols {
		if c.Dict != nil {
			return true
		}
	}
	return false
}

// admit reserves memory for a batch and returns the chunk that it fits in.
func (t *Table) admit(b *columnar.Batch) (*columnar.Batch, error) {
	if len(b.Cols) != len(t.c.Types) {
		return nil, fmt.Errorf("memtable: batch of %d columns, want %d", len(b.Cols), len(t.c.Types))
	}
	n := b.Rows()
	if t.n+n > MaxRows {
		return nil, t.full(b)
	}
	size := b.SizeBytes()
	if b.N > 0 {
		size = int64(float64(size) * float64(n) / float64(b.N))
	}
	next := t.open < 0 || t.chunks[t.open].N >= chunkRows || t.chunks[t.open].SizeBytes() >= chunkBytes
	for i, c := range b.Cols {
		if room(nil, c) < 0 {
			return nil, t.full(b)
		}
		next = next || room(t.chunks[t.open].Cols[i], c) < 0
	}
	if next && len(t.chunks) == maxChunks {
		return nil, ErrFull
	}
	if err := t.reserve(size + int64(n)*(sortBytes+8)); err != nil {
		return nil, err
	}
	if next {
		t.open = len(t.chunks)
		t.chunks = append(t.chunks, t.emptyChunk())
	}
	return t.chunks[t.open], nil
}

func (t *Table) emptyChunk() *columnar.Batch {
	if n := len(t.free); n > 0 {
		c := t.free[n-1]
		t.free = t.free[:n-1]
		return c
	}
	return columnar.NewBatch(t.types, 0)
}

// reserve makes size bytes more count as used.
func (t *Table) reserve(size int64) error {
	if more := t.bytes + size - t.account.Held(); more > 0 && !t.account.Reserve(more) {
		if t.n > 0 {
			return ErrFull
		}
		t.account.Force(more)
	}
	t.bytes += size
	return nil
}

func (t *Table) full(b *columnar.Batch) error {
	if t.n > 0 {
		return ErrFull
	}
	return fmt.Errorf("memtable: batch of %d rows is too large", b.Rows())
}

// room is how many more bytes or entries fit behind those of v, nil for an empty
// vector, after all of c's.
func room(v, c *columnar.Vector) int64 {
	if v == nil {
		v = &columnar.Vector{}
	}
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

// take appends a batch to a chunk, but for its sequence numbers, which begin at first.
func (t *Table) take(chunk, b *columnar.Batch, first int64) {
	view := columnar.Batch{N: chunk.N, Cols: chunk.Cols[:len(t.c.Types)], Kinds: chunk.Kinds}
	view.Append(b)
	n := view.N - chunk.N
	chunk.N, chunk.Kinds = view.N, view.Kinds
	t.took(n, first)
}

// took counts n rows whose sequence numbers begin at first.
func (t *Table) took(n int, first int64) {
	t.n += n
	t.arrival = t.arrival && first > t.last
	t.last = max(t.last, first+int64(n)-1)
}

// Reset empties the table and keeps its memory and what is reserved for it. It lets
// go of adopted batches.
func (t *Table) Reset() {
	for _, h := range t.hulls[:t.used] {
		clear(h.batch.Cols)
		h.batch = columnar.Batch{Cols: h.batch.Cols[:0]}
	}
	t.used = 0
	for i, c := range t.chunks {
		if len(c.Cols) > 0 {
			c.Reset()
			c.Kinds = nil
			t.free = append(t.free, c)
		}
		t.chunks[i] = nil
	}
	t.chunks, t.n, t.open = t.chunks[:0], 0, -1
	t.bytes, t.arrival, t.last = 0, true, math.MinInt64
	t.flush.letGo()
	t.sorter.order, t.sorter.keys = nil, nil
}

// Close empties the table and gives its memory back. The table may be used again.
func (t *Table) Close() {
	t.Reset()
	t.free, t.hulls = nil, nil
	t.sorter, t.flush = sorter{}, flush{}
	t.account.Close()
}
