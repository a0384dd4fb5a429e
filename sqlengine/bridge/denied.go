package bridge

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// Denied is the error of a statement that would change a database which is not the
// warehouse's: command is MySQL's word for what it does to a table; table is "" where
// it changes the database itself. Of information_schema MySQL names the database alone.
func Denied(ctx *sql.Context, command, database, table string) error {
	c := ctx.Client()
	if table == "" || strings.EqualFold(database, sql.InformationSchemaDatabaseName) {
		return Errorf(CodeDBAccessDenied, "Access denied for user '%s'@'%s' to database '%s'", c.User, c.Address, database)
	}
	return Errorf(CodeTableDenied, "%s command denied to user '%s'@'%s' for table '%s'", command, c.User, c.Address, table)
}
