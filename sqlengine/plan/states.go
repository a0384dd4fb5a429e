package plan

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec"
)

// newState is the state of one selected expression in one group: ours where the
// host's is wrong or slow, else the host's.
func newState(e sql.Expression) (sql.AggregationBuffer, error) {
	switch x := e.(type) {
	case *total:
		return x.NewBuffer()
	case *aggregation.GroupConcat, *aggregation.JsonArray, *aggregation.JSONObjectAgg:
		b, err := x.(sql.Aggregation).NewBuffer()
		return &gatheringState{AggregationBuffer: b}, err
	case *aggregation.Count:
		return &countState{arg: x.Child}, nil
	case *aggregation.CountDistinct:
		return &distinctState{args: x.ChildExpressions, key: newRowKey(typesOfExprs(x.ChildExpressions)), seen: newSeenKeys()}, nil
	case *aggregation.Min:
		return &extremeState{arg: undistinct(x.Child), sign: -1}, nil
	case *aggregation.Max:
		return &extremeState{arg: undistinct(x.Child), sign: 1}, nil
	case *aggregation.AnyValue:
		return &firstState{arg: x.Child}, nil
	case *aggregation.BitAnd:
		return &bitState{arg: x.Child, op: '&', bits: ^uint64(0)}, nil
	case *aggregation.BitOr:
		return &bitState{arg: x.Child, op: '|'}, nil
	case *aggregation.BitXor:
		return &bitState{arg: x.Child, op: '^'}, nil
	case sql.Aggregation:
		return x.NewBuffer()
	}
	return &firstState{arg: e}, nil
}

// growing is a state that keeps more than one value of its group.
type growing interface {
	// grown is about how many bytes it came to keep since the last call.
	grown() int64
}

// gatheringState is a state of the host that keeps the rows of its group.
type gatheringState struct {
	sql.AggregationBuffer
	more int64
}

func (s *gatheringState) Update(ctx *sql.Context, row sql.Row) error {
	s.more += keptBytes + bridge.RowBytes(row)
	return s.AggregationBuffer.Update(ctx, row)
}

func (s *gatheringState) grown() int64 {
	n := s.more
	s.more = 0
	return n
}

// seenKeys is the distinct values of a group.
type seenKeys struct {
	*exec.KeyTable
	told int64
}

func newSeenKeys() *seenKeys { return &seenKeys{KeyTable: exec.NewKeyTable()} }

func (s *seenKeys) grown() int64 {
	n := s.Bytes() - s.told
	s.told += n
	return n
}

// undistinct drops DISTINCT where it does not matter.
func undistinct(e sql.Expression) sql.Expression {
	if d, ok := e.(*expression.DistinctExpression); ok {
		return d.Child
	}
	return e
}

// countState counts the values that are not null.
type countState struct {
	arg sql.Expression
	n   int64
}

func (s *countState) Update(ctx *sql.Context, row sql.Row) error {
	v, err := s.arg.Eval(ctx, row)
	if v != nil {
		s.n++
	}
	return err
}

func (s *countState) Eval(*sql.Context) (any, error) { return s.n, nil }
func (s *countState) Dispose()                       {}

// distinctState counts distinct rows of values without a null.
type distinctState struct {
	args []sql.Expression
	key  *rowKey
	seen *seenKeys
	buf  []byte
}

func (s *distinctState) grown() int64 { return s.seen.grown() }

func (s *distinctState) Update(ctx *sql.Context, row sql.Row) error {
	s.buf = s.buf[:0]
	for i, e := range s.args {
		v, err := e.Eval(ctx, row)
		if err != nil || v == nil {
			return err
		}
		if s.buf, err = s.key.append(ctx, s.buf, i, v); err != nil {
			return err
		}
	}
	s.seen.Insert(s.buf)
	return nil
}

func (s *distinctState) Eval(*sql.Context) (any, error) { return int64(s.seen.Len()), nil }
func (s *distinctState) Dispose()                       {}

// extremeState keeps the least (sign -1) or greatest (sign 1) value.
type extremeState struct {
	arg  sql.Expression
	typ  sql.Type
	sign int
	val  any
}

func (s *extremeState) Update(ctx *sql.Context, row sql.Row) error {
	v, err := s.arg.Eval(ctx, row)
	if err != nil || v == nil {
		return err
	}
	if s.val == nil {
		s.val, s.typ = v, s.arg.Type()
		return nil
	}
	c, err := s.typ.Compare(ctx, v, s.val)
	if c*s.sign > 0 {
		s.val = v
	}
	return err
}

func (s *extremeState) Eval(*sql.Context) (any, error) { return s.val, nil }
func (s *extremeState) Dispose()                       {}

// firstState keeps the value of the group's first row.
type firstState struct {
	arg  sql.Expression
	val  any
	seen bool
}

func (s *firstState) Update(ctx *sql.Context, row sql.Row) (err error) {
	if !s.seen {
		s.val, err = s.arg.Eval(ctx, row)
		s.seen = true
	}
	return err
}

func (s *firstState) Eval(*sql.Context) (any, error) { return s.val, nil }
func (s *firstState) Dispose()                       {}

// bitState is BIT_AND, BIT_OR or BIT_XOR.
type bitState struct {
	arg  sql.Expression
	op   byte
	bits uint64
}

func (s *bitState) Update(ctx *sql.Context, row sql.Row) error {
	v, err := s.arg.Eval(ctx, row)
	if err != nil || v == nil {
		return err
	}
	var x uint64
	switch n := v.(type) {
	case uint64:
		x = n
	default:
		if i, ok := bridge.Int64(v); ok {
			x = uint64(i)
		} else if b := decimalOf(ctx, v).Round(0).BigInt(); b.IsUint64() {
			x = b.Uint64()
		} else {
			x = uint64(b.Int64())
		}
	}
	switch s.op {
	case '&':
		s.bits &= x
	case '|':
		s.bits |= x
	default:
		s.bits ^= x
	}
	return nil
}

func (s *bitState) Eval(*sql.Context) (any, error) { return s.bits, nil }
func (s *bitState) Dispose()                       {}
