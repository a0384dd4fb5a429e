package dialect

import ast "github.com/dolthub/vitess/go/vt/sqlparser"

// checkWhere refuses aggregates where there are no groups yet: in the WHERE of a
// statement and in what UPDATE sets. The host forgets such a condition or blames
// other columns. Subqueries may hold aggregates of their own.
func checkWhere(stmt ast.Statement) error {
	switch s := stmt.(type) {
	case *ast.Select:
		return checkAggregates(s.Where)
	case *ast.SetOp:
		if err := checkWhere(s.Left); err != nil {
			return err
		}
		return checkWhere(s.Right)
	case *ast.ParenSelect:
		return checkWhere(s.Select)
	case *ast.Delete:
		return checkAggregates(s.Where)
	case *ast.Update:
		for _, e := range s.Exprs {
			if err := checkExpr(e.Expr); err != nil {
				return err
			}
		}
		return checkAggregates(s.Where)
	}
	return nil
}

func checkAggregates(w *ast.Where) error {
	if w == nil {
		return nil
	}
	return checkExpr(w.Expr)
}

func checkExpr(e ast.Expr) error {
	return ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Subquery:
			return false, nil
		case *ast.FuncExpr:
			if !n.IsAggregate() || n.Over != nil {
				return true, nil
			}
		case *ast.GroupConcatExpr:
		default:
			return true, nil
		}
		return false, &Error{Code: codeGroupUse, State: "HY000", Message: "Invalid use of group function"}
	}, e)
}
