package schema

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/types"
)

// Apply returns the schema after the changes, in order, with the next id and
// checked whole; s itself when they change nothing. hasSnapshot says whether
// the table has a snapshot.
//
// Errors match ErrColumnNotFound, ErrColumnExists, ErrRefused, ErrInvalid or the
// sentinels of package options. Warnings about options are options.Check's.
func (s *Schema) Apply(changes []Change, hasSnapshot bool, now time.Time) (*Schema, error) {
	t, err := s.Table()
	if err != nil {
		return nil, err
	}
	next := *s
	e := &editor{base: s, s: &next, t: t, hasSnapshot: hasSnapshot}
	next.Fields = cloneFields(s.Fields)
	next.PrimaryKeys = slices.Clone(s.PrimaryKeys)
	next.PartitionKeys = slices.Clone(s.PartitionKeys)
	if next.Options = maps.Clone(s.Options); next.Options == nil {
		next.Options = map[string]string{}
	}
	for _, c := range changes {
		if err := c.apply(e); err != nil {
			return nil, err
		}
	}
	if reflect.DeepEqual(next, *s) {
		return s, nil
	}
	if err := next.keysFromOptions(); err != nil {
		return nil, err
	}
	next.canonicalKeys()
	next.Version = Version
	next.ID = s.ID + 1
	next.TimeMillis = now.UnixMilli()
	if err := next.Validate(); err != nil {
		return nil, err
	}
	return &next, nil
}

func cloneFields(fields []types.Field) []types.Field {
	out := slices.Clone(fields)
	for i := range out {
		out[i].Type = out[i].Type.Clone()
	}
	return out
}

// editor holds a schema while changes are made to it. The fields are its own.
type editor struct {
	base        *Schema
	s           *Schema
	t           options.Table // of base
	hasSnapshot bool
}

// leaf changes one of several siblings: fields[i], or adds to them when i is -1.
// pseudo says that the sibling is the element of an ARRAY or the value of a MAP.
type leaf func(fields []types.Field, i int, pseudo bool) ([]types.Field, error)

// edit calls fn for the column that path names.
func (e *editor) edit(path []string, fn leaf) error {
	if len(path) == 0 {
		return invalidf("a change names no column")
	}
	fields, err := editFields(e.s.Fields, path, path, fn)
	if err != nil {
		return err
	}
	e.s.Fields = fields
	return nil
}

func editFields(fields []types.Field, path, whole []string, fn leaf) ([]types.Field, error) {
	i := FieldIndex(fields, path[0])
	if len(path) == 1 {
		return fn(fields, i, false)
	}
	if i < 0 {
		return nil, noColumn(strings.Join(whole[:len(whole)-len(path)+1], "."))
	}
	if err := editType(&fields[i].Type, path[1:], whole, fn); err != nil {
		return nil, err
	}
	return fields, nil
}

func editType(t *types.Type, path, whole []string, fn leaf) error {
	name := ""
	switch t.Kind {
	case types.Row:
		members, err := editFields(t.Fields, path, whole, fn)
		if err != nil {
			return err
		}
		t.Fields = members
		return nil
	case types.Array, types.Multiset:
		name = "element"
	case types.Map:
		name = "value"
	}
	if name == "" || !strings.EqualFold(path[0], name) {
		return noColumn(strings.Join(whole, "."))
	}
	if len(path) > 1 {
		return editType(t.Elem, path[1:], whole, fn)
	}
	got, err := fn([]types.Field{{Name: name, Type: *t.Elem}}, 0, true)
	if err != nil {
		return err
	}
	*t.Elem = got[0].Type
	return nil
}

// existing wraps a change of a column that must exist; only changes of types may
// go to elements.
func existing(path []string, onElement bool, change func(f *types.Field) error) leaf {
	return func(fields []types.Field, i int, pseudo bool) ([]types.Field, error) {
		if i < 0 || pseudo && !onElement {
			return nil, noColumn(strings.Join(path, "."))
		}
		if err := change(&fields[i]); err != nil {
			return nil, err
		}
		return fields, nil
	}
}

