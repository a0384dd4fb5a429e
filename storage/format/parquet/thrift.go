package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Types of the compact protocol.
const (
	tStop   = 0
	tTrue   = 1
	tFalse  = 2
	tByte   = 3
	tI16    = 4
	tI32    = 5
	tI64    = 6
	tDouble = 7
	tBinary = 8
	tList   = 9
	tSet    = 10
	tMap    = 11
	tStruct = 12
)

// errShort says that a structure goes on behind the bytes at hand.
var errShort = errors.New("structure is cut short")

// maxThriftDepth bounds nested structures that are skipped.
const maxThriftDepth = 32

// thriftReader decodes Thrift's compact protocol. The first error sticks; every
// read after it gives zeros and the end of structures. Bytes alias the input.
type thriftReader struct {
	b   []byte
	p   int
	err error
}

func (r *thriftReader) fail(err error) {
	if r.err == nil {
		r.err = err
		r.p = len(r.b)
	}
}

func (r *thriftReader) byte() byte {
	if r.p >= len(r.b) {
		r.fail(errShort)
		return 0
	}
	c := r.b[r.p]
	r.p++
	return c
}

func (r *thriftReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b[r.p:])
	if n <= 0 {
		if n == 0 {
			r.fail(errShort)
		} else {
			r.fail(errors.New("number is too long"))
		}
		return 0
	}
	r.p += n
	return v
}

func (r *thriftReader) i64() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

func (r *thriftReader) i32() int32 {
	v := r.i64()
	if v < math.MinInt32 || v > math.MaxInt32 {
		r.fail(fmt.Errorf("number %d is beyond 32 bits", v))
		return 0
	}
	return int32(v)
}

func (r *thriftReader) bytes() []byte {
	n := r.uvarint()
	if n > uint64(len(r.b)-r.p) {
		r.fail(errShort)
		return nil
	}
	b := r.b[r.p : r.p+int(n) : r.p+int(n)]
	r.p += int(n)
	return b
}

func (r *thriftReader) string() string { return string(r.bytes()) }

// field reads a field header; typ is tStop at the end of the structure. last is
// the id of the field before, 0 at first.
func (r *thriftReader) field(last int16) (id int16, typ byte) {
	c := r.byte()
	if r.err != nil || c == tStop {
		return 0, tStop
	}
	if d := int16(c >> 4); d != 0 {
		return last + d, c & 15
	}
	return int16(r.i64()), c & 15
}

// list reads a list header. Each element takes a byte at least, so that more
// elements than bytes are an error and the count is safe to allocate by.
func (r *thriftReader) list(want byte) int {
	c := r.byte()
	n := uint64(c >> 4)
	if n == 15 {
		n = r.uvarint()
	}
	if n > uint64(len(r.b)-r.p) {
		r.fail(errShort)
		return 0
	}
	if typ := c & 15; n > 0 && typ != want && !(want == tTrue && typ == tFalse) {
		r.fail(fmt.Errorf("list of type %d, want %d", typ, want))
		return 0
	}
	return int(n)
}

// skip passes over a value of a type.
func (r *thriftReader) skip(typ byte, depth int) {
	if depth > maxThriftDepth {
		r.fail(errors.New("structures are nested too deep"))
		return
	}
	switch typ {
	case tTrue, tFalse:
	case tByte:
		r.byte()
	case tI16, tI32, tI64:
		r.uvarint()
	case tDouble:
		if len(r.b)-r.p < 8 {
			r.fail(errShort)
			return
		}
		r.p += 8
	case tBinary:
		r.bytes()
	case tList, tSet:
		if r.p >= len(r.b) {
			r.fail(errShort)
			return
		}
		elem := r.b[r.p] & 15
		for n := r.list(elem); n > 0 && r.err == nil; n-- {
			if elem == tTrue || elem == tFalse {
				r.byte() // in lists a boolean is a byte
			} else {
				r.skip(elem, depth+1)
			}
		}
	case tMap:
		n := r.uvarint()
		if n == 0 || r.err != nil {
			return
		}
		kv := r.byte()
		for ; n > 0 && r.err == nil; n-- {
			r.skip(kv>>4, depth+1)
			r.skip(kv&15, depth+1)
		}
	case tStruct:
		var last int16
		for r.err == nil {
			id, t := r.field(last)
			if t == tStop {
				return
			}
			last = id
			r.skip(t, depth+1)
		}
	default:
		r.fail(fmt.Errorf("unknown type %d", typ))
	}
}

// fields calls f for each field of a structure. f reads the value or returns
// false to have it skipped.
func (r *thriftReader) fields(f func(id int16, typ byte) bool) {
	var last int16
	for r.err == nil {
		id, typ := r.field(last)
		if typ == tStop {
			return
		}
		last = id
		if !f(id, typ) {
			r.skip(typ, 0)
		}
	}
}

// thriftWriter encodes Thrift's compact protocol.
type thriftWriter struct {
	b     []byte
	last  int16
	outer []int16
}

func (w *thriftWriter) field(id int16, typ byte) {
	if d := id - w.last; d > 0 && d < 16 {
		w.b = append(w.b, byte(d)<<4|typ)
	} else {
		w.b = binary.AppendVarint(append(w.b, typ), int64(id))
	}
	w.last = id
}

func (w *thriftWriter) i32(id int16, v int32) {
	w.field(id, tI32)
	w.b = binary.AppendVarint(w.b, int64(v))
}

func (w *thriftWriter) i64(id int16, v int64) {
	w.field(id, tI64)
	w.b = binary.AppendVarint(w.b, v)
}

func (w *thriftWriter) i16(id, v int16) {
	w.field(id, tI16)
	w.b = binary.AppendVarint(w.b, int64(v))
}

func (w *thriftWriter) i8(id int16, v int8) {
	w.field(id, tByte)
	w.b = append(w.b, byte(v))
}

func (w *thriftWriter) bool(id int16, v bool) {
	if v {
		w.field(id, tTrue)
	} else {
		w.field(id, tFalse)
	}
}

func (w *thriftWriter) binary(id int16, v []byte) {
	w.field(id, tBinary)
	w.bytes(v)
}

func (w *thriftWriter) string(id int16, v string) {
	w.field(id, tBinary)
	w.b = append(binary.AppendUvarint(w.b, uint64(len(v))), v...)
}

// bytes writes a byte string without a field header, as lists hold them.
func (w *thriftWriter) bytes(v []byte) {
	w.b = append(binary.AppendUvarint(w.b, uint64(len(v))), v...)
}

// list opens a list field; its elements follow.
func (w *thriftWriter) list(id int16, elem byte, n int) {
	w.field(id, tList)
	if n < 15 {
		w.b = append(w.b, byte(n)<<4|elem)
		return
	}
	w.b = binary.AppendUvarint(append(w.b, 0xf0|elem), uint64(n))
}

// open starts a structure: a field's when id is not 0, else a list's element.
func (w *thriftWriter) open(id int16) {
	if id != 0 {
		w.field(id, tStruct)
	}
	w.outer = append(w.outer, w.last)
	w.last = 0
}

func (w *thriftWriter) close() {
	w.b = append(w.b, tStop)
	w.last = w.outer[len(w.outer)-1]
	w.outer = w.outer[:len(w.outer)-1]
}
