package manifest

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/format/avroschema"
)

// decoder reads Avro values from a block. The first error sticks, and after it
// every read gives zero.
type decoder struct {
	buf []byte
	off int
	err error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = corrupt.Errorf("", int64(d.off), format, args...)
		d.off = len(d.buf)
	}
}

// varint reads a zigzag number.
func (d *decoder) varint() int64 {
	if d.off < len(d.buf) { // one byte in most cases
		if b := d.buf[d.off]; b < 0x80 {
			d.off++
			return int64(b>>1) ^ -int64(b&1)
		}
	}
	v, n := binary.Uvarint(d.buf[d.off:])
	if n <= 0 {
		d.fail("number is cut off or too large")
		return 0
	}
	d.off += n
	return int64(v>>1) ^ -int64(v&1)
}

// take returns the next n bytes without copying them.
func (d *decoder) take(n int64) []byte {
	if n < 0 || n > int64(len(d.buf)-d.off) {
		d.fail("%d bytes wanted where %d are left", n, len(d.buf)-d.off)
		return nil
	}
	p := d.buf[d.off : d.off+int(n) : d.off+int(n)]
	d.off += int(n)
	return p
}

// blockCount reads how many items follow in an array or map; 0 is its end.
func (d *decoder) blockCount() int {
	n := d.varint()
	if n < 0 {
		if n == math.MinInt64 {
			d.fail("item count %d", n)
			return 0
		}
		n = -n
		d.varint() // size in bytes, of use only to who skips
	}
	// Each item takes a byte at least, but for nulls, which no array here holds alone.
	if n > int64(len(d.buf)-d.off) {
		d.fail("%d items where %d bytes are left", n, len(d.buf)-d.off)
		return 0
	}
	return int(n)
}

// branch resolves a union: it reads which branch follows.
func (d *decoder) branch(n *avroschema.Type) *avroschema.Type {
	i := d.varint()
	if i < 0 || i >= int64(len(n.Branches)) {
		d.fail("union branch %d of %d", i, len(n.Branches))
		return avroschema.Of(avroschema.Null)
	}
	return n.Branches[i]
}

// long reads a number; ok is false for null.
func (d *decoder) long(n *avroschema.Type) (v int64, ok bool) {
	if n.Kind == avroschema.Union {
		n = d.branch(n)
	}
	switch n.Kind {
	case avroschema.Int, avroschema.Long:
		return d.varint(), true
	case avroschema.Null:
		return 0, false
	}
	d.fail("%s where a number is expected", n.Kind)
	return 0, false
}

// bytes reads bytes or text; nil for null.
func (d *decoder) bytes(n *avroschema.Type) []byte {
	if n.Kind == avroschema.Union {
		n = d.branch(n)
	}
	switch n.Kind {
	case avroschema.Bytes, avroschema.String:
		p := d.take(d.varint())
		if p == nil && d.err == nil {
			p = []byte{}
		}
		return p
	case avroschema.Null:
		return nil
	}
	d.fail("%s where bytes are expected", n.Kind)
	return nil
}

// text reads text that shares the block's memory.
func (d *decoder) text(n *avroschema.Type) string {
	p := d.bytes(n)
	return unsafe.String(unsafe.SliceData(p), len(p))
}

// array resolves to an array's node; nil for null.
func (d *decoder) array(n *avroschema.Type) *avroschema.Type {
	if n.Kind == avroschema.Union {
		n = d.branch(n)
	}
	switch n.Kind {
	case avroschema.Array:
		return n
	case avroschema.Null:
		return nil
	}
	d.fail("%s where an array is expected", n.Kind)
	return nil
}

// record resolves to a record's node; nil for null.
func (d *decoder) record(n *avroschema.Type) *avroschema.Type {
	if n.Kind == avroschema.Union {
		n = d.branch(n)
	}
	switch n.Kind {
	case avroschema.Record:
		return n
	case avroschema.Null:
		return nil
	}
	d.fail("%s where a record is expected", n.Kind)
	return nil
}

// skip passes over a value.
func (d *decoder) skip(n *avroschema.Type) {
	switch n.Kind {
	case avroschema.Null:
	case avroschema.Boolean:
		d.take(1)
	case avroschema.Int, avroschema.Long, avroschema.Enum:
		d.varint()
	case avroschema.Float:
		d.take(4)
	case avroschema.Double:
		d.take(8)
	case avroschema.Fixed:
		d.take(int64(n.Size))
	case avroschema.Bytes, avroschema.String:
		d.take(d.varint())
	case avroschema.Array, avroschema.Map:
		for {
			count := d.blockCount()
			if count == 0 {
				return
			}
			for ; count > 0 && d.err == nil; count-- {
				if n.Kind == avroschema.Map {
					d.take(d.varint())
				}
				d.skip(n.Items)
			}
		}
	case avroschema.Union:
		d.skip(d.branch(n))
	case avroschema.Record:
		for i := range n.Fields {
			d.skip(n.Fields[i].Type)
		}
	}
}

// longs reads an array of numbers appended to dst, null items as nullItem.
func (d *decoder) longs(dst []int64, n *avroschema.Type, nullItem int64) []int64 {
	for {
		count := d.blockCount()
		if count == 0 {
			return dst
		}
		for ; count > 0 && d.err == nil; count-- {
			v, ok := d.long(n.Items)
			if !ok {
				v = nullItem
			}
			dst = append(dst, v)
		}
	}
}

// texts reads an array of text.
func (d *decoder) texts(n *avroschema.Type) []string {
	list := []string{}
	for {
		count := d.blockCount()
		if count == 0 {
			return list
		}
		for ; count > 0 && d.err == nil; count-- {
			list = append(list, d.text(n.Items))
		}
	}
}

func appendLong(dst []byte, v int64) []byte {
	return binary.AppendUvarint(dst, uint64(v)<<1^uint64(v>>63))
}

func appendBytes(dst, v []byte) []byte { return append(appendLong(dst, int64(len(v))), v...) }

func appendText(dst []byte, v string) []byte { return append(appendLong(dst, int64(len(v))), v...) }

// appendOptLong writes a nullable number, null for absent.
func appendOptLong(dst []byte, v, absent int64) []byte {
	if v == absent {
		return append(dst, 0)
	}
	return appendLong(append(dst, 2), v)
}

func appendOptText(dst []byte, v string) []byte {
	if v == "" {
		return append(dst, 0)
	}
	return appendText(append(dst, 2), v)
}

func appendOptBytes(dst, v []byte) []byte {
	if v == nil {
		return append(dst, 0)
	}
	return appendBytes(append(dst, 2), v)
}

func appendTexts(dst []byte, list []string) []byte {
	if len(list) > 0 {
		dst = appendLong(dst, int64(len(list)))
		for _, s := range list {
			dst = appendText(dst, s)
		}
	}
	return append(dst, 0)
}

func appendOptTexts(dst []byte, list []string) []byte {
	if list == nil {
		return append(dst, 0)
	}
	return appendTexts(append(dst, 2), list)
}
