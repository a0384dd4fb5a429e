package merge

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

// TestKeyOrder sorts the keys of testdata/order: the first line has the types of the
// columns, each further one a key, with " | " between columns. Text and bytes are
// quoted as in Go. Equal keys are printed on one line.
//
// There are three forms of the order, of which a merge uses the fastest that tells: the
// comparison of columns, normalised bytes, and prefixes. They have to agree.
func TestKeyOrder(t *testing.T) {
	datadriven.RunTest(t, "testdata/order", func(t *testing.T, d *datadriven.TestData) string {
		lines := strings.Split(strings.TrimSpace(d.Input), "\n")
		var ts []types.Type
		for _, text := range strings.Split(lines[0], " | ") {
			typ, err := types.Parse(text)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			ts = append(ts, typ)
		}
		lines = lines[1:]
		cols := make([]*columnar.Vector, len(ts))
		for c := range ts {
			cols[c] = columnar.NewVector(ts[c], len(lines))
			for _, line := range lines {
				cols[c].AppendValue(keyValue(t, ts[c], strings.Split(line, " | ")[c]))
			}
		}
		o, err := NewOrder(ts)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		agree(t, d, o, cols, lines)
		at := make([]int, len(lines))
		for i := range at {
			at[i] = i
		}
		slices.SortStableFunc(at, func(a, b int) int { return o.Compare(cols, a, cols, b) })
		var out strings.Builder
		for n, i := range at {
			switch {
			case n > 0 && o.Compare(cols, at[n-1], cols, i) == 0:
				out.WriteString(" = ")
			case n > 0:
				out.WriteString("\n")
			}
			out.WriteString(lines[i])
		}
		return out.String()
	})
}

func keyValue(t *testing.T, typ types.Type, text string) columnar.Value {
	t.Helper()
	if text == "NULL" {
		return columnar.NullValue
	}
	if strings.HasPrefix(text, `"`) {
		s, err := strconv.Unquote(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return columnar.StringValue(s)
	}
	v, err := schema.ParseValue(typ, text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// agree holds the other two forms of the order against the comparison of columns.
func agree(t *testing.T, d *datadriven.TestData, o *Order, cols []*columnar.Vector, lines []string) {
	t.Helper()
	var p Prefixes
	if err := o.Prefixes(&p, cols, len(lines)); err != nil {
		d.Fatalf(t, "%v", err)
	}
	for i := range lines {
		for j := range lines {
			want := o.Compare(cols, i, cols, j)
			if got := bytes.Compare(row.AppendNormalized(nil, cols, i), row.AppendNormalized(nil, cols, j)); got != want {
				d.Fatalf(t, "normalised, %s and %s compare %d, want %d", lines[i], lines[j], got, want)
			}
			prefix := cmp.Compare(p.Hi[i], p.Hi[j])
			if prefix == 0 && !o.Narrow() {
				prefix = cmp.Compare(p.Lo[i], p.Lo[j])
			}
			if prefix != 0 && prefix != want {
				d.Fatalf(t, "by prefix, %s and %s compare %d, want %d", lines[i], lines[j], prefix, want)
			}
		}
	}
}
