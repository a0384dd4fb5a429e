package sqlengine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// repairInfoSchema mends the host's information_schema, over which connectors look
// around. Some of its columns are of ENUM types but hold texts, which panics in
// CASE and IF; and tables that depend on grants have no iterator or no rows while
// there are no accounts.
func repairInfoSchema(db sql.Database) error {
	ctx := sql.NewEmptyContext()
	names, err := db.GetTableNames(ctx)
	if err != nil {
		return fmt.Errorf("tables of information_schema: %w", err)
	}
	for _, name := range names {
		table, _, err := db.GetTableInsensitive(ctx, name)
		if err != nil {
			return fmt.Errorf("table %s of information_schema: %w", name, err)
		}
		t, ok := table.(*information_schema.InformationSchemaTable)
		if !ok {
			continue
		}
		t.TableSchema = plainTexts(t.TableSchema)
		t.Reader = alwaysRows(t.Reader)
		if strings.EqualFold(name, information_schema.ViewsTableName) {
			t.Reader = viewRows
		}
	}
	return nil
}

// plainTexts is a copy of s with VARCHAR in place of ENUM and SET.
func plainTexts(s sql.Schema) sql.Schema {
	s = s.Copy()
	for _, c := range s {
		if t, ok := c.Type.(sql.TypeWithCollation); ok && (gmstypes.IsEnum(c.Type) || gmstypes.IsSet(c.Type)) {
			c.Type = gmstypes.MustCreateString(sqltypes.VarChar, 64, t.Collation())
		}
	}
	return s
}

type infoReader = func(*sql.Context, sql.Catalog) (sql.RowIter, error)

// alwaysRows gives no rows where the host gives no iterator.
func alwaysRows(read infoReader) infoReader {
	return func(ctx *sql.Context, c sql.Catalog) (sql.RowIter, error) {
		it, err := read(ctx, c)
		if it == nil && err == nil {
			return sql.RowsToRowIter(), nil
		}
		return it, err
	}
}

// infoSchema is the host's information_schema, which makes the table COLUMNS anew for
// every statement.
type infoSchema struct{ sql.Database }

// GetTableInsensitive implements sql.Database.
func (s infoSchema) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	t, ok, err := s.Database.GetTableInsensitive(ctx, name)
	if c, isColumns := t.(*information_schema.ColumnsTable); isColumns {
		c.RowIter = timeDigits(c.TableSchema, c.RowIter)
	}
	return t, ok, err
}

type columnReader = func(*sql.Context, sql.Catalog, sql.Schema) (sql.RowIter, error)

// timeDigits mends DATETIME_PRECISION, which the host lacks for our TIME and has for DATE.
func timeDigits(s sql.Schema, read columnReader) columnReader {
	at := func(name string) int {
		return slices.IndexFunc(s, func(c *sql.Column) bool { return strings.EqualFold(c.Name, name) })
	}
	kind, whole, digits := at("DATA_TYPE"), at("COLUMN_TYPE"), at("DATETIME_PRECISION")
	return func(ctx *sql.Context, c sql.Catalog, all sql.Schema) (sql.RowIter, error) {
		it, err := read(ctx, c, all)
		if err != nil {
			return nil, err
		}
		rows, err := sql.RowIterToRows(ctx, it)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			switch row[kind] {
			case "date":
				row[digits] = nil
			case "time":
				n := 0
				if _, err := fmt.Sscanf(fmt.Sprint(row[whole]), "time(%d)", &n); err != nil {
					n = 0 // TIME without digits
				}
				row[digits] = n
			}
		}
		return sql.RowsToRowIter(rows...), nil
	}
}

// viewRows are the rows of VIEWS. Nothing can be written through a view.
func viewRows(ctx *sql.Context, c sql.Catalog) (sql.RowIter, error) {
	var rows []sql.Row
	for _, db := range c.AllDatabases(ctx) {
		v, ok := db.(sql.ViewDatabase)
		if !ok {
			continue
		}
		views, err := v.AllViews(ctx)
		if err != nil {
			return nil, err
		}
		for _, view := range views {
			rows = append(rows, sql.Row{
				"def", db.Name(), view.Name, view.TextDefinition, "NONE", "NO", "root@%", "DEFINER",
				sql.Collation_Default.CharacterSet().String(), sql.Collation_Default.String(),
			})
		}
	}
	return sql.RowsToRowIter(rows...), nil
}
