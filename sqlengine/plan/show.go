package plan

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
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

// showColumns answers SHOW COLUMNS as the host does, but for what it says of character
// sets in the types of texts.
func (b *Builder) showColumns(ctx *sql.Context, n *hostplan.ShowColumns, row sql.Row) (sql.RowIter, error) {
	in, err := rowexec.DefaultBuilder.Build(ctx, n, row)
	if err != nil {
		return nil, err
	}
	rows, err := sql.RowIterToRows(ctx, in)
	if err != nil {
		return nil, err
	}
	const typ = 1 // the column Type
	for _, r := range rows {
		if text, ok := r[typ].(string); ok {
			text, _, _ = strings.Cut(text, " CHARACTER SET ")
			r[typ], _, _ = strings.Cut(text, " COLLATE ")
		}
	}
	return sql.RowsToRowIter(rows...), nil
}

// showDatabases answers SHOW DATABASES with the databases that are listed; the
// host adds mysql where it is found by name.
func showDatabases(ctx *sql.Context, n *hostplan.ShowDatabases) (sql.RowIter, error) {
	var rows []sql.Row
	for _, db := range n.Catalog.AllDatabases(ctx) {
		rows = append(rows, sql.Row{db.Name()})
	}
	sortRows(rows)
	return sql.RowsToRowIter(rows...), nil
}

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
