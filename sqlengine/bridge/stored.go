package bridge

import (
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/schema"
)

// Stored is a value as a column keeps it: converted in strict mode, or with
// warnings under IGNORE. It belongs to one run of a statement.
type Stored struct {
	child sql.Expression
	typ   sql.Type
	enc   *Encoder
	dec   *Decoder
	slot  *columnar.Vector
}

var (
	_ sql.Expression         = (*Stored)(nil)
	_ sql.CollationCoercible = (*Stored)(nil)
)

// Stored wraps an expression whose value is assigned to the named column; ok is
// false when there is no such column. warn, when set, makes faults warnings.
func (t *Table) Stored(column string, e sql.Expression, loc *time.Location, warn *sql.Context) (*Stored, bool) {
	i := schema.FieldIndex(t.schema.Fields, column)
	if i < 0 {
		return nil, false
	}
	f := t.schema.Fields[i]
	s := &Stored{child: e, typ: t.columns[i].Type, enc: NewEncoder(f.Name, f.Type, loc), dec: NewDecoder(f.Type, loc), slot: columnar.NewVector(f.Type, 1)}
	s.enc.from, s.enc.warn = e.Type(), warn
	return s, true
}

// Eval implements sql.Expression.
func (s *Stored) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := s.child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	s.slot.Reset()
	if err := s.enc.Append(s.slot, v); err != nil {
		return nil, err
	}
	return s.dec.Value(s.slot, 0), nil
}

// Type implements sql.Expression.
func (s *Stored) Type() sql.Type { return s.typ }

// IsNullable implements sql.Expression.
func (s *Stored) IsNullable() bool { return s.child.IsNullable() }

// Resolved implements sql.Expression.
func (s *Stored) Resolved() bool { return s.child.Resolved() }

// String implements sql.Expression.
func (s *Stored) String() string { return s.child.String() }

// Children implements sql.Expression.
func (s *Stored) Children() []sql.Expression { return []sql.Expression{s.child} }

// WithChildren implements sql.Expression.
func (s *Stored) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, fmt.Errorf("internal error: %d operands for a stored value", len(children))
	}
	c := *s
	c.child = children[0]
	return &c, nil
}

// CollationCoercibility implements sql.CollationCoercible.
func (s *Stored) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, s.child)
}
