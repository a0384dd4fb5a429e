package plan

import (
	"math/big"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/storage/columnar"
)

// Digits that MySQL adds to the precision of a SUM's argument.
const sumDigits = 22

// total is SUM or AVG with MySQL's result types and exact sums, in place of the
// host's.
type total struct {
	sql.Aggregation // the host's
	avg             bool
	arg             number
	res             number
}

var (
	_ sql.Aggregation        = (*total)(nil)
	_ sql.FunctionExpression = (*total)(nil)
)

// newTotal is the expression for the host's SUM or AVG; ok is false for other
// expressions and for arguments that are no numbers.
func newTotal(e sql.Expression) (*total, bool) {
	t := &total{}
	switch e.(type) {
	case *aggregation.Sum:
	case *aggregation.Avg:
		t.avg = true
	default:
		return nil, false
	}
	t.Aggregation = e.(sql.Aggregation)
	if t.arg = numberOf(t.Children()[0]); t.arg.kind == noNumber {
		return nil, false
	}
	t.res = number{kind: float}
	if t.arg.exact() {
		t.res = number{exactDecimal, t.arg.precision + sumDigits, t.arg.scale}
		if t.avg {
			t.res = number{exactDecimal, t.arg.precision + divisionDigits, min(t.arg.scale+divisionDigits, maxScale)}
		}
	}
	return t, true
}

// Type implements sql.Expression.
func (t *total) Type() sql.Type { return t.res.typ() }

// IsNullable implements sql.Expression.
func (t *total) IsNullable() bool { return true }

// DebugString implements sql.DebugStringer.
func (t *total) DebugString() string { return sql.DebugString(t.Aggregation) }

// FunctionName implements sql.FunctionExpression.
func (t *total) FunctionName() string { return t.Aggregation.(sql.FunctionExpression).FunctionName() }

// Description implements sql.FunctionExpression.
func (t *total) Description() string { return t.Aggregation.(sql.FunctionExpression).Description() }

// WithChildren implements sql.Expression.
func (t *total) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	h, err := t.Aggregation.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return retotal(h), nil
}

// WithId implements sql.IdExpression.
func (t *total) WithId(id sql.ColumnId) sql.IdExpression {
	return retotal(t.Aggregation.WithId(id)).(sql.IdExpression)
}

// WithWindow implements sql.WindowAdaptableExpression.
func (t *total) WithWindow(w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return retotal(t.Aggregation.WithWindow(w)).(sql.WindowAdaptableExpression)
}

func retotal(h sql.Expression) sql.Expression {
	if t, ok := newTotal(h); ok {
		return t
	}
	return h
}

// spread is one of the host's deviations and variances, which are DOUBLE whatever
// the type of their argument.
type spread struct{ sql.Aggregation }

var _ sql.FunctionExpression = (*spread)(nil)

func newSpread(e sql.Expression) (sql.Expression, bool) {
	switch x := e.(type) {
	case *aggregation.StdDevPop:
		return &spread{x}, true
	case *aggregation.StdDevSamp:
		return &spread{x}, true
	case *aggregation.VarPop:
		return &spread{x}, true
	case *aggregation.VarSamp:
		return &spread{x}, true
	}
	return nil, false
}

// Type implements sql.Expression.
func (s *spread) Type() sql.Type { return gmstypes.Float64 }

// IsNullable implements sql.Expression.
func (s *spread) IsNullable() bool { return true }

// DebugString implements sql.DebugStringer.
func (s *spread) DebugString() string { return sql.DebugString(s.Aggregation) }

// FunctionName implements sql.FunctionExpression.
func (s *spread) FunctionName() string { return s.Aggregation.(sql.FunctionExpression).FunctionName() }

// Description implements sql.FunctionExpression.
func (s *spread) Description() string { return s.Aggregation.(sql.FunctionExpression).Description() }

// WithChildren implements sql.Expression.
func (s *spread) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	h, err := s.Aggregation.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return &spread{h.(sql.Aggregation)}, nil
}

// WithId implements sql.IdExpression.
func (s *spread) WithId(id sql.ColumnId) sql.IdExpression {
	return &spread{s.Aggregation.WithId(id).(sql.Aggregation)}
}

// WithWindow implements sql.WindowAdaptableExpression.
func (s *spread) WithWindow(w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return &spread{s.Aggregation.WithWindow(w).(sql.Aggregation)}
}

// NewBuffer implements sql.Aggregation.
func (t *total) NewBuffer() (sql.AggregationBuffer, error) {
	arg := t.Children()[0]
	b := &totalBuffer{total: t, arg: arg}
	if d, ok := arg.(*expression.DistinctExpression); ok {
		b.arg = d.Child
		b.seen, b.key = newSeenKeys(), newRowKey([]sql.Type{d.Child.Type()})
	}
	return b, nil
}

// sum adds numbers: integers in 128 bits, decimals exactly, doubles as doubles.
type sum struct {
	n    int64
	ints columnar.Int128
	dec  decimal.Decimal
	f    float64
}

