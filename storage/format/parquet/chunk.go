package parquet

import (
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format/codec"
)

const (
	// windowBytes is how much of a chunk one read takes, unless a page is larger, and
	// minWindowBytes what is left of it when many files are open at once.
	windowBytes    = 256 << 10
	minWindowBytes = 16 << 10
	// headerBytes is what is looked at first for a page header; maxHeaderBytes the
	// most that statistics may make of it.
	headerBytes    = 512
	maxHeaderBytes = 16 << 20
)

// source is an open file and what its columns share.
type source struct {
	f       fileio.File
	path    string
	ft      *footer
	pool    *codec.Pool
	free    *freeList
	footers *footerCache // nil: none
	window  int64        // how much of a chunk one read takes
}

// windowOf is how much one of so many open files reads ahead in each column: in all
// of them together no more than what few take.
func windowOf(together int) int64 {
	const few = 16
	return max(minWindowBytes, windowBytes*few/max(few, int64(together)))
}

// chunkReader walks the pages of one column chunk.
type chunkReader struct {
	*source
	leaf  *node
	chunk *columnChunk
	codec codec.Codec
	end   int64  // of the chunk
	ahead int64  // how far a read may go ahead
	pos   int64  // of the next page
	win   []byte // in mem.buf, or the end of the file
	winAt int64
	mem   *columnMemory // buf holds the window, page a decompressed page
	// locations are those of the data pages, when the file's index was read.
	locations []pageLocation
}

// start points the reader at a chunk. locations may be nil.
func (c *chunkReader) start(chunk *columnChunk, locations []pageLocation) error {
	cd, err := codecOf(chunk.codec)
	if err != nil {
		return c.wrap(c.pos, err)
	}
	c.chunk, c.codec, c.locations = chunk, cd, locations
	c.pos, c.end = chunk.span()
	c.ahead = c.end
	c.win, c.winAt = nil, 0
	return nil
}

// wrap adds file, column and place to an error about a page.
func (c *chunkReader) wrap(at int64, err error) error {
	var e *corrupt.Error
	if errors.As(err, &e) && e.Path == "" {
		return corrupt.Errorf(c.path, at, "column %s: %w", strings.Join(c.leaf.path, "."), e.Detail)
	}
	return fmt.Errorf("%s: column %s: %w", c.path, strings.Join(c.leaf.path, "."), err)
}

// bytes returns n bytes of the file from at on, and whatever else the window has
// behind them, with slack in its capacity.
func (c *chunkReader) bytes(at int64, n int) ([]byte, error) {
	if at >= c.winAt && at+int64(n) <= c.winAt+int64(len(c.win)) {
		return c.win[at-c.winAt:], nil
	}
	if at >= c.ft.tailAt {
		c.win, c.winAt = c.ft.tail, c.ft.tailAt
		return c.win[at-c.winAt:], nil
	}
	size := int(max(int64(n), min(c.ahead-at, c.window)))
	kept := 0
	if at >= c.winAt && at < c.winAt+int64(len(c.win)) {
		kept = len(c.win) - int(at-c.winAt)
	}
	from := c.win[len(c.win)-kept:]
	if cap(c.mem.buf) < size+slack {
		c.mem.buf = make([]byte, size+slack)
	}
	buf := c.mem.buf[:size]
	copy(buf, from)
	c.win, c.winAt = nil, 0
	if err := readAt(c.f, c.path, buf[kept:], at+int64(kept)); err != nil {
		return nil, err
	}
	c.win, c.winAt = buf, at
	return buf, nil
}

// next reads the header of the page at pos.
func (c *chunkReader) next() (h pageHeader, size int, err error) {
	left := c.end - c.pos
	for n := int64(headerBytes); ; n *= 8 {
		n = min(n, left)
		b, err := c.bytes(c.pos, int(n))
		if err != nil {
			return h, 0, err
		}
		if int64(len(b)) > left {
			b = b[:left]
		}
		r := &thriftReader{b: b}
		h = r.pageHeader()
		if r.err == nil {
			return h, r.p, c.checkHeader(&h, r.p)
		}
		if !errors.Is(r.err, errShort) || int64(len(b)) == left || n > maxHeaderBytes {
			return h, 0, c.wrap(c.pos, badf("page header: %w", r.err))
		}
	}
}

