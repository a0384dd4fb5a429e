package procs

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/catalog"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
)

// dropDatabase removes a database with its tables; it reports their number, as
// MySQL does.
func (b *Builder) dropDatabase(ctx *sql.Context, s *dialect.DropDatabase) (bridge.Result, error) {
	names, err := b.provider.Catalog().ListDatabases(ctx)
	if err != nil {
		return bridge.Result{}, err
	}
	name, found, err := catalog.Match(names, s.Name)
	if err != nil {
		return bridge.Result{}, fmt.Errorf("database '%s': %w", s.Name, err)
	}
	if !found {
		// One that is found by name all the same is MySQL's own.
		if db, err := b.provider.Database(ctx, s.Name); err == nil {
			return bridge.Result{}, bridge.Denied(ctx, "", db.Name(), "")
		}
	}
	var tables []string
	if found {
		tables, err = b.provider.Catalog().ListTables(ctx, name)
		found = !errors.Is(err, catalog.ErrDatabaseNotFound)
	}
	switch {
	case !found && s.IfExists:
		ctx.Session.Warn(&sql.Warning{Level: "Note", Code: bridge.CodeDBDropMissing.Num,
			Message: fmt.Sprintf("Can't drop database '%s'; database doesn't exist", s.Name)})
		return bridge.Result{}, nil
	case !found:
		return bridge.Result{}, bridge.Errorf(bridge.CodeDBDropMissing, "Can't drop database '%s'; database doesn't exist", s.Name)
	case err != nil:
		return bridge.Result{}, err
	case s.Restrict && len(tables) > 0:
		return bridge.Result{}, bridge.Errorf(bridge.CodeNotSupported, "database '%s' is not empty: it has %d tables", name, len(tables))
	}
	if err := b.provider.DropDatabase(ctx, name); err != nil {
		return bridge.Result{}, err
	}
	if strings.EqualFold(ctx.GetCurrentDatabase(), name) {
		ctx.SetCurrentDatabase("")
	}
	return bridge.Result{Affected: int64(len(tables))}, nil
}
