package avro

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/lakesql/lakesql/storage/format/avroschema"
)

// cursor reads Avro's primitives from bytes. The first failure stays: it moves
// the cursor to the end, and later reads give zero values. Loops over counts from
// the data must look at err.
type cursor struct {
	data []byte
	pos  int
	err  error
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
	c.pos = len(c.data)
}

func (c *cursor) left() int { return len(c.data) - c.pos }

// long reads a zig-zag varint.
func (c *cursor) long() int64 {
	if c.pos < len(c.data) {
		if b := c.data[c.pos]; b < 0x80 {
			c.pos++
			return int64(b>>1) ^ -int64(b&1)
		}
	}
	return c.longSlow()
}

func (c *cursor) longSlow() int64 {
	var u uint64
	for shift := uint(0); shift < 64; shift += 7 {
		if c.pos >= len(c.data) {
			c.fail("number is cut off")
			return 0
		}
		b := c.data[c.pos]
		c.pos++
		u |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if shift == 63 && b > 1 {
				break
			}
			return int64(u>>1) ^ -int64(u&1)
		}
	}
	c.fail("number has more than 64 bits")
	return 0
}

// bytes reads a length and that many bytes, which alias the data.
func (c *cursor) bytes() []byte {
	n := c.long()
	if n < 0 || n > int64(c.left()) {
		c.fail("string of %d bytes in %d bytes", n, c.left())
		return nil
	}
	b := c.data[c.pos : c.pos+int(n)]
	c.pos += int(n)
	return b
}

// take reads n bytes, which alias the data.
func (c *cursor) take(n int) []byte {
	if n > c.left() {
		c.fail("value of %d bytes in %d bytes", n, c.left())
		return nil
	}
	b := c.data[c.pos : c.pos+n]
	c.pos += n
	return b
}

func (c *cursor) float() float32 {
	if b := c.take(4); b != nil {
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	}
	return 0
}

func (c *cursor) double() float64 {
	if b := c.take(8); b != nil {
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (c *cursor) boolean() int32 {
	b := c.take(1)
	if b == nil {
		return 0
	}
	if b[0] > 1 {
		c.fail("boolean is %d", b[0])
		return 0
	}
	return int32(b[0])
}

// emptyItems is the most items of zero bytes in one block of an array.
const emptyItems = 1 << 16

// blockCount reads the head of a block of an array or map whose items take at
// least minBytes; 0 ends the list.
func (c *cursor) blockCount(minBytes int) int {
	n := c.long()
	if n < 0 {
		if n == math.MinInt64 {
			c.fail("list of %d items", n)
			return 0
		}
		n = -n
		if size := c.long(); size < 0 || size > int64(c.left()) {
			c.fail("list block of %d bytes in %d bytes", size, c.left())
			return 0
		}
	}
	most := int64(emptyItems)
	if minBytes > 0 {
		most = int64(c.left() / minBytes)
	}
	if n > most {
		c.fail("list of %d items in %d bytes", n, c.left())
		return 0
	}
	return int(n)
}

// skip moves over a value.
func (c *cursor) skip(n *avroschema.Type) {
	switch n.Kind {
	case avroschema.Null:
	case avroschema.Boolean:
		c.take(1)
	case avroschema.Int, avroschema.Long, avroschema.Enum:
		c.long()
	case avroschema.Float:
		c.take(4)
	case avroschema.Double:
		c.take(8)
	case avroschema.Bytes, avroschema.String:
		c.bytes()
	case avroschema.Fixed:
		c.take(n.Size)
	case avroschema.Record:
		if n.Empty {
			return
		}
		for i := range n.Fields {
			c.skip(n.Fields[i].Type)
		}
	case avroschema.Union:
		i := c.long()
		if i < 0 || i >= int64(len(n.Branches)) {
			c.fail("branch %d of a union of %d", i, len(n.Branches))
			return
		}
		c.skip(n.Branches[i])
	case avroschema.Array, avroschema.Map:
		c.skipList(n)
	}
}

func (c *cursor) skipList(n *avroschema.Type) {
	for c.err == nil {
		count := c.long()
		if count == 0 {
			return
		}
		if count < 0 { // the block's size follows, to be skipped by
			size := c.long()
			if size < 0 || size > int64(c.left()) {
				c.fail("list block of %d bytes in %d bytes", size, c.left())
				return
			}
			c.pos += int(size)
			continue
		}
		least := n.Items.MinBytes
		if n.Kind == avroschema.Map {
			least++
		}
		if least > 0 && count > int64(c.left()/least) {
			c.fail("list of %d items in %d bytes", count, c.left())
			return
		}
		if n.Kind == avroschema.Array && n.Items.Empty {
			continue
		}
		for ; count > 0 && c.err == nil; count-- {
			if n.Kind == avroschema.Map {
				c.bytes()
			}
			c.skip(n.Items)
		}
	}
}

// present reads the branch of a record in a union with null, which must not be null's.
func (c *cursor) present(null int8) {
	switch branch := c.long(); {
	case c.err != nil:
	case branch != 0 && branch != 1:
		c.fail("branch %d of a union of two", branch)
	case int8(branch) == null:
		c.fail("record is null")
	}
}
