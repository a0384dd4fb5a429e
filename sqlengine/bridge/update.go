package bridge

import (
	"errors"
	"io"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/types"
)

// Update is an UPDATE of one table.
type Update struct {
	Table   *Table
	Source  Source   // old rows followed by new ones, all columns each
	Assigns []string // columns that are assigned
	Ignore  bool
}

// Iter is the statement as a host iterator.
func (s *Update) Iter() sql.RowIter {
	return NewOKIter(func(ctx *sql.Context) (Result, error) {
		if s.movesKeys() {
			if err := s.Table.refuseRemoval("UPDATE"); err != nil {
				return Result{}, err
			}
		}
		c := changeOf(s.Table, storage.WriteOptions{ReadModify: true, Operation: "UPDATE"}, s.run)
		c.lenient = s.Ignore
		return c.apply(ctx)
	})
}

// movesKeys reports whether a column of the primary key is assigned.
func (s *Update) movesKeys() bool {
	for _, a := range s.Assigns {
		if slices.Contains(s.Table.schema.PrimaryKeys, a) {
			return true
		}
	}
	return false
}

func (s *Update) run(ctx *sql.Context, w *storage.Write) (Result, error) {
	out := newRowWriter(ctx, s.Table, w)
	defer out.sink.close()
	if s.Ignore {
		out.lenient(ctx)
	}
	moves := moves{mem: Budget(ctx).Holder("the rows whose key changes")}
	defer moves.mem.Close()
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
		return out.replace(ctx, &moves, old, now)
	})
	if err == nil {
		err = moves.write(ctx, s.Table, out)
	}
	if err == nil {
		err = out.finish(ctx)
	}
	r.Info = updateInfo(r.Matched, r.Affected)
	return r, err
}

// replace puts a row in the place of another. One that gets another primary key is
// put off to moves.
func (w *rowWriter) replace(ctx *sql.Context, m *moves, old, now sql.Row) error {
	if !w.table.schema.HasPrimaryKey() {
		if err := w.remove(ctx, old); err != nil {
			return err
		}
		return w.add(ctx, now, types.Insert)
	}
	moved, err := w.movedKey(ctx, old, now)
	if err != nil {
		return err
	}
	if moved < 0 {
		if err := w.inSequence(ctx, old, now); err != nil {
			return err
		}
		return w.add(ctx, now, types.UpdateAfter)
	}
	if err := w.table.refuseRemoval("UPDATE"); err != nil {
		return err
	}
	return m.add(old, now)
}

// inSequence refuses a row that would lose against the one in whose place it comes.
func (w *rowWriter) inSequence(ctx *sql.Context, old, now sql.Row) (err error) {
	if w.sequence == nil {
		if w.sequence, err = w.table.sequence(); err != nil {
			return err
		}
	}
	return w.sequence.refuse(ctx, old, now)
}

// movedKey is the first column of the primary key in which two rows differ, or -1.
func (w *rowWriter) movedKey(ctx *sql.Context, a, b sql.Row) (int, error) {
	for _, c := range w.keys {
		same, err := a[c:c+1].Equals(ctx, b[c:c+1], w.table.columns[c:c+1])
		if err != nil || !same {
			return c, err
		}
	}
	return -1, nil
}

// moves are rows that get another primary key.
type moves struct {
	old, now []sql.Row
	mem      *membudget.Holder
}

func (m *moves) add(old, now sql.Row) error {
	m.old = append(m.old, old.Copy())
	m.now = append(m.now, now.Copy())
	return m.mem.More(RowBytes(old) + RowBytes(now))
}

