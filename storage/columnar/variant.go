package columnar

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lakesql/lakesql/internal/corrupt"
)

// A VARIANT value is two byte strings, value and metadata, in Parquet's variant
// encoding (version 1). The metadata is a dictionary of object keys; a value is
// a header byte, whose low two bits say what it is, and content:
//
//	0 primitive   type in the upper six bits, content by type
//	1 short text  length in the upper six bits
//	2 object      size, key ids (sorted by key), offsets (size+1), fields
//	3 array       size, offsets (size+1), elements

// variant primitive types.
const (
	vNull = iota
	vTrue
	vFalse
	vInt8
	vInt16
	vInt32
	vInt64
	vDouble
	vDecimal4
	vDecimal8
	vDecimal16
	vDate
	vTimestamp
	vTimestampNTZ
	vFloat
	vBinary
	vString
	vUUID = 20
)

// maxVariantDepth bounds the nesting of a variant that we decode.
const maxVariantDepth = 1000

// AppendVariantJSON appends a VARIANT as JSON text: object keys in byte order,
// decimals without trailing zeros, dates, times, binaries (0x…) and UUIDs as
// strings, floats that are not finite as strings.
func AppendVariantJSON(dst, value, metadata []byte) ([]byte, error) {
	keys, err := variantKeys(metadata)
	if err != nil {
		return dst, err
	}
	return appendVariant(dst, value, keys, 0)
}

func variantFault(format string, args ...any) error {
	return corrupt.Errorf("", corrupt.NoOffset, "variant: "+format, args...)
}

// uintLE reads a little-endian unsigned integer of size bytes, false past the end.
func uintLE(b []byte, at, size int) (int, bool) {
	if at < 0 || at+size > len(b) {
		return 0, false
	}
	n := 0
	for i := size - 1; i >= 0; i-- {
		n = n<<8 | int(b[at+i])
	}
	return n, true
}

func variantKeys(m []byte) ([]string, error) {
	if len(m) < 1 || m[0]&0x0f != 1 {
		return nil, variantFault("metadata version is not 1")
	}
	width := int(m[0]>>6) + 1
	n, ok := uintLE(m, 1, width)
	base := 1 + width*(n+2)
	if !ok || n > len(m) || base > len(m) {
		return nil, variantFault("metadata is cut")
	}
	keys := make([]string, n)
	for i := range keys {
		from, _ := uintLE(m, 1+width*(i+1), width)
		to, _ := uintLE(m, 1+width*(i+2), width)
		if from > to || base+to > len(m) {
			return nil, variantFault("key %d lies outside the metadata", i)
		}
		keys[i] = string(m[base+from : base+to])
	}
	return keys, nil
}

func appendVariant(dst, v []byte, keys []string, depth int) ([]byte, error) {
	if len(v) == 0 {
		return dst, variantFault("value is cut")
	}
	if depth > maxVariantDepth {
		return dst, variantFault("nested deeper than %d", maxVariantDepth)
	}
	info := int(v[0] >> 2)
	switch v[0] & 3 {
	case 0:
		return appendPrimitive(dst, info, v[1:])
	case 1:
		if 1+info > len(v) {
			return dst, variantFault("text is cut")
		}
		return AppendJSONString(dst, v[1:1+info]), nil
	case 2:
		return appendObject(dst, info, v, keys, depth)
	}
	return appendArray(dst, info, v, keys, depth)
}

