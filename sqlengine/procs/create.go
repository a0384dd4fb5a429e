package procs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/catalog"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

// bloomColumns is the option that gets the columns of plain indexes.
const bloomColumns = "file-index.bloom-filter.columns"

func (b *Builder) createTable(s *dialect.CreateTable) *node {
	return ddl(s, func(ctx *sql.Context) (bridge.Result, error) {
		if s.OrReplace {
			return bridge.Result{}, bridge.Errorf(bridge.CodeNotSupported, "CREATE OR REPLACE TABLE is not supported yet")
		}
		db, err := b.warehouseDatabase(ctx, s.Name)
		if err != nil {
			return bridge.Result{}, err
		}
		if exists, err := b.exists(ctx, db, s); err != nil || exists {
			return bridge.Result{}, err
		}
		for _, n := range s.Notes {
			ctx.Session.Warn(&sql.Warning{Level: "Note", Code: bridge.CodeUnknown.Num, Message: n})
		}
		if s.Query != nil {
			return b.createAs(ctx, db, s)
		}
		def, err := b.definition(ctx, s)
		if err != nil {
			return bridge.Result{}, err
		}
		return bridge.Result{}, b.create(ctx, db, s.Name.Table, def)
	})
}

// exists answers CREATE TABLE IF NOT EXISTS for a table that is there.
func (b *Builder) exists(ctx *sql.Context, db string, s *dialect.CreateTable) (bool, error) {
	_, err := b.provider.Catalog().Table(ctx, db, s.Name.Table)
	switch {
	case errors.Is(err, catalog.ErrTableNotFound):
		return false, nil
	case err != nil:
		return false, err
	case s.IfNotExists:
		ctx.Session.Warn(&sql.Warning{Level: "Note", Code: bridge.CodeTableExists.Num, Message: fmt.Sprintf("Table '%s' already exists", s.Name.Table)})
		return true, nil
	}
	return false, bridge.Errorf(bridge.CodeTableExists, "Table '%s' already exists", s.Name.Table)
}

func (b *Builder) create(ctx *sql.Context, db, name string, def schema.Definition) error {
	_, err := b.provider.Catalog().CreateTable(ctx, db, name, def)
	if err == nil {
		warnOptions(ctx, def.Options)
	}
	return err
}

// warnOptions tells of options that were stored and have no effect. Faults were
// told when they were stored.
func warnOptions(ctx *sql.Context, given map[string]string) {
	warnings, _ := options.Check(given, options.Create)
	for _, w := range warnings {
		ctx.Warn(bridge.CodeUnknown.Num, "%s", w)
	}
}

// definition is the table that a statement without a query describes.
func (b *Builder) definition(ctx *sql.Context, s *dialect.CreateTable) (schema.Definition, error) {
	def := schema.Definition{
		PartitionKeys: s.PartitionedBy, PrimaryKeys: s.PrimaryKey, Comment: s.Comment, Options: map[string]string{},
	}
	if s.Like != nil {
		if err := b.like(ctx, s, &def); err != nil {
			return def, err
		}
	}
	for _, c := range s.Columns {
		f, err := field(c)
		if err != nil {
			return def, err
		}
		def.Fields = append(def.Fields, f)
	}
	for _, o := range s.Options {
		def.Options[o.Key] = o.Value
	}
	for _, x := range s.Indexes {
		addBloom(def.Options, x.Columns)
	}
	return def, checkKeys(&def)
}

// checkKeys gives missing key columns MySQL's error. The columns of AS SELECT are
// not known yet.
func checkKeys(def *schema.Definition) error {
	for _, k := range slices.Concat(def.PrimaryKeys, def.PartitionKeys) {
		if len(def.Fields) > 0 && schema.FieldIndex(def.Fields, k) < 0 {
			return bridge.Errorf(bridge.CodeKeyColumnMissing, "Key column '%s' doesn't exist in table", k)
		}
	}
	return nil
}

