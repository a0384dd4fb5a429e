package schema

import (
	"fmt"
	"sync/atomic"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Evolution turns rows of a file of one schema into rows of wanted columns.
// It is immutable and safe for many goroutines.
type Evolution struct {
	file   []types.Field
	wanted []types.Field
	steps  []*step
	same   bool
}

// step makes one wanted vector.
type step struct {
	do    action
	to    types.Type
	from  types.Type
	src   int     // place of the file column, or of the member in the file's ROW
	sub   []*step // members of a ROW, or key and value, or element
	nulls atomic.Pointer[columnar.Vector]
}

type action uint8

const (
	keep    action = iota // the same values
	missing               // all null
	convertValues
	members // ROW by ROW, member by member
	entries // ARRAY, MAP and MULTISET: what lies inside
)

// Evolve says how rows that were written under the schema from become rows of
// the columns to: matched by field id, ROW members too; null where from has no
// such id; cast where the type differs. System columns and _KEY_ columns are
// found by their ids. A change that Paimon does not know is an error.
func Evolve(from *Schema, to []types.Field) (*Evolution, error) {
	e := &Evolution{wanted: to, same: true}
	place := map[int]int{} // file field id -> place in e.file
	for _, f := range to {
		src, ok := fileField(from, f)
		if !ok {
			e.steps = append(e.steps, &step{do: missing, to: f.Type})
			e.same = false
			continue
		}
		s, err := evolveType(src.Type, f.Type)
		if err != nil {
			return nil, fmt.Errorf("column %s under schema %d: %w", f.Name, from.ID, err)
		}
		at, known := place[src.ID]
		if !known {
			at = len(e.file)
			place[src.ID] = at
			src.Type = s.from
			e.file = append(e.file, src)
		}
		s.src = at
		e.same = e.same && s.do == keep && s.from.Equal(s.to) && at == len(e.steps)
		e.steps = append(e.steps, s)
	}
	return e, nil
}

// fileField finds the column of the file that has the id of a wanted one.
func fileField(from *Schema, f types.Field) (types.Field, bool) {
	switch f.ID {
	case types.SequenceNumberID, types.ValueKindID, types.LevelID, types.RowKindID, types.RowIDID:
		return f, true
	}
	key := f.ID >= types.KeyIDOffset
	id := f.ID
	if key {
		id -= types.KeyIDOffset
	}
	for _, c := range from.Fields {
		if c.ID == id {
			if key {
				c.ID, c.Name = f.ID, types.KeyPrefix+c.Name
			}
			return c, true
		}
	}
	return types.Field{}, false
}

// evolveType is the step from a file's type to a wanted one. Its from is the
// part of the file's type that must be read.
func evolveType(from, to types.Type) (*step, error) {
	if from.SameValues(to) {
		return &step{do: keep, from: from, to: to}, nil
	}
	if from.Kind == to.Kind {
		switch from.Kind {
		case types.Row:
			return evolveRow(from, to)
		case types.Array, types.Multiset:
			elem, err := evolveType(*from.Elem, *to.Elem)
			if err != nil {
				return nil, err
			}
			from.Elem = &elem.from
			return &step{do: entries, from: from, to: to, sub: []*step{elem}}, nil
		case types.Map:
			if !from.Key.SameValues(*to.Key) {
				return nil, fmt.Errorf("keys of a MAP changed from %s to %s", from.Key, to.Key)
			}
			value, err := evolveType(*from.Elem, *to.Elem)
			if err != nil {
				return nil, err
			}
			from.Elem = &value.from
			key := &step{do: keep, from: *from.Key, to: *to.Key}
			return &step{do: entries, from: from, to: to, sub: []*step{key, value}}, nil
		}
	}
	if !castable(from, to) {
		return nil, fmt.Errorf("cannot cast %s to %s", from.WithNotNull(false), to.WithNotNull(false))
	}
	return &step{do: convertValues, from: from, to: to}, nil
}

// evolveRow matches members by id. Of the file's members only those that are
// wanted are read, and one at least, which tells null rows.
func evolveRow(from, to types.Type) (*step, error) {
	out := &step{do: members, to: to}
	var read []types.Field
	for _, f := range to.Fields {
		at := -1
		for i := range from.Fields {
			if from.Fields[i].ID == f.ID {
				at = i
			}
		}
		if at < 0 {
			out.sub = append(out.sub, &step{do: missing, to: f.Type})
			continue
		}
		s, err := evolveType(from.Fields[at].Type, f.Type)
		if err != nil {
			return nil, fmt.Errorf("member %s: %w", f.Name, err)
		}
		s.src = len(read)
		m := from.Fields[at]
		m.Type = s.from
		read = append(read, m)
		out.sub = append(out.sub, s)
	}
	if len(read) == 0 {
		read = from.Fields[:1]
	}
	from.Fields = read
	out.from = from
	return out, nil
}

// FileFields are the columns to read, with the names and types that the file
// has them under. Of a ROW only the members that are needed are named.
func (e *Evolution) FileFields() []types.Field { return e.file }

// Apply returns a batch of the wanted columns made from one of FileFields, with
// the same slots, selection and row kinds. It shares memory with b and is valid
// as long. An error is a text in the file that cannot be cast.
func (e *Evolution) Apply(b *columnar.Batch) (*columnar.Batch, error) {
	if e.same {
		return b, nil
	}
	out := &columnar.Batch{N: b.N, Sel: b.Sel, Kinds: b.Kinds, Cols: make([]*columnar.Vector, len(e.steps))}
	for i, s := range e.steps {
		var src *columnar.Vector
		if s.do != missing {
			src = b.Cols[s.src]
		}
		v, err := s.run(src, b.N)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", e.wanted[i].Name, err)
		}
		out.Cols[i] = v
	}
	return out, nil
}

