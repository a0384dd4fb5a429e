package parquet

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	pqdelta "github.com/parquet-go/parquet-go/encoding/delta"

	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/types"
)

// mode is what happens to the pages of a chunk after encoding.
type mode uint8

const (
	unprobed   mode = iota
	stored          // no codec
	compressed      // the table's codec
	literals        // zstd frames of literals only
)

const (
	// probeBytes is how much of a first page the codec is tried on; smaller pages
	// than minCodecBytes are not worth it.
	probeBytes    = 64 << 10
	minCodecBytes = 4 << 10
	// A codec must get below these parts of the size, in percent.
	smallPercent = 92
	leanPercent  = 40
	// literals may be this much larger than what zstd makes, in percent.
	literalsPercent = 125
)

// pageInfo is a data page of a chunk.
type pageInfo struct {
	at, size int // in buf, header included
	firstRow int64
	nulls    int64
	bounded  bool
	min, max [2]int // in ends
}

// chunkWriter encodes one leaf's values of a row group into pages.
type chunkWriter struct {
	leaf  *node
	t     types.Type // of the leaf
	codec codec.Codec
	level int
	lean  bool
	pool  *codec.Pool

	useDict  bool // the option allows it
	enc      encoding
	mode     mode
	dict     dictionary
	dictUsed bool // a page has codes
	chosen   bool

	buf      []byte
	pages    []pageInfo
	ends     []byte // bounds of pages
	rawBytes int64  // of the pages before compression, headers included
	values   int64
	nulls    int64
	rows     int64
	total    bounds
	used     [encStreamSplit + 1]bool

	unit   dense // of a unit whose encoding is being chosen
	vals   dense // of the page
	body   []byte
	comp   []byte
	delta  []byte
	onPage bounds
	dist   dense
	header thriftWriter
}

func (c *chunkWriter) reset() {
	c.enc, c.mode, c.dictUsed, c.chosen = encPlain, unprobed, false, false
	c.buf, c.pages, c.ends = c.buf[:0], c.pages[:0], c.ends[:0]
	c.rawBytes, c.values, c.nulls, c.rows = 0, 0, 0, 0
	c.total.ok, c.total.nan = false, false
	clear(c.used[:])
}

// choose picks the encoding for a chunk by its first values. When that is a
// dictionary, dict.codes has their codes.
func (c *chunkWriter) choose(d *dense) {
	c.chosen = true
	c.enc = encPlain
	if c.leaf.typ == pInt32 || c.leaf.typ == pInt64 {
		c.enc = encDelta
	}
	if !c.useDict || d.n == 0 || c.leaf.typ != pInt32 && c.leaf.typ != pInt64 && c.leaf.typ != pBytes {
		return
	}
	c.dict.reset()
	if c.dict.add(c.leaf.typ, d, true) {
		c.enc = encRLEDict
	}
}

// page encodes a page of values with its levels, which are written already. codes
// are those of the values when the chunk has a dictionary and they are known.
func (c *chunkWriter) page(d *dense, codes []int32, levels []byte, slots, rows int) error {
	if c.enc == encRLEDict && codes == nil {
		if c.dict.add(c.leaf.typ, d, false) {
			codes = c.dict.codes
		} else {
			c.enc = encPlain
			if c.leaf.typ != pBytes {
				c.enc = encDelta
			}
		}
	}
	c.body = append(c.body[:0], levels...)
	enc := c.enc
	if codes != nil && c.enc == encRLEDict {
		c.body = append(c.body, byte(c.dict.width()))
		c.body = appendPacked(c.body, codes[:d.n], c.dict.width())
		c.dictUsed = true
	} else if err := c.appendValues(d); err != nil {
		return err
	}
	if hasBounds(c.t, c.leaf.typ) {
		if enc == encRLEDict && d.n > 0 {
			c.dict.distinct(codes[:d.n], &c.dist)
			c.onPage.set(c.t, c.leaf, &c.dist)
		} else {
			c.onPage.set(c.t, c.leaf, d)
		}
	}
	c.used[enc] = true
	return c.finishPage(enc, slots, rows, slots-d.n)
}

func (c *chunkWriter) appendValues(d *dense) (err error) {
	if c.enc != encDelta {
		c.body = d.appendPlain(c.body, c.leaf.typ)
		return nil
	}
	var e pqdelta.BinaryPackedEncoding
	if c.leaf.typ == pInt32 {
		c.delta, err = e.EncodeInt32(c.delta, d.i32[:d.n])
	} else {
		c.delta, err = e.EncodeInt64(c.delta, d.i64[:d.n])
	}
	c.body = append(c.body, c.delta...)
	return err
}

