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

// windowsOverGroups takes queries apart that the host's planner does not: those that
// have both groups and window functions, and those with conditions on totals of joined
// tables, of whose columns it confuses those of one name. The groups are made in a
// derived table, over whose rows the conditions and the window functions run.
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
	return groups && (windows || totalsOfJoin(sel))
}

// totalsOfJoin reports whether HAVING has aggregates of columns of joined tables, or
// GROUP_CONCAT, which the host does not find there, and no query within the query sees
// its tables.
func totalsOfJoin(sel *ast.Select) bool {
	if sel.Having == nil || seenInQueries(sel) {
		return false
	}
	if last := len(sel.GroupBy) - 1; last >= 0 && isCall(sel.GroupBy[last], RollupFunc) {
		return false
	}
	joined := len(sel.From) > 1 || len(sel.From) == 1 && !isOneTable(sel.From[0])
	found := false
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch x := n.(type) {
		case *ast.FuncExpr:
			found = found || joined && isAggregate(x) && hasColumns(x)
		case *ast.GroupConcatExpr:
			found = true
		}
		return !found, nil
	}, sel.Having)
	return found
}

func isOneTable(e ast.TableExpr) bool {
	_, ok := e.(*ast.AliasedTableExpr)
	return ok
}

// seenInQueries reports whether a query within the expressions of sel reads its tables
// in a way that cannot be told from the names alone, or makes totals of them.
func seenInQueries(sel *ast.Select) bool {
	seen := false
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		q, ok := n.(*ast.Subquery)
		if !ok {
			return true, nil
		}
		walkTree(q, func(n any) bool {
			switch n := n.(type) {
			case *ast.ColName:
				_, all := fromHas(sel.From, n.Qualifier.Name.String())
				seen = seen || n.Qualifier.IsEmpty() || !all
			case *ast.FuncExpr:
				seen = seen || isAggregate(n) && readsFrom(sel.From, n)
			case *ast.GroupConcatExpr:
				seen = seen || readsFrom(sel.From, n)
			case *ast.AliasedTableExpr:
				found, _ := fromHas(sel.From, n.As.String())
				seen = seen || found // another table of that name
			}
			return !seen
		})
		return false, nil
	}, sel.SelectExprs, sel.Having, sel.OrderBy)
	return seen
}

// readsFrom reports whether a node has columns of tables of a FROM.
func readsFrom(from ast.TableExprs, node any) bool {
	reads := false
	walkTree(node, func(n any) bool {
		if c, ok := n.(*ast.ColName); ok {
			found, _ := fromHas(from, c.Qualifier.Name.String())
			reads = reads || found
		}
		return !reads
	})
	return reads
}

// groupQuery collects the columns of the inner query.
type groupQuery struct {
	from    ast.TableExprs
	keys    []ast.Expr
	aliases map[string]bool // of the result, lower case
	exprs   []ast.Expr
}

// takeGroupsApart makes sel the outer query and returns the inner one.
func takeGroupsApart(sel *ast.Select) (*ast.Select, error) {
	keys := append([]ast.Expr(nil), sel.GroupBy...)
	resolveKeys(sel, keys)
	g := &groupQuery{from: sel.From, keys: keys, aliases: map[string]bool{}}
	having := sel.Having
	var where *ast.Where
	if having != nil {
		having.Expr = unaliased(sel, having.Expr)
		if !seenInQueries(sel) {
			where, having = ast.NewWhere(ast.WhereStr, g.expr(having.Expr)), nil
		}
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
	sel.From, sel.Where, sel.GroupBy, sel.Having = shell.From, where, nil, nil
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
	case *ast.SQLVal, *ast.NullVal:
		return e
	case *ast.Subquery, *ast.ExistsExpr:
		mapExprs(e, g.within)
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
	return g.column(e)
}

// within is an expression of a query within, which may read columns of the inner one.
func (g *groupQuery) within(e ast.Expr) ast.Expr {
	if c, ok := e.(*ast.ColName); ok {
		if found, _ := fromHas(g.from, c.Qualifier.Name.String()); found && !c.Qualifier.IsEmpty() {
			return g.column(e)
		}
		return e
	}
	mapExprs(e, g.within)
	return e
}

// column is the inner query's column for an expression of it.
func (g *groupQuery) column(e ast.Expr) ast.Expr {
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