// inKey reports whether a top-level column is in the given key list.
func inKey(keys, path []string) bool {
	return len(path) == 1 && slices.ContainsFunc(keys, func(k string) bool { return strings.EqualFold(k, path[0]) })
}

func (c AddColumn) apply(e *editor) error {
	path := strings.Join(c.Path, ".")
	if c.Type.NotNull {
		return invalidf("column '%s' cannot be added as NOT NULL", path)
	}
	if k, ok := unsupportedKind(c.Type); ok {
		return &fault{kind: options.ErrUnsupported, text: "column '" + path + "': type " + k.String() + " is not supported yet"}
	}
	next := e.s.HighestFieldID + 1
	field := AssignIDs([]types.Field{{Name: c.Path[len(c.Path)-1], Type: c.Type, Description: c.Description, Default: c.Default}}, &next)[0]
	if err := newDefault(path, c.Type, c.Default); err != nil {
		return err
	}
	err := e.edit(c.Path, func(fields []types.Field, i int, pseudo bool) ([]types.Field, error) {
		if i >= 0 || pseudo {
			return nil, columnExists(path)
		}
		at, err := e.addAt(c, fields)
		if err != nil {
			return nil, err
		}
		return slices.Insert(fields, at, field), nil
	})
	if err == nil {
		e.s.HighestFieldID = next - 1
	}
	return err
}

// addAt is the place of a new column among its siblings.
func (e *editor) addAt(c AddColumn, fields []types.Field) (int, error) {
	if c.Place == nil {
		if e.t.AddColumnBeforePartition && len(c.Path) == 1 {
			if i := slices.IndexFunc(fields, func(f types.Field) bool { return slices.Contains(e.s.PartitionKeys, f.Name) }); i >= 0 {
				return i, nil
			}
		}
		return len(fields), nil
	}
	switch c.Place.Where {
	case First:
		return 0, nil
	case Last:
		return len(fields), nil
	}
	i := FieldIndex(fields, c.Place.Ref)
	if i < 0 {
		return 0, noColumn(c.Place.Ref)
	}
	if c.Place.Where == After {
		i++
	}
	return i, nil
}

func (c RenameColumn) apply(e *editor) error {
	if inKey(e.s.PartitionKeys, c.Path) {
		return refusedf("cannot rename partition column '%s'", c.Path[0])
	}
	old := ""
	err := e.edit(c.Path, func(fields []types.Field, i int, pseudo bool) ([]types.Field, error) {
		if i < 0 || pseudo {
			return nil, noColumn(strings.Join(c.Path, "."))
		}
		if j := FieldIndex(fields, c.NewName); j >= 0 && j != i {
			return nil, columnExists(c.NewName)
		}
		if fields[i].Type.Kind == types.Blob {
			return nil, refusedf("cannot rename BLOB column '%s'", fields[i].Name)
		}
		old, fields[i].Name = fields[i].Name, c.NewName
		return fields, nil
	})
	if err != nil || len(c.Path) > 1 {
		return err
	}
	for i, k := range e.s.PrimaryKeys {
		if k == old {
			e.s.PrimaryKeys[i] = c.NewName
		}
	}
	e.s.Options = renameInOptions(e.s.Options, old, c.NewName)
	return nil
}

func (c DropColumn) apply(e *editor) error {
	if inKey(e.s.PartitionKeys, c.Path) || inKey(e.s.PrimaryKeys, c.Path) {
		return refusedf("cannot drop partition key or primary key column '%s'", c.Path[0])
	}
	return e.edit(c.Path, func(fields []types.Field, i int, pseudo bool) ([]types.Field, error) {
		if i < 0 || pseudo {
			return nil, noColumn(strings.Join(c.Path, "."))
		}
		if len(fields) == 1 {
			return nil, refusedf("cannot drop all fields: '%s' is the last one", strings.Join(c.Path, "."))
		}
		return slices.Delete(fields, i, i+1), nil
	})
}

