package plan

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// keepOuterColumns makes the grouping below n give the columns that subqueries in n's
// expressions take from it: the host keeps those alone that n itself names, and
// the subquery reads NULL. changed is false where nothing is missing.
func keepOuterColumns(n sql.Node) (out sql.Node, changed bool, err error) {
	g := groupBelow(n)
	if g == nil {
		return n, false, nil
	}
	own := newDetermined(g.Child).own
	var want []*expression.GetField
	for _, e := range n.(sql.Expressioner).Expressions() {
		outerColumns(e, func(f *expression.GetField) {
			if own[f.Id()] && !slices.ContainsFunc(want, func(w *expression.GetField) bool { return w.Id() == f.Id() }) {
				want = append(want, f)
			}
		})
	}
	child := n.Children()[0]
	below, changed, err := giveColumns(child, want)
	if err != nil || !changed {
		return n, false, err
	}
	out, err = n.WithChildren(below)
	return out, true, err
}

// outerColumns calls visit for the columns that subqueries in e take from outside.
func outerColumns(e sql.Expression, visit func(*expression.GetField)) {
	sql.Inspect(e, func(e sql.Expression) bool {
		s, ok := e.(*hostplan.Subquery)
		if !ok {
			return true
		}
		outer := s.Correlated()
		transform.InspectExpressions(s.Query, func(e sql.Expression) bool {
			switch x := e.(type) {
			case *hostplan.Subquery:
				outerColumns(x, visit)
			case *expression.GetField:
				if outer.Contains(x.Id()) {
					visit(x)
				}
			}
			return true
		})
		return true
	})
}

// giveColumns adds columns to the output of n, down to its grouping.
func giveColumns(n sql.Node, want []*expression.GetField) (out sql.Node, changed bool, err error) {
	switch x := n.(type) {
	case *hostplan.GroupBy:
		list := withColumns(x.SelectedExprs, want)
		if len(list) == len(x.SelectedExprs) {
			return n, false, nil
		}
		return hostplan.NewGroupBy(list, x.GroupByExprs, x.Child), true, nil
	case *hostplan.Project:
		child, changed, err := giveColumns(x.Child, want)
		if err != nil {
			return nil, false, err
		}
		list := withColumns(x.Projections, want)
		if !changed && len(list) == len(x.Projections) {
			return n, false, nil
		}
		return hostplan.NewProject(list, child), true, nil
	}
	child, changed, err := giveColumns(n.Children()[0], want)
	if err != nil || !changed {
		return n, false, err
	}
	out, err = n.WithChildren(child)
	return out, true, err
}

// withColumns appends the columns that are not in a list.
func withColumns(list []sql.Expression, want []*expression.GetField) []sql.Expression {
	out := list[:len(list):len(list)]
	for _, f := range want {
		if !slices.ContainsFunc(list, func(e sql.Expression) bool {
			x, ok := e.(*expression.GetField)
			return ok && x.Id() == f.Id()
		}) {
			out = append(out, f)
		}
	}
	return out
}
