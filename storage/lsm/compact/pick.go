package compact

import (
	"github.com/lakesql/lakesql/storage/lsm/level"
)

// Unit is what to compact.
type Unit struct {
	Files       []*level.File
	OutputLevel int
	// DropDeletes says that no older record of any key of the unit remains, so that
	// retractions have done their work.
	DropDeletes bool
}

// PickFull returns all runs, to be folded into the highest level; nil when the
// bucket is in that shape already.
func PickFull(l *level.Levels) *Unit {
	runs := l.Runs()
	if len(runs) == 0 || len(runs) == 1 && runs[0].Level == l.Max() {
		return nil
	}
	return unit(l, runs, l.Max())
}

// unit makes a unit of the runs, a prefix of those of l.
func unit(l *level.Levels, runs []level.Run, output int) *Unit {
	u := &Unit{OutputLevel: output, DropDeletes: output != 0 && output >= l.HighestNonEmpty()}
	for _, r := range runs {
		u.Files = append(u.Files, r.Files...)
	}
	return u
}

// Step is one part of a unit, in key order: a file to move to the output level, a
// file to leave where it is, or sections to write anew.
type Step struct {
	Move    *level.File
	Rewrite []level.Section
}

// Plan cuts a unit into steps. Files below smallBytes that overlap no other are
// written anew with their neighbours; one that has no neighbour to go with is
// moved. Files that stay as they are appear in no step.
func Plan(l *level.Levels, u *Unit, smallBytes int64) []Step {
	p := planner{l: l, u: u}
	for _, s := range level.Sections(l.KeyTypes(), u.Files) {
		if len(s.Runs) > 1 {
			p.waiting = append(p.waiting, s)
			continue
		}
		for _, f := range s.Runs[0].Files {
			if f.Meta.SizeBytes >= smallBytes {
				p.rewrite()
				p.move(f)
				continue
			}
			p.waiting = append(p.waiting, single(f))
		}
	}
	p.rewrite()
	return p.steps
}

// planner collects sections that are to be written anew together.
type planner struct {
	l       *level.Levels
	u       *Unit
	waiting []level.Section
	steps   []Step
}

func single(f *level.File) level.Section {
	return level.Section{Runs: []level.Run{{Level: f.Level, Files: []*level.File{f}}}, Min: f.Min, Max: f.Max}
}

// rewrite ends the group that is waiting: one file alone is moved, all else is
// written.
func (p *planner) rewrite() {
	w := p.waiting
	p.waiting = nil
	switch {
	case len(w) == 0:
	case len(w) == 1 && len(w[0].Runs) == 1:
		p.move(w[0].Runs[0].Files[0])
	default:
		p.steps = append(p.steps, Step{Rewrite: w})
	}
}

// move brings a file that overlaps no other to the output level.
func (p *planner) move(f *level.File) {
	if p.u.OutputLevel == p.l.Max() && f.HoldsDeletes() {
		p.steps = append(p.steps, Step{Rewrite: []level.Section{single(f)}})
		return
	}
	if f.Level != p.u.OutputLevel {
		p.steps = append(p.steps, Step{Move: f})
	}
}
