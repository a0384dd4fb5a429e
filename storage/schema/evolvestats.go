package schema

import (
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Bounds are the statistics of a column, in the form of stats.Column: values of
// the column's type, not null and set only if HasBounds; Nulls is -1 when it is
// not known.
type Bounds struct {
	Min, Max  columnar.Value
	HasBounds bool
	Nulls     int64
}

// Stats gives what the statistics of a file say about wanted column i; ok is
// false when they say nothing. rows is the file's row count; file gives the
// statistics of a column by the name that the file has it under.
//
// A column that the file lacks is all null. Bounds pass a cast that keeps order
// and exactness, the widening of numbers; null counts pass every cast that
// makes no nulls.
func (e *Evolution) Stats(i int, rows int64, file func(name string) (b Bounds, ok bool)) (b Bounds, ok bool) {
	s := e.steps[i]
	if s.do == missing {
		return Bounds{Nulls: rows}, true
	}
	b, ok = file(e.file[s.src].Name)
	if !ok || s.do == keep {
		return b, ok
	}
	if s.do != convertValues {
		return Bounds{Nulls: b.Nulls}, b.Nulls >= 0
	}
	if !b.HasBounds || !widens(s.from, s.to) {
		b.HasBounds = false
		if makesNulls(s.from, s.to) {
			b.Nulls = -1
		}
		return Bounds{Nulls: b.Nulls}, b.Nulls >= 0
	}
	pair := columnar.NewVector(s.from, 2)
	pair.AppendValue(b.Min)
	pair.AppendValue(b.Max)
	cast, err := Cast(pair, s.to)
	if err != nil || cast.NullCount() > 0 {
		return Bounds{Nulls: -1}, false
	}
	return Bounds{Min: cast.Value(0), Max: cast.Value(1), HasBounds: true, Nulls: b.Nulls}, true
}

// widens reports whether a cast keeps the order of all values and loses none.
func widens(from, to types.Type) bool {
	switch {
	case wholeKind(from.Kind):
		return wholeKind(to.Kind) && from.Kind <= to.Kind || to.Kind == types.Double || to.Kind == types.Float || to.Kind == types.Decimal
	case from.Kind == types.Float:
		return to.Kind == types.Double
	case from.Kind == types.Decimal:
		return to.Kind == types.Decimal && to.Scale >= from.Scale || to.Kind == types.Double || to.Kind == types.Float
	case from.Kind == types.Date:
		return timestampKind(to.Kind)
	case timestampKind(from.Kind):
		return timestampKind(to.Kind) && to.Precision >= from.Precision
	case from.Kind == types.VarChar:
		return to.Kind == types.VarChar && to.Length >= from.Length
	case from.Kind == types.VarBinary:
		return to.Kind == types.VarBinary && to.Length >= from.Length
	}
	return false
}

// makesNulls reports whether a cast can turn a value into null.
func makesNulls(from, to types.Type) bool {
	return to.Kind == types.Decimal || from.Text() && !to.Text() && !binaryKind(to.Kind)
}
