package plan

import (
	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// checkTarget refuses a statement that changes a table or view of a database that
// is not the warehouse's: the host refuses some late and in other words, and keeps
// views of such databases in the session.
func checkTarget(ctx *sql.Context, n sql.Node) error {
	switch n := n.(type) {
	case *hostplan.InsertInto:
		return checkTable(ctx, "INSERT", n.Destination)
	case *hostplan.Update:
		return checkTable(ctx, "UPDATE", n.Child)
	case *hostplan.DeleteFrom:
		return checkTable(ctx, "DELETE", n.Child)
	case *hostplan.Truncate:
		return checkTable(ctx, "DROP", n.Child)
	case *hostplan.DropTable:
		for _, t := range n.Tables {
			if err := checkTable(ctx, "DROP", t); err != nil {
				return err
			}
		}
	case *hostplan.CreateView:
		if db := n.Database(); foreign(db) {
			return bridge.Denied(ctx, "CREATE VIEW", db.Name(), "")
		}
	}
	return nil
}

// checkTable looks at the one table under a chain of nodes that have one child.
func checkTable(ctx *sql.Context, command string, n sql.Node) error {
	for {
		if t, ok := n.(*hostplan.ResolvedTable); ok {
			if foreign(t.SqlDatabase) {
				return bridge.Denied(ctx, command, t.SqlDatabase.Name(), t.Name())
			}
			return nil
		}
		c := n.Children()
		if len(c) != 1 {
			return nil
		}
		n = c[0]
	}
}

// foreign reports whether a database is none of the warehouse's.
func foreign(db sql.Database) bool {
	_, lake := db.(*bridge.Database)
	return db != nil && db.Name() != "" && !lake
}