// write deletes the old keys and adds the new ones, which must be free once all
// old ones are gone.
func (m *moves) write(ctx *sql.Context, t *Table, out *rowWriter) error {
	if len(m.old) == 0 {
		return nil
	}
	from, err := t.keysOf(ctx, m.old)
	if err != nil {
		return err
	}
	to, err := t.keysOf(ctx, m.now)
	if err != nil {
		return err
	}
	have, err := t.existing(ctx, to, m.mem)
	if err != nil {
		return err
	}
	left := map[string]sql.Row{} // the rows that leave a key
	for i, k := range from.keys {
		delete(have, k)
		left[k] = m.old[i]
	}
	taken := map[string]bool{}
	for i, k := range to.keys {
		if old, ok := left[k]; ok {
			if err := out.inSequence(ctx, old, m.now[i]); err != nil {
				return err
			}
		}
		if _, exists := have[k]; exists || taken[k] {
			return t.duplicate(m.now[i])
		}
		taken[k] = true
	}
	for _, r := range m.old {
		if err := out.add(ctx, r, types.Delete); err != nil {
			return err
		}
	}
	for _, r := range m.now {
		if err := out.add(ctx, r, types.Insert); err != nil {
			return err
		}
	}
	return nil
}

// duplicate says that a row's key is taken.
func (t *Table) duplicate(r sql.Row) error {
	var text string
	for i, c := range t.keyColumns() {
		if i > 0 {
			text += "-"
		}
		text += show(r[c])
	}
	return Errorf(CodeDuplicateEntry, "Duplicate entry '%s' for key '%s.PRIMARY'", text, t.name)
}

// keysOf are the keys of rows.
func (t *Table) keysOf(ctx *sql.Context, rows []sql.Row) (*incoming, error) {
	b := newRowBatches(t.Fields(), Location(ctx))
	in, keys := &incoming{}, t.keyColumns()
	for _, r := range rows {
		if err := b.add(r); err != nil {
			return nil, err
		}
		cols := pick(b.batch.Cols, keys)
		vals := make([]columnar.Value, len(cols))
		for k, c := range cols {
			if c.IsNull(0) {
				return nil, Errorf(CodeBadNull, "Column '%s' cannot be null", t.schema.PrimaryKeys[k])
			}
			vals[k] = c.Value(0)
		}
		in.keys = append(in.keys, string(row.AppendNormalized(nil, cols, 0)))
		in.vals = append(in.vals, vals)
		b.batch.Reset()
	}
	return in, nil
}

// Delete is a DELETE from one table.
type Delete struct {
	Table  *Table
	Source Source // rows to delete, all columns
}

// Iter is the statement as a host iterator.
func (s *Delete) Iter() sql.RowIter {
	return NewOKIter(func(ctx *sql.Context) (Result, error) {
		if err := s.Table.refuseRemoval("DELETE"); err != nil {
			return Result{}, err
		}
		return changeOf(s.Table, storage.WriteOptions{ReadModify: true, Operation: "DELETE"}, s.run).apply(ctx)
	})
}

func (s *Delete) run(ctx *sql.Context, w *storage.Write) (Result, error) {
	it, err := s.Source(ctx)
	if err != nil {
		return Result{}, err
	}
	if b, ok := Batches(it); ok {
		n, err := s.batches(ctx, w, b)
		return Result{Affected: n}, errors.Join(err, it.Close(ctx))
	}
	out := newRowWriter(ctx, s.Table, w)
	defer out.sink.close()
	var r Result
	err = eachRow(ctx, func(*sql.Context) (sql.RowIter, error) { return it, nil }, func(row sql.Row) error {
		r.Affected++
		return out.remove(ctx, row)
	})
	if err == nil {
		err = out.finish(ctx)
	}
	return r, err
}

// batches deletes rows that come in batches.
func (s *Delete) batches(ctx *sql.Context, w *storage.Write, src BatchIter) (n int64, err error) {
	out := newSink(ctx, s.Table, w)
	defer out.close()
	keyed := s.Table.schema.HasPrimaryKey()
	var kinds []types.RowKind
	for {
		b, err := src.NextBatch(ctx)
		if err == io.EOF {
			return n, out.finish(ctx)
		}
		if err != nil {
			return n, err
		}
		n += int64(b.Rows())
		if !keyed {
			if err := out.take(ctx, b); err != nil {
				return n, err
			}
			continue
		}
		for len(kinds) < b.N {
			kinds = append(kinds, types.Delete)
		}
		gone := *b
		gone.Kinds = kinds[:b.N]
		if err := out.add(ctx, &gone); err != nil {
			return n, err
		}
	}
}
