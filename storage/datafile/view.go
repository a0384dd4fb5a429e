package datafile

import "github.com/lakesql/lakesql/storage/columnar"

// view is slots from to to-1 of v without a copy. from is a multiple of 64, so
// that validity words need not move.
func view(v *columnar.Vector, from, to int) *columnar.Vector {
	out := &columnar.Vector{Type: v.Type, N: to - from, Data: v.Data, Dict: v.Dict}
	if v.Valid != nil {
		out.Valid = v.Valid[from/64:]
	}
	out.I32, out.I64 = part(v.I32, from, to), part(v.I64, from, to)
	out.F32, out.F64 = part(v.F32, from, to), part(v.F64, from, to)
	out.D128, out.Codes = part(v.D128, from, to), part(v.Codes, from, to)
	if len(v.Off) > to {
		out.Off = v.Off[from : to+1]
	}
	for _, c := range v.Children {
		switch columnar.LayoutOf(v.Type) {
		case columnar.Struct:
			c = view(c, from, to)
		case columnar.Fixed:
			c = view(c, from*v.Type.Length, to*v.Type.Length)
		}
		out.Children = append(out.Children, c)
	}
	return out
}

func part[T any](s []T, from, to int) []T {
	if len(s) < to {
		return nil
	}
	return s[from:to]
}

// maxPiece and minPiece bound the rows that are handed to a format at once: enough
// for an encoder to work in large units, and few enough to notice that a file is
// full. The most fits a selection's 16 bits; both are multiples of 64.
const (
	maxPiece = 1 << 16
	minPiece = 1 << 10
)

// pieceRows is how many rows of b make an eighth of a file, within the bounds.
func pieceRows(b *columnar.Batch, targetBytes int64) int {
	if b.N <= minPiece {
		return minPiece
	}
	perRow := b.SizeBytes()/int64(b.N) + 1
	return int(min(max(targetBytes/8/perRow, minPiece), maxPiece)) &^ 63
}

// pieces calls fn with parts of b of at most rows slots, a multiple of 64. A batch
// with a selection is small enough as it is.
func pieces(b *columnar.Batch, rows int, fn func(*columnar.Batch) error) error {
	if b.N <= rows || b.Sel != nil {
		return fn(b)
	}
	for from := 0; from < b.N; from += rows {
		to := min(from+rows, b.N)
		p := &columnar.Batch{N: to - from, Cols: make([]*columnar.Vector, len(b.Cols))}
		if len(b.Kinds) > 0 {
			p.Kinds = b.Kinds[from:to]
		}
		for c, v := range b.Cols {
			p.Cols[c] = view(v, from, to)
		}
		if err := fn(p); err != nil {
			return err
		}
	}
	return nil
}

// cut splits the live rows of a batch of at most maxPiece slots behind the first n,
// without a copy.
func cut(b *columnar.Batch, n int) (head, tail *columnar.Batch) {
	sel := b.Sel
	if sel == nil {
		sel = make([]uint16, b.N)
		for i := range sel {
			sel[i] = uint16(i)
		}
	}
	h, t := *b, *b
	h.Sel, t.Sel = sel[:n:n], sel[n:]
	return &h, &t
}
