package procs

import (
	"errors"
	"fmt"
	"regexp"
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

func compactDatabaseProc() procedure {
	return procedure{
		name: "compact_database", run: compactDatabase, columns: sql.Schema{text("result")},
		params: []param{
			optional("including_databases"), optional("mode"), optional("including_tables"), optional("excluding_tables"),
			optional("table_options", "options"), optional("partition_idle_time"), optional("compact_strategy"),
		},
	}
}

// compactDatabase compacts the tables whose databases and names (db.t) match.
func compactDatabase(b *Builder, ctx *sql.Context, a *args) ([]sql.Row, error) {
	if err := a.refuse("table_options", "partition_idle_time"); err != nil {
		return nil, err
	}
	switch m := strings.ToLower(a.text("mode")); m {
	case "", "divided", "combined": // how Flink divides the work into jobs; here there are none
	default:
		return nil, a.errorf("mode is 'divided' or 'combined', not '%s'", a.text("mode"))
	}
	o, err := a.strategy()
	if err != nil {
		return nil, err
	}
	databases, err := a.pattern("including_databases", ".*")
	if err != nil {
		return nil, err
	}
	including, err := a.pattern("including_tables", ".*")
	if err != nil {
		return nil, err
	}
	excluding, err := a.pattern("excluding_tables", "")
	if err != nil {
		return nil, err
	}
	all, err := b.provider.Catalog().ListDatabases(ctx)
	if err != nil {
		return nil, err
	}
	for _, db := range all {
		if !databases.MatchString(db) {
			continue
		}
		tables, err := b.tablesOf(ctx, db)
		if err != nil {
			return nil, err
		}
		for _, t := range tables {
			if name := db + "." + t.Name(); !including.MatchString(name) || excluding.MatchString(name) {
				continue
			}
			if err := compactOne(ctx, t, db, o); err != nil {
				return nil, err
			}
		}
	}
	return []sql.Row{{"Success"}}, nil
}

// compactOne compacts a table. One that has gone, or that lakesql cannot write, does
// not keep the others.
func compactOne(ctx *sql.Context, t *storage.Table, db string, o storage.CompactOptions) error {
	_, err := t.Compact(ctx, o)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil
	case errors.Is(err, storage.ErrUnsupported):
		ctx.Warn(bridge.CodeNotSupported.Num, "%s.%s is not compacted: %v", db, t.Name(), err)
		return nil
	case err != nil:
		return fmt.Errorf("compact %s.%s: %w", db, t.Name(), err)
	}
	return nil
}

// strategy reads compact_strategy.
func (a *args) strategy() (storage.CompactOptions, error) {
	switch s := strings.ToLower(a.text("compact_strategy")); s {
	case "", "full":
		return storage.CompactOptions{Full: true}, nil
	case "minor":
		return storage.CompactOptions{}, nil
	default:
		return storage.CompactOptions{}, a.errorf("compact_strategy is 'full' or 'minor', not '%s'", a.text("compact_strategy"))
	}
}

// pattern is an argument as a regular expression for whole names; other when it is
// not given.
func (a *args) pattern(name, other string) (*regexp.Regexp, error) {
	text := a.text(name)
	if text == "" {
		text = other
	}
	r, err := regexp.Compile("^(?:" + text + ")$")
	if err != nil {
		return nil, a.errorf("argument '%s' is no regular expression: %v", name, err)
	}
	return r, nil
}

// boolean is an argument as a truth value; false when it is not given.
func (a *args) boolean(name string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(a.text(name))) {
	case "", "false", "0":
		return false, nil
	case "true", "1":
		return true, nil
	}
	return false, a.errorf("argument '%s' must be true or false, not '%s'", name, a.text(name))
}
