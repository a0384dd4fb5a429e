package compact

import (
	"github.com/lakesql/lakesql/storage/lsm/level"
)

// Policy says when runs are folded. The names of the options are the table's.
type Policy struct {
	// Trigger is num-sorted-run.compaction-trigger: fewer runs are left alone. At least 1.
	Trigger int
	// MaxSizeAmplification is compaction.max-size-amplification-percent: how much
	// larger, in percent, all runs but the oldest may be together than the oldest.
	MaxSizeAmplification int
	// SizeRatio is compaction.size-ratio, in percent: a run is taken along when it is
	// at most so much larger than all newer ones together.
	SizeRatio int
}

// Pick returns the runs to fold next, or nil when the bucket is in shape. It looks
// at run sizes alone. The order of the tests is
// Paimon's universal compaction and decides the layout of files: keep it.
//
//  1. Size amplification: all runs, when the newer ones outweigh the oldest too far.
//  2. Size ratio: from the newest run on, those that are no larger than what has
//     been taken before them.
//  3. Number of runs: the same, from as many newest runs as are too many.
func Pick(l *level.Levels, p Policy) *Unit {
	runs := l.Runs()
	n := len(runs)
	if n == 0 || n < p.Trigger {
		return nil
	}
	count := n
	if !amplified(runs, p.MaxSizeAmplification) {
		if count = ratioed(runs, 1, p.SizeRatio); count == 1 {
			if n <= p.Trigger {
				return nil
			}
			count = ratioed(runs, n-p.Trigger+1, p.SizeRatio)
		}
	}
	count, output := outputLevel(runs, count, l.Max())
	u := unit(l, runs[:count], output)
	if len(u.Files) == 1 && u.Files[0].Level == output {
		return nil
	}
	return u
}

func amplified(runs []level.Run, percent int) bool {
	last := len(runs) - 1
	var newer int64
	for _, r := range runs[:last] {
		newer += r.SizeBytes()
	}
	return newer*100 > int64(percent)*runs[last].SizeBytes()
}

// ratioed is how many runs to take, starting with count of them; count itself when
// it is 1 and the next is too large. Once more than one run is taken, a run at level
// 0 or 1 is taken whatever its size: it would stand in the way of the output.
func ratioed(runs []level.Run, count, percent int) int {
	var size int64
	for _, r := range runs[:count] {
		size += r.SizeBytes()
	}
	for _, r := range runs[count:] {
		next := r.SizeBytes()
		if float64(size)*(100+float64(percent))/100 < float64(next) && (count == 1 || r.Level > 1) {
			break
		}
		size += next
		count++
	}
	return count
}

// outputLevel is where the first count runs go: the level above the next run's. As
// that must not be level 0, runs are taken along until there is another level.
func outputLevel(runs []level.Run, count, highest int) (take, output int) {
	if count < len(runs) {
		output = max(0, runs[count].Level-1)
	}
	for ; output == 0 && count < len(runs); count++ {
		output = runs[count].Level
	}
	if count == len(runs) {
		output = highest
	}
	return count, output
}