func (s *step) run(src *columnar.Vector, n int) (*columnar.Vector, error) {
	switch s.do {
	case keep:
		return retyped(src, s.to), nil
	case missing:
		return s.nullsOf(n), nil
	case convertValues:
		return Cast(src, s.to)
	}
	out := *src
	out.Type = s.to
	out.Children = make([]*columnar.Vector, len(s.sub))
	for i, sub := range s.sub {
		var child *columnar.Vector
		length := src.N
		switch {
		case s.do == entries && sub.do != missing:
			child = src.Children[i]
			length = child.N
		case sub.do != missing:
			child = src.Children[sub.src]
		}
		v, err := sub.run(child, length)
		if err != nil {
			return nil, err
		}
		out.Children[i] = v
	}
	if s.to.Kind == types.Multiset { // the counts stay
		out.Children = append(out.Children, src.Children[1])
	}
	return &out, nil
}

// nullsOf is a vector of n nulls. The memory is kept from call to call.
func (s *step) nullsOf(n int) *columnar.Vector {
	if v := s.nulls.Load(); v != nil && v.N == n {
		out := *v
		return &out
	}
	v := nullVector(s.to, n)
	s.nulls.Store(v)
	out := *v
	return &out
}

// nullVector is a vector of n nulls.
func nullVector(t types.Type, n int) *columnar.Vector {
	v := &columnar.Vector{Type: t, N: n, Valid: make([]uint64, (n+63)/64)}
	childSlots := n
	switch columnar.LayoutOf(t) {
	case columnar.I32:
		v.I32 = make([]int32, n)
	case columnar.I64:
		v.I64 = make([]int64, n)
	case columnar.F32:
		v.F32 = make([]float32, n)
	case columnar.F64:
		v.F64 = make([]float64, n)
	case columnar.D128:
		v.D128 = make([]columnar.Int128, n)
	case columnar.T96:
		v.I64, v.I32 = make([]int64, n), make([]int32, n)
	case columnar.Str:
		v.Off = make([]int32, n+1)
	case columnar.List:
		v.Off = make([]int32, n+1)
		childSlots = 0
	case columnar.Fixed:
		childSlots = n * t.Length
	}
	for _, ct := range columnar.ChildTypes(t) {
		v.Children = append(v.Children, nullVector(ct, childSlots))
	}
	return v
}
