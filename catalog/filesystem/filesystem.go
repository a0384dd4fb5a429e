package filesystem

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lakesql/lakesql/catalog"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/schema"
)

const (
	dbSuffix = ".db"
	// marker keeps a database that has no tables.
	marker = ".lakesql"
)

// Catalog is a warehouse directory.
type Catalog struct {
	env  *storage.Env
	root string
}

var _ catalog.Catalog = (*Catalog)(nil)

// New returns the catalog of the warehouse at root. It does no IO.
func New(env *storage.Env, root string) *Catalog {
	return &Catalog{env: env, root: root}
}

// Root is the warehouse directory.
func (c *Catalog) Root() string { return c.root }

func (c *Catalog) dbDir(database string) string { return fileio.Join(c.root, database+dbSuffix) }

// ListDatabases implements catalog.Catalog.
func (c *Catalog) ListDatabases(ctx context.Context) ([]string, error) {
	infos, err := c.env.Store.List(ctx, c.root)
	if err != nil {
		return nil, fmt.Errorf("list databases: %w", err)
	}
	var out []string
	for _, i := range infos {
		if name, ok := strings.CutSuffix(i.Name, dbSuffix); ok && i.Dir && name != "" {
			out = append(out, name)
		}
	}
	return out, nil
}

func (c *Catalog) database(ctx context.Context, name string) (string, error) {
	names, err := c.ListDatabases(ctx)
	if err != nil {
		return "", err
	}
	match, ok, err := catalog.Match(names, name)
	if err != nil {
		return "", fmt.Errorf("database '%s': %w", name, err)
	}
	if !ok {
		return "", fmt.Errorf("database '%s': %w", name, catalog.ErrDatabaseNotFound)
	}
	return match, nil
}

// CreateDatabase implements catalog.Catalog.
func (c *Catalog) CreateDatabase(ctx context.Context, name string) error {
	if err := catalog.CheckName("database", name); err != nil {
		return err
	}
	if _, err := c.database(ctx, name); !errors.Is(err, catalog.ErrDatabaseNotFound) {
		if err == nil {
			err = catalog.ErrDatabaseExist
		}
		return fmt.Errorf("create database '%s': %w", name, err)
	}
	err := c.env.Store.CreateIfAbsent(ctx, fileio.Join(c.dbDir(name), marker), nil)
	if errors.Is(err, fileio.ErrExist) {
		err = catalog.ErrDatabaseExist
	}
	if err != nil {
		return fmt.Errorf("create database '%s': %w", name, err)
	}
	return nil
}

// DropDatabase implements catalog.Catalog.
func (c *Catalog) DropDatabase(ctx context.Context, name string) error {
	db, err := c.database(ctx, name)
	if err != nil {
		return err
	}
	tables, err := c.ListTables(ctx, db)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if err := c.DropTable(ctx, db, t); err != nil && !errors.Is(err, catalog.ErrTableNotFound) {
			return err
		}
	}
	if err := c.env.Store.Delete(ctx, fileio.Join(c.dbDir(db), marker)); err != nil {
		return fmt.Errorf("drop database '%s': %w", db, err)
	}
	if ds, ok := c.env.Store.(fileio.DirStore); ok {
		if err := ds.RemoveEmptyDir(ctx, c.dbDir(db)); err != nil {
			return fmt.Errorf("drop database '%s': %w", db, err)
		}
	}
	return nil
}

// ListTables implements catalog.Catalog.
func (c *Catalog) ListTables(ctx context.Context, database string) ([]string, error) {
	db, err := c.database(ctx, database)
	if err != nil {
		return nil, err
	}
	return c.tables(ctx, db)
}

// tables lists the tables of a database that exists under exactly this name.
func (c *Catalog) tables(ctx context.Context, db string) ([]string, error) {
	infos, err := c.env.Store.List(ctx, c.dbDir(db))
	if err != nil {
		return nil, fmt.Errorf("list tables of '%s': %w", db, err)
	}
	var out []string
	for _, i := range infos {
		if !i.Dir || strings.HasPrefix(i.Name, ".") {
			continue
		}
		is, err := c.isTable(ctx, fileio.Join(c.dbDir(db), i.Name))
		if err != nil {
			return nil, fmt.Errorf("list tables of '%s': %w", db, err)
		}
		if is {
			out = append(out, i.Name)
		}
	}
	return out, nil
}

func (c *Catalog) isTable(ctx context.Context, dir string) (bool, error) {
	infos, err := c.env.Store.List(ctx, fileio.Join(dir, "schema"))
	if err != nil {
		return false, err
	}
	for _, i := range infos {
		if _, ok := schema.ParseFileName(i.Name); ok {
			return true, nil
		}
	}
	return false, nil
}

