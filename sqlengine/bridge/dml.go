package bridge

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/types"
)

// Source opens the rows of a statement. It is called again when the statement is
// run again after a conflict.
type Source func(ctx *sql.Context) (sql.RowIter, error)

// maxRuns is how often an autocommitted statement is run when what it read was
// written meanwhile.
const maxRuns = 10

// change is one statement that writes tables.
type change struct {
	tables []*Table // each another
	opts   storage.WriteOptions
	// run reads and writes; the writes, one for each table, are open on the versions
	// that the statement reads.
	run     func(ctx *sql.Context, w []*storage.Write) (Result, error)
	lenient bool // IGNORE: faults are warnings
}

// changeOf is a change of one table.
func changeOf(t *Table, o storage.WriteOptions, run func(*sql.Context, *storage.Write) (Result, error)) *change {
	return &change{tables: []*Table{t}, opts: o, run: func(ctx *sql.Context, w []*storage.Write) (Result, error) { return run(ctx, w[0]) }}
}

// apply runs a change: as a whole inside a transaction, else published at once
// and run again while it loses conflicts.
func (c *change) apply(ctx *sql.Context) (Result, error) {
	tx, err := transactionOf(ctx)
	if err != nil {
		return Result{}, err
	}
	for _, t := range c.tables {
		if t.travels && t.at.AsOf != (storage.AsOf{}) {
			return Result{}, Errorf(CodeNotSupported, "table '%s' is read at an older version and cannot be written", t.name)
		}
	}
	if explicit(ctx) {
		return c.inside(ctx, tx)
	}
	// In one order for all, so that two statements never wait for each other's turn.
	slices.SortFunc(c.tables, func(a, b *Table) int { return strings.Compare(a.handle.Dir(), b.handle.Dir()) })
	turns := make([]*storage.Turn, len(c.tables))
	for i, t := range c.tables {
		turns[i] = t.handle.NewTurn()
		defer turns[i].End()
	}
	again := warningsOf(ctx)
	for i := 0; ; i++ {
		r, published, err := c.once(ctx, tx, turns)
		if err == nil || published > 0 || !errors.Is(err, storage.ErrWriteConflict) || i == maxRuns {
			return r, err
		}
		for _, t := range turns {
			if err := t.Wait(ctx); err != nil {
				return r, err
			}
		}
		tx.renew()
		again()
	}
}

// once runs the change and publishes it, and tells how many tables were.
func (c *change) once(ctx *sql.Context, tx *Transaction, turns []*storage.Turn) (r Result, published int, err error) {
	open := make([]*pinned, len(c.tables))
	for i, t := range c.tables {
		o := c.opts
		o.Turn = turns[i]
		if open[i], err = tx.writer(ctx, t.handle, o); err != nil {
			break
		}
	}
	if err == nil {
		r, err = c.write(ctx, open)
	}
	for _, p := range open {
		if err == nil {
			if err = p.publish(ctx); err == nil {
				published++
			}
		}
		if p != nil && p.write != nil {
			p.write.Abort()
			p.write = nil
		}
	}
	return r, published, err
}

// inside runs the change in a transaction that the user ends; on an error the
// transaction is as it was before.
func (c *change) inside(ctx *sql.Context, tx *Transaction) (r Result, err error) {
	before := tx.marks()
	open := make([]*pinned, len(c.tables))
	for i, t := range c.tables {
		if open[i], err = tx.writer(ctx, t.handle, c.opts); err != nil {
			break
		}
	}
	if err == nil {
		r, err = c.write(ctx, open)
	}
	if err != nil {
		tx.rewind(before)
	}
	return r, err
}

// write runs the change over what the tables held before the statement: its reads
// do not meet its own rows.
func (c *change) write(ctx *sql.Context, open []*pinned) (Result, error) {
	writes := make([]*storage.Write, len(open))
	for i, p := range open {
		p.begin()
		defer p.end()
		writes[i] = p.write
	}
	if s, err := SessionOf(ctx); err == nil && !c.lenient {
		s.strict = true
		defer func() { s.strict = false }()
	}
	return c.run(ctx, writes)
}

// Strict reports whether the statement writes a table, so that faults of
// expressions that give NULL in a query are errors.
func Strict(ctx *sql.Context) bool {
	s, err := SessionOf(ctx)
	return err == nil && s.strict
}

// sink hands batches to a write, at once or at the statement's end.
type sink struct {
	write *storage.Write
	hold  bool
	kept  []*columnar.Batch
	gone  []*columnar.Batch // to be taken out
	mem   *membudget.Holder
}

// newSink is a sink for the statement that runs; w may be nil for one that only checks.
func newSink(ctx *sql.Context, t *Table, w *storage.Write) *sink {
	s := &sink{write: w, mem: Budget(ctx).Holder("the rows that the statement changes")}
	if tx, err := transactionOf(ctx); err == nil && w != nil {
		p := tx.find(t.handle)
		s.hold = p != nil && p.hold
	}
	return s
}

func (s *sink) add(ctx *sql.Context, b *columnar.Batch) error {
	if s.hold {
		s.kept = append(s.kept, b.Clone())
		return s.mem.More(b.SizeBytes())
	}
	return s.write.Add(ctx, b)
}

// take takes rows out of an append table.
func (s *sink) take(ctx *sql.Context, b *columnar.Batch) error {
	if s.hold {
		s.gone = append(s.gone, b.Clone())
		return s.mem.More(b.SizeBytes())
	}
	return s.write.Take(ctx, b)
}

