package write

import (
	"sync"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Rows of a bucket are kept in chunks, which a memtable adopts as they are: the
// first grows up to firstRows, so that small statements stay small; the others have
// room for chunkRows at once and are used again.
const (
	firstRows  = 1 << 14
	chunkRows  = 1 << 16
	chunkBytes = 32 << 20
	// idleBytes bounds the memory of the chunks that wait to be used again.
	idleBytes = 256 << 20
)

// chunks keeps the chunks of released statements of a layout. Fresh memory for them
// would cost more than the copying of rows. Safe for many goroutines.
type chunks struct {
	mu    sync.Mutex
	idle  []*columnar.Batch // empty
	bytes int64             // of idle
}

// take returns an empty chunk with room for chunkRows rows like those of last.
func (c *chunks) take(ts []types.Type, last *columnar.Batch) *columnar.Batch {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.idle); n > 0 {
		b := c.idle[n-1]
		c.idle[n-1] = nil
		c.idle = c.idle[:n-1]
		c.bytes -= capBytes(b)
		return b
	}
	rows := int(min(chunkRows, chunkBytes*int64(last.N)/max(1, last.SizeBytes()))) + columnar.BatchRows
	b := columnar.NewBatch(ts, rows)
	for i, v := range b.Cols {
		if columnar.LayoutOf(v.Type) == columnar.Str {
			size := int64(len(last.Cols[i].Data)) * int64(rows) / int64(max(1, last.N))
			v.Data = make([]byte, 0, size+size/32+columnar.SlackBytes)
		}
	}
	return b
}

// put takes the chunks of a segment back.
func (c *chunks) put(g *segment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range g.order {
		for i, b := range g.batches[k] {
			if i == 0 {
				continue
			}
			b.Reset()
			if n := capBytes(b); c.bytes+n <= idleBytes {
				c.idle = append(c.idle, b)
				c.bytes += n
			}
		}
	}
	g.batches, g.order = nil, nil
}

// capBytes is what the flat columns of a batch have room for.
func capBytes(b *columnar.Batch) int64 {
	n := cap(b.Kinds)
	for _, v := range b.Cols {
		n += 4*(cap(v.I32)+cap(v.F32)+cap(v.Off)) + 8*(cap(v.I64)+cap(v.F64)) + 16*cap(v.D128) + cap(v.Data)
	}
	return int64(n)
}