func (c ChangeType) apply(e *editor) error {
	path := strings.Join(c.Path, ".")
	if inKey(e.s.PartitionKeys, c.Path) {
		return refusedf("cannot update partition column '%s'", path)
	}
	if inKey(e.s.PrimaryKeys, c.Path) {
		return refusedf("cannot update primary key column '%s'", path)
	}
	return e.edit(c.Path, existing(c.Path, true, func(f *types.Field) error {
		to := c.Type.Clone()
		if c.KeepNull {
			to.NotNull = f.Type.NotNull
		} else if err := e.nullChange(path, f.Type.NotNull, to.NotNull); err != nil {
			return err
		}
		if sameShape(f.Type, to) {
			f.Type.NotNull = to.NotNull
			return nil
		}
		if !CastSupported(f.Type, to, !e.t.ImplicitCastsOnly) {
			return refusedf("column type %s[%s] cannot be converted to %s without losing information", path, f.Type, to)
		}
		if f.Default != nil {
			if err := checkDefault(path, to, *f.Default); err != nil {
				return err
			}
		}
		f.Type = to
		return nil
	}))
}

// sameShape reports whether two types are equal but for field ids, descriptions
// and the nullability of the outermost.
func sameShape(a, b types.Type) bool {
	clear := func(t types.Type) types.Type {
		t = t.Clone()
		t.Walk(func(f *types.Field) { f.ID, f.Description, f.Default = 0, "", nil })
		return t.WithNotNull(false)
	}
	return clear(a).Equal(clear(b))
}

func (e *editor) nullChange(path string, from, to bool) error {
	if !from && to && e.t.KeepNullable {
		return refusedf("cannot change column '%s' from nullable to NOT NULL: set 'alter-column-null-to-not-null.disabled' = 'false' to allow it", path)
	}
	return nil
}

func (c SetNotNull) apply(e *editor) error {
	path := strings.Join(c.Path, ".")
	if !c.NotNull && inKey(e.s.PrimaryKeys, c.Path) {
		return refusedf("cannot change nullability of primary key column '%s'", path)
	}
	return e.edit(c.Path, existing(c.Path, true, func(f *types.Field) error {
		if err := e.nullChange(path, f.Type.NotNull, c.NotNull); err != nil {
			return err
		}
		f.Type.NotNull = c.NotNull
		return nil
	}))
}

func (c SetDescription) apply(e *editor) error {
	return e.edit(c.Path, existing(c.Path, false, func(f *types.Field) error {
		f.Description = c.Text
		return nil
	}))
}

func (c SetDefault) apply(e *editor) error {
	return e.edit(c.Path, existing(c.Path, false, func(f *types.Field) error {
		if err := newDefault(strings.Join(c.Path, "."), f.Type, c.Text); err != nil {
			return err
		}
		f.Default = c.Text
		return nil
	}))
}

func (c MoveColumn) apply(e *editor) error {
	fields := e.s.Fields
	from := FieldIndex(fields, c.Column)
	if from < 0 {
		return noColumn(c.Column)
	}
	to := 0
	switch c.Place.Where {
	case Last:
		to = len(fields) - 1
	case After, Before:
		if to = FieldIndex(fields, c.Place.Ref); to < 0 {
			return noColumn(c.Place.Ref)
		}
		if to == from {
			return refusedf("cannot move itself for column '%s'", c.Column)
		}
		if c.Place.Where == After && from > to {
			to++
		}
		if c.Place.Where == Before && from < to {
			to--
		}
	}
	f := fields[from]
	fields = slices.Delete(fields, from, from+1)
	e.s.Fields = slices.Insert(fields, to, f)
	return nil
}

func (c SetComment) apply(e *editor) error {
	e.s.Comment = c.Text
	return nil
}

func (c DropPrimaryKey) apply(e *editor) error {
	if e.hasSnapshot {
		return refusedf("cannot drop primary keys on a non-empty table")
	}
	e.s.PrimaryKeys = []string{}
	return nil
}
