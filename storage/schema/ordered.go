package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// orderedMap is a JSON object of raw members that remembers their order. nil is no
// object.
type orderedMap struct {
	keys   []string
	values map[string]json.RawMessage
}

// UnmarshalJSON reads an object; the last of equal names counts.
func (m *orderedMap) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	t, err := dec.Token()
	if err != nil {
		return err
	}
	if t == nil {
		return nil
	}
	if t != json.Delim('{') {
		return fmt.Errorf("%v where an object is wanted", t)
	}
	m.keys, m.values = nil, map[string]json.RawMessage{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return err
		}
		key := name.(string)
		if _, twice := m.values[key]; !twice {
			m.keys = append(m.keys, key)
		}
		m.values[key] = v
	}
	_, err = dec.Token()
	return err
}

// MarshalJSON writes the members in order.
func (m *orderedMap) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, k := range m.keys {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := marshal(k, "")
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), m.values[k]...)
	}
	return append(out, '}'), nil
}

// OptionKeys are the keys of the options: those of the schema file in its order,
// then others by name.
func (s *Schema) OptionKeys() []string {
	var out []string
	seen := map[string]bool{}
	for _, k := range s.optionOrder {
		if _, ok := s.Options[k]; ok {
			out = append(out, k)
			seen[k] = true
		}
	}
	for _, k := range slices.Sorted(maps.Keys(s.Options)) {
		if !seen[k] {
			out = append(out, k)
		}
	}
	return out
}
