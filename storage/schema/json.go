package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/types"
)

// wire is the JSON form, members in Paimon's order.
type wire struct {
	Version        *int          `json:"version,omitempty"`
	ID             *int64        `json:"id"`
	Fields         []types.Field `json:"fields"`
	HighestFieldID *int          `json:"highestFieldId"`
	PartitionKeys  []string      `json:"partitionKeys"`
	PrimaryKeys    []string      `json:"primaryKeys"`
	Options        *orderedMap   `json:"options"`
	Comment        *string       `json:"comment,omitempty"`
	TimeMillis     *int64        `json:"timeMillis"`
}

// Encode writes the schema as a schema file holds it; nil when a field has no
// type, which Decode and Validate refuse.
func (s *Schema) Encode() []byte {
	data, err := s.encode()
	if err != nil {
		return nil
	}
	return data
}

func (s *Schema) encode() ([]byte, error) {
	w := wire{
		Version:        &s.Version,
		ID:             &s.ID,
		Fields:         s.Fields,
		HighestFieldID: &s.HighestFieldID,
		PartitionKeys:  append([]string{}, s.PartitionKeys...),
		PrimaryKeys:    append([]string{}, s.PrimaryKeys...),
		Options:        &orderedMap{keys: s.OptionKeys(), values: make(map[string]json.RawMessage, len(s.Options))},
		TimeMillis:     &s.TimeMillis,
	}
	if s.Comment != "" {
		w.Comment = &s.Comment
	}
	for k, v := range s.Options {
		text, err := marshal(v, "")
		if err != nil {
			return nil, err
		}
		w.Options.values[k] = text
	}
	out, err := marshal(&w, "  ")
	if err != nil {
		return nil, fmt.Errorf("encode schema %d: %w", s.ID, err)
	}
	return out, nil
}

// marshal is json.MarshalIndent that leaves < > & as they are.
func marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Decode reads a schema file. Members that are not known are ignored. Errors are
// corruption errors without a file name, but for a version that we do not know.
//
// Old versions mean other defaults: up to version 1 (the version is missing) a
// table without the option bucket has one bucket, up to version 2 one without
// file.format has ORC files. Both are put into Options.
func Decode(data []byte) (*Schema, error) {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, corrupt.Errorf("", corrupt.NoOffset, "schema: %w", err)
	}
	for _, m := range []struct {
		name    string
		missing bool
	}{
		{"id", w.ID == nil},
		{"fields", w.Fields == nil},
		{"highestFieldId", w.HighestFieldID == nil},
		{"partitionKeys", w.PartitionKeys == nil},
		{"primaryKeys", w.PrimaryKeys == nil},
		{"options", w.Options == nil || w.Options.values == nil},
	} {
		if m.missing {
			return nil, corrupt.Errorf("", corrupt.NoOffset, "schema has no member %q", m.name)
		}
	}
	s := &Schema{
		Version:        1,
		ID:             *w.ID,
		Fields:         w.Fields,
		HighestFieldID: *w.HighestFieldID,
		PartitionKeys:  w.PartitionKeys,
		PrimaryKeys:    w.PrimaryKeys,
		Options:        make(map[string]string, len(w.Options.keys)),
		optionOrder:    w.Options.keys,
	}
	if w.Version != nil {
		s.Version = *w.Version
	}
	if s.Version > Version {
		return nil, fmt.Errorf("schema version %d is not supported (the highest known is %d)", s.Version, Version)
	}
	if w.Comment != nil {
		s.Comment = *w.Comment
	}
	if w.TimeMillis != nil {
		s.TimeMillis = *w.TimeMillis
	}
	for k, raw := range w.Options.values {
		text, err := scalarText(raw)
		if err != nil {
			return nil, corrupt.Errorf("", corrupt.NoOffset, "schema: option %q: %w", k, err)
		}
		s.Options[k] = text
	}
	s.oldDefaults()
	s.optionOrder = s.OptionKeys()
	if err := s.check(); err != nil {
		return nil, corrupt.Errorf("", corrupt.NoOffset, "schema: %w", err)
	}
	return s, nil
}

// oldDefaults puts the defaults of old versions into the options.
func (s *Schema) oldDefaults() {
	if _, ok := s.Options["bucket"]; !ok && s.Version <= 1 {
		s.Options["bucket"] = "1"
	}
	if _, ok := s.Options["file.format"]; !ok && s.Version <= 2 {
		s.Options["file.format"] = "orc"
	}
}

// scalarText gives the text of a string, number or boolean.
func scalarText(raw json.RawMessage) (string, error) {
	var text string
	if err := json.Unmarshal(raw, &text); err == nil && raw[0] == '"' {
		return text, nil
	}
	switch raw[0] {
	case '{', '[':
		return "", fmt.Errorf("value %s is no text", raw)
	}
	return string(raw), nil
}

// check tests what later code relies on: names that exist and are unique, ids
// that are unique and within HighestFieldID, types that are in range.
func (s *Schema) check() error {
	if s.ID < 0 {
		return fmt.Errorf("id %d is negative", s.ID)
	}
	if err := uniqueNames("column", s.FieldNames()); err != nil {
		return err
	}
	for _, l := range []struct {
		what string
		keys []string
	}{{"partition key", s.PartitionKeys}, {"primary key", s.PrimaryKeys}} {
		if err := uniqueNames(l.what, l.keys); err != nil {
			return err
		}
		for _, k := range l.keys {
			at := exactIndex(s.Fields, k)
			if at < 0 {
				return fmt.Errorf("%s %q is no column", l.what, k)
			}
			if s.Fields[at].Type.Nested() {
				return fmt.Errorf("%s %q: %v cannot be in a key", l.what, k, s.Fields[at].Type.Kind)
			}
		}
	}
	if len(s.PrimaryKeys) > 0 && len(s.TrimmedPrimaryKeys()) == 0 {
		return fmt.Errorf("primary key has partition columns only")
	}
	ids := map[int]string{}
	var err error
	see := func(f *types.Field) {
		if other, twice := ids[f.ID]; twice && err == nil {
			err = fmt.Errorf("fields %q and %q have the same id %d", other, f.Name, f.ID)
		}
		if f.ID < 0 && err == nil {
			err = fmt.Errorf("field %q has the id %d", f.Name, f.ID)
		}
		ids[f.ID] = f.Name
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if err := f.Type.Validate(); err != nil {
			return fmt.Errorf("column %q: %w", f.Name, err)
		}
		see(f)
		f.Type.Walk(see)
	}
	s.HighestFieldID = max(s.HighestFieldID, types.MaxFieldID(s.Fields))
	return err
}

func uniqueNames(what string, names []string) error {
	sorted := slices.Sorted(slices.Values(names))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return fmt.Errorf("%s %q stands twice", what, sorted[i])
		}
	}
	return nil
}
