package exec

import (
	"context"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// distinct passes the first of the rows that are the same in all columns.
type distinct struct {
	groups *Aggregation
	sel    []uint16
	out    columnar.Batch
}

// NewDistinct returns a reader of the distinct rows of in, whose columns have
// types ts, all of which CanNumber. Memory is reserved in budget.
func NewDistinct(in columnar.Reader, ts []types.Type, budget *membudget.Budget) columnar.Reader {
	keys := make([]int, len(ts))
	for i := range keys {
		keys[i] = i
	}
	return &distinct{groups: newGroups(in, ts, keys, budget.Holder("DISTINCT"))}
}

func (d *distinct) Next(ctx context.Context) (*columnar.Batch, error) {
	for {
		b, err := d.groups.in.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b.Rows() == 0 {
			continue
		}
		d.groups.fresh = d.groups.fresh[:0]
		d.groups.number(b, d.groups.live(b))
		if len(d.groups.fresh) == 0 {
			continue
		}
		if err := d.groups.reserve(); err != nil {
			return nil, err
		}
		d.sel = d.sel[:0]
		for _, i := range d.groups.fresh {
			d.sel = append(d.sel, uint16(i))
		}
		d.out = *b
		d.out.Sel = d.sel
		return &d.out, nil
	}
}

func (d *distinct) Close() error { return d.groups.Close() }
