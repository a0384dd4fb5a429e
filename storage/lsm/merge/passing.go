package merge

import (
	"context"
	"io"

	"github.com/lakesql/lakesql/storage/columnar"
)

// passing returns the rows of a single run as they are, with the wanted columns,
// and without retractions if told so.
type passing struct {
	r      columnar.Reader
	output []int
	drop   bool
	out    columnar.Batch
	sel    []uint16
}

func (p *passing) Next(ctx context.Context) (*columnar.Batch, error) {
	for {
		b, err := p.r.Next(ctx)
		if err != nil {
			return nil, err
		}
		p.out.N, p.out.Sel, p.out.Kinds = b.N, b.Sel, b.Kinds
		p.out.Cols = p.out.Cols[:0]
		for _, o := range p.output {
			p.out.Cols = append(p.out.Cols, b.Cols[o])
		}
		if p.drop && len(b.Kinds) > 0 {
			if live := p.adds(b); live == 0 {
				continue
			} else if live < b.Rows() {
				return p.selected(), nil
			}
		}
		if b.Rows() > 0 {
			return &p.out, nil
		}
	}
}

// adds counts the live rows that are no retractions.
func (p *passing) adds(b *columnar.Batch) int {
	n := 0
	if b.Sel == nil {
		for _, k := range b.Kinds[:b.N] {
			if !k.Retract() {
				n++
			}
		}
		return n
	}
	for _, i := range b.Sel {
		if !b.Kinds[i].Retract() {
			n++
		}
	}
	return n
}

// selected leaves the retractions out: by a selection, or by a copy of a batch that
// is too long for one.
func (p *passing) selected() *columnar.Batch {
	b := &p.out
	if b.N > 1<<16 {
		rows := make([]int32, 0, b.N)
		for i, k := range b.Kinds[:b.N] {
			if !k.Retract() {
				rows = append(rows, int32(i))
			}
		}
		c := &columnar.Batch{}
		for _, v := range b.Cols {
			c.Cols = append(c.Cols, columnar.NewVector(v.Type, len(rows)))
		}
		c.AppendSlots(b, rows)
		return c
	}
	p.sel = p.sel[:0]
	if b.Sel == nil {
		for i, k := range b.Kinds[:b.N] {
			if !k.Retract() {
				p.sel = append(p.sel, uint16(i))
			}
		}
	} else {
		for _, i := range b.Sel {
			if !b.Kinds[i].Retract() {
				p.sel = append(p.sel, i)
			}
		}
	}
	b.Sel = p.sel
	return b
}

func (p *passing) Close() error { return p.r.Close() }

// empty is the merge of no runs.
type empty struct{}

func (empty) Next(context.Context) (*columnar.Batch, error) { return nil, io.EOF }
func (empty) Close() error                                  { return nil }
