package row

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// The bucket functions, values of the option bucket-function.type.
const (
	DefaultBuckets = "default" // abs(hash of the row % n)
	ModBuckets     = "mod"     // floor modulus of one INT or BIGINT key
	HiveBuckets    = "hive"    // Hive's hash of the values
)

// Bucketer maps rows of bucket key columns to buckets 0 to n-1. It is immutable and
// safe from many goroutines.
type Bucketer struct {
	kind string
	ts   []types.Type
	n    int
}

// NewBucketer returns the bucket function kind ("" is default) over keys of the types
// ts, in bucket key order, for n buckets. It fails for n < 1, for an unknown kind, and
// for types that the kind does not take.
func NewBucketer(kind string, ts []types.Type, n int) (*Bucketer, error) {
	if n < 1 || n > math.MaxInt32 {
		return nil, fmt.Errorf("bucket function for %d buckets, must be at least 1", n)
	}
	switch kind {
	case "", DefaultBuckets:
		kind = DefaultBuckets
		for i := range ts {
			if ts[i].Nested() {
				return nil, fmt.Errorf("bucket function default does not take a key of type %s", ts[i])
			}
		}
	case ModBuckets:
		if len(ts) != 1 || ts[0].Kind != types.Int && ts[0].Kind != types.BigInt {
			return nil, fmt.Errorf("bucket function mod takes one key of type INT or BIGINT, not %v", ts)
		}
	case HiveBuckets:
		for i := range ts {
			if !hiveTakes(ts[i].Kind) {
				return nil, fmt.Errorf("bucket function hive does not take a key of type %s", ts[i])
			}
		}
	default:
		return nil, fmt.Errorf("unknown bucket function %q, must be default, mod or hive", kind)
	}
	return &Bucketer{kind: kind, ts: ts, n: n}, nil
}

func hiveTakes(k types.Kind) bool {
	switch k {
	case types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.Float, types.Double,
		types.Decimal, types.Char, types.VarChar, types.Binary, types.VarBinary, types.Date, types.Time:
		return true
	}
	return false
}

// Count is the number of buckets.
func (b *Bucketer) Count() int { return b.n }

// Buckets sets dst[i] to the bucket of slot i of the keys, for slots 0 to n-1, and
// returns dst with length n, grown if need be.
func (b *Bucketer) Buckets(dst []int32, keys []*columnar.Vector, n int) []int32 {
	dst = resize(dst, n)
	switch {
	case b.n == 1:
		clear(dst)
	case b.kind == DefaultBuckets:
		hashInto(dst, keys)
		for i, h := range dst {
			dst[i] = ofHash(h, int32(b.n))
		}
	case b.kind == ModBuckets && keys[0].Dict == nil:
		b.mod(dst, keys[0])
	default:
		vals := make([]columnar.Value, len(keys))
		for i := range dst {
			for k, c := range keys {
				vals[k] = c.Value(i)
			}
			dst[i] = int32(b.BucketOf(vals))
		}
	}
	return dst
}

func (b *Bucketer) mod(dst []int32, c *columnar.Vector) {
	if c.Type.Kind == types.Int {
		for i, v := range c.I32[:len(dst)] {
			_, r := floorDiv(int64(v), int64(b.n))
			dst[i] = int32(r)
		}
		return
	}
	for i, v := range c.I64[:len(dst)] {
		_, r := floorDiv(v, int64(b.n))
		dst[i] = int32(r)
	}
}

// BucketOf is the bucket of one row of bucket key values.
func (b *Bucketer) BucketOf(vals []columnar.Value) int {
	switch b.kind {
	case ModBuckets:
		_, r := floorDiv(vals[0].I, int64(b.n))
		return int(r)
	case HiveBuckets:
		h := int32(0)
		for i := range vals {
			h = 31*h + hiveHash(&b.ts[i], &vals[i])
		}
		return int(h&math.MaxInt32) % b.n
	}
	return int(ofHash(Hash(AppendValues(nil, b.ts, vals)), int32(b.n)))
}

// ofHash is |h % n|, with the remainder that has h's sign.
func ofHash(h, n int32) int32 {
	r := h % n
	if r < 0 {
		return -r
	}
	return r
}

// hiveHash is Hive's hash of a value: Java's hashCode for most.
func hiveHash(t *types.Type, v *columnar.Value) int32 {
	if v.Null {
		return 0
	}
	switch t.Kind {
	case types.BigInt:
		return fold(uint64(v.I))
	case types.Float:
		f := float32(v.F)
		switch {
		case f == 0:
			return 0
		case f != f:
			return nan32
		}
		return int32(math.Float32bits(f))
	case types.Double:
		switch {
		case v.F == 0:
			return 0
		case v.F != v.F:
			return fold(nan64)
		}
		return fold(math.Float64bits(v.F))
	case types.Decimal:
		d := v.Int128()
		if columnar.LayoutOf(*t) == columnar.I64 {
			d = columnar.Int128{Lo: uint64(v.I), Hi: v.I >> 63}
		}
		return hiveDecimal(d, t.Scale)
	case types.Char, types.VarChar, types.Binary, types.VarBinary:
		h := int32(0)
		for i := range len(v.S) {
			h = 31*h + int32(int8(v.S[i]))
		}
		return h
	}
	return int32(v.I)
}

func fold(v uint64) int32 { return int32(v ^ v>>32) }

// hiveDecimal is the hash of Java's BigDecimal without trailing zeros behind the point.
func hiveDecimal(d columnar.Int128, scale int) int32 {
	hi, lo, sign := uint64(d.Hi), d.Lo, int32(1)
	if d.Hi < 0 {
		sign = -1
		lo = -lo
		hi = ^hi
		if lo == 0 {
			hi++
		}
	}
	if hi|lo == 0 {
		return 0
	}
	for scale > 0 {
		qh, ql, rem := div10(hi, lo)
		if rem != 0 {
			break
		}
		hi, lo = qh, ql
		scale--
	}
	h := uint32(0)
	for _, w := range [4]uint32{uint32(hi >> 32), uint32(hi), uint32(lo >> 32), uint32(lo)} {
		h = 31*h + w
	}
	return 31*sign*int32(h) + int32(scale)
}

// div10 divides a 128-bit number by 10.
func div10(hi, lo uint64) (qh, ql, rem uint64) {
	qh, rem = hi/10, hi%10
	ql, rem = bits.Div64(rem, lo, 10)
	return qh, ql, rem
}