func appendObject(dst []byte, info int, v []byte, keys []string, depth int) ([]byte, error) {
	offWidth, idWidth, sizeWidth := info&3+1, info>>2&3+1, 1
	if info>>4&1 == 1 {
		sizeWidth = 4
	}
	n, ok := uintLE(v, 1, sizeWidth)
	ids := 1 + sizeWidth
	offs := ids + n*idWidth
	data := offs + (n+1)*offWidth
	if !ok || n > len(v) || data > len(v) {
		return dst, variantFault("object is cut")
	}
	type member struct {
		key string
		at  int
	}
	members := make([]member, n)
	for i := range members {
		id, _ := uintLE(v, ids+i*idWidth, idWidth)
		off, _ := uintLE(v, offs+i*offWidth, offWidth)
		if id >= len(keys) || data+off > len(v) {
			return dst, variantFault("object member %d lies outside", i)
		}
		members[i] = member{keys[id], data + off}
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
	dst = append(dst, '{')
	var err error
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendJSONString(dst, []byte(m.key)), ':')
		if dst, err = appendVariant(dst, v[m.at:], keys, depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func appendArray(dst []byte, info int, v []byte, keys []string, depth int) ([]byte, error) {
	offWidth, sizeWidth := info&3+1, 1
	if info>>2&1 == 1 {
		sizeWidth = 4
	}
	n, ok := uintLE(v, 1, sizeWidth)
	offs := 1 + sizeWidth
	data := offs + (n+1)*offWidth
	if !ok || n > len(v) || data > len(v) {
		return dst, variantFault("array is cut")
	}
	dst = append(dst, '[')
	var err error
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		off, _ := uintLE(v, offs+i*offWidth, offWidth)
		if data+off > len(v) {
			return dst, variantFault("array element %d lies outside", i)
		}
		if dst, err = appendVariant(dst, v[data+off:], keys, depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// primitiveWidth is the content length of each fixed-width primitive.
var primitiveWidth = [...]int{
	vNull: 0, vTrue: 0, vFalse: 0, vInt8: 1, vInt16: 2, vInt32: 4, vInt64: 8, vDouble: 8,
	vDecimal4: 5, vDecimal8: 9, vDecimal16: 17, vDate: 4, vTimestamp: 8, vTimestampNTZ: 8, vFloat: 4,
	vBinary: 4, vString: 4, 17: -1, 18: -1, 19: -1, vUUID: 16,
}

func appendPrimitive(dst []byte, kind int, c []byte) ([]byte, error) {
	if kind >= len(primitiveWidth) || primitiveWidth[kind] < 0 {
		return dst, variantFault("unknown primitive type %d", kind)
	}
	if len(c) < primitiveWidth[kind] {
		return dst, variantFault("value is cut")
	}
	le := binary.LittleEndian
	switch kind {
	case vNull:
		return append(dst, "null"...), nil
	case vTrue, vFalse:
		return strconv.AppendBool(dst, kind == vTrue), nil
	case vInt8:
		return strconv.AppendInt(dst, int64(int8(c[0])), 10), nil
	case vInt16:
		return strconv.AppendInt(dst, int64(int16(le.Uint16(c))), 10), nil
	case vInt32:
		return strconv.AppendInt(dst, int64(int32(le.Uint32(c))), 10), nil
	case vInt64:
		return strconv.AppendInt(dst, int64(le.Uint64(c)), 10), nil
	case vDouble:
		return appendFloatJSON(dst, math.Float64frombits(le.Uint64(c)), 64), nil
	case vFloat:
		return appendFloatJSON(dst, float64(math.Float32frombits(le.Uint32(c))), 32), nil
	case vDecimal4:
		return appendPlainDecimal(dst, big.NewInt(int64(int32(le.Uint32(c[1:])))), int(c[0])), nil
	case vDecimal8:
		return appendPlainDecimal(dst, big.NewInt(int64(le.Uint64(c[1:]))), int(c[0])), nil
	case vDecimal16:
		return appendPlainDecimal(dst, Int128{Lo: le.Uint64(c[1:]), Hi: int64(le.Uint64(c[9:]))}.Big(), int(c[0])), nil
	case vDate:
		t := time.Unix(int64(int32(le.Uint32(c)))*86400, 0).UTC()
		return append(t.AppendFormat(append(dst, '"'), "2006-01-02"), '"'), nil
	case vTimestamp, vTimestampNTZ:
		dst = time.UnixMicro(int64(le.Uint64(c))).UTC().AppendFormat(append(dst, '"'), "2006-01-02 15:04:05.000000")
		if kind == vTimestamp {
			dst = append(dst, 'Z')
		}
		return append(dst, '"'), nil
	case vUUID:
		h := hex.EncodeToString(c[:16])
		return fmt.Appendf(dst, `"%s-%s-%s-%s-%s"`, h[:8], h[8:12], h[12:16], h[16:20], h[20:]), nil
	}
	n := int(le.Uint32(c))
	if n < 0 || 4+n > len(c) {
		return dst, variantFault("value is cut")
	}
	if kind == vBinary {
		return append(hex.AppendEncode(append(dst, `"0x`...), c[4:4+n]), '"'), nil
	}
	return AppendJSONString(dst, c[4:4+n]), nil
}

func appendFloatJSON(dst []byte, f float64, size int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, size)
}

// Big is the integer as a big.Int.
func (d Int128) Big() *big.Int {
	x := new(big.Int).Lsh(big.NewInt(d.Hi), 64)
	return x.Add(x, new(big.Int).SetUint64(d.Lo))
}

// Int128FromBig converts an integer that fits in 128 bits; false if it does not.
func Int128FromBig(x *big.Int) (Int128, bool) {
	if x.BitLen() > 127 {
		return Int128{}, false
	}
	var b [16]byte
	abs := new(big.Int).Abs(x)
	abs.FillBytes(b[:])
	d := Int128{Hi: int64(binary.BigEndian.Uint64(b[:8])), Lo: binary.BigEndian.Uint64(b[8:])}
	if x.Sign() < 0 {
		d.Lo = -d.Lo
		d.Hi = ^d.Hi
		if d.Lo == 0 {
			d.Hi++
		}
	}
	return d, true
}

// appendPlainDecimal appends a decimal in plain digits without trailing zeros.
func appendPlainDecimal(dst []byte, unscaled *big.Int, scale int) []byte {
	s := unscaled.String()
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	if len(s) <= scale {
		s = strings.Repeat("0", scale-len(s)+1) + s
	}
	whole, frac := s[:len(s)-scale], strings.TrimRight(s[len(s)-scale:], "0")
	if neg {
		dst = append(dst, '-')
	}
	dst = append(dst, whole...)
	if frac != "" {
		dst = append(append(dst, '.'), frac...)
	}
	return dst
}

// AppendJSONString appends text as a JSON string that escapes only what JSON requires.
func AppendJSONString(dst, s []byte) []byte {
	dst = append(dst, '"')
	for _, c := range s {
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			if c < 0x20 {
				dst = fmt.Appendf(dst, `\u%04x`, c)
			} else {
				dst = append(dst, c)
			}
		}
	}
	return append(dst, '"')
}
