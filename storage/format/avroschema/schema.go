package avroschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxDepth is the deepest nesting of a schema that we follow.
const maxDepth = 100

// Kind is the root of an Avro type.
type Kind uint8

// The kinds, those without parts of their own first.
const (
	Null Kind = iota
	Boolean
	Int
	Long
	Float
	Double
	Bytes
	String
	Fixed
	Enum
	Array
	Map
	Record
	Union
)

// String is the name in JSON.
func (k Kind) String() string {
	return [...]string{
		"null", "boolean", "int", "long", "float", "double", "bytes", "string", "fixed", "enum", "array", "map", "record", "union",
	}[k]
}

// Type is a type of a schema. Named types may be shared; none holds itself.
type Type struct {
	Kind             Kind
	Logical          string
	Precision, Scale int     // of decimals
	Size             int     // of Fixed, in bytes
	Symbols          int     // of Enum
	Items            *Type   // of Array and Map
	Branches         []*Type // of Union
	Fields           []Field // of Record, in the order of their values
	// MinBytes is the least that a value takes; Empty values take none at all.
	MinBytes int
	Empty    bool
}

// Field is a member of a record.
type Field struct {
	Name string
	Type *Type
	// Tag is its reader's, to note what the member is to it; 0 at first.
	Tag int
}

// Of is the type of a kind that has no parts.
func Of(k Kind) *Type {
	t := &Type{Kind: k}
	t.measure()
	return t
}

// schemaParser reads the JSON form of a schema. named has the types that are
// complete; a name that maps to nil is being read, so that a type that holds
// itself is refused.
type schemaParser struct {
	named map[string]*Type
}

// Parse reads a schema. What is wrong with it is told in words; which file it is in, the
// caller knows.
func Parse(text []byte) (*Type, error) {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("schema is not JSON: %w", err)
	}
	p := schemaParser{named: map[string]*Type{}}
	return p.parse(v, "", 0)
}

func (p *schemaParser) parse(v any, space string, depth int) (*Type, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("schema is nested deeper than %d", maxDepth)
	}
	switch v := v.(type) {
	case string:
		return p.lookUp(v, space)
	case []any:
		return p.union(v, space, depth)
	case map[string]any:
		return p.complex(v, space, depth)
	}
	return nil, fmt.Errorf("schema has %v where a type is wanted", v)
}

// lookUp is a primitive type or a type that was defined before.
func (p *schemaParser) lookUp(name, space string) (*Type, error) {
	for k := Null; k <= String; k++ {
		if k.String() == name {
			return Of(k), nil
		}
	}
	full := fullName(name, space)
	n, ok := p.named[full]
	switch {
	case !ok:
		return nil, fmt.Errorf("schema names type %q, which is not defined", name)
	case n == nil:
		return nil, fmt.Errorf("schema has type %q inside itself", name)
	}
	return n, nil
}

func fullName(name, space string) string {
	if strings.Contains(name, ".") || space == "" {
		return name
	}
	return space + "." + name
}

func (p *schemaParser) union(vs []any, space string, depth int) (*Type, error) {
	n := &Type{Kind: Union}
	if len(vs) == 0 {
		return nil, errors.New("schema has a union of nothing")
	}
	for _, v := range vs {
		b, err := p.parse(v, space, depth+1)
		if err != nil {
			return nil, err
		}
		if b.Kind == Union {
			return nil, errors.New("schema has a union directly inside a union")
		}
		n.Branches = append(n.Branches, b)
	}
	n.measure()
	return n, nil
}

func (p *schemaParser) complex(m map[string]any, space string, depth int) (*Type, error) {
	name, ok := m["type"].(string)
	if !ok { // {"type": {"type": …}}
		return p.parse(m["type"], space, depth+1)
	}
	n := &Type{}
	switch name {
	case "array", "map":
		n.Kind = Array
		inner := m["items"]
		if name == "map" {
			n.Kind, inner = Map, m["values"]
		}
		var err error
		if n.Items, err = p.parse(inner, space, depth+1); err != nil {
			return nil, err
		}
	case "record", "fixed", "enum":
		return p.define(m, name, space, depth)
	default:
		base, err := p.lookUp(name, space)
		if err != nil {
			return nil, err
		}
		*n = *base
	}
	n.annotate(m)
	n.measure()
	return n, nil
}

