package level

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/types"
)

var textKey = []types.Type{types.String().WithNotNull(true)}

// parseFile reads "L0 name [a,f] seq=1-5 size=10 del=2".
func parseFile(t testing.TB, line string) *datafile.Meta {
	t.Helper()
	w := strings.Fields(line)
	m := &datafile.Meta{Name: w[1], RowCount: 1}
	fmt.Sscanf(w[0], "L%d", &m.Level)
	lo, hi, ok := strings.Cut(strings.Trim(w[2], "[]"), ",")
	if !ok {
		t.Fatalf("bad line %q", line)
	}
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

func parseFiles(t testing.TB, input string) []*datafile.Meta {
	var out []*datafile.Meta
	for line := range strings.Lines(input) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, parseFile(t, line))
		}
	}
	return out
}

func showRun(r Run) string {
	var names []string
	for _, f := range r.Files {
		names = append(names, fmt.Sprintf("%s[%s,%s]", f.Name, f.Min[0].S, f.Max[0].S))
	}
	return fmt.Sprintf("L%d %s", r.Level, strings.Join(names, " "))
}

func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var l *Levels
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var sb strings.Builder
			switch d.Cmd {
			case "levels":
				count := 6
				d.MaybeScanArgs(t, "count", &count)
				var err error
				if l, err = New(textKey, parseFiles(t, d.Input), count); err != nil {
					return err.Error()
				}
			case "apply":
				var gone, added []*datafile.Meta
				for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
					m := parseFile(t, line[1:])
					if line[0] == '-' {
						gone = append(gone, m)
					} else {
						added = append(added, m)
					}
				}
				next, err := l.Apply(gone, added)
				if err != nil {
					return err.Error()
				}
				l = next
			case "sections":
				files, err := NewFiles(textKey, parseFiles(t, d.Input))
				if err != nil {
					return err.Error()
				}
				for _, s := range Sections(textKey, files) {
					byAge := ByAge(s.Runs)
					fmt.Fprintf(&sb, "[%s,%s] by age %v\n", s.Min[0].S, s.Max[0].S, byAge)
					for _, r := range s.Runs {
						fmt.Fprintf(&sb, "  %s\n", showRun(r))
					}
				}
				return sb.String()
			case "raw":
				files, err := NewFiles(textKey, parseFiles(t, d.Input))
				if err != nil {
					return err.Error()
				}
				return fmt.Sprintf("plain %v, superseded marked %v", Raw(files, false), Raw(files, true))
			default:
				t.Fatalf("unknown command %s", d.Cmd)
			}
			for _, r := range l.Runs() {
				fmt.Fprintf(&sb, "%s %dB\n", showRun(r), r.SizeBytes())
			}
			fmt.Fprintf(&sb, "highest %d of %d, sequence %d", l.HighestNonEmpty(), l.Max(), l.MaxSequence())
			return sb.String()
		})
	})
}

// TestSectionsModel checks on random ranges that sections are apart, that runs do
// not overlap, and that there are as few runs as files over the busiest key.
func TestSectionsModel(t *testing.T) {
	ints := []types.Type{types.Of(types.Int)}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var files []*File
		over := map[int64]int{}
		for range rng.IntN(25) {
			a := rng.Int64N(100) - 50
			b := a + rng.Int64N(12)
			files = append(files, &File{Meta: &datafile.Meta{}, Min: []columnar.Value{columnar.IntValue(a)}, Max: []columnar.Value{columnar.IntValue(b)}})
			for k := a; k <= b; k++ {
				over[k]++
			}
		}
		end := int64(-1000)
		count := 0
		for _, s := range Sections(ints, files) {
			if s.Min[0].I <= end {
				t.Fatalf("seed %d: sections touch at %d", seed, end)
			}
			end = s.Max[0].I
			busiest := 0
			for k := s.Min[0].I; k <= end; k++ {
				busiest = max(busiest, over[k])
			}
			if len(s.Runs) != busiest {
				t.Fatalf("seed %d: %d runs, want %d", seed, len(s.Runs), busiest)
			}
			for _, r := range s.Runs {
				for i := 1; i < len(r.Files); i++ {
					if r.Files[i-1].Max[0].I >= r.Files[i].Min[0].I {
						t.Fatalf("seed %d: files of a run overlap", seed)
					}
				}
			}
			count += len(s.Files())
		}
		if count != len(files) {
			t.Fatalf("seed %d: %d files, want %d", seed, count, len(files))
		}
	}
}

func TestDamagedMetadata(t *testing.T) {
	m := parseFile(t, "L0 f [a,f]")
	m.MinKey = m.MinKey[:7]
	if _, err := New(textKey, []*datafile.Meta{m}, 6); !errors.Is(err, corrupt.Err) {
		t.Errorf("short key: %v", err)
	}
	m = parseFile(t, "L0 f [z,f]")
	if _, err := New(textKey, []*datafile.Meta{m}, 6); !errors.Is(err, corrupt.Err) {
		t.Errorf("crossed keys: %v", err)
	}
	m = parseFile(t, "L0 f [a,f]")
	m.Level = -1
	if _, err := New(textKey, []*datafile.Meta{m}, 6); !errors.Is(err, corrupt.Err) {
		t.Errorf("negative level: %v", err)
	}
	m.Level = math.MaxInt32
	if _, err := New(textKey, []*datafile.Meta{m}, 6); !errors.Is(err, corrupt.Err) {
		t.Errorf("huge level: %v", err)
	}
}

// TestNumericKeys: keys order as numbers, though little-endian bytes would not.
func TestNumericKeys(t *testing.T) {
	ts := []types.Type{types.Of(types.BigInt)}
	var files []*File
	for _, k := range []int64{300, -5, 2, 256} {
		key := row.Serialize(ts, []columnar.Value{columnar.IntValue(k)})
		f, err := NewFile(ts, &datafile.Meta{Name: fmt.Sprint(k), MinKey: key, MaxKey: key})
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	var got []string
	for _, s := range Sections(ts, files) {
		got = append(got, s.Runs[0].Files[0].Name)
	}
	if !slices.Equal(got, []string{"-5", "2", "256", "300"}) {
		t.Fatal(got)
	}
}
