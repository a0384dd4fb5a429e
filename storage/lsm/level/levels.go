package level

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/types"
)

// Levels are the sorted runs of a bucket. The value is immutable.
type Levels struct {
	keyTypes []types.Type
	level0   []*File   // newest first
	upper    [][]*File // upper[i] is level i+1, in key order
}

// New places files by their levels. count is the number of levels, level 0
// included, at least 2; it is raised when a file lies higher. Files of one level
// above 0 that overlap are a corruption error.
func New(keyTypes []types.Type, metas []*datafile.Meta, count int) (*Levels, error) {
	files, err := NewFiles(keyTypes, metas)
	if err != nil {
		return nil, err
	}
	return place(keyTypes, files, count)
}

// maxLevels is far more levels than any table has: they are kept in an array.
const maxLevels = 1 << 16

func place(keyTypes []types.Type, files []*File, count int) (*Levels, error) {
	if count > maxLevels {
		return nil, fmt.Errorf("%d levels are more than %d", count, maxLevels)
	}
	count = max(count, 2)
	for _, f := range files {
		if f.Level < 0 || f.Level >= maxLevels {
			return nil, corrupt.Errorf(f.Name, corrupt.NoOffset, "the manifest says that it is at level %d", f.Level)
		}
		count = max(count, f.Level+1)
	}
	l := &Levels{keyTypes: keyTypes, upper: make([][]*File, count-1)}
	for _, f := range files {
		if f.Level == 0 {
			l.level0 = append(l.level0, f)
		} else {
			l.upper[f.Level-1] = append(l.upper[f.Level-1], f)
		}
	}
	slices.SortFunc(l.level0, newestFirst)
	for i, fs := range l.upper {
		slices.SortFunc(fs, func(a, b *File) int { return CompareKeys(keyTypes, a.Min, b.Min) })
		for k := 1; k < len(fs); k++ {
			if CompareKeys(keyTypes, fs[k-1].Max, fs[k].Min) >= 0 {
				return nil, corrupt.Errorf(fs[k].Name, corrupt.NoOffset, "overlaps %s at level %d", fs[k-1].Name, i+1)
			}
		}
	}
	return l, nil
}

// KeyTypes are the types of the key's columns.
func (l *Levels) KeyTypes() []types.Type { return l.keyTypes }

// Max is the highest level there is, whether it holds files or not.
func (l *Levels) Max() int { return len(l.upper) }

// HighestNonEmpty is the highest level that holds a file; -1 when there is none.
func (l *Levels) HighestNonEmpty() int {
	for i := len(l.upper) - 1; i >= 0; i-- {
		if len(l.upper[i]) > 0 {
			return i + 1
		}
	}
	if len(l.level0) > 0 {
		return 0
	}
	return -1
}

// Runs are the sorted runs, newest first: the files of level 0, then the levels
// above that hold files.
func (l *Levels) Runs() []Run {
	var out []Run
	for _, f := range l.level0 {
		out = append(out, Run{Level: 0, Files: []*File{f}})
	}
	for i, fs := range l.upper {
		if len(fs) > 0 {
			out = append(out, Run{Level: i + 1, Files: fs})
		}
	}
	return out
}

// Files are all files, in the order of Runs.
func (l *Levels) Files() []*File {
	var out []*File
	for _, r := range l.Runs() {
		out = append(out, r.Files...)
	}
	return out
}

// MaxSequence is the highest sequence number of all files; -1 when there is none,
// so that the next one is 0.
func (l *Levels) MaxSequence() int64 {
	n := int64(-1)
	for _, f := range l.Files() {
		n = max(n, f.MaxSequence)
	}
	return n
}

// Apply returns the levels without the files removed and with the files added. A
// file is known by name and level: an upgrade removes it at one and adds it at
// another. Removing a file that is not there is an error.
func (l *Levels) Apply(removed, added []*datafile.Meta) (*Levels, error) {
	type id struct {
		name  string
		level int
	}
	gone := make(map[id]bool, len(removed))
	for _, m := range removed {
		gone[id{m.Name, m.Level}] = true
	}
	var files []*File
	for _, f := range l.Files() {
		k := id{f.Name, f.Level}
		if gone[k] {
			delete(gone, k)
			continue
		}
		files = append(files, f)
	}
	if len(gone) > 0 {
		missing := make([]string, 0, len(gone))
		for k := range gone {
			missing = append(missing, k.name)
		}
		slices.SortFunc(missing, cmp.Compare)
		return nil, fmt.Errorf("files %v are not in the bucket", missing)
	}
	more, err := NewFiles(l.keyTypes, added)
	if err != nil {
		return nil, err
	}
	return place(l.keyTypes, append(files, more...), len(l.upper)+1)
}
