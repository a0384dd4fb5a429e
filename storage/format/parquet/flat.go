package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
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

func (c *flatColumn) decodeValues(e encoding, n, valid int, body []byte) error {
	if e == encPlainDict || e == encRLEDict {
		return c.decodeCodes(n, valid, body)
	}
	if err := c.mem.vals.decode(c.leaf.typ, e, valid, body, c.ft.own); err != nil {
		return err
	}
	if err := c.conv.apply(&c.page, &c.mem.own, &c.mem.vals); err != nil {
		return err
	}
	if valid < n {
		c.spreadNulls(n)
	}
	return nil
}

func (c *flatColumn) decodeCodes(n, valid int, body []byte) error {
	if valid > 0 && c.dict == nil {
		return badf("page of codes without a dictionary")
	}
	c.mem.dense = resize(c.mem.dense, valid)
	if valid > 0 {
		if len(body) < 1 {
			return badf("page of codes without bit width")
		}
		if err := decodeHybrid(c.mem.dense, body[1:], uint(body[0])); err != nil {
			return err
		}
		if top := maxCode(c.mem.dense); top >= uint32(c.dict.N) {
			return badf("code %d in a dictionary of %d", top, c.dict.N)
		}
	}
	codes := c.mem.dense
	if valid < n {
		c.mem.codes = resize(c.mem.codes, n)
		spread(c.mem.codes, c.mem.dense, c.mem.valid, n)
		codes = c.mem.codes
	}
	c.page.Codes, c.page.Dict, c.page.Valid = nil, nil, nil
	if c.keepDict && c.dict != nil && c.dict.N > 0 {
		c.page.Codes, c.page.Dict = codes, c.dict
		return nil
	}
	var nulls []uint64
	if valid < n {
		nulls = c.mem.valid
	}
	return c.lookUp(codes, nulls)
}

func maxCode(codes []int32) uint32 {
	var top uint32
	for _, c := range codes {
		top = max(top, uint32(c))
	}
	return top
}

// lookUp replaces codes by their values. valid is nil without nulls.
func (c *flatColumn) lookUp(codes []int32, valid []uint64) error {
	p, own, dict := &c.page, &c.mem.own, c.dict
	if dict == nil || dict.N == 0 { // all are null
		dict = columnar.NewVector(c.conv.t, 1)
		dict.AppendNull()
	}
	switch c.conv.lay {
	case columnar.I32:
		p.I32 = take(&own.I32, dict.I32, codes, valid)
	case columnar.I64:
		p.I64 = take(&own.I64, dict.I64, codes, valid)
	case columnar.F32:
		p.F32 = take(&own.F32, dict.F32, codes, valid)
	case columnar.F64:
		p.F64 = take(&own.F64, dict.F64, codes, valid)
	case columnar.D128:
		p.D128 = take(&own.D128, dict.D128, codes, valid)
	case columnar.T96:
		p.I64 = take(&own.I64, dict.I64, codes, valid)
		p.I32 = take(&own.I32, dict.I32, codes, valid)
	case columnar.Str:
		return takeText(p, own, dict, codes, valid)
	}
	return nil
}

func take[T any](own *[]T, dict []T, codes []int32, valid []uint64) []T {
	*own = resize(*own, len(codes))
	out := *own
	for i, code := range codes {
		out[i] = dict[code]
	}
	if valid != nil {
		var zero T
		eachNull(valid, len(codes), func(i int) { out[i] = zero })
	}
	return out
}

// eachNull calls f for the slots that are null.
func eachNull(valid []uint64, n int, f func(i int)) {
	for w, word := range valid {
		for word = ^word; word != 0; word &= word - 1 {
			if i := w<<6 + bits.TrailingZeros64(word); i < n {
				f(i)
			}
		}
	}
}

func takeText(p, own, dict *columnar.Vector, codes []int32, valid []uint64) error {
	own.Off = resize(own.Off, len(codes)+1)
	off := own.Off
	total := 0
	off[0] = 0
	for i, code := range codes {
		if valid == nil || valid[i>>6]>>(uint(i)&63)&1 != 0 {
			total += int(dict.Off[code+1] - dict.Off[code])
		}
		if total > math.MaxInt32-slack {
			return fmt.Errorf("a page holds more than 2 GiB of text")
		}
		off[i+1] = int32(total)
	}
	if cap(own.Data) < total+slack {
		own.Data = make([]byte, total+total/4+slack)
	}
	out, src := own.Data[:cap(own.Data)], dict.Data[:cap(dict.Data)]
	for i, code := range codes {
		q, n := int(off[i]), int(off[i+1]-off[i])
		s := int(dict.Off[code])
		if n <= 16 && s+16 <= len(src) {
			*(*[16]byte)(out[q:]) = *(*[16]byte)(src[s:])
		} else {
			copy(out[q:q+n], src[s:])
		}
	}
	p.Off, p.Data = off, out[:total]
	return nil
}

// spreadNulls moves the page's dense values apart, so that each lies in its row;
// rows without one hold zeros.
func (c *flatColumn) spreadNulls(n int) {
	p, s := &c.page, &c.mem.spread
	switch c.conv.lay {
	case columnar.I32:
		s.I32 = resize(s.I32, n)
		spread(s.I32, p.I32, c.mem.valid, n)
		p.I32 = s.I32
	case columnar.I64:
		s.I64 = resize(s.I64, n)
		spread(s.I64, p.I64, c.mem.valid, n)
		p.I64 = s.I64
	case columnar.F32:
		s.F32 = resize(s.F32, n)
		spread(s.F32, p.F32, c.mem.valid, n)
		p.F32 = s.F32
	case columnar.F64:
		s.F64 = resize(s.F64, n)
		spread(s.F64, p.F64, c.mem.valid, n)
		p.F64 = s.F64
	case columnar.D128:
		s.D128 = resize(s.D128, n)
		spread(s.D128, p.D128, c.mem.valid, n)
		p.D128 = s.D128
	case columnar.T96:
		s.I64, s.I32 = resize(s.I64, n), resize(s.I32, n)
		spread(s.I64, p.I64, c.mem.valid, n)
		spread(s.I32, p.I32, c.mem.valid, n)
		p.I64, p.I32 = s.I64, s.I32
	case columnar.Str:
		s.Off = resize(s.Off, n+1)
		k := 0
		for i := range n {
			s.Off[i] = p.Off[k]
			k += int(c.mem.valid[i>>6] >> (uint(i) & 63) & 1)
		}
		s.Off[n] = p.Off[k]
		p.Off = s.Off
	}
	p.N = n
}

// spread puts the values of src into the slots of dst that valid has, zeros elsewhere.
func spread[T any](dst, src []T, valid []uint64, n int) {
	k := 0
	for w := 0; w<<6 < n; w++ {
		word := valid[w]
		at := w << 6
		m := min(64, n-at)
		switch {
		case word == ^uint64(0) && m == 64:
			k += copy(dst[at:at+64], src[k:])
		case word == 0:
			clear(dst[at : at+m])
		default:
			var zero T
			for i := range m {
				if word>>uint(i)&1 != 0 {
					dst[at+i] = src[k]
					k++
				} else {
					dst[at+i] = zero
				}
			}
		}
	}
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
