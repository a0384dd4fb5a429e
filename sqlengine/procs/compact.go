package procs

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
)

func compactProc() procedure {
	return procedure{
		name: "compact", run: compact, columns: result(),
		params: []param{
			required("table"), optional("compact_strategy"), optional("partitions"), optional("order_strategy"), optional("order_by"),
			optional("where"), optional("options"), optional("partition_idle_time"), optional("buckets"),
		},
	}
}

func compact(b *Builder, ctx *sql.Context, a *args) ([]sql.Row, error) {
	if err := a.refuse("order_by", "where", "options", "partition_idle_time", "buckets"); err != nil {
		return nil, err
	}
	if s := a.text("order_strategy"); s != "" && s != "none" {
		return nil, bridge.Errorf(bridge.CodeNotSupported, "sys.compact: order_strategy '%s' is not supported yet", s)
	}
	o, err := a.strategy()
	if err != nil {
		return nil, err
	}
	err = a.eachPartition(ctx, b, "partitions", func(t *storage.Table, partition map[string]columnar.Value) error {
		o.Partition = partition
		_, err := t.Compact(ctx, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return done(), nil
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
