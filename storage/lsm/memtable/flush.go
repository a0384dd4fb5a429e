package memtable

import (
	"fmt"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/lsm/merge"
)

// FlushRows is how many keys a batch of Flush holds, but for the last.
const FlushRows = 8192

// flushBytes cuts batches of very long rows: see columns of strings.
const flushBytes = 256 << 20

// flush is the memory of a flush.
type flush struct {
	out    *columnar.Batch
	key    []*columnar.Vector
	picks  []uint32
	starts []int32
}

// Flush sorts the rows, folds the versions of each key and yields the results in key
// order, each key once: the table's columns, then the sequence number of the newest
// version; with row kinds, retractions included. A batch is valid until yield
// returns. It ends with yield's first error. The table is left as it is: Reset it.
func (t *Table) Flush(yield func(b *columnar.Batch) error) error {
	n := t.rows.N
	if n == 0 {
		return nil
	}
	f := &t.flush
	f.key = f.key[:0]
	for _, k := range t.c.Key {
		f.key = append(f.key, t.rows.Cols[k])
	}
	if err := t.sorter.sort(t.order, f.key, n); err != nil {
		return fmt.Errorf("sort memtable: %w", err)
	}
	if f.out == nil {
		f.out = columnar.NewBatch(t.Types(), 0)
	}
	versions := t.versions
	versions.ByAge = t.arrival
	limit := t.batchRows()
	pairs := t.sorter.pairs
	for i := 0; i < len(pairs); {
		f.picks, f.starts = f.picks[:0], f.starts[:0]
		for i < len(pairs) && len(f.starts) < limit {
			f.starts = append(f.starts, int32(len(f.picks)))
			f.picks = append(f.picks, pairs[i].row)
			for i++; i < len(pairs) && t.sorter.same(pairs[i-1], pairs[i]); i++ {
				f.picks = append(f.picks, pairs[i].row)
			}
		}
		f.starts = append(f.starts, int32(len(f.picks)))
		if err := t.fold(&versions); err != nil {
			return fmt.Errorf("merge memtable: %w", err)
		}
		if f.out.N > 0 {
			if err := yield(f.out); err != nil {
				return err
			}
		}
	}
	return nil
}

// batchRows is FlushRows, or less when rows are so long that a batch would be too large.
func (t *Table) batchRows() int {
	perRow := t.used/int64(t.rows.N) + 1
	return int(max(1, min(FlushRows, flushBytes/perRow)))
}

// fold puts the results of the keys in f.picks into f.out.
func (t *Table) fold(versions *merge.VersionOrder) error {
	f := &t.flush
	f.out.Reset()
	g := merge.Groups{Sources: []*columnar.Batch{t.rows}, Picks: f.picks, Starts: f.starts}
	if err := g.Fold(f.out, versions, t.c.Function, nil); err != nil {
		return err
	}
	if len(f.out.Kinds) == 0 {
		f.out.Kinds = nil
	}
	return nil
}
