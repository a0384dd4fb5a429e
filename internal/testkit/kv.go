package testkit

import (
	"encoding/binary"

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
	var draws [8]uint64
	for i := from; i < from+int64(n); i++ {
		at := uint64(i)*8 + seed*kvGolden
		for j := range draws {
			draws[j] = kvMix((at + uint64(j)) * kvGolden)
		}
		k := draws[0] >> 1
		if distinct > 0 {
			k = draws[0] % distinct
		}
		appendI64(b.Cols[0], int64(k))
		appendI64(b.Cols[1], int64(draws[1]%1_000_000))
		appendI64(b.Cols[2], i)
		appendF64(b.Cols[3], float64(draws[2]>>11)*(1.0/(1<<53)))
		appendF64(b.Cols[4], float64(draws[3]%100_000)/100)
		appendI64(b.Cols[5], int64(draws[4]%1_000_000_000))
		appendHex(b.Cols[6], 10, draws[5], 0)
		appendHex(b.Cols[7], 30, draws[6], draws[7])
		appendI64(b.Cols[8], kvEpochMillis+i*10+int64(draws[5]>>54))
	}
	b.N += n
}

// The columns have no nulls: a measurement must not be one of making rows.

func appendI64(v *columnar.Vector, x int64) {
	v.I64 = append(v.I64, x)
	v.N++
}

func appendF64(v *columnar.Vector, x float64) {
	v.F64 = append(v.F64, x)
	v.N++
}

// appendHex appends the first n hexadecimal digits of x and then y, at most 16 of
// each, the lowest first.
func appendHex(v *columnar.Vector, n int, x, y uint64) {
	var text [32]byte
	binary.LittleEndian.PutUint64(text[0:], hex8(uint32(x)))
	binary.LittleEndian.PutUint64(text[8:], hex8(uint32(x>>32)))
	binary.LittleEndian.PutUint64(text[16:], hex8(uint32(y)))
	binary.LittleEndian.PutUint64(text[24:], hex8(uint32(y>>32)))
	v.Data = append(v.Data, text[:n]...)
	v.Off = append(v.Off, int32(len(v.Data)))
	v.N++
}

// hex8 is the eight digits of x as the bytes of a number, the lowest digit in the
// lowest byte.
func hex8(x uint32) uint64 {
	v := uint64(x)
	v = (v | v<<16) & 0x0000ffff0000ffff
	v = (v | v<<8) & 0x00ff00ff00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f0f0f0f0f
	letters := (v + 0x0606060606060606) >> 4 & 0x0101010101010101
	return v + 0x3030303030303030 + letters*('a'-'0'-10)
}
