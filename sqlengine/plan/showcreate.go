package plan

import (
	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
)

// showCreate answers SHOW CREATE TABLE for lake tables; views are the host's.
func (b *Builder) showCreate(n *hostplan.ShowCreateTable) (sql.RowIter, error) {
	if n.IsView {
		return nil, nil
	}
	t, ok := tableOf(n.Child)
	if !ok {
		return nil, nil
	}
	return sql.RowsToRowIter(sql.NewRow(t.Name(), t.ShowCreate())), nil
}
