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
	tx, err := TransactionOf(ctx)
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
	e.out = newRowWriter(ctx, e.table, p.write)
	return nil
}

// StatementBegin implements sql.EditOpenerCloser.
func (e *editor) StatementBegin(*sql.Context) {}

// DiscardChanges implements sql.EditOpenerCloser.
func (e *editor) DiscardChanges(ctx *sql.Context, _ error) error {
	if e.out == nil {
		return nil
	}
	e.out = nil
	if e.had {
		e.write.Rewind(e.mark)
		return nil
	}
	tx, err := TransactionOf(ctx)
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
	if err := e.table.refuseAppend("UPDATE"); err != nil {
		return err
	}
	for _, c := range e.table.keyColumns() {
		same, err := old[c:c+1].Equals(ctx, row[c:c+1], e.table.columns[c:c+1])
		if err != nil {
			return err
		}
		if !same {
			return Errorf(CodeNotSupported, "primary key column '%s' of table '%s' cannot be updated", e.table.columns[c].Name, e.table.name)
		}
	}
	if err := e.open(ctx); err != nil {
		return err
	}
	return e.out.add(ctx, row, types.UpdateAfter)
}

// Delete implements sql.RowDeleter.
func (e *editor) Delete(ctx *sql.Context, row sql.Row) error {
	if err := e.table.refuseAppend("DELETE"); err != nil {
		return err
	}
	if err := e.open(ctx); err != nil {
		return err
	}
	return e.out.add(ctx, row, types.Delete)
}

// Close implements sql.Closer: what was gathered goes to the transaction's write.
func (e *editor) Close(ctx *sql.Context) error {
	if e.out == nil {
		return nil
	}
	return e.out.flush(ctx)
}
