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
			case "full":
				small := int64(100)
				d.MaybeScanArgs(t, "small", &small)
				return showUnit(l, PickFull(l, d.HasArg("force")), small)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
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
