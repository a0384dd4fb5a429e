package level

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/types"
)

// File is a data file with its key range.
type File struct {
	*datafile.Meta
	Min, Max []columnar.Value // first and last key, both included
}

// NewFile reads the key range of a file's metadata. keyTypes are the types of the
// trimmed primary key.
func NewFile(keyTypes []types.Type, m *datafile.Meta) (*File, error) {
	lo, err := row.Deserialize(keyTypes, m.MinKey)
	if err != nil {
		return nil, fmt.Errorf("smallest key of %s: %w", m.Name, err)
	}
	hi, err := row.Deserialize(keyTypes, m.MaxKey)
	if err != nil {
		return nil, fmt.Errorf("largest key of %s: %w", m.Name, err)
	}
	if CompareKeys(keyTypes, lo, hi) > 0 {
		return nil, corrupt.Errorf(m.Name, corrupt.NoOffset, "the manifest says that its first key is above its last")
	}
	return &File{Meta: m, Min: lo, Max: hi}, nil
}

// NewFiles is NewFile for many, in their order.
func NewFiles(keyTypes []types.Type, metas []*datafile.Meta) ([]*File, error) {
	out := make([]*File, len(metas))
	for i, m := range metas {
		f, err := NewFile(keyTypes, m)
		if err != nil {
			return nil, err
		}
		out[i] = f
	}
	return out, nil
}

// CompareKeys orders two keys of the given column types.
func CompareKeys(ts []types.Type, a, b []columnar.Value) int {
	for i := range ts {
		if c := columnar.Compare(ts[i], a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// HoldsDeletes reports whether the file has retractions, or may have: older
// releases did not count them.
func (f *File) HoldsDeletes() bool { return f.DeleteRowCount != 0 }

// Run is files in key order without overlap.
type Run struct {
	Level int // of all files, or -1 where a section packed files of several levels
	Files []*File
}

// SizeBytes is the size of the run on storage.
func (r Run) SizeBytes() int64 {
	var n int64
	for _, f := range r.Files {
		n += f.Meta.SizeBytes
	}
	return n
}

// Sequences is the range of sequence numbers of the run, both included.
func (r Run) Sequences() (lo, hi int64) {
	lo, hi = r.Files[0].MinSequence, r.Files[0].MaxSequence
	for _, f := range r.Files[1:] {
		lo, hi = min(lo, f.MinSequence), max(hi, f.MaxSequence)
	}
	return lo, hi
}

// newestFirst is the order of level 0.
func newestFirst(a, b *File) int {
	return cmp.Or(
		cmp.Compare(b.MaxSequence, a.MaxSequence),
		cmp.Compare(a.MinSequence, b.MinSequence),
		cmp.Compare(a.CreationMillis, b.CreationMillis),
		cmp.Compare(a.Name, b.Name),
	)
}

// ByAge sorts runs by their sequence numbers, oldest first, and reports whether the
// ranges of numbers are disjoint: then the order of runs is the order of the
// versions of every key, and a merge need not look at the numbers.
func ByAge(runs []Run) bool {
	slices.SortStableFunc(runs, func(a, b Run) int {
		al, ah := a.Sequences()
		bl, bh := b.Sequences()
		return cmp.Or(cmp.Compare(al, bl), cmp.Compare(ah, bh))
	})
	for i := 1; i < len(runs); i++ {
		_, before := runs[i-1].Sequences()
		if next, _ := runs[i].Sequences(); next <= before {
			return false
		}
	}
	return true
}
