package commit

import (
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/types"
)

var keyType = []types.Type{types.Of(types.Int)}

// parseFile reads [bucket:]name@level[min,max].
func parseFile(t *testing.T, kind manifest.Kind, text string) manifest.Entry {
	t.Helper()
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		return n
	}
	key := func(s string) []byte {
		return row.Serialize(keyType, []columnar.Value{columnar.IntValue(int64(number(s)))})
	}
	e := manifest.Entry{Kind: kind, Partition: manifest.EmptyRow(), File: &datafile.Meta{}}
	if bucket, rest, ok := strings.Cut(text, ":"); ok {
		e.Bucket, text = number(bucket), rest
	}
	name, rest, _ := strings.Cut(text, "@")
	level, keys, _ := strings.Cut(strings.TrimSuffix(rest, "]"), "[")
	least, most, _ := strings.Cut(keys, ",")
	e.File.Name, e.File.Level, e.File.MinKey, e.File.MaxKey = name, number(level), key(least), key(most)
	return e
}

func TestConflicts(t *testing.T) {
	datadriven.RunTest(t, "testdata/conflicts", func(t *testing.T, d *datadriven.TestData) string {
		var live []*manifest.Entry
		var delta []manifest.Entry
		for line := range strings.Lines(d.Input) {
			words := strings.Fields(line)
			for _, w := range words[1:] {
				switch {
				case words[0] == "live":
					e := parseFile(t, manifest.Add, w)
					live = append(live, &e)
				case w[0] == '-':
					delta = append(delta, parseFile(t, manifest.Delete, w[1:]))
				default:
					delta = append(delta, parseFile(t, manifest.Add, w[1:]))
				}
			}
		}
		err := checkDelta(delta)
		if err == nil {
			err = findConflict(live, delta, keyType)
		}
		if err != nil {
			return err.Error() + "\n"
		}
		return "ok\n"
	})
}
