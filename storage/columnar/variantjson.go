package columnar

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// maxVariantBytes is the longest VARIANT value and dictionary that Paimon's readers
// take.
const maxVariantBytes = 128 << 20

// VariantFromJSON encodes JSON text as a VARIANT: integers in the fewest bytes,
// numbers with a point and at most 38 digits as decimals, others as doubles. Of
// members with one name the last counts.
func VariantFromJSON(text []byte) (value, metadata []byte, err error) {
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return nil, nil, fmt.Errorf("parse JSON text: %w", err)
	}
	if dec.More() {
		return nil, nil, errors.New("parse JSON text: more than one value")
	}
	return EncodeVariant(doc)
}

// EncodeVariant is VariantFromJSON of decoded JSON, with numbers as json.Number.
func EncodeVariant(doc any) (value, metadata []byte, err error) {
	b := variantBuilder{ids: map[string]int{}}
	if value, err = b.append(nil, doc, 0); err != nil {
		return nil, nil, err
	}
	metadata = b.metadata()
	if len(value) > maxVariantBytes || len(metadata) > maxVariantBytes {
		return nil, nil, fmt.Errorf("a variant of %d bytes is longer than %d", max(len(value), len(metadata)), maxVariantBytes)
	}
	return value, metadata, nil
}

// variantBuilder numbers the keys of one VARIANT.
type variantBuilder struct {
	ids  map[string]int
	keys []string
}

func (b *variantBuilder) metadata() []byte {
	size := 0
	for _, k := range b.keys {
		size += len(k)
	}
	width := uintWidth(max(size, len(b.keys)))
	m := append([]byte{1 | byte(width-1)<<6}, leBytes(len(b.keys), width)...)
	at := 0
	m = append(m, leBytes(at, width)...)
	for _, k := range b.keys {
		at += len(k)
		m = append(m, leBytes(at, width)...)
	}
	for _, k := range b.keys {
		m = append(m, k...)
	}
	return m
}

func uintWidth(n int) int {
	switch {
	case n < 1<<8:
		return 1
	case n < 1<<16:
		return 2
	case n < 1<<24:
		return 3
	}
	return 4
}

func leBytes(n, width int) []byte {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	return b[:width]
}

func (b *variantBuilder) append(dst []byte, doc any, depth int) ([]byte, error) {
	if depth > maxVariantDepth {
		return nil, fmt.Errorf("a variant is nested deeper than %d", maxVariantDepth)
	}
	switch x := doc.(type) {
	case nil:
		return append(dst, vNull<<2), nil
	case bool:
		if x {
			return append(dst, vTrue<<2), nil
		}
		return append(dst, vFalse<<2), nil
	case string:
		if len(x) < 64 {
			return append(append(dst, byte(len(x))<<2|1), x...), nil
		}
		dst = append(append(dst, vString<<2), leBytes(len(x), 4)...)
		return append(dst, x...), nil
	case json.Number:
		return appendNumber(dst, x.String())
	case []any:
		return b.array(dst, x, depth)
	case map[string]any:
		return b.object(dst, x, depth)
	}
	return nil, fmt.Errorf("variant of %T", doc)
}

func appendNumber(dst []byte, text string) ([]byte, error) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		switch {
		case int64(int8(i)) == i:
			return append(dst, vInt8<<2, byte(i)), nil
		case int64(int16(i)) == i:
			return binary.LittleEndian.AppendUint16(append(dst, vInt16<<2), uint16(i)), nil
		case int64(int32(i)) == i:
			return binary.LittleEndian.AppendUint32(append(dst, vInt32<<2), uint32(i)), nil
		}
		return binary.LittleEndian.AppendUint64(append(dst, vInt64<<2), uint64(i)), nil
	}
	digits := strings.TrimPrefix(text, "-")
	whole, frac, _ := strings.Cut(digits, ".")
	if !strings.ContainsAny(text, "eE") && len(whole)+len(frac) <= 38 {
		u, ok := new(big.Int).SetString(strings.Replace(text, ".", "", 1), 10)
		if d, fits := Int128FromBig(u); ok && fits {
			return appendDecimal(dst, d, u, len(frac)), nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("number %s is out of range", text)
	}
	return binary.LittleEndian.AppendUint64(append(dst, vDouble<<2), math.Float64bits(f)), nil
}

func appendDecimal(dst []byte, d Int128, u *big.Int, scale int) []byte {
	le := binary.LittleEndian
	switch n := u.BitLen(); {
	case n < 30 && scale <= 9: // at most nine digits
		return le.AppendUint32(append(dst, vDecimal4<<2, byte(scale)), uint32(d.Lo))
	case n < 60 && scale <= 18: // at most 18 digits
		return le.AppendUint64(append(dst, vDecimal8<<2, byte(scale)), d.Lo)
	}
	dst = le.AppendUint64(append(dst, vDecimal16<<2, byte(scale)), d.Lo)
	return le.AppendUint64(dst, uint64(d.Hi))
}

func (b *variantBuilder) array(dst []byte, x []any, depth int) ([]byte, error) {
	var data []byte
	offs := make([]int, 0, len(x)+1)
	var err error
	for _, e := range x {
		offs = append(offs, len(data))
		if data, err = b.append(data, e, depth+1); err != nil {
			return nil, err
		}
	}
	offs = append(offs, len(data))
	sizeWidth, large := countWidth(len(x))
	width := uintWidth(len(data))
	dst = append(dst, byte(large<<2|(width-1))<<2|3)
	dst = append(dst, leBytes(len(x), sizeWidth)...)
	for _, o := range offs {
		dst = append(dst, leBytes(o, width)...)
	}
	return append(dst, data...), nil
}

func countWidth(n int) (width, large int) {
	if n > math.MaxUint8 {
		return 4, 1
	}
	return 1, 0
}

func (b *variantBuilder) object(dst []byte, x map[string]any, depth int) ([]byte, error) {
	keys := make([]string, 0, len(x))
	for k := range x {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var data []byte
	var err error
	ids, offs := make([]int, len(keys)), make([]int, 0, len(keys)+1)
	maxID := 0
	for i, k := range keys {
		id, ok := b.ids[k]
		if !ok {
			id = len(b.keys)
			b.ids[k] = id
			b.keys = append(b.keys, k)
		}
		ids[i], maxID = id, max(maxID, id)
		offs = append(offs, len(data))
		if data, err = b.append(data, x[k], depth+1); err != nil {
			return nil, err
		}
	}
	offs = append(offs, len(data))
	sizeWidth, large := countWidth(len(keys))
	idWidth, offWidth := uintWidth(maxID), uintWidth(len(data))
	dst = append(dst, byte(large<<4|(idWidth-1)<<2|(offWidth-1))<<2|2)
	dst = append(dst, leBytes(len(keys), sizeWidth)...)
	for _, id := range ids {
		dst = append(dst, leBytes(id, idWidth)...)
	}
	for _, o := range offs {
		dst = append(dst, leBytes(o, offWidth)...)
	}
	return append(dst, data...), nil
}
