package procs

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
	"github.com/lakesql/lakesql/sqlengine/plan"
)

// explain shows how a statement would run: the host's plan, with the scans of
// lake tables as they would be pruned now.
func (b *Builder) explain(s *dialect.Explain) *node {
	return rows(s, sql.Schema{text("plan")}, func(ctx *sql.Context) ([]sql.Row, error) {
		if s.Analyze {
			return nil, bridge.Errorf(bridge.CodeNotSupported, "EXPLAIN ANALYZE is not supported yet")
		}
		n, err := b.analyze(ctx, s.Query, s.Text.SQL)
		if err != nil {
			return nil, err
		}
		lines, err := plan.Describe(ctx, n)
		if err != nil {
			return nil, err
		}
		var out []sql.Row
		for _, l := range lines {
			out = append(out, sql.Row{l})
		}
		return out, nil
	})
}
