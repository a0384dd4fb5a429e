package parquet

import (
	"fmt"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// nestedColumn reads a column of a nested type. Its leaves deliver slots, which are
// put together level by level: see part.
type nestedColumn struct {
	root   *part
	leaves []*leafReader
	out    *columnar.Vector
}

// part is a place in a nested type and how the slots below it tell its instances.
//
// A slot of a leaf begins an instance of the part when its repetition level is at
// most rep and its definition level at least exists. The instance is null when the
// definition level is below def. For a list, the slot holds an entry when its
// definition level is at least entry.
type part struct {
	t       types.Type
	layout  columnar.Layout
	rep     uint8
	exists  uint8
	def     uint8
	entry   uint8
	kids    []*part // nil: a member that the file lacks
	leaf    *leafReader
	tells   *leafReader // the leaf whose levels are looked at
	missing bool
	vector  *columnar.Vector // VECTOR: the entries before they are laid out
}

func newNestedColumn(s *source, n *node, t types.Type) (column, error) {
	c := &nestedColumn{out: columnar.NewVector(t, 0)}
	b := &partBuilder{s: s, c: c}
	var err error
	c.root, err = b.build(n, t, 0, 0)
	return c, err
}

type partBuilder struct {
	s *source
	c *nestedColumn
}

// build makes the part of a node. rep is the number of lists around it, exists the
// definition level of the innermost list's entries.
func (b *partBuilder) build(n *node, t types.Type, rep, exists uint8) (*part, error) {
	if n.repetition == repeated && n.maxRep > rep {
		return b.bareList(n, t, rep, exists)
	}
	p := &part{t: t, layout: columnar.LayoutOf(t), rep: rep, exists: exists, def: n.maxDef}
	var err error
	switch {
	case !t.Nested():
		if n.leaf < 0 {
			return nil, fmt.Errorf("%s is stored as a group, which does not read as %v", n.name, t)
		}
		p.leaf, err = b.leaf(n, t)
		p.tells = p.leaf
		return p, err
	case n.leaf >= 0:
		return nil, fmt.Errorf("%s is stored as %v, which does not read as %v", n.name, n.typ, t)
	case p.layout == columnar.Struct:
		return p, b.members(p, n)
	}
	if len(n.kids) != 1 || n.kids[0].repetition != repeated {
		return nil, fmt.Errorf("%s is stored as a group without a repeated one inside, which does not read as %v", n.name, t)
	}
	return p, b.entries(p, n, n.kids[0])
}

// bareList is a repeated node without a group around it: a list that is never null.
func (b *partBuilder) bareList(n *node, t types.Type, rep, exists uint8) (*part, error) {
	p := &part{t: t, layout: columnar.LayoutOf(t), rep: rep, exists: exists, def: n.maxDef - 1}
	if p.layout != columnar.List && p.layout != columnar.Fixed {
		return nil, fmt.Errorf("%s is stored as a repeated value, which does not read as %v", n.name, t)
	}
	return p, b.entries(p, nil, n)
}

// entries makes the parts of a list's or map's entries, which group repeats.
func (b *partBuilder) entries(p *part, n, group *node) error {
	p.entry = group.maxDef
	types := columnar.ChildTypes(p.t)
	var kids []*node
	if len(types) == 2 {
		if len(group.kids) != 2 {
			return fmt.Errorf("%s has entries of %d members, want key and value", group.name, len(group.kids))
		}
		kids = group.kids
		if k, v := group.child(keyName), group.child(valueName); k != nil && v != nil {
			kids = []*node{k, v}
		}
	} else {
		element := group
		if n != nil && len(group.kids) == 1 && group.name != "array" && group.name != n.name+"_tuple" {
			element = group.kids[0]
		}
		kids = []*node{element}
	}
	for i, kid := range kids {
		k, err := b.build(kid, types[i], group.maxRep, group.maxDef)
		if err != nil {
			return err
		}
		p.kids = append(p.kids, k)
	}
	p.tells = p.kids[0].tells
	if p.layout == columnar.Fixed {
		p.vector = columnar.NewVector(types[0], 0)
	}
	return nil
}

// members makes the parts of a ROW's or VARIANT's members.
func (b *partBuilder) members(p *part, n *node) error {
	names := []string{valueName, metaName}
	if p.t.Kind == types.Row {
		names = names[:0]
		for i := range p.t.Fields {
			names = append(names, p.t.Fields[i].Name)
		}
	} else if n.child("typed_value") != nil {
		return fmt.Errorf("%s is a shredded variant, which is not supported", n.name)
	}
	for i, ct := range columnar.ChildTypes(p.t) {
		kid := n.child(names[i])
		if kid == nil {
			if p.t.Kind == types.Variant {
				return fmt.Errorf("variant %s lacks %s", n.name, names[i])
			}
			p.kids = append(p.kids, &part{t: ct, missing: true})
			continue
		}
		k, err := b.build(kid, ct, p.rep, p.exists)
		if err != nil {
			return err
		}
		p.kids = append(p.kids, k)
		if p.tells == nil {
			p.tells = k.tells
		}
	}
	if p.tells != nil {
		return nil
	}
	// None of the members is in the file: any leaf tells which rows are there.
	leaf := n
	for leaf.leaf < 0 {
		if len(leaf.kids) == 0 {
			return badf("%s is stored as an empty group", n.name)
		}
		leaf = leaf.kids[0]
	}
	p.tells = newLeafReader(b.s, leaf)
	b.c.leaves = append(b.c.leaves, p.tells)
	return nil
}

func (b *partBuilder) leaf(n *node, t types.Type) (*leafReader, error) {
	flat, err := newFlatColumn(b.s, n, t, false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.name, err)
	}
	l := &leafReader{flat: flat, dense: columnar.NewVector(t, 0)}
	b.c.leaves = append(b.c.leaves, l)
	return l, nil
}

