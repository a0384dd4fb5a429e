package stats

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Unknown stands for a null count that is not known.
const Unknown int64 = -1

// Column is what is known of the values of one column in a file or block.
type Column struct {
	Min, Max  columnar.Value // not null; only if HasBounds
	HasBounds bool
	Nulls     int64 // number of nulls; Unknown
}

// Known reports whether the column says anything.
func (c Column) Known() bool { return c.HasBounds || c.Nulls != Unknown }

// ModeKind says how much is kept of a column.
type ModeKind uint8

// The kinds of modes.
const (
	None     ModeKind = iota // nothing
	Counts                   // the null count
	Truncate                 // the null count and bounds, text and bytes cut to Mode.Length
	Full                     // the null count and exact bounds
)

// Mode says how much is kept of a column, the value of the option metadata.stats-mode.
type Mode struct {
	Kind   ModeKind
	Length int // of Truncate: characters of text, or bytes
}

// ParseMode reads none, counts, full or truncate(n), in any case.
func ParseMode(s string) (Mode, error) {
	lower := strings.ToLower(s)
	switch lower {
	case "none":
		return Mode{Kind: None}, nil
	case "counts":
		return Mode{Kind: Counts}, nil
	case "full":
		return Mode{Kind: Full}, nil
	}
	if n, ok := strings.CutPrefix(lower, "truncate("); ok {
		if n, ok = strings.CutSuffix(n, ")"); ok {
			if length, err := strconv.ParseInt(n, 10, 32); err == nil && length > 0 {
				return Mode{Kind: Truncate, Length: int(length)}, nil
			}
		}
	}
	return Mode{}, fmt.Errorf("statistics mode %q is none of none, counts, full, truncate(n) with n > 0", s)
}

// String is the form that ParseMode reads.
func (m Mode) String() string {
	switch m.Kind {
	case None:
		return "none"
	case Counts:
		return "counts"
	case Full:
		return "full"
	}
	return fmt.Sprintf("truncate(%d)", m.Length)
}

// Apply is what the mode keeps of a column of type t whose exact statistics are c.
func (m Mode) Apply(t types.Type, c Column) Column {
	switch {
	case m.Kind == None:
		return Column{Nulls: Unknown}
	case m.Kind == Counts || !c.HasBounds || !bounded(t.Kind):
		return Column{Nulls: c.Nulls}
	case m.Kind == Full || columnar.LayoutOf(t) != columnar.Str:
		return c
	}
	most, ok := truncateMax(t, c.Max.S, m.Length)
	if !ok {
		return Column{Nulls: c.Nulls}
	}
	c.Min.S, c.Max.S = cut(t, c.Min.S, m.Length), most
	return c
}
