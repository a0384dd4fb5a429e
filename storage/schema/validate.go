package schema

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/types"
)

// Validate checks the rules that every new schema must keep, at CREATE and at
// every ALTER. err has every fault; each names the column or the option. Rules
// that concern features which are refused anyway are not checked.
func (s *Schema) Validate() error {
	v := &validator{s: s}
	v.names()
	v.keys()
	if len(v.faults) > 0 {
		return errors.Join(v.faults...) // the rest relies on good names
	}
	t, err := s.Table()
	if err != nil {
		return err
	}
	v.t = t
	v.add(options.Validate(s.Options))
	v.types()
	v.bucket()
	v.columnOptions()
	v.sequence()
	v.changelog()
	v.others()
	v.formats()
	return errors.Join(v.faults...)
}

type validator struct {
	s      *Schema
	t      options.Table
	faults []error
}

func (v *validator) add(err error) {
	if err != nil {
		v.faults = append(v.faults, err)
	}
}

func (v *validator) fault(format string, args ...any) { v.add(invalidf(format, args...)) }

func list(names []string) string { return "[" + strings.Join(names, ", ") + "]" }

func duplicates(names []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] && !slices.Contains(out, n) {
			out = append(out, n)
		}
		seen[n] = true
	}
	return out
}

// missing are the names that are no column.
func (v *validator) missing(names []string) []string {
	var out []string
	for _, n := range names {
		if exactIndex(v.s.Fields, n) < 0 {
			out = append(out, n)
		}
	}
	return out
}

func (v *validator) names() {
	names := v.s.FieldNames()
	if len(names) == 0 {
		v.fault("table has no columns")
	}
	if dups := duplicates(names); len(dups) > 0 {
		v.add(&fault{kind: ErrColumnExists, text: fmt.Sprintf("table columns %s must not contain duplicates, found %s", list(names), list(dups))})
		return
	}
	if err := v.s.CheckNames(); err != nil {
		v.add(&fault{kind: ErrColumnExists, text: err.Error()})
	}
	for _, n := range names {
		switch {
		case n == "":
			v.fault("a column has an empty name")
		case types.Reserved(n):
			v.fault("column name '%s' is reserved for the system", n)
		}
	}
}

func (v *validator) keys() {
	for _, l := range []struct {
		what string
		keys []string
	}{{"partition key", v.s.PartitionKeys}, {"primary key", v.s.PrimaryKeys}} {
		if dups := duplicates(l.keys); len(dups) > 0 {
			v.fault("%s %s must not contain duplicates, found %s", l.what, list(l.keys), list(dups))
		}
		if gone := v.missing(l.keys); len(gone) > 0 {
			v.add(&fault{kind: ErrColumnNotFound, text: fmt.Sprintf("%s %s: no such column %s", l.what, list(l.keys), list(gone))})
		}
	}
	if len(v.s.PrimaryKeys) > 0 && len(v.s.TrimmedPrimaryKeys()) == 0 {
		v.fault("primary key %s has no column beside the partition keys %s: a partition would hold one row", list(v.s.PrimaryKeys), list(v.s.PartitionKeys))
	}
}

func (v *validator) types() {
	for i := range v.s.Fields {
		f := &v.s.Fields[i]
		if err := f.Type.Validate(); err != nil {
			v.fault("column '%s': %v", f.Name, err)
		}
		if f.Default != nil {
			v.add(checkDefault(f.Name, f.Type, *f.Default))
		}
	}
	for _, l := range []struct {
		what string
		keys []string
	}{{"partition key", v.s.PartitionKeys}, {"primary key", v.s.PrimaryKeys}} {
		for _, k := range l.keys {
			t := v.s.Fields[exactIndex(v.s.Fields, k)].Type
			switch t.Kind {
			case types.Array, types.Map, types.Multiset, types.Row, types.Vector, types.Variant, types.Blob, types.Geometry, types.Geography:
				v.fault("type %s cannot be in a %s: column '%s'", t.Kind, l.what, k)
			}
		}
	}
}

// checkDefault tests that the text of a default value is a value of the type.
func checkDefault(column string, t types.Type, text string) error {
	if err := checkText(t, text); err != nil {
		return &fault{kind: ErrInvalid, text: fmt.Sprintf("invalid default value for column '%s': %v", column, err)}
	}
	return nil
}

