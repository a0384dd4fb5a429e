package testkit

import (
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// KVFields are the columns of the kv table, on which writing, merging and
// scanning are measured: k BIGINT (key), a, b BIGINT, c, d DOUBLE, e
// DECIMAL(12,2), f and g STRING of 10 and 30 hex digits, t TIMESTAMP(3); about
// 96 bytes of values a row.
func KVFields() []types.Field {
	f := func(id int, name string, t types.Type) types.Field { return types.Field{ID: id, Name: name, Type: t} }
	return []types.Field{
		f(0, "k", types.Of(types.BigInt).WithNotNull(true)), f(1, "a", types.Of(types.BigInt)), f(2, "b", types.Of(types.BigInt)),
		f(3, "c", types.Of(types.Double)), f(4, "d", types.Of(types.Double)), f(5, "e", types.Dec(12, 2)),
		f(6, "f", types.String()), f(7, "g", types.String()), f(8, "t", types.TimestampOf(3)),
	}
}

// kvEpochMillis is 2026-01-01 00:00:00.
const kvEpochMillis = 1767225600000

const kvGolden = 0x9E3779B97F4A7C15

func kvMix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xBF58476D1CE4E5B9
	x ^= x >> 27
	x *= 0x94D049BB133111EB
	return x ^ x>>31
}

// KVBatch appends rows from to from+n-1 of the kv table to b, whose columns are
// KVFields. Every value follows from the row's number and the seed; b holds the
// row's number, so that the right result of an upsert is, per key, the largest b.
// distinct is the number of different keys; 0 makes nearly every key different.
func KVBatch(b *columnar.Batch, seed, distinct uint64, from int64, n int) {
	const hex = "0123456789abcdef"
	var text [30]byte
	digits := func(dst []byte, x uint64) {
		for i := range dst {
			dst[i] = hex[x&15]
			x >>= 4
		}
	}
	for i := from; i < from+int64(n); i++ {
		draw := func(j uint64) uint64 { return kvMix((uint64(i)*8 + j + seed*kvGolden) * kvGolden) }
		k := draw(0) >> 1
		if distinct > 0 {
			k = draw(0) % distinct
		}
		b.Cols[0].AppendI64(int64(k))
		b.Cols[1].AppendI64(int64(draw(1) % 1_000_000))
		b.Cols[2].AppendI64(i)
		b.Cols[3].AppendF64(float64(draw(2)>>11) * (1.0 / (1 << 53)))
		b.Cols[4].AppendF64(float64(draw(3)%100_000) / 100)
		b.Cols[5].AppendI64(int64(draw(4) % 1_000_000_000))
		digits(text[:10], draw(5))
		b.Cols[6].AppendBytes(text[:10])
		digits(text[:16], draw(6))
		digits(text[16:30], draw(7))
		b.Cols[7].AppendBytes(text[:30])
		b.Cols[8].AppendI64(kvEpochMillis + i*10 + int64(draw(5)>>54))
	}
	b.N += n
}
