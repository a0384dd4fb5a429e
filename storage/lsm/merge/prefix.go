package merge

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/columnar"
)

// Prefixes are the prefixes of the keys of a block: Hi and Lo together are the
// 128-bit number, Hi the upper half. Lo is empty for a narrow order.
type Prefixes struct {
	Hi, Lo []uint64
	ends   []int32 // bytes written per row, once a string column has been met
}

// Narrow reports whether Hi alone is the whole key.
func (o *Order) Narrow() bool { return o.narrow }

// Tells reports whether equal prefixes with this lower half prove equal keys.
func (o *Order) Tells(lo uint64) bool { return o.exact || byte(lo) != openMark }

// Prefixes writes the prefixes of the first n keys to p, reusing its memory. key
// are plain vectors. It fails on a null in a column declared NOT NULL, and when the
// first or last key lies outside of what Within was told.
func (o *Order) Prefixes(p *Prefixes, key []*columnar.Vector, n int) error {
	if len(key) != len(o.cols) {
		return fmt.Errorf("key of %d columns, want %d", len(key), len(o.cols))
	}
	for k, c := range o.cols {
		if !c.nullable && key[k].Valid != nil && key[k].NullCount() > 0 {
			return corrupt.Errorf("", corrupt.NoOffset, "null in key column %d, which is declared NOT NULL", k)
		}
	}
	if err := o.checkCommon(key, n); err != nil {
		return err
	}
	p.Hi, p.Lo = zeroed(p.Hi, n), p.Lo[:0]
	if o.narrow && o.single64(p.Hi, key[len(key)-1]) {
		return nil
	}
	if !o.narrow {
		p.Lo = zeroed(p.Lo, n)
		if o.single128(p, key[len(key)-1]) {
			return nil
		}
	}
	b := builder{hi: p.Hi, lo: p.Lo, ends: p.ends[:0]}
	for k := o.dropped; k < len(o.cols); k++ {
		last := k == len(o.cols)-1
		if o.cols[k].width > 0 {
			b.fixed(&o.cols[k], key[k])
		} else {
			b.str(&o.cols[k], key[k], last, o.stripOf(k))
		}
	}
	if !o.exact {
		b.mark()
	}
	p.ends = b.ends
	return nil
}

func (o *Order) stripOf(k int) int {
	if k == o.dropped {
		return len(o.strip)
	}
	return 0
}

func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}

// single64 is the fast path of one BIGINT-like or INT key column.
func (o *Order) single64(hi []uint64, v *columnar.Vector) bool {
	if len(o.cols)-o.dropped != 1 || o.cols[o.dropped].nullable {
		return false
	}
	switch o.cols[o.dropped].layout {
	case columnar.I64:
		for i, x := range v.I64[:len(hi)] {
			hi[i] = uint64(x) ^ 1<<63
		}
		return true
	case columnar.I32:
		for i, x := range v.I32[:len(hi)] {
			hi[i] = uint64(int64(x)) ^ 1<<63
		}
		return true
	}
	return false
}

// single128 is the fast path of one string column.
func (o *Order) single128(p *Prefixes, v *columnar.Vector) bool {
	if len(o.cols)-o.dropped != 1 || o.cols[o.dropped].nullable || o.cols[o.dropped].layout != columnar.Str {
		return false
	}
	hi, lo, off, strip := p.Hi, p.Lo[:len(p.Hi)], v.Off[:len(p.Hi)+1], len(o.strip)
	data := v.Data[:cap(v.Data)]
	at := int(off[0])
	for i, end := range off[1:] {
		n := int(end) - at - strip
		h, l := load(data, at+strip, n)
		mark := uint64(max(n, 0) + 1)
		if n > markedBytes {
			mark = openMark
		}
		hi[i], lo[i] = h, l&^0xff|mark
		at = int(end)
	}
	return true
}

// checkCommon checks that the keys share what Within left out: the first and the
// last, as keys of a block ascend.
func (o *Order) checkCommon(key []*columnar.Vector, n int) error {
	if n == 0 {
		return nil
	}
	for _, i := range [2]int{0, n - 1} {
		for k, want := range o.consts {
			if columnar.Compare(o.cols[k].typ, key[k].Value(i), want) != 0 {
				return outside(k)
			}
		}
		if len(o.strip) > 0 && !bytes.HasPrefix(key[o.dropped].Bytes(i), o.strip) {
			return outside(o.dropped)
		}
	}
	return nil
}

func outside(column int) error {
	return corrupt.Errorf("", corrupt.NoOffset, "key column %d lies outside of the key range of its file", column)
}

// builder writes normalised columns behind one another into 128-bit numbers.
type builder struct {
	hi, lo  []uint64 // lo is empty for a narrow order
	at      int      // bytes written, the same for all rows, while ends is empty
	ends    []int32  // bytes written per row
	scratch []byte
}

// place moves x, of width bytes, so that it ends at byte end of 16. Bytes behind
// the 16th are cut. Shifts by 64 and more give 0, which makes this branch-free.
func place(x uint64, end int) (hi, lo uint64) {
	e := end * 8
	return x<<uint(64-e) | x>>uint(e-64), x<<uint(128-e) | x>>uint(e-128)
}

