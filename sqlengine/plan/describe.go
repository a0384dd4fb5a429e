package plan

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/storage/predicate"
)

// Describe tells how a plan would run now, one line a node and detail, children
// indented: which nodes run on batches, and what scans prune.
func Describe(ctx *sql.Context, n sql.Node) ([]string, error) {
	d := describer{ctx: ctx, b: New()}
	if err := d.node(n, 0, nil); err != nil {
		return nil, err
	}
	return d.lines, nil
}

type describer struct {
	ctx   *sql.Context
	b     *Builder
	lines []string

	// Where the node that is described stands:
	outer int  // how many columns of enclosing queries its rows begin with
	again bool // it runs for every row of something
}

func (d *describer) line(depth int, format string, args ...any) {
	d.lines = append(d.lines, strings.Repeat("  ", depth)+fmt.Sprintf(format, args...))
}

// node describes n; filter is what the nodes above let a scan prune by, over n's
// columns.
func (d *describer) node(n sql.Node, depth int, filter *predicate.Node) error {
	where := "rows"
	if _, ok := typesOf(n); ok {
		where = "batches"
	}
	if d.again {
		if in, ok := d.kept(n, nil); ok {
			return d.rerun(in, nil, depth)
		}
	}
	switch n := n.(type) {
	case *meter:
		return d.node(n.Child, depth, filter)
	case *hostplan.StripRowNode:
		return d.node(n.Child, depth, filter)
	case *hostplan.JoinNode:
		return d.join(n, depth)
	case *hostplan.ResolvedTable:
		if t, ok := tableOf(n); ok {
			return d.scan(t, depth, filter)
		}
		d.line(depth, "Table %s", n.Name())
		return nil
	case *hostplan.TableAlias:
		d.line(depth, "Alias %s", n.Name())
		return d.node(n.Child, depth+1, filter)
	case *hostplan.Filter:
		text, queries := shown(n.Expression)
		d.line(depth, "Filter %s (%s)", text, where)
		if err := d.queries(queries, n.Child, depth); err != nil {
			return err
		}
		if ts, ok := typesOf(n.Child); ok {
			for _, e := range expression.SplitConjunction(n.Expression) {
				p, _ := predicateOf(d.ctx, e, ts)
				filter = predicate.And(filter, p)
			}
		}
		return d.node(n.Child, depth+1, filter)
	case *hostplan.Project:
		text, queries := shown(n.Projections...)
		d.line(depth, "Project %s (%s)", text, where)
		if err := d.queries(queries, n.Child, depth); err != nil {
			return err
		}
		if cols, ok := chosen(n); ok && filter != nil {
			filter, _ = filter.Remap(func(c int) (int, bool) { return cols[c], true })
		} else {
			filter = nil
		}
		return d.node(n.Child, depth+1, filter)
	case *hostplan.GroupBy:
		if _, ok := groupingOf(n); ok {
			where = "batches"
		}
		text, queries := shown(n.SelectedExprs...)
		by, _ := shown(n.GroupByExprs...)
		d.line(depth, "GroupBy %s by %s (%s)", text, by, where)
		if err := d.queries(queries, n.Child, depth); err != nil {
			return err
		}
		return d.node(n.Child, depth+1, nil)
	case *hostplan.Limit, *hostplan.Offset, *hostplan.Sort, *hostplan.TopN, *hostplan.Distinct, *hostplan.OrderedDistinct:
		d.line(depth, "%s (%s)", firstLine(n), where)
		return d.children(n, depth)
	case *hostplan.InsertInto:
		d.line(depth, "%s", firstLine(n))
		return d.node(n.Source, depth+1, nil)
	}
	d.line(depth, "%s", firstLine(n))
	return d.children(n, depth)
}

func (d *describer) children(n sql.Node, depth int) error {
	for _, c := range n.Children() {
		if err := d.node(c, depth+1, nil); err != nil {
			return err
		}
	}
	return nil
}

func firstLine(n sql.Node) string {
	s, _, _ := strings.Cut(n.String(), "\n")
	return s
}

func (d *describer) scan(t *bridge.Table, depth int, filter *predicate.Node) error {
	cols := t.Columns()
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = t.Fields()[c].Name
	}
	var down *predicate.Node
	if filter != nil {
		down, _ = filter.Remap(func(c int) (int, bool) { return cols[c], true })
	}
	s, err := t.Scan(d.ctx, bridge.ScanOptions{Filter: down})
	if err != nil {
		return err
	}
	d.line(depth, "Scan %s.%s (batches)", t.DatabaseName(), t.Name())
	depth++
	r := s.Report()
	if r.SnapshotID == 0 {
		d.line(depth, "snapshot: none")
	} else {
		d.line(depth, "snapshot: %d", r.SnapshotID)
	}
	if opts := t.Hints(); opts != "" {
		d.line(depth, "hints: %s", opts)
	}
	d.line(depth, "columns: %s", strings.Join(names, ", "))
	if down != nil {
		d.line(depth, "pruned by: %s", down.Format(func(c int) string { return t.Fields()[c].Name }))
	}
	if r.PartitionsSeen > 0 {
		d.line(depth, "partitions: %d of %d", r.Partitions, r.PartitionsSeen)
	} else { // none were left out by a filter
		d.line(depth, "partitions: %d", r.Partitions)
	}
	d.line(depth, "buckets: %d", r.Buckets)
	d.line(depth, "files: %d of %d, %d of them in level 0", r.FilesRead, r.Files, r.Level0)
	d.line(depth, "manifests: %d of %d", r.ManifestsRead, r.Manifests)
	d.line(depth, "splits: %d raw, %d merged", r.RawSplits, r.MergedSplits)
	d.line(depth, "rows at most: %d, bytes: %d", r.Rows, r.Bytes)
	return nil
}
