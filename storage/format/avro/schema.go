package avro

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxDepth is the deepest nesting of a schema that we follow.
const maxDepth = 100

// kind is the root of an Avro type.
type kind uint8

const (
	kindNull kind = iota
	kindBoolean
	kindInt
	kindLong
	kindFloat
	kindDouble
	kindBytes
	kindString
	kindFixed
	kindEnum
	kindArray
	kindMap
	kindRecord
	kindUnion
)

func (k kind) String() string {
	return [...]string{
		"null", "boolean", "int", "long", "float", "double", "bytes", "string", "fixed", "enum", "array", "map", "record", "union",
	}[k]
}

// node is a type of a file's schema. Named types may be shared; none holds itself.
type node struct {
	kind             kind
	logical          string
	precision, scale int     // of decimals
	size             int     // of fixed
	symbols          int     // of enum
	items            *node   // of array and map
	branches         []*node // of union
	fields           []member
	// minBytes is the least that a value takes; empty values take none at all.
	minBytes int
	empty    bool
}

type member struct {
	name string
	node *node
}

// schemaParser reads the JSON form of a schema. named has the types that are
// complete; a name that maps to nil is being read, so that a type that holds
// itself is refused.
type schemaParser struct {
	named map[string]*node
}

// parseSchema reads a file's schema, which must be a record, or a union of one
// with null, as some releases of the reference wrote it; null as in optional.
func parseSchema(text []byte) (n *node, null int8, err error) {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, 0, fmt.Errorf("schema is not JSON: %w", err)
	}
	p := schemaParser{named: map[string]*node{}}
	if n, err = p.parse(v, "", 0); err != nil {
		return nil, 0, err
	}
	if n, null, err = n.optional(); err != nil {
		return nil, 0, err
	}
	if n.kind != kindRecord {
		return nil, 0, fmt.Errorf("schema is of type %v, want record", n.kind)
	}
	return n, null, nil
}

func (p *schemaParser) parse(v any, space string, depth int) (*node, error) {
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
func (p *schemaParser) lookUp(name, space string) (*node, error) {
	for k := kindNull; k <= kindString; k++ {
		if k.String() == name {
			n := &node{kind: k}
			n.measure()
			return n, nil
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

func (p *schemaParser) union(vs []any, space string, depth int) (*node, error) {
	n := &node{kind: kindUnion}
	if len(vs) == 0 {
		return nil, errors.New("schema has a union of nothing")
	}
	for _, v := range vs {
		b, err := p.parse(v, space, depth+1)
		if err != nil {
			return nil, err
		}
		if b.kind == kindUnion {
			return nil, errors.New("schema has a union directly inside a union")
		}
		n.branches = append(n.branches, b)
	}
	n.measure()
	return n, nil
}

func (p *schemaParser) complex(m map[string]any, space string, depth int) (*node, error) {
	name, ok := m["type"].(string)
	if !ok { // {"type": {"type": …}}
		return p.parse(m["type"], space, depth+1)
	}
	n := &node{}
	switch name {
	case "array", "map":
		n.kind = kindArray
		inner := m["items"]
		if name == "map" {
			n.kind, inner = kindMap, m["values"]
		}
		var err error
		if n.items, err = p.parse(inner, space, depth+1); err != nil {
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
func (p *schemaParser) define(m map[string]any, root, space string, depth int) (*node, error) {
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
	n := &node{}
	switch root {
	case "fixed":
		n.kind = kindFixed
		size, ok := m["size"].(float64)
		if !ok || size < 0 || size > 1<<20 {
			return nil, fmt.Errorf("schema has fixed type %q of size %v", full, m["size"])
		}
		n.size = int(size)
	case "enum":
		n.kind = kindEnum
		symbols, _ := m["symbols"].([]any)
		if n.symbols = len(symbols); n.symbols == 0 {
			return nil, fmt.Errorf("schema has enum type %q without symbols", full)
		}
	default:
		n.kind = kindRecord
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

func (p *schemaParser) members(n *node, m map[string]any, space string, depth int) error {
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
		n.fields = append(n.fields, member{name, t})
	}
	return nil
}

func (n *node) annotate(m map[string]any) {
	n.logical, _ = m["logicalType"].(string)
	if p, ok := m["precision"].(float64); ok && p >= 0 && p <= 1<<20 {
		n.precision = int(p)
	}
	if s, ok := m["scale"].(float64); ok && s >= 0 && s <= 1<<20 {
		n.scale = int(s)
	}
}

// measure sets minBytes and empty.
func (n *node) measure() {
	const most = 1 << 30
	switch n.kind {
	case kindNull:
		n.minBytes, n.empty = 0, true
	case kindFloat:
		n.minBytes = 4
	case kindDouble:
		n.minBytes = 8
	case kindFixed:
		n.minBytes, n.empty = n.size, n.size == 0
	case kindRecord:
		n.minBytes, n.empty = 0, true
		for _, f := range n.fields {
			n.minBytes = min(n.minBytes+f.node.minBytes, most)
			n.empty = n.empty && f.node.empty
		}
	default:
		n.minBytes = 1
	}
}

// optional splits a union of one type and maybe null. null is the index of the
// null branch, or noUnion for what is no union at all; a union of one type alone
// has null 1, an index that no value has.
func (n *node) optional() (inner *node, null int8, err error) {
	if n.kind != kindUnion {
		return n, noUnion, nil
	}
	b := n.branches
	switch {
	case len(b) == 1:
		return b[0], 1, nil
	case len(b) == 2 && b[0].kind == kindNull:
		return b[1], 0, nil
	case len(b) == 2 && b[1].kind == kindNull:
		return b[0], 1, nil
	}
	return nil, 0, fmt.Errorf("union of %d types", len(b))
}

const noUnion = int8(-1)

// find is the member of a record by name, or -1.
func (n *node) find(name string) int {
	for i := range n.fields {
		if n.fields[i].name == name {
			return i
		}
	}
	return -1
}