// put writes x, of width bytes, to row i at byte at.
func (b *builder) put(i int, x uint64, at, width int) {
	if at >= prefixBytes {
		return
	}
	h, l := place(x, at+width)
	b.hi[i] |= h
	if len(b.lo) > 0 {
		b.lo[i] |= l
	}
}

func (b *builder) start(i int) int {
	if len(b.ends) > 0 {
		return int(b.ends[i])
	}
	return b.at
}

// fixed writes a column of fixed width.
func (b *builder) fixed(c *keyColumn, v *columnar.Vector) {
	total := c.width
	if c.nullable {
		total++
	}
	for i := range b.hi {
		at := b.start(i)
		if c.nullable {
			if v.IsNull(i) {
				continue // the null byte and what follows are zero
			}
			b.put(i, 1, at, 1)
			at++
		}
		switch c.layout {
		case columnar.I32:
			x := uint64(int64(v.I32[i])+1<<(8*c.width-1)) & (1<<(8*c.width) - 1)
			b.put(i, x, at, c.width)
		case columnar.I64:
			b.put(i, uint64(v.I64[i])^1<<63, at, 8)
		case columnar.F32:
			b.put(i, uint64(columnar.FloatRank32(v.F32[i])), at, 4)
		case columnar.F64:
			b.put(i, columnar.FloatRank64(v.F64[i]), at, 8)
		case columnar.D128:
			b.put(i, uint64(v.D128[i].Hi)^1<<63, at, 8)
			b.put(i, v.D128[i].Lo, at+8, 8)
		case columnar.T96:
			b.put(i, uint64(v.I64[i])^1<<63, at, 8)
			b.put(i, uint64(uint32(v.I32[i])), at+8, 4)
		}
	}
	if len(b.ends) == 0 {
		b.at += total
		return
	}
	for i := range b.ends {
		b.ends[i] += int32(total)
	}
}

// manyBytes is more than a prefix holds: where in a long key a column begins does
// not matter, and the count must not run over.
const manyBytes = 1 << 20

// str writes a string column without its first strip bytes.
func (b *builder) str(c *keyColumn, v *columnar.Vector, last bool, strip int) {
	if len(b.ends) == 0 {
		b.ends = zeroed(b.ends[:0], len(b.hi))
		for i := range b.ends {
			b.ends[i] = int32(b.at)
		}
	}
	data := v.Data[:cap(v.Data)]
	for i := range b.hi {
		at := int(b.ends[i])
		if c.nullable {
			at++
			b.ends[i] = int32(at)
			if v.IsNull(i) {
				continue
			}
			b.put(i, 1, at-1, 1)
		}
		o, e := int(v.Off[i])+strip, int(v.Off[i+1])
		if at >= prefixBytes {
			b.ends[i] = manyBytes
			continue
		}
		n := max(e-o, 0)
		hi, lo := load(data, o, n)
		if !last {
			if m := min(n, prefixBytes); hasZero(hi, lo, m) {
				b.scratch = escape(b.scratch[:0], data[o:o+m])
				hi, lo = load(b.scratch, 0, len(b.scratch))
				n += len(b.scratch) - m
			}
			n += 2
		}
		s := uint(8 * at)
		b.hi[i] |= hi >> s
		b.lo[i] |= lo>>s | hi<<(64-s) | hi>>(s-64)
		b.ends[i] = int32(min(at+n, manyBytes))
	}
}

// load returns the first 16 of the n bytes at data[o:], zero behind the n-th. It
// may read bytes behind them if data has any. A key shorter than what Within told
// (n < 0; the block is damaged) counts as empty.
func load(data []byte, o, n int) (hi, lo uint64) {
	if n <= 0 {
		return 0, 0
	}
	if o+prefixBytes <= len(data) {
		hi, lo = binary.BigEndian.Uint64(data[o:]), binary.BigEndian.Uint64(data[o+8:])
	} else {
		var buf [prefixBytes]byte
		copy(buf[:], data[o:o+n])
		hi, lo = binary.BigEndian.Uint64(buf[:]), binary.BigEndian.Uint64(buf[8:])
	}
	if n < prefixBytes {
		// Shifts by 64 and more give 0: n <= 8 clears lo, n > 8 leaves hi alone.
		hi &= ^(^uint64(0) >> uint(8*n))
		lo &= ^(^uint64(0) >> uint(max(8*n-64, 0)))
	}
	return hi, lo
}

// hasZero reports whether one of the first n <= 16 bytes is zero.
func hasZero(hi, lo uint64, n int) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	if n < prefixBytes {
		hi |= ^uint64(0) >> uint(8*n)
		lo |= ^uint64(0) >> uint(max(8*n-64, 0))
	}
	return ((hi-ones)&^hi|(lo-ones)&^lo)&tops != 0
}

func escape(dst, s []byte) []byte {
	for _, c := range s {
		dst = append(dst, c)
		if c == 0 {
			dst = append(dst, 1)
		}
	}
	return dst
}

// mark writes the mark into the last byte.
func (b *builder) mark() {
	for i := range b.lo {
		m := b.start(i) + 1
		if m > markedBytes+1 {
			m = openMark
		}
		b.lo[i] = b.lo[i]&^0xff | uint64(m)
	}
}
