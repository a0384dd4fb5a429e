package dialect

import ast "github.com/dolthub/vitess/go/vt/sqlparser"

// checkStatement refuses what the host would run wrongly: aggregates where there
// are no groups yet, in the WHERE of a statement and in what UPDATE sets (it forgets
// such a condition or blames other columns; subqueries may hold aggregates of their
// own), and results written to the server's files.
func checkStatement(stmt ast.Statement) error {
	if s, ok := stmt.(ast.SelectStatement); ok {
		if into := s.GetInto(); into != nil && into.Outfile+into.Dumpfile != "" {
			return &Error{Code: codeSecureFile, State: "HY000", Message: "The MySQL server is running with the --secure-file-priv option " +
				"so it cannot execute this statement: lakesql writes no files but its tables; save the result at the client"}
		}
	}
	switch s := stmt.(type) {
	case *ast.Select:
		return checkAggregates(s.Where)
	case *ast.SetOp:
		if err := checkStatement(s.Left); err != nil {
			return err
		}
		return checkStatement(s.Right)
	case *ast.ParenSelect:
		return checkStatement(s.Select)
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
