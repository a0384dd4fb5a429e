package plan

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
)

// WindowByName is the function that the dialect writes in place of window functions
// that the host's planner does not take for such: its first argument is the name of
// the function, its second that function's argument. The planner knows its name as
// that of a window function, but no function of that name.
func WindowByName() sql.Function {
	return sql.Function2{Name: "count_distinct", Fn: func(name, arg sql.Expression) sql.Expression {
		if lit, ok := name.(*expression.Literal); ok {
			switch text, _ := lit.Value().(string); strings.ToUpper(text) {
			case "BIT_AND":
				return aggregation.NewBitAnd(arg)
			case "BIT_OR":
				return aggregation.NewBitOr(arg)
			case "BIT_XOR":
				return aggregation.NewBitXor(arg)
			}
		}
		return expression.NewUnresolvedColumn("count_distinct")
	}}
}
