package catalog

import (
	"context"
	"errors"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/schema"
)

// Errors by occasion; implementations wrap them with the names.
var (
	// ErrDatabaseNotFound is returned when there is no such database.
	ErrDatabaseNotFound = errors.New("database not found")
	// ErrDatabaseExist is returned by CreateDatabase for a taken name.
	ErrDatabaseExist = errors.New("database exists")
	// ErrTableNotFound is returned when there is no such table.
	ErrTableNotFound = errors.New("table not found")
	// ErrTableExist is returned by CreateTable and RenameTable for a taken name.
	ErrTableExist = errors.New("table exists")
	// ErrAmbiguous is returned for a name that matches several without case and none exactly.
	ErrAmbiguous = errors.New("ambiguous name")
	// ErrName is returned for a name that cannot be used.
	ErrName = errors.New("name not allowed")
)

// Catalog is a set of databases with tables. It is safe for many goroutines.
type Catalog interface {
	// ListDatabases returns all names in ascending order.
	ListDatabases(ctx context.Context) ([]string, error)
	CreateDatabase(ctx context.Context, name string) error
	// DropDatabase removes a database with all of its tables.
	DropDatabase(ctx context.Context, name string) error
	// ListTables returns the names of a database's tables in ascending order.
	ListTables(ctx context.Context, database string) ([]string, error)
	Table(ctx context.Context, database, name string) (*storage.Table, error)
	CreateTable(ctx context.Context, database, name string, def schema.Definition) (*storage.Table, error)
	DropTable(ctx context.Context, database, name string) error
	// RenameTable moves a table, into another database too.
	RenameTable(ctx context.Context, database, name, toDatabase, toName string) error
}

// Match finds name among names: exactly, else without case. ok is false when
// none matches; ErrAmbiguous says that several do and none exactly.
func Match(names []string, name string) (match string, ok bool, err error) {
	for _, n := range names {
		switch {
		case n == name:
			return n, true, nil
		case equalFold(n, name) && ok:
			err = ErrAmbiguous
		case equalFold(n, name):
			match, ok = n, true
		}
	}
	if err != nil {
		return "", false, err
	}
	return match, ok, nil
}
