package merge

import (
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// dropDeletes removes retractions from the winners.
func (m *Reader) dropDeletes() {
	if !m.c.DropDeletes || !m.anyKinds() {
		return
	}
	n := 0
	for _, p := range m.ready {
		m.ready[n] = p
		if !m.sources[p>>pickShift].Kind(int(p & pickMask)).Retract() {
			n++
		}
	}
	m.ready = m.ready[:n]
}

func (m *Reader) anyKinds() bool {
	for _, s := range m.sources {
		if s != nil && len(s.Kinds) > 0 {
			return true
		}
	}
	return false
}

// largeBytes is the size of blocks from which on batches are cut by bytes as well
// as by rows, so that the offsets of a string column cannot run over.
const largeBytes = 1 << 30

// cutBytes is where such a batch is cut.
const cutBytes = 1 << 28

// drain gathers winners into the batch and reports whether it is full.
func (m *Reader) drain() bool {
	n := min(len(m.ready), m.c.BatchRows-m.out.N)
	full := false
	if n > 0 && m.blockBytes() > largeBytes {
		n, full = m.cut(n)
	}
	if n > 0 {
		m.gather(m.ready[:n])
		m.ready = m.ready[n:]
	}
	return full || m.out.N >= m.c.BatchRows
}

func (m *Reader) blockBytes() int64 {
	total := m.sources[len(m.runs)].SizeBytes()
	for i := range m.runs {
		total += m.runs[i].bytes
	}
	return total
}

// cut is how many of the first n winners fit into cutBytes, at least one for an
// empty batch, and whether that fills the batch.
func (m *Reader) cut(n int) (int, bool) {
	room := cutBytes - m.out.SizeBytes()
	for i, p := range m.ready[:n] {
		row := int(p & pickMask)
		for _, o := range m.c.Output {
			room -= slotBytes(m.sources[p>>pickShift].Cols[o], row, row+1)
		}
		if room < 0 && (i > 0 || m.out.N > 0) {
			return i, true
		}
	}
	return n, false
}

// slotBytes is about what slots from to to-1 take.
func slotBytes(v *columnar.Vector, from, to int) int64 {
	switch columnar.LayoutOf(v.Type) {
	case columnar.Str:
		return int64(v.Off[to] - v.Off[from])
	case columnar.List:
		from, to = int(v.Off[from]), int(v.Off[to])
	case columnar.Fixed:
		from, to = from*v.Type.Length, to*v.Type.Length
	}
	n := int64(8 * (to - from))
	for _, c := range v.Children {
		n += slotBytes(c, from, to)
	}
	return n
}

// gather appends the picked rows to the batch, column by column.
func (m *Reader) gather(picks []uint32) {
	if cap(m.vectors) < len(m.sources) {
		m.vectors = make([]*columnar.Vector, len(m.sources))
	}
	vs := m.vectors[:len(m.sources)]
	for i, o := range m.c.Output {
		for j, s := range m.sources {
			vs[j] = nil
			if s != nil {
				vs[j] = s.Cols[o]
			}
		}
		columnar.GatherMulti(m.out.Cols[i], vs, picks)
	}
	if len(m.out.Kinds) > 0 || m.anyKinds() {
		for len(m.out.Kinds) < m.out.N {
			m.out.Kinds = append(m.out.Kinds, types.Insert)
		}
		for _, p := range picks {
			m.out.Kinds = append(m.out.Kinds, m.sources[p>>pickShift].Kind(int(p&pickMask)))
		}
	}
	m.out.N += len(picks)
}

// finishBatch makes the batch fit to be returned and reports whether it has rows.
func (m *Reader) finishBatch() bool {
	b := m.out
	if len(b.Kinds) == 0 {
		b.Kinds = nil
	}
	if m.c.DropDeletes && m.c.Function != nil {
		selectAdds(b)
	}
	return b.Rows() > 0
}

// selectAdds deselects the retractions of a batch without a selection.
func selectAdds(b *columnar.Batch) {
	any := false
	for _, k := range b.Kinds {
		any = any || k.Retract()
	}
	if !any {
		return
	}
	b.Sel = make([]uint16, 0, b.N)
	for i, k := range b.Kinds {
		if !k.Retract() {
			b.Sel = append(b.Sel, uint16(i))
		}
	}
}