// define reads a type with a name of its own.
func (p *schemaParser) define(m map[string]any, root, space string, depth int) (*Type, error) {
	name, ok := m["name"].(string)
	if !ok || name == "" {
		return nil, fmt.Errorf("schema has a %s without a name", root)
	}
	if s, ok := m["namespace"].(string); ok {
		space = s
	}
	full := fullName(name, space)
	if i := strings.LastIndexByte(full, '.'); i >= 0 {
		space = full[:i]
	}
	if _, ok := p.named[full]; ok {
		return nil, fmt.Errorf("schema defines type %q twice", full)
	}
	n := &Type{}
	switch root {
	case "fixed":
		n.Kind = Fixed
		size, ok := m["size"].(float64)
		if !ok || size < 0 || size > 1<<20 {
			return nil, fmt.Errorf("schema has fixed type %q of size %v", full, m["size"])
		}
		n.Size = int(size)
	case "enum":
		n.Kind = Enum
		symbols, _ := m["symbols"].([]any)
		if n.Symbols = len(symbols); n.Symbols == 0 {
			return nil, fmt.Errorf("schema has enum type %q without symbols", full)
		}
	default:
		n.Kind = Record
		p.named[full] = nil
		if err := p.members(n, m, space, depth); err != nil {
			return nil, err
		}
	}
	n.annotate(m)
	n.measure()
	p.named[full] = n
	return n, nil
}

func (p *schemaParser) members(n *Type, m map[string]any, space string, depth int) error {
	fields, ok := m["fields"].([]any)
	if !ok {
		return fmt.Errorf("schema has record %v without fields", m["name"])
	}
	seen := map[string]bool{}
	for _, f := range fields {
		fm, _ := f.(map[string]any)
		name, ok := fm["name"].(string)
		if !ok || seen[name] {
			return fmt.Errorf("schema has record %v with a member without a name of its own", m["name"])
		}
		seen[name] = true
		t, err := p.parse(fm["type"], space, depth+1)
		if err != nil {
			return err
		}
		n.Fields = append(n.Fields, Field{Name: name, Type: t})
	}
	return nil
}

func (n *Type) annotate(m map[string]any) {
	n.Logical, _ = m["logicalType"].(string)
	if p, ok := m["precision"].(float64); ok && p >= 0 && p <= 1<<20 {
		n.Precision = int(p)
	}
	if s, ok := m["scale"].(float64); ok && s >= 0 && s <= 1<<20 {
		n.Scale = int(s)
	}
}

// measure sets minBytes and empty.
func (n *Type) measure() {
	const most = 1 << 30
	switch n.Kind {
	case Null:
		n.MinBytes, n.Empty = 0, true
	case Float:
		n.MinBytes = 4
	case Double:
		n.MinBytes = 8
	case Fixed:
		n.MinBytes, n.Empty = n.Size, n.Size == 0
	case Record:
		n.MinBytes, n.Empty = 0, true
		for _, f := range n.Fields {
			n.MinBytes = min(n.MinBytes+f.Type.MinBytes, most)
			n.Empty = n.Empty && f.Type.Empty
		}
	default:
		n.MinBytes = 1
	}
}

// Optional splits a union of one type and maybe null. null is the index of the
// null branch, or NoUnion for what is no union at all; a union of one type alone
// has null 1, an index that no value has.
func (n *Type) Optional() (inner *Type, null int8, err error) {
	if n.Kind != Union {
		return n, NoUnion, nil
	}
	b := n.Branches
	switch {
	case len(b) == 1:
		return b[0], 1, nil
	case len(b) == 2 && b[0].Kind == Null:
		return b[1], 0, nil
	case len(b) == 2 && b[1].Kind == Null:
		return b[0], 1, nil
	}
	return nil, 0, fmt.Errorf("union of %d types", len(b))
}

// NoUnion is what Optional gives for null of a type that is no union.
const NoUnion = int8(-1)

// Find is the member of a record by name, or -1.
func (n *Type) Find(name string) int {
	for i := range n.Fields {
		if n.Fields[i].Name == name {
			return i
		}
	}
	return -1
}
