package schema

import (
	"github.com/lakesql/lakesql/storage/types"
)

// CastSupported reports whether a column of type from may become one of type
// to: by an implicit cast, which keeps what values say, or, when explicit is
// true, by any cast that Cast can do. Nullability does not count. Nested types
// cast to text only; their members are changed one by one.
func CastSupported(from, to types.Type, explicit bool) bool {
	if from.SameValues(to) {
		return true
	}
	if !castable(from, to) {
		return false
	}
	return explicit || implicit(from.Kind, to.Kind)
}

// implicit says which kinds widen into which, as Paimon has it.
func implicit(from, to types.Kind) bool {
	switch to {
	case types.Char:
		return from == types.Char
	case types.VarChar:
		return from == types.Char || from == types.VarChar
	case types.Boolean:
		return from == types.Boolean
	case types.Binary:
		return from == types.Binary
	case types.VarBinary:
		return from == types.Binary || from == types.VarBinary
	case types.Decimal, types.Double:
		return numberKind(from)
	case types.Float:
		return numberKind(from) && from != types.Double
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		return wholeKind(from) && from <= to
	case types.Date, types.Time:
		return from == to || from == types.Timestamp
	case types.Timestamp, types.TimestampLTZ:
		return timestampKind(from)
	}
	return false
}

// castable says what Cast can do.
func castable(from, to types.Type) bool {
	f, t := from.Kind, to.Kind
	switch {
	case to.Text():
		return textable(from, to)
	case from.Text():
		return t == types.Boolean || numberKind(t) || binaryKind(t) || t == types.Date || t == types.Time || timestampKind(t)
	case binaryKind(f):
		return binaryKind(t)
	case f == types.Boolean:
		return numberKind(t)
	case wholeKind(f):
		return numberKind(t) || t == types.Boolean || timestampKind(t) && (f == types.Int || f == types.BigInt)
	case numberKind(f):
		return numberKind(t)
	case timestampKind(f):
		return timestampKind(t) || t == types.Date || t == types.Time || t == types.Int || t == types.BigInt
	case f == types.Date, f == types.Time:
		return timestampKind(t) || f == t
	}
	return false
}

// textable says what can become CHAR or VARCHAR: dates, times and timestamps
// only STRING, numbers, booleans, text, bytes and nested values any.
func textable(from, to types.Type) bool {
	switch from.Kind {
	case types.Date, types.Time, types.Timestamp, types.TimestampLTZ:
		return to.Kind == types.VarChar && to.Length == types.MaxLength
	case types.Boolean, types.Char, types.VarChar, types.Binary, types.VarBinary:
		return true
	case types.Array:
		return textable(*from.Elem, types.String())
	case types.Map:
		return textable(*from.Key, types.String()) && textable(*from.Elem, types.String())
	case types.Row:
		for i := range from.Fields {
			if !textable(from.Fields[i].Type, types.String()) {
				return false
			}
		}
		return true
	}
	return numberKind(from.Kind)
}

func wholeKind(k types.Kind) bool {
	return k == types.TinyInt || k == types.SmallInt || k == types.Int || k == types.BigInt
}

func numberKind(k types.Kind) bool {
	return wholeKind(k) || k == types.Float || k == types.Double || k == types.Decimal
}

func binaryKind(k types.Kind) bool { return k == types.Binary || k == types.VarBinary }

func timestampKind(k types.Kind) bool { return k == types.Timestamp || k == types.TimestampLTZ }
