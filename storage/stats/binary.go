package stats

import (
	"encoding/binary"
	"fmt"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/types"
)

// Binary is a statistics record as manifests store it: two serialised rows of
// equal arity (int32 big-endian arity, then a BinaryRow) and a null count per
// column, -1 where it is unknown. The zero value stands for a record that was
// not there; Empty is the record without columns.
type Binary struct {
	Min, Max   []byte
	NullCounts []int64
}

// Empty is the record without columns: two rows of arity 0 and no null counts. It is
// shared and must not be changed.
var Empty = Encode(nil, nil)

// Encode makes a record of columns of the types ts. Columns without bounds get null in
// both rows.
func Encode(ts []types.Type, cols []Column) Binary {
	mins, maxs := make([]columnar.Value, len(cols)), make([]columnar.Value, len(cols))
	b := Binary{NullCounts: make([]int64, len(cols))}
	for i := range cols {
		b.NullCounts[i] = cols[i].Nulls
		mins[i], maxs[i] = columnar.NullValue, columnar.NullValue
		if cols[i].HasBounds {
			mins[i], maxs[i] = cols[i].Min, cols[i].Max
		}
	}
	b.Min, b.Max = row.Serialize(ts, mins), row.Serialize(ts, maxs)
	return b
}

// Decode reads the record of columns of the types ts. A record that is not there, or
// that has no columns, says nothing about any of them.
func (b Binary) Decode(ts []types.Type) ([]Column, error) {
	cols := make([]Column, len(ts))
	for i := range cols {
		cols[i].Nulls = Unknown
	}
	if b.noColumns() {
		return cols, nil
	}
	mins, err := row.Deserialize(ts, b.Min)
	if err != nil {
		return nil, fmt.Errorf("decode minimum values: %w", err)
	}
	maxs, err := row.Deserialize(ts, b.Max)
	if err != nil {
		return nil, fmt.Errorf("decode maximum values: %w", err)
	}
	if n := len(b.NullCounts); n != 0 && n != len(ts) {
		return nil, corrupt.Errorf("", corrupt.NoOffset, "statistics of %d columns have %d null counts", len(ts), n)
	}
	for i := range cols {
		if len(b.NullCounts) > 0 {
			cols[i].Nulls = max(b.NullCounts[i], Unknown)
		}
		if !mins[i].Null && !maxs[i].Null {
			cols[i].Min, cols[i].Max, cols[i].HasBounds = mins[i], maxs[i], true
		}
	}
	return cols, nil
}

func (b Binary) noColumns() bool {
	return len(b.Min) == 0 && len(b.Max) == 0 || len(b.Min) >= 4 && binary.BigEndian.Uint32(b.Min) == 0
}

// Dense makes a record of the columns that say anything. kept are their names; nil
// when all are kept.
func Dense(fields []types.Field, cols []Column) (kept []string, b Binary) {
	kept = []string{}
	var ts []types.Type
	var known []Column
	for i := range cols {
		if cols[i].Known() {
			kept, ts, known = append(kept, fields[i].Name), append(ts, fields[i].Type), append(known, cols[i])
		}
	}
	if len(kept) == len(cols) {
		kept = nil
	}
	return kept, Encode(ts, known)
}

// DecodeDense reads what Dense made: columns in the order of fields, those that were
// not kept saying nothing. fields must have every column in kept.
func (b Binary) DecodeDense(fields []types.Field, kept []string) ([]Column, error) {
	if kept == nil {
		return b.Decode(types.FieldTypes(fields))
	}
	at := make(map[string]int, len(fields))
	for i := range fields {
		at[fields[i].Name] = i
	}
	ts := make([]types.Type, len(kept))
	for k, name := range kept {
		i, ok := at[name]
		if !ok {
			return nil, corrupt.Errorf("", corrupt.NoOffset, "statistics of column %q, which the schema lacks", name)
		}
		ts[k] = fields[i].Type
	}
	known, err := b.Decode(ts)
	if err != nil {
		return nil, err
	}
	cols := make([]Column, len(fields))
	for i := range cols {
		cols[i].Nulls = Unknown
	}
	for k, name := range kept {
		cols[at[name]] = known[k]
	}
	return cols, nil
}
