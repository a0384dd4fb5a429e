package scan

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

// TestScripts plans scans of files that are described line by line:
//
//	name bucket level [min,max] v=[min,max] size=10 del=1 seq=5 total=4 dt=x
//
// The table has the columns k INT (key, unless "append"), v INT, dt STRING
// (partition key with "partitioned").
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var s *schema.Schema
		var entries []*manifest.Entry
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "table":
				s = table(t, d)
				entries = nil
				return ""
			case "files":
				for line := range strings.Lines(d.Input) {
					entries = append(entries, parseEntry(t, s, strings.TrimSpace(line)))
				}
				return fmt.Sprintf("%d files", len(entries))
			case "plan":
				return show(t, s, entries, d)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func table(t *testing.T, d *datadriven.TestData) *schema.Schema {
	opts := map[string]string{}
	for line := range strings.Lines(d.Input) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), "=")
		opts[k] = v
	}
	s := &schema.Schema{
		Version: schema.Version, Options: opts, PrimaryKeys: []string{"k"},
		Fields: []types.Field{
			{ID: 0, Name: "k", Type: types.Of(types.Int).WithNotNull(true)},
			{ID: 1, Name: "v", Type: types.Of(types.Int)},
			{ID: 2, Name: "dt", Type: types.String().WithNotNull(true)},
		},
	}
	if d.HasArg("append") {
		s.PrimaryKeys = nil
	}
	if d.HasArg("partitioned") {
		s.PartitionKeys = []string{"dt"}
		if s.PrimaryKeys != nil {
			s.PrimaryKeys = []string{"k", "dt"}
		}
	}
	return s
}

// span reads [a,b].
func span(t *testing.T, text string) (lo, hi columnar.Value) {
	a, b, _ := strings.Cut(strings.Trim(text, "[]"), ",")
	x, err1 := strconv.ParseInt(a, 10, 64)
	y, err2 := strconv.ParseInt(b, 10, 64)
	if err1 != nil || err2 != nil {
		t.Fatalf("bad range %q", text)
	}
	return columnar.IntValue(x), columnar.IntValue(y)
}

func parseEntry(t *testing.T, s *schema.Schema, line string) *manifest.Entry {
	w := strings.Fields(line)
	e := &manifest.Entry{TotalBuckets: 1, Partition: row.Serialize(nil, nil)}
	m := &datafile.Meta{Name: w[0], SizeBytes: 1, RowCount: 10}
	e.File = m
	fmt.Sscan(w[1], &e.Bucket)
	fmt.Sscan(w[2], &m.Level)
	lo, hi := span(t, w[3])
	ints := []types.Type{types.Of(types.Int)}
	m.MinKey, m.MaxKey = row.Serialize(ints, []columnar.Value{lo}), row.Serialize(ints, []columnar.Value{hi})
	m.KeyStats = stats.Encode(ints, []stats.Column{{Min: lo, Max: hi, HasBounds: true}})
	k := stats.Column{Min: lo, Max: hi, HasBounds: true}
	v, dt := stats.Column{Nulls: -1}, stats.Column{Nulls: -1}
	for _, o := range w[4:] {
		key, val, _ := strings.Cut(o, "=")
		switch key {
		case "v":
			a, b := span(t, val)
			v = stats.Column{Min: a, Max: b, HasBounds: true}
		case "size":
			fmt.Sscan(val, &m.SizeBytes)
		case "del":
			fmt.Sscan(val, &m.DeleteRowCount)
		case "seq":
			fmt.Sscan(val, &m.MinSequence)
			m.MaxSequence = m.MinSequence
		case "total":
			fmt.Sscan(val, &e.TotalBuckets)
		case "dt":
			x := columnar.StringValue(val)
			e.Partition = row.Serialize([]types.Type{types.String()}, []columnar.Value{x})
			dt = stats.Column{Min: x, Max: x, HasBounds: true}
		default:
			t.Fatalf("bad word %q", o)
		}
	}
	m.ValueStats = stats.Encode(types.FieldTypes(s.Fields), []stats.Column{k, v, dt})
	return e
}

// filter reads "k=5", "v>7", "dt=x"; several are joined by AND.
func filter(t *testing.T, words []string) *predicate.Node {
	var out []*predicate.Node
	for _, w := range words {
		i := strings.IndexAny(w, "=<>")
		col := map[string]int{"k": 0, "v": 1, "dt": 2}[w[:i]]
		typ, val := types.Of(types.Int), columnar.StringValue(w[i+1:])
		if col == 2 {
			typ = types.String()
		} else {
			x, err := strconv.ParseInt(w[i+1:], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			val = columnar.IntValue(x)
		}
		switch w[i] {
		case '=':
			out = append(out, predicate.Eq(col, typ, val))
		case '<':
			out = append(out, predicate.Lt(col, typ, val))
		case '>':
			out = append(out, predicate.Gt(col, typ, val))
		}
	}
	if len(out) == 0 {
		return nil
	}
	return predicate.And(out...)
}

func show(t *testing.T, s *schema.Schema, entries []*manifest.Entry, d *datadriven.TestData) string {
	o, err := options.Parse(s.Options)
	if err != nil {
		t.Fatal(err)
	}
	f := filter(t, strings.Fields(d.Input))
	p := &planner{
		c: Config{Read: datafile.ReadConfig{Schema: s}, Options: o},
		r: Request{Filter: f, TopLevelOnly: d.HasArg("ro")}, prune: newPruner(s, o.Bucket.Function, f), keyTypes: s.KeyTypes(),
	}
	var live []*manifest.Entry
	for _, e := range entries {
		if p.prune.partition(e.Partition) && p.prune.bucket(e.Bucket, e.TotalBuckets) {
			live = append(live, e)
		}
	}
	if err := p.cut(t.Context(), live); err != nil {
		return err.Error()
	}
	var b strings.Builder
	for i := range p.plan.Splits {
		sp := &p.plan.Splits[i]
		fmt.Fprintf(&b, "bucket %d:", sp.Bucket)
		for _, m := range sp.Raw {
			fmt.Fprintf(&b, " %s", m.Name)
		}
		if sp.Raw != nil {
			b.WriteString(" (raw)")
		}
		for j := range sp.Sections {
			var runs []string
			for _, r := range sp.Sections[j].Runs {
				var names []string
				for _, f := range r.Files {
					names = append(names, f.Name)
				}
				runs = append(runs, strings.Join(names, " "))
			}
			if rawSection(&sp.Sections[j]) {
				fmt.Fprintf(&b, " %s (raw)", runs[0])
			} else {
				fmt.Fprintf(&b, " merge(%s)", strings.Join(runs, " | "))
			}
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 {
		return "nothing to read"
	}
	return b.String()
}
