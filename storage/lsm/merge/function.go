package merge

import (
	"github.com/lakesql/lakesql/storage/columnar"
)

// Groups are the versions of some keys. Picks name rows of Sources (columnar's
// pick form); those of key g are Picks[Starts[g]:Starts[g+1]], oldest first in the
// total order of versions. Every group has at least one pick. A merge function
// reads Groups and keeps nothing of it.
type Groups struct {
	Sources []*columnar.Batch // all columns of the merge's input; nil where no pick points
	Picks   []uint32
	Starts  []int32 // one more than there are keys
}

// Len is the number of keys.
func (g *Groups) Len() int { return len(g.Starts) - 1 }

// Function folds the versions of a key into one record: a merge engine.
type Function interface {
	// Fold appends one row to dst for each key of g that has a result, in the order
	// of keys, with its row kind. Column i of dst is column output[i] of the
	// sources; a sequence number column gets that of the newest version. A key with
	// one version is taken as it is, its kind included.
	Fold(dst *columnar.Batch, g *Groups, output []int) error
}

// Deduplicate keeps the newest version of a key, whatever its kind. A merge
// without a Function does the same faster, unless IgnoreDelete is set: then
// retractions never replace a version, and a key of several retractions alone has
// no result.
type Deduplicate struct{ IgnoreDelete bool }

var _ Function = Deduplicate{}

// Fold appends the newest version of each key.
func (d Deduplicate) Fold(dst *columnar.Batch, g *Groups, output []int) error {
	winners := make([]uint32, 0, g.Len())
	for i := range g.Len() {
		group := g.Picks[g.Starts[i]:g.Starts[i+1]]
		if len(group) == 1 || !d.IgnoreDelete {
			winners = append(winners, group[len(group)-1])
			continue
		}
		for k := len(group) - 1; k >= 0; k-- {
			p := group[k]
			if !g.Sources[p>>pickShift].Kind(int(p & pickMask)).Retract() {
				winners = append(winners, p)
				break
			}
		}
	}
	g.Gather(dst, winners, output)
	return nil
}

// Fold brings the versions of each key into order v and appends their results by f
// to dst; for a nil f, the newest version of each. A nil output is all columns. It
// moves picks within their groups.
func (g *Groups) Fold(dst *columnar.Batch, v *VersionOrder, f Function, output []int) error {
	if output == nil {
		output = make([]int, len(dst.Cols))
		for i := range output {
			output[i] = i
		}
	}
	if f == nil {
		g.Gather(dst, g.newest(make([]uint32, 0, g.Len()), v), output)
		return nil
	}
	if !v.none() {
		for i := range g.Len() {
			if group := g.Picks[g.Starts[i]:g.Starts[i+1]]; len(group) > 1 {
				v.sort(g.Sources, group)
			}
		}
	}
	return f.Fold(dst, g, output)
}

// newest appends the newest version of each key to picks.
func (g *Groups) newest(picks []uint32, v *VersionOrder) []uint32 {
	for i := range g.Len() {
		a, b := g.Starts[i], g.Starts[i+1]
		p := g.Picks[b-1]
		if b-a > 1 && !v.none() {
			p = v.newest(g.Sources, g.Picks[a:b])
		}
		picks = append(picks, p)
	}
	return picks
}

// Gather appends the picked rows to dst, whose column i is column output[i] of the sources.
func (g *Groups) Gather(dst *columnar.Batch, picks []uint32, output []int) {
	srcs := make([]*columnar.Batch, len(g.Sources))
	for i, s := range g.Sources {
		if s == nil {
			continue
		}
		b := &columnar.Batch{N: s.N, Kinds: s.Kinds, Cols: make([]*columnar.Vector, len(output))}
		for j, o := range output {
			b.Cols[j] = s.Cols[o]
		}
		srcs[i] = b
	}
	dst.AppendPicks(srcs, picks)
}

// versions keeps every version: the inner merges of a cascade whose outer one
// folds.
type versions struct{}

func (versions) Fold(dst *columnar.Batch, g *Groups, output []int) error {
	g.Gather(dst, g.Picks, output)
	return nil
}
