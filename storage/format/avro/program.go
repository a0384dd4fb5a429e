package avro

import (
	"fmt"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// opcode says how a value is moved from a record into a vector.
type opcode uint8

const (
	opSkip    opcode = iota // a value that nobody wants
	opMissing               // a column that the file lacks: null
	opBool
	opInt // into I32, between lo and hi
	opLong
	opTimeUp   // into I64, times factor
	opTimeDown // into I64, floor-divided by factor
	opTime96   // into I64 and I32; factor units make a millisecond
	opFloat
	opDouble
	opDoubleOfFloat
	opStr
	opFixed // size bytes into Str
	opDecimal
	opWideDecimal
	opArray
	opMap     // string keys: sub is key, value
	opEntries // records of key and value: sub is the record's program
	opVector
	opRecord // ROW and VARIANT
)

// op is one step of the program that reads a record: where a value comes from and
// where it goes. Steps are in the file's order, missing columns last.
type op struct {
	code     opcode
	null     int8 // branch of the union that is null; noUnion
	required bool // null is damage: keys of maps, counts, parts of a variant
	size     int  // of opFixed
	factor   int64
	lo, hi   int32
	limit    columnar.Int128 // decimals: one more than the greatest unscaled value
	minItem  int             // least bytes of an entry
	node     *node           // opSkip
	v        *columnar.Vector
	sub      []op
}

// compile makes the program that reads the wanted fields, whose vectors are vs,
// from records of n. A wanted field is found by name.
func compile(n *node, names []string, vs []*columnar.Vector) ([]op, error) {
	want := make(map[string]int, len(names))
	for i, name := range names {
		if _, ok := want[name]; ok {
			return nil, fmt.Errorf("column %q is wanted twice", name)
		}
		want[name] = i
	}
	var out []op
	for _, f := range n.fields {
		i, ok := want[f.name]
		if !ok {
			out = append(out, op{code: opSkip, null: noUnion, node: f.node})
			continue
		}
		o, err := compileValue(f.node, vs[i])
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.name, err)
		}
		out = append(out, o)
		delete(want, f.name)
	}
	for i, name := range names {
		if _, ok := want[name]; ok {
			out = append(out, op{code: opMissing, null: noUnion, v: vs[i]})
		}
	}
	return out, nil
}

func compileValue(n *node, v *columnar.Vector) (op, error) {
	inner, null, err := n.optional()
	if err != nil {
		return op{}, err
	}
	o := op{null: null, v: v}
	if inner.kind == kindNull {
		return op{code: opMissing, null: null, v: v}, nil
	}
	t := v.Type
	ok := true
	switch t.Kind {
	case types.Boolean:
		o.code, ok = opBool, inner.kind == kindBoolean
	case types.TinyInt:
		o.code, o.lo, o.hi, ok = opInt, -1<<7, 1<<7-1, inner.kind == kindInt
	case types.SmallInt:
		o.code, o.lo, o.hi, ok = opInt, -1<<15, 1<<15-1, inner.kind == kindInt
	case types.Int, types.Date, types.Time:
		o.code, o.lo, o.hi, ok = opInt, -1<<31, 1<<31-1, inner.kind == kindInt
	case types.BigInt:
		o.code, ok = opLong, inner.kind == kindLong || inner.kind == kindInt
	case types.Float:
		o.code, ok = opFloat, inner.kind == kindFloat
	case types.Double:
		o.code, ok = opDouble, inner.kind == kindDouble
		if inner.kind == kindFloat {
			o.code, ok = opDoubleOfFloat, true
		}
	case types.Decimal:
		err = o.decimal(inner, t)
	case types.Timestamp, types.TimestampLTZ:
		err = o.timestamp(inner, t)
	case types.Char, types.VarChar:
		o.code, ok = opStr, inner.kind == kindString || inner.kind == kindBytes
	case types.Binary, types.VarBinary, types.Blob, types.Geometry, types.Geography:
		o.code, o.size = opStr, inner.size
		if inner.kind == kindFixed {
			o.code = opFixed
		}
		ok = inner.kind == kindBytes || inner.kind == kindString || inner.kind == kindFixed
	default:
		err = o.nested(inner, v)
	}
	if err != nil {
		return op{}, err
	}
	if !ok {
		return op{}, fmt.Errorf("file has type %v, which does not fit the table's", inner.kind)
	}
	return o, nil
}

func (o *op) decimal(n *node, t types.Type) error {
	if n.kind != kindBytes && n.kind != kindFixed {
		return fmt.Errorf("file has type %v, want a decimal", n.kind)
	}
	if n.logical == "decimal" && n.scale != t.Scale {
		return fmt.Errorf("file has a decimal of scale %d, want scale %d", n.scale, t.Scale)
	}
	o.code, o.size = opDecimal, -1
	if n.kind == kindFixed {
		o.size = n.size
	}
	if t.Precision > types.MaxCompactPrecision {
		o.code = opWideDecimal
	}
	o.limit = pow10(t.Precision)
	return nil
}

