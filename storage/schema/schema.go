package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/types"
)

// Version is the version of the schema files that we write.
const Version = 3

// Schema is one version of a table's definition. It is immutable and shared.
type Schema struct {
	Version        int
	ID             int64
	Fields         []types.Field
	HighestFieldID int // over all columns and ROW members, dropped ones included; -1: none
	PartitionKeys  []string
	PrimaryKeys    []string
	Options        map[string]string
	Comment        string // "" is none
	TimeMillis     int64  // when the schema was made; 0: not recorded

	optionOrder []string // of the schema file
}

// ErrColumnNotFound matches the error for a column that a schema does not have.
var ErrColumnNotFound = errors.New("column not found")

// Mode is how a table's rows are spread over buckets.
type Mode uint8

// The bucket modes.
const (
	Fixed      Mode = iota // a number of buckets by hash of the bucket key
	Dynamic                // primary key table whose hash index says the bucket
	KeyDynamic             // primary key without all partition columns: a global index would say partition and bucket
	Unaware                // append table without buckets: all files in bucket 0
	Postpone               // rows wait in bucket -2 until a compaction spreads them
)

// String names the mode as Paimon does.
func (m Mode) String() string {
	return [...]string{"HASH_FIXED", "HASH_DYNAMIC", "KEY_DYNAMIC", "BUCKET_UNAWARE", "POSTPONE_MODE"}[m]
}

// Table gives the typed options. It parses them anew: keep the result.
func (s *Schema) Table() (options.Table, error) { return options.Parse(s.Options) }

// HasPrimaryKey reports whether the table has a primary key; without, it is an append table.
func (s *Schema) HasPrimaryKey() bool { return len(s.PrimaryKeys) > 0 }

// TrimmedPrimaryKeys are the primary key columns that are no partition columns,
// in key order: what records are sorted and merged by.
func (s *Schema) TrimmedPrimaryKeys() []string {
	out := make([]string, 0, len(s.PrimaryKeys))
	for _, k := range s.PrimaryKeys {
		if !slices.Contains(s.PartitionKeys, k) {
			out = append(out, k)
		}
	}
	return out
}

// BucketKeys are the columns whose hash says the bucket: the option bucket-key,
// else the trimmed primary key. Unaware tables have none.
func (s *Schema) BucketKeys() []string {
	if keys := options.SplitColumns(s.Options["bucket-key"]); len(keys) > 0 {
		return keys
	}
	return s.TrimmedPrimaryKeys()
}

// CrossPartition reports whether the primary key lacks a partition column, so
// that one key may move between partitions.
func (s *Schema) CrossPartition() bool {
	if len(s.PrimaryKeys) == 0 {
		return false
	}
	for _, p := range s.PartitionKeys {
		if !slices.Contains(s.PrimaryKeys, p) {
			return true
		}
	}
	return false
}

// Mode is the bucket mode under the value of the option bucket.
func (s *Schema) Mode(bucket int) Mode {
	switch {
	case bucket == -2:
		return Postpone
	case bucket > 0:
		return Fixed
	case len(s.PrimaryKeys) == 0:
		return Unaware
	case s.CrossPartition():
		return KeyDynamic
	}
	return Dynamic
}

// Field finds a column by name: the exact one, else the only one that matches
// without case.
func (s *Schema) Field(name string) (types.Field, bool) {
	i := FieldIndex(s.Fields, name)
	if i < 0 {
		return types.Field{}, false
	}
	return s.Fields[i], true
}

