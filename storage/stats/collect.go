package stats

import (
	"math"
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
	wide     [2]wideValue // bounds of layouts D128 and T96
	text     [2][]byte    // bounds of layout Str
	used     []uint64     // scratch: entries of a dictionary that a batch uses
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
		blocks(n, valid, func(from, to int) { c.merge(intBounds(v.I32[from:to])) })
	case columnar.I64:
		blocks(n, valid, func(from, to int) { c.merge(intBounds(v.I64[from:to])) })
	case columnar.F32:
		blocks(n, valid, func(from, to int) { c.merge(floatBounds32(v.F32[from:to])) })
	case columnar.F64:
		blocks(n, valid, func(from, to int) { c.merge(floatBounds64(v.F64[from:to])) })
	case columnar.D128:
		blocks(n, valid, func(from, to int) {
			for i := from; i < to; i++ {
				c.mergeWide(wideValue{hi: v.D128[i].Hi, lo: v.D128[i].Lo})
			}
		})
	case columnar.T96:
		blocks(n, valid, func(from, to int) {
			for i := from; i < to; i++ {
				c.mergeWide(wideValue{hi: v.I64[i], lo: uint64(v.I32[i])})
			}
		})
	case columnar.Str:
		c.mergeText(v, valid, n)
	}
}

func (c *column) merge(least, most int64) {
	if !c.any {
		c.min, c.max, c.any = least, most, true
		return
	}
	c.min, c.max = min(c.min, least), max(c.max, most)
}

// wideValue is a 128-bit number, or milliseconds and nanoseconds.
type wideValue struct {
	hi int64
	lo uint64
}

func (a wideValue) less(b wideValue) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func (c *column) mergeWide(x wideValue) {
	switch {
	case !c.any:
		c.wide, c.any = [2]wideValue{x, x}, true
	case x.less(c.wide[0]):
		c.wide[0] = x
	case c.wide[1].less(x):
		c.wide[1] = x
	}
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
	case columnar.D128:
		out.Min, out.Max = columnar.Value{I: int64(c.wide[0].lo), Hi: c.wide[0].hi}, columnar.Value{I: int64(c.wide[1].lo), Hi: c.wide[1].hi}
	case columnar.T96:
		out.Min, out.Max = columnar.Value{I: c.wide[0].hi, Hi: int64(c.wide[0].lo)}, columnar.Value{I: c.wide[1].hi, Hi: int64(c.wide[1].lo)}
	case columnar.Str:
		out.Min, out.Max = columnar.StringValue(string(c.text[0])), columnar.StringValue(string(c.text[1]))
	default:
		out.Min, out.Max = columnar.IntValue(c.min), columnar.IntValue(c.max)
	}
	out.HasBounds = true
	return c.mode.Apply(c.t, out)
}
