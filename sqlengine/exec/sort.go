package exec

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// SortField is one column of an order. Null comes before all values ascending and
// after them descending; so do floats that are not finite.
type SortField struct {
	Col  int
	Desc bool
}

// Sizes of a sorter's memory.
const (
	sourceRows  = 1 << 20   // rows of one source at the most
	sourceBytes = 512 << 20 // bytes at which a source is full: offsets are 32 bits
	topSlack    = 8192      // rows beyond a limit that are gathered before they are cut
)

// sorter reads its input, orders it, and gives it back in batches. With a limit it
// keeps about the rows that can still be among the first.
type sorter struct {
	in     columnar.Reader
	types  []types.Type
	fields []SortField
	limit  int // -1: all rows
	mem    *membudget.Holder

	sources []*columnar.Batch
	full    int64 // bytes of the sources but the last
	rows    []sortRow
	bound   uint64 // with a limit: rows with a greater prefix are not among the first
	sorted  bool
	next    int
	picks   []uint32
	slots   []int32
	out     *columnar.Batch
}

// sortRow is a row by its place. Places rise in the order of input, which makes
// the sort stable.
type sortRow struct {
	prefix uint64 // orders like the first field; rows with the same prefix may differ
	pick   uint32
}

// NewSort returns a reader of the rows of in, whose columns have types ts, in the
// order of fields; rows that compare equal keep their order. A limit that is not
// negative ends after so many rows. It owns in; memory is reserved in budget.
func NewSort(in columnar.Reader, ts []types.Type, fields []SortField, limit int, budget *membudget.Budget) columnar.Reader {
	if limit > columnar.MaxSources<<columnar.PickShift {
		limit = -1 // there cannot be so many rows
	}
	return &sorter{in: in, types: ts, fields: fields, limit: limit, bound: math.MaxUint64, mem: budget.Holder("a sort")}
}

func (s *sorter) Next(ctx context.Context) (*columnar.Batch, error) {
	if !s.sorted {
		if err := s.load(ctx); err != nil {
			return nil, err
		}
		s.cut()
		s.sorted = true
		s.out = columnar.NewBatch(s.types, 0)
	}
	n := min(len(s.rows)-s.next, columnar.BatchRows)
	if n == 0 {
		return nil, io.EOF
	}
	s.picks = s.picks[:0]
	for _, r := range s.rows[s.next : s.next+n] {
		s.picks = append(s.picks, r.pick)
	}
	s.next += n
	s.out.Reset()
	s.out.AppendPicks(s.sources, s.picks)
	return s.out, nil
}

func (s *sorter) Close() error {
	s.mem.Close()
	s.sources, s.rows, s.out = nil, nil, nil
	return s.in.Close()
}

func (s *sorter) load(ctx context.Context) error {
	if s.limit == 0 {
		return nil
	}
	for {
		b, err := s.in.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.add(b); err != nil {
			return err
		}
		if s.limit >= 0 && len(s.rows) >= 2*s.limit+topSlack {
			s.cut()
			s.compact()
		}
	}
}

// add takes the rows of b that may be among the first.
func (s *sorter) add(b *columnar.Batch) error {
	last := len(s.sources) - 1
	if last < 0 || s.sources[last].N+b.N > sourceRows || s.sources[last].SizeBytes() > sourceBytes {
		if last+1 == columnar.MaxSources {
			return fmt.Errorf("a sort of more than %d rows", len(s.rows))
		}
		if last >= 0 {
			s.full += s.sources[last].SizeBytes()
		}
		s.sources = append(s.sources, columnar.NewBatch(s.types, b.Rows()))
		last++
	}
	src := s.sources[last]
	s.slots = s.slots[:0]
	v := b.Cols[s.fields[0].Col]
	for n := range b.Rows() {
		i := n
		if b.Sel != nil {
			i = int(b.Sel[n])
		}
		p := prefix(v, i)
		if s.fields[0].Desc {
			p = ^p
		}
		if p > s.bound {
			continue
		}
		s.rows = append(s.rows, sortRow{p, uint32(last)<<columnar.PickShift | uint32(src.N+len(s.slots))})
		s.slots = append(s.slots, int32(i))
	}
	src.AppendSlots(b, s.slots)
	return s.mem.To(s.full + src.SizeBytes() + int64(cap(s.rows))*16)
}

