package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// flatColumn reads a top-level column that is not nested, page by page. A page is
// decoded whole; batches are slices of it, and copies only where a batch needs
// rows of several pages.
type flatColumn struct {
	chunkReader
	conv     converter
	keepDict bool

	page    columnar.Vector  // the decoded page; its slices alias mem or the file's bytes
	dict    *columnar.Vector // of this chunk; nil: none yet
	used    int              // rows of page that are handed out
	row     int64            // first row behind page, in the row group
	rows    int64            // of the row group
	out     columnar.Vector
	several *columnar.Vector // rows of several pages
}

func newFlatColumn(s *source, leaf *node, t types.Type, keepDict bool) (*flatColumn, error) {
	conv, err := newConverter(leaf, t)
	if err != nil {
		return nil, err
	}
	c := &flatColumn{conv: conv}
	c.source, c.leaf, c.mem = s, leaf, s.free.takeColumn()
	c.mem.vals.width = widthOf(leaf.typ, leaf.length)
	for _, v := range []*columnar.Vector{&c.page, &c.mem.own, &c.mem.spread, &c.out} {
		v.Type = t
	}
	c.several = columnar.NewVector(t, 0)
	switch conv.lay {
	case columnar.I32, columnar.I64, columnar.T96, columnar.Str:
		c.keepDict = keepDict
	}
	return c, nil
}

func (c *flatColumn) open(g *rowGroup, pages *groupPages) error {
	c.dict, c.row, c.rows, c.used = nil, 0, g.rows, 0
	c.page.N = 0
	return c.start(&g.columns[c.leaf.leaf], pages.of(c.leaf.leaf))
}

func (c *flatColumn) release() {
	c.mem.vals.i32, c.mem.vals.i64, c.mem.vals.data = nil, nil, nil
	c.free.putColumn(c.mem)
	c.mem = nil
}

// ready makes rows of a page available and returns how many.
func (c *flatColumn) ready() (int, error) {
	for c.used == c.page.N {
		if c.row == c.rows {
			return 0, c.wrap(c.pos, badf("no row is left behind row %d", c.row))
		}
		if err := c.load(); err != nil {
			return 0, err
		}
	}
	return c.page.N - c.used, nil
}

// skip passes over n rows, without decoding the pages that lie in them whole.
func (c *flatColumn) skip(n int64) error {
	if k := min(n, int64(c.page.N-c.used)); k > 0 {
		c.used += int(k)
		n -= k
	}
	if n == 0 {
		return nil
	}
	c.page.N, c.used = 0, 0
	target := c.row + n
	if err := c.seek(target); err != nil {
		return err
	}
	for c.row < target {
		h, size, err := c.nextData()
		if err != nil {
			return err
		}
		if left := target - c.row; int64(h.values) > left {
			if err := c.decode(&h, size); err != nil {
				return err
			}
			c.used = int(left)
			return nil
		}
		c.row += int64(h.values)
		c.pos += int64(size) + int64(h.compressed)
	}
	return nil
}

// seek moves to the last page that begins at or before a row, if the places of
// pages are known.
func (c *flatColumn) seek(row int64) error {
	i := len(c.locations) - 1
	for i >= 0 && c.locations[i].firstRow > row {
		i--
	}
	if i < 0 || c.locations[i].firstRow <= c.row {
		return nil
	}
	if err := c.loadDict(); err != nil {
		return err
	}
	c.pos, c.row = c.locations[i].offset, c.locations[i].firstRow
	return nil
}

// loadDict reads the dictionary page if the chunk begins with one that was not read.
func (c *flatColumn) loadDict() error {
	if start, _ := c.chunk.span(); c.dict != nil || c.pos != start || c.pos == c.chunk.dataOffset && c.chunk.dictOffset == 0 {
		return nil
	}
	h, size, err := c.next()
	if err != nil || h.kind != pageDict {
		return err
	}
	return c.decodeDict(&h, size)
}

// nextData reads page headers up to the next data page.
func (c *flatColumn) nextData() (pageHeader, int, error) {
	for {
		h, size, err := c.next()
		if err != nil {
			return h, 0, err
		}
		switch h.kind {
		case pageData, pageDataV2:
			if int64(h.values) > c.rows-c.row {
				return h, 0, c.wrap(c.pos, badf("page of %d values, %d rows are left", h.values, c.rows-c.row))
			}
			if int64(h.values) > c.maxSlots() {
				return h, 0, c.wrap(c.pos, badf("page of %d values in a file of %d bytes", h.values, c.f.SizeBytes()))
			}
			if h.kind == pageDataV2 && c.leaf.maxRep == 0 && (h.rows != h.values || h.repBytes != 0) {
				return h, 0, c.wrap(c.pos, badf("page of %d rows with %d values", h.rows, h.values))
			}
			return h, size, nil
		case pageDict:
			if err := c.decodeDict(&h, size); err != nil {
				return h, 0, err
			}
		case pageIndex:
			c.pos += int64(size) + int64(h.compressed)
		default:
			return h, 0, c.wrap(c.pos, badf("page of kind %d", h.kind))
		}
	}
}

// maxSlots is the most values in a page that are believed: run-length coding lets
// few bytes claim very many.
func (c *flatColumn) maxSlots() int64 { return 1<<22 + 64*c.f.SizeBytes() }

func (c *flatColumn) load() error {
	h, size, err := c.nextData()
	if err != nil {
		return err
	}
	return c.decode(&h, size)
}

