package parquet

import (
	"sync"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// maxHeldBytes bounds the memory that a Format keeps for its next readers and writers.
const maxHeldBytes = 192 << 20

// freeList keeps the buffers of finished writers and closed readers. A collected
// pool would lose them with each garbage collection, and fresh memory costs more
// than the work done in it.
type freeList struct {
	mu      sync.Mutex
	chunks  []*chunkWriter
	columns []*columnMemory
	pending map[columnar.Layout][]*columnar.Vector
	held    int64
}

// columnMemory is what a flat column of a reader needs.
type columnMemory struct {
	vals        values
	own, spread columnar.Vector
	valid, bits []uint64
	dense       []int32
	codes       []int32
	buf, page   []byte
}

func (m *columnMemory) bytes() int64 {
	n := cap(m.buf) + cap(m.page) + cap(m.vals.ownBytes) + 8*(cap(m.vals.own64)+cap(m.valid)+cap(m.bits)) +
		4*(cap(m.vals.own32)+cap(m.vals.off)+cap(m.dense)+cap(m.codes)+cap(m.vals.lengths[0])+cap(m.vals.lengths[1]))
	return int64(n) + memoryOf(&m.own) + memoryOf(&m.spread)
}

// memoryOf is what the slices of a flat vector hold.
func memoryOf(v *columnar.Vector) int64 {
	return int64(4*(cap(v.I32)+cap(v.F32)+cap(v.Off)) + 8*(cap(v.I64)+cap(v.F64)) + 16*cap(v.D128) + cap(v.Data))
}

func (c *chunkWriter) bytes() int64 {
	return int64(cap(c.buf) + cap(c.ends) + cap(c.body) + cap(c.comp) + cap(c.delta) + 8*cap(c.dict.tslot) + 4*cap(c.dict.slots) + cap(c.dict.data))
}

// pop removes the last element of a list, if there is one.
func pop[T any](list *[]*T) *T {
	n := len(*list)
	if n == 0 {
		return nil
	}
	x := (*list)[n-1]
	(*list)[n-1] = nil
	*list = (*list)[:n-1]
	return x
}

func (f *freeList) takeChunk() *chunkWriter {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := pop(&f.chunks)
	if c == nil {
		return &chunkWriter{}
	}
	f.held -= c.bytes()
	c.reset()
	return c
}

func (f *freeList) putChunk(c *chunkWriter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := c.bytes(); f.held+n <= maxHeldBytes {
		c.unit, c.vals = c.unit.memory(), c.vals.memory()
		f.chunks = append(f.chunks, c)
		f.held += n
	}
}

// memory is d without the slices that alias vectors.
func (d *dense) memory() dense {
	return dense{own32: d.own32, own64: d.own64, ownOff: d.ownOff, ownData: d.ownData}
}

func (f *freeList) takeColumn() *columnMemory {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := pop(&f.columns)
	if m == nil {
		return &columnMemory{}
	}
	f.held -= m.bytes()
	return m
}

func (f *freeList) putColumn(m *columnMemory) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := m.bytes(); f.held+n <= maxHeldBytes {
		f.columns = append(f.columns, m)
		f.held += n
	}
}

// takeVector gives an empty vector of a type.
func (f *freeList) takeVector(t types.Type) *columnar.Vector {
	if t.Nested() {
		return columnar.NewVector(t, 0)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.pending[columnar.LayoutOf(t)]
	v := pop(&list)
	if v == nil {
		return columnar.NewVector(t, 0)
	}
	f.pending[columnar.LayoutOf(t)] = list
	f.held -= memoryOf(v)
	v.Type = t
	v.Reset()
	return v
}

func (f *freeList) putVector(v *columnar.Vector) {
	if v.Type.Nested() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := memoryOf(v); f.held+n <= maxHeldBytes {
		if f.pending == nil {
			f.pending = map[columnar.Layout][]*columnar.Vector{}
		}
		l := columnar.LayoutOf(v.Type)
		f.pending[l] = append(f.pending[l], v)
		f.held += n
	}
}
