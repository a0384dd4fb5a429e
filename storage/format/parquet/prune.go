package parquet

import (
	"hash/crc32"
	"math"
	"slices"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format"
)

// groupPages is what the page indexes of a row group say, by leaf.
type groupPages struct {
	locations [][]pageLocation
	bounds    []*columnIndex // nil: none
}

// of gives the places of a leaf's pages; nil when they are not known.
func (p *groupPages) of(leaf int) []pageLocation {
	if p == nil {
		return nil
	}
	return p.locations[leaf]
}

// flatColumns are the result's columns that have bounds.
func (r *reader) flatColumns() []*flatColumn {
	var out []*flatColumn
	for _, c := range r.cols {
		if f, ok := c.(*flatColumn); ok {
			out = append(out, f)
		}
	}
	return out
}

// groupStats gives the bounds that the footer has for a row group.
func (r *reader) groupStats(g *rowGroup, first int64) format.BlockStats {
	return format.BlockStats{FirstRow: first, Rows: g.rows,
		Column: func(name string) (lo, hi columnar.Value, nulls int64, ok bool) {
			for _, c := range r.flatColumns() {
				if c.leaf.name == name {
					s := &g.columns[c.leaf.leaf].stats
					lo, hi = c.chunkBounds(s)
					return lo, hi, s.nulls, !lo.Null || s.nulls >= 0
				}
			}
			return columnar.NullValue, columnar.NullValue, -1, false
		}}
}

// chunkBounds are the bounds of a chunk that can be trusted, or nulls.
func (c *flatColumn) chunkBounds(s *statistics) (lo, hi columnar.Value) {
	lo, hi = columnar.NullValue, columnar.NullValue
	switch {
	case s.hasMin && s.hasMax && c.ft.typeOrdered(c.leaf.leaf):
		return c.bounds(s.min, s.max)
	case s.hasOldMin && s.hasOM && c.signedOrder():
		return c.bounds(s.oldMin, s.oldMax)
	}
	return lo, hi
}

func (ft *footer) typeOrdered(leaf int) bool {
	return leaf < len(ft.meta.ordered) && ft.meta.ordered[leaf]
}

// signedOrder reports whether the deprecated bounds, which compare as signed
// numbers, are right for the column.
func (c *flatColumn) signedOrder() bool {
	switch c.leaf.typ {
	case pInt32, pInt64, pFloat, pDouble, pBoolean:
		return c.conv.how != widenUnsign
	}
	return false
}

// bounds turns stored bounds into values; nulls when they say nothing.
func (c *flatColumn) bounds(minRaw, maxRaw []byte) (lo, hi columnar.Value) {
	lo, ok := c.bound(minRaw)
	hi, ok2 := c.bound(maxRaw)
	if !ok || !ok2 || c.leaf.typ == pInt96 {
		return columnar.NullValue, columnar.NullValue
	}
	if c.conv.lay == columnar.F32 || c.conv.lay == columnar.F64 {
		if lo.F != lo.F || hi.F != hi.F {
			return columnar.NullValue, columnar.NullValue
		}
		if lo.F == 0 {
			lo.F = math.Copysign(0, -1)
		}
		if hi.F == 0 {
			hi.F = 0
		}
	}
	return lo, hi
}

// bound decodes one stored bound.
func (c *flatColumn) bound(raw []byte) (columnar.Value, bool) {
	return c.conv.stored(c.leaf, raw)
}

// stored is the value that a leaf's stored form stands for; false when it has not the
// leaf's length.
func (c *converter) stored(leaf *node, raw []byte) (columnar.Value, bool) {
	v := values{width: widthOf(leaf.typ, leaf.length), n: 1}
	switch {
	case leaf.typ == pBoolean:
		if len(raw) != 1 {
			return columnar.NullValue, false
		}
		v.i32 = []int32{int32(raw[0] & 1)}
	case leaf.typ == pBytes:
		v.off, v.data = []int32{0, int32(len(raw))}, raw
	case len(raw) != v.width:
		return columnar.NullValue, false
	default:
		v.setFixed(leaf.typ, raw)
	}
	var out, own columnar.Vector
	out.Type = c.t
	if err := c.apply(&out, &own, &v); err != nil {
		return columnar.NullValue, false
	}
	return out.Value(0), true
}

// readPages reads the page indexes of a row group; nil when there are none for the
// flat columns of the result.
func (r *reader) readPages(g *rowGroup) (*groupPages, error) {
	if r.ft.own {
		if err := r.checkIndexes(); err != nil {
			return nil, err
		}
	}
	p := &groupPages{locations: make([][]pageLocation, len(r.ft.leaves)), bounds: make([]*columnIndex, len(r.ft.leaves))}
	found := false
	for _, c := range r.flatColumns() {
		chunk := &g.columns[c.leaf.leaf]
		if chunk.offsetIndexAt == 0 {
			continue
		}
		locations, err := r.readLocations(chunk, g.rows)
		if err != nil {
			return nil, err
		}
		p.locations[c.leaf.leaf] = locations
		if chunk.columnIndexAt == 0 || !r.ft.typeOrdered(c.leaf.leaf) {
			continue
		}
		bounds, err := r.readBounds(chunk, len(locations))
		if err != nil {
			return nil, err
		}
		p.bounds[c.leaf.leaf] = bounds
		found = true
	}
	if !found {
		return nil, nil
	}
	return p, nil
}

