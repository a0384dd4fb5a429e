package dialect

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

const (
	codeBadTable      = 1051 // ER_BAD_TABLE_ERROR, 42S02
	codeUnknownColumn = 1054 // ER_BAD_FIELD_ERROR, 42S22
)

// checkTree checks and repairs what needs nothing but the tree.
func checkTree(stmt ast.Statement) error {
	if err := checkStars(stmt); err != nil {
		return err
	}
	conditionOfJoin(stmt)
	if hasNames(stmt) {
		namesOfGroups(stmt)
	}
	return markExists(stmt)
}

// checkStars says which t.* of a query names no table of it, which is another
// error than that of a table that does not exist.
func checkStars(stmt ast.Statement) error {
	sel, ok := stmt.(*ast.Select)
	if !ok {
		return nil
	}
	for _, e := range sel.SelectExprs {
		star, ok := e.(*ast.StarExpr)
		if !ok || star.TableName.IsEmpty() {
			continue
		}
		name := star.TableName.Name.String()
		if found, all := fromHas(sel.From, name); !found && all {
			return &Error{Code: codeBadTable, State: "42S02", Message: "Unknown table '" + name + "'"}
		}
	}
	return nil
}

// fromHas looks for a table in a FROM; all says that each name in it is known.
func fromHas(from ast.TableExprs, name string) (found, all bool) {
	all = true
	for _, t := range from {
		f, a := tableHas(t, name)
		found, all = found || f, all && a
	}
	return found, all
}

func tableHas(t ast.TableExpr, name string) (found, all bool) {
	switch t := t.(type) {
	case *ast.AliasedTableExpr:
		if !t.As.IsEmpty() {
			return strings.EqualFold(t.As.String(), name), true
		}
		if n, ok := t.Expr.(ast.TableName); ok {
			return strings.EqualFold(n.Name.String(), name), true
		}
	case *ast.ParenTableExpr:
		return fromHas(t.Exprs, name)
	case *ast.JoinTableExpr:
		return fromHas(ast.TableExprs{t.LeftExpr, t.RightExpr}, name)
	}
	return false, false
}
