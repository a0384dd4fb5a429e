package plan

import (
	"context"
	"io"
	"reflect"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/types"
)

// access is how the rows of an input are found, for all runs of a statement.
type access struct {
	input
	view  *storage.View
	types []types.Type // of a table
	width int
	probe probe
	kept  *exec.Kept // of a table
	node  *keptNode  // of something else; both nil: its rows differ

	rows  keptRows
	index *keyIndex
	mem   *membudget.Holder // of the index
	tried bool              // to make the index
}

// Close gives up what is kept.
func (a *access) Close() {
	if a.kept != nil {
		a.kept.Close()
	}
	if a.node != nil {
		a.node.Close()
	}
	a.mem.Close()
}

// accessKey tells the inputs of a statement apart. Nodes are copied for every outer
// row; tables and expressions are not.
type accessKey struct {
	table *hostplan.ResolvedTable // nil: of a join or derived table
	cond  sql.Expression
	base  int
}

// accessOf is the access of an input in the statement that runs; nil when it has none.
// join is a condition on it and the left side of its join, whose columns from base on are
// the input's; nil for none.
func (b *Builder) accessOf(ctx *sql.Context, in input, join sql.Expression, base int, strict bool) (*access, error) {
	cond := join
	if len(in.filters) > 0 {
		cond = in.filters[0]
	}
	if cond == nil && in.node != nil || cond != nil && reflect.TypeOf(cond).Kind() != reflect.Pointer {
		return nil, nil
	}
	s, err := bridge.SessionOf(ctx)
	if err != nil {
		return nil, err
	}
	a := bridge.Once(s, accessKey{in.table, cond, base}, func() *access { return newAccess(in) })
	if a.table == nil {
		return nil, nil
	}
	// A statement that starts over reads other versions of its tables.
	view, err := a.lake.View(ctx)
	if err != nil || a.view == view {
		return a, err
	}
	a.Close()
	*a = access{input: a.input, view: view, mem: bridge.Budget(ctx).Holder("an index of rows that are read again")}
	if a.input.node != nil {
		a.width, a.node = len(in.node.Schema()), newKeptNode(bridge.Budget(ctx))
	} else {
		a.types, _ = typesOf(in.table)
		a.width = len(a.types)
	}
	a.probe = probeOf(ctx, in, a.types, join, base, strict)
	switch {
	case a.node != nil:
	case a.probe.fixed == nil:
		key, err := in.lake.ScanKey(ctx)
		if err != nil {
			return nil, err
		}
		a.kept = bridge.Once(s, key, func() *exec.Kept { return b.keep(ctx, in.table, nil) })
	default:
		a.kept = b.keep(ctx, in.table, a.probe.fixed)
	}
	return a, nil
}

// newAccess is the access of an input; without a table when its rows differ.
func newAccess(in input) *access {
	if in.node != nil {
		if first, ok := sameRows(in.node, len(in.prefix)); ok {
			in.table = first
			in.lake, _ = tableOf(first)
		}
	}
	return &access{input: in}
}

// probeOf gathers what the conditions on an input say.
func probeOf(ctx *sql.Context, in input, ts []types.Type, join sql.Expression, base int, strict bool) probe {
	var p probe
	for _, e := range in.filters {
		p.add(ctx, e, ts, outerScope{base: len(in.prefix), scope: filterScope})
	}
	if join != nil {
		p.add(ctx, join, ts, outerScope{base: base, scope: joinScope, strict: strict})
	}
	return p
}

// keep returns the rows of a table for which pred is true.
func (b *Builder) keep(ctx *sql.Context, n *hostplan.ResolvedTable, pred *predicate.Node) *exec.Kept {
	return exec.NewKept(func(context.Context) (columnar.Reader, error) { return b.filtered(ctx, n, pred) }, bridge.Budget(ctx))
}

// filtered reads the rows of a table for which pred is true from storage.
func (b *Builder) filtered(ctx *sql.Context, n *hostplan.ResolvedTable, pred *predicate.Node) (columnar.Reader, error) {
	r, _, err := b.scan(ctx, n, request{filter: pred})
	if err != nil {
		return nil, err
	}
	return exec.NewFilter(r, pred), nil
}

// run gives the rows of the input for which the conditions can be true, and its
// filters are. row is that with which it is built, left the row of a join's left side.
func (b *Builder) run(ctx *sql.Context, a *access, in input, row, left sql.Row) (sql.RowIter, error) {
	outer := [scopes]sql.Row{filterScope: in.prefix, joinScope: left}
	it := &accessIter{width: a.width, filters: in.filters, prefix: in.prefix}
	if in.strip {
		it.cut = len(in.prefix)
	}
	list, kept, err := b.begin(ctx, a, in, row)
	if err != nil {
		return nil, err
	}
	if kept && len(a.probe.keys) > 0 {
		if err := a.makeIndex(ctx); err != nil {
			return nil, err
		}
		if a.index != nil {
			rows, all, err := a.index.find(ctx, outer)
			if err != nil {
				return nil, err
			}
			if !all {
				it.rows, it.end, it.kept = rows, len(rows), a.rows
				return it, nil
			}
		}
	}
	switch {
	case a.node == nil:
		err = b.scanned(ctx, a, it, list, kept, outer)
	case kept:
		it.end, it.kept = a.rows.count(), a.rows
	default:
		it.in, err = b.host.Build(ctx, in.node, row)
	}
	if err != nil {
		return nil, err
	}
	return it, nil
}

