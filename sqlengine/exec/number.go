package exec

import (
	"encoding/binary"
	"math"

	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// CanNumber reports whether values of the type can be keys: flat types can.
func CanNumber(t types.Type) bool {
	switch columnar.LayoutOf(t) {
	case columnar.List, columnar.Struct, columnar.Fixed:
		return false
	}
	return true
}

// numberer gives the distinct values of one column numbers from 1; null is 0.
// Values are the same when SQL holds them equal: -0.0 is 0.0, floats that are not
// finite are null, timestamps count to the microsecond, text goes by its bytes.
type numberer struct {
	ints  *intTable
	text  *KeyTable
	dict  *columnar.Vector // of the last batch
	codes []uint32         // number+1 by code of dict, 0 where not seen
	one   [1]uint16
	id    [1]uint32
	buf   [16]byte
}

func newNumberer(t types.Type) *numberer {
	switch columnar.LayoutOf(t) {
	case columnar.Str, columnar.D128:
		return &numberer{text: NewKeyTable()}
	}
	return &numberer{ints: newIntTable()}
}

func (c *numberer) bytes() int64 {
	if c.text != nil {
		return c.text.Bytes()
	}
	return c.ints.bytes()
}

// number appends the numbers of slots sel of v to out[:0].
func (c *numberer) number(v *columnar.Vector, sel []uint16, out []uint32) []uint32 {
	out = out[:0]
	if v.Dict != nil {
		return c.coded(v, sel, out)
	}
	switch columnar.LayoutOf(v.Type) {
	case columnar.I32:
		return numberInts(c.ints, v, v.I32, sel, out)
	case columnar.I64:
		return numberInts(c.ints, v, v.I64, sel, out)
	case columnar.F32:
		for _, i := range sel {
			out = append(out, c.float(v, int(i), float64(v.F32[i])))
		}
	case columnar.F64:
		for _, i := range sel {
			out = append(out, c.float(v, int(i), v.F64[i]))
		}
	case columnar.T96:
		for _, i := range sel {
			if v.IsNull(int(i)) {
				out = append(out, 0)
				continue
			}
			out = append(out, 1+c.ints.insert(uint64(expr.Micros(v, int(i))), uint32(c.ints.n)))
		}
	case columnar.D128:
		for _, i := range sel {
			if v.IsNull(int(i)) {
				out = append(out, 0)
				continue
			}
			binary.LittleEndian.PutUint64(c.buf[:], v.D128[i].Lo)
			binary.LittleEndian.PutUint64(c.buf[8:], uint64(v.D128[i].Hi))
			n, _ := c.text.Insert(c.buf[:])
			out = append(out, uint32(n)+1)
		}
	default:
		for _, i := range sel {
			if v.IsNull(int(i)) {
				out = append(out, 0)
				continue
			}
			n, _ := c.text.Insert(v.Data[v.Off[i]:v.Off[i+1]])
			out = append(out, uint32(n)+1)
		}
	}
	return out
}

func numberInts[T int32 | int64](t *intTable, v *columnar.Vector, vals []T, sel []uint16, out []uint32) []uint32 {
	if v.Valid == nil {
		for _, i := range sel {
			out = append(out, 1+t.insert(uint64(vals[i]), uint32(t.n)))
		}
		return out
	}
	for _, i := range sel {
		if v.IsNull(int(i)) {
			out = append(out, 0)
			continue
		}
		out = append(out, 1+t.insert(uint64(vals[i]), uint32(t.n)))
	}
	return out
}

func (c *numberer) float(v *columnar.Vector, i int, f float64) uint32 {
	if f-f != 0 || v.IsNull(i) {
		return 0
	}
	return 1 + c.ints.insert(math.Float64bits(f+0), uint32(c.ints.n)) // -0 + 0 is 0
}

// coded looks every code of a dictionary up once.
func (c *numberer) coded(v *columnar.Vector, sel []uint16, out []uint32) []uint32 {
	if v.Dict != c.dict {
		c.dict = v.Dict
		c.codes = append(c.codes[:0], make([]uint32, v.Dict.N)...)
	}
	for _, i := range sel {
		if v.IsNull(int(i)) {
			out = append(out, 0)
			continue
		}
		code := v.Codes[i]
		if c.codes[code] == 0 {
			c.one[0] = uint16(code)
			if code > math.MaxUint16 { // beyond what a selection can name
				part := *v.Dict
				w := columnar.NewVector(part.Type, 1)
				columnar.AppendRange(w, &part, int(code), int(code)+1)
				c.one[0] = 0
				c.number(w, c.one[:], c.id[:0])
			} else {
				c.number(v.Dict, c.one[:], c.id[:0])
			}
			c.codes[code] = c.id[0] + 1
		}
		out = append(out, c.codes[code]-1)
	}
	return out
}
