package plan

import (
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/storage/types"
)

// kept is the input that n is, if its rows are kept. join is the join that it is the
// right side of, if it is.
func (d *describer) kept(n sql.Node, join *hostplan.JoinNode) (in input, ok bool) {
	if join != nil {
		in, ok = probedSide(join)
	} else {
		in, ok = inputOf(n)
	}
	if !ok || in.node == nil {
		return in, ok
	}
	if _, same := sameRows(in.node, d.outer); !same {
		return in, false
	}
	return in, join != nil || len(in.filters) > 0
}

// rerun describes an input, and what stands above it, that is read again and again.
// join is the join that it is the right side of, if it is.
func (d *describer) rerun(in input, join *hostplan.JoinNode, depth int) error {
	in.prefix = make(sql.Row, d.outer)
	below, how := in.node, "rows"
	var ts []types.Type
	if in.node == nil {
		below, how = in.table, "batches"
		ts, _ = typesOf(in.table)
	}
	var p probe
	if join == nil {
		p = probeOf(d.ctx, in, ts, nil, 0, false)
	} else {
		p = probeOf(d.ctx, in, ts, join.Filter, d.outer+len(join.Left().Schema()), join.Op.IsExcludeNulls())
	}
	d.line(depth, "Kept rows%s (%s)", p.String(), how)
	again := d.again
	d.again = false
	defer func() { d.again = again }()
	for _, e := range in.filters {
		depth++
		text, queries := shown(e)
		d.line(depth, "Filter %s (rows)", text)
		if err := d.queries(queries, below, depth); err != nil {
			return err
		}
	}
	return d.node(below, depth+1, p.fixed)
}

// join describes a join, whose right side may run for every row of the left.
func (d *describer) join(n *hostplan.JoinNode, depth int) error {
	d.line(depth, "%s", firstLine(n))
	if err := d.node(n.Left(), depth+1, nil); err != nil {
		return err
	}
	if in, ok := d.kept(n.Right(), n); ok {
		return d.rerun(in, n, depth+1)
	}
	was := *d
	switch n.Right().(type) {
	case *hostplan.HashLookup, *hostplan.CachedResults: // that keep their rows
	default:
		d.again = true
	}
	if n.Op.IsLateral() {
		d.outer += len(n.Left().Schema())
	}
	err := d.node(n.Right(), depth+1, nil)
	d.outer, d.again = was.outer, was.again
	return err
}

// queries describes the subqueries of a node's expressions, which see the rows of
// its child.
func (d *describer) queries(list []*hostplan.Subquery, child sql.Node, depth int) error {
	was := *d
	for i, q := range list {
		how := "once"
		if !q.CanCacheResults() {
			how = "for every row"
		}
		d.line(depth+1, "Subquery #%d, %s", i+1, how)
		d.outer, d.again = was.outer+len(child.Schema()), !q.CanCacheResults()
		err := d.node(q.Query, depth+2, nil)
		d.outer, d.again = was.outer, was.again
		if err != nil {
			return err
		}
	}
	return nil
}

// shown is the text of expressions with numbers for their subqueries, which it
// returns.
func shown(list ...sql.Expression) (string, []*hostplan.Subquery) {
	var queries []*hostplan.Subquery
	var text []string
	for _, e := range list {
		text = append(text, numbered(e, &queries).String())
	}
	return strings.Join(text, ", "), queries
}

// numbered puts numbers in the place of subqueries.
func numbered(e sql.Expression, queries *[]*hostplan.Subquery) sql.Expression {
	number := func(q *hostplan.Subquery) string {
		*queries = append(*queries, q)
		return "#" + strconv.Itoa(len(*queries))
	}
	switch x := e.(type) {
	case *hostplan.Subquery:
		return named{e, number(x)}
	case *hostplan.ExistsSubquery:
		return named{e, "EXISTS " + number(x.Query)}
	case *hostplan.InSubquery:
		left := numbered(x.Left(), queries).String()
		if q, ok := x.Right().(*hostplan.Subquery); ok {
			return named{e, left + " IN " + number(q)}
		}
	}
	children := e.Children()
	if len(children) == 0 {
		return e
	}
	before := len(*queries)
	out := make([]sql.Expression, len(children))
	for i, c := range children {
		out[i] = numbered(c, queries)
	}
	if len(*queries) == before {
		return e
	}
	if n, err := e.WithChildren(out...); err == nil {
		return n
	}
	text := e.String() // of an expression that takes subqueries alone
	for i, q := range (*queries)[before:] {
		text = strings.ReplaceAll(text, q.String(), "#"+strconv.Itoa(before+i+1))
	}
	return named{e, text}
}

// named is an expression with another text.
type named struct {
	sql.Expression
	text string
}

// String implements sql.Expression.
func (n named) String() string { return n.text }
