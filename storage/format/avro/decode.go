package avro

import (
	"encoding/binary"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format/avroschema"
)

// run moves one record, or one value for each step of a list entry, from the
// cursor into the vectors of ops. The commonest steps are done here, without the
// vectors' bookkeeping while a vector has no null.
func (c *cursor) run(ops []op) {
	for i := range ops {
		o := &ops[i]
		if o.null != avroschema.NoUnion && c.isNull(o) {
			continue
		}
		v := o.v
		switch o.code {
		case opInt:
			x := c.long()
			if x < int64(o.lo) || x > int64(o.hi) {
				c.fail("int %d is outside its type", x)
				x = 0
			}
			if v.Valid != nil {
				v.AppendI32(int32(x))
				continue
			}
			v.I32 = append(v.I32, int32(x))
			v.N++
		case opLong:
			x := c.long()
			if v.Valid != nil {
				v.AppendI64(x)
				continue
			}
			v.I64 = append(v.I64, x)
			v.N++
		case opStr:
			x := c.bytes()
			if v.Valid != nil {
				v.AppendBytes(x)
				continue
			}
			v.Data = append(v.Data, x...)
			v.Off = append(v.Off, int32(len(v.Data)))
			v.N++
		default:
			c.step(o)
		}
	}
}

// isNull reads the branch of a union and, if it is null's, appends the null.
func (c *cursor) isNull(o *op) bool {
	branch := c.long()
	if branch>>1 != 0 {
		c.fail("branch %d of a union of two", branch)
		return true
	}
	if int8(branch) != o.null {
		return false
	}
	if o.required {
		c.fail("null key, count or part of a variant")
	}
	if o.code != opSkip {
		o.v.AppendNull()
	}
	return true
}

func (c *cursor) step(o *op) {
	v := o.v
	switch o.code {
	case opSkip:
		c.skip(o.node)
	case opMissing:
		if o.required {
			c.fail("null key, count or part of a variant")
		}
		v.AppendNull()
	case opBool:
		v.AppendI32(c.boolean())
	case opTimeUp:
		x := c.long()
		y := x * o.factor
		if y/o.factor != x {
			c.fail("timestamp %d is out of range", x)
		}
		v.AppendI64(y)
	case opTimeDown:
		x, _ := floorDiv(c.long(), o.factor)
		v.AppendI64(x)
	case opTime96:
		ms, rest := floorDiv(c.long(), o.factor)
		v.AppendT96(ms, int32(rest*(1_000_000/o.factor)))
	case opFloat:
		v.AppendF32(c.float())
	case opDouble:
		v.AppendF64(c.double())
	case opDoubleOfFloat:
		v.AppendF64(float64(c.float()))
	case opFixed:
		v.AppendBytes(c.take(o.size))
	case opDecimal, opWideDecimal:
		c.decimal(o)
	default:
		c.nested(o)
	}
}

func floorDiv(x, d int64) (q, r int64) {
	q, r = x/d, x%d
	if r < 0 {
		q, r = q-1, r+d
	}
	return q, r
}

func (c *cursor) decimal(o *op) {
	var b []byte
	if o.size >= 0 {
		b = c.take(o.size)
	} else {
		b = c.bytes()
	}
	if o.code == opDecimal && len(b) > 0 && len(b) <= 8 {
		x := int64(int8(b[0]))
		for _, c := range b[1:] {
			x = x<<8 | int64(c)
		}
		if limit := int64(o.limit.Lo); x > -limit && x < limit { // 10^18 at the most
			o.v.AppendI64(x)
			return
		}
	}
	d, ok := int128Of(b)
	if !ok || d.Compare(o.limit) >= 0 || negate(d).Compare(o.limit) >= 0 {
		c.fail("decimal of %d bytes has too many digits", len(b))
		d = columnar.Int128{}
	}
	if o.code == opDecimal {
		o.v.AppendI64(int64(d.Lo))
	} else {
		o.v.AppendD128(d)
	}
}

// int128Of reads a big-endian two's complement number; false if it needs more
// than 128 bits or has none.
func int128Of(b []byte) (columnar.Int128, bool) {
	if len(b) == 0 {
		return columnar.Int128{}, false
	}
	sign := uint64(int64(int8(b[0])) >> 63)
	for len(b) > 16 { // sign extension may be dropped
		if b[0] != byte(sign) || (b[1]^b[0])&0x80 != 0 {
			return columnar.Int128{}, false
		}
		b = b[1:]
	}
	var full [16]byte
	binary.BigEndian.PutUint64(full[:], sign)
	binary.BigEndian.PutUint64(full[8:], sign)
	copy(full[16-len(b):], b)
	return columnar.Int128{Hi: int64(binary.BigEndian.Uint64(full[:])), Lo: binary.BigEndian.Uint64(full[8:])}, true
}

func negate(d columnar.Int128) columnar.Int128 {
	lo := -d.Lo
	hi := ^d.Hi
	if lo == 0 {
		hi++
	}
	return columnar.Int128{Lo: lo, Hi: hi}
}

func (c *cursor) nested(o *op) {
	switch o.code {
	case opRecord:
		c.run(o.sub)
	case opArray, opEntries, opVector, opMap:
		total := 0
		for c.err == nil {
			n := c.blockCount(o.minItem)
			if n == 0 {
				break
			}
			total += n
			if o.code == opVector && total > o.v.Type.Length {
				break
			}
			for ; n > 0 && c.err == nil; n-- {
				c.run(o.sub)
			}
		}
		if o.code == opVector && total != o.v.Type.Length {
			c.fail("vector has %d elements or more, want %d", total, o.v.Type.Length)
		}
	}
	if c.err == nil {
		o.v.EndList()
	}
}
