package storage

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/lakesql/lakesql/storage/check"
	"github.com/lakesql/lakesql/storage/fileio"
)

// Problem is a fault of a table on storage, or a note about it.
type Problem = check.Problem

// CheckTable walks the table in dir offline and yields what is broken, and notes;
// see package check. It changes nothing and takes nothing from the caches of env.
// The only errors are those of ctx, and ErrNotFound when there is no table.
func CheckTable(ctx context.Context, env *Env, dir string) iter.Seq2[Problem, error] {
	return check.Table(ctx, check.Config{Store: env.Store, Formats: newFormats()}, dir)
}

// CheckWarehouse is CheckTable for every table of the warehouse in dir: for the
// directories <database>.db/<table> that have a schema.
func CheckWarehouse(ctx context.Context, env *Env, dir string) iter.Seq2[Problem, error] {
	return func(yield func(Problem, error) bool) {
		tables, err := tablesIn(ctx, env.Store, dir)
		if err != nil {
			yield(Problem{Path: dir}, err)
			return
		}
		for _, table := range tables {
			for p, err := range CheckTable(ctx, env, table) {
				if !yield(p, err) || err != nil {
					return
				}
			}
		}
	}
}

// tablesIn are the directories of the tables of a warehouse.
func tablesIn(ctx context.Context, store fileio.Reader, dir string) ([]string, error) {
	databases, err := store.List(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("list warehouse %s: %w", dir, err)
	}
	var out []string
	for _, db := range databases {
		if !db.Dir || !strings.HasSuffix(db.Name, ".db") {
			continue
		}
		tables, err := store.List(ctx, fileio.Join(dir, db.Name))
		if err != nil {
			return nil, fmt.Errorf("list database %s: %w", db.Name, err)
		}
		for _, t := range tables {
			if !t.Dir {
				continue
			}
			schemas, err := store.List(ctx, fileio.Join(dir, db.Name, t.Name, "schema"))
			if err != nil {
				return nil, fmt.Errorf("list table %s.%s: %w", db.Name, t.Name, err)
			}
			if len(schemas) > 0 {
				out = append(out, fileio.Join(dir, db.Name, t.Name))
			}
		}
	}
	return out, nil
}
