package expire

import (
	"errors"
	"fmt"
	"math"

	"github.com/lakesql/lakesql/storage/snapshot"
)

// Options say which snapshots may go.
type Options struct {
	// RetainMax is the most snapshots that stay, whatever their age; 0 is no limit.
	// snapshot.num-retained.max.
	RetainMax int
	// RetainMin is the number that always stays; 0 is 1. snapshot.num-retained.min.
	RetainMin int
	// OlderThanMillis keeps a snapshot whose successor is not older: the time now
	// less snapshot.time-retained, in ms since epoch.
	OlderThanMillis int64
	// MaxDeletes is the most snapshots that go in one call; 0 is no limit.
	// snapshot.expire.limit.
	MaxDeletes int
}

// ErrRetain is returned when RetainMax is less than RetainMin.
var ErrRetain = errors.New("retainMax must not be less than retainMin")

// Table is what Plan must know of a table.
type Table struct {
	Earliest, Latest snapshot.ID
	// Floor is the smallest id that somebody still needs: the next snapshot of the
	// slowest consumer, or one that is being read.
	Floor snapshot.ID
	// TimeMillis is the time of a snapshot; ok is false when its file is missing.
	TimeMillis func(snapshot.ID) (millis int64, ok bool)
}

// Plan returns the first snapshot that stays: those from Earliest to it,
// exclusively, go.
func Plan(t Table, o Options) (snapshot.ID, error) {
	if o.RetainMin <= 0 {
		o.RetainMin = 1
	}
	if o.RetainMax <= 0 {
		o.RetainMax = math.MaxInt
	}
	if o.RetainMax < o.RetainMin {
		return 0, fmt.Errorf("%w: retainMax (%d), retainMin (%d)", ErrRetain, o.RetainMax, o.RetainMin)
	}
	first := t.Earliest // below it age does not count
	if int64(o.RetainMax) < int64(t.Latest) {
		first = max(first, t.Latest-snapshot.ID(o.RetainMax)+1)
	}
	end := min(t.Latest-snapshot.ID(o.RetainMin)+1, t.Floor)
	if o.MaxDeletes > 0 {
		end = min(end, t.Earliest+snapshot.ID(o.MaxDeletes))
	}
	for id := first; id < end; id++ {
		if millis, ok := t.TimeMillis(id + 1); ok && millis >= o.OlderThanMillis {
			return max(id, t.Earliest), nil
		}
	}
	return max(end, t.Earliest), nil
}
