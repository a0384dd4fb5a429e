package columnar

// AppendRange appends slots from to to-1 of src to dst. Both have the same type;
// src may be in dictionary form, dst never stays in it. dst and src must differ.
func AppendRange(dst, src *Vector, from, to int) {
	if from >= to {
		return
	}
	if src.Dict != nil {
		rows := make([]int32, to-from)
		for i := range rows {
			rows[i] = int32(from + i)
		}
		gatherDict(dst, src, rows)
		return
	}
	dst.open()
	dst.appendBits(src.Valid, from, to)
	switch LayoutOf(dst.Type) {
	case I32:
		dst.I32 = append(dst.I32, src.I32[from:to]...)
	case I64:
		dst.I64 = append(dst.I64, src.I64[from:to]...)
	case F32:
		dst.F32 = append(dst.F32, src.F32[from:to]...)
	case F64:
		dst.F64 = append(dst.F64, src.F64[from:to]...)
	case D128:
		dst.D128 = append(dst.D128, src.D128[from:to]...)
	case T96:
		dst.I64 = append(dst.I64, src.I64[from:to]...)
		dst.I32 = append(dst.I32, src.I32[from:to]...)
	case Str:
		a, b := src.Off[from], src.Off[to]
		dst.appendOffsets(src, from, to)
		dst.growData(int(b - a))
		dst.Data = append(dst.Data, src.Data[a:b]...)
	case List:
		a, b := int(src.Off[from]), int(src.Off[to])
		dst.appendOffsets(src, from, to)
		for i, c := range dst.Children {
			AppendRange(c, src.Children[i], a, b)
		}
	case Struct:
		for i, c := range dst.Children {
			AppendRange(c, src.Children[i], from, to)
		}
	case Fixed:
		n := dst.Type.Length
		AppendRange(dst.Children[0], src.Children[0], from*n, to*n)
	}
	dst.N += to - from
}

// appendOffsets appends the offsets of slots from to to-1 of src, moved to where
// dst ends.
func (v *Vector) appendOffsets(src *Vector, from, to int) {
	at := len(v.Off)
	move := v.Off[at-1] - src.Off[from]
	v.Off = extend(v.Off, to-from)
	out := v.Off[at:]
	for i, o := range src.Off[from+1 : to+1] {
		out[i] = o + move
	}
}

// AppendRows appends the slots that sel names to dst: all of src for a nil sel.
func AppendRows(dst, src *Vector, sel []uint16) {
	if sel == nil {
		AppendRange(dst, src, 0, src.N)
		return
	}
	Gather(dst, src, widen(sel))
}

func widen(sel []uint16) []int32 {
	rows := make([]int32, len(sel))
	for i, s := range sel {
		rows[i] = int32(s)
	}
	return rows
}

// Flatten turns a vector in dictionary form into plain values, in place; the
// dictionary is left as it is. Other vectors do not change.
func (v *Vector) Flatten() {
	if v.Dict == nil {
		return
	}
	flat := NewVector(v.Type, v.N)
	if v.N > 0 {
		AppendRange(flat, v, 0, v.N)
	}
	*v = *flat
}

// Append appends the live rows of src to b, which has the same columns and no
// selection. src is not changed.
func (b *Batch) Append(src *Batch) {
	if src.Sel != nil {
		b.AppendSlots(src, widen(src.Sel))
		return
	}
	b.AppendSlotRange(src, 0, src.N)
}

// AppendSlotRange appends slots from to to-1 of src, whatever its selection says.
func (b *Batch) AppendSlotRange(src *Batch, from, to int) {
	for i, c := range b.Cols {
		AppendRange(c, src.Cols[i], from, to)
	}
	if b.needKinds(src.Kinds != nil) {
		if src.Kinds != nil {
			b.Kinds = append(b.Kinds, src.Kinds[from:to]...)
		} else {
			b.Kinds = appendZeros(b.Kinds, to-from)
		}
	}
	b.N += to - from
}

// AppendSlots appends the slots rows of src, in that order, whatever its selection says.
func (b *Batch) AppendSlots(src *Batch, rows []int32) {
	for i, c := range b.Cols {
		Gather(c, src.Cols[i], rows)
	}
	if b.needKinds(src.Kinds != nil) {
		if src.Kinds != nil {
			b.Kinds = gatherFixed(b.Kinds, src.Kinds, rows)
		} else {
			b.Kinds = appendZeros(b.Kinds, len(rows))
		}
	}
	b.N += len(rows)
}

// AppendPicks appends the picked slots of srcs, in that order. A source that no
// pick names may be nil.
func (b *Batch) AppendPicks(srcs []*Batch, picks []uint32) {
	vs := make([]*Vector, len(srcs))
	for i, c := range b.Cols {
		for j, s := range srcs {
			if s != nil {
				vs[j] = s.Cols[i]
			}
		}
		GatherMulti(c, vs, picks)
	}
	any := false
	for _, s := range srcs {
		any = any || s != nil && s.Kinds != nil
	}
	if b.needKinds(any) {
		for _, p := range picks {
			b.Kinds = append(b.Kinds, srcs[p>>PickShift].Kind(int(p&PickMask)))
		}
	}
	b.N += len(picks)
}

// needKinds prepares Kinds for an append and reports whether rows need one.
func (b *Batch) needKinds(src bool) bool {
	if len(b.Kinds) == 0 && (b.N > 0 || !src) {
		if !src {
			b.Kinds = nil
			return false
		}
		b.Kinds = appendZeros(b.Kinds, b.N)
	}
	return true
}

func appendZeros[T any](s []T, n int) []T {
	at := len(s)
	s = extend(s, n)
	clear(s[at:])
	return s
}
