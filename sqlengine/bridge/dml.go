package bridge

import (
	"errors"
	"fmt"
	"io"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Source opens the rows of a statement. It is called again when the statement is
// run again after a conflict.
type Source func(ctx *sql.Context) (sql.RowIter, error)

// maxRuns is how often an autocommitted statement is run when what it read was
// written meanwhile.
const maxRuns = 10

// change is one statement that writes a table.
type change struct {
	table *Table
	opts  storage.WriteOptions
	// run reads and writes; w is open on the version that the statement reads.
	run func(ctx *sql.Context, w *storage.Write) (Result, error)
}

// apply runs a change: as a whole inside a transaction, else published at once
// and run again while it loses conflicts.
func (c *change) apply(ctx *sql.Context) (Result, error) {
	tx, err := TransactionOf(ctx)
	if err != nil {
		return Result{}, err
	}
	if c.table.travels && c.table.at.AsOf != (storage.AsOf{}) {
		return Result{}, Errorf(CodeNotSupported, "table '%s' is read at an older version and cannot be written", c.table.name)
	}
	if Explicit(ctx) {
		return c.inside(ctx, tx)
	}
	for i := 0; ; i++ {
		r, err := c.once(ctx, tx)
		if err == nil || !errors.Is(err, storage.ErrWriteConflict) || i == maxRuns {
			return r, err
		}
		tx.renew()
	}
}

// once runs the change and publishes it.
func (c *change) once(ctx *sql.Context, tx *Transaction) (Result, error) {
	p, err := tx.writer(ctx, c.table.handle, c.opts)
	if err != nil {
		return Result{}, err
	}
	r, err := c.run(ctx, p.write)
	if err == nil {
		err = p.publish(ctx)
	}
	if err != nil && p.write != nil {
		p.write.Abort()
		p.write = nil
	}
	return r, err
}

// inside runs the change in a transaction that the user ends; on an error the
// transaction is as it was before.
func (c *change) inside(ctx *sql.Context, tx *Transaction) (Result, error) {
	had := false
	var mark storage.Mark
	if p := tx.find(c.table.handle); p != nil && p.write != nil {
		had, mark = true, p.write.Mark()
	}
	p, err := tx.writer(ctx, c.table.handle, c.opts)
	if err != nil {
		return Result{}, err
	}
	r, err := c.run(ctx, p.write)
	if err == nil {
		return r, nil
	}
	if had {
		p.write.Rewind(mark)
	} else {
		p.write.Abort()
		p.write = nil
	}
	return r, err
}

// writer gathers rows into batches for a write.
type rowWriter struct {
	table *Table
	write *storage.Write
	rows  rowBatches
}

func newRowWriter(ctx *sql.Context, t *Table, w *storage.Write) *rowWriter {
	fields := t.Fields()
	loc := Location(ctx)
	ts := make([]types.Type, len(fields))
	rw := &rowWriter{table: t, write: w}
	for i, f := range fields {
		ts[i] = f.Type
		rw.rows.encoders = append(rw.rows.encoders, NewEncoder(f.Name, f.Type, loc))
	}
	rw.rows.batch = columnar.NewBatch(ts, 0)
	return rw
}

// add appends a host row of all columns.
func (w *rowWriter) add(ctx *sql.Context, row sql.Row, kind types.RowKind) error {
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

// flush hands what was gathered to the write.
func (w *rowWriter) flush(ctx *sql.Context) error {
	b := w.rows.batch
	if b.N == 0 {
		return nil
	}
	if len(b.Kinds) == 0 {
		b.Kinds = nil
	}
	err := w.write.Add(ctx, b)
	b.Reset()
	return err
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

// refuseAppend refuses a statement that needs a primary key.
func (t *Table) refuseAppend(verb string) error {
	if t.schema.HasPrimaryKey() {
		return nil
	}
	return Errorf(CodeNotSupported, "%s needs a primary key; table '%s' has none", verb, t.name)
}
