package parquet

import (
	"context"
	"fmt"
	"io"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/types"
)

// column is one column of the result.
type column interface {
	// open starts a row group.
	open(g *rowGroup, pages *groupPages) error
	// ready makes rows available and returns how many can be taken without a copy;
	// -1 is any number.
	ready() (int, error)
	// skip passes over rows.
	skip(n int64) error
	// take gives the next rows, valid until the next call.
	take(n int) (*columnar.Vector, error)
	// release gives the column's memory back; nothing is called after it.
	release()
}

// reader yields the rows of a file, row group by row group. A batch ends with its
// row group, and where a page of some column ends if that leaves it wholePages rows or
// half of what it may have.
type reader struct {
	*source
	o     format.ReadOptions
	cols  []column
	group int        // the next one
	live  []rowRange // of the current group, not yet read
	row   int64      // where the columns stand in the current group
	first int64      // first row of the next group in the file
	batch columnar.Batch
}

// rowRange are rows from to to-1 of a row group.
type rowRange struct{ from, to int64 }

func newReader(s *source, o format.ReadOptions) (*reader, error) {
	var err error
	if s.ft, err = readFooter(s.f, s.path, s.footers); err != nil {
		return nil, err
	}
	if o.BatchRows <= 0 {
		o.BatchRows = columnar.BatchRows
	}
	r := &reader{source: s, o: o}
	for i := range o.Fields {
		c, err := newColumn(s, &o.Fields[i], o.KeepDictionary)
		if err != nil {
			return nil, fmt.Errorf("open %s: column %s: %w", s.path, o.Fields[i].Name, err)
		}
		r.cols = append(r.cols, c)
	}
	r.batch.Cols = make([]*columnar.Vector, len(r.cols))
	return r, nil
}

func newColumn(s *source, f *types.Field, keepDict bool) (column, error) {
	n := s.ft.root.child(f.Name)
	switch {
	case n == nil:
		return &nullColumn{t: f.Type}, nil
	case !f.Type.Nested() && n.typ != pNone && n.maxRep == 0:
		return newFlatColumn(s, n, f.Type, keepDict)
	}
	return newNestedColumn(s, n, f.Type)
}

// Next returns the next rows. An error names the file.
func (r *reader) Next(ctx context.Context) (*columnar.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for len(r.live) == 0 {
		if r.group == len(r.ft.meta.groups) {
			return nil, io.EOF
		}
		if err := r.openGroup(); err != nil {
			return nil, err
		}
	}
	next := &r.live[0]
	if gap := next.from - r.row; gap > 0 {
		for _, c := range r.cols {
			if err := c.skip(gap); err != nil {
				return nil, err
			}
		}
		r.row = next.from
	}
	n, err := r.size(int(min(int64(r.o.BatchRows), next.to-next.from)))
	if err != nil {
		return nil, err
	}
	for i, c := range r.cols {
		if r.batch.Cols[i], err = c.take(n); err != nil {
			return nil, err
		}
	}
	r.row += int64(n)
	if next.from = r.row; next.from == next.to {
		r.live = r.live[1:]
	}
	r.batch.N, r.batch.Sel, r.batch.Kinds = n, nil, nil
	return &r.batch, nil
}

// wholePages is how many rows make a batch large enough that it needs no rows of
// further pages, which have to be copied together.
const wholePages = 1024

// size chooses the rows of a batch of at most n.
func (r *reader) size(n int) (int, error) {
	least := n
	for _, c := range r.cols {
		have, err := c.ready()
		if err != nil {
			return 0, err
		}
		if have >= 0 {
			least = min(least, have)
		}
	}
	if least >= min((n+1)/2, wholePages) {
		return least, nil
	}
	return n, nil
}

// openGroup starts the next row group, or passes over it.
func (r *reader) openGroup() error {
	g := &r.ft.meta.groups[r.group]
	r.group++
	first := r.first
	r.first += g.rows
	r.row = 0
	if g.rows == 0 {
		return nil
	}
	r.live = []rowRange{{0, g.rows}}
	var pages *groupPages
	if r.o.Skip != nil {
		if r.o.Skip(r.groupStats(g, first)) {
			r.live = nil
			return nil
		}
		var err error
		if pages, err = r.readPages(g); err != nil {
			return err
		}
		if pages != nil {
			r.live = r.prune(g, pages, first)
		}
		if len(r.live) == 0 {
			return nil
		}
	}
	for _, c := range r.cols {
		if err := c.open(g, pages); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the reader and gives its memory to the next one; the file stays open.
func (r *reader) Close() error {
	for _, c := range r.cols {
		c.release()
	}
	r.cols = nil
	r.group, r.live = len(r.ft.meta.groups), nil
	return nil
}

// nullColumn is a column that the file lacks.
type nullColumn struct {
	t types.Type
	v *columnar.Vector
}

func (c *nullColumn) open(*rowGroup, *groupPages) error { return nil }
func (c *nullColumn) ready() (int, error)               { return -1, nil }
func (c *nullColumn) skip(int64) error                  { return nil }
func (c *nullColumn) release()                          {}

func (c *nullColumn) take(n int) (*columnar.Vector, error) {
	if c.v == nil || c.v.N != n {
		c.v = columnar.NewVector(c.t, n)
		for range n {
			c.v.AppendNull()
		}
	}
	return c.v, nil
}
