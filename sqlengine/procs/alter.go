package procs

import (
	"errors"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/catalog"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/schema"
)

// alterTable gathers the changes of the schema and applies them as one; what is
// no change of the schema is done in place, in the order written.
func (b *Builder) alterTable(ctx *sql.Context, s *dialect.AlterTable) (bridge.Result, error) {
	t, err := b.table(ctx, s.Name)
	if err != nil {
		if s.IfExists && (errors.Is(err, catalog.ErrTableNotFound) || bridge.SQLError(err).Num == bridge.CodeNoSuchTable.Num) {
			return bridge.Result{}, nil
		}
		return bridge.Result{}, err
	}
	for _, n := range s.Notes {
		ctx.Session.Warn(&sql.Warning{Level: "Note", Code: bridge.CodeUnknown.Num, Message: n})
	}
	now, err := t.Schema(ctx)
	if err != nil {
		return bridge.Result{}, err
	}
	var changes []schema.Change
	for _, a := range s.Actions {
		c, handled, err := schemaChanges(now, a)
		if err != nil {
			return bridge.Result{}, err
		}
		if handled {
			changes = append(changes, c...)
			continue
		}
		if len(changes) > 0 {
			if _, err := t.Alter(ctx, changes); err != nil {
				return bridge.Result{}, err
			}
			changes = nil
		}
		if err := b.alterAction(ctx, s, t, a); err != nil {
			return bridge.Result{}, err
		}
	}
	if len(changes) > 0 {
		if _, err := t.Alter(ctx, changes); err != nil {
			return bridge.Result{}, err
		}
	}
	for _, a := range s.Actions {
		if set, ok := a.(*dialect.SetOptions); ok {
			given := map[string]string{}
			for _, o := range set.Options {
				given[o.Key] = o.Value
			}
			warnOptions(ctx, given)
		}
	}
	return bridge.Result{}, nil
}

func path(name string) []string { return strings.Split(name, ".") }

func place(p dialect.ColumnPosition) *schema.Place {
	switch {
	case p.First:
		return &schema.Place{Where: schema.First}
	case p.After != "":
		return &schema.Place{Where: schema.After, Ref: p.After}
	}
	return nil
}

func hasColumn(s *schema.Schema, name string) bool {
	return schema.FieldIndex(s.Fields, name) >= 0
}

// schemaChanges are the changes of the schema that an action means; handled is
// false for an action that is none.
func schemaChanges(now *schema.Schema, a dialect.AlterAction) (changes []schema.Change, handled bool, err error) {
	switch a := a.(type) {
	case *dialect.SetOptions:
		for _, o := range a.Options {
			if o.Key == "comment" {
				changes = append(changes, schema.SetComment{Text: o.Value})
				continue
			}
			changes = append(changes, schema.SetOption{Key: o.Key, Value: o.Value})
		}
	case *dialect.ResetOptions:
		for _, k := range a.Keys {
			changes = append(changes, schema.RemoveOption{Key: k})
		}
	case *dialect.AddColumn:
		if a.IfNotExists && hasColumn(now, a.Column.Name) {
			return nil, true, nil
		}
		d, err := defaultText(a.Column.Name, a.Column.Default)
		if err != nil {
			return nil, true, err
		}
		if a.Column.Type.NotNull {
			return nil, true, bridge.Errorf(bridge.CodeNotSupported, "ADD COLUMN '%s' NOT NULL is not supported: rows that exist would have no value; add it nullable", a.Column.Name)
		}
		changes = append(changes, schema.AddColumn{
			Path: path(a.Column.Name), Type: a.Column.Type, Description: a.Column.Comment, Default: d, Place: place(a.Position),
		})
	case *dialect.DropColumn:
		if a.IfExists && !hasColumn(now, a.Name) {
			return nil, true, nil
		}
		if !strings.Contains(a.Name, ".") && !hasColumn(now, a.Name) {
			return nil, true, bridge.Errorf(bridge.CodeCantDropField, "Can't DROP '%s'; check that column/key exists", a.Name)
		}
		changes = append(changes, schema.DropColumn{Path: path(a.Name)})
	case *dialect.RenameColumn:
		changes = append(changes, schema.RenameColumn{Path: path(a.From), NewName: a.To})
	case *dialect.ModifyColumn:
		c, err := modifyColumn(now, a)
		return c, true, err
	case *dialect.AlterColumn:
		c, err := alterColumn(a)
		return c, true, err
	case *dialect.SetComment:
		changes = append(changes, schema.SetComment{Text: a.Comment})
	case *dialect.DropPrimaryKey:
		changes = append(changes, schema.DropPrimaryKey{})
	case *dialect.AddIndex:
		opts := map[string]string{bloomColumns: now.Options[bloomColumns]}
		addBloom(opts, a.Index.Columns)
		changes = append(changes, schema.SetOption{Key: bloomColumns, Value: opts[bloomColumns]})
	case *dialect.DropIndex:
		return nil, true, bridge.Errorf(bridge.CodeCantDropField, "Can't DROP '%s'; indexes are kept as the option '%s': change that", a.Name, bloomColumns)
	case *dialect.NoChange:
	default:
		return nil, false, nil
	}
	return changes, true, nil
}

