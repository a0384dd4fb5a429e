package exec

import (
	"context"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/predicate"
)

// filter passes the rows for which a predicate is true. Batches without such
// rows are passed over.
type filter struct {
	in   columnar.Reader
	pred *predicate.Filter
	sel  []uint16
	out  columnar.Batch
}

// NewFilter returns a reader of the rows of in for which pred is true; its
// columns are indexes into in's.
func NewFilter(in columnar.Reader, pred *predicate.Node) columnar.Reader {
	if pred == nil {
		return in
	}
	return &filter{in: in, pred: predicate.NewFilter(pred)}
}

func (f *filter) Next(ctx context.Context) (*columnar.Batch, error) {
	for {
		b, err := f.in.Next(ctx)
		if err != nil {
			return nil, err
		}
		if f.sel = f.pred.Select(b, f.sel[:0]); len(f.sel) == 0 {
			continue
		}
		f.out = *b
		f.out.Sel = f.sel
		if len(f.sel) == b.N {
			f.out.Sel = nil
		}
		return &f.out, nil
	}
}

func (f *filter) Close() error { return f.in.Close() }
