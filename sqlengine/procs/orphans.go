package procs

import (
	"errors"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/catalog"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/storage"
)

// orphanAge is how old orphan files are when older_than does not say.
const orphanAge = 24 * time.Hour

func removeOrphanFilesProc() procedure {
	return procedure{
		name: "remove_orphan_files", run: removeOrphanFiles,
		params:  []param{required("table"), optional("older_than"), optional("dry_run"), optional("parallelism"), optional("mode")},
		columns: sql.Schema{number("deletedFileCount"), number("deletedFileTotalLenInBytes")},
	}
}

// removeOrphanFiles cleans a table, or all tables of a database for 'db.*'.
func removeOrphanFiles(b *Builder, ctx *sql.Context, a *args) ([]sql.Row, error) {
	if err := a.refuse("parallelism"); err != nil {
		return nil, err
	}
	switch m := strings.ToLower(a.text("mode")); m {
	case "", "local", "distributed": // where Flink and Spark run it; here there is one place
	default:
		return nil, a.errorf("mode is 'local' or 'distributed', not '%s'", a.text("mode"))
	}
	now := time.Now()
	o := storage.OrphanOptions{OlderThan: now.Add(-orphanAge)}
	older, err := a.at(ctx, "older_than")
	if err != nil {
		return nil, err
	}
	if older != nil {
		if older.After(now) {
			return nil, a.errorf("argument 'older_than' must not be in the future: it would take files of writes that are not finished")
		}
		o.OlderThan = *older
	}
	if o.DryRun, err = a.boolean("dry_run"); err != nil {
		return nil, err
	}
	tables, err := b.tablesText(ctx, a.text("table"))
	if err != nil {
		return nil, err
	}
	var all storage.Orphans
	for _, t := range tables {
		n, err := t.RemoveOrphans(ctx, o)
		all.Files += n.Files
		all.SizeBytes += n.SizeBytes
		if err != nil {
			return nil, err
		}
	}
	return []sql.Row{{all.Files, all.SizeBytes}}, nil
}

// tablesText finds the table of 'db.t' or 't', and all tables of 'db.*' or '*'.
func (b *Builder) tablesText(ctx *sql.Context, text string) ([]*storage.Table, error) {
	db, ok := strings.CutSuffix(text, "*")
	if !ok {
		t, err := b.tableText(ctx, text)
		return []*storage.Table{t}, err
	}
	db = strings.Trim(strings.TrimSuffix(db, "."), "`")
	if db == "" {
		db = ctx.GetCurrentDatabase()
	}
	if db == "" {
		return nil, bridge.Errorf(bridge.CodeNoDatabase, "No database selected")
	}
	return b.tablesOf(ctx, db)
}

// tablesOf are the tables of a database. One that goes meanwhile is left out.
func (b *Builder) tablesOf(ctx *sql.Context, db string) ([]*storage.Table, error) {
	names, err := b.provider.Catalog().ListTables(ctx, db)
	if errors.Is(err, catalog.ErrDatabaseNotFound) {
		return nil, bridge.Errorf(bridge.CodeBadDatabase, "Unknown database '%s'", db)
	}
	if err != nil {
		return nil, err
	}
	var out []*storage.Table
	for _, name := range names {
		t, err := b.provider.Catalog().Table(ctx, db, name)
		if errors.Is(err, catalog.ErrTableNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}
