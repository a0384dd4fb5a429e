package plan

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// wrapJoins puts joinsOfWhole around the host's rule that plans joins.
func wrapJoins(a *analyzer.Analyzer) {
	for _, b := range a.Batches {
		for i, r := range b.Rules {
			if r.Id.String() == "optimizeJoins" {
				b.Rules = slices.Clone(b.Rules) // the host's own list stays
				b.Rules[i].Apply = joinsOfWhole(r.Apply)
			}
		}
	}
}

// joinsOfWhole plans semi joins over tables with all their columns, and takes the
// columns that nobody reads away again: the host counts the columns of an alias as if
// it had all, and finds others or none.
func joinsOfWhole(plan analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *hostplan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if !hasSemiJoin(n) {
			return plan(ctx, a, n, scope, sel, flags)
		}
		pruned := map[sql.TableId]*hostplan.ResolvedTable{}
		whole, same, err := mapTables(n, func(t *hostplan.ResolvedTable, lake *bridge.Table) (sql.Node, error) {
			if lake.Projections() == nil {
				return t, nil
			}
			pruned[t.Id()] = t
			return t.ReplaceTable(lake.WithAllColumns())
		})
		if err != nil || same == transform.SameTree {
			return plan(ctx, a, n, scope, sel, flags)
		}
		out, _, err := plan(ctx, a, whole, scope, sel, flags)
		if err != nil {
			return nil, transform.SameTree, err
		}
		out, _, err = mapTables(out, func(t *hostplan.ResolvedTable, _ *bridge.Table) (sql.Node, error) {
			if p := pruned[t.Id()]; p != nil {
				return p, nil
			}
			return t, nil
		})
		return out, transform.NewTree, err
	}
}

func hasSemiJoin(n sql.Node) bool {
	found := false
	transform.Inspect(n, func(n sql.Node) bool {
		if j, ok := n.(*hostplan.JoinNode); ok && j.Op.IsPartial() {
			found = true
		}
		return !found
	})
	return found
}

// mapTables replaces the lake tables of a plan.
func mapTables(n sql.Node, change func(*hostplan.ResolvedTable, *bridge.Table) (sql.Node, error)) (sql.Node, transform.TreeIdentity, error) {
	return transform.Node(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		t, ok := n.(*hostplan.ResolvedTable)
		if !ok {
			return n, transform.SameTree, nil
		}
		lake, ok := t.Table.(*bridge.Table)
		if !ok {
			return n, transform.SameTree, nil
		}
		out, err := change(t, lake)
		if err != nil || out == sql.Node(t) {
			return n, transform.SameTree, err
		}
		return out, transform.NewTree, nil
	})
}
