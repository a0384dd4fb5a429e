package columnar

import (
	"context"

	"github.com/lakesql/lakesql/storage/types"
)

// Batch is a block of rows: columns of equal length, and which of their slots count.
type Batch struct {
	N    int      // slots of every column
	Sel  []uint16 // the live slots in ascending order; nil: all N. Only while N <= 65536
	Cols []*Vector
	// Kinds has the row kind of each slot; nil: all are +I.
	Kinds []types.RowKind
}

// Rows is the number of live rows.
func (b *Batch) Rows() int {
	if b.Sel != nil {
		return len(b.Sel)
	}
	return b.N
}

// BatchRows is how many rows our readers put in a batch at the most.
const BatchRows = 4096

// Reader yields batches until io.EOF. A batch is typed slices in Arrow's layout, owned by
// its producer and valid until the next call; it counts no references.
type Reader interface {
	Next(ctx context.Context) (*Batch, error)
	Close() error
}

// NewBatch returns an empty batch with a vector for each type and room for n rows.
func NewBatch(ts []types.Type, n int) *Batch {
	b := &Batch{Cols: make([]*Vector, len(ts))}
	for i, t := range ts {
		b.Cols[i] = NewVector(t, n)
	}
	return b
}

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() {
	b.N, b.Sel, b.Kinds = 0, nil, b.Kinds[:0]
	for _, c := range b.Cols {
		c.Reset()
	}
}