func (c *flatColumn) decodeDict(h *pageHeader, size int) error {
	at := c.pos
	if c.dict != nil {
		return c.wrap(at, badf("a second dictionary"))
	}
	body, err := c.body(h, size)
	if err != nil {
		return err
	}
	if h.encoding != encPlain && h.encoding != encPlainDict {
		return c.wrap(at, badf("dictionary in encoding %v", h.encoding))
	}
	if c.dict, err = decodeDictionary(&c.conv, c.leaf, body, int(h.values), c.ft.own); err != nil {
		return c.wrap(at, err)
	}
	return nil
}

// decodeDictionary makes a new vector of a dictionary page: callers keep tables by it.
func decodeDictionary(conv *converter, leaf *node, body []byte, n int, strict bool) (*columnar.Vector, error) {
	vals := values{width: widthOf(leaf.typ, leaf.length)}
	if n > len(body) {
		return nil, badf("dictionary of %d values in %d bytes", n, len(body))
	}
	body = append(make([]byte, 0, len(body)+slack), body...)
	if err := vals.decode(leaf.typ, encPlain, n, body, strict); err != nil {
		return nil, err
	}
	dict, own := &columnar.Vector{Type: conv.t}, &columnar.Vector{}
	if err := conv.apply(dict, own, &vals); err != nil {
		return nil, err
	}
	return dict, nil
}

// decode reads the data page at pos into page.
func (c *flatColumn) decode(h *pageHeader, size int) error {
	at := c.pos
	body, err := c.body(h, size)
	if err != nil {
		return err
	}
	n := int(h.values)
	c.page.N, c.used = 0, 0
	valid, body, err := c.levels(h, n, body)
	if err == nil {
		err = c.decodeValues(h.encoding, n, valid, body)
	}
	if err != nil {
		return c.wrap(at, err)
	}
	if valid < n {
		c.page.Valid = c.mem.valid
	}
	c.page.N = n
	c.row += int64(n)
	return nil
}

// levels reads which rows are there into valid, and returns how many and the bytes
// of the values.
func (c *flatColumn) levels(h *pageHeader, n int, body []byte) (int, []byte, error) {
	if c.leaf.maxDef == 0 {
		if h.kind == pageDataV2 {
			if h.nulls != 0 {
				return 0, nil, badf("%d nulls in a column without", h.nulls)
			}
			body = body[h.defBytes:]
		}
		return n, body, nil
	}
	var levels []byte
	if h.kind == pageDataV2 {
		levels, body = body[:h.defBytes], body[h.defBytes:]
	} else {
		if h.defEncoding != encRLE {
			return 0, nil, badf("definition levels in encoding %v", h.defEncoding)
		}
		if len(body) < 4 || uint64(binary.LittleEndian.Uint32(body)) > uint64(len(body)-4) {
			return 0, nil, badf("definition levels are cut short")
		}
		size := int(binary.LittleEndian.Uint32(body))
		levels, body = body[4:4+size], body[4+size:]
	}
	// One run of ones is the common case.
	if r, _, err := nextRun(levels, 1, n); n > 0 && err == nil && !r.packed && r.value == 1 && r.n == n {
		return n, body, nil
	}
	c.mem.valid = resize(c.mem.valid, (n+63)/64)
	valid, err := decodeValidity(c.mem.valid, n, levels)
	if err == nil && h.kind == pageDataV2 && valid != n-int(h.nulls) {
		err = badf("%d nulls, the header says %d", n-valid, h.nulls)
	}
	return valid, body, err
}

// take hands out n rows, valid until the next call.
func (c *flatColumn) take(n int) (*columnar.Vector, error) {
	if have := c.page.N - c.used; have >= n {
		c.slice(c.used, c.used+n)
		c.used += n
		return &c.out, nil
	}
	c.several.Reset()
	for c.several.N < n {
		have, err := c.ready()
		if err != nil {
			return nil, err
		}
		k := min(have, n-c.several.N)
		columnar.AppendRange(c.several, &c.page, c.used, c.used+k)
		c.used += k
	}
	return c.several, nil
}

// slice makes out rows from to to-1 of the page.
func (c *flatColumn) slice(from, to int) {
	p, o := &c.page, &c.out
	o.N = to - from
	o.Codes, o.Dict = nil, nil
	o.Valid = c.sliceValid(from, to)
	if p.Dict != nil {
		o.I32, o.I64, o.Off, o.Data = nil, nil, nil, nil
		o.Codes, o.Dict = p.Codes[from:to], p.Dict
		return
	}
	switch c.conv.lay {
	case columnar.I32:
		o.I32 = p.I32[from:to]
	case columnar.I64:
		o.I64 = p.I64[from:to]
	case columnar.F32:
		o.F32 = p.F32[from:to]
	case columnar.F64:
		o.F64 = p.F64[from:to]
	case columnar.D128:
		o.D128 = p.D128[from:to]
	case columnar.T96:
		o.I64, o.I32 = p.I64[from:to], p.I32[from:to]
	case columnar.Str:
		o.Off, o.Data = p.Off[from:to+1], p.Data
	}
}

func (c *flatColumn) sliceValid(from, to int) []uint64 {
	if c.page.Valid == nil {
		return nil
	}
	words := (to - from + 63) / 64
	src := c.page.Valid[from>>6:]
	if from&63 == 0 && to == c.page.N {
		return src[:words]
	}
	c.mem.bits = resize(c.mem.bits, words)
	set := 0
	for i := range c.mem.bits {
		w := src[i] >> uint(from&63)
		if from&63 != 0 && i+1 < len(src) {
			w |= src[i+1] << uint(64-from&63)
		}
		if left := to - from - i<<6; left < 64 {
			w &= 1<<uint(left) - 1
		}
		c.mem.bits[i] = w
		set += bits.OnesCount64(w)
	}
	if set == to-from {
		return nil
	}
	return c.mem.bits
}
