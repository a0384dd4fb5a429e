package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/parquet-go/bitpack"

	"github.com/lakesql/lakesql/internal/corrupt"
)

// slack is how many bytes may be read behind the end of a page's bytes: unpacking
// and copying in blocks look past the end. Every buffer that holds a page has room
// for it.
const slack = 64

func badf(format string, args ...any) error {
	return corrupt.Errorf("", corrupt.NoOffset, format, args...)
}

// run is one run of the RLE and bit-packed hybrid.
type run struct {
	packed bool
	n      int    // values
	value  uint32 // of a repeated run
	data   []byte // of a packed run
}

// nextRun cuts the next run off src. At most left values are wanted; the bytes of
// a packed run cover those.
func nextRun(src []byte, width uint, left int) (r run, rest []byte, err error) {
	u, n := binary.Uvarint(src)
	if n <= 0 {
		return r, nil, badf("run header is cut short, %d values missing", left)
	}
	src = src[n:]
	if u&1 == 0 {
		if u>>1 == 0 {
			return r, nil, badf("run of no values")
		}
		r.n = int(min(u>>1, uint64(left)))
		size := int(width+7) / 8
		if len(src) < size {
			return r, nil, badf("repeated value is cut short")
		}
		for i := size - 1; i >= 0; i-- {
			r.value = r.value<<8 | uint32(src[i])
		}
		if width < 32 && r.value>>width != 0 {
			return r, nil, badf("repeated value %d has more than %d bits", r.value, width)
		}
		return r, src[size:], nil
	}
	groups := u >> 1
	if groups == 0 {
		return r, nil, badf("packed run of no values")
	}
	r.packed = true
	r.n = left
	if groups < uint64(left+7)/8 {
		r.n = int(groups) * 8
	}
	need := (r.n*int(width) + 7) / 8
	if len(src) < need {
		return r, nil, badf("packed run of %d values has %d bytes, want %d", r.n, len(src), need)
	}
	r.data = src
	whole := groups * uint64(width)
	return r, src[min(whole, uint64(len(src))):], nil
}

// decodeHybrid fills dst with the values of an RLE and bit-packed hybrid. Behind
// src lie slack bytes within its capacity.
func decodeHybrid(dst []int32, src []byte, width uint) error {
	if width > 32 {
		return badf("bit width %d", width)
	}
	if width == 0 {
		clear(dst)
		return nil
	}
	for len(dst) > 0 {
		r, rest, err := nextRun(src, width, len(dst))
		if err != nil {
			return err
		}
		if r.packed {
			bitpack.Unpack(dst[:r.n], r.data, width)
		} else {
			fill(dst[:r.n], int32(r.value))
		}
		dst, src = dst[r.n:], rest
	}
	return nil
}

// decodeLevels fills dst with levels up to limit from an RLE and bit-packed hybrid.
func decodeLevels(dst []uint8, src []byte, limit uint8) error {
	width := uint(bits.Len8(limit))
	for len(dst) > 0 {
		r, rest, err := nextRun(src, width, len(dst))
		if err != nil {
			return err
		}
		if r.packed {
			unpackLevels(dst[:r.n], r.data, width)
		} else {
			fill(dst[:r.n], uint8(r.value))
		}
		for _, l := range dst[:r.n] {
			if l > limit {
				return badf("level %d, want at most %d", l, limit)
			}
		}
		dst, src = dst[r.n:], rest
	}
	return nil
}

func unpackLevels(dst []uint8, src []byte, width uint) {
	var acc uint64
	var have uint
	mask := uint8(1<<width - 1)
	p := 0
	for i := range dst {
		if have < width {
			acc |= uint64(src[p]) << have
			p++
			have += 8
		}
		dst[i] = uint8(acc) & mask
		acc >>= width
		have -= width
	}
}

// decodeValidity reads definition levels of 0 and 1 for n values into bits and
// returns how many are 1. bits has a word for each 64 values.
func decodeValidity(words []uint64, n int, src []byte) (valid int, err error) {
	clear(words)
	for at := 0; at < n; {
		r, rest, err := nextRun(src, 1, n-at)
		if err != nil {
			return 0, err
		}
		switch {
		case r.packed:
			copyBits(words, at, r.data, r.n)
		case r.value == 1:
			setBits(words, at, r.n)
		}
		at += r.n
		src = rest
	}
	for _, w := range words {
		valid += bits.OnesCount64(w)
	}
	return valid, nil
}

