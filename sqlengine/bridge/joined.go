package bridge

import (
	"fmt"
	"io"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/types"
)

// Joined is a DELETE or UPDATE of tables by the rows of a join. A row that the join
// has several times is changed once, as its first appearance says.
type Joined struct {
	Targets []JoinTarget
	// Source gives the rows of the join; of an UPDATE each is followed by the same
	// row after the assignments.
	Source Source
	Update bool
}

// JoinTarget is a table of a join whose rows are changed.
type JoinTarget struct {
	Table *Table
	Start int // where its columns, all of them, begin in a row
	// Optional says that a row of the join may have none of this table: NULLs stand
	// in its place.
	Optional bool
}

// Iter is the statement as a host iterator.
func (s *Joined) Iter() sql.RowIter {
	return NewOKIter(func(ctx *sql.Context) (Result, error) {
		op := snapshot.OpDelete
		if s.Update {
			op = "UPDATE"
		}
		c := change{opts: storage.WriteOptions{ReadModify: true, Operation: op}, run: s.run}
		names := map[*storage.Table]string{}
		for _, t := range s.Targets {
			if !s.Update {
				if err := t.Table.refuseRemoval("DELETE"); err != nil {
					return Result{}, err
				}
			}
			other, twice := names[t.Table.handle]
			if !twice {
				names[t.Table.handle] = t.Table.name
				c.tables = append(c.tables, t.Table)
			} else if s.Update {
				return Result{}, Errorf(CodeNotSupported, "UPDATE that assigns to one table under two names, '%s' and '%s', is not supported", other, t.Table.name)
			}
		}
		return c.apply(ctx)
	})
}

// run gathers the rows to change, then changes them: the join may read the targets
// to its end.
func (s *Joined) run(ctx *sql.Context, writes []*storage.Write) (Result, error) {
	edits := make([]*joinEdit, len(s.Targets))
	of := map[*storage.Table]*joinEdit{}
	for i, t := range s.Targets {
		e := of[t.Table.handle]
		if e == nil {
			var err error
			if e, err = newJoinEdit(ctx, t.Table, writes); err != nil {
				return Result{}, err
			}
			defer e.close()
			of[t.Table.handle] = e
		}
		edits[i] = e
	}
	var r Result
	err := eachRow(ctx, s.Source, func(joined sql.Row) error {
		half := len(joined) / 2
		for i, t := range s.Targets {
			width := len(t.Table.Fields())
			old, now := joined[t.Start:t.Start+width], sql.Row(nil)
			if s.Update {
				now = joined[half+t.Start : half+t.Start+width]
			}
			if t.Optional && allNull(old) {
				continue
			}
			if err := edits[i].note(ctx, old, now); err != nil {
				return err
			}
		}
		return nil
	})
	for _, e := range of {
		if err == nil {
			err = e.apply(ctx, &r)
		}
	}
	if s.Update {
		r.Info = updateInfo(r.Matched, r.Affected)
	} else {
		r.Matched = 0
	}
	return r, err
}

func allNull(r sql.Row) bool {
	for _, v := range r {
		if v != nil {
			return false
		}
	}
	return true
}

// joinEdit is the rows of one table that are to change.
type joinEdit struct {
	table *Table
	out   *rowWriter
	rows  rowBatches
	keys  []int // columns that tell rows apart: the primary key's, or nil for all
	edits []rowEdit
	at    map[string]int // the place in edits of a row, by its bytes
	mem   *membudget.Holder
}

// rowEdit is a row to change, or in an append table all rows equal to it.
type rowEdit struct {
	old, now sql.Row // now nil: to be deleted; old itself: matched, without a change
	found    bool    // in an append table
}

func newJoinEdit(ctx *sql.Context, t *Table, writes []*storage.Write) (*joinEdit, error) {
	e := &joinEdit{table: t, rows: newRowBatches(t.Fields(), Location(ctx)), at: map[string]int{},
		mem: Budget(ctx).Holder("the rows of " + t.name + " that the join gives")}
	if t.schema.HasPrimaryKey() {
		e.keys = t.keyColumns()
	}
	for _, w := range writes {
		if w.View().Table() == t.handle {
			e.out = newRowWriter(ctx, t, w)
			return e, nil
		}
	}
	return nil, fmt.Errorf("internal error: no write of table %s", t.name)
}

