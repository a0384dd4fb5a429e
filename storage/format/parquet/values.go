package parquet

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/parquet-go/bitpack"
)

// values are the stored values of a page, without nulls, before they become those
// of a column. Which slice counts follows from the physical type: i32 for INT32,
// FLOAT (its bits) and BOOLEAN (0 or 1); i64 for INT64 and DOUBLE (its bits); off
// and data for BYTE_ARRAY; data, n times width bytes, for INT96 and
// FIXED_LEN_BYTE_ARRAY. The slices are own memory (scratch) or alias the page.
type values struct {
	n     int
	width int
	i32   []int32
	i64   []int64
	off   []int32
	data  []byte

	own32    []int32
	own64    []int64
	ownBytes []byte
	lengths  [2][]int32
}

func (v *values) take32(n int) []int32 {
	v.own32 = resize(v.own32, n)
	v.i32 = v.own32
	return v.i32
}

func (v *values) take64(n int) []int64 {
	v.own64 = resize(v.own64, n)
	v.i64 = v.own64
	return v.i64
}

// takeBytes gives n bytes with slack behind them.
func (v *values) takeBytes(n int) []byte {
	if cap(v.ownBytes) < n+slack {
		v.ownBytes = make([]byte, n+n/4+slack)
	}
	v.data = v.ownBytes[:n]
	return v.data
}

// wordsOf views bytes as little-endian numbers, without a copy.
func wordsOf[T int32 | int64](b []byte) []T {
	var t T
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
}

// bytesOf views numbers as bytes.
func bytesOf[T int32 | int64 | float32 | float64](s []T) []byte {
	var t T
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t)))
}

