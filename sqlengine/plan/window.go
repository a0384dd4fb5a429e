package plan

import (
	"io"
	"math"
	"sort"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation/window"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// windowBytes is about what a kept row and its keys take, beside the values.
const windowBytes = 96

// window computes the functions of a node over all its rows. The host's own
// operator takes rows without columns for partitions of one row, finds peers by
// Go's equality, sees the first expression of an order alone, and gives each
// function a default frame of its own.
func (b *Builder) window(ctx *sql.Context, n *hostplan.Window, row sql.Row) (sql.RowIter, error) {
	for _, e := range n.SelectExprs {
		if w, ok := windowed(e); ok {
			if err := checkWindow(w); err != nil {
				return nil, err
			}
		}
	}
	in, err := b.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	return &windowIter{exprs: n.SelectExprs, in: in, mem: bridge.Budget(ctx).Holder("a window function")}, nil
}

// windowed is the window function that a selected expression is.
func windowed(e sql.Expression) (sql.WindowAdaptableExpression, bool) {
	if a, ok := e.(*expression.Alias); ok {
		e = a.Child
	}
	w, ok := e.(sql.WindowAdaptableExpression)
	return w, ok && w.Window() != nil
}

// checkWindow refuses what the host's functions would answer wrongly.
func checkWindow(w sql.WindowAdaptableExpression) error {
	name := "a window function"
	if f, ok := w.(sql.FunctionExpression); ok {
		name = f.FunctionName()
	}
	if _, ok := w.(*aggregation.CountDistinct); ok {
		return bridge.Errorf(bridge.CodeNotSupported, "%s is not supported", name+" with DISTINCT as a window function")
	}
	for _, c := range w.Children() {
		if _, ok := c.(*expression.DistinctExpression); ok {
			return bridge.Errorf(bridge.CodeNotSupported, "%s is not supported", name+" with DISTINCT as a window function")
		}
	}
	switch w.(type) {
	case *aggregation.GroupConcat:
		return bridge.Errorf(bridge.CodeNotSupported, "%s is not supported", "GROUP_CONCAT as a window function")
	case *aggregation.JSONObjectAgg:
		return bridge.Errorf(bridge.CodeNotSupported, "%s is not supported", "JSON_OBJECTAGG as a window function")
	}
	return nil
}

// windowIter reads its input whole at the first call.
type windowIter struct {
	exprs []sql.Expression
	in    sql.RowIter
	mem   *membudget.Holder
	out   []sql.Row
	ready bool
}

// Next implements sql.RowIter.
func (it *windowIter) Next(ctx *sql.Context) (sql.Row, error) {
	if !it.ready {
		if err := it.run(ctx); err != nil {
			return nil, err
		}
		it.ready = true
	}
	if len(it.out) == 0 {
		return nil, io.EOF
	}
	row := it.out[0]
	it.out[0], it.out = nil, it.out[1:]
	return row, nil
}

// Close implements sql.RowIter.
func (it *windowIter) Close(ctx *sql.Context) error {
	it.out = nil
	it.mem.Close()
	return it.in.Close(ctx)
}

func (it *windowIter) run(ctx *sql.Context) error {
	var rows []sql.Row
	for {
		row, err := it.in.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		out := make(sql.Row, len(it.exprs))
		rows, it.out = append(rows, row), append(it.out, out)
		if err := it.mem.More(windowBytes + bridge.RowBytes(row) + 40*int64(len(out))); err != nil {
			return err
		}
	}
	orders := map[string]*windowOrder{}
	for col, e := range it.exprs {
		w, ok := windowed(e)
		if !ok {
			for i, row := range rows {
				v, err := e.Eval(ctx, row)
				if err != nil {
					return err
				}
				it.out[i][col] = v
			}
			continue
		}
		def := *w.Window()
		def.Frame = nil
		o := orders[sql.DebugString(&def)]
		if o == nil {
			keys := 16 * int64(len(def.PartitionBy)+len(def.OrderBy))
			if err := it.mem.More(int64(len(rows)) * (windowBytes + keys)); err != nil {
				return err
			}
			var err error
			if o, err = newWindowOrder(ctx, w.Window(), rows); err != nil {
				return err
			}
			orders[sql.DebugString(&def)] = o
		}
		if err := o.eval(ctx, w, it.out, col); err != nil {
			return err
		}
	}
	return nil
}

// windowOrder is the rows in the order of one window, with its partitions and peers.
type windowOrder struct {
	fields    sql.SortFields
	parts     int              // how many of the keys are of PARTITION BY
	rows      sql.WindowBuffer // sorted
	at        []int            // the place of rows[i] in the input
	keys      [][]any          // of rows[i]
	partition []sql.WindowInterval
	peers     []sql.WindowInterval // of rows[i]
}

func newWindowOrder(ctx *sql.Context, w *sql.WindowDefinition, in []sql.Row) (*windowOrder, error) {
	o := &windowOrder{parts: len(w.PartitionBy)}
	for _, e := range w.PartitionBy {
		o.fields = append(o.fields, sql.SortField{Column: e, Order: sql.Ascending})
	}
	o.fields = append(o.fields, w.OrderBy...)
	keys := make([][]any, len(in))
	for i, row := range in {
		keys[i] = make([]any, len(o.fields))
		for j, f := range o.fields {
			v, err := f.Column.Eval(ctx, row)
			if err == nil {
				v, err = sql.UnwrapAny(ctx, v)
			}
			if err != nil {
				return nil, err
			}
			keys[i][j] = v
		}
	}
	o.at = make([]int, len(in))
	for i := range o.at {
		o.at[i] = i
	}
	var failed error
	sort.SliceStable(o.at, func(i, j int) bool {
		c, _, err := o.compare(ctx, keys[o.at[i]], keys[o.at[j]])
		if err != nil {
			failed = err
		}
		return c < 0
	})
	if failed != nil {
		return nil, failed
	}
	o.rows, o.keys = make(sql.WindowBuffer, len(in)), make([][]any, len(in))
	for i, at := range o.at {
		o.rows[i], o.keys[i] = in[at], keys[at]
	}
	return o, o.group(ctx)
}

// compare orders two keys; field is the first in which they differ.
func (o *windowOrder) compare(ctx *sql.Context, a, b []any) (c, field int, err error) {
	for i, f := range o.fields {
		if c, err = bridge.Compare(ctx, f.Column.Type(), a[i], b[i]); err != nil {
			return 0, 0, err
		}
		if f.Order == sql.Descending {
			c = -c
		}
		if c != 0 {
			return c, i, nil
		}
	}
	return 0, len(o.fields), nil
}

// group finds the partitions and the peers of each row.
func (o *windowOrder) group(ctx *sql.Context) error {
	n := len(o.rows)
	o.peers = make([]sql.WindowInterval, n)
	part, peer := 0, 0
	for i := 1; i <= n; i++ {
		field := -1
		if i < n {
			var err error
			if _, field, err = o.compare(ctx, o.keys[i-1], o.keys[i]); err != nil {
				return err
			}
			if field == len(o.fields) {
				continue
			}
		}
		for ; peer < i; peer++ {
			o.peers[peer].End = i
		}
		if i < n {
			o.peers[i].Start = i
		}
		if field < o.parts {
			o.partition = append(o.partition, sql.WindowInterval{Start: part, End: i})
			part = i
		}
	}
	for i := 1; i < n; i++ {
		if i < o.peers[i-1].End {
			o.peers[i].Start = o.peers[i-1].Start
		}
	}
	return nil
}

// eval writes a function's values to column col of out, the rows in input order.
func (o *windowOrder) eval(ctx *sql.Context, w sql.WindowAdaptableExpression, out []sql.Row, col int) error {
	fn, err := w.NewWindowFunction()
	if err != nil {
		return err
	}
	defer fn.Dispose()
	frame, err := o.newFramer(ctx, w.Window())
	if err != nil {
		return err
	}
	for _, p := range o.partition {
		if err := fn.StartPartition(ctx, p, o.rows); err != nil {
			return err
		}
		last, lastAt, dense := any(nil), sql.WindowInterval{Start: -1}, uint64(0)
		var run running
		for i := p.Start; i < p.End; i++ {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if o.peers[i].Start == i {
				dense++
			}
			var v any
			switch w.(type) {
			case *window.Rank:
				v = uint64(o.peers[i].Start-p.Start) + 1
			case *window.DenseRank:
				v = dense
			case *window.PercentRank:
				v = float64(0)
				if p.End-p.Start > 1 {
					v = float64(o.peers[i].Start-p.Start) / float64(p.End-p.Start-1)
				}
			case *window.RowNumber, *window.NTile, *window.Lag, *window.Lead:
				v = fn.Compute(ctx, p, o.rows)
			default:
				in, err := frame.at(ctx, p, i)
				if err != nil {
					return err
				}
				if in != lastAt {
					if last, err = run.compute(ctx, w, fn, p, in, o.rows); err != nil {
						return err
					}
					lastAt = in
				}
				v = last
			}
			if err, ok := v.(error); ok {
				return err
			}
			out[o.at[i]][col] = v
		}
	}
	return nil
}

// running adds up frames that begin with their partition, in place of going over
// each from its start.
type running struct {
	buf sql.AggregationBuffer
	end int
}

func (r *running) compute(ctx *sql.Context, w sql.WindowAdaptableExpression, fn sql.WindowFunction, p, in sql.WindowInterval, rows sql.WindowBuffer) (any, error) {
	switch w.(type) {
	case *aggregation.Max, *aggregation.Min, *aggregation.BitAnd, *aggregation.BitOr, *aggregation.BitXor:
		if in.Start != p.Start || in.End < r.end || r.buf == nil && in.End == in.Start {
			break
		}
		if r.buf == nil {
			b, err := w.(sql.Aggregation).NewBuffer()
			if err != nil {
				return nil, err
			}
			r.buf, r.end = b, in.Start
		}
		for ; r.end < in.End; r.end++ {
			if err := r.buf.Update(ctx, rows[r.end]); err != nil {
				return nil, err
			}
		}
		return r.buf.Eval(ctx)
	}
	v := fn.Compute(ctx, in, rows)
	if err, ok := v.(error); ok {
		return nil, err
	}
	if f, ok := v.(float64); ok && math.IsNaN(f) {
		return nil, nil // no values
	}
	return v, nil
}
