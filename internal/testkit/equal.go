package testkit

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// EqualBatches returns an error that tells the first difference between the live
// rows of two batches: their number, kinds, column types' layouts and values. NaN
// equals NaN; -0.0 differs from 0.0. Forms (dictionary, offsets, spare validity)
// do not count.
func EqualBatches(got, want *columnar.Batch) error {
	if got.Rows() != want.Rows() {
		return fmt.Errorf("%d rows, want %d", got.Rows(), want.Rows())
	}
	if len(got.Cols) != len(want.Cols) {
		return fmt.Errorf("%d columns, want %d", len(got.Cols), len(want.Cols))
	}
	for r := range want.Rows() {
		i, j := slot(got, r), slot(want, r)
		if a, b := kind(got, i), kind(want, j); a != b {
			return fmt.Errorf("row %d: kind %v, want %v", r, a, b)
		}
		for c := range want.Cols {
			if err := EqualSlots(got.Cols[c], i, want.Cols[c], j); err != nil {
				return fmt.Errorf("row %d, column %d: %w", r, c, err)
			}
		}
	}
	return nil
}

func slot(b *columnar.Batch, row int) int {
	if b.Sel != nil {
		return int(b.Sel[row])
	}
	return row
}

func kind(b *columnar.Batch, i int) types.RowKind {
	if len(b.Kinds) == 0 {
		return types.Insert
	}
	return b.Kinds[i]
}

// EqualSlots returns an error that tells how slot i of got differs from slot j of want.
func EqualSlots(got *columnar.Vector, i int, want *columnar.Vector, j int) error {
	lg, lw := columnar.LayoutOf(got.Type), columnar.LayoutOf(want.Type)
	if lg != lw {
		return fmt.Errorf("type %v, want %v", got.Type.Kind, want.Type.Kind)
	}
	if a, b := got.IsNull(i), want.IsNull(j); a || b {
		if a != b {
			return fmt.Errorf("null %t, want null %t", a, b)
		}
		return nil
	}
	switch lw {
	case columnar.List:
		n := want.Off[j+1] - want.Off[j]
		if m := got.Off[i+1] - got.Off[i]; m != n {
			return fmt.Errorf("%d entries, want %d", m, n)
		}
		return equalRuns(got.Children, int(got.Off[i]), want.Children, int(want.Off[j]), int(n))
	case columnar.Struct:
		return equalRuns(got.Children, i, want.Children, j, 1)
	case columnar.Fixed:
		n := want.Type.Length
		return equalRuns(got.Children, i*n, want.Children, j*n, n)
	}
	a, b := got.Value(i), want.Value(j)
	if columnar.Compare(want.Type, a, b) != 0 {
		return fmt.Errorf("value %s, want %s", text(a), text(b))
	}
	return nil
}

func equalRuns(got []*columnar.Vector, i int, want []*columnar.Vector, j, n int) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d members, want %d", len(got), len(want))
	}
	for c := range want {
		for k := range n {
			if err := EqualSlots(got[c], i+k, want[c], j+k); err != nil {
				return fmt.Errorf("member %d, entry %d: %w", c, k, err)
			}
		}
	}
	return nil
}

func text(v columnar.Value) string {
	return fmt.Sprintf("{I:%d Hi:%d F:%v S:%q}", v.I, v.Hi, v.F, v.S)
}

// CheckVector returns an error when a vector breaks the rules of package columnar:
// slices of the wrong length, offsets that fall, values under a null, a set bit
// past the last slot that matters.
func CheckVector(v *columnar.Vector) error {
	if v.Valid != nil && len(v.Valid) < (v.N+63)>>6 {
		return fmt.Errorf("%d validity words for %d slots", len(v.Valid), v.N)
	}
	if v.Dict != nil {
		if len(v.Codes) < v.N {
			return fmt.Errorf("%d codes for %d slots", len(v.Codes), v.N)
		}
		for i, c := range v.Codes[:v.N] {
			if v.IsNull(i) && c != 0 {
				return fmt.Errorf("slot %d is null but has code %d", i, c)
			}
			if !v.IsNull(i) && (c < 0 || int(c) >= v.Dict.N) {
				return fmt.Errorf("slot %d has code %d of %d", i, c, v.Dict.N)
			}
		}
		return CheckVector(v.Dict)
	}
	layout := columnar.LayoutOf(v.Type)
	lengths := map[columnar.Layout][]int{
		columnar.I32: {len(v.I32)}, columnar.I64: {len(v.I64)}, columnar.F32: {len(v.F32)}, columnar.F64: {len(v.F64)},
		columnar.D128: {len(v.D128)}, columnar.T96: {len(v.I64), len(v.I32)}, columnar.Str: {len(v.Off) - 1}, columnar.List: {len(v.Off) - 1},
	}
	for _, n := range lengths[layout] {
		if n != v.N {
			return fmt.Errorf("layout %d: %d values for %d slots", layout, n, v.N)
		}
	}
	if layout == columnar.Str || layout == columnar.List {
		for i := range v.N {
			if v.Off[i] > v.Off[i+1] {
				return fmt.Errorf("offset %d falls from %d to %d", i, v.Off[i], v.Off[i+1])
			}
		}
	}
	if err := checkNulls(v, layout); err != nil {
		return err
	}
	return checkChildren(v, layout)
}

