package dialect

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// globalDefault puts the value that a variable has in a new server in the place of
// SET GLOBAL's DEFAULT, for which the host takes the one that the variable has now.
func globalDefault(e *ast.SetVarExpr) {
	if _, ok := e.Expr.(*ast.Default); !ok || e.Scope != ast.SetScope_Global {
		return
	}
	v, _, ok := sql.SystemVariables.GetGlobal(e.Name.Name.Lowered())
	if !ok {
		return // which the host says
	}
	switch x := v.GetDefault().(type) {
	case nil:
		e.Expr = &ast.NullVal{}
	case string:
		e.Expr = ast.NewStrVal([]byte(x))
	case float64:
		e.Expr = ast.NewFloatVal(fmt.Appendf(nil, "%v", x))
	case int8, int64, uint64, int:
		e.Expr = ast.NewIntVal(fmt.Appendf(nil, "%d", x))
	}
}