// checkIndexes compares the page indexes with the checksum of our own files, once.
func (r *reader) checkIndexes() error {
	if r.ft.indexStart == r.ft.start {
		return nil
	}
	b, err := r.part(r.ft.indexStart, r.ft.start-r.ft.indexStart)
	if err != nil {
		return err
	}
	if got := crc32.ChecksumIEEE(b); got != r.ft.indexCRC {
		return corrupt.Errorf(r.path, r.ft.indexStart, "checksum of the page indexes is %08x, want %08x", got, r.ft.indexCRC)
	}
	if r.ft.indexStart < r.ft.tailAt {
		r.ft.tail, r.ft.tailAt = b, r.ft.indexStart // what follows is not needed any more
	}
	r.ft.indexStart = r.ft.start
	return nil
}

// part returns bytes of the file.
func (s *source) part(at, n int64) ([]byte, error) {
	if at >= s.ft.tailAt {
		b := s.ft.tail[at-s.ft.tailAt:]
		if n <= int64(len(b)) {
			return b[:n], nil
		}
	}
	b := make([]byte, n)
	return b, readAt(s.f, s.path, b, at)
}

func (r *reader) readLocations(chunk *columnChunk, rows int64) ([]pageLocation, error) {
	b, err := r.part(chunk.offsetIndexAt, int64(chunk.offsetIndexBytes))
	if err != nil {
		return nil, err
	}
	locations, err := decodeOffsetIndex(b)
	if err != nil {
		return nil, corrupt.Errorf(r.path, chunk.offsetIndexAt, "offset index: %w", err)
	}
	start, end := chunk.span()
	row := int64(-1)
	for i, l := range locations {
		if l.offset < start || l.offset >= end || l.firstRow <= row || l.firstRow >= rows || i == 0 && l.firstRow != 0 {
			return nil, corrupt.Errorf(r.path, chunk.offsetIndexAt, "page %d at %d begins with row %d, the chunk at %d to %d has %d rows",
				i, l.offset, l.firstRow, start, end, rows)
		}
		row, start = l.firstRow, l.offset+1
	}
	if len(locations) == 0 {
		return nil, corrupt.Errorf(r.path, chunk.offsetIndexAt, "offset index without pages")
	}
	return locations, nil
}

func (r *reader) readBounds(chunk *columnChunk, pages int) (*columnIndex, error) {
	b, err := r.part(chunk.columnIndexAt, int64(chunk.columnIndexBytes))
	if err != nil {
		return nil, err
	}
	c, err := decodeColumnIndex(b)
	if err != nil {
		return nil, corrupt.Errorf(r.path, chunk.columnIndexAt, "column index: %w", err)
	}
	if len(c.nullPages) != pages || len(c.min) != pages || len(c.max) != pages || c.nulls != nil && len(c.nulls) != pages {
		return nil, corrupt.Errorf(r.path, chunk.columnIndexAt, "column index of %d pages, want %d", len(c.nullPages), pages)
	}
	return &c, nil
}

// prune asks for each block of rows between page borders whether it can be skipped,
// and returns the rest.
func (r *reader) prune(g *rowGroup, pages *groupPages, first int64) []rowRange {
	flat := r.flatColumns()
	cuts := []int64{0, g.rows}
	for _, c := range flat {
		for _, l := range pages.locations[c.leaf.leaf] {
			cuts = append(cuts, l.firstRow)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var live []rowRange
	for i := range len(cuts) - 1 {
		from, to := cuts[i], cuts[i+1]
		if r.o.Skip(r.pageStats(flat, pages, from, to, first)) {
			continue
		}
		if n := len(live); n > 0 && live[n-1].to == from {
			live[n-1].to = to
		} else {
			live = append(live, rowRange{from, to})
		}
	}
	return live
}

// pageStats gives the bounds of the pages that hold rows from to to-1.
func (r *reader) pageStats(flat []*flatColumn, pages *groupPages, from, to, first int64) format.BlockStats {
	return format.BlockStats{FirstRow: first + from, Rows: to - from,
		Column: func(name string) (lo, hi columnar.Value, nulls int64, ok bool) {
			lo, hi, nulls = columnar.NullValue, columnar.NullValue, -1
			for _, c := range flat {
				if c.leaf.name != name {
					continue
				}
				b, locations := pages.bounds[c.leaf.leaf], pages.locations[c.leaf.leaf]
				if b == nil {
					break
				}
				i, exact := slices.BinarySearchFunc(locations, from, func(l pageLocation, row int64) int { return int(l.firstRow - row) })
				if !exact {
					i--
				}
				whole := locations[i].firstRow == from && (i+1 == len(locations) && to == r.ft.meta.groups[r.group-1].rows ||
					i+1 < len(locations) && locations[i+1].firstRow == to)
				if b.nullPages[i] {
					return lo, hi, to - from, true
				}
				if b.nulls != nil && (whole || b.nulls[i] == 0) {
					nulls = b.nulls[i]
				}
				lo, hi = c.bounds(b.min[i], b.max[i])
				return lo, hi, nulls, !lo.Null || nulls >= 0
			}
			return lo, hi, -1, false
		}}
}
