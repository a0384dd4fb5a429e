package plan

import (
	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// kill refuses KILL of a connection that is not there; the host does the rest.
func (b *Builder) kill(ctx *sql.Context, n *hostplan.Kill) (sql.RowIter, error) {
	for _, p := range ctx.ProcessList.Processes() {
		if p.Connection == n.ConnID {
			return nil, nil
		}
	}
	return nil, bridge.Errorf(bridge.CodeNoSuchThread, "Unknown thread id: %d", n.ConnID)
}
