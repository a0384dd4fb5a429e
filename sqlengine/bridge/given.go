package bridge

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/hints"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

// given is a partition column whose value an INSERT's PARTITION clause names. The
// host does not see the column: rows come without it and are widened here.
type given struct {
	column int // index of Fields
	value  columnar.Value
	host   any // the same as a host value
}

// setGiven reads the PARTITION clause of the statement's target and hides the
// columns that it gives a value.
func (t *Table) setGiven() error {
	if t.db.target == nil {
		return nil
	}
	for _, p := range t.db.target.Partition {
		i := schema.FieldIndex(t.schema.Fields, p.Column)
		if i < 0 || !slices.Contains(t.schema.PartitionKeys, t.schema.Fields[i].Name) {
			return Errorf(CodeBadField, "Unknown partition column '%s' of table '%s'", p.Column, t.name)
		}
		if p.Value == nil && !p.Null {
			continue // the rows say
		}
		g, err := givenValue(t.schema.Fields[i], p)
		if err != nil {
			return err
		}
		g.column = i
		t.given = append(t.given, g)
	}
	if len(t.given) == 0 {
		return nil
	}
	t.project = []int{}
	for i := range t.schema.Fields {
		if !t.isGiven(i) {
			t.project = append(t.project, i)
		}
	}
	return nil
}

func (t *Table) isGiven(column int) bool {
	for _, g := range t.given {
		if g.column == column {
			return true
		}
	}
	return false
}

// givenValue reads one constant of a PARTITION clause.
func givenValue(f types.Field, p hints.PartitionValue) (given, error) {
	if p.Null {
		return given{value: columnar.NullValue}, nil
	}
	v := columnar.NewVector(f.Type, 1)
	if err := NewEncoder(f.Name, f.Type, nil).Append(v, *p.Value); err != nil {
		return given{}, err
	}
	return given{value: v.Value(0), host: NewDecoder(f.Type, nil).Value(v, 0)}, nil
}

// widen is a row of the columns that the host sees as a row of all columns.
func (t *Table) widen(row sql.Row) sql.Row {
	if len(t.given) == 0 {
		return row
	}
	out := make(sql.Row, len(t.schema.Fields))
	for k, c := range t.project {
		out[c] = row[k]
	}
	for _, g := range t.given {
		out[g.column] = g.host
	}
	return out
}

// widenBatch does the same to a batch; the columns are shared.
func (t *Table) widenBatch(b *columnar.Batch) *columnar.Batch {
	if len(t.given) == 0 {
		return b
	}
	out := &columnar.Batch{N: b.N, Sel: b.Sel, Kinds: b.Kinds, Cols: make([]*columnar.Vector, len(t.schema.Fields))}
	for k, c := range t.project {
		out.Cols[c] = b.Cols[k]
	}
	for _, g := range t.given {
		v := columnar.NewVector(t.schema.Fields[g.column].Type, b.N)
		for range b.N {
			v.AppendValue(g.value)
		}
		out.Cols[g.column] = v
	}
	return out
}