// Table implements catalog.Catalog.
func (c *Catalog) Table(ctx context.Context, database, name string) (*storage.Table, error) {
	t, err := c.open(ctx, database, name)
	if err == nil || !errors.Is(err, catalog.ErrTableNotFound) {
		return t, err
	}
	// Not under the names as typed: look for ones that match without case.
	db, derr := c.database(ctx, database)
	if derr != nil {
		return nil, derr
	}
	names, lerr := c.tables(ctx, db)
	if lerr != nil {
		return nil, lerr
	}
	match, ok, merr := catalog.Match(names, name)
	if merr != nil {
		return nil, fmt.Errorf("table '%s.%s': %w", db, name, merr)
	}
	if !ok || db == database && match == name {
		return nil, err
	}
	return c.open(ctx, db, match)
}

// open opens the table that has exactly these names.
func (c *Catalog) open(ctx context.Context, database, name string) (*storage.Table, error) {
	notFound := fmt.Errorf("table '%s.%s': %w", database, name, catalog.ErrTableNotFound)
	if catalog.CheckName("table", name) != nil || catalog.CheckName("database", database) != nil {
		return nil, notFound
	}
	dir := fileio.Join(c.dbDir(database), name)
	t, err := storage.Open(ctx, c.env, dir)
	if err == nil {
		// A handle may outlive its folder: another process can drop a table.
		_, err = t.Schema(ctx)
	}
	if errors.Is(err, storage.ErrNotFound) {
		return nil, notFound
	}
	if err != nil {
		return nil, fmt.Errorf("open table '%s.%s': %w", database, name, err)
	}
	return t, nil
}

// CreateTable implements catalog.Catalog.
func (c *Catalog) CreateTable(ctx context.Context, database, name string, def schema.Definition) (*storage.Table, error) {
	if err := catalog.CheckName("table", name); err != nil {
		return nil, err
	}
	db, err := c.database(ctx, database)
	if err != nil {
		return nil, err
	}
	exists := fmt.Errorf("table '%s.%s': %w", db, name, catalog.ErrTableExist)
	if err := c.free(ctx, db, name, exists); err != nil {
		return nil, err
	}
	dir := fileio.Join(c.dbDir(db), name)
	t, err := storage.Create(ctx, c.env, dir, def)
	if errors.Is(err, storage.ErrExist) {
		return nil, exists
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// free returns exists when a table has the name, with or without case.
func (c *Catalog) free(ctx context.Context, db, name string, exists error) error {
	names, err := c.tables(ctx, db)
	if err != nil {
		return err
	}
	_, ok, err := catalog.Match(names, name)
	if err != nil || ok {
		return errors.Join(exists, err)
	}
	return nil
}

// find gives the exact names of a table that exists.
func (c *Catalog) find(ctx context.Context, database, name string) (db, table string, err error) {
	if db, err = c.database(ctx, database); err != nil {
		return "", "", err
	}
	names, err := c.tables(ctx, db)
	if err != nil {
		return "", "", err
	}
	table, ok, err := catalog.Match(names, name)
	if err == nil && !ok {
		err = catalog.ErrTableNotFound
	}
	if err != nil {
		return "", "", fmt.Errorf("table '%s.%s': %w", db, name, err)
	}
	return db, table, nil
}

// DropTable implements catalog.Catalog.
func (c *Catalog) DropTable(ctx context.Context, database, name string) error {
	db, table, err := c.find(ctx, database, name)
	if err != nil {
		return err
	}
	dir := fileio.Join(c.dbDir(db), table)
	if err := c.keepDatabase(ctx, db); err != nil {
		return err
	}
	if err := storage.Drop(ctx, c.env, dir); err != nil {
		return fmt.Errorf("drop table '%s.%s': %w", db, table, err)
	}
	return nil
}

// keepDatabase makes sure that a database outlives its last table.
func (c *Catalog) keepDatabase(ctx context.Context, db string) error {
	err := c.env.Store.CreateIfAbsent(ctx, fileio.Join(c.dbDir(db), marker), nil)
	if err != nil && !errors.Is(err, fileio.ErrExist) {
		return fmt.Errorf("keep database '%s': %w", db, err)
	}
	return nil
}

// RenameTable implements catalog.Catalog.
func (c *Catalog) RenameTable(ctx context.Context, database, name, toDatabase, toName string) error {
	if err := catalog.CheckName("table", toName); err != nil {
		return err
	}
	db, table, err := c.find(ctx, database, name)
	if err != nil {
		return err
	}
	toDB, err := c.database(ctx, toDatabase)
	if err != nil {
		return err
	}
	exists := fmt.Errorf("table '%s.%s': %w", toDB, toName, catalog.ErrTableExist)
	if !(db == toDB && strings.EqualFold(table, toName)) {
		if err := c.free(ctx, toDB, toName, exists); err != nil {
			return err
		}
	}
	if err := c.keepDatabase(ctx, db); err != nil {
		return err
	}
	from, to := fileio.Join(c.dbDir(db), table), fileio.Join(c.dbDir(toDB), toName)
	err = storage.Rename(ctx, c.env, from, to)
	if errors.Is(err, storage.ErrExist) {
		return exists
	}
	if err != nil {
		return fmt.Errorf("rename table '%s.%s': %w", db, table, err)
	}
	return nil
}
