package schema

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lakesql/lakesql/storage/options"
)

func (c SetOption) apply(e *editor) error {
	old, had := e.s.Options[c.Key]
	if had && old == c.Value || e.unchangedKey(c) {
		return nil
	}
	if _, err := options.Check(map[string]string{c.Key: c.Value}, options.Alter); err != nil {
		return err
	}
	switch c.Key {
	case "type", "path":
		return refusedf("change '%s' is not supported", c.Key)
	case "primary-key":
		if len(e.s.PrimaryKeys) > 0 && !e.hasSnapshot {
			return refusedf("cannot change the primary key %s", list(e.s.PrimaryKeys))
		}
	case "partition":
		if len(e.s.PartitionKeys) > 0 && !e.hasSnapshot {
			return refusedf("cannot change the partition keys %s", list(e.s.PartitionKeys))
		}
	}
	if e.hasSnapshot {
		if err := e.checkOption(c.Key, c.Value, true); err != nil {
			return err
		}
	}
	e.s.Options[c.Key] = canonicalColumns(e.s.Fields, c.Key, c.Value)
	return nil
}

// unchangedKey reports whether an option says again what the schema has in
// another form: the key lists, the default type.
func (e *editor) unchangedKey(c SetOption) bool {
	switch c.Key {
	case "primary-key":
		return slices.Equal(options.SplitColumns(c.Value), e.s.PrimaryKeys)
	case "partition":
		return slices.Equal(options.SplitColumns(c.Value), e.s.PartitionKeys)
	case "type":
		return strings.EqualFold(c.Value, e.t.Type)
	}
	return false
}

func (c RemoveOption) apply(e *editor) error {
	if _, had := e.s.Options[c.Key]; !had {
		if _, known := options.Lookup(c.Key); !known {
			_, err := options.Check(map[string]string{c.Key: ""}, options.Alter)
			return err
		}
		return nil
	}
	if c.Key == "type" {
		return refusedf("change 'type' is not supported")
	}
	if e.hasSnapshot {
		if err := e.checkOption(c.Key, "", false); err != nil {
			return err
		}
	}
	delete(e.s.Options, c.Key)
	return nil
}

// checkOption refuses changes of options that a table with snapshots cannot
// take. set is false for RESET.
func (e *editor) checkOption(key, value string, set bool) error {
	d, known := options.Lookup(key)
	if known && d.Immutable {
		return refusedf("change '%s' is not supported on a table with snapshots", key)
	}
	switch d.Key {
	case "bucket":
		return e.checkBucket(value, set)
	case "deletion-vectors.enabled":
		was, _ := options.ParseBool(e.s.Options[key])
		will, _ := options.ParseBool(value)
		if may, _ := options.ParseBool(e.s.Options["deletion-vectors.modifiable"]); was != will && !may {
			return refusedf("cannot change deletion vectors mode from %t to %t: set 'deletion-vectors.modifiable' = 'true' to allow it; without a full compaction rows may appear twice", was, will)
		}
	case "ignore-delete", "ignore-update-before":
		was := e.t.Merge.IgnoreDelete
		if d.Key == "ignore-update-before" {
			was = e.t.Merge.IgnoreUpdateBefore
		}
		will, _ := options.ParseBool(value)
		if was && !will {
			return refusedf("change '%s' from true to false is not supported", key)
		}
	case "clustering.columns":
		if on, _ := options.ParseBool(e.s.Options["pk-clustering-override"]); on {
			return refusedf("change '%s' is not supported under 'pk-clustering-override'", key)
		}
	}
	return nil
}

func (e *editor) checkBucket(value string, set bool) error {
	if !set {
		return refusedf("cannot reset bucket")
	}
	n, err := strconv.Atoi(strings.TrimSpace(value))
	switch {
	case err != nil:
		return invalidf("option 'bucket' cannot be '%s'", value)
	case e.t.Bucket.Count == -1 && n != -1:
		return refusedf("cannot change bucket when it is -1")
	case e.t.Bucket.Count != -1 && n == -1:
		return refusedf("cannot change bucket to -1")
	}
	return nil
}

// renameInOptions returns options in which a column has its new name: in keys
// of the form fields.<column>.…, and in values that are column names.
func renameInOptions(opts map[string]string, from, to string) map[string]string {
	out := maps.Clone(opts)
	for key, value := range opts {
		d, _ := options.Lookup(key)
		newKey, newValue := key, value
		if column, ok := options.ColumnOf(key); ok {
			renamed := renameInList(column, from, to)
			newKey = "fields." + renamed + strings.TrimPrefix(key, "fields."+column)
		}
		switch {
		case d.Kind == options.Columns && !strings.Contains(d.Key, "nested"):
			newValue = renameInList(value, from, to)
		case (d.Key == "rowkind.field" || d.Key == "record-level.time-field") && value == from:
			newValue = to
		case strings.HasPrefix(key, "file-index.") && strings.HasSuffix(key, ".columns"):
			newValue = renameInList(value, from, to)
		}
		if newKey != key {
			delete(out, key)
		}
		out[newKey] = newValue
	}
	return out
}

// renameInList renames one name in a list with commas; a list without it stays
// as it is written.
func renameInList(names, from, to string) string {
	parts := strings.Split(names, ",")
	hit := false
	for i, p := range parts {
		if strings.TrimSpace(p) == from {
			parts[i], hit = to, true
		}
	}
	if !hit {
		return names
	}
	return strings.Join(parts, ",")
}