// cut orders the rows and drops those beyond the limit.
func (s *sorter) cut() {
	slices.SortFunc(s.rows, s.compare)
	if s.limit >= 0 && len(s.rows) > s.limit {
		s.rows = s.rows[:s.limit]
		s.bound = s.rows[s.limit-1].prefix
	}
}

// compact moves the kept rows, which are in order, into one new source. Their
// order there stands for the order of input: equal rows are in it already.
func (s *sorter) compact() {
	s.picks = s.picks[:0]
	for i := range s.rows {
		s.picks = append(s.picks, s.rows[i].pick)
		s.rows[i].pick = uint32(i)
	}
	to := columnar.NewBatch(s.types, len(s.rows))
	to.AppendPicks(s.sources, s.picks)
	s.sources, s.full = []*columnar.Batch{to}, 0
}

func (s *sorter) compare(a, b sortRow) int {
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	x, y := s.sources[a.pick>>columnar.PickShift], s.sources[b.pick>>columnar.PickShift]
	i, j := int(a.pick&columnar.PickMask), int(b.pick&columnar.PickMask)
	for _, f := range s.fields {
		c := compareSlots(x.Cols[f.Col], i, y.Cols[f.Col], j)
		if f.Desc {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(a.pick, b.pick)
}

// prefix orders as slot i does, as far as 63 bits tell: 0 is null.
func prefix(v *columnar.Vector, i int) uint64 {
	const valued = 1 << 63
	if v.IsNull(i) {
		return 0
	}
	if v.Dict != nil {
		v, i = v.Dict, int(v.Codes[i])
	}
	switch columnar.LayoutOf(v.Type) {
	case columnar.I32:
		return valued | uint64(uint32(v.I32[i])^1<<31)
	case columnar.I64:
		return valued | (uint64(v.I64[i])^1<<63)>>1
	case columnar.F32:
		return floatPrefix(float64(v.F32[i]))
	case columnar.F64:
		return floatPrefix(v.F64[i])
	case columnar.D128:
		return valued | (uint64(v.D128[i].Hi)^1<<63)>>1
	case columnar.T96:
		return valued | (uint64(v.I64[i])^1<<63)>>1
	}
	b := v.Data[v.Off[i]:v.Off[i+1]]
	if len(b) >= 8 {
		return valued | binary.BigEndian.Uint64(b)>>1
	}
	var p uint64
	for k, c := range b {
		p |= uint64(c) << (56 - 8*k)
	}
	return valued | p>>1
}

func floatPrefix(f float64) uint64 {
	if f-f != 0 {
		return 0
	}
	u := math.Float64bits(f + 0)
	if u>>63 == 1 {
		u = ^u
	} else {
		u |= 1 << 63
	}
	return 1<<63 | u>>1
}

// compareSlots orders two slots of vectors of one type that are not in dictionary form.
func compareSlots(x *columnar.Vector, i int, y *columnar.Vector, j int) int {
	xn, yn := unordered(x, i), unordered(y, j)
	if xn || yn {
		switch {
		case xn && yn:
			return 0
		case xn:
			return -1
		}
		return 1
	}
	switch columnar.LayoutOf(x.Type) {
	case columnar.I32:
		return cmp.Compare(x.I32[i], y.I32[j])
	case columnar.I64:
		return cmp.Compare(x.I64[i], y.I64[j])
	case columnar.F32:
		return cmp.Compare(x.F32[i], y.F32[j])
	case columnar.F64:
		return cmp.Compare(x.F64[i], y.F64[j])
	case columnar.D128:
		return x.D128[i].Compare(y.D128[j])
	case columnar.T96:
		return cmp.Compare(expr.Micros(x, i), expr.Micros(y, j))
	}
	return bytes.Compare(x.Data[x.Off[i]:x.Off[i+1]], y.Data[y.Off[j]:y.Off[j+1]])
}

// unordered reports whether SQL sees a null in slot i.
func unordered(v *columnar.Vector, i int) bool {
	switch {
	case v.IsNull(i):
		return true
	case v.F64 != nil && columnar.LayoutOf(v.Type) == columnar.F64:
		return v.F64[i]-v.F64[i] != 0
	case v.F32 != nil && columnar.LayoutOf(v.Type) == columnar.F32:
		return v.F32[i]-v.F32[i] != 0
	}
	return false
}