// timestamp sets how the file's unit becomes that of t's layout.
func (o *op) timestamp(n *node, t types.Type) error {
	if n.kind != kindLong {
		return fmt.Errorf("file has type %v, want a timestamp", n.kind)
	}
	var unit int64 // per second
	switch n.logical {
	case "timestamp-millis", "local-timestamp-millis":
		unit = 1_000
	case "timestamp-micros", "local-timestamp-micros":
		unit = 1_000_000
	case "timestamp-nanos", "local-timestamp-nanos":
		unit = 1_000_000_000
	default:
		return fmt.Errorf("file has type long with logical type %q, want a timestamp", n.logical)
	}
	want := int64(1_000)
	if t.Precision > 3 {
		want = 1_000_000
	}
	switch {
	case t.Precision > 6:
		o.code, o.factor = opTime96, unit/1_000
	case unit == want:
		o.code = opLong
	case unit < want:
		o.code, o.factor = opTimeUp, want/unit
	default:
		o.code, o.factor = opTimeDown, unit/want
	}
	return nil
}

func (o *op) nested(n *node, v *columnar.Vector) error {
	t := v.Type
	switch t.Kind {
	case types.Array, types.Vector:
		if n.kind != kindArray {
			return fmt.Errorf("file has type %v, want array", n.kind)
		}
		o.code, o.minItem = opArray, n.items.minBytes
		if t.Kind == types.Vector {
			o.code = opVector
		}
		return o.subs(v, n.items)
	case types.Map, types.Multiset:
		return o.mapping(n, v)
	case types.Row:
		if n.kind != kindRecord {
			return fmt.Errorf("file has type %v, want record", n.kind)
		}
		names := make([]string, len(t.Fields))
		for i := range t.Fields {
			names[i] = t.Fields[i].Name
		}
		o.code = opRecord
		var err error
		o.sub, err = compile(n, names, v.Children)
		return err
	case types.Variant:
		return o.record(n, v, "value", "metadata")
	}
	return fmt.Errorf("type %d cannot be read from avro files", t.Kind)
}

func (o *op) subs(v *columnar.Vector, nodes ...*node) error {
	for i, n := range nodes {
		s, err := compileValue(n, v.Children[i])
		if err != nil {
			return err
		}
		o.sub = append(o.sub, s)
	}
	return nil
}

// record reads a record all of whose members must be there and not null.
func (o *op) record(n *node, v *columnar.Vector, names ...string) error {
	if n.kind != kindRecord {
		return fmt.Errorf("file has type %v, want record", n.kind)
	}
	for _, name := range names {
		if n.find(name) < 0 {
			return fmt.Errorf("file has a record without member %q", name)
		}
	}
	o.code = opRecord
	var err error
	if o.sub, err = compile(n, names, v.Children); err != nil {
		return err
	}
	for i := range o.sub {
		o.sub[i].required = o.sub[i].code != opSkip
	}
	return nil
}

func (o *op) mapping(n *node, v *columnar.Vector) error {
	multiset := v.Type.Kind == types.Multiset
	switch n.kind {
	case kindMap:
		o.code, o.minItem = opMap, 1+n.items.minBytes
		s := &node{kind: kindString}
		s.measure()
		if err := o.subs(v, s, n.items); err != nil {
			return err
		}
		o.sub[1].required = multiset
		return nil
	case kindArray:
		entry, null, err := n.items.optional()
		if err != nil {
			return err
		}
		if null != noUnion {
			return fmt.Errorf("file has a map of optional entries")
		}
		if err := o.record(entry, v, "key", "value"); err != nil {
			return err
		}
		o.code, o.minItem = opEntries, entry.minBytes
		for i := range o.sub {
			if o.sub[i].v == v.Children[1] {
				o.sub[i].required = multiset
			}
		}
		return nil
	}
	return fmt.Errorf("file has type %v, want a map", n.kind)
}

func pow10(n int) columnar.Int128 {
	d := columnar.Int128{Lo: 1}
	for range n { // d = 8d + 2d
		eight := columnar.Int128{Lo: d.Lo << 3, Hi: d.Hi<<3 | int64(d.Lo>>61)}
		two := columnar.Int128{Lo: d.Lo << 1, Hi: d.Hi<<1 | int64(d.Lo>>63)}
		lo := eight.Lo + two.Lo
		carry := int64(0)
		if lo < two.Lo {
			carry = 1
		}
		d = columnar.Int128{Lo: lo, Hi: eight.Hi + two.Hi + carry}
	}
	return d
}
