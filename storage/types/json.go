package types

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// MarshalJSON is the form of schema files: a string for a type without members, else
// an object with its root in "type".
func (t Type) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	if err := t.appendJSON(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// MarshalJSON is the form of schema files: id, name, type, description, defaultValue.
func (f Field) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	if err := f.appendJSON(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (t Type) appendJSON(b *bytes.Buffer) error {
	root := func(member string) {
		b.WriteString(`{"type":"` + t.Kind.String())
		if t.NotNull {
			b.WriteString(" NOT NULL")
		}
		b.WriteString(`","` + member + `":`)
	}
	switch t.Kind {
	case Array, Multiset, Vector:
		root("element")
		if err := t.elem().appendJSON(b); err != nil {
			return err
		}
		if t.Kind == Vector {
			fmt.Fprintf(b, `,"length":%d`, t.Length)
		}
		b.WriteByte('}')
	case Map:
		root("key")
		if err := t.key().appendJSON(b); err != nil {
			return err
		}
		b.WriteString(`,"value":`)
		if err := t.elem().appendJSON(b); err != nil {
			return err
		}
		b.WriteByte('}')
	case Row:
		root("fields")
		b.WriteByte('[')
		for i := range t.Fields {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := t.Fields[i].appendJSON(b); err != nil {
				return err
			}
		}
		b.WriteString("]}")
	case Invalid:
		return errors.New("write type: type is missing")
	default:
		return appendString(b, t.String())
	}
	return nil
}

func (f *Field) appendJSON(b *bytes.Buffer) error {
	fmt.Fprintf(b, `{"id":%d,"name":`, f.ID)
	if err := appendString(b, f.Name); err != nil {
		return err
	}
	b.WriteString(`,"type":`)
	if err := f.Type.appendJSON(b); err != nil {
		return fmt.Errorf("field %q: %w", f.Name, err)
	}
	if f.Description != "" {
		b.WriteString(`,"description":`)
		if err := appendString(b, f.Description); err != nil {
			return err
		}
	}
	if f.Default != nil {
		b.WriteString(`,"defaultValue":`)
		if err := appendString(b, *f.Default); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// appendString writes a JSON string and leaves < > & as they are; an encoder around
// us escapes them if it wants to.
func appendString(b *bytes.Buffer, s string) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // Encode ends with a newline
	return nil
}

// UnmarshalJSON reads the form of schema files.
func (t *Type) UnmarshalJSON(data []byte) error {
	v, err := decodeAny(data)
	if err != nil {
		return err
	}
	got, err := typeOf(v, 0)
	if err != nil {
		return err
	}
	*t = got
	return nil
}

// UnmarshalJSON reads the form of schema files. Members that are not known are ignored.
func (f *Field) UnmarshalJSON(data []byte) error {
	v, err := decodeAny(data)
	if err != nil {
		return err
	}
	got, err := fieldOf(v, 0)
	if err != nil {
		return err
	}
	*f = got
	return nil
}

// decodeAny parses once; the types are built from the tree, so that deep nesting
// costs no second parse.
func decodeAny(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("parse type: %w", err)
	}
	return v, nil
}

func typeOf(v any, depth int) (Type, error) {
	if depth > maxTypeDepth {
		return Type{}, fmt.Errorf("parse type: nested deeper than %d", maxTypeDepth)
	}
	if s, ok := v.(string); ok {
		return Parse(s)
	}
	o, ok := v.(map[string]any)
	if !ok {
		return Type{}, fmt.Errorf("parse type: neither text nor an object: %v", v)
	}
	root, ok := o["type"].(string)
	if !ok {
		return Type{}, fmt.Errorf("parse type: object has no type")
	}
	member := func(name string) (*Type, error) {
		e, err := typeOf(o[name], depth+1)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", name, root, err)
		}
		return &e, nil
	}
	t := Type{NotNull: strings.Contains(root, "NOT NULL")}
	var err error
	switch {
	case strings.HasPrefix(root, "ARRAY"):
		t.Kind = Array
		t.Elem, err = member("element")
	case strings.HasPrefix(root, "VECTOR"):
		t.Kind = Vector
		if t.Elem, err = member("element"); err == nil {
			t.Length, err = intOf(o, "length")
		}
	case strings.HasPrefix(root, "MULTISET"):
		t.Kind = Multiset
		t.Elem, err = member("element")
	case strings.HasPrefix(root, "MAP"):
		t.Kind = Map
		if t.Key, err = member("key"); err == nil {
			t.Elem, err = member("value")
		}
	case strings.HasPrefix(root, "ROW"):
		t.Kind = Row
		t.Fields, err = fieldsOf(o["fields"], depth)
	default:
		return Type{}, fmt.Errorf("parse type: unknown type %q of an object", root)
	}
	if err == nil && t.Kind == Vector {
		err = t.Validate()
	}
	if err != nil {
		return Type{}, err
	}
	return t, nil
}

func fieldsOf(v any, depth int) ([]Field, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("parse type: ROW has no list of fields")
	}
	fields := make([]Field, len(list))
	for i := range list {
		f, err := fieldOf(list[i], depth)
		if err != nil {
			return nil, err
		}
		fields[i] = f
	}
	return fields, nil
}

func fieldOf(v any, depth int) (Field, error) {
	o, ok := v.(map[string]any)
	if !ok {
		return Field{}, fmt.Errorf("parse field: not an object: %v", v)
	}
	var f Field
	if f.Name, ok = o["name"].(string); !ok {
		return Field{}, fmt.Errorf("parse field: name is missing")
	}
	var err error
	if f.ID, err = intOf(o, "id"); err != nil {
		return Field{}, fmt.Errorf("field %q: %w", f.Name, err)
	}
	if f.Type, err = typeOf(o["type"], depth+1); err != nil {
		return Field{}, fmt.Errorf("field %q: %w", f.Name, err)
	}
	f.Description, _ = o["description"].(string)
	if d, ok := o["defaultValue"].(string); ok {
		f.Default = &d
	}
	return f, nil
}

func intOf(o map[string]any, name string) (int, error) {
	n, ok := o[name].(json.Number)
	if !ok {
		return 0, fmt.Errorf("%s is missing", name)
	}
	i, ok := atoi(n.String())
	if !ok {
		return 0, fmt.Errorf("%s is %s, not an int", name, n)
	}
	return i, nil
}
