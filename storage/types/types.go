package types

import (
	"fmt"
	"math"
	"strings"
)

// Kind is the root of a column type, without length, precision or nullability.
type Kind uint8

// The kinds of Paimon 2.x.
const (
	Invalid Kind = iota
	Boolean
	TinyInt
	SmallInt
	Int
	BigInt
	Float
	Double
	Decimal
	Char
	VarChar
	Binary
	VarBinary
	Date
	Time
	Timestamp    // no zone
	TimestampLTZ // an instant, shown in the session's zone
	Array
	Map
	Multiset
	Row
	Variant
	Blob
	Vector
	Geometry
	Geography
)

// MaxLength is the length of STRING and BYTES: VARCHAR and VARBINARY without a bound.
const MaxLength = math.MaxInt32

// MaxCompactPrecision is the largest DECIMAL precision kept in an int64.
const MaxCompactPrecision = 18

// Type is a column type. The zero value is invalid.
//
// Only the members that the kind has are set: Length for CHAR, VARCHAR, BINARY,
// VARBINARY and VECTOR; Precision for DECIMAL, TIME and both timestamps; Scale
// for DECIMAL; Elem for ARRAY, MULTISET, VECTOR and the values of MAP; Key for
// the keys of MAP; Fields for ROW; CRS for GEOMETRY and GEOGRAPHY, Algo for the
// latter.
type Type struct {
	Kind      Kind
	NotNull   bool
	Length    int
	Precision int
	Scale     int
	Elem      *Type
	Key       *Type
	Fields    []Field
	CRS       string
	Algo      string
}

// Field is a column, or a member of a ROW.
type Field struct {
	ID          int
	Name        string
	Type        Type
	Description string  // "" is none
	Default     *string // text of the default value; nil is none
}

// String is an unbounded VARCHAR.
func String() Type { return Type{Kind: VarChar, Length: MaxLength} }

// Bytes is an unbounded VARBINARY.
func Bytes() Type { return Type{Kind: VarBinary, Length: MaxLength} }

// Of is a type that has no parameters, such as INT or DATE.
func Of(k Kind) Type { return Type{Kind: k} }

// Dec is DECIMAL(p, s).
func Dec(p, s int) Type { return Type{Kind: Decimal, Precision: p, Scale: s} }

// TimestampOf is TIMESTAMP(p).
func TimestampOf(p int) Type { return Type{Kind: Timestamp, Precision: p} }

// LTZOf is TIMESTAMP(p) WITH LOCAL TIME ZONE.
func LTZOf(p int) Type { return Type{Kind: TimestampLTZ, Precision: p} }

// ArrayOf is ARRAY<elem>.
func ArrayOf(elem Type) Type { return Type{Kind: Array, Elem: &elem} }

// MapOf is MAP<key, value>.
func MapOf(key, value Type) Type { return Type{Kind: Map, Key: &key, Elem: &value} }

// MultisetOf is MULTISET<elem>.
func MultisetOf(elem Type) Type { return Type{Kind: Multiset, Elem: &elem} }

// RowOf is ROW<fields>.
func RowOf(fields ...Field) Type { return Type{Kind: Row, Fields: fields} }

// WithNotNull returns t with the given nullability.
func (t Type) WithNotNull(notNull bool) Type {
	t.NotNull = notNull
	return t
}

// Equal reports whether t and o are the same type, nullability, field ids,
// names, descriptions and defaults included.
func (t Type) Equal(o Type) bool { return t.NotNull == o.NotNull && t.equal(o, true) }

// SameValues reports whether t and o hold the same values in the same form:
// Equal but for nullability at every depth and for descriptions and defaults.
func (t Type) SameValues(o Type) bool { return t.equal(o, false) }

func (t Type) equal(o Type, strict bool) bool {
	if t.Kind != o.Kind || t.Length != o.Length || t.Precision != o.Precision || t.Scale != o.Scale ||
		t.CRS != o.CRS || t.Algo != o.Algo || len(t.Fields) != len(o.Fields) {
		return false
	}
	sub := func(a, b *Type) bool {
		if a == nil || b == nil {
			return a == b
		}
		if strict {
			return a.Equal(*b)
		}
		return a.equal(*b, false)
	}
	if !sub(t.Elem, o.Elem) || !sub(t.Key, o.Key) {
		return false
	}
	for i := range t.Fields {
		a, b := &t.Fields[i], &o.Fields[i]
		if a.ID != b.ID || a.Name != b.Name || !sub(&a.Type, &b.Type) {
			return false
		}
		if strict && (a.Description != b.Description || !sameDefault(a.Default, b.Default)) {
			return false
		}
	}
	return true
}

func sameDefault(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// Nested reports whether a value of the type holds other values: ARRAY, MAP,
// MULTISET, ROW, VECTOR, and VARIANT, which is kept as two byte strings.
func (t Type) Nested() bool {
	switch t.Kind {
	case Array, Map, Multiset, Row, Vector, Variant:
		return true
	}
	return false
}

// Text reports whether values are UTF-8 text.
func (t Type) Text() bool { return t.Kind == Char || t.Kind == VarChar }

// Field names of system columns (Paimon's SpecialFields).
const (
	SequenceNumberName = "_SEQUENCE_NUMBER"
	ValueKindName      = "_VALUE_KIND"
	LevelName          = "_LEVEL"
	RowKindName        = "rowkind"
	RowIDName          = "_ROW_ID"
	KeyPrefix          = "_KEY_"
)

// Field ids of system columns; a key column's copy has KeyIDOffset added.
const (
	SequenceNumberID = 2147483646
	ValueKindID      = 2147483645
	LevelID          = 2147483644
	RowKindID        = 2147483643
	RowIDID          = 2147483642
	KeyIDOffset      = 1073741823
)

// Reserved reports whether name belongs to the system and cannot name a column.
func Reserved(name string) bool {
	switch name {
	case SequenceNumberName, ValueKindName, LevelName, RowKindName, RowIDName:
		return true
	}
	return strings.HasPrefix(name, KeyPrefix)
}

// RowKind says what a record does to its key.
type RowKind uint8

// The row kinds, with the bytes that _VALUE_KIND stores.
const (
	Insert       RowKind = 0 // +I
	UpdateBefore RowKind = 1 // -U
	UpdateAfter  RowKind = 2 // +U
	Delete       RowKind = 3 // -D
)

// Retract reports whether the kind takes a row away: -U or -D.
func (k RowKind) Retract() bool { return k == UpdateBefore || k == Delete }

// String is the short form: +I, -U, +U or -D.
func (k RowKind) String() string {
	switch k {
	case Insert:
		return "+I"
	case UpdateBefore:
		return "-U"
	case UpdateAfter:
		return "+U"
	case Delete:
		return "-D"
	}
	return fmt.Sprintf("RowKind(%d)", uint8(k))
}

// ParseRowKind reads a short form, in any case.
func ParseRowKind(s string) (RowKind, error) {
	switch strings.ToUpper(s) {
	case "+I":
		return Insert, nil
	case "-U":
		return UpdateBefore, nil
	case "+U":
		return UpdateAfter, nil
	case "-D":
		return Delete, nil
	}
	return 0, fmt.Errorf("unsupported short string %q for row kind", s)
}