func (e *joinEdit) close() {
	e.out.sink.close()
	e.mem.Close()
}

// note takes in a row of the join.
func (e *joinEdit) note(ctx *sql.Context, old, now sql.Row) error {
	if err := e.rows.add(old); err != nil {
		return err
	}
	b := e.rows.batch
	var key []byte
	if e.keys != nil {
		key = row.AppendNormalized(nil, pick(b.Cols, e.keys), 0)
	} else {
		key = row.AppendRow(nil, b.Cols, 0)
	}
	b.Reset()
	if _, seen := e.at[string(key)]; seen {
		return nil
	}
	edit := rowEdit{old: old.Copy()}
	if now != nil {
		same, err := old.Equals(ctx, now, e.table.columns)
		if err != nil {
			return err
		}
		if edit.now = edit.old; !same {
			edit.now = now.Copy()
		}
	}
	e.at[string(key)] = len(e.edits)
	e.edits = append(e.edits, edit)
	return e.mem.More(int64(len(key)) + 128 + RowBytes(edit.old) + RowBytes(edit.now))
}

// changes reports whether the row becomes another or goes.
func (r *rowEdit) changes() bool { return r.now == nil || &r.now[0] != &r.old[0] }

// apply writes the changes and counts them.
func (e *joinEdit) apply(ctx *sql.Context, r *Result) error {
	if e.keys == nil {
		if err := e.applyEqual(ctx, r); err != nil {
			return err
		}
		return e.out.finish(ctx)
	}
	moves := moves{mem: Budget(ctx).Holder("the rows whose key changes")}
	defer moves.mem.Close()
	for i := range e.edits {
		x := &e.edits[i]
		r.Matched++
		if !x.changes() {
			continue
		}
		r.Affected++
		var err error
		if x.now == nil {
			err = e.out.remove(ctx, x.old)
		} else {
			err = e.out.replace(ctx, &moves, x.old, x.now)
		}
		if err != nil {
			return err
		}
	}
	if err := moves.write(ctx, e.table, e.out); err != nil {
		return err
	}
	return e.out.finish(ctx)
}

// applyEqual changes the rows of an append table, which has no key: rows that are
// equal fare alike. It reads them again, to know how many there are.
func (e *joinEdit) applyEqual(ctx *sql.Context, r *Result) error {
	if len(e.edits) == 0 {
		return nil
	}
	t := *e.table
	t.project = nil
	scan, err := t.Scan(ctx, ScanOptions{})
	if err != nil {
		return err
	}
	in := scan.Reader()
	defer in.Close()
	for {
		b, err := in.Next(ctx)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = e.applyBatch(ctx, b.Compact(), r)
		}
		if err != nil {
			return err
		}
	}
	for i := range e.edits {
		if !e.edits[i].found {
			return Errorf(CodeNotSupported, "a row of table '%s' has values that SQL cannot show whole, such as times finer than microseconds; it cannot be changed by a join", e.table.name)
		}
	}
	return nil
}

func (e *joinEdit) applyBatch(ctx *sql.Context, b *columnar.Batch, r *Result) error {
	var gone []int32
	var key []byte
	for i := range b.N {
		key = row.AppendRow(key[:0], b.Cols, i)
		n, ok := e.at[string(key)]
		if !ok {
			continue
		}
		x := &e.edits[n]
		x.found = true
		r.Matched++
		if !x.changes() {
			continue
		}
		r.Affected++
		gone = append(gone, int32(i))
		if x.now == nil {
			continue
		}
		if err := e.out.add(ctx, x.now, types.Insert); err != nil {
			return err
		}
	}
	if len(gone) == 0 {
		return nil
	}
	taken := columnar.NewBatch(types.FieldTypes(e.table.Fields()), len(gone))
	taken.AppendSlots(b, gone)
	return e.out.sink.take(ctx, taken)
}
