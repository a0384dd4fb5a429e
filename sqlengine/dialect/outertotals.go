package dialect

import ast "github.com/dolthub/vitess/go/vt/sqlparser"

// outerTotals takes away the subquery around an aggregate of the query that it stands
// in: (SELECT SUM(t.b)), which has no table, is SUM(t.b). The host would make a group of
// each row.
func outerTotals(stmt ast.Statement) {
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if sel, ok := n.(*ast.Select); ok && len(sel.From) > 0 && !isDual(sel.From) {
			for _, e := range sel.SelectExprs {
				if a, ok := e.(*ast.AliasedExpr); ok {
					a.Expr = outerTotal(a.Expr)
				}
			}
			if sel.Having != nil {
				sel.Having.Expr = outerTotal(sel.Having.Expr)
			}
			for _, o := range sel.OrderBy {
				o.Expr = outerTotal(o.Expr)
			}
		}
		return true, nil
	}, stmt)
}

func outerTotal(e ast.Expr) ast.Expr {
	q, ok := e.(*ast.Subquery)
	if !ok {
		mapExprs(e, outerTotal)
		return e
	}
	sel, ok := q.Select.(*ast.Select)
	if !ok || len(sel.From) > 0 && !isDual(sel.From) || len(sel.SelectExprs) != 1 || sel.With != nil || sel.Where != nil ||
		sel.GroupBy != nil || sel.Having != nil || sel.Limit != nil {
		return e
	}
	a, ok := sel.SelectExprs[0].(*ast.AliasedExpr)
	if !ok || !totalsColumns(a.Expr) {
		return e
	}
	return &ast.ParenExpr{Expr: a.Expr}
}

// totalsColumns reports whether e has aggregates, each of a column: those of constants
// belong to the query that they stand in.
func totalsColumns(e ast.Expr) bool {
	found, all := false, true
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch x := n.(type) {
		case *ast.Subquery:
			all = false
			return false, nil
		case *ast.FuncExpr:
			if !isAggregate(x) {
				return true, nil
			}
		case *ast.GroupConcatExpr:
		default:
			return true, nil
		}
		found = true
		all = all && hasColumns(n)
		return false, nil
	}, e)
	return found && all
}

func hasColumns(n ast.SQLNode) bool {
	found := false
	walkTree(n, func(n any) bool {
		if _, ok := n.(*ast.ColName); ok {
			found = true
		}
		return !found
	})
	return found
}
