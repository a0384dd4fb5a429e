package bridge

import (
	"errors"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/storage/row"
)

// DeleteJoined is a DELETE of named tables by the rows of a join.
type DeleteJoined struct {
	Targets []JoinTarget
	Source  Source // rows of the join
}

// JoinTarget is a table of a join that rows are deleted from.
type JoinTarget struct {
	Table *Table
	Start int // where its columns, all of them, begin in a row
}

// Iter is the statement as a host iterator. Its commit is the transaction's, so
// that a conflict is not met by running it again.
func (s *DeleteJoined) Iter() sql.RowIter {
	return NewOKIter(func(ctx *sql.Context) (Result, error) {
		for _, t := range s.Targets {
			if !t.Table.schema.HasPrimaryKey() {
				return Result{}, t.Table.refuseJoin("DELETE")
			}
		}
		var edits []*joinDelete
		for _, t := range s.Targets {
			edits = append(edits, &joinDelete{JoinTarget: t, editor: &editor{table: t.Table, modify: true},
				rows: newRowBatches(t.Table.Fields(), Location(ctx)), keys: t.Table.keyColumns(), seen: map[string]bool{}})
		}
		var r Result
		err := eachRow(ctx, s.Source, func(row sql.Row) error {
			for _, e := range edits {
				n, err := e.delete(ctx, row)
				if err != nil {
					return err
				}
				r.Affected += n
			}
			return nil
		})
		for _, e := range edits {
			if err != nil {
				err = errors.Join(err, e.editor.DiscardChanges(ctx, err))
				continue
			}
			err = e.editor.Close(ctx)
		}
		return r, err
	})
}

// refuseJoin refuses a statement that cannot tell equal rows apart.
func (t *Table) refuseJoin(verb string) error {
	return Errorf(CodeNotSupported, "%s of joined tables needs a primary key; table '%s' has none", verb, t.name)
}

// joinDelete deletes each row of one table once.
type joinDelete struct {
	JoinTarget
	editor *editor
	rows   rowBatches
	keys   []int
	seen   map[string]bool
}

func (e *joinDelete) delete(ctx *sql.Context, joined sql.Row) (int64, error) {
	r := joined[e.Start : e.Start+len(e.rows.encoders)]
	if r[e.keys[0]] == nil {
		return 0, nil // no row of this table in an outer join
	}
	if err := e.rows.add(r); err != nil {
		return 0, err
	}
	key := string(row.AppendNormalized(nil, pick(e.rows.batch.Cols, e.keys), 0))
	e.rows.batch.Reset()
	if e.seen[key] {
		return 0, nil
	}
	e.seen[key] = true
	return 1, e.editor.Delete(ctx, r)
}
