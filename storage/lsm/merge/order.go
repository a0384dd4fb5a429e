package merge

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"

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
		o.cols = append(o.cols, keyColumn{t, columnar.LayoutOf(t), !t.NotNull, row.KeyBytes(t)})
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
		n.strip = []byte(min[i].S[:shared([]byte(min[i].S), []byte(max[i].S))])
	}
	n.size()
	return &n
}

// Shared is Within for the keys of some blocks, each the key's columns with at least
// one row: it looks for what all of them have in common at their beginning. The
// result is for these keys alone.
func (o *Order) Shared(blocks [][]*columnar.Vector) *Order {
	if len(blocks) == 0 || len(blocks[0]) != len(o.cols) {
		return o
	}
	s := *o
	s.dropped, s.consts, s.strip = 0, nil, nil
	for s.dropped < len(o.cols)-1 && o.cols[s.dropped].constant(blocks, s.dropped) {
		s.consts = append(s.consts, blocks[0][s.dropped].Value(0))
		s.dropped++
	}
	if o.cols[s.dropped].layout == columnar.Str {
		s.strip = commonPrefix(blocks[0][s.dropped])
		for _, b := range blocks[1:] {
			if len(s.strip) == 0 {
				break
			}
			s.strip = s.strip[:shared(s.strip, commonPrefix(b[s.dropped]))]
		}
	}
	s.size()
	return &s
}

// commonPrefix is how many leading bytes all values of a column of layout Str share,
// and those bytes (aliasing the column). Columns with nulls share none.
func commonPrefix(c *columnar.Vector) []byte {
	if c.N == 0 || c.Valid != nil && c.NullCount() > 0 {
		return nil
	}
	common := c.Bytes(0)
	for i := 1; i < c.N && len(common) > 0; i++ {
		common = common[:shared(common, c.Bytes(i))]
	}
	return common
}

// shared is how many leading bytes a and b have in common.
func shared(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if binary.LittleEndian.Uint64(a[i:]) != binary.LittleEndian.Uint64(b[i:]) {
			break
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// constant reports whether all values of column k are equal.
func (c *keyColumn) constant(blocks [][]*columnar.Vector, k int) bool {
	first := blocks[0][k]
	for _, b := range blocks {
		for i := range b[k].N {
			if c.compare(first, 0, b[k], i) != 0 {
				return false
			}
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
