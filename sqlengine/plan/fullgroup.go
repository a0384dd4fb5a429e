package plan

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// checkUngrouped refuses a select list p over g that mixes aggregates with plain columns
// where there is no GROUP BY, as ONLY_FULL_GROUP_BY asks. The host checks only
// queries that have one.
func checkUngrouped(ctx *sql.Context, p *hostplan.Project, g *hostplan.GroupBy) error {
	if len(g.GroupByExprs) > 0 || !aggregates(g.SelectedExprs) || !sql.LoadSqlMode(ctx).ModeEnabled("ONLY_FULL_GROUP_BY") {
		return nil
	}
	fixed := fixedTables(g.Child)
	for i, e := range p.Projections {
		var bad *expression.GetField
		sql.Inspect(e, func(e sql.Expression) bool {
			if f, ok := e.(*expression.GetField); ok && bad == nil && f.TableId() != 0 && !fixed[f.TableId()] && hasColumn(g.Child, f) {
				bad = f
			}
			return bad == nil
		})
		if bad == nil {
			continue
		}
		name := strings.Trim(strings.Join([]string{bad.Database(), bad.Table(), bad.Name()}, "."), ".")
		return bridge.Errorf(bridge.CodeMixGroup, "In aggregated query without GROUP BY, expression #%d of SELECT list contains nonaggregated column '%s'; this is incompatible with sql_mode=only_full_group_by", i+1, name)
	}
	return nil
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

// hasColumn reports whether a node has the column, so that it is not one of an
// outer query.
func hasColumn(n sql.Node, f *expression.GetField) bool {
	for _, c := range n.Schema() {
		if strings.EqualFold(c.Source, f.Table()) && strings.EqualFold(c.Name, f.Name()) {
			return true
		}
	}
	return false
}

// fixedTables are tables of which a condition wants a column equal to a constant:
// their other columns may follow from it.
func fixedTables(n sql.Node) map[sql.TableId]bool {
	out := map[sql.TableId]bool{}
	transform.Inspect(n, func(n sql.Node) bool {
		f, ok := n.(*hostplan.Filter)
		if !ok {
			return true
		}
		for _, e := range expression.SplitConjunction(f.Expression) {
			eq, ok := e.(*expression.Equals)
			if !ok {
				continue
			}
			for _, side := range []sql.Expression{eq.Left(), eq.Right()} {
				if c, ok := side.(*expression.GetField); ok {
					out[c.TableId()] = true
				}
			}
		}
		return true
	})
	return out
}
