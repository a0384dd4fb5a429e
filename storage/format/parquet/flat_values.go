package parquet

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/lakesql/lakesql/storage/columnar"
)

func (c *flatColumn) decodeValues(e encoding, n, valid int, body []byte) error {
	if e == encPlainDict || e == encRLEDict {
		return c.decodeCodes(n, valid, body)
	}
	if err := c.mem.vals.decode(c.leaf.typ, e, valid, body, c.ft.own); err != nil {
		return err
	}
	if err := c.conv.apply(&c.page, &c.mem.own, &c.mem.vals); err != nil {
		return err
	}
	if valid < n {
		c.spreadNulls(n)
	}
	return nil
}

func (c *flatColumn) decodeCodes(n, valid int, body []byte) error {
	if valid > 0 && c.dict == nil {
		return badf("page of codes without a dictionary")
	}
	c.mem.dense = resize(c.mem.dense, valid)
	if valid > 0 {
		if len(body) < 1 {
			return badf("page of codes without bit width")
		}
		if err := decodeHybrid(c.mem.dense, body[1:], uint(body[0])); err != nil {
			return err
		}
		if top := maxCode(c.mem.dense); top >= uint32(c.dict.N) {
			return badf("code %d in a dictionary of %d", top, c.dict.N)
		}
	}
	codes := c.mem.dense
	if valid < n {
		c.mem.codes = resize(c.mem.codes, n)
		spread(c.mem.codes, c.mem.dense, c.mem.valid, n)
		codes = c.mem.codes
	}
	c.page.Codes, c.page.Dict, c.page.Valid = nil, nil, nil
	if c.keepDict && c.dict != nil && c.dict.N > 0 {
		c.page.Codes, c.page.Dict = codes, c.dict
		return nil
	}
	var nulls []uint64
	if valid < n {
		nulls = c.mem.valid
	}
	return c.lookUp(codes, nulls)
}

func maxCode(codes []int32) uint32 {
	var top uint32
	for _, c := range codes {
		top = max(top, uint32(c))
	}
	return top
}

// lookUp replaces codes by their values. valid is nil without nulls.
func (c *flatColumn) lookUp(codes []int32, valid []uint64) error {
	p, own, dict := &c.page, &c.mem.own, c.dict
	if dict == nil || dict.N == 0 { // all are null
		dict = columnar.NewVector(c.conv.t, 1)
		dict.AppendNull()
	}
	switch c.conv.lay {
	case columnar.I32:
		p.I32 = take(&own.I32, dict.I32, codes, valid)
	case columnar.I64:
		p.I64 = take(&own.I64, dict.I64, codes, valid)
	case columnar.F32:
		p.F32 = take(&own.F32, dict.F32, codes, valid)
	case columnar.F64:
		p.F64 = take(&own.F64, dict.F64, codes, valid)
	case columnar.D128:
		p.D128 = take(&own.D128, dict.D128, codes, valid)
	case columnar.T96:
		p.I64 = take(&own.I64, dict.I64, codes, valid)
		p.I32 = take(&own.I32, dict.I32, codes, valid)
	case columnar.Str:
		return takeText(p, own, dict, codes, valid)
	}
	return nil
}

func take[T any](own *[]T, dict []T, codes []int32, valid []uint64) []T {
	*own = resize(*own, len(codes))
	out := *own
	for i, code := range codes {
		out[i] = dict[code]
	}
	if valid != nil {
		var zero T
		eachNull(valid, len(codes), func(i int) { out[i] = zero })
	}
	return out
}

// eachNull calls f for the slots that are null.
func eachNull(valid []uint64, n int, f func(i int)) {
	for w, word := range valid {
		for word = ^word; word != 0; word &= word - 1 {
			if i := w<<6 + bits.TrailingZeros64(word); i < n {
				f(i)
			}
		}
	}
}

func takeText(p, own, dict *columnar.Vector, codes []int32, valid []uint64) error {
	own.Off = resize(own.Off, len(codes)+1)
	off := own.Off
	total := 0
	off[0] = 0
	for i, code := range codes {
		if valid == nil || valid[i>>6]>>(uint(i)&63)&1 != 0 {
			total += int(dict.Off[code+1] - dict.Off[code])
		}
		if total > math.MaxInt32-slack {
			return fmt.Errorf("a page holds more than 2 GiB of text")
		}
		off[i+1] = int32(total)
	}
	if cap(own.Data) < total+slack {
		own.Data = make([]byte, total+total/4+slack)
	}
	out, src := own.Data[:cap(own.Data)], dict.Data[:cap(dict.Data)]
	for i, code := range codes {
		q, n := int(off[i]), int(off[i+1]-off[i])
		s := int(dict.Off[code])
		if n <= 16 && s+16 <= len(src) {
			*(*[16]byte)(out[q:]) = *(*[16]byte)(src[s:])
		} else {
			copy(out[q:q+n], src[s:])
		}
	}
	p.Off, p.Data = off, out[:total]
	return nil
}

// spreadNulls moves the page's dense values apart, so that each lies in its row;
// rows without one hold zeros.
func (c *flatColumn) spreadNulls(n int) {
	p, s := &c.page, &c.mem.spread
	switch c.conv.lay {
	case columnar.I32:
		s.I32 = resize(s.I32, n)
		spread(s.I32, p.I32, c.mem.valid, n)
		p.I32 = s.I32
	case columnar.I64:
		s.I64 = resize(s.I64, n)
		spread(s.I64, p.I64, c.mem.valid, n)
		p.I64 = s.I64
	case columnar.F32:
		s.F32 = resize(s.F32, n)
		spread(s.F32, p.F32, c.mem.valid, n)
		p.F32 = s.F32
	case columnar.F64:
		s.F64 = resize(s.F64, n)
		spread(s.F64, p.F64, c.mem.valid, n)
		p.F64 = s.F64
	case columnar.D128:
		s.D128 = resize(s.D128, n)
		spread(s.D128, p.D128, c.mem.valid, n)
		p.D128 = s.D128
	case columnar.T96:
		s.I64, s.I32 = resize(s.I64, n), resize(s.I32, n)
		spread(s.I64, p.I64, c.mem.valid, n)
		spread(s.I32, p.I32, c.mem.valid, n)
		p.I64, p.I32 = s.I64, s.I32
	case columnar.Str:
		s.Off = resize(s.Off, n+1)
		k := 0
		for i := range n {
			s.Off[i] = p.Off[k]
			k += int(c.mem.valid[i>>6] >> (uint(i) & 63) & 1)
		}
		s.Off[n] = p.Off[k]
		p.Off = s.Off
	}
	p.N = n
}

// spread puts the values of src into the slots of dst that valid has, zeros elsewhere.
func spread[T any](dst, src []T, valid []uint64, n int) {
	k := 0
	for w := 0; w<<6 < n; w++ {
		word := valid[w]
		at := w << 6
		m := min(64, n-at)
		switch {
		case word == ^uint64(0) && m == 64:
			k += copy(dst[at:at+64], src[k:])
		case word == 0:
			clear(dst[at : at+m])
		default:
			var zero T
			for i := range m {
				if word>>uint(i)&1 != 0 {
					dst[at+i] = src[k]
					k++
				} else {
					dst[at+i] = zero
				}
			}
		}
	}
}
