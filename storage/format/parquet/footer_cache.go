package parquet

import (
	"bytes"
	"sync"
)

// maxFooterBytes bounds the footers that a Format keeps, by the bytes they have in
// their files; decoded they take about three times as much.
const maxFooterBytes = 16 << 20

// footerCache keeps decoded footers by path. A footer is used again only for a file
// of the same size whose footer has the same bytes: those are read anyway, and
// comparing them is cheap beside decoding. Footers in it are not changed any more.
// Safe for many goroutines.
type footerCache struct {
	mu     sync.Mutex
	byPath map[string]cachedFooter
	bytes  int64
	limit  int64
}

type cachedFooter struct {
	size int64 // of the file
	raw  []byte
	ft   *footer // without the file's tail
}

// find returns the footer of a path if it has these bytes.
func (c *footerCache) find(path string, size int64, raw []byte) *footer {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	e := c.byPath[path]
	c.mu.Unlock()
	if e.ft == nil || e.size != size || !bytes.Equal(e.raw, raw) {
		return nil
	}
	return e.ft
}

// keep remembers a footer, and raw with it; others go when there are too many.
func (c *footerCache) keep(path string, size int64, raw []byte, ft *footer) {
	n := int64(len(raw))
	if c == nil || n > c.limit/4 {
		return
	}
	own := *ft
	own.tail, own.tailAt = nil, 0
	e := cachedFooter{size: size, raw: raw, ft: &own}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byPath == nil {
		c.byPath = map[string]cachedFooter{}
	}
	c.drop(path)
	for other := range c.byPath {
		if c.bytes+n <= c.limit {
			break
		}
		c.drop(other)
	}
	c.byPath[path] = e
	c.bytes += n
}

func (c *footerCache) drop(path string) {
	if e, ok := c.byPath[path]; ok {
		c.bytes -= int64(len(e.raw))
		delete(c.byPath, path)
	}
}
