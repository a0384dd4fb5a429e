package exec

import (
	"context"
	"io"

	"github.com/lakesql/lakesql/storage/columnar"
)

// limit passes rows from an offset on and ends after a number of rows, without
// asking its input again.
type limit struct {
	in   columnar.Reader
	skip int64
	left int64
	sel  []uint16
	out  columnar.Batch
}

// NewLimit returns a reader of n rows of in after the first skip.
func NewLimit(in columnar.Reader, skip, n int64) columnar.Reader {
	return &limit{in: in, skip: skip, left: n}
}

func (l *limit) Next(ctx context.Context) (*columnar.Batch, error) {
	for l.left > 0 {
		b, err := l.in.Next(ctx)
		if err != nil {
			return nil, err
		}
		rows := int64(b.Rows())
		if rows <= l.skip {
			l.skip -= rows
			continue
		}
		from, n := l.skip, min(rows-l.skip, l.left)
		l.skip, l.left = 0, l.left-n
		if from == 0 && n == rows {
			return b, nil
		}
		l.out = *b
		if b.Sel != nil {
			l.out.Sel = b.Sel[from : from+n]
			return &l.out, nil
		}
		l.sel = l.sel[:0]
		for i := from; i < from+n; i++ {
			l.sel = append(l.sel, uint16(i))
		}
		l.out.Sel = l.sel
		return &l.out, nil
	}
	return nil, io.EOF
}

func (l *limit) Close() error { return l.in.Close() }
