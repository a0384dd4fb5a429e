package bridge

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/types"
)

// The host asks for row editors on statements that are not run by Insert, Update
// or Delete: those with joins or several targets.
var (
	_ sql.InsertableTable  = (*Table)(nil)
	_ sql.ReplaceableTable = (*Table)(nil)
	_ sql.UpdatableTable   = (*Table)(nil)
	_ sql.DeletableTable   = (*Table)(nil)
)

// Inserter implements sql.InsertableTable.
func (t *Table) Inserter(*sql.Context) sql.RowInserter { return &editor{table: t} }

// Replacer implements sql.ReplaceableTable.
func (t *Table) Replacer(*sql.Context) sql.RowReplacer { return &editor{table: t, modify: true} }

// Updater implements sql.UpdatableTable.
func (t *Table) Updater(*sql.Context) sql.RowUpdater { return &editor{table: t, modify: true} }

// Deleter implements sql.DeletableTable.
func (t *Table) Deleter(*sql.Context) sql.RowDeleter { return &editor{table: t, modify: true} }

// editor writes row by row into the transaction's write.
type editor struct {
	table  *Table
	modify bool // rows derive from what the statement read

	out   *rowWriter
	moves moves
	write *storage.Write
	had   bool // the write existed before the statement
	mark  storage.Mark
}

var _ sql.TableEditor = (*editor)(nil)

// open makes the editor ready; it is put off to the first row, where errors can
// be returned.
func (e *editor) open(ctx *sql.Context) error {
	if e.out != nil {
		return nil
	}
	tx, err := transactionOf(ctx)
	if err != nil {
		return err
	}
	if p := tx.find(e.table.handle); p != nil && p.write != nil {
		e.had, e.mark = true, p.write.Mark()
	}
	p, err := tx.writer(ctx, e.table.handle, storage.WriteOptions{ReadModify: e.modify})
	if err != nil {
		return err
	}
	e.write = p.write
	e.moves.mem = Budget(ctx).Holder("the rows whose key changes")
	e.out = newRowWriter(ctx, e.table, p.write)
	e.out.sink.hold = true // the statement may read the table again
	return nil
}

// StatementBegin implements sql.EditOpenerCloser.
func (e *editor) StatementBegin(*sql.Context) {}

// DiscardChanges implements sql.EditOpenerCloser.
func (e *editor) DiscardChanges(ctx *sql.Context, _ error) error {
	if e.out == nil {
		return nil
	}
	e.release()
	if e.had {
		e.write.Rewind(e.mark)
		return nil
	}
	tx, err := transactionOf(ctx)
	if err != nil {
		return err
	}
	if p := tx.find(e.table.handle); p != nil && p.write == e.write {
		p.write.Abort()
		p.write = nil
	}
	return nil
}

// StatementComplete implements sql.EditOpenerCloser.
func (e *editor) StatementComplete(*sql.Context) error { return nil }

// Insert implements sql.RowInserter.
func (e *editor) Insert(ctx *sql.Context, row sql.Row) error {
	if err := e.open(ctx); err != nil {
		return err
	}
	return e.out.add(ctx, row, types.Insert)
}

// Update implements sql.RowUpdater.
func (e *editor) Update(ctx *sql.Context, old, row sql.Row) error {
	if err := e.open(ctx); err != nil {
		return err
	}
	return e.out.replace(ctx, &e.moves, old, row)
}

// Delete implements sql.RowDeleter.
func (e *editor) Delete(ctx *sql.Context, row sql.Row) error {
	if err := e.table.refuseRemoval("DELETE"); err != nil {
		return err
	}
	if err := e.open(ctx); err != nil {
		return err
	}
	return e.out.remove(ctx, row)
}

// Close implements sql.Closer: what was gathered goes to the transaction's write.
func (e *editor) Close(ctx *sql.Context) error {
	if e.out == nil {
		return nil
	}
	defer e.release()
	if err := e.moves.write(ctx, e.table, e.out); err != nil {
		return err
	}
	return e.out.finish(ctx)
}

// release gives back the memory of what was gathered.
func (e *editor) release() {
	e.out.sink.close()
	e.moves.mem.Close()
	e.out, e.moves = nil, moves{}
}
