package avro

import (
	"encoding/binary"

	"github.com/lakesql/lakesql/storage/columnar"
)

// run moves one record, or one value for each step of a list entry, from the
// cursor into the vectors of ops.
func (c *cursor) run(ops []op) {
	for i := range ops {
		o := &ops[i]
		if o.null != noUnion {
			if branch := c.long(); branch != 0 && branch != 1 {
				c.fail("branch %d of a union of two", branch)
			} else if int8(branch) == o.null {
				if o.required {
					c.fail("null key, count or part of a variant")
				}
				if o.code != opSkip {
					o.v.AppendNull()
				}
				continue
			}
			if c.err != nil {
				return
			}
		}
		c.step(o)
	}
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
	case opInt:
		x := c.int32()
		if x < o.lo || x > o.hi {
			c.fail("int %d is outside its type", x)
			x = 0
		}
		v.AppendI32(x)
	case opLong:
		v.AppendI64(c.long())
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
	case opStr:
		v.AppendBytes(c.bytes())
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
