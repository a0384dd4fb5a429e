package predicate

import (
	"math"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// MaxPoints is the most combinations that Points returns.
const MaxPoints = 1000

// Points returns combinations of values of the columns such that every row that
// matches has one of them: the keys to look up, or to compute buckets from. Each has a
// value per column, in the order of cols, none of them null; none is there twice. ok
// is false when the predicate does not fix all the columns, or by more than MaxPoints
// combinations. No combinations and ok: no row matches.
func (n *Node) Points(cols []int) (points [][]columnar.Value, ok bool) {
	if n == nil || len(cols) == 0 {
		return nil, false
	}
	if n.Op == OpOr {
		return n.orPoints(cols)
	}
	points, ok = n.product(cols)
	for _, c := range n.Conjuncts() {
		if c.Op != OpOr || ok && len(points) <= 1 {
			continue
		}
		if p, found := c.orPoints(cols); found && (!ok || len(p) < len(points)) {
			points, ok = p, true
		}
	}
	return points, ok
}

// orPoints is the union over the children.
func (n *Node) orPoints(cols []int) (points [][]columnar.Value, ok bool) {
	s := newPointSet()
	for _, c := range n.Children {
		p, ok := c.Points(cols)
		if !ok {
			return nil, false
		}
		for _, vals := range p {
			if s.add(vals); len(s.points) > MaxPoints {
				return nil, false
			}
		}
	}
	return s.points, true
}

// pointSet keeps points once. Values are told apart by their bits.
type pointSet struct {
	seen   map[string]bool
	points [][]columnar.Value
	key    []byte
}

func newPointSet() pointSet {
	return pointSet{seen: map[string]bool{}, points: [][]columnar.Value{}}
}

func (s *pointSet) add(vals []columnar.Value) {
	s.key = s.key[:0]
	for _, v := range vals {
		s.key = appendIdentity(s.key, v)
	}
	if !s.seen[string(s.key)] {
		s.seen[string(s.key)] = true
		s.points = append(s.points, vals)
	}
}

func appendIdentity(dst []byte, v columnar.Value) []byte {
	for _, x := range [4]uint64{uint64(v.I), uint64(v.Hi), math.Float64bits(v.F), uint64(len(v.S))} {
		for range 8 {
			dst = append(dst, byte(x))
			x >>= 8
		}
	}
	return append(dst, v.S...)
}

// product combines the values of each column.
func (n *Node) product(cols []int) ([][]columnar.Value, bool) {
	lists := make([][]columnar.Value, len(cols))
	for i, c := range cols {
		vals, ok := n.valuesOf(c)
		if !ok {
			return nil, false
		}
		lists[i] = vals
	}
	total := 1
	for _, l := range lists {
		if total *= len(l); total > MaxPoints {
			return nil, false
		}
	}
	points := make([][]columnar.Value, total)
	for i := range points {
		vals := make([]columnar.Value, len(lists))
		rest := i
		for k := len(lists) - 1; k >= 0; k-- {
			vals[k] = lists[k][rest%len(lists[k])]
			rest /= len(lists[k])
		}
		points[i] = vals
	}
	return points, true
}

// valuesOf are values of a column such that every row that matches has one of them.
func (n *Node) valuesOf(column int) ([]columnar.Value, bool) {
	switch n.Op {
	case OpEq, OpIn:
		if n.Column != column {
			return nil, false
		}
		return keyValues(n.Type, n.Values)
	case OpAnd:
		var best []columnar.Value
		found := false
		for _, c := range n.Children {
			if vals, ok := c.valuesOf(column); ok {
				if found {
					vals = intersection(best, vals)
				}
				best, found = vals, true
			}
		}
		return best, found
	case OpOr:
		s := newPointSet()
		for _, c := range n.Children {
			vals, ok := c.valuesOf(column)
			if !ok {
				return nil, false
			}
			for i := range vals {
				s.add(vals[i : i+1])
			}
			if len(s.points) > MaxPoints {
				return nil, false
			}
		}
		out := make([]columnar.Value, len(s.points))
		for i, p := range s.points {
			out[i] = p[0]
		}
		return out, true
	}
	return nil, false
}

func intersection(a, b []columnar.Value) []columnar.Value {
	in := make(map[string]bool, len(b))
	for _, v := range b {
		in[string(appendIdentity(nil, v))] = true
	}
	out := []columnar.Value{}
	for _, v := range a {
		if in[string(appendIdentity(nil, v))] {
			out = append(out, v)
		}
	}
	return out
}

// keyValues are the values as a column of type t can hold them, each once, without
// nulls. Both zeros of a float stand for each other, and a FLOAT holds no value that
// needs more bits; NaN, which has many forms, is not a point.
func keyValues(t types.Type, vals []columnar.Value) ([]columnar.Value, bool) {
	if len(vals) > 2*MaxPoints {
		return nil, false
	}
	s := newPointSet()
	layout := columnar.LayoutOf(t)
	for _, v := range vals {
		switch {
		case v.Null, layout == columnar.F32 && v.F == v.F && float64(float32(v.F)) != v.F:
			continue
		case v.F != v.F:
			return nil, false
		case (layout == columnar.F32 || layout == columnar.F64) && v.F == 0:
			s.add([]columnar.Value{columnar.FloatValue(0)})
			s.add([]columnar.Value{columnar.FloatValue(math.Copysign(0, -1))})
			continue
		}
		s.add([]columnar.Value{v})
	}
	out := make([]columnar.Value, len(s.points))
	for i, p := range s.points {
		out[i] = p[0]
	}
	return out, true
}
