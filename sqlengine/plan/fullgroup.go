package plan

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// checkFullGroup refuses a query over groups g that shows a column, in its select list p,
// in HAVING or in ORDER BY, of which a group may have several values: what
// ONLY_FULL_GROUP_BY asks. The host's own check, which AddRules removes, knows less.
func checkFullGroup(ctx *sql.Context, p *hostplan.Project, g *hostplan.GroupBy) error {
	whole := len(g.GroupByExprs) == 0
	if whole && !aggregates(g.SelectedExprs) || !sql.LoadSqlMode(ctx).ModeEnabled("ONLY_FULL_GROUP_BY") {
		return nil
	}
	d := newDetermined(g.Child)
	_, rollup := rollupKeys(g)
	for _, k := range g.GroupByExprs {
		// Where a query with ROLLUP uses a key, it is ANY_VALUE by now. What looks like
		// an expression of a key is another one, of parameters.
		if _, column := k.(*expression.GetField); column || !rollup {
			d.know(k)
		}
	}
	d.close(g.Child)
	having, order, names := aboveGroups(p, g)
	for i, e := range p.Projections {
		f := d.open(e, names)
		switch {
		case f == nil:
		case whole:
			return bridge.Errorf(bridge.CodeMixGroup, "In aggregated query without GROUP BY, expression #%d of SELECT list contains nonaggregated column '%s'; "+
				"this is incompatible with sql_mode=only_full_group_by", i+1, fullName(f))
		default:
			return ungrouped(i+1, "SELECT list", f)
		}
	}
	if having != nil {
		if f := d.open(having.Cond, names); f != nil {
			return bridge.Errorf(bridge.CodeBadField, "Unknown column '%s' in 'having clause'", f.Name())
		}
	}
	if order == nil || whole { // one row has no order
		return nil
	}
	for i, s := range order.SortFields {
		if f := d.open(s.Column, names); f != nil {
			return ungrouped(i+1, "ORDER BY clause", f)
		}
	}
	return nil
}

func ungrouped(i int, clause string, f *expression.GetField) error {
	return bridge.Errorf(bridge.CodeWrongGroupField, "Expression #%d of %s is not in GROUP BY clause and contains nonaggregated column '%s' "+
		"which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by", i, clause, fullName(f))
}

func fullName(f *expression.GetField) string {
	return strings.Trim(strings.Join([]string{f.Database(), f.Table(), f.Name()}, "."), ".")
}

// aboveGroups are the conditions and the order between a select list and its groups, and
// what the names of results stand for.
func aboveGroups(p *hostplan.Project, g *hostplan.GroupBy) (*hostplan.Having, *hostplan.Sort, map[sql.ColumnId]sql.Expression) {
	var having *hostplan.Having
	var order *hostplan.Sort
	names := map[sql.ColumnId]sql.Expression{}
	for n := sql.Node(p); n != g; n = n.Children()[0] {
		switch x := n.(type) {
		case *hostplan.Having:
			having = x
		case *hostplan.Sort:
			order = x
		case *hostplan.Project:
			for _, e := range x.Projections {
				if a, ok := e.(*expression.Alias); ok && a.Id() != 0 {
					names[a.Id()] = a.Child
				}
			}
		}
	}
	return having, order, names
}

// checkKeys refuses a GROUP BY the name of an aggregate.
func checkKeys(g *hostplan.GroupBy) error {
	totals := map[sql.ColumnId]bool{}
	for _, e := range g.SelectedExprs {
		if a, ok := e.(sql.Aggregation); ok {
			totals[a.Id()] = true
		}
	}
	for _, k := range g.GroupByExprs {
		bad := false
		sql.Inspect(k, func(e sql.Expression) bool {
			if f, ok := e.(*expression.GetField); ok && f.TableId() == 0 && totals[f.Id()] {
				bad = true
			}
			return !bad
		})
		if !bad {
			continue
		}
		name := k.String()
		if a, ok := k.(*expression.Alias); ok {
			name = a.Name()
		}
		return bridge.Errorf(bridge.CodeCantGroup, "Can't group on '%s'", name)
	}
	return nil
}

// groupBelow is the grouping that a select list is calculated from.
func groupBelow(n sql.Node) *hostplan.GroupBy {
	for {
		switch x := n.(type) {
		case *hostplan.GroupBy:
			return x
		case *hostplan.Project:
			n = x.Child
		case *hostplan.Having:
			n = x.Child
		case *hostplan.Sort:
			n = x.Child
		default:
			return nil
		}
	}
}