// finishPage compresses body and appends it behind its header to buf.
func (c *chunkWriter) finishPage(enc encoding, slots, rows, nulls int) error {
	at := len(c.buf)
	h := pageHeader{kind: pageData, values: int32(slots), encoding: enc}
	if err := c.appendPage(&h); err != nil {
		return err
	}
	p := pageInfo{at: at, size: len(c.buf) - at, firstRow: c.rows, nulls: int64(nulls), bounded: c.onPage.ok}
	if c.onPage.ok {
		text := c.t.Text()
		a := len(c.ends)
		if c.leaf.typ == pBytes {
			c.ends = append(c.ends, cutMin(c.onPage.min, text)...)
			p.min = [2]int{a, len(c.ends)}
			c.ends = cutMax(c.ends, c.onPage.max, text)
		} else {
			c.ends = append(c.ends, c.onPage.min...)
			p.min = [2]int{a, len(c.ends)}
			c.ends = append(c.ends, c.onPage.max...)
		}
		p.max = [2]int{p.min[1], len(c.ends)}
	}
	c.pages = append(c.pages, p)
	c.total.merge(c.leaf, &c.onPage)
	c.onPage.ok, c.onPage.nan = false, false
	c.rows += int64(rows)
	c.values += int64(slots)
	c.nulls += int64(nulls)
	return nil
}

// appendPage appends body as a page, compressed as the chunk's mode says.
func (c *chunkWriter) appendPage(h *pageHeader) (err error) {
	if c.mode == unprobed {
		if err := c.probe(); err != nil {
			return err
		}
	}
	out := c.body
	switch c.mode {
	case compressed:
		c.comp, err = c.pool.Compress(c.codec, c.level, c.comp[:0], c.body)
		out = c.comp
	case literals:
		c.comp = c.pool.CompressText(c.comp[:0], c.body)
		out = c.comp
	}
	if err != nil {
		return err
	}
	if len(c.body) > maxPageBytes || len(out) > maxPageBytes {
		return fmt.Errorf("a page of %d bytes is too large", len(c.body))
	}
	h.uncompressed, h.compressed = int32(len(c.body)), int32(len(out))
	h.crc, h.hasCRC = int32(crc32.ChecksumIEEE(out)), true
	c.header.b = c.header.b[:0]
	c.header.pageHeader(h)
	c.buf = append(append(c.buf, c.header.b...), out...)
	c.rawBytes += int64(len(c.header.b) + len(c.body))
	return nil
}

// maxPageBytes is the most a page header can tell.
const maxPageBytes = 1<<31 - 1 - slack

// probe chooses the mode by trying the codec on the beginning of the first page.
func (c *chunkWriter) probe() error {
	c.mode = stored
	sample := c.body[:min(len(c.body), probeBytes)]
	if c.codec == codec.None || len(sample) < minCodecBytes {
		return nil
	}
	var err error
	if c.comp, err = c.pool.Compress(c.codec, c.level, c.comp[:0], sample); err != nil {
		return err
	}
	best := len(c.comp)
	limit := smallPercent
	if c.lean {
		limit = leanPercent
	}
	if c.codec == codec.Zstd && c.leaf.typ == pBytes && c.enc == encPlain {
		c.comp = c.pool.CompressText(c.comp[:0], sample)
		if n := len(c.comp); n*100 <= best*literalsPercent && n*100 < len(sample)*limit {
			c.mode = literals
			return nil
		}
	}
	if best*100 < len(sample)*limit {
		c.mode = compressed
	}
	return nil
}

// finish gives the chunk's pages, dictionary first, in the two parts that follow
// each other in the file.
func (c *chunkWriter) finish() (dict, data []byte, err error) {
	if !c.dictUsed {
		return nil, c.buf, nil
	}
	at := len(c.buf)
	c.body = c.dict.page(c.body[:0], c.leaf.typ)
	c.used[encPlain] = true
	h := pageHeader{kind: pageDict, values: int32(c.dict.n), encoding: encPlain}
	if err := c.appendPage(&h); err != nil {
		return nil, nil, err
	}
	return c.buf[at:], c.buf[:at], nil
}

// levelsV1 appends what a page of version 1 has before its levels: their length.
// It returns where that stands.
func openLevels(dst []byte) ([]byte, int) {
	return append(dst, 0, 0, 0, 0), len(dst)
}

func closeLevels(dst []byte, at int) {
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
}
