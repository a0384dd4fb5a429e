package procs

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
)

// insertValues is INSERT or REPLACE of constants: no plan of the host's, the
// rows' text goes straight into batches.
func (b *Builder) insertValues(s *dialect.InsertValues, children []any) (sql.ExecSourceRel, error) {
	params := make([]sql.Expression, len(children))
	for i, c := range children {
		e, ok := c.(sql.Expression)
		if !ok {
			return nil, fmt.Errorf("internal error: a parameter is a %T", c)
		}
		params[i] = e
	}
	return ok(s, func(ctx *sql.Context) (bridge.Result, error) {
		v := bridge.Values{Replace: s.Replace, Columns: s.Columns, Text: s.Source[s.First:s.End]}
		for _, p := range params {
			x, err := p.Eval(ctx, nil)
			if err != nil {
				return bridge.Result{}, err
			}
			v.Params = append(v.Params, x)
		}
		db, err := b.database(ctx, s.Name)
		if err != nil {
			return bridge.Result{}, err
		}
		t, err := b.provider.Target(ctx, db, s.Name.Table)
		if err != nil {
			return bridge.Result{}, err
		}
		return t.InsertValues(ctx, v)
	}), nil
}