// begin begins a run of the input. kept says that its rows are in a.rows.
func (b *Builder) begin(ctx *sql.Context, a *access, in input, row sql.Row) (list []*columnar.Batch, kept bool, err error) {
	if a.node != nil {
		kept, err = a.node.run(ctx, func() (sql.RowIter, error) { return b.host.Build(ctx, in.node, row) }, len(in.prefix))
		if kept && a.rows == nil {
			a.rows = a.node.rows
		}
		return nil, kept, err
	}
	list, kept, err = a.kept.Run(ctx)
	if kept && a.rows == nil {
		a.rows = newBatchRows(ctx, list, a.types)
	}
	return list, kept, err
}

// scanned reads the rows of a table that are not found by keys.
func (b *Builder) scanned(ctx *sql.Context, a *access, it *accessIter, list []*columnar.Batch, kept bool, outer [scopes]sql.Row) error {
	pred, err := a.probe.predicate(ctx, outer)
	if err != nil {
		return err
	}
	var r columnar.Reader
	if kept {
		r = exec.NewFilter(exec.Replay(list), pred)
	} else if r, err = b.filtered(ctx, a.table, predicate.And(a.probe.fixed, pred)); err != nil {
		return err
	}
	it.reader, it.dec = r, decoders(ctx, a.types)
	return nil
}

func decoders(ctx *sql.Context, ts []types.Type) []*bridge.Decoder {
	loc := bridge.Location(ctx)
	out := make([]*bridge.Decoder, len(ts))
	for i, t := range ts {
		out[i] = bridge.NewDecoder(t, loc)
	}
	return out
}

// makeIndex makes the index of the kept rows once.
func (a *access) makeIndex(ctx *sql.Context) (err error) {
	if a.tried {
		return nil
	}
	a.tried = true
	a.index, err = newKeyIndex(ctx, a.rows, a.width, a.probe.keys, a.mem)
	return err
}

// accessIter gives the rows of one run.
type accessIter struct {
	width   int // of the input
	filters []sql.Expression
	prefix  sql.Row
	cut     int // columns of the prefix that are taken off again

	in sql.RowIter // all rows, with their prefix,

	reader columnar.Reader // or all without,
	batch  *columnar.Batch
	dec    []*bridge.Decoder

	kept keptRows // or rows of these,
	rows []int32  // with these numbers; nil: all
	next int
	end  int
}

// Next implements sql.RowIter.
func (it *accessIter) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := it.row(ctx)
		if err != nil {
			return nil, err
		}
		ok := true
		for i := len(it.filters) - 1; ok && i >= 0; i-- { // the lowest first
			v, err := sql.EvaluateCondition(ctx, it.filters[i], row)
			if err != nil {
				return nil, err
			}
			ok = sql.IsTrue(v)
		}
		if ok {
			return row[it.cut:], nil
		}
	}
}

// row is the next row, with its prefix.
func (it *accessIter) row(ctx *sql.Context) (sql.Row, error) {
	if it.in != nil {
		return it.in.Next(ctx)
	}
	if it.reader != nil {
		return it.decoded(ctx)
	}
	if it.next == it.end {
		return nil, io.EOF
	}
	if it.next%ctxEvery == 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	i := it.next
	if it.rows != nil {
		i = int(it.rows[i])
	}
	it.next++
	row := it.begin()
	it.kept.fill(row[len(it.prefix):], i, nil)
	return row, nil
}

// begin is a row with its prefix.
func (it *accessIter) begin() sql.Row {
	row := make(sql.Row, len(it.prefix)+it.width)
	copy(row, it.prefix)
	return row
}

// decoded is the next row of the reader.
func (it *accessIter) decoded(ctx *sql.Context) (sql.Row, error) {
	for it.batch == nil || it.next >= it.batch.Rows() {
		b, err := it.reader.Next(ctx)
		if err != nil {
			return nil, err
		}
		it.batch, it.next = b, 0
	}
	i := it.next
	if it.batch.Sel != nil {
		i = int(it.batch.Sel[i])
	}
	it.next++
	row := it.begin()
	for c, d := range it.dec {
		row[len(it.prefix)+c] = d.Value(it.batch.Cols[c], i)
	}
	return row, nil
}

// Close implements sql.RowIter.
func (it *accessIter) Close(ctx *sql.Context) error {
	it.kept, it.next, it.end = nil, 0, 0
	switch {
	case it.in != nil:
		return it.in.Close(ctx)
	case it.reader != nil:
		r := it.reader
		it.reader, it.batch = nil, nil
		return r.Close()
	}
	return nil
}

// batchRows are the rows of kept batches.
type batchRows struct {
	list  []*columnar.Batch
	start []int // row number of each batch's first
	n     int
	dec   []*bridge.Decoder
}

func newBatchRows(ctx *sql.Context, list []*columnar.Batch, ts []types.Type) *batchRows {
	r := &batchRows{list: list, dec: decoders(ctx, ts)}
	for _, b := range list {
		r.start = append(r.start, r.n)
		r.n += b.N
	}
	return r
}

func (r *batchRows) count() int { return r.n }

func (r *batchRows) fill(dst sql.Row, i int, cols []int) {
	at, found := slices.BinarySearch(r.start, i)
	if !found {
		at--
	}
	b := r.list[at]
	i -= r.start[at]
	if cols == nil {
		for c, d := range r.dec {
			dst[c] = d.Value(b.Cols[c], i)
		}
		return
	}
	for _, c := range cols {
		dst[c] = r.dec[c].Value(b.Cols[c], i)
	}
}
