package schema

import (
	"errors"
	"unicode/utf8"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// toText casts anything to CHAR or VARCHAR.
func toText(src *columnar.Vector, to types.Type) *columnar.Vector {
	out := &columnar.Vector{Type: to, N: src.N, Valid: src.Valid, Off: make([]int32, 1, src.N+1)}
	fit := src.Type.Text() || numberKind(src.Type.Kind) || src.Type.Kind == types.Boolean
	for i := range src.N {
		if !src.IsNull(i) {
			from := len(out.Data)
			out.Data = appendSlot(out.Data, src, i)
			if fit {
				out.Data = fitText(out.Data, from, to)
			}
		}
		out.Off = append(out.Off, int32(len(out.Data)))
	}
	return out
}

// fitText cuts the text behind from to the length of the type, in characters,
// and fills CHAR up with blanks.
func fitText(b []byte, from int, to types.Type) []byte {
	if to.Kind == types.VarChar && len(b)-from <= to.Length {
		return b
	}
	chars, at := 0, from
	for at < len(b) && chars < to.Length {
		_, size := utf8.DecodeRune(b[at:])
		at += size
		chars++
	}
	b = b[:at]
	if to.Kind == types.Char {
		for ; chars < to.Length; chars++ {
			b = append(b, ' ')
		}
	}
	return b
}

// toBinary casts text and bytes to BINARY or VARBINARY: cut to the length, and
// BINARY filled up with zeros.
func toBinary(src *columnar.Vector, to types.Type) *columnar.Vector {
	out := &columnar.Vector{Type: to, N: src.N, Valid: src.Valid, Off: make([]int32, 1, src.N+1)}
	for i := range src.N {
		if !src.IsNull(i) {
			value := src.Bytes(i)
			value = value[:min(len(value), to.Length)]
			out.Data = append(out.Data, value...)
			if to.Kind == types.Binary {
				out.Data = append(out.Data, make([]byte, to.Length-len(value))...)
			}
		}
		out.Off = append(out.Off, int32(len(out.Data)))
	}
	return out
}

// fromText casts text to flat types that are neither text nor bytes.
func fromText(src *columnar.Vector, to types.Type) (*columnar.Vector, error) {
	out := columnar.NewVector(to, src.N)
	for i := range src.N {
		if src.IsNull(i) {
			out.AppendNull()
			continue
		}
		v, err := parseValue(to, text(src.Bytes(i)))
		switch {
		case err == nil:
			out.AppendValue(v)
		case errors.Is(err, ErrOutOfRange) && to.Kind == types.Decimal:
			out.AppendNull()
		case errors.Is(err, ErrOutOfRange) && (to.Kind == types.Float || to.Kind == types.Double):
			out.AppendValue(v) // an infinity or the nearest that there is
		default:
			_, err := ParseValue(to, string(src.Bytes(i)))
			return nil, err
		}
	}
	return out, nil
}
