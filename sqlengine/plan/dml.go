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
		Table: t, Source: b.source(n.Source, row), Replace: n.IsReplace, Ignore: n.Ignore, OnDup: onDup,
		Omitted: n.DeferredDefaults,
	}
	return s.Iter(), nil
}

// update runs an UPDATE. The host plans simple ones without the analyzer's own
// rules, so that their expressions are repaired here.
func (b *Builder) update(ctx *sql.Context, n *hostplan.Update, row sql.Row) (sql.RowIter, error) {
	if len(n.Returning) > 0 {
		return nil, nil
	}
	if n.IsJoin {
		return b.updateJoin(ctx, n, row)
	}
	src, ok := n.Child.(*hostplan.UpdateSource)
	if !ok {
		return nil, nil
	}
	t, ok := rowsOf(src.Child)
	if !ok {
		return nil, nil
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

// updateJoin gives the assignments of an UPDATE of joined tables the columns'
// own conversions; the rest of it is the host's.
func (b *Builder) updateJoin(ctx *sql.Context, n *hostplan.Update, row sql.Row) (sql.RowIter, error) {
	if n.Ignore {
		return nil, bridge.Errorf(bridge.CodeNotSupported, "UPDATE IGNORE of joined tables is not supported")
	}
	tables := tablesOf(n)
	out, same, err := transform.Node(n, func(x sql.Node) (sql.Node, transform.TreeIdentity, error) {
		src, ok := x.(*hostplan.UpdateSource)
		if !ok || isStored(src.UpdateExprs) {
			return x, transform.SameTree, nil
		}
		c := *src
		if c.UpdateExprs, ok = stored(src.UpdateExprs, tables, bridge.Location(ctx), nil); !ok {
			return x, transform.SameTree, nil
		}
		return &c, transform.NewTree, nil
	})
	if err != nil || same {
		return nil, err
	}
	return b.Build(ctx, out, row)
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

func isStored(exprs []sql.Expression) bool {
	for _, e := range exprs {
		if set, ok := e.(*expression.SetField); ok {
			if _, ok := set.RightChild.(*bridge.Stored); ok {
				return true
			}
		}
	}
	return false
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
	columns := n.Child.Schema()
	tables := tablesOf(n.Child)
	s := &bridge.DeleteJoined{Source: b.source(n.Child, row)}
	for _, target := range n.GetDeleteTargets() {
		named, ok := target.(sql.NameableNode)
		if !ok {
			return nil, nil
		}
		t := tables[strings.ToLower(named.Name())]
		if t == nil {
			return nil, nil
		}
		start := -1
		for i, c := range columns {
			if strings.EqualFold(c.Source, named.Name()) {
				start = i
				break
			}
		}
		if start < 0 || start+len(t.Fields()) > len(columns) {
			return nil, nil
		}
		for i, f := range t.Fields() {
			if !strings.EqualFold(columns[start+i].Name, f.Name) {
				return nil, nil
			}
		}
		s.Targets = append(s.Targets, bridge.JoinTarget{Table: t, Start: start})
	}
	return s.Iter(), nil
}