func checkNulls(v *columnar.Vector, layout columnar.Layout) error {
	for i := range v.N {
		if !v.IsNull(i) {
			continue
		}
		zero := true
		switch layout {
		case columnar.I32:
			zero = v.I32[i] == 0
		case columnar.I64:
			zero = v.I64[i] == 0
		case columnar.F32:
			zero = v.F32[i] == 0
		case columnar.F64:
			zero = v.F64[i] == 0
		case columnar.D128:
			zero = v.D128[i] == columnar.Int128{}
		case columnar.T96:
			zero = v.I64[i] == 0 && v.I32[i] == 0
		case columnar.Str, columnar.List:
			zero = v.Off[i] == v.Off[i+1]
		}
		if !zero {
			return fmt.Errorf("slot %d is null but holds a value", i)
		}
	}
	return nil
}

func checkChildren(v *columnar.Vector, layout columnar.Layout) error {
	for c, child := range v.Children {
		want := child.N
		switch layout {
		case columnar.List:
			want = int(v.Off[v.N])
			if child.N < want {
				return fmt.Errorf("member %d has %d entries, offsets reach %d", c, child.N, want)
			}
			want = child.N
		case columnar.Struct:
			want = v.N
		case columnar.Fixed:
			want = v.N * v.Type.Length
		}
		if child.N != want {
			return fmt.Errorf("member %d has %d slots, want %d", c, child.N, want)
		}
		if err := CheckVector(child); err != nil {
			return fmt.Errorf("member %d: %w", c, err)
		}
	}
	return nil
}

// ReadAll reads a reader to its end into one batch of the live rows, checks every
// vector's form on the way and closes the reader. The types are those of the
// reader's columns.
func ReadAll(ctx context.Context, r columnar.Reader, ts []types.Type) (out *columnar.Batch, err error) {
	defer func() { err = errors.Join(err, r.Close()) }()
	out = columnar.NewBatch(ts, 0)
	for {
		b, err := r.Next(ctx)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if b.N == 0 {
			return nil, errors.New("reader returned a batch without slots")
		}
		if len(b.Cols) != len(ts) {
			return nil, fmt.Errorf("reader returned %d columns, want %d", len(b.Cols), len(ts))
		}
		for c, v := range b.Cols {
			if v.N != b.N {
				return nil, fmt.Errorf("column %d has %d slots in a batch of %d", c, v.N, b.N)
			}
			if err := CheckVector(v); err != nil {
				return nil, fmt.Errorf("column %d: %w", c, err)
			}
		}
		appendRows(out, b)
	}
}

func appendRows(out, b *columnar.Batch) {
	if len(b.Kinds) > 0 && len(out.Kinds) < out.N {
		out.Kinds = append(out.Kinds, make([]types.RowKind, out.N-len(out.Kinds))...)
	}
	for r := range b.Rows() {
		i := slot(b, r)
		for c, v := range b.Cols {
			AppendSlot(out.Cols[c], v, i)
		}
		if len(b.Kinds) > 0 || len(out.Kinds) > 0 {
			out.Kinds = append(out.Kinds, kind(b, i))
		}
		out.N++
	}
}

// AppendSlot appends slot i of src, of the same type and in any form, to dst.
func AppendSlot(dst, src *columnar.Vector, i int) {
	if src.IsNull(i) {
		dst.AppendNull()
		return
	}
	from, n := i, 1
	switch columnar.LayoutOf(src.Type) {
	case columnar.List:
		from, n = int(src.Off[i]), int(src.Off[i+1]-src.Off[i])
	case columnar.Fixed:
		from, n = i*src.Type.Length, src.Type.Length
	case columnar.Struct:
	default:
		dst.AppendValue(src.Value(i))
		return
	}
	for c, child := range src.Children {
		for k := range n {
			AppendSlot(dst.Children[c], child, from+k)
		}
	}
	dst.EndList()
}

// Slice is rows from to to of a batch without a selection, as a new batch.
func Slice(b *columnar.Batch, from, to int) *columnar.Batch {
	ts := make([]types.Type, len(b.Cols))
	for c, v := range b.Cols {
		ts[c] = v.Type
	}
	out := columnar.NewBatch(ts, to-from)
	for i := from; i < to; i++ {
		for c, v := range b.Cols {
			AppendSlot(out.Cols[c], v, i)
		}
		if len(b.Kinds) > 0 {
			out.Kinds = append(out.Kinds, b.Kinds[i])
		}
	}
	out.N = to - from
	return out
}

// Dictionary is a column of a flat type in dictionary form, with an entry that no slot
// but, maybe, a null uses.
func Dictionary(c *columnar.Vector) *columnar.Vector {
	d := columnar.NewVector(c.Type, c.N+1)
	d.AppendValue(Extremes(c.Type)[0])
	out := &columnar.Vector{Type: c.Type, N: c.N, Valid: c.Valid, Dict: d}
	for i := range c.N {
		code := 0
		if !c.IsNull(i) {
			code = d.N
			d.AppendValue(c.Value(i))
		}
		out.Codes = append(out.Codes, int32(code))
	}
	return out
}
