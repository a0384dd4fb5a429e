package plan

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

func (b *Builder) insert(ctx *sql.Context, n *hostplan.InsertInto, row sql.Row) (sql.RowIter, error) {
	t, ok := tableOf(n.Destination)
	if !ok || len(n.Returning) > 0 {
		return nil, nil
	}
	onDup, ok := stored(n.OnDupExprs, map[string]*bridge.Table{"": t}, bridge.Location(ctx), nil)
	if !ok {
		return nil, nil
	}
	s := &bridge.Insert{
		Table: t, Source: b.source(n.Source, row), From: valueTypes(n.Source), Replace: n.IsReplace, Ignore: n.Ignore, OnDup: onDup,
		Omitted: n.DeferredDefaults, ReadsTarget: reads(n.Source, t),
	}
	return s.Iter(), nil
}

// valueTypes are the types of a source's values, a column each; all nil when the rows
// of a VALUES have times of several types. The projection that the host puts over the
// source of an INSERT names the types of the table's columns instead.
func valueTypes(n sql.Node) []sql.Type {
	columns := n.Schema()
	out := make([]sql.Type, len(columns))
	for i, c := range columns {
		out[i] = c.Type
	}
	if p, ok := n.(*hostplan.Project); ok {
		below := p.Child.Schema()
		for i, e := range p.Projections {
			if f, ok := e.(*expression.GetField); ok && f.Index() < len(below) {
				out[i] = below[f.Index()].Type
			}
		}
	}
	transform.Inspect(n, func(x sql.Node) bool {
		if v, ok := x.(*hostplan.Values); ok && mixed(v) {
			clear(out)
		}
		return true
	})
	return out
}

// mixed reports whether the rows of a VALUES have times of several types.
func mixed(v *hostplan.Values) bool {
	if len(v.ExpressionTuples) == 0 {
		return false
	}
	for i, first := range v.ExpressionTuples[0] {
		t := first.Type()
		if _, ok := t.(sql.DatetimeType); !ok && !bridge.IsTimespan(t) {
			continue
		}
		for _, row := range v.ExpressionTuples[1:] {
			if !row[i].Type().Equals(t) {
				return true
			}
		}
	}
	return false
}

// reads reports whether a plan reads the newest version of a table.
func reads(n sql.Node, t *bridge.Table) bool {
	found := false
	transform.Inspect(n, func(x sql.Node) bool {
		if r, ok := tableOf(x); ok && r.Handle() == t.Handle() && !r.Travels() {
			found = true
		}
		if e, ok := x.(sql.Expressioner); ok {
			for _, e := range e.Expressions() {
				found = found || readsWithin(e, t)
			}
		}
		return !found
	})
	return found
}

