package bridge

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/internal/membudget"
)

// Budget is what the statements of a session may keep in memory together with all
// others; nil is without a limit.
func Budget(ctx *sql.Context) *membudget.Budget {
	s, err := SessionOf(ctx)
	if err != nil {
		return nil
	}
	return s.budget
}

// Keep counts what a statement keeps to its end for key, such as a node of its
// plan: the same count at every call until then.
func (s *Session) Keep(key any, what string) *membudget.Holder {
	return Once(s, key, func() *membudget.Holder { return s.budget.Holder(what) })
}

// Once is what make returned at the first call with key, a pointer or a value that
// maps take, since the statement began. It is closed when the statement ends.
func Once[T interface{ Close() }](s *Session, key any, make func() T) T {
	if v, ok := s.keeps[key].(T); ok {
		return v
	}
	v := make()
	if s.keeps == nil {
		s.keeps = map[any]interface{ Close() }{}
	}
	s.keeps[key] = v
	return v
}

// forget closes what Once and Keep opened.
func (s *Session) forget() {
	for _, v := range s.keeps {
		v.Close()
	}
	s.keeps = nil
}

// RowBytes estimates what a row of the host takes in memory.
func RowBytes(r sql.Row) int64 {
	n := int64(24)
	for _, v := range r {
		n += valueBytes(v)
	}
	return n
}

// valueBytes estimates what a value of the host takes in memory.
func valueBytes(v any) int64 {
	switch x := v.(type) {
	case nil, bool, int8, uint8:
		return 16
	case string:
		return 32 + int64(len(x))
	case []byte:
		return 40 + int64(len(x))
	case int, int16, int32, int64, uint16, uint32, uint64, float32, float64:
		return 24
	case sql.Row:
		return RowBytes(x)
	case []any:
		return RowBytes(x)
	case map[string]any:
		n := int64(48)
		for k, v := range x {
			n += 48 + int64(len(k)) + valueBytes(v)
		}
		return n
	}
	return 80 // times, decimals and their kin
}
