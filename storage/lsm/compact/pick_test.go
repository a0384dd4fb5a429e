package compact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/lsm/level"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/types"
)

var textKey = []types.Type{types.String().WithNotNull(true)}

// parseFile reads "L0 name [a,f] size=10 seq=1-5 del=2".
func parseFile(t *testing.T, line string) *datafile.Meta {
	t.Helper()
	w := strings.Fields(line)
	m := &datafile.Meta{Name: w[1], RowCount: 1}
	fmt.Sscanf(w[0], "L%d", &m.Level)
	lo, hi, _ := strings.Cut(strings.Trim(w[2], "[]"), ",")
	key := func(s string) []byte {
		return row.Serialize(textKey, []columnar.Value{columnar.StringValue(s)})
	}
	m.MinKey, m.MaxKey = key(lo), key(hi)
	for _, o := range w[3:] {
		switch k, v, _ := strings.Cut(o, "="); k {
		case "seq":
			fmt.Sscanf(v, "%d-%d", &m.MinSequence, &m.MaxSequence)
		case "size":
			fmt.Sscan(v, &m.SizeBytes)
		case "del":
			fmt.Sscan(v, &m.DeleteRowCount)
		default:
			t.Fatalf("bad word %q", o)
		}
	}
	return m
}

func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var l *level.Levels
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "levels":
				count := 6
				d.MaybeScanArgs(t, "count", &count)
				var metas []*datafile.Meta
				for line := range strings.Lines(d.Input) {
					metas = append(metas, parseFile(t, line))
				}
				var err error
				if l, err = level.New(textKey, metas, count); err != nil {
					return err.Error()
				}
				return fmt.Sprintf("%d runs", len(l.Runs()))
			case "runs":
				// level:size, newest first; all over one key range.
				count := 6
				d.MaybeScanArgs(t, "count", &count)
				l = runsOf(t, strings.Fields(d.Input), count)
				return fmt.Sprintf("%d runs", len(l.Runs()))
			case "pick":
				var p Policy
				d.ScanArgs(t, "trigger", &p.Trigger)
				d.ScanArgs(t, "ratio", &p.SizeRatio)
				d.ScanArgs(t, "amp", &p.MaxSizeAmplification)
				u := Pick(l, p)
				if u == nil {
					return "nothing to do"
				}
				return fmt.Sprintf("newest %d -> L%d, drop deletes %v", len(u.Files), u.OutputLevel, u.DropDeletes)
			case "full":
				small := int64(100)
				d.MaybeScanArgs(t, "small", &small)
				return showUnit(l, PickFull(l), small)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

// runsOf makes levels of runs "level:size", newest first, each of one file.
func runsOf(t *testing.T, runs []string, count int) *level.Levels {
	t.Helper()
	var metas []*datafile.Meta
	for i, w := range runs {
		m := parseFile(t, fmt.Sprintf("L0 f%d [a,z]", i))
		if _, err := fmt.Sscanf(w, "%d:%d", &m.Level, &m.SizeBytes); err != nil {
			t.Fatalf("bad run %q", w)
		}
		m.MinSequence, m.MaxSequence = int64(len(runs)-i), int64(len(runs)-i)
		metas = append(metas, m)
	}
	l, err := level.New(textKey, metas, count)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestAmplification adds a run of size 1 at level 0 again and again and folds
// everything whenever that is amplified: the sizes of Paimon's own test.
func TestAmplification(t *testing.T) {
	const want = "[1] [2] [3] [4] [1 4] [6] [1 6] [8] [1 8] [1 1 8] [11] [1 11] [1 1 11] [14] [1 14] [1 1 14] [1 1 1 14] [18]"
	var sizes []int64
	var got []string
	for range strings.Count(want, "[") {
		sizes = append([]int64{1}, sizes...)
		if amplified(runsOfSizes(t, sizes), 25) {
			sizes = []int64{sum(sizes)}
		}
		got = append(got, fmt.Sprint(sizes))
	}
	if s := strings.Join(got, " "); s != want {
		t.Errorf("\n got %s\nwant %s", s, want)
	}
}

// TestRatio does the same with the size ratio alone, run i at level i.
func TestRatio(t *testing.T) {
	const want = "[5] [1 5] [1 1 5] [1 1 1 5] [4 5] [1 4 5] [1 1 4 5] [3 4 5] [1 3 4 5] [2 3 4 5] [1 2 3 4 5] [16] " +
		"[1 16] [1 1 16] [1 1 1 16] [4 16] [1 4 16] [1 1 4 16] [3 4 16] [1 3 4 16] [2 3 4 16] [1 2 3 4 16] [11 16]"
	sizes := []int64{1, 1, 1, 1}
	var got []string
	for range strings.Count(want, "[") {
		sizes = append([]int64{1}, sizes...)
		var runs []string
		for i, s := range sizes {
			runs = append(runs, fmt.Sprintf("%d:%d", i, s))
		}
		if len(sizes) >= 5 {
			if n := ratioed(runsOf(t, runs, 6).Runs(), 1, 1); n > 1 {
				sizes = append([]int64{sum(sizes[:n])}, sizes[n:]...)
			}
		}
		got = append(got, fmt.Sprint(sizes))
	}
	if s := strings.Join(got, " "); s != want {
		t.Errorf("\n got %s\nwant %s", s, want)
	}
}

func sum(s []int64) (n int64) {
	for _, x := range s {
		n += x
	}
	return n
}

// runsOfSizes are runs at level 0, newest first.
func runsOfSizes(t *testing.T, sizes []int64) []level.Run {
	var runs []string
	for _, s := range sizes {
		runs = append(runs, fmt.Sprintf("0:%d", s))
	}
	return runsOf(t, runs, 6).Runs()
}

// TestOutputLevel is Paimon's table: levels 0, 0, 1, 3, 4 of at most 5.
func TestOutputLevel(t *testing.T) {
	runs := runsOf(t, []string{"0:1", "0:1", "1:1", "3:1", "4:1"}, 6).Runs()
	for count, want := range []int{0, 1, 1, 2, 3, 5} {
		if count == 0 {
			continue
		}
		if _, got := outputLevel(runs, count, 5); got != want {
			t.Errorf("first %d runs go to level %d, want %d", count, got, want)
		}
	}
}

func showUnit(l *level.Levels, u *Unit, small int64) string {
	if u == nil {
		return "nothing to do"
	}
	var sb strings.Builder
	fmt.Fprintf(&sb, "%d files -> L%d, drop deletes %v\n", len(u.Files), u.OutputLevel, u.DropDeletes)
	for _, s := range Plan(l, u, small) {
		if s.Move != nil {
			fmt.Fprintf(&sb, "move %s from L%d\n", s.Move.Name, s.Move.Level)
			continue
		}
		sb.WriteString("write")
		for i := range s.Rewrite {
			sb.WriteString(" (")
			for k, r := range s.Rewrite[i].Runs {
				if k > 0 {
					sb.WriteString(" | ")
				}
				for j, f := range r.Files {
					if j > 0 {
						sb.WriteString(" ")
					}
					sb.WriteString(f.Name)
				}
			}
			sb.WriteString(")")
		}
		sb.WriteString("\n")
	}
	return sb.String()
}
