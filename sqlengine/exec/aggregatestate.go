package exec

import (
	"math/big"

	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// aggregateState holds one aggregate of all groups, by group.
type aggregateState struct {
	Aggregate
	typ    types.Type // of the first column
	layout columnar.Layout
	n      []int64 // rows or values counted; of MinOf and MaxOf, whether there is a value

	i64  []int64           // sums of layout I32
	d128 []columnar.Int128 // sums of layouts I64 and D128
	wide map[int]*big.Int  // what went beyond 128 bits
	f64  []float64         // sums of floats

	vals  []columnar.Value // of MinOf and MaxOf
	text  int64            // bytes of texts in vals
	value *columnar.Vector // one slot: where Value shows one of vals
	first *columnar.Vector

	nums  []*numberer // of DISTINCT
	pairs []*pairTable
	ids   []uint32
	more  []uint32
	once  []uint16 // slots of values that are new in their group
	gids  []uint32 // their groups
}

func newAggregateState(g Aggregate, ts []types.Type) *aggregateState {
	s := &aggregateState{Aggregate: g}
	if len(g.Cols) > 0 {
		s.typ = ts[g.Cols[0]]
		s.layout = columnar.LayoutOf(s.typ)
	}
	switch g.Kind {
	case FirstOf:
		s.first = columnar.NewVector(s.typ, 0)
	case MinOf, MaxOf:
		s.value = columnar.NewVector(s.typ, 1)
	case SumOf:
		switch s.layout {
		case columnar.F32, columnar.F64:
			s.f64 = []float64{}
		case columnar.I32:
			s.i64 = []int64{}
		}
	}
	if g.Kind == CountDistinct || g.Distinct {
		for _, c := range g.Cols {
			s.nums = append(s.nums, newNumberer(ts[c]))
			s.pairs = append(s.pairs, newPairTable())
		}
	}
	return s
}

func (s *aggregateState) bytes() int64 {
	n := int64(8*cap(s.n)+8*cap(s.i64)+16*cap(s.d128)+8*cap(s.f64)+48*cap(s.vals)) + s.text
	if s.first != nil {
		n += s.first.SizeBytes()
	}
	for i := range s.nums {
		n += s.nums[i].bytes() + s.pairs[i].bytes()
	}
	return n
}

// grow makes room for groups groups.
func (s *aggregateState) grow(groups int) {
	switch s.Kind {
	case FirstOf:
		return
	case MinOf, MaxOf:
		s.vals = growTo(s.vals, groups)
	case SumOf:
		switch {
		case s.f64 != nil:
			s.f64 = growTo(s.f64, groups)
		case s.i64 != nil:
			s.i64 = growTo(s.i64, groups)
		default:
			s.d128 = growTo(s.d128, groups)
		}
	}
	s.n = growTo(s.n, groups)
}

func growTo[T any](v []T, n int) []T {
	if n <= cap(v) {
		return v[:n]
	}
	out := make([]T, n, max(n, 2*cap(v)))
	copy(out, v)
	return out
}

// add takes slots sel of b, of groups ids; fresh are the slots that began groups.
func (s *aggregateState) add(b *columnar.Batch, sel []uint16, ids []uint32, fresh []int32) {
	if s.Kind == FirstOf {
		columnar.Gather(s.first, b.Cols[s.Cols[0]], fresh)
		return
	}
	if s.Kind == CountRows {
		for _, g := range ids {
			s.n[g]++
		}
		return
	}
	if s.nums != nil {
		sel, ids = s.distinct(b, sel, ids)
	}
	v := b.Cols[s.Cols[0]]
	switch s.Kind {
	case CountDistinct:
		for _, g := range ids {
			s.n[g]++
		}
	case CountOf:
		s.count(v, sel, ids)
	case SumOf:
		s.sum(v, sel, ids)
	default:
		s.extreme(v, sel, ids)
	}
}

// distinct keeps the slots whose values are not null and new in their group.
func (s *aggregateState) distinct(b *columnar.Batch, sel []uint16, ids []uint32) ([]uint16, []uint32) {
	s.ids = append(s.ids[:0], ids...)
	s.once, s.gids = s.once[:0], s.gids[:0]
	last := len(s.Cols) - 1
	for i, c := range s.Cols {
		s.more = s.nums[i].number(b.Cols[c], sel, s.more)
		t := s.pairs[i]
		for r, n := range s.more {
			if n == 0 || s.ids[r] == skip {
				s.ids[r] = skip
				continue
			}
			before := t.n
			s.ids[r] = t.insert(s.ids[r], n)
			if i == last && t.n > before {
				s.once, s.gids = append(s.once, sel[r]), append(s.gids, ids[r])
			}
		}
	}
	return s.once, s.gids
}

// skip marks a row that has a null among its distinct values.
const skip = ^uint32(0)

func (s *aggregateState) count(v *columnar.Vector, sel []uint16, ids []uint32) {
	for r, g := range ids {
		if !s.null(v, int(sel[r])) {
			s.n[g]++
		}
	}
}

// null reports whether SQL sees a null in slot i: floats that are not finite are.
func (s *aggregateState) null(v *columnar.Vector, i int) bool {
	switch {
	case v.IsNull(i):
		return true
	case s.layout == columnar.F64:
		return v.F64[i]-v.F64[i] != 0
	case s.layout == columnar.F32:
		return v.F32[i]-v.F32[i] != 0
	}
	return false
}

func (s *aggregateState) sum(v *columnar.Vector, sel []uint16, ids []uint32) {
	switch {
	case v.Dict != nil:
		s.sumCoded(v, sel, ids)
	case s.layout == columnar.I32 && v.Valid == nil:
		for r, g := range ids {
			s.i64[g] += int64(v.I32[sel[r]])
			s.n[g]++
		}
	case s.layout == columnar.I64 && v.Valid == nil:
		for r, g := range ids {
			add128(&s.d128[g], v.I64[sel[r]])
			s.n[g]++
		}
	default:
		for r, g := range ids {
			if i := int(sel[r]); !s.null(v, i) {
				s.one(v, i, int(g))
			}
		}
	}
}

func (s *aggregateState) sumCoded(v *columnar.Vector, sel []uint16, ids []uint32) {
	for r, g := range ids {
		if i := int(sel[r]); !v.IsNull(i) {
			if c := int(v.Codes[i]); !s.null(v.Dict, c) {
				s.one(v.Dict, c, int(g))
			}
		}
	}
}

// one adds slot i of v, which is not null, to group g.
func (s *aggregateState) one(v *columnar.Vector, i, g int) {
	s.n[g]++
	switch s.layout {
	case columnar.I32:
		s.i64[g] += int64(v.I32[i])
	case columnar.I64:
		add128(&s.d128[g], v.I64[i])
	case columnar.F32:
		s.f64[g] += float64(v.F32[i])
	case columnar.F64:
		s.f64[g] += v.F64[i]
	default:
		sum, ok := expr.Add128(s.d128[g], v.D128[i])
		if !ok {
			s.spill(g)
			sum = v.D128[i]
		}
		s.d128[g] = sum
	}
}

// spill moves a 128-bit sum that is full into a big one.
func (s *aggregateState) spill(g int) {
	if s.wide == nil {
		s.wide = map[int]*big.Int{}
	}
	if s.wide[g] == nil {
		s.wide[g] = new(big.Int)
	}
	s.wide[g].Add(s.wide[g], expr.BigInt(s.d128[g]))
}

func (s *aggregateState) extreme(v *columnar.Vector, sel []uint16, ids []uint32) {
	for r, g := range ids {
		i := int(sel[r])
		if v.IsNull(i) {
			continue
		}
		w := v
		if v.Dict != nil {
			w, i = v.Dict, int(v.Codes[i])
		}
		if s.null(w, i) {
			continue
		}
		if s.n[g] == 0 || s.beats(w, i, &s.vals[g]) {
			s.text -= int64(len(s.vals[g].S))
			s.vals[g], s.n[g] = w.Value(i), 1
			s.text += int64(len(s.vals[g].S))
		}
	}
}

// beats reports whether slot i goes before (MinOf) or after (MaxOf) x.
func (s *aggregateState) beats(v *columnar.Vector, i int, x *columnar.Value) bool {
	var less, more bool
	switch s.layout {
	case columnar.I32:
		less, more = int64(v.I32[i]) < x.I, int64(v.I32[i]) > x.I
	case columnar.I64:
		less, more = v.I64[i] < x.I, v.I64[i] > x.I
	case columnar.F32:
		less, more = float64(v.F32[i]) < x.F, float64(v.F32[i]) > x.F
	case columnar.F64:
		less, more = v.F64[i] < x.F, v.F64[i] > x.F
	case columnar.Str:
		b := v.Data[v.Off[i]:v.Off[i+1]]
		less, more = string(b) < x.S, string(b) > x.S
	default:
		c := columnar.Compare(s.typ, v.Value(i), *x)
		less, more = c < 0, c > 0
	}
	if s.Kind == MinOf {
		return less
	}
	return more
}
