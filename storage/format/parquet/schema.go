package parquet

import (
	"fmt"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Names in the schema, as the reference implementation has them.
const (
	rootName    = "paimon_schema"
	listName    = "list"
	elementName = "element"
	mapName     = "key_value"
	keyName     = "key"
	valueName   = "value"
	metaName    = "metadata"
)

// nestedIDBase is where the field ids of list elements and map entries start:
// the element of field f at depth d is base + 1024 f + d, a map key base - 1024 f - d.
const nestedIDBase = 536870911

// node is an element of the schema with its children, and for a leaf its place
// among the leaves and the levels that mean a value.
type node struct {
	schemaElement
	kids   []*node
	leaf   int // -1: a group
	maxDef uint8
	maxRep uint8
	path   []string
}

// buildTree turns the flat schema of a footer into nodes; leaves come in file order.
func buildTree(elems []schemaElement) (root *node, leaves []*node, err error) {
	if len(elems) == 0 {
		return nil, nil, badf("schema is empty")
	}
	b := treeBuilder{elems: elems}
	root = &node{schemaElement: elems[0], leaf: -1}
	b.at = 1
	if err := b.children(root, nil, 0); err != nil {
		return nil, nil, err
	}
	if b.at != len(elems) {
		return nil, nil, badf("schema has %d elements, %d are used", len(elems), b.at)
	}
	return root, b.leaves, nil
}

type treeBuilder struct {
	elems  []schemaElement
	at     int
	leaves []*node
}

const maxSchemaDepth = 60

func (b *treeBuilder) children(parent *node, path []string, depth int) error {
	if depth > maxSchemaDepth {
		return badf("schema is nested too deep")
	}
	if parent.children < 0 || int(parent.children) > len(b.elems)-b.at {
		return badf("schema element %q has %d children", parent.name, parent.children)
	}
	for range parent.children {
		if b.at >= len(b.elems) {
			return badf("schema is cut short")
		}
		n := &node{schemaElement: b.elems[b.at], leaf: -1, maxDef: parent.maxDef, maxRep: parent.maxRep}
		b.at++
		n.path = append(path[:len(path):len(path)], n.name)
		switch n.repetition {
		case required:
		case optional:
			n.maxDef++
		case repeated:
			n.maxDef++
			n.maxRep++
		default:
			return badf("schema element %q has repetition %d", n.name, n.repetition)
		}
		if n.typ == pNone {
			if err := b.children(n, n.path, depth+1); err != nil {
				return err
			}
		} else {
			if n.typ < 0 || n.typ > pFixed || n.children != 0 || n.typ == pFixed && n.length <= 0 {
				return badf("schema element %q has type %v with length %d and %d children", n.name, n.typ, n.length, n.children)
			}
			n.leaf = len(b.leaves)
			b.leaves = append(b.leaves, n)
		}
		parent.kids = append(parent.kids, n)
	}
	return nil
}

// child finds a member of a group by name.
func (n *node) child(name string) *node {
	for _, k := range n.kids {
		if k.name == name {
			return k
		}
	}
	return nil
}

// schemaOf gives the schema of a file with the fields.
func schemaOf(fields []types.Field) ([]schemaElement, error) {
	out := []schemaElement{{name: rootName, typ: pNone, children: int32(len(fields)), converted: convNone}}
	var err error
	for _, f := range fields {
		if out, err = appendElement(out, f.Name, f.Type, f.ID, f.ID, 0); err != nil {
			return nil, fmt.Errorf("column %s: %w", f.Name, err)
		}
	}
	return out, nil
}

// appendElement appends the elements of a type. fieldID is that of the nearest
// named field, which numbers what it nests; id is the element's own.
func appendElement(out []schemaElement, name string, t types.Type, fieldID, id, depth int) ([]schemaElement, error) {
	if depth > maxSchemaDepth/2 {
		return nil, fmt.Errorf("type is nested too deep")
	}
	e := schemaElement{name: name, typ: pNone, converted: convNone, fieldID: int32(id), hasFieldID: true, repetition: optional}
	if t.NotNull {
		e.repetition = required
	}
	at := len(out)
	out = append(out, e)
	group := func(name string, converted int32, kids int32) {
		out = append(out, schemaElement{name: name, typ: pNone, children: kids, converted: converted, repetition: repeated})
	}
	var err error
	switch t.Kind {
	case types.Array, types.Vector:
		out[at].children, out[at].converted, out[at].logical.kind = 1, convList, logList
		group(listName, convNone, 1)
		return appendElement(out, elementName, *t.Elem, fieldID, nestedIDBase+1024*fieldID+depth+1, depth+1)
	case types.Map, types.Multiset:
		out[at].children, out[at].converted, out[at].logical.kind = 1, convMap, logMap
		group(mapName, convMapKeyValue, 2)
		kv := columnar.ChildTypes(t)
		out, err = appendElement(out, keyName, kv[0].WithNotNull(true), fieldID, nestedIDBase-1024*fieldID-depth-1, depth+1)
		if err != nil {
			return nil, err
		}
		return appendElement(out, valueName, kv[1], fieldID, nestedIDBase+1024*fieldID+depth+1, depth+1)
	case types.Row:
		out[at].children = int32(len(t.Fields))
		if len(t.Fields) == 0 {
			return nil, fmt.Errorf("a row without members cannot be stored in parquet")
		}
		for _, f := range t.Fields {
			if out, err = appendElement(out, f.Name, f.Type, f.ID, f.ID, 0); err != nil {
				return nil, fmt.Errorf("member %s: %w", f.Name, err)
			}
		}
		return out, nil
	case types.Variant:
		out[at].children = 2
		for i, name := range []string{valueName, metaName} {
			out, _ = appendElement(out, name, types.Bytes().WithNotNull(true), i, i, 0)
		}
		return out, nil
	}
	return out, flatElement(&out[at], t)
}

// flatElement sets the physical type and the annotations of a flat type.
func flatElement(e *schemaElement, t types.Type) error {
	switch t.Kind {
	case types.Boolean:
		e.typ = pBoolean
	case types.TinyInt:
		e.typ, e.converted, e.logical = pInt32, convInt8, logical{kind: logInteger, bits: 8, signed: true}
	case types.SmallInt:
		e.typ, e.converted, e.logical = pInt32, convInt16, logical{kind: logInteger, bits: 16, signed: true}
	case types.Int:
		e.typ = pInt32
	case types.BigInt:
		e.typ = pInt64
	case types.Float:
		e.typ = pFloat
	case types.Double:
		e.typ = pDouble
	case types.Char, types.VarChar:
		e.typ, e.converted, e.logical.kind = pBytes, convUTF8, logString
	case types.Binary, types.VarBinary, types.Blob:
		e.typ = pBytes
	case types.Date:
		e.typ, e.converted, e.logical.kind = pInt32, convDate, logDate
	case types.Time:
		e.typ, e.converted, e.logical = pInt32, convTimeMillis, logical{kind: logTime, utc: true, unit: unitMillis}
	case types.Decimal:
		decimalElement(e, t)
	case types.Timestamp, types.TimestampLTZ:
		l := logical{kind: logTimestamp, utc: t.Kind == types.TimestampLTZ}
		switch {
		case t.Precision > 6:
			e.typ = pInt96
		case t.Precision > 3:
			l.unit = unitMicros
			e.typ, e.converted, e.logical = pInt64, convTimestampMicros, l
		default:
			l.unit = unitMillis
			e.typ, e.converted, e.logical = pInt64, convTimestampMillis, l
		}
	case types.Geometry, types.Geography:
		e.typ, e.logical.kind, e.logical.crs = pBytes, logGeometry, t.CRS
		if t.Kind == types.Geography {
			e.logical.kind = logGeography
			e.logical.algorithm = edgeAlgorithm(t.Algo)
		}
	default:
		return fmt.Errorf("type %d cannot be stored in parquet", t.Kind)
	}
	return nil
}

func edgeAlgorithm(name string) int32 {
	for i, n := range []string{"SPHERICAL", "VINCENTY", "THOMAS", "ANDOYER", "KARNEY"} {
		if n == name {
			return int32(i) + 1
		}
	}
	return 0
}

func decimalElement(e *schemaElement, t types.Type) {
	e.converted, e.scale, e.precision = convDecimal, int32(t.Scale), int32(t.Precision)
	e.logical = logical{kind: logDecimal, scale: int32(t.Scale), precision: int32(t.Precision)}
	switch {
	case t.Precision <= 9:
		e.typ = pInt32
	case t.Precision <= types.MaxCompactPrecision:
		e.typ = pInt64
	default:
		e.typ, e.length = pFixed, int32(decimalBytes(t.Precision))
	}
}

// decimalBytes is the least k with 2^(8k-1) >= 10^p.
func decimalBytes(p int) int {
	// log2(10) = 3.3219…; one bit for the sign.
	return (p*33219281/10000000 + 1 + 1 + 7) / 8
}