// finish hands over what was held.
func (s *sink) finish(ctx *sql.Context) error {
	for _, b := range s.gone {
		if err := s.write.Take(ctx, b); err != nil {
			return err
		}
	}
	for _, b := range s.kept {
		if err := s.write.Add(ctx, b); err != nil {
			return err
		}
	}
	s.kept, s.gone = nil, nil
	return nil
}

// close gives the memory back, whatever happened.
func (s *sink) close() { s.mem.Close() }

// rowWriter gathers rows into batches for a write.
type rowWriter struct {
	table *Table
	sink  *sink
	rows  rowBatches
	gone  *rowBatches // rows to take out of an append table; nil: none yet
	keys  []int       // columns of the primary key
	loc   *time.Location
	ctx   *sql.Context // lenient: where warnings go

	sequence *sequence // nil: not looked up yet
}

func newRowWriter(ctx *sql.Context, t *Table, w *storage.Write) *rowWriter {
	loc := Location(ctx)
	return &rowWriter{table: t, sink: newSink(ctx, t, w), rows: newRowBatches(t.Fields(), loc), keys: t.keyColumns(), loc: loc}
}

// lenient makes values that do not fit the nearest ones that do, with warnings,
// as INSERT IGNORE and UPDATE IGNORE do.
func (w *rowWriter) lenient(ctx *sql.Context) *rowWriter {
	w.ctx = ctx
	for _, e := range w.rows.encoders {
		e.warn = ctx
	}
	return w
}

// remove takes a row that was read out of the table: a deletion of its key, or
// the row itself from a table without keys.
func (w *rowWriter) remove(ctx *sql.Context, row sql.Row) error {
	if w.table.schema.HasPrimaryKey() {
		return w.add(ctx, row, types.Delete)
	}
	if w.gone == nil {
		g := newRowBatches(w.table.Fields(), w.loc)
		w.gone = &g
	}
	if err := w.gone.add(row); err != nil {
		return err
	}
	if w.gone.batch.N < columnar.BatchRows {
		return nil
	}
	return w.take(ctx)
}

func (w *rowWriter) take(ctx *sql.Context) error {
	if w.gone == nil || w.gone.batch.N == 0 {
		return nil
	}
	err := w.sink.take(ctx, w.gone.batch)
	w.gone.batch.Reset()
	return err
}

// filled is row with the implicit defaults of columns that must not be null.
func (w *rowWriter) filled(row sql.Row) sql.Row {
	copied := false
	for i, f := range w.table.Fields() {
		if row[i] != nil || !f.Type.NotNull {
			continue
		}
		if !copied {
			row, copied = row.Copy(), true
		}
		row[i] = implicitDefault(f.Type)
		w.ctx.Warn(CodeBadNull.Num, "Column '%s' cannot be null", f.Name)
	}
	return row
}

// add appends a host row of all columns.
func (w *rowWriter) add(ctx *sql.Context, row sql.Row, kind types.RowKind) error {
	if w.ctx != nil {
		row = w.filled(row)
	}
	if err := w.rows.add(row); err != nil {
		return err
	}
	b := w.rows.batch
	if kind != types.Insert && len(b.Kinds) < b.N-1 {
		b.Kinds = make([]types.RowKind, b.N-1, columnar.BatchRows)
	}
	if kind != types.Insert || len(b.Kinds) > 0 {
		b.Kinds = append(b.Kinds, kind)
	}
	if b.N < columnar.BatchRows {
		return nil
	}
	return w.flush(ctx)
}

// flush hands what was gathered to the sink.
func (w *rowWriter) flush(ctx *sql.Context) error {
	b := w.rows.batch
	if b.N == 0 {
		return nil
	}
	if len(b.Kinds) == 0 {
		b.Kinds = nil
	}
	err := w.sink.add(ctx, b)
	b.Reset()
	return err
}

// finish hands over everything; the statement's reads are over.
func (w *rowWriter) finish(ctx *sql.Context) error {
	if err := w.take(ctx); err != nil {
		return err
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	return w.sink.finish(ctx)
}

// eachRow calls f for all rows of src.
func eachRow(ctx *sql.Context, src Source, f func(sql.Row) error) (err error) {
	it, err := src(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close(ctx)) }()
	for n := 0; ; n++ {
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		row, err := it.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(row); err != nil {
			return err
		}
	}
}

// info is the text behind MySQL's OK of a statement that changes rows.
type info string

func (i info) String() string { return string(i) }

func updateInfo(matched, changed int64) info {
	return info(fmt.Sprintf("Rows matched: %d  Changed: %d  Warnings: 0", matched, changed))
}

func insertInfo(rows, duplicates int64) info {
	return info(fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: 0", rows, duplicates))
}

// options are the table's, with those that the statement gave.
func (t *Table) options() (options.Table, error) {
	if t.parsed != nil {
		return *t.parsed, nil
	}
	all := maps.Clone(t.schema.Options)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, t.at.Dynamic)
	o, err := options.Parse(all)
	if err != nil {
		return o, err
	}
	t.parsed = &o
	return o, nil
}

// refuseRemoval refuses a statement that removes rows where it would do nothing.
func (t *Table) refuseRemoval(verb string) error {
	if !t.schema.HasPrimaryKey() {
		return nil
	}
	o, err := t.options()
	if err != nil {
		return err
	}
	if o.Merge.IgnoreDelete {
		return Errorf(CodeNotSupported, "%s would change nothing: table '%s' has the option 'ignore-delete'='true'", verb, t.name)
	}
	return nil
}
