package bridge

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/storage/columnar"
)

// BatchIter is a host iterator that can hand over batches instead of rows. A
// caller uses either Next or NextBatch, not both.
type BatchIter interface {
	sql.RowIter
	// NextBatch returns the next batch or io.EOF. The batch is valid until the next call.
	NextBatch(ctx *sql.Context) (*columnar.Batch, error)
}

// Batches looks for a BatchIter under the wrappers that the host puts around the
// iterator of a statement. Whoever takes batches from it must still close iter.
func Batches(iter sql.RowIter) (BatchIter, bool) {
	for {
		if b, ok := iter.(BatchIter); ok {
			return b, true
		}
		w, ok := iter.(interface{ GetIter() sql.RowIter })
		if !ok {
			return nil, false
		}
		iter = w.GetIter()
	}
}
