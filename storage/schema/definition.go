package schema

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/types"
)

// Definition is what a CREATE TABLE says. Field ids are not looked at.
type Definition struct {
	Fields        []types.Field
	PartitionKeys []string
	PrimaryKeys   []string
	Options       map[string]string
	Comment       string
}

var (
	// ErrInvalid matches the error for a definition, or a change, that breaks a
	// rule of tables. Faults of options match the sentinels of package options.
	ErrInvalid = errors.New("invalid table definition")
	// ErrColumnExists matches the error for a column name that is taken.
	ErrColumnExists = errors.New("column exists")
	// ErrRefused matches the error for a change that this table does not allow.
	ErrRefused = errors.New("change is not allowed")
)

// fault is an error with a kind that errors.Is finds.
type fault struct {
	kind error
	text string
}

func (f *fault) Error() string        { return f.text }
func (f *fault) Is(target error) bool { return target == f.kind }

func invalidf(format string, args ...any) error {
	return &fault{kind: ErrInvalid, text: fmt.Sprintf(format, args...)}
}

func refusedf(format string, args ...any) error {
	return &fault{kind: ErrRefused, text: fmt.Sprintf(format, args...)}
}

func noColumn(path string) error {
	return &fault{kind: ErrColumnNotFound, text: fmt.Sprintf("column '%s' does not exist", path)}
}

func columnExists(path string) error {
	return &fault{kind: ErrColumnExists, text: fmt.Sprintf("column '%s' exists already", path)}
}

// Define makes the first schema of a table, with id 0, and checks it whole.
//
// Names of keys may differ from those of columns by case. The options
// primary-key and partition move into the key lists. Primary key columns
// become NOT NULL. warnings name options that are stored without effect; err
// has every fault that was found.
func Define(d Definition, now time.Time) (s *Schema, warnings []string, err error) {
	s = &Schema{
		Version:       Version,
		Options:       maps.Clone(d.Options),
		PartitionKeys: slices.Clone(d.PartitionKeys),
		PrimaryKeys:   slices.Clone(d.PrimaryKeys),
		Comment:       d.Comment,
		TimeMillis:    now.UnixMilli(),
	}
	if s.Options == nil {
		s.Options = map[string]string{}
	}
	warnings, err = options.Check(s.Options, options.Create)
	if err != nil {
		return nil, nil, err
	}
	if s.Options["path"] != "" {
		return nil, nil, invalidf("option 'path' is set by the catalog and cannot be given")
	}
	if err := s.keysFromOptions(); err != nil {
		return nil, nil, err
	}
	next := 0
	s.Fields = AssignIDs(d.Fields, &next)
	s.HighestFieldID = next - 1
	s.canonicalKeys()
	for k, v := range s.Options {
		s.Options[k] = canonicalColumns(s.Fields, k, v)
	}
	if err := s.Validate(); err != nil {
		return nil, nil, err
	}
	if err := s.checkSupported(); err != nil {
		return nil, nil, err
	}
	return s, warnings, nil
}

// checkSupported refuses a new table that lakesql could not write.
func (s *Schema) checkSupported() error {
	for i := range s.Fields {
		f := &s.Fields[i]
		if k, ok := unsupportedKind(f.Type); ok {
			return &fault{kind: options.ErrUnsupported, text: fmt.Sprintf("column '%s': type %s is not supported yet", f.Name, k)}
		}
		if err := newDefault(f.Name, f.Type, f.Default); err != nil {
			return err
		}
	}
	if legacy, err := options.ParseBool(s.Options["partition.legacy-name"]); err != nil || legacy {
		for _, f := range s.FieldsOf(s.PartitionIndexes()) {
			if binaryKind(f.Type.Kind) {
				return invalidf("type %s cannot be in a partition key: column '%s' has no directory name", f.Type.Kind, f.Name)
			}
		}
	}
	_, write, err := s.Unsupported()
	if err == nil && len(write) > 0 {
		err = &fault{kind: options.ErrUnsupported, text: "not supported yet: " + strings.Join(write, ", ")}
	}
	return err
}

// keysFromOptions moves the options primary-key and partition into the lists.
func (s *Schema) keysFromOptions() error {
	for _, o := range []struct {
		key, what string
		list      *[]string
	}{{"primary-key", "primary key", &s.PrimaryKeys}, {"partition", "partition", &s.PartitionKeys}} {
		text, ok := s.Options[o.key]
		if !ok {
			continue
		}
		if len(*o.list) > 0 {
			return invalidf("cannot define %s on DDL and table options at the same time", o.what)
		}
		*o.list = options.SplitColumns(text)
		delete(s.Options, o.key)
	}
	return nil
}

// canonicalKeys spells key names as the columns are spelled, and sets the
// nullability that key columns have.
func (s *Schema) canonicalKeys() {
	for _, keys := range [][]string{s.PartitionKeys, s.PrimaryKeys} {
		for i, k := range keys {
			if at := FieldIndex(s.Fields, k); at >= 0 {
				keys[i] = s.Fields[at].Name
			}
		}
	}
	nullable, err := options.ParseBool(s.Options["primary-key.nullable"])
	notNull := err != nil || !nullable
	for _, k := range s.PrimaryKeys {
		if at := exactIndex(s.Fields, k); at >= 0 {
			s.Fields[at].Type.NotNull = notNull
		}
	}
}

// canonicalColumns spells the column names in an option's value as the columns
// are spelled, without blanks: Java takes bucket-key and sequence.field by the
// letter. Names that are no column, and other options, stay as they are.
func canonicalColumns(fields []types.Field, key, value string) string {
	d, _ := options.Lookup(key)
	if d.Key != "rowkind.field" && (d.Kind != options.Columns || strings.Contains(d.Key, "nested")) {
		return value
	}
	names := options.SplitColumns(value)
	for i, name := range names {
		if at := FieldIndex(fields, name); at >= 0 {
			names[i] = fields[at].Name
		}
	}
	return strings.Join(names, ",")
}

// AssignIDs returns a deep copy of the fields with ids from *next on, which is
// moved past the last one given: a column gets its id first, then the ROW
// members inside its type, those inside a member's type before the member.
func AssignIDs(fields []types.Field, next *int) []types.Field {
	out := make([]types.Field, len(fields))
	give := func(f *types.Field) {
		f.ID = *next
		*next++
	}
	for i, f := range fields {
		give(&f)
		f.Type = f.Type.Clone()
		f.Type.Walk(give)
		out[i] = f
	}
	return out
}
