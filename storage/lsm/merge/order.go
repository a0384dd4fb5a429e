package merge

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/types"
)

// Order is the order of keys: column by column, null first, numbers naturally
// with -0.0 before 0.0 and NaN last, text and bytes by unsigned bytes. It also
// builds the prefixes of keys. An Order is immutable and safe to share.
//
// The prefix of a key is cut from its normalised form, a byte string whose order
// is key order: per column a byte 0 (null) or 1 where the type allows null, then
// integers big endian with the sign bit flipped, floats by rank, and strings with
// 00 escaped as 00 01 and 00 00 behind them, both left out of the last column.
//
//	all columns of fixed width, <= 8 bytes     hi                      exact, narrow
//	all columns of fixed width, <= 16 bytes    hi, lo                  exact
//	others                                     15 bytes, then a mark   exact by mark
//
// The mark is the length of the normalised form plus one, or openMark when it has
// more than 15 bytes: then equal prefixes do not prove equal keys.
type Order struct {
	cols    []keyColumn
	exact   bool // a prefix tells all of the key
	narrow  bool // and Lo is always 0
	dropped int  // leading columns that are the same in all keys
	consts  []columnar.Value
	strip   []byte // leading bytes of column dropped that are the same in all keys
}

type keyColumn struct {
	typ      types.Type
	layout   columnar.Layout
	nullable bool
	width    int // bytes of the normalised value without the null byte; 0: a string
}

const (
	prefixBytes = 16
	markedBytes = prefixBytes - 1
	openMark    = 0xff
)

// NewOrder returns the order of keys with columns of the given flat types.
func NewOrder(ts []types.Type) (*Order, error) {
	if len(ts) == 0 {
		return nil, fmt.Errorf("key without columns")
	}
	o := &Order{}
	for _, t := range ts {
		if t.Nested() {
			return nil, fmt.Errorf("key column of nested type %v", t.Kind)
		}
		o.cols = append(o.cols, keyColumn{t, columnar.LayoutOf(t), !t.NotNull, valueWidth(t)})
	}
	o.size()
	return o, nil
}

// size derives exact and narrow.
func (o *Order) size() {
	total := 0
	for _, c := range o.cols[o.dropped:] {
		if c.width == 0 {
			o.exact, o.narrow = false, false
			return
		}
		total += c.width
		if c.nullable {
			total++
		}
	}
	o.exact, o.narrow = total <= prefixBytes, total <= 8
}

func valueWidth(t types.Type) int {
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

// Within returns an order for keys that all lie between min and max, both
// included: what min and max have in common at their beginning is left out of the
// prefixes, which then tell more of the rest.
func (o *Order) Within(min, max []columnar.Value) *Order {
	if len(min) != len(o.cols) || len(max) != len(o.cols) {
		return o
	}
	n := *o
	n.dropped, n.consts, n.strip = 0, nil, nil
	for n.dropped < len(o.cols)-1 && columnar.Compare(o.cols[n.dropped].typ, min[n.dropped], max[n.dropped]) == 0 {
		n.consts = append(n.consts, min[n.dropped])
		n.dropped++
	}
	i := n.dropped
	if c := o.cols[i]; c.layout == columnar.Str && !min[i].Null {
		n.strip = []byte(min[i].S[:row.Shared([]byte(min[i].S), []byte(max[i].S))])
	}
	n.size()
	return &n
}

// Shared is Within for the first n keys of a block: it looks for what they have in
// common at their beginning. The result is for these keys alone.
func (o *Order) Shared(key []*columnar.Vector, n int) *Order {
	if n == 0 || len(key) != len(o.cols) {
		return o
	}
	s := *o
	s.dropped, s.consts, s.strip = 0, nil, nil
	for s.dropped < len(o.cols)-1 && o.cols[s.dropped].constant(key[s.dropped], n) {
		s.consts = append(s.consts, key[s.dropped].Value(0))
		s.dropped++
	}
	if v := key[s.dropped]; o.cols[s.dropped].layout == columnar.Str {
		s.strip = row.CommonPrefix(v)
	}
	s.size()
	return &s
}

// constant reports whether the first n values are equal.
func (c *keyColumn) constant(v *columnar.Vector, n int) bool {
	for i := 1; i < n; i++ {
		if c.compare(v, 0, v, i) != 0 {
			return false
		}
	}
	return true
}

// Compare orders key i of columns a and key j of columns b.
func (o *Order) Compare(a []*columnar.Vector, i int, b []*columnar.Vector, j int) int {
	for k := range o.cols {
		if c := o.cols[k].compare(a[k], i, b[k], j); c != 0 {
			return c
		}
	}
	return 0
}

func (c *keyColumn) compare(a *columnar.Vector, i int, b *columnar.Vector, j int) int {
	if c.nullable {
		if x, y := a.IsNull(i), b.IsNull(j); x || y {
			return boolRank(y) - boolRank(x)
		}
	}
	return compareSlot(c.layout, a, i, b, j)
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareSlot orders two values that are not null, of plain vectors.
func compareSlot(layout columnar.Layout, a *columnar.Vector, i int, b *columnar.Vector, j int) int {
	switch layout {
	case columnar.I32:
		return cmp.Compare(a.I32[i], b.I32[j])
	case columnar.I64:
		return cmp.Compare(a.I64[i], b.I64[j])
	case columnar.F32:
		return columnar.CompareFloat(float64(a.F32[i]), float64(b.F32[j]))
	case columnar.F64:
		return columnar.CompareFloat(a.F64[i], b.F64[j])
	case columnar.D128:
		return a.D128[i].Compare(b.D128[j])
	case columnar.T96:
		if c := cmp.Compare(a.I64[i], b.I64[j]); c != 0 {
			return c
		}
		return cmp.Compare(a.I32[i], b.I32[j])
	}
	return bytes.Compare(a.Data[a.Off[i]:a.Off[i+1]], b.Data[b.Off[j]:b.Off[j+1]])
}

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
			b.put(i, uint64(rank32(v.F32[i])), at, 4)
		case columnar.F64:
			b.put(i, rank64(v.F64[i]), at, 8)
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

func rank32(f float32) uint32 {
	if f != f {
		return math.MaxUint32
	}
	x := math.Float32bits(f)
	return x ^ (uint32(int32(x)>>31) | 1<<31)
}

func rank64(f float64) uint64 {
	if f != f {
		return math.MaxUint64
	}
	x := math.Float64bits(f)
	return x ^ (uint64(int64(x)>>63) | 1<<63)
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