func floatsOf(s []int32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

func doublesOf(s []int64) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// widthOf is the bytes of a stored value, 0 where that varies.
func widthOf(t physical, length int32) int {
	switch t {
	case pInt32, pFloat:
		return 4
	case pInt64, pDouble:
		return 8
	case pInt96:
		return 12
	case pFixed:
		return int(length)
	}
	return 0
}

// decode reads n values of a page body. Behind body lie slack bytes within its
// capacity. strict refuses bytes left over.
func (v *values) decode(t physical, e encoding, n int, body []byte, strict bool) error {
	v.n = n
	switch {
	case e == encPlain && t == pBoolean:
		return v.plainBooleans(n, body)
	case e == encPlain && t == pBytes:
		return v.plainBytes(n, body, strict)
	case e == encPlain:
		return v.plainFixed(t, n, body, strict)
	case e == encDelta && t == pInt32:
		_, err := decodeDelta(v.take32(n), body)
		return err
	case e == encDelta && t == pInt64:
		_, err := decodeDelta(v.take64(n), body)
		return err
	case e == encRLE && t == pBoolean:
		if len(body) < 4 || uint64(binary.LittleEndian.Uint32(body)) > uint64(len(body)-4) {
			return badf("run-length booleans are cut short")
		}
		return decodeHybrid(v.take32(n), body[4:], 1)
	case e == encDeltaLength && t == pBytes:
		return v.deltaLength(n, body)
	case e == encDeltaBytes && (t == pBytes || t == pFixed):
		return v.deltaBytes(t, n, body)
	case e == encStreamSplit && t != pBoolean && t != pBytes:
		return v.streamSplit(t, n, body)
	}
	return badf("%v values in encoding %v", t, e)
}

func (v *values) plainFixed(t physical, n int, body []byte, strict bool) error {
	need := n * v.width
	if len(body) < need || strict && len(body) != need {
		return badf("%d values of %d bytes in %d bytes", n, v.width, len(body))
	}
	v.setFixed(t, body[:need])
	return nil
}

// setFixed makes raw, which may be the page itself, the values.
func (v *values) setFixed(t physical, raw []byte) {
	switch t {
	case pInt32, pFloat:
		v.i32 = wordsOf[int32](raw)
	case pInt64, pDouble:
		v.i64 = wordsOf[int64](raw)
	default:
		v.data = raw
	}
}

func (v *values) plainBooleans(n int, body []byte) error {
	if len(body) < (n+7)/8 {
		return badf("%d booleans in %d bytes", n, len(body))
	}
	out := v.take32(n)
	for i := range out {
		out[i] = int32(body[i>>3]>>uint(i&7)) & 1
	}
	return nil
}

// plainBytes reads values that each follow their length, copying in blocks of 32.
func (v *values) plainBytes(n int, body []byte, strict bool) error {
	size := len(body) - 4*n
	if size < 0 {
		return badf("%d byte strings in %d bytes", n, len(body))
	}
	v.off = resize(v.off, n+1)
	out := v.takeBytes(size)[:cap(v.data)]
	off := v.off[1:]
	v.off[0] = 0
	src := body[:cap(body)]
	p, q, end := 0, 0, len(body)
	for i := range off {
		if end-p < 4 {
			return badf("byte string %d of %d is cut short", i, n)
		}
		l := int(binary.LittleEndian.Uint32(src[p:]))
		p += 4
		if l > end-p {
			return badf("byte string %d of %d has %d bytes, %d are left", i, n, l, end-p)
		}
		if l <= 32 && p+32 <= len(src) && q+32 <= len(out) {
			*(*[32]byte)(out[q:]) = *(*[32]byte)(src[p:])
		} else {
			copy(out[q:], src[p:p+l])
		}
		p += l
		q += l
		off[i] = int32(q)
	}
	if strict && p != end {
		return badf("%d bytes are left behind %d byte strings", end-p, n)
	}
	v.data = out[:q]
	return nil
}

func (v *values) deltaLength(n int, body []byte) error {
	v.lengths[0] = resize(v.lengths[0], n)
	rest, err := decodeDelta(v.lengths[0], body)
	if err != nil {
		return err
	}
	v.off = resize(v.off, n+1)
	at := int64(0)
	v.off[0] = 0
	for i, l := range v.lengths[0] {
		if at += int64(l); l < 0 || at > int64(len(rest)) {
			return badf("byte string %d of %d: length %d with %d bytes", i, n, l, len(rest))
		}
		v.off[i+1] = int32(at)
	}
	copy(v.takeBytes(int(at)), rest)
	return nil
}

// deltaBytes reads values that share a prefix with the one before.
func (v *values) deltaBytes(t physical, n int, body []byte) error {
	v.lengths[0], v.lengths[1] = resize(v.lengths[0], n), resize(v.lengths[1], n)
	rest, err := decodeDelta(v.lengths[0], body)
	if err == nil {
		rest, err = decodeDelta(v.lengths[1], rest)
	}
	if err != nil {
		return err
	}
	total, last, used := int64(0), int64(0), int64(0)
	for i, prefix := range v.lengths[0] {
		suffix := v.lengths[1][i]
		if prefix < 0 || int64(prefix) > last || suffix < 0 || int64(suffix) > int64(len(rest))-used {
			return badf("byte string %d of %d: prefix %d, suffix %d", i, n, prefix, suffix)
		}
		used += int64(suffix)
		last = int64(prefix) + int64(suffix)
		total += last
		if t == pFixed && last != int64(v.width) || total > math.MaxInt32 {
			return badf("byte string %d of %d: %d bytes", i, n, last)
		}
	}
	out := v.takeBytes(int(total))
	v.off = resize(v.off, n+1)
	v.off[0] = 0
	at, prev := 0, 0
	for i, prefix := range v.lengths[0] {
		copy(out[at:], out[prev:prev+int(prefix)])
		k := copy(out[at+int(prefix):], rest[:v.lengths[1][i]])
		rest = rest[k:]
		prev = at
		at += int(prefix) + k
		v.off[i+1] = int32(at)
	}
	return nil
}

func (v *values) streamSplit(t physical, n int, body []byte) error {
	if len(body) != n*v.width {
		return badf("%d split values of %d bytes in %d bytes", n, v.width, len(body))
	}
	var raw []byte
	switch t {
	case pInt32, pFloat:
		raw = bytesOf(v.take32(n))
	case pInt64, pDouble:
		raw = bytesOf(v.take64(n))
	default:
		raw = v.takeBytes(len(body))
	}
	for j := range v.width {
		for i, b := range body[j*n : (j+1)*n] {
			raw[i*v.width+j] = b
		}
	}
	return nil
}

// maxDeltaBlock bounds the values in a block of DELTA_BINARY_PACKED.
const maxDeltaBlock = 1 << 16

// decodeDelta fills dst from DELTA_BINARY_PACKED and returns what follows. The
// number of values must be that of dst. Behind src lie slack bytes.
func decodeDelta[T int32 | int64](dst []T, src []byte) (rest []byte, err error) {
	var head [3]uint64
	for i := range head {
		u, n := binary.Uvarint(src)
		if n <= 0 {
			return nil, badf("delta header is cut short")
		}
		head[i] = u
		src = src[n:]
	}
	first, n := binary.Varint(src)
	if n <= 0 {
		return nil, badf("delta header is cut short")
	}
	src = src[n:]
	block, minis, total := head[0], head[1], head[2]
	if block == 0 || block > maxDeltaBlock || block%128 != 0 || minis == 0 || block%minis != 0 || block/minis%32 != 0 {
		return nil, badf("delta block of %d values in %d parts", block, minis)
	}
	if total != uint64(len(dst)) {
		return nil, badf("%d delta values, want %d", total, len(dst))
	}
	if len(dst) == 0 {
		return src, nil
	}
	if int64(T(first)) != first {
		return nil, badf("delta start %d is out of range", first)
	}
	dst[0] = T(first)
	last := T(first)
	for dst = dst[1:]; len(dst) > 0; {
		k := min(len(dst), int(block))
		if last, src, err = decodeDeltaBlock(dst[:k], last, src, int(minis), int(block/minis)); err != nil {
			return nil, err
		}
		dst = dst[k:]
	}
	return src, nil
}

// decodeDeltaBlock reads one block: the least delta, a bit width for each part of
// size values, and the parts. Parts that no value needs have no bytes.
func decodeDeltaBlock[T int32 | int64](dst []T, last T, src []byte, minis, size int) (T, []byte, error) {
	least, n := binary.Varint(src)
	if n <= 0 || len(src)-n < minis {
		return 0, nil, badf("delta block is cut short")
	}
	widths := src[n : n+minis]
	src = src[n+minis:]
	limit := uint(unsafe.Sizeof(last)) * 8
	out := dst
	for _, w := range widths {
		if len(out) == 0 {
			break
		}
		k := min(len(out), size)
		width := uint(w)
		if width == 0 {
			clear(out[:k])
			out = out[k:]
			continue
		}
		need := (k*int(width) + 7) / 8
		if width > limit || len(src) < need {
			return 0, nil, badf("delta part of %d values of %d bits has %d bytes", k, width, len(src))
		}
		bitpack.Unpack(out[:k], src, width)
		src = src[min(size*int(width)/8, len(src)):]
		out = out[k:]
	}
	d := T(least)
	for i, x := range dst {
		last += x + d
		dst[i] = last
	}
	return last, src, nil
}
