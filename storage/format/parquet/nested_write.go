package parquet

import (
	"fmt"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// chooseRows is how many rows of a nested column its encodings are chosen by.
const chooseRows = 16 << 10

// nestedWriter is the columnWriter of a nested column. It takes values apart into
// slots, a slot being what a leaf stores once: at each level of the type the slots
// of the level above are copied to every member, and repeated for every entry of a
// list. A slot that ends early, at a null or an empty list, has no value.
type nestedWriter struct {
	root   *node
	t      types.Type
	chunks []*chunkWriter  // in file order
	levels []slots         // scratch by depth
	gather *columnar.Batch // values of each leaf
	picked []int32         // places of a leaf's values
	leaf   int             // the next of chunks
	choice bool            // encodings are chosen, nothing is written
	rows   int             // of the page
}

// slots are parallel arrays: definition and repetition level, and the place of the
// value in the vector at hand, -1 when the slot has ended.
type slots struct {
	def, rep []uint8
	at       []int32
}

func (s *slots) reset() { s.def, s.rep, s.at = s.def[:0], s.rep[:0], s.at[:0] }

func (s *slots) add(def, rep uint8, at int32) {
	s.def, s.rep, s.at = append(s.def, def), append(s.rep, rep), append(s.at, at)
}

func newNestedWriter(n *node, t types.Type, chunks []*chunkWriter) (columnWriter, error) {
	w := &nestedWriter{root: n, t: t, gather: &columnar.Batch{}}
	w.claim(n, t, chunks)
	return w, nil
}

// claim gives the leaves below n their writers, with the types of their values.
func (w *nestedWriter) claim(n *node, t types.Type, chunks []*chunkWriter) {
	if n.leaf >= 0 {
		c := chunks[n.leaf]
		c.leaf, c.t = n, t
		w.chunks = append(w.chunks, c)
		w.gather.Cols = append(w.gather.Cols, columnar.NewVector(t, 0))
		return
	}
	kids := n.kids
	if columnar.LayoutOf(t) != columnar.Struct {
		if kids = n.kids[0].kids; len(kids) == 0 {
			kids = n.kids
		}
	}
	for i, ct := range columnar.ChildTypes(t) {
		w.claim(kids[i], ct, chunks)
	}
}

func (w *nestedWriter) choose(v *columnar.Vector, from, to int) error {
	w.choice = true
	return w.shred(v, from, min(to, from+chooseRows))
}

func (w *nestedWriter) settled() {}

func (w *nestedWriter) page(v *columnar.Vector, from, to int) error {
	w.choice, w.rows = false, to-from
	return w.shred(v, from, to)
}

func (w *nestedWriter) shred(v *columnar.Vector, from, to int) error {
	w.leaf = 0
	s := w.scratch(0)
	for i := from; i < to; i++ {
		s.add(0, 0, int32(i))
	}
	return w.visit(w.root, v, 0)
}

// scratch gives the slots of a depth, emptied.
func (w *nestedWriter) scratch(depth int) *slots {
	for len(w.levels) <= depth {
		w.levels = append(w.levels, slots{})
	}
	s := &w.levels[depth]
	s.reset()
	return s
}

// visit takes the values of n, whose slots stand at depth, apart.
func (w *nestedWriter) visit(n *node, v *columnar.Vector, depth int) error {
	if v.Dict != nil {
		flat := columnar.NewVector(v.Type, v.N)
		columnar.AppendRange(flat, v, 0, v.N)
		v = flat
	}
	if err := w.define(n, v, depth); err != nil {
		return err
	}
	switch columnar.LayoutOf(v.Type) {
	case columnar.Struct:
		for i, kid := range n.kids {
			out := w.scratch(depth + 1)
			in := &w.levels[depth]
			out.def, out.rep, out.at = append(out.def, in.def...), append(out.rep, in.rep...), append(out.at, in.at...)
			if err := w.visit(kid, v.Children[i], depth+1); err != nil {
				return err
			}
		}
		return nil
	case columnar.List, columnar.Fixed:
		group := n.kids[0]
		for i, kid := range group.kids {
			w.repeat(v, depth, group.maxRep)
			if err := w.visit(kid, v.Children[i], depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return w.emit(n, v, &w.levels[depth])
}

// define raises the definition level of the slots whose value is there.
func (w *nestedWriter) define(n *node, v *columnar.Vector, depth int) error {
	s := &w.levels[depth]
	if n.repetition != optional && v.Valid == nil {
		return nil
	}
	for i, at := range s.at {
		switch {
		case at < 0:
		case v.IsNull(int(at)):
			if n.repetition != optional {
				return fmt.Errorf("%s is NOT NULL and has a null", n.name)
			}
			s.at[i] = -1
		case n.repetition == optional:
			s.def[i]++
		}
	}
	return nil
}

// repeat puts a slot for every entry of a list at depth+1.
func (w *nestedWriter) repeat(v *columnar.Vector, depth int, maxRep uint8) {
	out := w.scratch(depth + 1)
	in := &w.levels[depth]
	for i, at := range in.at {
		if at < 0 {
			out.add(in.def[i], in.rep[i], -1)
			continue
		}
		from, to := at*int32(v.Type.Length), (at+1)*int32(v.Type.Length)
		if v.Type.Kind != types.Vector {
			from, to = v.Off[at], v.Off[at+1]
		}
		if from == to {
			out.add(in.def[i], in.rep[i], -1)
		}
		rep := in.rep[i]
		for k := from; k < to; k++ {
			out.add(in.def[i]+1, rep, k)
			rep = maxRep
		}
	}
}

// emit hands the slots of a leaf to its chunk.
func (w *nestedWriter) emit(n *node, v *columnar.Vector, s *slots) error {
	c, dst := w.chunks[w.leaf], w.gather.Cols[w.leaf]
	w.leaf++
	dst.Reset()
	w.picked = w.picked[:0]
	for _, at := range s.at {
		if at >= 0 {
			w.picked = append(w.picked, at)
		}
	}
	columnar.Gather(dst, v, w.picked)
	if err := c.vals.set(n, dst, 0, dst.N); err != nil {
		return err
	}
	if w.choice {
		c.choose(&c.vals)
		return nil
	}
	c.body = c.body[:0]
	for _, l := range []struct {
		levels []uint8
		limit  uint8
	}{{s.rep, n.maxRep}, {s.def, n.maxDef}} {
		if l.limit > 0 {
			var at int
			c.body, at = openLevels(c.body)
			c.body = appendLevels(c.body, l.levels, l.limit)
			closeLevels(c.body, at)
		}
	}
	return c.page(&c.vals, nil, c.body, len(s.at), w.rows)
}
