package parquet

import (
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

var _ format.StatsWriter = (*writer)(nil)

// columnTotal is what the row groups written so far say of a column together.
type columnTotal struct {
	known bool // the column is flat and its type has bounds
	leaf  *node
	conv  converter
	nulls int64
	bounds
}

func newColumnTotal(c columnWriter, t types.Type) columnTotal {
	f, ok := c.(*flatWriter)
	if !ok || !hasBounds(t, f.c.leaf.typ) {
		return columnTotal{}
	}
	conv, err := newConverter(f.c.leaf, t)
	return columnTotal{known: err == nil, leaf: f.c.leaf, conv: conv}
}

// add takes in a row group's chunk of the column, or of its twin.
func (t *columnTotal) add(c *chunkWriter) {
	if t.known {
		t.nulls += c.nulls
		t.merge(t.leaf, &c.total)
	}
}

// HasStats reports whether Stats will know a column, see format.StatsWriter.
func (w *writer) HasStats(i int) bool { return w.totals[i].known }

// Stats are the statistics of a column, see format.StatsWriter.
func (w *writer) Stats(i int) stats.Column {
	t := &w.totals[i]
	out := stats.Column{Nulls: t.nulls}
	if !t.ok || t.nan {
		return out
	}
	least, ok := t.conv.stored(t.leaf, t.min)
	most, ok2 := t.conv.stored(t.leaf, t.max)
	if ok && ok2 {
		out.Min, out.Max, out.HasBounds = least, most, true
	}
	return out
}
