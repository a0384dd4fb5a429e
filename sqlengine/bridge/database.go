package bridge

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/catalog"
	"github.com/lakesql/lakesql/hints"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/systables"
)

// Database is one database of the catalog, for one use by one statement.
type Database struct {
	provider *Provider
	name     string
	target   *hints.Target // what the statement says of the table it writes; nil: nothing
	// described: one of all databases, whose tables are listed with their keys.
	described bool
}

var (
	_ sql.Database          = (*Database)(nil)
	_ sql.VersionedDatabase = (*Database)(nil)
	_ sql.AliasedDatabase   = (*Database)(nil)
	_ sql.TableDropper      = (*Database)(nil)
	_ sql.TableRenamer      = (*Database)(nil)
	_ sql.ViewDatabase      = (*Database)(nil)
	_ sql.CollatedDatabase  = (*Database)(nil)

	_ sql.StoredProcedureDatabase = (*Database)(nil)
)

// Name implements sql.Nameable.
func (d *Database) Name() string { return d.name }

// AliasedName implements sql.AliasedDatabase.
func (d *Database) AliasedName() string { return d.name }

// GetCollation implements sql.CollatedDatabase.
func (d *Database) GetCollation(*sql.Context) sql.CollationID { return sql.Collation_Default }

// SetCollation implements sql.CollatedDatabase. Text compares by bytes, so that
// only the collation that there is can be set.
func (d *Database) SetCollation(_ *sql.Context, c sql.CollationID) error {
	if c == sql.Collation_Default || c == sql.Collation_Unspecified {
		return nil
	}
	return Errorf(CodeNotSupported, "databases have the collation %s; %s is not supported", sql.Collation_Default.Name(), c.Name())
}

// GetTableNames implements sql.Database.
func (d *Database) GetTableNames(ctx *sql.Context) ([]string, error) {
	return d.provider.catalog.ListTables(ctx, d.name)
}

// GetTableNamesAsOf implements sql.VersionedDatabase.
func (d *Database) GetTableNamesAsOf(ctx *sql.Context, _ any) ([]string, error) {
	return d.GetTableNames(ctx)
}

// GetTableInsensitive implements sql.Database.
func (d *Database) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	return d.table(ctx, name, hints.Read{})
}

// GetTableInsensitiveAsOf implements sql.VersionedDatabase. asOf is a hints.Read
// in its text form, or what a user wrote after AS OF.
func (d *Database) GetTableInsensitiveAsOf(ctx *sql.Context, name string, asOf any) (sql.Table, bool, error) {
	read, err := readOf(asOf)
	if err != nil {
		return nil, false, err
	}
	return d.table(ctx, name, read)
}

func readOf(asOf any) (hints.Read, error) {
	switch x := asOf.(type) {
	case nil:
		return hints.Read{}, nil
	case time.Time:
		return hints.Read{At: hints.At{Kind: hints.AtTime, Text: x.UTC().Format("2006-01-02 15:04:05.999999999")}}, nil
	case string:
		r, ok, err := hints.DecodeRead(x)
		if err != nil || ok {
			return r, err
		}
		return hints.Read{At: hints.At{Kind: hints.AtTime, Text: x}}, nil
	}
	return hints.Read{}, Errorf(CodeBadValue, "Incorrect AS OF value: '%v'", asOf)
}

// table finds a table, a system table of one, and the version that read leads to.
func (d *Database) table(ctx *sql.Context, name string, read hints.Read) (sql.Table, bool, error) {
	base, system, isSystem := strings.Cut(name, "$")
	if strings.HasPrefix(system, "branch_") {
		return nil, false, Errorf(CodeNotSupported, "branches are not supported yet (table '%s')", name)
	}
	handle, err := d.provider.catalog.Table(ctx, d.name, base)
	if errors.Is(err, catalog.ErrTableNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	at, err := d.version(ctx, handle, read)
	if err != nil {
		return nil, false, err
	}
	if isSystem {
		return d.systemTable(ctx, handle, name, system, at)
	}
	t, err := newTable(ctx, d, handle, at)
	if err != nil {
		return nil, false, err
	}
	return t, true, nil
}

func (d *Database) systemTable(ctx *sql.Context, handle *storage.Table, name, system string, at storage.ViewOptions) (sql.Table, bool, error) {
	def, err := systables.Find(ctx, handle, system, at)
	if errors.Is(err, systables.ErrNotFound) {
		return nil, false, Errorf(CodeNoSuchTable, "Table '%s.%s' doesn't exist; system tables are %s",
			d.name, name, strings.Join(systables.Names(), ", "))
	}
	if err != nil {
		return nil, false, err
	}
	if def.IsTable() {
		t, err := newTable(ctx, d, handle, at)
		if err != nil {
			return nil, false, err
		}
		t.name, t.readOptimized = name, true
		t.setSource()
		return t, true, nil
	}
	return newSystemTable(d.name, name, def), true, nil
}

// version turns what a table reference says into options of a view.
func (d *Database) version(ctx *sql.Context, handle *storage.Table, read hints.Read) (storage.ViewOptions, error) {
	loc := Location(ctx)
	o := storage.ViewOptions{Dynamic: read.Options.Map(), Location: loc}
	if d.target != nil && len(d.target.Options) > 0 {
		if o.Dynamic == nil {
			o.Dynamic = map[string]string{}
		}
		for _, x := range d.target.Options {
			o.Dynamic[x.Key] = x.Value
		}
	}
	warnings, err := options.Check(o.Dynamic, options.Hint)
	if err != nil {
		return o, WithCode(CodeWrongVariable, fmt.Errorf("table '%s': %w", handle.Name(), err))
	}
	for _, w := range warnings {
		ctx.Warn(CodeUnknown.Num, "%s", w)
	}
	switch {
	case read.At.Unbound: // being prepared: the newest version
	case read.At.Kind == hints.AtVersion:
		o.AsOf.Version = read.At.Text
	case read.At.Kind == hints.AtTime:
		millis, err := atMillis(read.At, loc)
		if err != nil {
			return o, err
		}
		o.AsOf.TimeMillis = &millis
	}
	return o, nil
}

// atMillis reads a point in time: a clock in the session's zone, or seconds since 1970.
func atMillis(at hints.At, loc *time.Location) (int64, error) {
	if at.Number {
		s, err := strconv.ParseFloat(at.Text, 64)
		if err != nil {
			return 0, Errorf(CodeBadValue, "Incorrect time to travel to: '%s'", at.Text)
		}
		return int64(s * 1000), nil
	}
	t := ParseInstant(at.Text, loc)
	if t == nil {
		return 0, Errorf(CodeBadValue, "Incorrect datetime value: '%s' to travel to", at.Text)
	}
	return t.UnixMilli(), nil
}

// DropTable implements sql.TableDropper.
func (d *Database) DropTable(ctx *sql.Context, name string) error {
	if strings.Contains(name, "$") {
		return Errorf(CodeNotSupported, "system table '%s' cannot be dropped", name)
	}
	return d.provider.catalog.DropTable(ctx, d.name, name)
}

// RenameTable implements sql.TableRenamer.
func (d *Database) RenameTable(ctx *sql.Context, oldName, newName string) error {
	return d.provider.catalog.RenameTable(ctx, d.name, oldName, d.name, newName)
}
