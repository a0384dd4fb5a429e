package plan

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec"
	"github.com/lakesql/lakesql/sqlengine/funcs"
)

// member is left IN (subquery): NULL where that depends on a NULL. The values of a
// subquery that is the same for all rows are kept as a set.
type member struct {
	any  sql.Expression // left = ANY (subquery), which compares with one value after the other
	left sql.Expression
	sub  *hostplan.Subquery
	id   *memberID
}

// memberID is the identity of all copies of the expression.
type memberID struct{ _ byte }

var _ sql.CollationCoercible = (*member)(nil)

func newMember(left sql.Expression, sub *hostplan.Subquery) *member {
	return &member{any: funcs.EqualsAny(left, sub), left: left, sub: sub, id: &memberID{}}
}

// Type implements sql.Expression.
func (m *member) Type() sql.Type { return gmstypes.Boolean }

// IsNullable implements sql.Expression.
func (m *member) IsNullable() bool { return true }

// Resolved implements sql.Expression.
func (m *member) Resolved() bool { return m.left.Resolved() && m.sub.Resolved() }

// String implements sql.Expression.
func (m *member) String() string { return fmt.Sprintf("%s IN %s", m.left, m.sub) }

// CollationCoercibility implements sql.CollationCoercible.
func (m *member) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// Children implements sql.Expression.
func (m *member) Children() []sql.Expression { return []sql.Expression{m.left, m.sub} }

// WithChildren implements sql.Expression.
func (m *member) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(m, len(children), 2)
	}
	sub, ok := children[1].(*hostplan.Subquery)
	if !ok {
		return nil, fmt.Errorf("internal error: %T in place of a subquery", children[1])
	}
	return &member{any: funcs.EqualsAny(children[0], sub), left: children[0], sub: sub, id: m.id}, nil
}

// Eval implements sql.Expression.
func (m *member) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	class := joinClassOf(m.left.Type(), m.sub.Type())
	if class == noJoinClass || !m.sub.CanCacheResults() {
		return m.any.Eval(ctx, row)
	}
	s, err := bridge.SessionOf(ctx)
	if err != nil {
		return nil, err
	}
	set := bridge.Once(s, m.id, func() *valueSet {
		return &valueSet{class: class, mem: bridge.Budget(ctx).Holder("the values of a subquery")}
	})
	if set.keys == nil {
		values, err := m.sub.EvalMultiple(ctx, row)
		if err != nil {
			return nil, err
		}
		if err := set.fill(ctx, values); err != nil {
			return nil, err
		}
	}
	v, err := m.left.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	found, known, err := set.has(ctx, v)
	switch {
	case err != nil:
		return nil, err
	case !known:
		return m.any.Eval(ctx, row)
	case found == nil:
		return nil, nil
	}
	return *found, nil
}

// valueSet is the set of the values of a subquery, by their keys.
type valueSet struct {
	class joinClass
	keys  *exec.KeyTable
	null  bool // one is NULL
	odd   bool // one has no key
	buf   []byte
	mem   *membudget.Holder
}

// Close gives up the set.
func (s *valueSet) Close() { s.mem.Close() }

func (s *valueSet) fill(ctx *sql.Context, values []any) error {
	keys := exec.NewKeyTable()
	for i, v := range values {
		if v == nil {
			s.null = true
			continue
		}
		key, ok, err := s.class.append(ctx, s.buf[:0], v)
		if err != nil {
			return err
		}
		if s.buf = key; !ok {
			s.odd = true
			continue
		}
		keys.Insert(key)
		if i%ctxEvery == 0 {
			if err := s.mem.To(keys.Bytes()); err != nil {
				return err
			}
		}
	}
	s.keys = keys
	return s.mem.To(keys.Bytes())
}

// has tells whether a value is in the set; found is nil for NULL. known is false where
// keys do not tell.
func (s *valueSet) has(ctx *sql.Context, v any) (found *bool, known bool, err error) {
	is := false
	if s.keys.Len() == 0 && !s.null && !s.odd {
		return &is, true, nil
	}
	if v == nil {
		return nil, true, nil
	}
	key, ok, err := s.class.append(ctx, s.buf[:0], v)
	if err != nil || !ok || s.odd {
		return nil, false, err
	}
	s.buf = key
	if is = s.keys.Find(key) >= 0; !is && s.null {
		return nil, true, nil
	}
	return &is, true, nil
}
