package bridge

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/types"
)

// Update is an UPDATE of one table.
type Update struct {
	Table   *Table
	Source  Source   // old rows followed by new ones, all columns each
	Assigns []string // columns that are assigned
}

// Iter is the statement as a host iterator.
func (s *Update) Iter() sql.RowIter {
	return NewOKIter(func(ctx *sql.Context) (Result, error) {
		if err := s.Table.refuseAppend("UPDATE"); err != nil {
			return Result{}, err
		}
		for _, a := range s.Assigns {
			if contains(s.Table.schema.PrimaryKeys, a) {
				return Result{}, Errorf(CodeNotSupported, "primary key column '%s' of table '%s' cannot be updated", a, s.Table.name)
			}
		}
		c := change{table: s.Table, opts: storage.WriteOptions{ReadModify: true, Operation: "UPDATE"}, run: s.run}
		return c.apply(ctx)
	})
}

func (s *Update) run(ctx *sql.Context, w *storage.Write) (Result, error) {
	out := newRowWriter(ctx, s.Table, w)
	var r Result
	n := len(s.Table.columns)
	err := eachRow(ctx, s.Source, func(row sql.Row) error {
		old, now := row[:n], row[n:2*n]
		r.Matched++
		same, err := old.Equals(ctx, now, s.Table.columns)
		if err != nil || same {
			return err
		}
		r.Affected++
		return out.add(ctx, now, types.UpdateAfter)
	})
	if err == nil {
		err = out.flush(ctx)
	}
	r.Info = updateInfo(r.Matched, r.Affected)
	return r, err
}

// Delete is a DELETE from one table.
type Delete struct {
	Table  *Table
	Source Source // rows to delete, all columns
}

// Iter is the statement as a host iterator.
func (s *Delete) Iter() sql.RowIter {
	return NewOKIter(func(ctx *sql.Context) (Result, error) {
		if err := s.Table.refuseAppend("DELETE"); err != nil {
			return Result{}, err
		}
		c := change{table: s.Table, opts: storage.WriteOptions{ReadModify: true, Operation: "DELETE"}, run: s.run}
		return c.apply(ctx)
	})
}

func (s *Delete) run(ctx *sql.Context, w *storage.Write) (Result, error) {
	out := newRowWriter(ctx, s.Table, w)
	var r Result
	err := eachRow(ctx, s.Source, func(row sql.Row) error {
		r.Affected++
		return out.add(ctx, row, types.Delete)
	})
	if err == nil {
		err = out.flush(ctx)
	}
	return r, err
}
