package bridge

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/snapshot"
)

var _ sql.TruncateableTable = (*Table)(nil)

// Truncate implements sql.TruncateableTable: it removes all rows with one commit
// and returns how many there were.
func (t *Table) Truncate(ctx *sql.Context) (int, error) {
	n, err := t.count(ctx)
	if err != nil {
		return 0, err
	}
	return int(n), Empty(ctx, t.handle, nil)
}

// TruncateIter is TRUNCATE, and DELETE without a condition. Inside a transaction
// that the user ends rows are deleted one by one, so that it can be rolled back.
func (t *Table) TruncateIter(source Source) sql.RowIter {
	return NewOKIter(func(ctx *sql.Context) (Result, error) {
		if explicit(ctx) {
			if err := t.refuseRemoval("DELETE"); err != nil {
				return Result{}, err
			}
			d := Delete{Table: t, Source: source}
			return changeOf(t, storage.WriteOptions{ReadModify: true, Operation: snapshot.OpDelete}, d.run).apply(ctx)
		}
		n, err := t.Truncate(ctx)
		return Result{Affected: int64(n)}, err
	})
}

// count is the number of rows of the table.
func (t *Table) count(ctx *sql.Context) (int64, error) {
	n, exact, err := t.RowCount(ctx)
	if err != nil || exact {
		return int64(n), err
	}
	all := *t
	all.project = []int{}
	s, err := all.Scan(ctx, ScanOptions{})
	if err != nil {
		return 0, err
	}
	r := s.Reader()
	defer r.Close()
	var rows int64
	for {
		b, err := r.Next(ctx)
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return 0, err
		}
		rows += int64(b.Rows())
	}
}

// Empty removes the rows of the partitions that have these values, or all rows
// for none, with one commit.
func Empty(ctx *sql.Context, t *storage.Table, partition map[string]columnar.Value) error {
	v, err := t.View(ctx, storage.ViewOptions{})
	if err != nil {
		return err
	}
	defer v.Close()
	if v.Snapshot() == nil {
		return nil
	}
	_, err = v.Write(storage.WriteOptions{Operation: snapshot.OpTruncate, Overwrite: &storage.Overwrite{Partition: partition}}).Commit(ctx)
	return err
}
