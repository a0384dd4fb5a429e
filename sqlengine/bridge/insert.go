package bridge

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/hints"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Insert is an INSERT or REPLACE.
type Insert struct {
	Table   *Table
	Source  Source // rows of all columns of the table
	Replace bool
	Ignore  bool
	OnDup   []sql.Expression // assignments over the old row followed by the new one
	// Omitted are the columns that the statement does not name.
	Omitted sql.FastIntSet
}

// Iter is the statement as a host iterator.
func (s *Insert) Iter() sql.RowIter {
	return NewOKIter(func(ctx *sql.Context) (Result, error) {
		c := change{table: s.Table, run: s.plain}
		if s.keyed() {
			c.opts.ReadModify, c.run = true, s.byKey
		}
		if t := s.Table.db.target; t != nil && t.Overwrite {
			o, err := overwriteOf(s.Table, t)
			if err != nil {
				return Result{}, err
			}
			c.opts.Overwrite = o
		}
		return c.apply(ctx)
	})
}

// keyed reports whether the rows that exist decide about the result.
func (s *Insert) keyed() bool {
	return s.Table.schema.HasPrimaryKey() && (s.Replace || s.Ignore || len(s.OnDup) > 0)
}

// overwriteOf is what INSERT OVERWRITE replaces.
func overwriteOf(t *Table, target *hints.Target) (*storage.Overwrite, error) {
	opts, err := t.schema.Table()
	if err != nil {
		return nil, err
	}
	o := &storage.Overwrite{Dynamic: opts.Write.DynamicOverwrite && len(t.schema.PartitionKeys) > 0}
	for _, p := range target.Partition {
		if p.Value == nil && !p.Null {
			continue
		}
		v, err := t.partitionValue(p)
		if err != nil {
			return nil, err
		}
		if o.Partition == nil {
			o.Partition = map[string]columnar.Value{}
		}
		o.Partition[p.Column] = v
	}
	return o, nil
}

// partitionValue reads one constant of a PARTITION clause.
func (t *Table) partitionValue(p hints.PartitionValue) (columnar.Value, error) {
	if !contains(t.schema.PartitionKeys, p.Column) {
		return columnar.Value{}, Errorf(CodeBadField, "Unknown partition column '%s' of table '%s'", p.Column, t.name)
	}
	f, _ := t.schema.Field(p.Column)
	if p.Null || p.Value == nil {
		return columnar.NullValue, nil
	}
	v := columnar.NewVector(f.Type, 1)
	if err := NewEncoder(f.Name, f.Type, nil).Append(v, *p.Value); err != nil {
		return columnar.Value{}, err
	}
	return v.Value(0), nil
}

// plain appends all rows: on a primary key table the merge engine folds them.
func (s *Insert) plain(ctx *sql.Context, w *storage.Write) (Result, error) {
	it, err := s.Source(ctx)
	if err != nil {
		return Result{}, err
	}
	if b, ok := Batches(it); ok {
		n, err := s.batches(ctx, w, b)
		return Result{Affected: n, Info: insertInfo(n, 0)}, errors.Join(err, it.Close(ctx))
	}
	rows := newRowWriter(ctx, s.Table, w)
	var n int64
	err = eachRow(ctx, func(*sql.Context) (sql.RowIter, error) { return it, nil }, func(row sql.Row) error {
		n++
		if err := s.checkOmitted(row); err != nil {
			return err
		}
		return rows.add(ctx, row, types.Insert)
	})
	if err == nil {
		err = rows.flush(ctx)
	}
	return Result{Affected: n, Info: insertInfo(n, 0)}, err
}

// checkOmitted refuses a row without a value for a column that must have one and
// that the statement does not name.
func (s *Insert) checkOmitted(row sql.Row) error {
	if s.Omitted.Empty() {
		return nil
	}
	for i, c := range s.Table.columns {
		if row[i] == nil && !c.Nullable && s.Omitted.Contains(i) {
			return Errorf(CodeNoDefault, "Field '%s' doesn't have a default value", c.Name)
		}
	}
	return nil
}

// batches hands batches to the write, columns cast where their types differ.
func (s *Insert) batches(ctx *sql.Context, w *storage.Write, src BatchIter) (n int64, err error) {
	fields := s.Table.Fields()
	var cast *caster
	for {
		b, err := src.NextBatch(ctx)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if cast == nil {
			if cast, err = newCaster(b, fields, Location(ctx)); err != nil {
				return n, err
			}
		}
		out, err := cast.batch(b)
		if err != nil {
			return n, err
		}
		if err := w.Add(ctx, out); err != nil {
			return n, err
		}
		n += int64(b.Rows())
	}
}
