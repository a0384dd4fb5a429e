package plan

import (
	"strings"

	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// checkNames refuses a derived table or a common table expression with two columns
// of one name, as MySQL does; the host would take the first.
func checkNames(n *hostplan.SubqueryAlias) error {
	columns := n.Schema()
	seen := make(map[string]bool, len(columns))
	for _, c := range columns {
		name := strings.ToLower(c.Name)
		if seen[name] {
			return bridge.Errorf(bridge.CodeDuplicateColumn, "Duplicate column name '%s'", c.Name)
		}
		seen[name] = true
	}
	return nil
}
