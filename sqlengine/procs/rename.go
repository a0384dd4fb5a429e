package procs

import (
	"errors"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
)

// renameTables renames from left to right; where one fails, those before it get
// their names back.
func (b *Builder) renameTables(ctx *sql.Context, tables []dialect.Renamed) error {
	for i, r := range tables {
		err := b.rename(ctx, r.From, r.To)
		if err == nil {
			continue
		}
		for _, done := range slices.Backward(tables[:i]) {
			err = errors.Join(err, b.rename(ctx, done.To, done.From))
		}
		return err
	}
	return nil
}

// rename gives a table or a view another name. A view stays in its database.
func (b *Builder) rename(ctx *sql.Context, from, to dialect.TableName) error {
	fromDB, err := b.warehouseDatabase(ctx, from)
	if err != nil {
		return err
	}
	toDB, err := b.warehouseDatabase(ctx, to)
	if err != nil {
		return err
	}
	taken, err := b.provider.HasView(ctx, toDB, to.Table)
	switch {
	case err != nil:
		return err
	case taken && !(fromDB == toDB && strings.EqualFold(from.Table, to.Table)):
		return bridge.Errorf(bridge.CodeTableExists, "Table '%s' already exists", to.Table)
	}
	isView, err := b.provider.HasView(ctx, fromDB, from.Table)
	if err != nil {
		return err
	}
	if isView {
		return b.renameView(ctx, fromDB, from.Table, toDB, to.Table)
	}
	if _, err := b.table(ctx, from); err != nil {
		return err
	}
	return b.provider.Catalog().RenameTable(ctx, fromDB, from.Table, toDB, to.Table)
}

func (b *Builder) renameView(ctx *sql.Context, fromDB, from, toDB, to string) error {
	if fromDB != toDB {
		return bridge.Errorf(bridge.CodeForbidSchema, "Changing schema from '%s' to '%s' is not allowed.", fromDB, toDB)
	}
	if _, err := b.provider.Catalog().Table(ctx, toDB, to); err == nil {
		return bridge.Errorf(bridge.CodeTableExists, "Table '%s' already exists", to)
	}
	return b.provider.RenameView(ctx, fromDB, from, to)
}
