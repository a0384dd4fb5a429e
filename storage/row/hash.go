package row

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

const (
	murmurSeed = 42
	murmurC1   = 0xcc9e2d51
	murmurC2   = 0x1b873593
)

// Hash is the hash of a binary row, without the arity: 32-bit murmur3 with seed 42.
// The length must be a multiple of 4, as that of every row is.
func Hash(rowBytes []byte) int32 { return int32(hashWords(murmurSeed, rowBytes)) }

func hashWords(h uint32, b []byte) uint32 {
	n := uint32(len(b))
	for ; len(b) >= 8; b = b[8:] {
		v := binary.LittleEndian.Uint64(b)
		h = mix(mix(h, uint32(v)), uint32(v>>32))
	}
	if len(b) >= 4 {
		h = mix(h, binary.LittleEndian.Uint32(b))
	}
	return finish(h, n)
}

func mix(h, k uint32) uint32 {
	k *= murmurC1
	k = bits.RotateLeft32(k, 15)
	k *= murmurC2
	h ^= k
	h = bits.RotateLeft32(h, 13)
	return h*5 + 0xe6546b64
}

func mix64(h uint32, v uint64) uint32 { return mix(mix(h, uint32(v)), uint32(v>>32)) }

func finish(h, n uint32) uint32 {
	h ^= n
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

// HashBatch hashes the rows made of slots 0 to n-1 of the keys: dst[i] is Hash of row
// i as uint32. It returns dst with length n, grown if need be. Keys of fixed width
// and of text without nulls, and single ones with nulls, are hashed without building rows.
func HashBatch(dst []uint32, keys []*columnar.Vector, n int) []uint32 {
	dst = resize(dst, n)
	hashInto(dst, keys)
	return dst
}

// hashInto is HashBatch into all of dst.
func hashInto[T int32 | uint32](dst []T, keys []*columnar.Vector) {
	switch {
	case len(keys) == 1 && fixedSlot(&keys[0].Type) && keys[0].Dict == nil:
		hashFixed(dst, keys[0])
	case len(keys) == 1 && columnar.LayoutOf(keys[0].Type) == columnar.Str && keys[0].Dict == nil:
		hashText(dst, keys[0])
	case columnwise(keys):
		hashColumns(dst, keys)
	default:
		var buf []byte
		for i := range dst {
			buf = AppendRow(buf[:0], keys, i)
			dst[i] = T(hashWords(murmurSeed, buf))
		}
	}
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// fixedSlot reports whether a value of the type lies whole in its slot.
func fixedSlot(t *types.Type) bool {
	switch columnar.LayoutOf(*t) {
	case columnar.I32, columnar.F32, columnar.F64:
		return true
	case columnar.I64:
		return t.Kind == types.BigInt || t.Kind == types.Decimal || compactTimestamp(t.Precision)
	}
	return false
}

// columnwise reports whether hashColumns takes the keys: flat columns without nulls, of
// fixed width or text.
func columnwise(keys []*columnar.Vector) bool {
	for _, k := range keys {
		if !fixedSlot(&k.Type) && columnar.LayoutOf(k.Type) != columnar.Str {
			return false
		}
		if k.Dict != nil || k.Valid != nil && k.NullCount() > 0 {
			return false
		}
	}
	return true
}

// hashFixed hashes rows of one field of fixed width. The state after the header, and
// the hash of null, are the same for all.
func hashFixed[T int32 | uint32](dst []T, c *columnar.Vector) {
	head := mix64(murmurSeed, 0)
	switch columnar.LayoutOf(c.Type) {
	case columnar.I64:
		for i, v := range c.I64[:len(dst)] {
			dst[i] = T(finish(mix64(head, uint64(v)), 16))
		}
	case columnar.F64:
		for i, v := range c.F64[:len(dst)] {
			dst[i] = T(finish(mix64(head, math.Float64bits(v)), 16))
		}
	case columnar.F32:
		for i, v := range c.F32[:len(dst)] {
			dst[i] = T(finish(mix64(head, uint64(math.Float32bits(v))), 16))
		}
	default:
		mask := smallMask(c.Type.Kind)
		for i, v := range c.I32[:len(dst)] {
			dst[i] = T(finish(mix(mix(head, uint32(v)&mask), 0), 16))
		}
	}
	if c.Valid == nil {
		return
	}
	null := T(finish(mix64(mix64(murmurSeed, 1<<8), 0), 16))
	for i := range dst {
		if c.IsNull(i) {
			dst[i] = null
		}
	}
}

func smallMask(k types.Kind) uint32 {
	switch k {
	case types.Boolean, types.TinyInt:
		return 0xff
	case types.SmallInt:
		return 0xffff
	}
	return 0xffffffff
}

// hashText hashes rows of one field of layout Str.
func hashText[T int32 | uint32](dst []T, c *columnar.Vector) {
	head := mix64(murmurSeed, 0)
	null := T(finish(mix64(mix64(murmurSeed, 1<<8), 0), 16))
	for i := range dst {
		b := c.Data[c.Off[i]:c.Off[i+1]]
		switch {
		case c.IsNull(i):
			dst[i] = null
		case len(b) <= maxInline:
			dst[i] = T(finish(mix64(head, inline(b)), 16))
		default:
			h := mix(mix(head, uint32(len(b))), 16) // length, offset
			n := uint32(16 + (len(b)+7)&^7)
			dst[i] = T(finish(mixBytes(h, b), n))
		}
	}
}

// tail is less than 8 bytes as a little-endian number.
func tail(b []byte) (v uint64) {
	for i := range b {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

// hashColumns hashes rows one column after another: first all slots, then the bytes of
// the texts that are too long for theirs, in the order that the row has them. ends[i]
// is how long row i is so far; nil while there is no text.
func hashColumns[T int32 | uint32](dst []T, keys []*columnar.Vector) {
	head := uint32(murmurSeed)
	for range bitsetBytes(len(keys)) / 8 {
		head = mix64(head, 0)
	}
	for i := range dst {
		dst[i] = T(head)
	}
	size := uint32(fixedBytes(len(keys)))
	var ends []uint32
	for _, c := range keys {
		switch columnar.LayoutOf(c.Type) {
		case columnar.I64:
			for i, v := range c.I64[:len(dst)] {
				dst[i] = T(mix64(uint32(dst[i]), uint64(v)))
			}
		case columnar.F64:
			for i, v := range c.F64[:len(dst)] {
				dst[i] = T(mix64(uint32(dst[i]), math.Float64bits(v)))
			}
		case columnar.F32:
			for i, v := range c.F32[:len(dst)] {
				dst[i] = T(mix64(uint32(dst[i]), uint64(math.Float32bits(v))))
			}
		case columnar.Str:
			if ends == nil {
				ends = make([]uint32, len(dst))
				for i := range ends {
					ends[i] = size
				}
			}
			hashTextSlots(dst, ends, c)
		default:
			mask := smallMask(c.Type.Kind)
			for i, v := range c.I32[:len(dst)] {
				dst[i] = T(mix(mix(uint32(dst[i]), uint32(v)&mask), 0))
			}
		}
	}
	if ends == nil {
		for i, h := range dst {
			dst[i] = T(finish(uint32(h), size))
		}
		return
	}
	for _, c := range keys {
		if columnar.LayoutOf(c.Type) == columnar.Str {
			for i := range dst {
				if b := c.Data[c.Off[i]:c.Off[i+1]]; len(b) > maxInline {
					dst[i] = T(mixBytes(uint32(dst[i]), b))
				}
			}
		}
	}
	for i, h := range dst {
		dst[i] = T(finish(uint32(h), ends[i]))
	}
}

// hashTextSlots mixes the slots of a column of text and moves the ends of the rows.
func hashTextSlots[T int32 | uint32](dst []T, ends []uint32, c *columnar.Vector) {
	for i := range dst {
		b := c.Data[c.Off[i]:c.Off[i+1]]
		if len(b) <= maxInline {
			dst[i] = T(mix64(uint32(dst[i]), inline(b)))
			continue
		}
		dst[i] = T(mix(mix(uint32(dst[i]), uint32(len(b))), ends[i]))
		ends[i] += uint32(len(b)+7) &^ 7
	}
}

// mixBytes mixes bytes, padded with zeros to a multiple of 8.
func mixBytes(h uint32, b []byte) uint32 {
	for ; len(b) >= 8; b = b[8:] {
		h = mix64(h, binary.LittleEndian.Uint64(b))
	}
	if len(b) > 0 {
		h = mix64(h, tail(b))
	}
	return h
}
