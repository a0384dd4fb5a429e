package exec

import (
	"context"

	"github.com/lakesql/lakesql/storage/columnar"
)

// Condition appends the live slots of b that pass to sel, in ascending order.
type Condition func(ctx context.Context, b *columnar.Batch, sel []uint16) ([]uint16, error)

// choose passes the rows that a condition of the caller chooses.
type choose struct {
	in   columnar.Reader
	cond Condition
	sel  []uint16
	out  columnar.Batch
}

// NewSelect returns a reader of the rows of in that pass cond, which is called
// once a batch.
func NewSelect(in columnar.Reader, cond Condition) columnar.Reader {
	return &choose{in: in, cond: cond}
}

func (c *choose) Next(ctx context.Context) (*columnar.Batch, error) {
	for {
		b, err := c.in.Next(ctx)
		if err != nil {
			return nil, err
		}
		if c.sel, err = c.cond(ctx, b, c.sel[:0]); err != nil {
			return nil, err
		}
		if len(c.sel) == 0 {
			continue
		}
		c.out = *b
		c.out.Sel = c.sel
		return &c.out, nil
	}
}

func (c *choose) Close() error { return c.in.Close() }