// setBits sets n bits from at on.
func setBits(words []uint64, at, n int) {
	for n > 0 {
		off := at & 63
		k := min(n, 64-off)
		words[at>>6] |= (^uint64(0) >> (64 - uint(k))) << uint(off)
		at += k
		n -= k
	}
}

// copyBits ORs the first n bits of src into words from bit at on.
func copyBits(words []uint64, at int, src []byte, n int) {
	for n >= 8 {
		b := uint64(src[0])
		off := uint(at & 63)
		words[at>>6] |= b << off
		if off > 56 {
			words[at>>6+1] |= b >> (64 - off)
		}
		src = src[1:]
		at += 8
		n -= 8
	}
	for i := range n {
		words[(at+i)>>6] |= uint64(src[0]>>uint(i)&1) << uint((at+i)&63)
	}
}

func fill[T any](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}

// appendPacked appends codes as one packed run.
func appendPacked(dst []byte, codes []int32, width uint) []byte {
	if len(codes) == 0 {
		return dst
	}
	if width == 0 {
		return binary.AppendUvarint(dst, uint64(len(codes))<<1)
	}
	groups := (len(codes) + 7) / 8
	dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
	at := len(dst)
	dst = extend(dst, groups*int(width))
	clear(dst[at:])
	whole := len(codes) &^ 31
	bitpack.Pack(dst[at:], codes[:whole], width)
	at += whole * int(width) / 8
	var tail [32]int32
	if rest := copy(tail[:], codes[whole:]); rest > 0 {
		var out [32 * 4]byte
		bitpack.Pack(out[:], tail[:], width)
		copy(dst[at:], out[:])
	}
	return dst
}

// appendLevels appends levels as an RLE and bit-packed hybrid of their bit width.
func appendLevels(dst []byte, levels []uint8, limit uint8) []byte {
	width := uint(bits.Len8(limit))
	for len(levels) > 0 {
		same := 1
		for same < len(levels) && levels[same] == levels[0] {
			same++
		}
		if same >= 16 || same == len(levels) {
			dst = binary.AppendUvarint(dst, uint64(same)<<1)
			dst = append(dst, levels[0])
			levels = levels[same:]
			continue
		}
		n := packedStretch(levels)
		groups := (n + 7) / 8
		dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
		dst = packLevels(dst, levels[:n], groups*int(width), width)
		levels = levels[n:]
	}
	return dst
}

// packedStretch is how many levels to pack before the next long run begins: a
// multiple of 8, or all.
func packedStretch(levels []uint8) int {
	n := 8
	for n < len(levels) {
		same := 1
		for n+same < len(levels) && same < 16 && levels[n+same] == levels[n] {
			same++
		}
		if same >= 16 {
			return n
		}
		n += 8
	}
	return len(levels)
}

func packLevels(dst []byte, levels []uint8, size int, width uint) []byte {
	at := len(dst)
	dst = extend(dst, size)
	clear(dst[at:])
	bit := uint(0)
	for _, l := range levels {
		i := at + int(bit>>3)
		dst[i] |= l << (bit & 7)
		if over := bit&7 + width; over > 8 {
			dst[i+1] |= l >> (8 - bit&7)
		}
		bit += width
	}
	return dst
}

// appendValidity appends the definition levels of n values: words from bit from
// on, nil for all 1.
func appendValidity(dst []byte, words []uint64, from, n int) []byte {
	if n == 0 {
		return dst
	}
	if words == nil {
		return append(binary.AppendUvarint(dst, uint64(n)<<1), 1)
	}
	groups := (n + 7) / 8
	dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
	for g := range groups {
		at := from + g*8
		b := words[at>>6] >> uint(at&63)
		if at&63 > 56 && at>>6+1 < len(words) {
			b |= words[at>>6+1] << uint(64-at&63)
		}
		if left := n - g*8; left < 8 {
			b &= 1<<uint(left) - 1
		}
		dst = append(dst, byte(b))
	}
	return dst
}

// extend makes s n elements longer; the new ones hold anything.
func extend[T any](s []T, n int) []T {
	if cap(s)-len(s) < n {
		c := make([]T, len(s), max(2*cap(s), len(s)+n))
		copy(c, s)
		s = c
	}
	return s[:len(s)+n]
}

// resize makes s n elements long; they hold anything.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
