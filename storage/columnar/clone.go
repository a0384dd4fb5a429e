package columnar

import "github.com/lakesql/lakesql/storage/types"

// Clone returns a copy of the live rows of b that shares nothing with it and has
// no selection.
func (b *Batch) Clone() *Batch {
	c := b.like(b.Rows())
	c.Append(b)
	return c
}

// Compact returns b itself if all of its slots are live, else a copy of the live
// ones without a selection.
func (b *Batch) Compact() *Batch {
	if b.Sel == nil {
		return b
	}
	return b.Clone()
}

// like returns an empty batch of b's columns with room for n rows.
func (b *Batch) like(n int) *Batch {
	c := &Batch{Cols: make([]*Vector, len(b.Cols))}
	for i, v := range b.Cols {
		c.Cols[i] = NewVector(v.Type, n)
	}
	return c
}

// Kind is the row kind of slot i.
func (b *Batch) Kind(i int) types.RowKind {
	if len(b.Kinds) == 0 {
		return types.Insert
	}
	return b.Kinds[i]
}

// SizeBytes is how many bytes the values of the vector take in memory, from the
// lengths of its slices; shared dictionaries count in full.
func (v *Vector) SizeBytes() int64 {
	n := int64(8*len(v.Valid)+4*len(v.I32)+8*len(v.I64)+4*len(v.F32)+8*len(v.F64)+16*len(v.D128)+4*len(v.Off)+4*len(v.Codes)) + int64(len(v.Data))
	for _, c := range v.Children {
		n += c.SizeBytes()
	}
	if v.Dict != nil {
		n += v.Dict.SizeBytes()
	}
	return n
}

// SizeBytes is how many bytes the batch's values take in memory.
func (b *Batch) SizeBytes() int64 {
	n := int64(len(b.Kinds) + 2*len(b.Sel))
	for _, c := range b.Cols {
		n += c.SizeBytes()
	}
	return n
}
