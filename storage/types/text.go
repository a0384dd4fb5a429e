package types

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Defaults and limits of the type parameters.
const (
	DefaultCRS  = "OGC:CRS84"
	DefaultAlgo = "spherical"

	MaxDecimalPrecision = 38
	MaxTimePrecision    = 9
)

var kindNames = [...]string{
	Boolean: "BOOLEAN", TinyInt: "TINYINT", SmallInt: "SMALLINT", Int: "INT", BigInt: "BIGINT",
	Float: "FLOAT", Double: "DOUBLE", Decimal: "DECIMAL", Char: "CHAR", VarChar: "VARCHAR",
	Binary: "BINARY", VarBinary: "VARBINARY", Date: "DATE", Time: "TIME", Timestamp: "TIMESTAMP",
	TimestampLTZ: "TIMESTAMP WITH LOCAL TIME ZONE", Array: "ARRAY", Map: "MAP", Multiset: "MULTISET",
	Row: "ROW", Variant: "VARIANT", Blob: "BLOB", Vector: "VECTOR", Geometry: "GEOMETRY",
	Geography: "GEOGRAPHY",
}

// String is the name of the kind without parameters, such as DECIMAL.
func (k Kind) String() string {
	if k == Invalid || int(k) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// String is the type as Paimon prints it, NOT NULL included: DECIMAL(10, 2) NOT NULL.
// Parse reads the form back for all but ARRAY, MAP, MULTISET and ROW, whose
// stored form is JSON.
func (t Type) String() string { return string(t.appendText(nil)) }

func (t Type) appendText(b []byte) []byte {
	switch t.Kind {
	case Char, Binary:
		b = fmt.Appendf(b, "%s(%d)", t.Kind, t.Length)
	case VarChar, VarBinary:
		switch {
		case t.Length != MaxLength:
			b = fmt.Appendf(b, "%s(%d)", t.Kind, t.Length)
		case t.Kind == VarChar:
			b = append(b, "STRING"...)
		default:
			b = append(b, "BYTES"...)
		}
	case Decimal:
		b = fmt.Appendf(b, "DECIMAL(%d, %d)", t.Precision, t.Scale)
	case Time, Timestamp:
		b = fmt.Appendf(b, "%s(%d)", t.Kind, t.Precision)
	case TimestampLTZ:
		b = fmt.Appendf(b, "TIMESTAMP(%d) WITH LOCAL TIME ZONE", t.Precision)
	case Array, Multiset:
		b = append(append(b, t.Kind.String()...), '<')
		b = append(t.elem().appendText(b), '>')
	case Map:
		b = append(t.key().appendText(append(b, "MAP<"...)), ", "...)
		b = append(t.elem().appendText(b), '>')
	case Vector:
		b = t.elem().appendText(append(b, "VECTOR<"...))
		b = fmt.Appendf(b, ", %d>", t.Length)
	case Row:
		b = append(b, "ROW<"...)
		for i := range t.Fields {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = t.Fields[i].appendText(b)
		}
		b = append(b, '>')
	case Geometry:
		b = fmt.Appendf(b, "GEOMETRY(%s)", quoteCRS(t.CRS))
	case Geography:
		b = fmt.Appendf(b, "GEOGRAPHY(%s, %s)", quoteCRS(t.CRS), t.Algo)
	default:
		b = append(b, t.Kind.String()...)
	}
	if t.NotNull {
		b = append(b, " NOT NULL"...)
	}
	return b
}

func (t Type) elem() Type { return deref(t.Elem) }
func (t Type) key() Type  { return deref(t.Key) }

func deref(t *Type) Type {
	if t == nil {
		return Type{}
	}
	return *t
}

// String is the field as Paimon prints it: `name` TYPE COMMENT 'text' DEFAULT value.
func (f Field) String() string { return string(f.appendText(nil)) }

func (f *Field) appendText(b []byte) []byte {
	b = append(b, '`')
	b = append(b, strings.ReplaceAll(f.Name, "`", "``")...)
	b = append(b, "` "...)
	b = f.Type.appendText(b)
	if f.Description != "" {
		b = append(b, " COMMENT '"...)
		b = append(b, strings.ReplaceAll(f.Description, "'", "''")...)
		b = append(b, '\'')
	}
	if f.Default != nil {
		b = append(append(b, " DEFAULT "...), *f.Default...)
	}
	return b
}

func quoteCRS(crs string) string {
	for i, r := range crs {
		if i == 0 && unicode.IsDigit(r) || unicode.IsSpace(r) || strings.ContainsRune("<>(),.'`", r) {
			return "'" + strings.ReplaceAll(crs, "'", "''") + "'"
		}
	}
	return crs
}

// Validate reports a parameter that is out of its range, at any depth.
func (t Type) Validate() error {
	between := func(what string, v, lo, hi int) error {
		if v < lo || v > hi {
			return fmt.Errorf("%s of %s is %d, must be between %d and %d", what, t.Kind, v, lo, hi)
		}
		return nil
	}
	switch t.Kind {
	case Char, VarChar, Binary, VarBinary:
		return between("length", t.Length, 1, MaxLength)
	case Decimal:
		if err := between("precision", t.Precision, 1, MaxDecimalPrecision); err != nil {
			return err
		}
		return between("scale", t.Scale, 0, t.Precision)
	case Time, Timestamp, TimestampLTZ:
		return between("precision", t.Precision, 0, MaxTimePrecision)
	case Geometry, Geography:
		return t.validateGeo()
	case Vector:
		if err := between("length", t.Length, 1, MaxLength); err != nil {
			return err
		}
		switch t.elem().Kind {
		case Boolean, TinyInt, SmallInt, Int, BigInt, Float, Double:
			return nil
		}
		return fmt.Errorf("element of VECTOR is %s, must be BOOLEAN or a number", t.elem())
	case Array, Multiset:
		return t.elem().Validate()
	case Map:
		if err := t.key().Validate(); err != nil {
			return err
		}
		return t.elem().Validate()
	case Row:
		for i := range t.Fields {
			if err := t.Fields[i].Type.Validate(); err != nil {
				return fmt.Errorf("field %q: %w", t.Fields[i].Name, err)
			}
		}
	case Invalid:
		return fmt.Errorf("type is missing")
	}
	return nil
}

func (t Type) validateGeo() error {
	if t.CRS == "" {
		return fmt.Errorf("%s has an empty CRS", t.Kind)
	}
	if t.Kind == Geography {
		switch t.Algo {
		case "spherical", "vincenty", "thomas", "andoyer", "karney":
		default:
			return fmt.Errorf("unknown edge algorithm %q of GEOGRAPHY", t.Algo)
		}
	}
	return nil
}

// Clone is a copy of t that shares no memory with it but strings.
func (t Type) Clone() Type {
	if t.Elem != nil {
		e := t.Elem.Clone()
		t.Elem = &e
	}
	if t.Key != nil {
		k := t.Key.Clone()
		t.Key = &k
	}
	if t.Fields != nil {
		fields := make([]Field, len(t.Fields))
		for i, f := range t.Fields {
			f.Type = f.Type.Clone()
			fields[i] = f
		}
		t.Fields = fields
	}
	return t
}

// Walk calls fn for every ROW field anywhere inside the type, in the order in which
// Paimon numbers them: the fields within a field's type come before the field.
// fn may change the fields of a type that is not shared (see Clone).
func (t Type) Walk(fn func(*Field)) {
	if t.Key != nil {
		t.Key.Walk(fn)
	}
	if t.Elem != nil {
		t.Elem.Walk(fn)
	}
	for i := range t.Fields {
		t.Fields[i].Type.Walk(fn)
		fn(&t.Fields[i])
	}
}

// MaxFieldID is the highest id of the fields and of the ROW fields inside them that
// is not a system id; -1 when there is none.
func MaxFieldID(fields []Field) int {
	highest := -1
	see := func(f *Field) {
		if f.ID < KeyIDOffset {
			highest = max(highest, f.ID)
		}
	}
	for i := range fields {
		see(&fields[i])
		fields[i].Type.Walk(see)
	}
	return highest
}

// FieldTypes are the types of the fields.
func FieldTypes(fields []Field) []Type {
	out := make([]Type, len(fields))
	for i := range fields {
		out[i] = fields[i].Type
	}
	return out
}

func atoi(s string) (int, bool) {
	n, err := strconv.ParseInt(s, 10, 32)
	return int(n), err == nil
}
