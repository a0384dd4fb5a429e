package avro

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode"

	"github.com/lakesql/lakesql/storage/types"
)

const (
	recordName  = "record"
	recordSpace = "org.apache.paimon.avro.generated"
)

// schemaWriter makes the JSON form of a schema and the program that writes records
// of it. names has the record names in use: Avro wants them unlike.
type schemaWriter struct {
	out   []byte
	names map[string]bool
}

// writeSchema returns the schema of fields as the reference generates it, and one
// step for each field.
func writeSchema(fields []types.Field) ([]byte, []put, error) {
	w := &schemaWriter{names: map[string]bool{recordName: true}}
	w.text(`{"type":"record","name":"` + recordName + `","namespace":"` + recordSpace + `","fields":[`)
	puts, err := w.members(fields, recordName)
	if err != nil {
		return nil, nil, err
	}
	w.text(`]}`)
	return w.out, puts, nil
}

func (w *schemaWriter) text(s string) { w.out = append(w.out, s...) }

func (w *schemaWriter) members(fields []types.Field, record string) ([]put, error) {
	var puts []put
	seen := map[string]bool{}
	for i, f := range fields {
		if err := checkName(f.Name); err != nil {
			return nil, err
		}
		if seen[f.Name] {
			return nil, fmt.Errorf("column %q is there twice", f.Name)
		}
		seen[f.Name] = true
		if i > 0 {
			w.text(",")
		}
		w.text(`{"name":` + quote(f.Name) + `,"type":`)
		p, err := w.value(f.Type, record+"_"+f.Name)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		if !f.Type.NotNull {
			w.text(`,"default":null`)
		}
		w.text("}")
		p.name = f.Name
		puts = append(puts, p)
	}
	return puts, nil
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // no string fails
		panic(err)
	}
	return string(b)
}

// checkName refuses what Avro does not allow in a name.
func checkName(name string) error {
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return fmt.Errorf("column %q cannot be written to avro files: names are made of letters, digits and _, and begin with no digit", name)
		}
	}
	if name == "" {
		return fmt.Errorf("column without a name cannot be written to avro files")
	}
	return nil
}

// unique returns name, or a variant of it that is not in use.
func (w *schemaWriter) unique(name string) string {
	out := name
	for i := 2; w.names[out]; i++ {
		out = name + "_" + strconv.Itoa(i)
	}
	w.names[out] = true
	return out
}

// value writes a type; record names the records inside it.
func (w *schemaWriter) value(t types.Type, record string) (put, error) {
	if !t.NotNull {
		w.text(`["null",`)
	}
	p, err := w.bare(t, record)
	if err != nil {
		return p, err
	}
	if !t.NotNull {
		w.text(`]`)
	}
	p.nullable = !t.NotNull
	return p, nil
}

func (w *schemaWriter) bare(t types.Type, record string) (put, error) {
	simple := func(code putcode, name string) (put, error) {
		w.text(`"` + name + `"`)
		return put{code: code}, nil
	}
	logical := func(code putcode, name, kind string) (put, error) {
		w.text(`{"type":"` + name + `","logicalType":"` + kind + `"}`)
		return put{code: code}, nil
	}
	switch t.Kind {
	case types.Boolean:
		return simple(putBool, "boolean")
	case types.TinyInt, types.SmallInt, types.Int:
		return simple(putInt, "int")
	case types.BigInt:
		return simple(putLong, "long")
	case types.Float:
		return simple(putFloat, "float")
	case types.Double:
		return simple(putDouble, "double")
	case types.Char, types.VarChar:
		return simple(putStr, "string")
	case types.Binary, types.VarBinary, types.Blob:
		return simple(putStr, "bytes")
	case types.Date:
		return logical(putInt, "int", "date")
	case types.Time:
		if t.Precision > 3 {
			return put{}, fmt.Errorf("TIME(%d) cannot be written to avro files, which hold at most TIME(3)", t.Precision)
		}
		return logical(putInt, "int", "time-millis")
	case types.Timestamp, types.TimestampLTZ:
		return w.timestamp(t)
	case types.Decimal:
		w.text(fmt.Sprintf(`{"type":"bytes","logicalType":"decimal","precision":%d,"scale":%d}`, t.Precision, t.Scale))
		if t.Precision > types.MaxCompactPrecision {
			return put{code: putWideDecimal}, nil
		}
		return put{code: putDecimal}, nil
	case types.Array, types.Vector:
		w.text(`{"type":"array","items":`)
		p, err := w.value(*t.Elem, record)
		w.text(`}`)
		code := putList
		if t.Kind == types.Vector {
			code = putVector
		}
		return put{code: code, size: t.Length, sub: []put{p}}, err
	case types.Map:
		return w.mapping(*t.Key, *t.Elem, record)
	case types.Multiset:
		return w.mapping(*t.Elem, types.Of(types.Int), record)
	case types.Row:
		w.text(`{"type":"record","name":` + quote(w.unique(record)) + `,"fields":[`)
		sub, err := w.members(t.Fields, record)
		w.text(`]}`)
		return put{code: putRecord, sub: sub}, err
	case types.Variant:
		w.text(`{"type":"record","name":` + quote(w.unique(record)) +
			`,"fields":[{"name":"value","type":"bytes"},{"name":"metadata","type":"bytes"}]}`)
		return put{code: putRecord, sub: []put{{code: putStr, name: "value"}, {code: putStr, name: "metadata"}}}, nil
	case types.Geometry:
		return put{}, fmt.Errorf("GEOMETRY cannot be written to avro files")
	case types.Geography:
		return put{}, fmt.Errorf("GEOGRAPHY cannot be written to avro files")
	}
	return put{}, fmt.Errorf("type %d cannot be written to avro files", t.Kind)
}

func (w *schemaWriter) timestamp(t types.Type) (put, error) {
	prefix, name := "", "TIMESTAMP"
	if t.Kind == types.TimestampLTZ {
		prefix, name = "local-", "TIMESTAMP WITH LOCAL TIME ZONE"
	}
	unit := "timestamp-micros"
	switch {
	case t.Precision > 6:
		return put{}, fmt.Errorf("%s of precision %d cannot be written to avro files, which hold at most precision 6", name, t.Precision)
	case t.Precision <= 3:
		unit = "timestamp-millis"
	}
	w.text(`{"type":"long","logicalType":"` + prefix + unit + `"}`)
	return put{code: putLong}, nil
}

// mapping writes a map with text keys as Avro's map, any other as an array of
// records of key and value.
func (w *schemaWriter) mapping(key, value types.Type, record string) (put, error) {
	if key.Text() {
		w.text(`{"type":"map","values":`)
		v, err := w.value(value, record)
		w.text(`}`)
		return put{code: putList, sub: []put{{code: putStr, name: "key"}, v}}, err
	}
	w.text(`{"type":"array","items":{"type":"record","name":` + quote(w.unique(record)) + `,"fields":[{"name":"key","type":`)
	k, err := w.value(key, record+"_key")
	if err != nil {
		return put{}, err
	}
	w.text(`},{"name":"value","type":`)
	v, err := w.value(value, record+"_value")
	if !value.NotNull {
		w.text(`,"default":null`)
	}
	w.text(`}]},"logicalType":"map"}`)
	k.required = true
	return put{code: putList, sub: []put{k, v}}, err
}