// addBloom adds columns to the list of those that have a bloom filter.
func addBloom(opts map[string]string, columns []string) {
	have := strings.FieldsFunc(opts[bloomColumns], func(r rune) bool { return r == ',' || r == ' ' })
	for _, c := range columns {
		known := false
		for _, h := range have {
			known = known || strings.EqualFold(h, c)
		}
		if !known {
			have = append(have, c)
		}
	}
	opts[bloomColumns] = strings.Join(have, ",")
}

// like copies the description of another table.
func (b *Builder) like(ctx *sql.Context, s *dialect.CreateTable, def *schema.Definition) error {
	t, err := b.table(ctx, *s.Like)
	if err != nil {
		return err
	}
	from, err := t.Schema(ctx)
	if err != nil {
		return err
	}
	def.Fields = append(def.Fields, from.Fields...)
	if def.PrimaryKeys == nil {
		def.PrimaryKeys = from.PrimaryKeys
	}
	if def.PartitionKeys == nil {
		def.PartitionKeys = from.PartitionKeys
	}
	if def.Comment == "" {
		def.Comment = from.Comment
	}
	if s.LikeOptions {
		for k, v := range from.Options {
			def.Options[k] = v
		}
	}
	return nil
}

// field is a column as tables keep it.
func field(c dialect.ColumnDef) (types.Field, error) {
	f := types.Field{Name: c.Name, Type: c.Type, Description: c.Comment}
	d, err := defaultText(c.Name, c.Default)
	if err != nil {
		return f, err
	}
	f.Default = d
	return f, checkDefault(c, f)
}

// checkDefault refuses a default that the column cannot hold.
func checkDefault(c dialect.ColumnDef, f types.Field) error {
	if c.Default == nil {
		return nil
	}
	if c.Default.Null && f.Type.NotNull || !bridge.Holds(f) {
		return bridge.Errorf(bridge.CodeInvalidDefault, "Invalid default value for '%s'", f.Name)
	}
	return nil
}

// defaultText is the text of a DEFAULT; nil: none.
func defaultText(column string, d *dialect.Default) (*string, error) {
	switch {
	case d == nil || d.Null:
		return nil, nil
	case d.Expr:
		return nil, bridge.Errorf(bridge.CodeNotSupported, "DEFAULT of column '%s' must be a constant, not %s", column, d.Text.SQL)
	}
	return &d.Literal, nil
}

// createAs runs CREATE TABLE … AS SELECT. A table whose rows could not be written
// is removed again.
func (b *Builder) createAs(ctx *sql.Context, db string, s *dialect.CreateTable) (bridge.Result, error) {
	n, err := b.analyze(ctx, s.Query, s.AsSelect.SQL)
	if err != nil {
		return bridge.Result{}, err
	}
	def, err := b.definition(ctx, s)
	if err != nil {
		return bridge.Result{}, err
	}
	if len(def.Fields) > 0 {
		return bridge.Result{}, bridge.Errorf(bridge.CodeNotSupported, "CREATE TABLE … AS SELECT takes its columns from the query; a list of columns is not supported")
	}
	columns := n.Schema()
	if gmstypes.IsOkResultSchema(columns) {
		return bridge.Result{}, bridge.Errorf(bridge.CodeParse, "CREATE TABLE … AS needs a query that gives rows")
	}
	for _, c := range columns {
		t, err := bridge.TypeOf(c.Type)
		if err != nil {
			return bridge.Result{}, fmt.Errorf("column '%s': %w", c.Name, err)
		}
		def.Fields = append(def.Fields, types.Field{Name: c.Name, Type: t})
	}
	if err := b.create(ctx, db, s.Name.Table, def); err != nil {
		return bridge.Result{}, err
	}
	r, err := b.provider.Fill(ctx, db, s.Name.Table, func(ctx *sql.Context) (sql.RowIter, error) {
		return b.exec.Build(ctx, n, nil)
	})
	if err != nil {
		if s, serr := bridge.SessionOf(ctx); serr == nil {
			s.RollbackStatement(ctx)
		}
		err = errors.Join(err, b.provider.Catalog().DropTable(ctx, db, s.Name.Table))
	}
	return r, err
}
