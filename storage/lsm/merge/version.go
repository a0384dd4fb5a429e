package merge

import (
	"cmp"
	"slices"

	"github.com/lakesql/lakesql/storage/columnar"
)

// VersionOrder is the order of the versions of one key: sequence fields, then the
// sequence number, then retractions before additions. What still ties keeps the
// order it has. The zero value leaves everything as it is.
type VersionOrder struct {
	// Fields are the columns of sequence.field, most significant first.
	Fields []int
	// Descending inverts the comparison of two values of Fields that are not null;
	// null is the lowest either way.
	Descending bool
	// Number is the column of sequence numbers; not read when ByAge is set.
	Number int
	// ByAge says that rows come in the order of their sequence numbers already.
	ByAge bool
}

// none reports whether the order leaves everything as it is.
func (v *VersionOrder) none() bool { return v.ByAge && len(v.Fields) == 0 }

// Compare orders row i of a and row j of b, two versions of one key.
func (v *VersionOrder) Compare(a *columnar.Batch, i int, b *columnar.Batch, j int) int {
	for _, f := range v.Fields {
		x, y := a.Cols[f], b.Cols[f]
		if xn, yn := x.IsNull(i), y.IsNull(j); xn || yn {
			if xn != yn {
				return boolRank(yn) - boolRank(xn)
			}
			continue
		}
		if c := compareSlot(columnar.LayoutOf(x.Type), x, i, y, j); c != 0 {
			if v.Descending {
				return -c
			}
			return c
		}
	}
	if v.ByAge {
		return 0
	}
	if c := cmp.Compare(a.Cols[v.Number].I64[i], b.Cols[v.Number].I64[j]); c != 0 {
		return c
	}
	return boolRank(b.Kind(j).Retract()) - boolRank(a.Kind(i).Retract())
}

func (v *VersionOrder) comparePicks(srcs []*columnar.Batch, p, q uint32) int {
	return v.Compare(srcs[p>>pickShift], int(p&pickMask), srcs[q>>pickShift], int(q&pickMask))
}

// sort brings the picks of one key into order.
func (v *VersionOrder) sort(srcs []*columnar.Batch, picks []uint32) {
	if len(picks) == 2 {
		if v.comparePicks(srcs, picks[0], picks[1]) > 0 {
			picks[0], picks[1] = picks[1], picks[0]
		}
		return
	}
	slices.SortStableFunc(picks, func(p, q uint32) int { return v.comparePicks(srcs, p, q) })
}

// newest is the last of the picks of one key.
func (v *VersionOrder) newest(srcs []*columnar.Batch, picks []uint32) uint32 {
	best := picks[0]
	for _, p := range picks[1:] {
		if v.comparePicks(srcs, best, p) <= 0 {
			best = p
		}
	}
	return best
}