func (v *validator) bucket() {
	n, explicit := v.t.Bucket.Count, options.SplitColumns(v.s.Options["bucket-key"])
	pk := v.s.HasPrimaryKey()
	switch {
	case n == 0, n < -2, n == -2 && !pk:
		v.fault("option 'bucket' = '%d': the number of buckets must be greater than 0, or -1", n)
	case n == -1 && len(explicit) > 0:
		v.fault("cannot define 'bucket-key' with bucket = -1: remove 'bucket-key' or give a bucket number")
	case n > 0 && !pk && len(explicit) == 0:
		v.fault("an append table with buckets needs 'bucket-key'")
	}
	if n > 0 && pk {
		for _, p := range v.s.PartitionKeys {
			if !slices.Contains(v.s.PrimaryKeys, p) {
				v.fault("primary key %s does not include the partition key '%s': such a table needs dynamic buckets, 'bucket' = '-1'", list(v.s.PrimaryKeys), p)
			}
		}
	}
	if n == -1 && !pk && v.t.Compaction.DeltaCommits > 0 {
		v.fault("an append table without buckets does not support 'full-compaction.delta-commits'")
	}
	if gone := v.missing(explicit); len(gone) > 0 {
		v.add(&fault{kind: ErrColumnNotFound, text: fmt.Sprintf("option 'bucket-key': no such column %s", list(gone))})
		return
	}
	if dups := duplicates(explicit); len(dups) > 0 {
		v.fault("option 'bucket-key' names %s twice", list(dups))
	}
	for _, k := range explicit {
		switch f := v.s.Fields[exactIndex(v.s.Fields, k)]; {
		case slices.Contains(v.s.PartitionKeys, k):
			v.fault("bucket key '%s' is a partition key", k)
		case pk && !slices.Contains(v.s.PrimaryKeys, k):
			v.fault("bucket key '%s' is not in the primary key %s", k, list(v.s.PrimaryKeys))
		case f.Type.Nested():
			v.fault("bucket key '%s' has the nested type %s", k, f.Type.Kind)
		}
	}
	if n > 0 {
		v.bucketFunction()
	}
}

func (v *validator) bucketFunction() {
	keys := v.s.BucketKeys()
	if v.t.Bucket.Function != "mod" {
		return
	}
	if len(keys) == 1 {
		if f, ok := v.s.Field(keys[0]); ok && (f.Type.Kind == types.Int || f.Type.Kind == types.BigInt) {
			return
		}
	}
	v.fault("bucket-function.type 'mod' needs exactly one bucket key of type INT or BIGINT, not %s", list(keys))
}

