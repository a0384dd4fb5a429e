package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/lakesql/lakesql/storage/columnar"
)

// dense are the values of a page or a unit as they will be stored, without nulls.
// Which slice counts follows from the physical type, as in values; off need not
// start at 0. The slices alias the vector or scratch memory.
type dense struct {
	n    int
	i32  []int32
	i64  []int64
	off  []int32
	data []byte

	own32   []int32
	own64   []int64
	ownOff  []int32
	ownData []byte
}

// set takes the values of slots from to to-1 of a flat vector that is not in
// dictionary form.
func (d *dense) set(leaf *node, v *columnar.Vector, from, to int) error {
	d.n = to - from
	valid := v.Valid
	if valid != nil {
		if d.n = countValid(valid, from, to); d.n == to-from {
			valid = nil
		}
	}
	switch columnar.LayoutOf(v.Type) {
	case columnar.I32:
		d.i32 = pick(&d.own32, v.I32, valid, from, to)
	case columnar.F32:
		d.i32 = pick(&d.own32, viewAs[int32](v.F32), valid, from, to)
	case columnar.F64:
		d.i64 = pick(&d.own64, viewAs[int64](v.F64), valid, from, to)
	case columnar.I64:
		d.i64 = pick(&d.own64, v.I64, valid, from, to)
		if leaf.typ == pInt32 {
			return d.narrow()
		}
	case columnar.Str:
		d.text(v, valid, from, to)
	case columnar.D128:
		d.decimals(int(leaf.length), v.D128, valid, from, to)
	case columnar.T96:
		d.int96s(v, valid, from, to)
	default:
		return fmt.Errorf("a vector of type %v is not flat", v.Type)
	}
	return nil
}

func viewAs[D, S any](s []S) []D {
	return unsafe.Slice((*D)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

func isValid(valid []uint64, i int) bool {
	return valid == nil || valid[i>>6]>>(uint(i)&63)&1 != 0
}

// pick takes the valid ones of src[from:to], without a copy when that is all.
func pick[T any](own *[]T, src []T, valid []uint64, from, to int) []T {
	if valid == nil {
		return src[from:to]
	}
	*own = resize(*own, to-from)
	out, k := *own, 0
	for i := from; i < to; i++ {
		out[k] = src[i]
		k += int(valid[i>>6] >> (uint(i) & 63) & 1)
	}
	return out[:k]
}

// narrow turns the unscaled values of small decimals into 32 bits.
func (d *dense) narrow() error {
	d.own32 = resize(d.own32, d.n)
	d.i32 = d.own32
	for i, x := range d.i64[:d.n] {
		if x < math.MinInt32 || x > math.MaxInt32 {
			return fmt.Errorf("decimal %d has too many digits", x)
		}
		d.i32[i] = int32(x)
	}
	return nil
}

// text takes byte strings. A null's is empty, so that the starts of the valid ones
// and the end of the last are the offsets of them all.
func (d *dense) text(v *columnar.Vector, valid []uint64, from, to int) {
	d.data = v.Data
	if valid == nil {
		d.off = v.Off[from : to+1]
		return
	}
	d.ownOff = resize(d.ownOff, to-from+1)
	k := 0
	for i := from; i < to; i++ {
		d.ownOff[k] = v.Off[i]
		k += int(valid[i>>6] >> (uint(i) & 63) & 1)
	}
	d.ownOff[k] = v.Off[to]
	d.off = d.ownOff[:k+1]
}

func (d *dense) decimals(width int, src []columnar.Int128, valid []uint64, from, to int) {
	d.ownData = resize(d.ownData, d.n*width)
	d.data = d.ownData
	at := 0
	var b [16]byte
	for i := from; i < to; i++ {
		if isValid(valid, i) {
			binary.BigEndian.PutUint64(b[:], uint64(src[i].Hi))
			binary.BigEndian.PutUint64(b[8:], src[i].Lo)
			copy(d.data[at:at+width], b[16-width:])
			at += width
		}
	}
}

func (d *dense) int96s(v *columnar.Vector, valid []uint64, from, to int) {
	d.ownData = resize(d.ownData, d.n*12)
	d.data = d.ownData
	at := 0
	for i := from; i < to; i++ {
		if isValid(valid, i) {
			day, ms := floorDiv(v.I64[i], millisPerDay)
			binary.LittleEndian.PutUint64(d.data[at:], uint64(ms*1_000_000+int64(v.I32[i])))
			binary.LittleEndian.PutUint32(d.data[at+8:], uint32(day+julianEpoch))
			at += 12
		}
	}
}

// part is values from to to-1 of d.
func (d *dense) part(t physical, width, from, to int) dense {
	p := dense{n: to - from}
	switch t {
	case pInt32, pFloat, pBoolean:
		p.i32 = d.i32[from:to]
	case pInt64, pDouble:
		p.i64 = d.i64[from:to]
	case pBytes:
		p.off, p.data = d.off[from:to+1], d.data
	default:
		p.data = d.data[from*width : to*width]
	}
	return p
}

// appendPlain appends the values in encoding PLAIN.
func (d *dense) appendPlain(dst []byte, t physical) []byte {
	switch t {
	case pBoolean:
		at := len(dst)
		dst = extend(dst, (d.n+7)/8)
		clear(dst[at:])
		for i, x := range d.i32[:d.n] {
			dst[at+i>>3] |= byte(x&1) << uint(i&7)
		}
		return dst
	case pInt32, pFloat:
		return append(dst, bytesOf(d.i32[:d.n])...)
	case pInt64, pDouble:
		return append(dst, bytesOf(d.i64[:d.n])...)
	case pBytes:
		return d.appendText(dst)
	}
	return append(dst, d.data...)
}

// appendText appends byte strings after their lengths, copying in blocks of 32.
func (d *dense) appendText(dst []byte) []byte {
	first, last := int(d.off[0]), int(d.off[d.n])
	at := len(dst)
	dst = extend(dst, last-first+4*d.n+32)
	src := d.data
	s := first
	for _, o := range d.off[1 : d.n+1] {
		e := int(o)
		n := e - s
		binary.LittleEndian.PutUint32(dst[at:], uint32(n))
		at += 4
		if n <= 32 && s+32 <= len(src) {
			*(*[32]byte)(dst[at:]) = *(*[32]byte)(src[s:])
		} else {
			copy(dst[at:at+n], src[s:e])
		}
		at += n
		s = e
	}
	return dst[:at]
}

func countValid(valid []uint64, from, to int) int {
	n := 0
	for i := from; i < to; {
		if i&63 == 0 && to-i >= 64 {
			n += onesCount(valid[i>>6])
			i += 64
			continue
		}
		n += int(valid[i>>6] >> (uint(i) & 63) & 1)
		i++
	}
	return n
}
