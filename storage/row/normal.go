package row

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// AppendNormalized appends the normalised key of slot i of cols: bytes.Compare of
// normalised keys is the order of the rows, compared column by column as
// columnar.Compare does. Keys are only comparable when their columns have the same
// types and nullability.
//
// A nullable column starts with a byte, 0 for null and 1 for a value. Numbers and times
// follow big-endian with the sign flipped, floats by their rank; a null has zeros. Text
// and bytes have 00 written as 00 ff and end with 00 00; nothing follows their null.
// Nested types have no order: they panic.
func AppendNormalized(dst []byte, cols []*columnar.Vector, i int) []byte {
	for _, c := range cols {
		dst = appendNormalized(dst, c, i)
	}
	return dst
}

func appendNormalized(dst []byte, c *columnar.Vector, i int) []byte {
	null := c.IsNull(i)
	if !c.Type.NotNull {
		if null {
			dst = append(dst, 0)
		} else {
			dst = append(dst, 1)
		}
	}
	if null {
		return append(dst, zeroes[:KeyBytes(c.Type)]...) // none for text
	}
	if c.Dict != nil {
		c, i = c.Dict, int(c.Codes[i])
	}
	layout := columnar.LayoutOf(c.Type)
	if layout == columnar.Str {
		return appendEscaped(dst, c.Data[c.Off[i]:c.Off[i+1]])
	}
	hi, lo, width := fixedKey(c, layout, i)
	if width > 8 {
		dst = binary.BigEndian.AppendUint64(dst, hi)
		hi, width = lo, width-8
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], hi)
	return append(dst, b[:width]...)
}

// fixedKey is the normalised value of slot i, width bytes from the top of hi:lo.
func fixedKey(c *columnar.Vector, layout columnar.Layout, i int) (hi, lo uint64, width int) {
	const top = 1 << 63
	switch layout {
	case columnar.I32:
		w := KeyBytes(c.Type)
		return (uint64(c.I32[i]) << (64 - 8*w)) ^ flip(c.Type.Kind), 0, w
	case columnar.I64:
		return uint64(c.I64[i]) ^ top, 0, 8
	case columnar.F32:
		return uint64(columnar.FloatRank32(c.F32[i])) << 32, 0, 4
	case columnar.F64:
		return columnar.FloatRank64(c.F64[i]), 0, 8
	case columnar.D128:
		return uint64(c.D128[i].Hi) ^ top, c.D128[i].Lo, 16
	case columnar.T96:
		return uint64(c.I64[i]) ^ top, uint64(uint32(c.I32[i])) << 32, 12
	}
	panic(fmt.Sprintf("row: key of nested type %v", c.Type.Kind))
}

func flip(k types.Kind) uint64 {
	if k == types.Boolean {
		return 0
	}
	return 1 << 63
}

// KeyBytes is the width of a normalised value without its null byte; 0 for text and bytes.
func KeyBytes(t types.Type) int {
	switch t.Kind {
	case types.Boolean, types.TinyInt:
		return 1
	case types.SmallInt:
		return 2
	}
	switch columnar.LayoutOf(t) {
	case columnar.I32, columnar.F32:
		return 4
	case columnar.I64, columnar.F64:
		return 8
	case columnar.D128:
		return 16
	case columnar.T96:
		return 12
	}
	return 0
}

func appendEscaped(dst, b []byte) []byte {
	if bytes.IndexByte(b, 0) < 0 {
		return append(append(dst, b...), 0, 0)
	}
	for _, x := range b {
		if x == 0 {
			dst = append(dst, 0, 0xff)
		} else {
			dst = append(dst, x)
		}
	}
	return append(dst, 0, 0)
}
