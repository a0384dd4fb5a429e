package plan

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// onceRule is the number of the rule onceOnly.
const onceRule analyzer.RuleId = 10_004

// onceOnly takes the subqueries of a select list out of the projection below it, where
// the host calculates them a first time for nobody.
func onceOnly(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *hostplan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		p, ok := n.(*hostplan.Project)
		if !ok {
			return n, transform.SameTree, nil
		}
		below, ok := p.Child.(*hostplan.Project)
		if !ok {
			return n, transform.SameTree, nil
		}
		var list []sql.Expression
		for _, e := range below.Projections {
			a, ok := e.(*expression.Alias)
			if !ok || batchable(a.Child) || namesColumn(p.Projections, a.Name()) {
				list = append(list, e)
			}
		}
		if len(list) == len(below.Projections) {
			return n, transform.SameTree, nil
		}
		return hostplan.NewProject(p.Projections, hostplan.NewProject(list, below.Child)), transform.NewTree, nil
	})
}

// namesColumn reports whether expressions, or subqueries in them, name a column so.
func namesColumn(list []sql.Expression, name string) bool {
	found := false
	var look func(e sql.Expression) bool
	look = func(e sql.Expression) bool {
		switch x := e.(type) {
		case *expression.GetField:
			found = found || strings.EqualFold(x.Name(), name)
		case *hostplan.Subquery:
			transform.InspectExpressions(x.Query, look)
		}
		return !found
	}
	for _, e := range list {
		sql.Inspect(e, look)
	}
	return found
}