// columnOptions checks that options name columns that exist.
func (v *validator) columnOptions() {
	for _, key := range slices.Sorted(maps.Keys(v.s.Options)) {
		if column, ok := options.ColumnOf(key); ok {
			for _, c := range strings.Split(column, ",") {
				if len(v.missing([]string{strings.TrimSpace(c)})) > 0 {
					v.add(&fault{kind: ErrColumnNotFound, text: fmt.Sprintf("option '%s': no such column '%s'", key, c)})
				}
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(v.s.Options)) {
		d, _ := options.Lookup(key)
		if d.Kind != options.Columns || key == "bucket-key" || key == "sequence.field" || strings.Contains(d.Key, "nested") {
			continue
		}
		if gone := v.missing(options.SplitColumns(v.s.Options[key])); len(gone) > 0 {
			v.add(&fault{kind: ErrColumnNotFound, text: fmt.Sprintf("option '%s': no such column %s", key, list(gone))})
		}
	}
}

func (v *validator) sequence() {
	fields := v.t.Merge.SequenceFields
	if len(fields) == 0 {
		return
	}
	for _, gone := range v.missing(fields) {
		v.add(&fault{kind: ErrColumnNotFound, text: fmt.Sprintf("sequence field '%s' can not be found in table schema", gone)})
	}
	for _, dup := range duplicates(fields) {
		v.fault("sequence field '%s' is defined repeatedly", dup)
	}
	for _, f := range fields {
		if _, ok := v.s.Options["fields."+f+".aggregate-function"]; ok {
			v.fault("should not define aggregation on sequence field '%s'", f)
		}
		if c, ok := v.s.Field(f); ok && c.Type.Nested() {
			v.fault("sequence field '%s' has the type %s, which has no order", f, c.Type.Kind)
		}
	}
	if v.t.Merge.Engine == "first-row" {
		v.fault("sequence.field cannot be used with merge-engine first-row")
	}
	if v.s.CrossPartition() {
		v.fault("sequence.field cannot be used when the primary key %s does not include all partition fields %s", list(v.s.PrimaryKeys), list(v.s.PartitionKeys))
	}
}

func (v *validator) changelog() {
	if v.s.HasPrimaryKey() {
		return
	}
	if v.t.Changelog.Producer != "none" {
		v.fault("cannot set changelog-producer on a table without primary keys")
	}
	if on, _ := options.ParseBool(v.s.Options["streaming-read-overwrite"]); on {
		v.fault("streaming-read-overwrite needs primary keys: use streaming-read-append-overwrite")
	}
	if v.t.NullableKeys {
		v.fault("option 'primary-key.nullable' can only be enabled for a table with primary keys")
	}
	if v.t.Merge.SnapshotOrdering {
		v.fault("sequence.snapshot-ordering requires a primary-key table")
	}
}

func (v *validator) others() {
	if name := v.t.Merge.RowKindField; name != "" {
		switch at := exactIndex(v.s.Fields, name); {
		case at < 0:
			v.add(&fault{kind: ErrColumnNotFound, text: fmt.Sprintf("rowkind field '%s' can not be found in table schema", name)})
		case !v.s.Fields[at].Type.Text():
			v.fault("rowkind field '%s' must be a STRING, not %s", name, v.s.Fields[at].Type)
		}
	}
	if name := v.s.Options["record-level.time-field"]; name != "" {
		at := exactIndex(v.s.Fields, name)
		if at < 0 {
			v.add(&fault{kind: ErrColumnNotFound, text: fmt.Sprintf("record-level.time-field: no such column '%s'", name)})
			return
		}
		switch v.s.Fields[at].Type.Kind {
		case types.Int, types.BigInt, types.Timestamp, types.TimestampLTZ:
		default:
			v.fault("record-level.time-field '%s' must be INT, BIGINT or TIMESTAMP, not %s", name, v.s.Fields[at].Type)
		}
	}
	if v.t.Merge.SnapshotOrdering && len(v.t.Merge.SequenceFields) > 0 {
		v.fault("sequence.snapshot-ordering is mutually exclusive with sequence.field")
	}
}

// formats checks that the columns can be stored in the formats that are written.
func (v *validator) formats() {
	levels := slices.Sorted(maps.Keys(v.t.File.FormatByLevel))
	for i := range v.s.Fields {
		f := &v.s.Fields[i]
		why := avroFault(f.Type)
		if why == "" {
			continue
		}
		if v.t.File.Format == "avro" {
			v.fault("column '%s': Avro files cannot hold %s", f.Name, why)
			continue
		}
		for _, level := range levels {
			if v.t.File.FormatByLevel[level] == "avro" {
				v.fault("'file.format.per.level' entry '%d:avro' is incompatible with column '%s': Avro files cannot hold %s", level, f.Name, why)
			}
		}
	}
}

// avroFault says what inside a type Avro data files cannot hold, or "".
func avroFault(t types.Type) string {
	switch t.Kind {
	case types.Timestamp, types.TimestampLTZ:
		if t.Precision > 6 {
			return fmt.Sprintf("%s (precision above 6)", t.WithNotNull(false))
		}
	case types.Time:
		if t.Precision > 3 {
			return fmt.Sprintf("%s (precision above 3)", t.WithNotNull(false))
		}
	case types.Variant, types.Geometry, types.Geography:
		return t.Kind.String()
	}
	for _, sub := range []*types.Type{t.Key, t.Elem} {
		if sub != nil {
			if why := avroFault(*sub); why != "" {
				return why
			}
		}
	}
	for i := range t.Fields {
		if why := avroFault(t.Fields[i].Type); why != "" {
			return why
		}
	}
	return ""
}
