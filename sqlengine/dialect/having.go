package dialect

import (
	"strconv"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// namesOfGroups repairs what the queries of a statement call their totals, and keeps the
// digits of decimals that are compared. It writes
// out the results that HAVING names when they are made of aggregates of a column of
// that name, as in SUM(v) AS v: the host takes the column then, MySQL the result unless
// GROUP BY has such a column.
func namesOfGroups(stmt ast.Statement) {
	subqueries := false
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.ComparisonExpr:
			n.Left, n.Right = exactNumber(n.Left), exactNumber(n.Right)
		case *ast.GroupConcatExpr:
			orderByPosition(n)
		case *ast.Subquery:
			subqueries = true
		case *ast.Select:
			if n.Having != nil {
				n.Having.Expr = written(n, n.Having.Expr)
			}
		}
		return true, nil
	}, stmt)
	if subqueries {
		outerTotals(stmt)
	}
}

// written is a condition on groups with the totals that it names written out.
func written(sel *ast.Select, e ast.Expr) ast.Expr {
	switch x := e.(type) {
	case *ast.Subquery, *ast.GroupConcatExpr:
		return e
	case *ast.FuncExpr:
		if isAggregate(x) {
			return e
		}
	case *ast.ColName:
		if !x.Qualifier.IsEmpty() {
			return e
		}
		for _, k := range sel.GroupBy {
			if c, ok := k.(*ast.ColName); ok && c.Name.Equal(x.Name) {
				return e
			}
		}
		for _, s := range sel.SelectExprs {
			if a, ok := s.(*ast.AliasedExpr); ok && a.As.Equal(x.Name) && usesColumn(a.Expr, x) && noneOf(a.Expr, groupUse()) != nil {
				return a.Expr
			}
		}
		return e
	}
	mapExprs(e, func(x ast.Expr) ast.Expr { return written(sel, x) })
	return e
}

// orderByPosition puts arguments of a GROUP_CONCAT where its order has their numbers.
func orderByPosition(g *ast.GroupConcatExpr) {
	for _, o := range g.OrderBy {
		v, ok := o.Expr.(*ast.SQLVal)
		if !ok || v.Type != ast.IntVal {
			continue
		}
		if n, err := strconv.Atoi(string(v.Val)); err == nil && n >= 1 && n <= len(g.Exprs) {
			if a, ok := g.Exprs[n-1].(*ast.AliasedExpr); ok {
				o.Expr = a.Expr
			}
		}
	}
}

// exactNumber puts a decimal constant of a comparison into ExactFunc: the host rounds it
// to the digits of the column beside it.
func exactNumber(e ast.Expr) ast.Expr {
	if v, ok := e.(*ast.SQLVal); ok && v.Type == ast.FloatVal {
		return call(ExactFunc, v)
	}
	return e
}
