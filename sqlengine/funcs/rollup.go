package funcs

import (
	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/sqlengine/dialect"
)

// rollupFunctions mark the parts of a GROUP BY … WITH ROLLUP. plan gives their values
// in rows of totals; elsewhere they are the key, and 0.
func rollupFunctions() []entry {
	zero := func(*sql.Context, *call, []any) (any, error) { return int64(0), nil }
	return []entry{
		{name: dialect.RollupFunc, typ: fixed(gmstypes.Int64), eval: zero},
		{name: dialect.GroupingFunc, min: 1, max: 64, typ: fixed(gmstypes.Int64), eval: zero},
		{
			name: dialect.RollupKeyFunc, min: 2, max: 2, nulls: true,
			typ:  func(args []sql.Expression) sql.Type { return args[1].Type() },
			eval: func(_ *sql.Context, _ *call, args []any) (any, error) { return args[1], nil },
		},
	}
}

// IsRollup reports whether a key of a GROUP BY says WITH ROLLUP.
func IsRollup(e sql.Expression) bool {
	c, ok := e.(*call)
	return ok && c.name == dialect.RollupFunc
}

// RolledUp is what an expression gives in rows that have only the first kept keys:
// NULL for other keys, the bits of GROUPING. ok is false for expressions that are
// what they always are.
func RolledUp(e sql.Expression, kept int) (value any, ok bool) {
	c, isCall := e.(*call)
	if !isCall {
		return nil, false
	}
	switch c.name {
	case dialect.RollupKeyFunc:
		return nil, keyNumber(c.args[0]) >= kept
	case dialect.GroupingFunc:
		bits := int64(0)
		for _, a := range c.args {
			bits <<= 1
			if keyNumber(a) >= kept {
				bits |= 1
			}
		}
		return bits, true
	}
	return nil, false
}

func keyNumber(e sql.Expression) int {
	n, _ := literalInt(e)
	return int(n)
}
