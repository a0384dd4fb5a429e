package bridge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"

	"github.com/lakesql/lakesql/catalog"
	"github.com/lakesql/lakesql/hints"
	"github.com/lakesql/lakesql/storage/fileio"
)

// Config is what a Provider needs; all members but System and Functions are required.
type Config struct {
	Catalog catalog.Catalog
	Store   fileio.Store // of the warehouse, for what the server remembers
	Root    string       // the warehouse directory
	// System are databases that are found by name where the warehouse has none of it.
	System []sql.Database
	// Functions are those that take the place of the host's or that it lacks; nil for none.
	Functions sql.FunctionProvider
}

// Provider gives the host the databases of a catalog. It is safe for many sessions.
type Provider struct {
	catalog catalog.Catalog
	views   *viewStore
	schemas sql.Database // information_schema
	system  []sql.Database

	functions sql.FunctionProvider
}

var (
	_ sql.MutableDatabaseProvider = (*Provider)(nil)
	_ sql.FunctionProvider        = (*Provider)(nil)
)

// NewProvider returns a provider. It does no IO.
func NewProvider(c Config) *Provider {
	return &Provider{
		catalog: c.Catalog,
		views:   newViewStore(c.Store, c.Root),
		schemas: information_schema.NewInformationSchemaDatabase(),
		system:  c.System,

		functions: c.Functions,
	}
}

// Function implements sql.FunctionProvider.
func (p *Provider) Function(ctx *sql.Context, name string) (sql.Function, bool) {
	if p.functions == nil {
		return nil, false
	}
	return p.functions.Function(ctx, name)
}

// Catalog is where the tables are.
func (p *Provider) Catalog() catalog.Catalog { return p.catalog }

// Database implements sql.DatabaseProvider. Behind a slash the name carries what
// a statement says about the table that it writes to.
func (p *Provider) Database(ctx *sql.Context, name string) (sql.Database, error) {
	name, target, carried, err := hints.SplitQualifier(name)
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = ctx.GetCurrentDatabase()
	}
	if name == "" {
		return nil, sql.ErrNoDatabaseSelected.New()
	}
	if strings.EqualFold(name, sql.InformationSchemaDatabaseName) {
		return p.schemas, nil
	}
	if strings.EqualFold(name, systemDatabase) {
		return nil, errSystemDatabase()
	}
	names, err := p.databases(ctx)
	if err != nil {
		return nil, err
	}
	match, ok, err := catalog.Match(names, name)
	if err != nil {
		return nil, fmt.Errorf("database '%s': %w", name, err)
	}
	if !ok {
		for _, s := range p.system {
			if strings.EqualFold(name, s.Name()) {
				return s, nil
			}
		}
		return nil, sql.ErrDatabaseNotFound.New(name)
	}
	d := &Database{provider: p, name: match}
	if carried {
		d.target = &target
	}
	return d, nil
}

// databases lists the warehouse's databases, once for a command: the host asks several
// times for each name in a statement.
func (p *Provider) databases(ctx *sql.Context) ([]string, error) {
	var c *command
	if s, ok := ctx.Session.(*Session); ok {
		c = s.command.Load()
	}
	if c != nil {
		if names := c.databases.Load(); names != nil {
			return *names, nil
		}
	}
	names, err := p.catalog.ListDatabases(ctx)
	if err == nil && c != nil {
		c.databases.Store(&names)
	}
	return names, err
}

// forgetDatabases is called when the command changes them.
func forgetDatabases(ctx *sql.Context) {
	if s, ok := ctx.Session.(*Session); ok {
		if c := s.command.Load(); c != nil {
			c.databases.Store(nil)
		}
	}
}

// InsertColumns names the columns of a table that a statement writes to; nil when it is
// not found, which the host will tell. db may be "".
func (p *Provider) InsertColumns(ctx *sql.Context, db, table string) []string {
	d, err := p.Database(ctx, db)
	if err != nil {
		return nil
	}
	t, ok, err := d.GetTableInsensitive(ctx, table)
	if err != nil || !ok {
		return nil
	}
	var names []string
	for _, c := range t.Schema() {
		names = append(names, c.Name)
	}
	return names
}

// HasDatabase implements sql.DatabaseProvider.
func (p *Provider) HasDatabase(ctx *sql.Context, name string) bool {
	_, err := p.Database(ctx, name)
	return err == nil
}

// AllDatabases implements sql.DatabaseProvider. The host adds information_schema.
func (p *Provider) AllDatabases(ctx *sql.Context) []sql.Database {
	var out []sql.Database
	names, err := p.catalog.ListDatabases(ctx)
	if err != nil {
		ctx.Warn(CodeUnknown.Num, "%v", err)
	}
	for _, n := range names {
		out = append(out, &Database{provider: p, name: n, described: true})
	}
	return out
}

// CreateDatabase implements sql.MutableDatabaseProvider.
func (p *Provider) CreateDatabase(ctx *sql.Context, name string) error {
	if strings.EqualFold(name, systemDatabase) {
		return errSystemDatabase()
	}
	defer forgetDatabases(ctx)
	err := p.catalog.CreateDatabase(ctx, name)
	if errors.Is(err, catalog.ErrDatabaseExist) {
		return sql.ErrDatabaseExists.New(name)
	}
	return err
}

// DropDatabase implements sql.MutableDatabaseProvider.
func (p *Provider) DropDatabase(ctx *sql.Context, name string) error {
	defer forgetDatabases(ctx)
	err := p.catalog.DropDatabase(ctx, name)
	if errors.Is(err, catalog.ErrDatabaseNotFound) {
		return sql.ErrDatabaseNotFound.New(name)
	}
	if err != nil {
		return err
	}
	return p.dropViews(ctx, name)
}

// EnsureDefault creates the database "default" when the warehouse has none.
func (p *Provider) EnsureDefault(ctx context.Context) error {
	err := p.catalog.CreateDatabase(ctx, DefaultDatabase)
	if errors.Is(err, catalog.ErrDatabaseExist) {
		return nil
	}
	return err
}

// systemDatabase is reserved for tables about all tables; Paimon reserves it too.
const systemDatabase = "sys"

func errSystemDatabase() error {
	return Errorf(CodeNotSupported, "the tables of database 'sys' are not supported yet; CALL sys.… is")
}

// DefaultDatabase is where a session starts that names no database.
const DefaultDatabase = "default"
