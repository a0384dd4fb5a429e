package stats

import (
	"math"
	"math/bits"
	"slices"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Collector gathers the statistics of the columns of a file, batch by batch. It is for
// one goroutine.
type Collector struct {
	cols []column
}

// column is the state of one column. Numbers keep their bounds as integers that are
// ordered as the values are: themselves, or a float's rank.
type column struct {
	t        types.Type
	mode     Mode
	layout   columnar.Layout
	nulls    int64
	any      bool // bounds are set
	min, max int64
	wide     [2]columnar.Value // bounds of layouts D128 and T96
	text     [2][]byte         // bounds of layout Str
	used     []uint64          // scratch: entries of a dictionary that a batch uses
}

// NewCollector returns a collector for batches whose columns are those fields. Modes
// has a mode for each. Types that have no bounds (nested ones, BLOB, GEOMETRY,
// GEOGRAPHY) get at most a null count.
func NewCollector(fields []types.Field, modes []Mode) *Collector {
	c := &Collector{cols: make([]column, len(fields))}
	for i := range fields {
		t, m := fields[i].Type, modes[i]
		if m.Kind > Counts && !bounded(t.Kind) {
			m = Mode{Kind: Counts}
		}
		c.cols[i] = column{t: t, mode: m, layout: columnar.LayoutOf(t)}
	}
	return c
}

func bounded(k types.Kind) bool {
	switch k {
	case types.Array, types.Map, types.Multiset, types.Row, types.Variant, types.Vector,
		types.Blob, types.Geometry, types.Geography:
		return false
	}
	return true
}

// Add takes the live rows of a batch. It keeps nothing of the batch.
func (c *Collector) Add(b *columnar.Batch) {
	for i := range c.cols {
		c.cols[i].add(b.Cols[i], b.Sel, b.N)
	}
}

// Columns is the statistics so far, cut as the modes say.
func (c *Collector) Columns() []Column {
	out := make([]Column, len(c.cols))
	for i := range c.cols {
		out[i] = c.cols[i].result()
	}
	return out
}

func (c *column) add(v *columnar.Vector, sel []uint16, n int) {
	if c.mode.Kind == None {
		return
	}
	valid := v.Valid
	if sel != nil {
		valid = intersect(v, sel, n, &c.nulls)
	} else if valid != nil {
		nulls := v.NullCount()
		c.nulls += int64(nulls)
		if nulls == 0 {
			valid = nil
		}
	}
	if c.mode.Kind == Counts {
		return
	}
	if v.Dict != nil {
		c.addDict(v, valid, n)
		return
	}
	c.bounds(v, valid, n)
}

// intersect is a bitmap of the selected slots that are not null; it counts the
// selected nulls.
func intersect(v *columnar.Vector, sel []uint16, n int, nulls *int64) []uint64 {
	out := make([]uint64, (n+63)/64)
	for _, i := range sel {
		if v.IsNull(int(i)) {
			*nulls++
		} else {
			out[i>>6] |= 1 << (i & 63)
		}
	}
	return out
}

// addDict takes the entries of a dictionary that are used.
func (c *column) addDict(v *columnar.Vector, valid []uint64, n int) {
	c.used = slices.Grow(c.used[:0], (v.Dict.N+63)/64)[:(v.Dict.N+63)/64]
	clear(c.used)
	for i, code := range v.Codes[:n] {
		if valid == nil || valid[i>>6]&(1<<(i&63)) != 0 {
			c.used[code>>6] |= 1 << (code & 63)
		}
	}
	c.bounds(v.Dict, c.used, v.Dict.N)
}

// bounds takes the first n slots of v whose bit in valid is set; nil: all.
func (c *column) bounds(v *columnar.Vector, valid []uint64, n int) {
	switch c.layout {
	case columnar.I32:
		least, most, ok := extremes(v.I32[:n], valid, func(x int32) int32 { return x })
		c.merge(int64(least), int64(most), ok)
	case columnar.I64:
		c.merge(extremes(v.I64[:n], valid, func(x int64) int64 { return x }))
	case columnar.F32:
		least, most, ok := extremes(v.F32[:n], valid, rank32)
		c.merge(int64(least), int64(most), ok)
	case columnar.F64:
		c.merge(extremes(v.F64[:n], valid, rank64))
	case columnar.D128, columnar.T96:
		each(n, valid, func(i int) { c.mergeWide(v.Value(i)) })
	case columnar.Str:
		c.mergeText(v, valid, n)
	}
}

func (c *column) merge(least, most int64, ok bool) {
	switch {
	case !ok:
	case !c.any:
		c.min, c.max, c.any = least, most, true
	default:
		c.min, c.max = min(c.min, least), max(c.max, most)
	}
}

func (c *column) mergeWide(x columnar.Value) {
	if !c.any {
		c.wide, c.any = [2]columnar.Value{x, x}, true
		return
	}
	if columnar.Compare(c.t, x, c.wide[0]) < 0 {
		c.wide[0] = x
	}
	if columnar.Compare(c.t, x, c.wide[1]) > 0 {
		c.wide[1] = x
	}
}

// each calls fn for the slots below n whose bit is set; nil: all.
func each(n int, valid []uint64, fn func(i int)) {
	if valid == nil {
		for i := range n {
			fn(i)
		}
		return
	}
	for w := 0; w*64 < n; w++ {
		for m := mask(valid, w, n); m != 0; m &= m - 1 {
			fn(w*64 + bits.TrailingZeros64(m))
		}
	}
}

// mask is word w of a bitmap over n slots, without the bits past them.
func mask(valid []uint64, w, n int) uint64 {
	m := valid[w]
	if rest := n - w*64; rest < 64 {
		m &= 1<<rest - 1
	}
	return m
}

// extremes is the least and the greatest rank of the values whose bit is set.
func extremes[T any, R int32 | int64](vals []T, valid []uint64, rank func(T) R) (least, most R, ok bool) {
	if valid == nil {
		if len(vals) == 0 {
			return 0, 0, false
		}
		least = rank(vals[0])
		most = least
		for _, x := range vals {
			r := rank(x)
			least, most = min(least, r), max(most, r)
		}
		return least, most, true
	}
	for w := 0; w*64 < len(vals); w++ {
		for m := mask(valid, w, len(vals)); m != 0; m &= m - 1 {
			r := rank(vals[w*64+bits.TrailingZeros64(m)])
			if !ok {
				least, most, ok = r, r, true
			}
			least, most = min(least, r), max(most, r)
		}
	}
	return least, most, ok
}

// The rank of a float is an integer of the same order, -0.0 before 0.0; NaNs lie
// beyond the infinities on both sides. It is its own inverse on the bits.

func rank32(f float32) int32 {
	b := int32(math.Float32bits(f))
	return b ^ b>>31&math.MaxInt32
}

func rank64(f float64) int64 {
	b := int64(math.Float64bits(f))
	return b ^ b>>63&math.MaxInt64
}

// float is the value of a rank.
func (c *column) float(rank int64) float64 {
	if c.layout == columnar.F32 {
		r := int32(rank)
		return float64(math.Float32frombits(uint32(r ^ r>>31&math.MaxInt32)))
	}
	return math.Float64frombits(uint64(rank ^ rank>>63&math.MaxInt64))
}

func (c *column) result() Column {
	if c.mode.Kind == None {
		return Column{Nulls: Unknown}
	}
	out := Column{Nulls: c.nulls}
	if !c.any || c.mode.Kind == Counts {
		return out
	}
	switch c.layout {
	case columnar.F32, columnar.F64:
		least, most := c.float(c.min), c.float(c.max)
		if least != least || most != most {
			return out
		}
		out.Min, out.Max = columnar.FloatValue(least), columnar.FloatValue(most)
	case columnar.D128, columnar.T96:
		out.Min, out.Max = c.wide[0], c.wide[1]
	case columnar.Str:
		out.Min, out.Max = columnar.StringValue(string(c.text[0])), columnar.StringValue(string(c.text[1]))
	default:
		out.Min, out.Max = columnar.IntValue(c.min), columnar.IntValue(c.max)
	}
	out.HasBounds = true
	return c.mode.Apply(c.t, out)
}