// FieldIndex is the place of the column that name stands for, see Schema.Field; -1: none.
func FieldIndex(fields []types.Field, name string) int {
	if i := exactIndex(fields, name); i >= 0 {
		return i
	}
	found := -1
	for i := range fields {
		if strings.EqualFold(fields[i].Name, name) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

func exactIndex(fields []types.Field, name string) int {
	return slices.IndexFunc(fields, func(f types.Field) bool { return f.Name == name })
}

// Indexes are the places of the named columns in Fields. A name that is missing
// is an error that matches ErrColumnNotFound.
func (s *Schema) Indexes(names []string) ([]int, error) {
	out := make([]int, len(names))
	for i, name := range names {
		if out[i] = exactIndex(s.Fields, name); out[i] < 0 {
			return nil, fmt.Errorf("%w: %s", ErrColumnNotFound, name)
		}
	}
	return out, nil
}

// mustIndexes is for lists that Decode or Validate has checked.
func (s *Schema) mustIndexes(names []string) []int {
	out := make([]int, len(names))
	for i, name := range names {
		out[i] = exactIndex(s.Fields, name)
	}
	return out
}

// PartitionIndexes are the places of the partition columns, in partition order.
func (s *Schema) PartitionIndexes() []int { return s.mustIndexes(s.PartitionKeys) }

// KeyIndexes are the places of the trimmed primary key, in key order.
func (s *Schema) KeyIndexes() []int { return s.mustIndexes(s.TrimmedPrimaryKeys()) }

// BucketIndexes are the places of the bucket key; -1 for a column that an old
// schema knows under a name that it no longer has.
func (s *Schema) BucketIndexes() []int { return s.mustIndexes(s.BucketKeys()) }

// FieldsOf are the columns with the given places.
func (s *Schema) FieldsOf(indexes []int) []types.Field {
	out := make([]types.Field, len(indexes))
	for i, at := range indexes {
		out[i] = s.Fields[at]
	}
	return out
}

// PartitionTypes are the types of the partition columns, in partition order.
func (s *Schema) PartitionTypes() []types.Type {
	return types.FieldTypes(s.FieldsOf(s.PartitionIndexes()))
}

// KeyTypes are the types of the trimmed primary key, in key order.
func (s *Schema) KeyTypes() []types.Type { return types.FieldTypes(s.FieldsOf(s.KeyIndexes())) }

// FieldNames are the names of the columns.
func (s *Schema) FieldNames() []string {
	out := make([]string, len(s.Fields))
	for i := range s.Fields {
		out[i] = s.Fields[i].Name
	}
	return out
}

// CheckNames returns an error when two columns differ by case alone: SQL could
// not tell them apart.
func (s *Schema) CheckNames() error {
	seen := make(map[string]string, len(s.Fields))
	for i := range s.Fields {
		name := s.Fields[i].Name
		low := strings.ToLower(name)
		if other, twice := seen[low]; twice {
			return fmt.Errorf("columns '%s' and '%s' differ only by case", other, name)
		}
		seen[low] = name
	}
	return nil
}

// Unsupported tells which features of the table lakesql does not support, see
// options.Unsupported, those of its columns and keys included.
func (s *Schema) Unsupported() (read, write []string, err error) {
	t, err := s.Table()
	if err != nil {
		return nil, nil, err
	}
	read, write = options.Unsupported(t, s.Options, s.HasPrimaryKey())
	for i := range s.Fields {
		if k, ok := unsupportedKind(s.Fields[i].Type); ok {
			feature := fmt.Sprintf("%s columns (%s)", k, s.Fields[i].Name)
			read, write = append(read, feature), append(write, feature)
		}
		if s.Fields[i].Default != nil && s.Fields[i].Type.Nested() {
			write = append(write, fmt.Sprintf("default values of type %s (%s)", s.Fields[i].Type.Kind, s.Fields[i].Name))
		}
	}
	if s.Mode(t.Bucket.Count) == KeyDynamic {
		write = append(write, "cross-partition updates (a primary key without all partition columns)")
	}
	return read, write, nil
}

// unsupportedKind finds a kind that lakesql does not support inside a type.
func unsupportedKind(t types.Type) (types.Kind, bool) {
	switch t.Kind {
	case types.Blob, types.Vector, types.Geometry, types.Geography:
		return t.Kind, true
	}
	for _, sub := range []*types.Type{t.Key, t.Elem} {
		if sub != nil {
			if k, ok := unsupportedKind(*sub); ok {
				return k, true
			}
		}
	}
	for i := range t.Fields {
		if k, ok := unsupportedKind(t.Fields[i].Type); ok {
			return k, true
		}
	}
	return 0, false
}
