package lsm

import (
	"context"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/lsm/level"
	"github.com/lakesql/lakesql/storage/lsm/merge"
)

// ReadOptions say what of the merged rows to return.
type ReadOptions struct {
	// Output are the columns: those of the table, and behind them the sequence
	// number. Nil: all.
	Output []int
	// KeepDeletes returns retractions too, with row kinds.
	KeepDeletes bool
}

// Read returns the merged rows of all files in key order, those that are not
// published included; rows in memory are not, unless flushed before. The reader
// keeps the files of this moment, whatever happens to the bucket.
func (b *Bucket) Read(o ReadOptions) columnar.Reader {
	c := b.rewriter
	var parts []merge.OpenFunc
	for _, s := range level.Sections(b.levels.KeyTypes(), b.levels.Files()) {
		parts = append(parts, func(context.Context) (columnar.Reader, error) {
			return c.Merge(&s, o.Output, !o.KeepDeletes)
		})
	}
	return merge.Concat(parts...)
}
