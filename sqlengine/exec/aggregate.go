package exec

import (
	"context"
	"errors"
	"io"
	"math/big"
	"math/bits"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// AggregateKind says what an Aggregate calculates.
type AggregateKind uint8

// The aggregates. SumOf serves averages too: it counts.
const (
	CountRows     AggregateKind = iota // all rows
	CountOf                            // values that are not null
	CountDistinct                      // distinct values, or rows of several columns, without a null
	SumOf                              // of integers and decimals exactly, of floats as DOUBLE
	MinOf
	MaxOf
	FirstOf // the value in the group's first row
)

// Aggregate is one column of an Aggregation.
type Aggregate struct {
	Kind     AggregateKind
	Cols     []int // of the input; one, except for CountRows and CountDistinct
	Distinct bool  // of SumOf: each value counts once
}

// Aggregation groups rows. Groups are numbered from 0 in the order of their first
// rows. It is for one goroutine.
type Aggregation struct {
	in     columnar.Reader
	keys   []int
	nums   []*numberer
	pairs  []*pairTable // of the numbers of keys 0 to i with key i+1
	firsts []uint32     // of a single key: group+1 by number
	groups int
	states []*aggregateState
	keep   []*columnar.Vector // key values by group
	mem    *membudget.Holder

	all       []uint16 // 0, 1, 2, …
	ids, more []uint32
	fresh     []int32 // rows that began groups
}

// NewAggregation groups the rows of in, whose columns have types ts, by the
// columns keys; without keys all rows are one group, which is there without rows
// too. It owns in. Memory is reserved in budget.
func NewAggregation(in columnar.Reader, ts []types.Type, keys []int, aggs []Aggregate, budget *membudget.Budget) *Aggregation {
	a := newGroups(in, ts, keys, budget.Holder("GROUP BY"))
	for _, k := range keys {
		a.keep = append(a.keep, columnar.NewVector(ts[k], 0))
	}
	for _, g := range aggs {
		a.states = append(a.states, newAggregateState(g, ts))
	}
	return a
}

// newGroups numbers groups and keeps nothing of them.
func newGroups(in columnar.Reader, ts []types.Type, keys []int, mem *membudget.Holder) *Aggregation {
	a := &Aggregation{in: in, keys: keys, mem: mem}
	for i, k := range keys {
		a.nums = append(a.nums, newNumberer(ts[k]))
		if i > 0 {
			a.pairs = append(a.pairs, newPairTable())
		}
	}
	return a
}

// Run reads all input.
func (a *Aggregation) Run(ctx context.Context) error {
	if len(a.keys) == 0 {
		a.groups = 1
		a.grow()
	}
	for {
		b, err := a.in.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if b.Rows() == 0 {
			continue
		}
		a.add(b)
		if err := a.reserve(); err != nil {
			return err
		}
	}
}

// Close gives memory back and closes the input.
func (a *Aggregation) Close() error {
	a.mem.Close()
	a.states, a.nums, a.pairs, a.keep = nil, nil, nil, nil
	return a.in.Close()
}

// Len is the number of groups.
func (a *Aggregation) Len() int { return a.groups }

// Key is the vector of key i's values by group. It is the aggregation's.
func (a *Aggregation) Key(i int) *columnar.Vector { return a.keep[i] }

func (a *Aggregation) live(b *columnar.Batch) []uint16 {
	if b.Sel != nil {
		return b.Sel
	}
	for len(a.all) < b.N {
		a.all = append(a.all, uint16(len(a.all)))
	}
	return a.all[:b.N]
}

func (a *Aggregation) add(b *columnar.Batch) {
	sel := a.live(b)
	a.fresh = a.fresh[:0]
	ids := a.number(b, sel)
	if len(a.fresh) > 0 {
		for i, k := range a.keys {
			columnar.Gather(a.keep[i], b.Cols[k], a.fresh)
		}
		a.grow()
	}
	if len(a.keys) == 0 && a.states != nil && !a.hasFirst() {
		a.fresh = append(a.fresh, int32(sel[0]))
	}
	for _, s := range a.states {
		s.add(b, sel, ids, a.fresh)
	}
}

// hasFirst says whether the one group of an aggregation without keys has rows.
func (a *Aggregation) hasFirst() bool {
	for _, s := range a.states {
		if s.Kind == FirstOf && s.first.N > 0 {
			return true
		}
	}
	return false
}

// number finds the group of every row.
func (a *Aggregation) number(b *columnar.Batch, sel []uint16) []uint32 {
	switch len(a.keys) {
	case 0:
		for len(a.ids) < len(sel) {
			a.ids = append(a.ids, 0)
		}
		return a.ids[:len(sel)]
	case 1:
		a.ids = a.nums[0].number(b.Cols[a.keys[0]], sel, a.ids)
		for r, n := range a.ids {
			for int(n) >= len(a.firsts) {
				a.firsts = append(a.firsts, 0)
			}
			g := a.firsts[n]
			if g == 0 {
				a.groups++
				g = uint32(a.groups)
				a.firsts[n] = g
				a.fresh = append(a.fresh, int32(sel[r]))
			}
			a.ids[r] = g - 1
		}
		return a.ids
	}
	a.ids = a.nums[0].number(b.Cols[a.keys[0]], sel, a.ids)
	for i, k := range a.keys[1:] {
		a.more = a.nums[i+1].number(b.Cols[k], sel, a.more)
		t := a.pairs[i]
		for r, n := range a.more[:len(a.ids)] {
			a.ids[r] = t.insert(a.ids[r], n)
		}
	}
	for r, g := range a.ids {
		if int(g) == a.groups {
			a.groups++
			a.fresh = append(a.fresh, int32(sel[r]))
		}
	}
	return a.ids
}

func (a *Aggregation) grow() {
	for _, s := range a.states {
		s.grow(a.groups)
	}
}

// reserve brings the account to what the tables hold.
func (a *Aggregation) reserve() error {
	var n int64
	for _, c := range a.nums {
		n += c.bytes()
	}
	for _, p := range a.pairs {
		n += p.bytes()
	}
	for _, v := range a.keep {
		n += v.SizeBytes()
	}
	for _, s := range a.states {
		n += s.bytes()
	}
	return a.mem.To(n)
}

// Sum is the state of SumOf agg in group g: how many values, and their sum as an
// integer of the column's scale or as a float.
func (a *Aggregation) Sum(agg, g int) (n int64, exact *big.Int, approx float64) {
	s := a.states[agg]
	n = s.n[g]
	switch {
	case s.f64 != nil:
		return n, nil, s.f64[g]
	case s.i64 != nil:
		return n, big.NewInt(s.i64[g]), 0
	}
	exact = expr.BigInt(s.d128[g])
	if w := s.wide[g]; w != nil {
		exact.Add(exact, w)
	}
	return n, exact, 0
}

// Count is the state of CountRows, CountOf and CountDistinct agg in group g.
func (a *Aggregation) Count(agg, g int) int64 { return a.states[agg].n[g] }

// Value is slot i of vector v, the result of MinOf, MaxOf or FirstOf agg in group
// g; a nil v is null. It is valid until the next call for agg.
func (a *Aggregation) Value(agg, g int) (v *columnar.Vector, i int) {
	s := a.states[agg]
	if s.Kind == FirstOf {
		if g >= s.first.N {
			return nil, 0
		}
		return s.first, g
	}
	if s.n[g] == 0 {
		return nil, 0
	}
	s.value.Reset()
	s.value.AppendValue(s.vals[g])
	return s.value, 0
}

// add128 adds x to a 128-bit sum; wrapping is impossible for 64-bit values.
func add128(s *columnar.Int128, x int64) {
	lo, c := bits.Add64(s.Lo, uint64(x), 0)
	s.Lo, s.Hi = lo, s.Hi+x>>63+int64(c)
}