// update runs an UPDATE. The host plans simple ones without the analyzer's own
// rules, so that their expressions are repaired here.
func (b *Builder) update(ctx *sql.Context, n *hostplan.Update, row sql.Row) (sql.RowIter, error) {
	if len(n.Returning) > 0 {
		return nil, nil
	}
	src, ok := n.Child.(*hostplan.UpdateSource)
	if !ok {
		return nil, nil
	}
	t, ok := rowsOf(src.Child)
	if n.IsJoin || !ok {
		return b.updateJoin(ctx, n, src, row)
	}
	fixed, _, err := repair(ctx, nil, src, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	source := *fixed.(*hostplan.UpdateSource)
	var warn *sql.Context
	if n.Ignore {
		warn = ctx
	}
	if source.UpdateExprs, ok = stored(source.UpdateExprs, map[string]*bridge.Table{"": t}, bridge.Location(ctx), warn); !ok {
		return nil, nil
	}
	s := &bridge.Update{Table: t, Source: b.source(&source, row), Ignore: n.Ignore}
	for _, e := range source.UpdateExprs {
		s.Assigns = append(s.Assigns, e.(*expression.SetField).LeftChild.(*expression.GetField).Name())
	}
	return s.Iter(), nil
}

// updateJoin runs an UPDATE of joined tables.
func (b *Builder) updateJoin(ctx *sql.Context, n *hostplan.Update, src *hostplan.UpdateSource, row sql.Row) (sql.RowIter, error) {
	if n.Ignore {
		return nil, bridge.Errorf(bridge.CodeNotSupported, "UPDATE IGNORE of joined tables is not supported")
	}
	source := *src
	tables := tablesOf(n)
	var ok bool
	if source.UpdateExprs, ok = stored(src.UpdateExprs, tables, bridge.Location(ctx), nil); !ok {
		return nil, bridge.Errorf(bridge.CodeNotSupported, "UPDATE assigns to something that is no column of a table")
	}
	s := &bridge.Joined{Source: b.source(&source, row), Update: true}
	seen := map[string]bool{}
	for _, e := range source.UpdateExprs {
		name := strings.ToLower(e.(*expression.SetField).LeftChild.(*expression.GetField).Table())
		if seen[name] {
			continue
		}
		seen[name] = true
		t, err := joinTarget(src.Child, tables, name)
		if err != nil {
			return nil, err
		}
		s.Targets = append(s.Targets, t)
	}
	return s.Iter(), nil
}

// joinTarget finds a table in the rows of a join.
func joinTarget(join sql.Node, tables map[string]*bridge.Table, name string) (bridge.JoinTarget, error) {
	t := bridge.JoinTarget{Table: tables[name], Start: -1}
	columns := join.Schema()
	for i, c := range columns {
		if strings.EqualFold(c.Source, name) {
			t.Start = i
			break
		}
	}
	if t.Table == nil || t.Start < 0 || t.Start+len(t.Table.Fields()) > len(columns) {
		return t, bridge.Errorf(bridge.CodeNotSupported, "'%s' is no table that the statement can change", name)
	}
	for i, f := range t.Table.Fields() {
		if c := columns[t.Start+i]; !strings.EqualFold(c.Source, name) || !strings.EqualFold(c.Name, f.Name) {
			return t, bridge.Errorf(bridge.CodeNotSupported, "'%s' is no table that the statement can change", name)
		}
	}
	t.Optional = optional(join, name)
	return t, nil
}

// optional reports whether a join can give rows without one of a table.
func optional(join sql.Node, name string) bool {
	found := false
	transform.Inspect(join, func(x sql.Node) bool {
		j, ok := x.(*hostplan.JoinNode)
		if !ok {
			return true
		}
		in := func(side sql.Node) bool {
			for _, c := range side.Schema() {
				if strings.EqualFold(c.Source, name) {
					return true
				}
			}
			return false
		}
		full := j.JoinType().IsFullOuter()
		if (j.JoinType().IsLeftOuter() || full) && in(j.Right()) || full && in(j.Left()) {
			found = true
		}
		return true
	})
	return found
}

// tablesOf are the lake tables of a plan by the names that it gives them, in
// lower case.
func tablesOf(n sql.Node) map[string]*bridge.Table {
	tables := map[string]*bridge.Table{}
	transform.Inspect(n, func(x sql.Node) bool {
		if named, ok := x.(sql.NameableNode); ok {
			if t, lake := tableOf(x); lake {
				if name := strings.ToLower(named.Name()); tables[name] == nil {
					tables[name] = t
				}
			}
		}
		return true
	})
	return tables
}

// rowsOf is the lake table whose rows, whole, a plan gives: one without joins, or
// with those that the host makes of subqueries.
func rowsOf(n sql.Node) (*bridge.Table, bool) {
	columns := n.Schema()
	if t, ok := firstTable(n); ok {
		return t, len(columns) == len(t.Fields())
	}
	if len(columns) == 0 {
		return nil, false
	}
	t := tablesOf(n)[strings.ToLower(columns[0].Source)]
	if t == nil || len(columns) != len(t.Fields()) {
		return nil, false
	}
	for i, f := range t.Fields() {
		if columns[i].Source != columns[0].Source || !strings.EqualFold(columns[i].Name, f.Name) {
			return nil, false
		}
	}
	return t, true
}

// stored makes every assignment convert its value as the column stores it, where
// the host would clamp. ok is false for assignments that are none of columns.
func stored(exprs []sql.Expression, tables map[string]*bridge.Table, loc *time.Location, warn *sql.Context) (out []sql.Expression, ok bool) {
	for _, e := range exprs {
		set, ok := e.(*expression.SetField)
		if !ok {
			return nil, false
		}
		f, ok := set.LeftChild.(*expression.GetField)
		if !ok {
			return nil, false
		}
		t := tables[""]
		if t == nil {
			t = tables[strings.ToLower(f.Table())]
		}
		if t == nil {
			return nil, false
		}
		right, ok := t.Stored(f.Name(), set.RightChild, loc, warn)
		if !ok {
			return nil, false
		}
		out = append(out, expression.NewSetField(f, right))
	}
	return out, true
}

func (b *Builder) delete(ctx *sql.Context, n *hostplan.DeleteFrom, row sql.Row) (sql.RowIter, error) {
	if n.HasExplicitTargets() {
		return b.deleteJoined(n, row)
	}
	t, ok := rowsOf(n.Child)
	if !ok {
		return nil, nil
	}
	child, _, err := repair(ctx, nil, n.Child, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	return (&bridge.Delete{Table: t, Source: b.source(child, row)}).Iter(), nil
}

// deleteJoined deletes from the named tables of a join.
func (b *Builder) deleteJoined(n *hostplan.DeleteFrom, row sql.Row) (sql.RowIter, error) {
	tables := tablesOf(n.Child)
	s := &bridge.Joined{Source: b.source(n.Child, row)}
	for _, target := range n.GetDeleteTargets() {
		named, ok := target.(sql.NameableNode)
		if !ok {
			return nil, nil
		}
		t, err := joinTarget(n.Child, tables, strings.ToLower(named.Name()))
		if err != nil {
			return nil, err
		}
		s.Targets = append(s.Targets, t)
	}
	return s.Iter(), nil
}
