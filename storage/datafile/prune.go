package datafile

import (
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/stats"
)

// constantStats are the statistics of a partition column in a block of rows.
func constantStats(v columnar.Value, rows int64) stats.Column {
	if v.Null {
		return stats.Column{Nulls: rows}
	}
	return stats.Column{Min: v, Max: v, HasBounds: true}
}

// blockStats are the statistics of wanted column i of an evolution in a block.
func blockStats(e *schema.Evolution, i int, b format.BlockStats) (stats.Column, bool) {
	out, ok := e.Stats(i, b.Rows, func(name string) (schema.Bounds, bool) {
		least, most, nulls, ok := b.Column(name)
		bounded := !least.Null && !most.Null
		return schema.Bounds{Min: least, Max: most, HasBounds: bounded, Nulls: nulls}, ok
	})
	return stats.Column{Min: out.Min, Max: out.Max, HasBounds: out.HasBounds, Nulls: out.Nulls}, ok
}
