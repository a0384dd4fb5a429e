package dialect

import (
	"slices"
	"strconv"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// checkStatement refuses what the host would run wrongly: aggregates and window
// functions where there are none yet, in WHERE and GROUP BY, in what UPDATE sets and
// within each other (it forgets such a condition, blames other columns or fails when
// it runs), and results written to the server's files.
func checkStatement(stmt ast.Statement) error {
	if s, ok := stmt.(ast.SelectStatement); ok {
		if into := s.GetInto(); into != nil && into.Outfile+into.Dumpfile != "" {
			return &Error{Code: codeSecureFile, State: "HY000", Message: "The MySQL server is running with the --secure-file-priv option " +
				"so it cannot execute this statement: lakesql writes no files but its tables; save the result at the client"}
		}
	}
	switch s := stmt.(type) {
	case *ast.Prepare:
		if w := strings.Fields(s.Expr); len(w) > 1 && strings.EqualFold(w[0], "LOAD") && strings.EqualFold(w[1], "DATA") {
			return NotPrepared()
		}
	case *ast.Select:
		if err := checkCondition(s.Where); err != nil {
			return err
		}
		return checkQueries(s)
	case *ast.SetOp:
		if err := checkStatement(s.Left); err != nil {
			return err
		}
		return checkStatement(s.Right)
	case *ast.ParenSelect:
		return checkStatement(s.Select)
	case *ast.Insert:
		switch rows := s.Rows.(type) {
		case ast.SelectStatement:
			return checkStatement(rows)
		case ast.SQLNode:
			return noneOf(rows, groupUse())
		}
	case *ast.DDL:
		if s.ViewSpec != nil && s.ViewSpec.ViewExpr != nil {
			return checkStatement(s.ViewSpec.ViewExpr)
		}
	case *ast.Delete:
		return checkCondition(s.Where)
	case *ast.Update:
		for _, e := range s.Exprs {
			if err := noneOf(e.Expr, groupUse()); err != nil {
				return err
			}
		}
		return checkCondition(s.Where)
	}
	return nil
}

func checkCondition(w *ast.Where) error {
	if w == nil {
		return nil
	}
	return noneOf(w.Expr, groupUse())
}

// checkQueries checks a query and those within it. The WHERE of a query within another
// may hold aggregates of the outer one.
func checkQueries(query *ast.Select) error {
	return ast.Walk(func(n ast.SQLNode) (bool, error) {
		if sel, ok := n.(*ast.Select); ok {
			return true, checkQuery(sel)
		}
		return true, nil
	}, query)
}

func checkQuery(sel *ast.Select) error {
	if err := noneOf(sel.From, groupUse()); err != nil {
		return err
	}
	for _, e := range sel.GroupBy {
		if err := checkKey(sel, e); err != nil {
			return err
		}
	}
	if sel.Having != nil {
		if err := noneOf(sel.Having.Expr, nil); err != nil {
			return err
		}
		if err := checkHaving(sel); err != nil {
			return err
		}
	}
	return ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Subquery:
			return false, nil
		case *ast.FuncExpr:
			if n.Name.EqualString("grouping") { // of a query without ROLLUP
				return false, groupUse()
			}
			switch {
			case n.Over != nil:
				return true, noneOf(n.Exprs, nil)
			case n.IsAggregate():
				return true, noneOf(n.Exprs, groupUse())
			}
		case *ast.GroupConcatExpr:
			return true, noneOf(n.Exprs, groupUse())
		}
		return true, nil
	}, sel.SelectExprs, sel.Having, sel.OrderBy)
}

// checkHaving refuses columns of the query's tables in HAVING, outside of aggregates, that
// are neither keys of GROUP BY nor results.
func checkHaving(sel *ast.Select) error {
	keys := append([]ast.Expr(nil), sel.GroupBy...)
	for _, e := range sel.SelectExprs {
		a, ok := e.(*ast.AliasedExpr)
		if !ok {
			return nil // a star has them
		}
		keys = append(keys, a.Expr)
	}
	return ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Subquery, *ast.GroupConcatExpr:
			return false, nil
		case *ast.FuncExpr:
			return !isAggregate(n), nil
		case *ast.ColName:
			found, _ := fromHas(sel.From, n.Qualifier.Name.String())
			if n.Qualifier.IsEmpty() || !found || slices.ContainsFunc(keys, func(k ast.Expr) bool { return usesColumn(k, n) }) {
				return true, nil
			}
			return false, &Error{Code: codeUnknownColumn, State: "42S22", Message: "Unknown column '" + ast.String(n) + "' in 'having clause'"}
		}
		return true, nil
	}, sel.Having)
}

// checkKey checks a key of GROUP BY, which may be the position of a result column.
func checkKey(sel *ast.Select, key ast.Expr) error {
	switch k := key.(type) {
	case *ast.ColName:
		return nil // a column, or a result column: the planner knows
	case *ast.SQLVal:
		n, err := strconv.Atoi(string(k.Val))
		if k.Type != ast.IntVal || err != nil || n < 1 || n > len(sel.SelectExprs) {
			return nil
		}
		if a, ok := sel.SelectExprs[n-1].(*ast.AliasedExpr); ok {
			name := a.As.String()
			if name == "" {
				name = a.InputExpression
			}
			return noneOf(a.Expr, cantGroup(name))
		}
		return nil
	}
	return noneOf(key, groupUse())
}

func groupUse() error {
	return &Error{Code: codeGroupUse, State: "HY000", Message: "Invalid use of group function"}
}

func cantGroup(name string) error {
	return &Error{Code: codeCantGroup, State: "42000", Message: "Can't group on '" + name + "'"}
}

// noneOf refuses window functions in a node, and aggregates with the given error if
// there is one. Subqueries may hold functions of their own.
func noneOf(node ast.SQLNode, aggregate error) error {
	return ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Subquery:
			return false, nil
		case *ast.FuncExpr:
			if n.Over != nil {
				return false, &Error{Code: codeWindowUse, State: "HY000",
					Message: "You cannot use the window function '" + strings.ToLower(n.Name.String()) + "' in this context.'"}
			}
			if !n.IsAggregate() || aggregate == nil {
				return true, nil
			}
		case *ast.GroupConcatExpr:
			if aggregate == nil {
				return true, nil
			}
		default:
			return true, nil
		}
		return false, aggregate
	}, node)
}
