package plan

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
)

// showVariables answers SHOW VARIABLES in MySQL's order and with ON and OFF for
// switches, where the host shows 1 and 0.
func (b *Builder) showVariables(ctx *sql.Context, n *hostplan.ShowVariables) (sql.RowIter, error) {
	values := ctx.GetAllSessionVariables()
	if n.Global {
		values = sql.SystemVariables.GetAllGlobalVariables()
	}
	var rows []sql.Row
	for name, v := range values {
		if n.Filter != nil {
			keep, err := sql.EvaluateCondition(ctx, n.Filter, sql.Row{strings.ToLower(name)})
			if err != nil {
				return nil, err
			}
			if !sql.IsTrue(keep) {
				continue
			}
		}
		rows = append(rows, sql.Row{name, ShownVariable(name, v)})
	}
	sortRows(rows)
	return sql.RowsToRowIter(rows...), nil
}

// ShownVariable is a variable's value as SHOW VARIABLES has it.
func ShownVariable(name string, v any) any {
	def, _, ok := sql.SystemVariables.GetGlobal(name)
	if !ok {
		return v
	}
	if _, ok := def.GetType().(gmstypes.SystemBoolType); !ok {
		return v
	}
	switch v {
	case int8(0):
		return "OFF"
	case int8(1):
		return "ON"
	}
	return v
}

// sortRows sorts rows by the text in their first column.
func sortRows(rows []sql.Row) {
	slices.SortFunc(rows, func(a, b sql.Row) int { return strings.Compare(a[0].(string), b[0].(string)) })
}
