package dialect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// groupsName is the derived table that a query's groups become, when window functions
// run over them.
const groupsName = "__lk_groups"

// windowsOverGroups takes queries apart that have both groups and window functions,
// which the host's planner does not: the groups are made in a derived table, over
// whose rows the window functions run.
func windowsOverGroups(stmt ast.Statement) error {
	var failed error
	inner := map[*ast.Select]bool{}
	walkTree(stmt, func(n any) bool {
		if sel, ok := n.(*ast.Select); ok && failed == nil && !inner[sel] && hasGroupsAndWindows(sel) {
			var groups *ast.Select
			groups, failed = takeGroupsApart(sel)
			inner[groups] = true // whatever it holds, it has been taken apart
		}
		return failed == nil
	})
	return failed
}

func hasGroupsAndWindows(sel *ast.Select) bool {
	windows, groups := false, len(sel.GroupBy) > 0
	for _, e := range sel.SelectExprs {
		if _, ok := e.(*ast.AliasedExpr); !ok {
			return false // a star has no groups
		}
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Subquery:
			return false, nil
		case *ast.FuncExpr:
			windows = windows || n.Over != nil
			groups = groups || isAggregate(n)
		case *ast.GroupConcatExpr:
			groups = true
		}
		return true, nil
	}, sel.SelectExprs, sel.Having, sel.OrderBy)
	return windows && groups
}

// groupQuery collects the columns of the inner query.
type groupQuery struct {
	keys    []ast.Expr
	aliases map[string]bool // of the result, lower case
	exprs   []ast.Expr
}

// takeGroupsApart makes sel the outer query and returns the inner one.
func takeGroupsApart(sel *ast.Select) (*ast.Select, error) {
	keys := append([]ast.Expr(nil), sel.GroupBy...)
	resolveKeys(sel, keys)
	g := &groupQuery{keys: keys, aliases: map[string]bool{}}
	having := sel.Having
	if having != nil {
		having.Expr = unaliased(sel, having.Expr)
	}
	for _, e := range sel.SelectExprs {
		a := e.(*ast.AliasedExpr)
		if c, ok := a.Expr.(*ast.ColName); ok && a.As.IsEmpty() {
			a.As = c.Name
		}
		g.aliases[a.As.Lowered()] = true
		a.Expr = g.expr(a.Expr)
	}
	for _, o := range sel.OrderBy {
		if c, ok := o.Expr.(*ast.ColName); ok && c.Qualifier.IsEmpty() && g.aliases[c.Name.Lowered()] {
			continue
		}
		o.Expr = g.expr(o.Expr)
	}
	mapExprs(sel.Window, g.expr)
	outer, err := ast.Parse("SELECT 1 FROM (SELECT 1 FROM dual) AS " + groupsName)
	if err != nil {
		return nil, err
	}
	shell, ok := outer.(*ast.Select)
	if !ok {
		return nil, fmt.Errorf("internal error: %T for a query", outer)
	}
	inner := shell.From[0].(*ast.AliasedTableExpr).Expr.(*ast.Subquery).Select.(*ast.Select)
	inner.From, inner.Where, inner.GroupBy, inner.Having = sel.From, sel.Where, keys, having
	inner.SelectExprs = nil
	for i, e := range g.exprs {
		inner.SelectExprs = append(inner.SelectExprs, &ast.AliasedExpr{Expr: e, As: groupColumn(i)})
	}
	sel.From, sel.Where, sel.GroupBy, sel.Having = shell.From, nil, nil, nil
	return inner, nil
}

// isAggregate reports whether f is an aggregate of a group, ANY_VALUE included.
func isAggregate(f *ast.FuncExpr) bool {
	return f.Over == nil && (f.IsAggregate() || f.Name.EqualString("any_value"))
}

// groupColumn is what column i of the inner query is called.
func groupColumn(i int) ast.ColIdent { return ast.NewColIdent("__lk_" + strconv.Itoa(i)) }

func (g *groupQuery) isKey(e ast.Expr) bool {
	return slices.ContainsFunc(g.keys, func(k ast.Expr) bool { return sameExpr(k, e) })
}

// expr is e over the rows of the inner query.
func (g *groupQuery) expr(e ast.Expr) ast.Expr {
	inside := false
	switch x := e.(type) {
	case *ast.SQLVal, *ast.NullVal, *ast.Subquery:
		return e
	case *ast.FuncExpr:
		inside = isAggregate(x)
	case *ast.GroupConcatExpr:
		inside = true
	case *ast.ColName:
		// Named windows share expressions with the functions that use them.
		if strings.HasPrefix(x.Name.String(), "@") || x.Qualifier.Name.String() == groupsName {
			return e
		}
		inside = true
	}
	if !inside && !g.isKey(e) {
		mapExprs(e, g.expr)
		return e
	}
	i := slices.IndexFunc(g.exprs, func(x ast.Expr) bool { return sameExpr(x, e) })
	if i < 0 {
		i = len(g.exprs)
		g.exprs = append(g.exprs, e)
	}
	return &ast.ColName{Name: groupColumn(i), Qualifier: ast.TableName{Name: ast.NewTableIdent(groupsName)}}
}

// unaliased is a condition on groups with the result columns that it names written
// out.
func unaliased(sel *ast.Select, e ast.Expr) ast.Expr {
	if c, ok := e.(*ast.ColName); ok && c.Qualifier.IsEmpty() {
		for _, s := range sel.SelectExprs {
			if a := s.(*ast.AliasedExpr); a.As.Equal(c.Name) && !usesColumn(a.Expr, c) {
				return a.Expr
			}
		}
		return e
	}
	if _, ok := e.(*ast.Subquery); !ok {
		mapExprs(e, func(x ast.Expr) ast.Expr { return unaliased(sel, x) })
	}
	return e
}