func (s *sum) add(ctx *sql.Context, exact bool, v any) {
	s.n++
	if !exact {
		s.f += floatOf(ctx, v)
		return
	}
	if n, ok := bridge.Int64(v); ok {
		s.ints, _ = expr.Add128(s.ints, expr.FromInt64(n)) // 2^63 values of 64 bits fit
		return
	}
	s.dec = s.dec.Add(decimalOf(ctx, v))
}

func (s *sum) exact() decimal.Decimal {
	var b *big.Int
	if expr.Fits64(s.ints) {
		b = big.NewInt(int64(s.ints.Lo))
	} else {
		b = expr.BigInt(s.ints)
	}
	return s.dec.Add(decimal.NewFromBigInt(b, 0))
}

// result is the value of the aggregate over n values with the sum d or f.
func (t *total) result(n int64, d decimal.Decimal, f float64) any {
	switch {
	case n == 0:
		return nil
	case t.res.kind == float && t.avg:
		return f / float64(n)
	case t.res.kind == float:
		return f
	case t.avg:
		return d.DivRound(decimal.New(n, 0), int32(t.res.scale))
	}
	return d
}

// totalBuffer is the state of one group.
type totalBuffer struct {
	*total
	arg  sql.Expression
	sum  sum
	seen *seenKeys // of DISTINCT
	key  *rowKey
	buf  []byte
}

// Update implements sql.AggregationBuffer.
func (b *totalBuffer) Update(ctx *sql.Context, row sql.Row) error {
	v, err := b.arg.Eval(ctx, row)
	if err != nil || v == nil {
		return err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil {
		return err
	}
	if b.seen != nil {
		if b.buf, err = b.key.append(ctx, b.buf[:0], 0, v); err != nil {
			return err
		}
		if _, isNew := b.seen.Insert(b.buf); !isNew {
			return nil
		}
	}
	b.sum.add(ctx, b.res.kind == exactDecimal, v)
	return nil
}

func (b *totalBuffer) grown() int64 {
	if b.seen == nil {
		return 0
	}
	return b.seen.grown()
}

// Eval implements sql.AggregationBuffer.
func (b *totalBuffer) Eval(*sql.Context) (any, error) {
	return b.result(b.sum.n, b.sum.exact(), b.sum.f), nil
}

// Dispose implements sql.Disposable.
func (b *totalBuffer) Dispose() {}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (t *total) NewWindowFunction() (sql.WindowFunction, error) {
	h, err := t.Aggregation.NewWindowFunction()
	if err != nil {
		return nil, err
	}
	return &totalWindow{total: t, framer: h.DefaultFramer(), arg: t.Children()[0]}, nil
}

// totalWindow answers frames of a partition: exact ones from the sums of its
// beginnings, doubles by adding those of the frame, which lose no digits to others.
type totalWindow struct {
	*total
	framer sql.WindowFramer
	arg    sql.Expression
	start  int
	sums   []sum     // of the first i rows of the partition
	floats []float64 // of its rows; those of NULL count for nothing in sums
	last   struct {  // the frame before, which this one may begin with
		from, to int
		f        float64
	}
}

// StartPartition implements sql.WindowFunction.
func (w *totalWindow) StartPartition(ctx *sql.Context, in sql.WindowInterval, rows sql.WindowBuffer) error {
	w.start = in.Start
	var s sum
	w.sums, w.floats = append(w.sums[:0], s), w.floats[:0]
	w.last.from, w.last.to, w.last.f = 0, 0, 0
	for _, row := range rows[in.Start:in.End] {
		v, err := w.arg.Eval(ctx, row)
		if err != nil {
			return err
		}
		f := 0.0
		switch {
		case v == nil:
		case w.res.kind == exactDecimal:
			s.add(ctx, true, v)
		default:
			f = floatOf(ctx, v)
			s.n++
		}
		w.sums, w.floats = append(w.sums, s), append(w.floats, f)
	}
	return nil
}

// frame is the sum of rows [from, to).
func (w *totalWindow) frame(from, to int) float64 {
	if from != w.last.from || to < w.last.to {
		w.last.from, w.last.to, w.last.f = from, from, 0
	}
	for _, f := range w.floats[w.last.to:to] {
		w.last.f += f
	}
	w.last.to = to
	return w.last.f
}

// DefaultFramer implements sql.WindowFunction.
func (w *totalWindow) DefaultFramer() sql.WindowFramer { return w.framer }

// Compute implements sql.WindowFunction.
func (w *totalWindow) Compute(_ *sql.Context, in sql.WindowInterval, _ sql.WindowBuffer) any {
	from, to := in.Start-w.start, in.End-w.start
	if from < 0 || to <= from || to >= len(w.sums) {
		return nil
	}
	a, b := &w.sums[from], &w.sums[to]
	n := b.n - a.n
	if w.res.kind == float {
		return w.result(n, decimal.Decimal{}, w.frame(from, to))
	}
	return w.result(n, b.exact().Sub(a.exact()), 0)
}

// Dispose implements sql.Disposable.
func (w *totalWindow) Dispose() {}
