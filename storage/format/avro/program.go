package avro

import (
	"fmt"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format/avroschema"
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
	limit    columnar.Int128  // decimals: one more than the greatest unscaled value
	minItem  int              // least bytes of an entry
	node     *avroschema.Type // opSkip
	v        *columnar.Vector
	sub      []op
}

// compile makes the program that reads the wanted fields, whose vectors are vs,
// from records of n. A wanted field is found by name.
func compile(n *avroschema.Type, names []string, vs []*columnar.Vector) ([]op, error) {
	want := make(map[string]int, len(names))
	for i, name := range names {
		if _, ok := want[name]; ok {
			return nil, fmt.Errorf("column %q is wanted twice", name)
		}
		want[name] = i
	}
	var out []op
	for _, f := range n.Fields {
		i, ok := want[f.Name]
		if !ok {
			out = append(out, op{code: opSkip, null: avroschema.NoUnion, node: f.Type})
			continue
		}
		o, err := compileValue(f.Type, vs[i])
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		out = append(out, o)
		delete(want, f.Name)
	}
	for i, name := range names {
		if _, ok := want[name]; ok {
			out = append(out, op{code: opMissing, null: avroschema.NoUnion, v: vs[i]})
		}
	}
	return out, nil
}

func compileValue(n *avroschema.Type, v *columnar.Vector) (op, error) {
	inner, null, err := n.Optional()
	if err != nil {
		return op{}, err
	}
	o := op{null: null, v: v}
	if inner.Kind == avroschema.Null {
		return op{code: opMissing, null: null, v: v}, nil
	}
	t := v.Type
	ok := true
	switch t.Kind {
	case types.Boolean:
		o.code, ok = opBool, inner.Kind == avroschema.Boolean
	case types.TinyInt:
		o.code, o.lo, o.hi, ok = opInt, -1<<7, 1<<7-1, inner.Kind == avroschema.Int
	case types.SmallInt:
		o.code, o.lo, o.hi, ok = opInt, -1<<15, 1<<15-1, inner.Kind == avroschema.Int
	case types.Int, types.Date, types.Time:
		o.code, o.lo, o.hi, ok = opInt, -1<<31, 1<<31-1, inner.Kind == avroschema.Int
	case types.BigInt:
		o.code, ok = opLong, inner.Kind == avroschema.Long || inner.Kind == avroschema.Int
	case types.Float:
		o.code, ok = opFloat, inner.Kind == avroschema.Float
	case types.Double:
		o.code, ok = opDouble, inner.Kind == avroschema.Double
		if inner.Kind == avroschema.Float {
			o.code, ok = opDoubleOfFloat, true
		}
	case types.Decimal:
		err = o.decimal(inner, t)
	case types.Timestamp, types.TimestampLTZ:
		err = o.timestamp(inner, t)
	case types.Char, types.VarChar:
		o.code, ok = opStr, inner.Kind == avroschema.String || inner.Kind == avroschema.Bytes
	case types.Binary, types.VarBinary, types.Blob, types.Geometry, types.Geography:
		o.code, o.size = opStr, inner.Size
		if inner.Kind == avroschema.Fixed {
			o.code = opFixed
		}
		ok = inner.Kind == avroschema.Bytes || inner.Kind == avroschema.String || inner.Kind == avroschema.Fixed
	default:
		err = o.nested(inner, v)
	}
	if err != nil {
		return op{}, err
	}
	if !ok {
		return op{}, fmt.Errorf("file has type %v, which does not fit the table's", inner.Kind)
	}
	return o, nil
}

func (o *op) decimal(n *avroschema.Type, t types.Type) error {
	if n.Kind != avroschema.Bytes && n.Kind != avroschema.Fixed {
		return fmt.Errorf("file has type %v, want a decimal", n.Kind)
	}
	if n.Logical == "decimal" && n.Scale != t.Scale {
		return fmt.Errorf("file has a decimal of scale %d, want scale %d", n.Scale, t.Scale)
	}
	o.code, o.size = opDecimal, -1
	if n.Kind == avroschema.Fixed {
		o.size = n.Size
	}
	if t.Precision > types.MaxCompactPrecision {
		o.code = opWideDecimal
	}
	o.limit = pow10(t.Precision)
	return nil
}

// timestamp sets how the file's unit becomes that of t's layout.
func (o *op) timestamp(n *avroschema.Type, t types.Type) error {
	if n.Kind != avroschema.Long {
		return fmt.Errorf("file has type %v, want a timestamp", n.Kind)
	}
	var unit int64 // per second
	switch n.Logical {
	case "timestamp-millis", "local-timestamp-millis":
		unit = 1_000
	case "timestamp-micros", "local-timestamp-micros":
		unit = 1_000_000
	case "timestamp-nanos", "local-timestamp-nanos":
		unit = 1_000_000_000
	default:
		return fmt.Errorf("file has type long with logical type %q, want a timestamp", n.Logical)
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

func (o *op) nested(n *avroschema.Type, v *columnar.Vector) error {
	t := v.Type
	switch t.Kind {
	case types.Array, types.Vector:
		if n.Kind != avroschema.Array {
			return fmt.Errorf("file has type %v, want array", n.Kind)
		}
		o.code, o.minItem = opArray, n.Items.MinBytes
		if t.Kind == types.Vector {
			o.code = opVector
		}
		return o.subs(v, n.Items)
	case types.Map, types.Multiset:
		return o.mapping(n, v)
	case types.Row:
		if n.Kind != avroschema.Record {
			return fmt.Errorf("file has type %v, want record", n.Kind)
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

func (o *op) subs(v *columnar.Vector, nodes ...*avroschema.Type) error {
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
func (o *op) record(n *avroschema.Type, v *columnar.Vector, names ...string) error {
	if n.Kind != avroschema.Record {
		return fmt.Errorf("file has type %v, want record", n.Kind)
	}
	for _, name := range names {
		if n.Find(name) < 0 {
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

func (o *op) mapping(n *avroschema.Type, v *columnar.Vector) error {
	multiset := v.Type.Kind == types.Multiset
	switch n.Kind {
	case avroschema.Map:
		o.code, o.minItem = opMap, 1+n.Items.MinBytes
		if err := o.subs(v, avroschema.Of(avroschema.String), n.Items); err != nil {
			return err
		}
		o.sub[1].required = multiset
		return nil
	case avroschema.Array:
		entry, null, err := n.Items.Optional()
		if err != nil {
			return err
		}
		if null != avroschema.NoUnion {
			return fmt.Errorf("file has a map of optional entries")
		}
		if err := o.record(entry, v, "key", "value"); err != nil {
			return err
		}
		o.code, o.minItem = opEntries, entry.MinBytes
		for i := range o.sub {
			if o.sub[i].v == v.Children[1] {
				o.sub[i].required = multiset
			}
		}
		return nil
	}
	return fmt.Errorf("file has type %v, want a map", n.Kind)
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