func (c *nestedColumn) open(g *rowGroup, _ *groupPages) error {
	for _, l := range c.leaves {
		if err := l.open(g); err != nil {
			return err
		}
	}
	return nil
}

func (c *nestedColumn) release() {
	for _, l := range c.leaves {
		l.flat.release()
	}
}

func (c *nestedColumn) ready() (int, error) { return -1, nil }

func (c *nestedColumn) skip(n int64) error {
	for n > 0 {
		k := int(min(n, columnar.BatchRows))
		for _, l := range c.leaves {
			if err := l.fill(k); err != nil {
				return err
			}
		}
		n -= int64(k)
	}
	return nil
}

func (c *nestedColumn) take(n int) (*columnar.Vector, error) {
	for _, l := range c.leaves {
		if err := l.fill(n); err != nil {
			return nil, err
		}
	}
	if err := c.root.assemble(c.out); err != nil {
		l := c.root.tells.flat
		return nil, l.wrap(l.pos, err)
	}
	if c.out.N != n {
		l := c.root.tells.flat
		return nil, l.wrap(l.pos, badf("%d rows, want %d", c.out.N, n))
	}
	return c.out, nil
}

// assemble makes dst the instances of the part in the slots that its leaves hold.
func (p *part) assemble(dst *columnar.Vector) error {
	dst.Reset()
	switch p.layout {
	case columnar.Struct:
		p.instances(dst, nil)
		for i, k := range p.kids {
			child := dst.Children[i]
			if k.missing {
				child.Reset()
				for range dst.N {
					child.AppendNull()
				}
				continue
			}
			if err := k.assemble(child); err != nil {
				return err
			}
			if child.N != dst.N {
				return badf("members of %d and %d rows", child.N, dst.N)
			}
		}
	case columnar.List:
		n := p.instances(dst, &dst.Off)
		return p.assembleEntries(dst.Children, n)
	case columnar.Fixed:
		off := dst.Off[:0]
		n := p.instances(dst, &off)
		dst.Off = nil
		if err := p.assembleEntries([]*columnar.Vector{p.vector}, n); err != nil {
			return err
		}
		return p.layOut(dst, off)
	default:
		return p.assembleLeaf(dst)
	}
	return nil
}

func (p *part) assembleEntries(dst []*columnar.Vector, n int) error {
	for i, k := range p.kids {
		if err := k.assemble(dst[i]); err != nil {
			return err
		}
		if dst[i].N != n {
			return badf("lists of %d entries hold %d", n, dst[i].N)
		}
	}
	return nil
}

// instances counts the part's instances into dst.N and finds their nulls; for a
// list, off gets their offsets, and the number of entries is returned.
func (p *part) instances(dst *columnar.Vector, off *[]int32) (entries int) {
	l := p.tells
	var b validity
	if off != nil {
		*off = (*off)[:0]
	}
	for i := l.from; i < l.to; i++ {
		def, rep := l.def[i], uint8(0)
		if l.rep != nil {
			rep = l.rep[i]
		}
		if rep <= p.rep {
			if def < p.exists {
				continue
			}
			if off != nil {
				*off = append(*off, int32(entries))
			}
			b.add(def >= p.def)
		}
		if off != nil && def >= p.entry && rep <= p.rep+1 {
			entries++
		}
	}
	if off != nil {
		*off = append(*off, int32(entries))
	}
	dst.N, dst.Valid = b.n, b.bits()
	return entries
}

// layOut fills a VECTOR column from lists, which must have its length.
func (p *part) layOut(dst *columnar.Vector, off []int32) error {
	child := dst.Children[0]
	child.Reset()
	for i := range dst.N {
		if dst.IsNull(i) {
			for range p.t.Length {
				child.AppendNull()
			}
			continue
		}
		if n := int(off[i+1] - off[i]); n != p.t.Length {
			return badf("vector of %d elements, want %d", n, p.t.Length)
		}
		columnar.AppendRange(child, p.vector, int(off[i]), int(off[i+1]))
	}
	return nil
}

// assembleLeaf puts the dense values of a leaf into their instances.
func (p *part) assembleLeaf(dst *columnar.Vector) error {
	l := p.leaf
	at := l.denseFrom
	for i := l.from; i < l.to; {
		def := l.def[i]
		if def < p.exists {
			i++
			continue
		}
		if def < p.def {
			dst.AppendNull()
			i++
			continue
		}
		k := i + 1
		for k < l.to && l.def[k] == def {
			k++
		}
		columnar.AppendRange(dst, l.dense, at, at+k-i)
		at += k - i
		i = k
	}
	return nil
}

// validity collects which instances are there.
type validity struct {
	words []uint64
	n     int
	nulls int
}

func (b *validity) add(valid bool) {
	if b.n&63 == 0 {
		b.words = append(b.words, 0)
	}
	if valid {
		b.words[b.n>>6] |= 1 << uint(b.n&63)
	} else {
		b.nulls++
	}
	b.n++
}

func (b *validity) bits() []uint64 {
	if b.nulls == 0 {
		return nil
	}
	return b.words
}
