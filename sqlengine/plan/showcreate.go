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

// showIndexes shows the primary key of a lake table, which planning does not see.
func (b *Builder) showIndexes(ctx *sql.Context, n *hostplan.ShowIndexes, row sql.Row) (sql.RowIter, error) {
	t, ok := tableOf(n.Child)
	if !ok || len(n.IndexesToShow) > 0 || len(t.Keys()) == 0 {
		return nil, nil
	}
	keyed := *n
	keyed.IndexesToShow = t.Keys()
	return b.Build(ctx, &keyed, row)
}