func (c *chunkReader) checkHeader(h *pageHeader, size int) error {
	left := c.end - c.pos - int64(size)
	switch {
	case h.compressed < 0 || int64(h.compressed) > left:
		return c.wrap(c.pos, badf("page of %d bytes, %d are left", h.compressed, left))
	case h.uncompressed < 0 || int64(h.uncompressed) > int64(h.compressed)*c.codec.MaxRatio()+slack:
		return c.wrap(c.pos, badf("page of %d bytes becomes %d", h.compressed, h.uncompressed))
	case (h.kind == pageData || h.kind == pageDict || h.kind == pageDataV2) && (!h.hasDetail || h.values < 0):
		return c.wrap(c.pos, badf("page header without its detail"))
	case h.kind == pageDataV2 && (h.defBytes < 0 || h.repBytes < 0 || h.nulls < 0 || h.nulls > h.values || h.rows < 0 ||
		int64(h.defBytes)+int64(h.repBytes) > int64(min(h.compressed, h.uncompressed))):
		return c.wrap(c.pos, badf("page header with %d nulls, levels of %d and %d bytes", h.nulls, h.defBytes, h.repBytes))
	case c.ft.own && (!h.hasCRC || h.kind != pageDict && h.kind != pageData):
		return c.wrap(c.pos, badf("page without its checksum"))
	}
	if c.ft.own && !c.listed(h.encoding) {
		return c.wrap(c.pos, badf("page in encoding %v, which the footer does not list", h.encoding))
	}
	return nil
}

func (c *chunkReader) listed(e encoding) bool {
	for _, l := range c.chunk.encodings {
		if l == e {
			return true
		}
	}
	return false
}

// body reads the bytes of the page at pos, whose header has size bytes, and moves
// on. The result is decompressed, has slack in its capacity, and is valid until
// the next page is read.
func (c *chunkReader) body(h *pageHeader, size int) ([]byte, error) {
	at := c.pos + int64(size)
	b, err := c.bytes(at, int(h.compressed))
	if err != nil {
		return nil, err
	}
	if cap(b) < int(h.compressed)+slack { // the window ends with the page
		return nil, c.wrap(at, badf("window without slack"))
	}
	b = b[:h.compressed]
	if h.hasCRC && crc32.ChecksumIEEE(b) != uint32(h.crc) {
		return nil, c.wrap(c.pos, badf("page checksum is %08x, want %08x", crc32.ChecksumIEEE(b), uint32(h.crc)))
	}
	if b, err = c.inflate(h, b); err != nil {
		return nil, c.wrap(c.pos, err)
	}
	c.pos = at + int64(h.compressed)
	return b, nil
}

// inflate decompresses a page; the levels of version 2 pages are never compressed.
func (c *chunkReader) inflate(h *pageHeader, b []byte) ([]byte, error) {
	levels := 0
	if h.kind == pageDataV2 {
		levels = int(h.defBytes + h.repBytes)
	}
	if c.codec == codec.None || h.kind == pageDataV2 && h.plain {
		if h.uncompressed != h.compressed {
			return nil, badf("uncompressed page of %d bytes has %d", h.uncompressed, h.compressed)
		}
		return b, nil
	}
	if cap(c.mem.page) < int(h.uncompressed)+slack {
		c.mem.page = make([]byte, int(h.uncompressed)+int(h.uncompressed)/8+slack)
	}
	out := append(c.mem.page[:0], b[:levels]...)
	if levels == len(b) && int(h.uncompressed) == levels {
		return out, nil
	}
	return c.pool.Decompress(c.codec, out, b[levels:], int(h.uncompressed)-levels)
}
