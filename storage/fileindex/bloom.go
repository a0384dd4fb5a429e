package fileindex

import (
	"encoding/binary"
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// BloomFilter is the type of bloom filters in a container.
const BloomFilter = "bloom-filter"

// Bloom is a bloom filter over 64-bit hashes of values. It is for one goroutine
// while values are added, and safe to share after.
type Bloom struct {
	k    int32
	bits []byte
}

// NewBloom returns a filter for about so many different values that is wrong, of
// a value it does not hold, with the given probability.
func NewBloom(items int64, fpp float64) *Bloom {
	n := math.Floor(-float64(items) * math.Log(fpp) / (math.Ln2 * math.Ln2))
	m := int64(n) + 8 - int64(n)%8
	k := max(1, int32(math.Floor(float64(m)/float64(items)*math.Ln2+0.5)))
	return &Bloom{k: k, bits: make([]byte, m/8)}
}

// Encode returns the body of the index.
func (b *Bloom) Encode() []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(b.k)), b.bits...)
}

// DecodeBloom reads the body of an index, which it aliases.
func DecodeBloom(body []byte) (*Bloom, error) {
	if len(body) < 5 {
		return nil, corrupt.Errorf("", corrupt.NoOffset, "bloom filter of %d bytes", len(body))
	}
	k := int32(binary.BigEndian.Uint32(body))
	if k < 1 || k > 1<<10 {
		return nil, corrupt.Errorf("", corrupt.NoOffset, "bloom filter with %d hash functions", k)
	}
	return &Bloom{k: k, bits: body[4:]}, nil
}

// each calls f with the bits of a hash until it returns false.
func (b *Bloom) each(h uint64, f func(at int32) bool) bool {
	h1, h2 := int32(h), int32(h>>32)
	m := int32(len(b.bits) * 8)
	for i := int32(1); i <= b.k; i++ {
		c := h1 + i*h2
		if c < 0 {
			c = ^c
		}
		if !f(c % m) {
			return false
		}
	}
	return true
}

// Add adds a hash.
func (b *Bloom) Add(h uint64) {
	b.each(h, func(at int32) bool {
		b.bits[at>>3] |= 1 << (at & 7)
		return true
	})
}

// MayHold reports whether the hash may have been added.
func (b *Bloom) MayHold(h uint64) bool {
	return b.each(h, func(at int32) bool { return b.bits[at>>3]&(1<<(at&7)) != 0 })
}

// Hashable reports whether values of the type can be in a bloom filter.
func Hashable(t types.Type) bool {
	switch t.Kind {
	case types.Boolean, types.Decimal:
		return false
	}
	return !t.Nested() && t.Kind != types.Blob && t.Kind != types.Geometry && t.Kind != types.Geography
}

// wang is Thomas Wang's mix of 64 bits, with arithmetic shifts to the right.
func wang(x int64) uint64 {
	x = ^x + x<<21
	x ^= x >> 24
	x = x + x<<3 + x<<8
	x ^= x >> 14
	x = x + x<<2 + x<<4
	x ^= x >> 28
	return uint64(x + x<<31)
}

// Hash is the hash of a value that is not null, of a type that is Hashable.
func Hash(t types.Type, v columnar.Value) uint64 {
	switch t.Kind {
	case types.Float:
		return wang(int64(int32(math.Float32bits(float32(v.F)))))
	case types.Double:
		return wang(int64(math.Float64bits(v.F)))
	case types.Timestamp, types.TimestampLTZ:
		if columnar.LayoutOf(t) == columnar.T96 {
			return wang(v.I*1000 + v.Hi/1000)
		}
		return wang(v.I)
	}
	if columnar.LayoutOf(t) == columnar.Str {
		return xxhash.Sum64String(v.S)
	}
	return wang(v.I)
}

// appendHashes appends the hashes of the values in the live slots of a vector.
func appendHashes(dst []uint64, v *columnar.Vector, sel []uint16) []uint64 {
	one := func(i int) {
		switch {
		case v.IsNull(i):
		case v.Dict == nil && v.Type.Kind == types.BigInt:
			dst = append(dst, wang(v.I64[i]))
		case v.Dict == nil && columnar.LayoutOf(v.Type) == columnar.Str:
			dst = append(dst, xxhash.Sum64(v.Bytes(i)))
		default:
			dst = append(dst, Hash(v.Type, v.Value(i)))
		}
	}
	if sel == nil {
		for i := range v.N {
			one(i)
		}
		return dst
	}
	for _, i := range sel {
		one(int(i))
	}
	return dst
}
