package exec

import (
	"context"

	"github.com/lakesql/lakesql/storage/columnar"
)

// project chooses columns.
type project struct {
	in   columnar.Reader
	cols []int
	out  columnar.Batch
}

// NewProject returns a reader of the columns cols of in, in that order.
func NewProject(in columnar.Reader, cols []int) columnar.Reader {
	return &project{in: in, cols: cols}
}

func (p *project) Next(ctx context.Context) (*columnar.Batch, error) {
	b, err := p.in.Next(ctx)
	if err != nil {
		return nil, err
	}
	p.out = columnar.Batch{N: b.N, Sel: b.Sel, Kinds: b.Kinds, Cols: p.out.Cols[:0]}
	for _, c := range p.cols {
		p.out.Cols = append(p.out.Cols, b.Cols[c])
	}
	return &p.out, nil
}

func (p *project) Close() error { return p.in.Close() }
