package memtable

import (
	"fmt"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/lsm/merge"
)

// FlushRows is how many keys a batch of Flush holds, but for the last. Columns are
// gathered one by one: the more rows at once, the more of a column's cache lines
// serve several of them.
const FlushRows = 1 << 17

// flushBytes cuts batches of very long rows: see columns of strings.
const flushBytes = 256 << 20

// flush is the memory of a flush.
type flush struct {
	out    *columnar.Batch
	vecs   []*columnar.Vector   // of keys
	keys   [][]*columnar.Vector // of each chunk
	picks  []uint32
	starts []int32
}

// letGo forgets the chunks.
func (f *flush) letGo() {
	clear(f.vecs)
	clear(f.keys)
	f.vecs, f.keys = f.vecs[:0], f.keys[:0]
}

// Flush sorts the rows, folds the versions of each key and yields the results in key
// order, each key once: the table's columns, then the sequence number of the newest
// version; with row kinds, retractions included. A batch is valid until yield
// returns. It ends with yield's first error. The table is left as it is: Reset it.
func (t *Table) Flush(yield func(b *columnar.Batch) error) error {
	if t.n == 0 {
		return nil
	}
	if err := t.sorter.sort(t.order, t.keys(), t.n); err != nil {
		return fmt.Errorf("sort memtable: %w", err)
	}
	f := &t.flush
	if f.out == nil {
		f.out = columnar.NewBatch(t.types, 0)
	}
	versions := t.versions
	versions.ByAge = t.arrival
	newest := t.arrival && len(t.c.SequenceFields) == 0 && t.c.Function == nil
	limit := t.batchRows()
	for pairs := t.sorter.pairs; len(pairs) > 0; {
		f.out.Reset()
		if newest {
			pairs = t.pickNewest(pairs, limit)
			f.out.AppendPicks(t.chunks, f.picks)
		} else {
			pairs = t.pickGroups(pairs, limit)
			g := merge.Groups{Sources: t.chunks, Picks: f.picks, Starts: f.starts}
			if err := g.Fold(f.out, &versions, t.c.Function, nil); err != nil {
				return fmt.Errorf("merge memtable: %w", err)
			}
		}
		if len(f.out.Kinds) == 0 {
			f.out.Kinds = nil
		}
		if f.out.N > 0 {
			if err := yield(f.out); err != nil {
				return err
			}
		}
	}
	return nil
}

// keys are the key columns of each chunk.
func (t *Table) keys() [][]*columnar.Vector {
	f := &t.flush
	f.letGo()
	for _, c := range t.chunks {
		for _, k := range t.c.Key {
			f.vecs = append(f.vecs, c.Cols[k])
		}
	}
	for i := range t.chunks {
		f.keys = append(f.keys, f.vecs[i*len(t.c.Key):(i+1)*len(t.c.Key)])
	}
	return f.keys
}

// pickNewest picks the last row of each of the first limit keys, which is the newest
// version, and returns the pairs behind them.
func (t *Table) pickNewest(pairs []pair, limit int) []pair {
	f := &t.flush
	if cap(f.picks) < limit {
		f.picks = make([]uint32, 0, limit)
	}
	picks := f.picks[:0]
	i := 0
	if t.sorter.order.Narrow() {
		for i < len(pairs) && len(picks) < limit {
			p := pairs[i]
			for i++; i < len(pairs) && pairs[i].prefix == p.prefix; i++ {
				p = pairs[i]
			}
			picks = append(picks, p.row)
		}
	} else {
		for i < len(pairs) && len(picks) < limit {
			for i++; i < len(pairs) && t.sorter.same(pairs[i-1], pairs[i]); i++ {
			}
			picks = append(picks, pairs[i-1].row)
		}
	}
	f.picks = picks
	return pairs[i:]
}

// pickGroups picks all rows of the first limit keys, and returns the pairs behind
// them.
func (t *Table) pickGroups(pairs []pair, limit int) []pair {
	f := &t.flush
	f.picks, f.starts = f.picks[:0], f.starts[:0]
	i := 0
	for i < len(pairs) && len(f.starts) < limit {
		f.starts = append(f.starts, int32(len(f.picks)))
		f.picks = append(f.picks, pairs[i].row)
		for i++; i < len(pairs) && t.sorter.same(pairs[i-1], pairs[i]); i++ {
			f.picks = append(f.picks, pairs[i].row)
		}
	}
	f.starts = append(f.starts, int32(len(f.picks)))
	return pairs[i:]
}

// batchRows is FlushRows, or less when rows are so long that a batch would be too large.
func (t *Table) batchRows() int {
	var size int64
	for _, c := range t.chunks {
		size += c.SizeBytes()
	}
	perRow := size/int64(t.n) + 1
	return int(max(1, min(FlushRows, flushBytes/perRow)))
}