// modifyColumn says what differs between a column and its new definition.
func modifyColumn(now *schema.Schema, a *dialect.ModifyColumn) ([]schema.Change, error) {
	p := path(a.Name)
	old, known := now.Field(a.Name)
	var out []schema.Change
	if a.Column.Name != "" && a.Column.Name != p[len(p)-1] {
		out = append(out, schema.RenameColumn{Path: p, NewName: a.Column.Name})
		p = append(append([]string(nil), p[:len(p)-1]...), a.Column.Name)
	}
	isKey := known && keyColumn(now, old.Name)
	if !known || !old.Type.WithNotNull(false).SameValues(a.Column.Type.WithNotNull(false)) {
		out = append(out, schema.ChangeType{Path: p, Type: a.Column.Type, KeepNull: true})
	}
	if known && old.Type.NotNull != a.Column.Type.NotNull && !isKey {
		out = append(out, schema.SetNotNull{Path: p, NotNull: a.Column.Type.NotNull})
	}
	if known && old.Description != a.Column.Comment {
		out = append(out, schema.SetDescription{Path: p, Text: a.Column.Comment})
	}
	d, err := defaultText(a.Column.Name, a.Column.Default)
	if err != nil {
		return nil, err
	}
	if known && !sameText(old.Default, d) {
		out = append(out, schema.SetDefault{Path: p, Text: d})
	}
	if pl := place(a.Position); pl != nil {
		out = append(out, schema.MoveColumn{Column: p[0], Place: *pl})
	}
	return out, nil
}

func keyColumn(s *schema.Schema, name string) bool {
	for _, k := range s.PrimaryKeys {
		if k == name {
			return true
		}
	}
	return false
}

func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func alterColumn(a *dialect.AlterColumn) ([]schema.Change, error) {
	p := path(a.Name)
	var out []schema.Change
	if a.Type != nil {
		out = append(out, schema.ChangeType{Path: p, Type: a.Type.WithNotNull(false), KeepNull: true})
	}
	if a.Comment != nil {
		out = append(out, schema.SetDescription{Path: p, Text: *a.Comment})
	}
	if a.SetNotNull || a.DropNotNull {
		out = append(out, schema.SetNotNull{Path: p, NotNull: a.SetNotNull})
	}
	if a.SetDefault != nil {
		d, err := defaultText(a.Name, a.SetDefault)
		if err != nil {
			return nil, err
		}
		out = append(out, schema.SetDefault{Path: p, Text: d})
	}
	if a.DropDefault {
		out = append(out, schema.SetDefault{Path: p})
	}
	if a.Position != nil {
		if pl := place(*a.Position); pl != nil {
			out = append(out, schema.MoveColumn{Column: p[0], Place: *pl})
		}
	}
	return out, nil
}

// alterAction does what is no change of the schema.
func (b *Builder) alterAction(ctx *sql.Context, s *dialect.AlterTable, t *storage.Table, a dialect.AlterAction) error {
	switch a := a.(type) {
	case *dialect.RenameTable:
		to := a.To
		if to.Database == "" {
			to.Database = s.Name.Database
		}
		return b.rename(ctx, s.Name, to)
	case *dialect.AddPartitions:
		return bridge.Errorf(bridge.CodeNotSupported, "ADD PARTITION is not needed: a partition exists once it has rows")
	case *dialect.DropPartitions:
		return b.dropPartitions(ctx, t, a.Partitions)
	case *dialect.CreateTag:
		return createTag(ctx, t, a)
	case *dialect.DeleteTag:
		return deleteTag(ctx, t, a.Tag, a.IfExists)
	}
	return bridge.Errorf(bridge.CodeNotSupported, "this change of ALTER TABLE is not supported yet (%T)", a)
}

// partitionSpecs are partition specs as storage takes them: texts by column.
func partitionSpecs(list []dialect.Partition) ([]map[string]string, error) {
	var out []map[string]string
	for _, p := range list {
		spec := map[string]string{}
		for _, v := range p {
			switch {
			case v.Null:
				return nil, bridge.Errorf(bridge.CodeNotSupported, "a partition spec with NULL is not supported yet (column '%s')", v.Column)
			case v.Value == nil:
				return nil, bridge.Errorf(bridge.CodeParse, "partition column '%s' has no value", v.Column)
			}
			spec[v.Column] = *v.Value
		}
		out = append(out, spec)
	}
	return out, nil
}
