package level

import (
	"cmp"
	"slices"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Section is files whose key ranges hang together by overlaps, packed into the
// fewest sorted runs. No key of one section occurs in another.
type Section struct {
	Runs     []Run
	Min, Max []columnar.Value // of all keys, both included
}

// Files are the files of the section, run by run.
func (s *Section) Files() []*File {
	var out []*File
	for _, r := range s.Runs {
		out = append(out, r.Files...)
	}
	return out
}

// Sections cuts files into sections, in key order. The order of files does not matter.
func Sections(keyTypes []types.Type, files []*File) []Section {
	sorted := slices.Clone(files)
	slices.SortStableFunc(sorted, func(a, b *File) int {
		return cmp.Or(CompareKeys(keyTypes, a.Min, b.Min), CompareKeys(keyTypes, a.Max, b.Max))
	})
	var out []Section
	for i := 0; i < len(sorted); {
		bound := sorted[i].Max
		j := i + 1
		for j < len(sorted) && CompareKeys(keyTypes, sorted[j].Min, bound) <= 0 {
			if CompareKeys(keyTypes, sorted[j].Max, bound) > 0 {
				bound = sorted[j].Max
			}
			j++
		}
		out = append(out, Section{Runs: pack(keyTypes, sorted[i:j]), Min: sorted[i].Min, Max: bound})
		i = j
	}
	return out
}

// pack puts each file behind the run that ends first, if it ends before the file
// begins; else it opens a run. With files sorted by their smallest key that takes
// as few runs as there are files over any one key. The runs are kept as a heap by
// their last key.
func pack(keyTypes []types.Type, sorted []*File) []Run {
	var runs []Run
	last := func(r *Run) []columnar.Value { return r.Files[len(r.Files)-1].Max }
	less := func(i, j int) bool { return CompareKeys(keyTypes, last(&runs[i]), last(&runs[j])) < 0 }
	down := func(i int) {
		for {
			m := i
			for _, c := range [2]int{2*i + 1, 2*i + 2} {
				if c < len(runs) && less(c, m) {
					m = c
				}
			}
			if m == i {
				return
			}
			runs[i], runs[m] = runs[m], runs[i]
			i = m
		}
	}
	for _, f := range sorted {
		if len(runs) > 0 && CompareKeys(keyTypes, last(&runs[0]), f.Min) < 0 {
			r := &runs[0]
			r.Files = append(r.Files, f)
			if r.Level != f.Level {
				r.Level = -1
			}
			down(0)
			continue
		}
		runs = append(runs, Run{Level: f.Level, Files: []*File{f}})
		for i := len(runs) - 1; i > 0 && less(i, (i-1)/2); i = (i - 1) / 2 {
			runs[i], runs[(i-1)/2] = runs[(i-1)/2], runs[i]
		}
	}
	return runs
}

// Raw reports whether the files can be read one after the other as they are: every
// key has one version and none is a retraction. That holds when no file is at level
// 0 or has retractions, and either all are at one level, or old versions are marked
// by deletion vectors, or the table keeps first rows (superseded: one of the two);
// and for a single file without retractions at any level, where keys are unique.
//
// A file at level 0 of a table with superseded versions is never raw: it may hold
// keys that a higher file has and that nothing has marked yet.
func Raw(files []*File, superseded bool) bool {
	for _, f := range files {
		if f.HoldsDeletes() {
			return false
		}
	}
	if len(files) == 1 && !superseded {
		return true
	}
	for _, f := range files {
		if f.Level == 0 || !superseded && f.Level != files[0].Level {
			return false
		}
	}
	return true
}
