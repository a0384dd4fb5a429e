package manifest

import (
	"encoding/json"
	"fmt"

	"github.com/lakesql/lakesql/internal/corrupt"
)

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
	kindArray
	kindMap
	kindUnion
	kindRecord
	kindFixed
	kindEnum
)

var kindNames = [...]string{
	"null", "boolean", "int", "long", "float", "double", "bytes", "string",
	"array", "map", "union", "record", "fixed", "enum",
}

func (k kind) String() string { return kindNames[k] }

// node is a type of a writer's schema.
type node struct {
	kind     kind
	items    *node   // array, map
	branches []*node // union
	fields   []field // record
	size     int     // fixed
}

type field struct {
	name   string
	node   *node
	target int // what the member is to us, see resolve; 0: skipped
}

var nullNode = &node{kind: kindNull}

// maxSchemaDepth bounds nesting, and thereby the recursion of skip.
const maxSchemaDepth = 32

// schemaParser turns the JSON of a schema into nodes.
type schemaParser struct {
	named map[string]*node // nil value: being parsed
}

// parseSchema parses a writer's schema.
func parseSchema(text []byte) (*node, error) {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, corrupt.Errorf("", corrupt.NoOffset, "avro schema: %w", err)
	}
	p := schemaParser{named: map[string]*node{}}
	n, err := p.parse(v, "", 0)
	if err != nil {
		return nil, corrupt.Errorf("", corrupt.NoOffset, "avro schema: %w", err)
	}
	return n, nil
}

func (p *schemaParser) parse(v any, space string, depth int) (*node, error) {
	if depth > maxSchemaDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxSchemaDepth)
	}
	switch v := v.(type) {
	case string:
		return p.byName(v, space)
	case []any:
		n := &node{kind: kindUnion}
		for _, b := range v {
			c, err := p.parse(b, space, depth+1)
			if err != nil {
				return nil, err
			}
			if c.kind == kindUnion {
				return nil, fmt.Errorf("a union inside a union")
			}
			n.branches = append(n.branches, c)
		}
		return n, nil
	case map[string]any:
		return p.object(v, space, depth)
	}
	return nil, fmt.Errorf("%T is no type", v)
}

func (p *schemaParser) byName(name, space string) (*node, error) {
	for k := kindNull; k <= kindString; k++ {
		if kindNames[k] == name {
			return &node{kind: k}, nil
		}
	}
	for _, full := range []string{space + "." + name, name} {
		if n, ok := p.named[full]; ok {
			if n == nil {
				return nil, fmt.Errorf("type %q holds itself", name)
			}
			return n, nil
		}
	}
	return nil, fmt.Errorf("unknown type %q", name)
}

func (p *schemaParser) object(v map[string]any, space string, depth int) (*node, error) {
	typ, ok := v["type"].(string)
	if !ok { // {"type": {…}} wraps a type
		inner, ok := v["type"]
		if !ok {
			return nil, fmt.Errorf("a type without its name")
		}
		return p.parse(inner, space, depth+1)
	}
	switch typ {
	case "array", "map":
		member, k := "items", kindArray
		if typ == "map" {
			member, k = "values", kindMap
		}
		items, err := p.parse(v[member], space, depth+1)
		if err != nil {
			return nil, err
		}
		return &node{kind: k, items: items}, nil
	case "record", "error":
		return p.recordType(v, space, depth)
	case "fixed":
		size, ok := v["size"].(float64)
		if !ok || size < 0 || size > 1<<20 {
			return nil, fmt.Errorf("fixed type of size %v", v["size"])
		}
		n := &node{kind: kindFixed, size: int(size)}
		p.named[fullName(v, space)] = n
		return n, nil
	case "enum":
		n := &node{kind: kindEnum}
		p.named[fullName(v, space)] = n
		return n, nil
	}
	return p.byName(typ, space)
}

func fullName(v map[string]any, space string) string {
	if s, ok := v["namespace"].(string); ok {
		space = s
	}
	name, _ := v["name"].(string)
	return space + "." + name
}

func (p *schemaParser) recordType(v map[string]any, space string, depth int) (*node, error) {
	full := fullName(v, space)
	if s, ok := v["namespace"].(string); ok {
		space = s
	}
	p.named[full] = nil
	members, ok := v["fields"].([]any)
	if !ok {
		return nil, fmt.Errorf("record %q without fields", full)
	}
	n := &node{kind: kindRecord}
	for _, m := range members {
		m, ok := m.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("a field of record %q is no object", full)
		}
		name, ok := m["name"].(string)
		if !ok {
			return nil, fmt.Errorf("a field of record %q has no name", full)
		}
		child, err := p.parse(m["type"], space, depth+1)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", name, err)
		}
		n.fields = append(n.fields, field{name: name, node: child})
	}
	p.named[full] = n
	return n, nil
}

// shape names the members that we read of a record, target i+1 for member i, and
// the shapes of members that are records, or arrays of records, themselves.
type shape struct {
	members  []string
	required int // the first so many must be there
	nested   map[string]*shape
}

// resolve marks the members of a record type, also when it is nullable.
func (s *shape) resolve(n *node) error {
	rec := n.recordOf()
	if rec == nil {
		return corrupt.Errorf("", corrupt.NoOffset, "avro schema: %s where a record is expected", n.kind)
	}
	seen := 0
	for i := range rec.fields {
		f := &rec.fields[i]
		for t, name := range s.members {
			if f.name != name {
				continue
			}
			f.target = t + 1
			if t < s.required {
				seen++
			}
			if sub := s.nested[name]; sub != nil {
				if err := sub.resolve(f.node); err != nil {
					return fmt.Errorf("member %s: %w", name, err)
				}
			}
		}
	}
	if seen < s.required {
		return corrupt.Errorf("", corrupt.NoOffset, "avro schema lacks one of the members %v", s.members[:s.required])
	}
	return nil
}

// recordOf finds the record in a record, a nullable one, or an array of either.
func (n *node) recordOf() *node {
	switch n.kind {
	case kindRecord:
		return n
	case kindArray:
		return n.items.recordOf()
	case kindUnion:
		for _, b := range n.branches {
			if b.kind == kindRecord || b.kind == kindArray {
				return b.recordOf()
			}
		}
	}
	return nil
}
