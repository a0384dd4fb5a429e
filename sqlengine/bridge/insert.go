package bridge

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Insert is an INSERT or REPLACE.
type Insert struct {
	Table  *Table
	Source Source // rows of all columns of the table
	// From are the types of the values of Source, a column each; nil for those that
	// are not known.
	From    []sql.Type
	Replace bool
	Ignore  bool
	OnDup   []sql.Expression // assignments over the old row followed by the new one
	// ReadsTarget says that Source reads the newest version of Table.
	ReadsTarget bool
	// Omitted are the columns that the statement does not name.
	Omitted sql.FastIntSet
}

// Iter is the statement as a host iterator.
func (s *Insert) Iter() sql.RowIter { return NewOKIter(s.exec) }

func (s *Insert) exec(ctx *sql.Context) (Result, error) {
	if len(s.Table.given) > 0 && len(s.OnDup) > 0 {
		return Result{}, Errorf(CodeNotSupported, "ON DUPLICATE KEY UPDATE with a PARTITION clause is not supported; list the partition columns instead")
	}
	run := s.plain
	if s.keyed() {
		run = s.byKey
	}
	c := changeOf(s.Table, storage.WriteOptions{ReadModify: s.keyed() || s.ReadsTarget}, run)
	c.lenient = s.Ignore
	if t := s.Table.db.target; t != nil && t.Overwrite {
		o, err := overwriteOf(s.Table)
		if err != nil {
			return Result{}, err
		}
		c.opts.Overwrite = o
	}
	return c.apply(ctx)
}

// keyed reports whether the rows that exist decide about the result.
func (s *Insert) keyed() bool {
	return s.Table.schema.HasPrimaryKey() && (s.Replace || s.Ignore || len(s.OnDup) > 0)
}

// overwriteOf is what INSERT OVERWRITE replaces.
func overwriteOf(t *Table) (*storage.Overwrite, error) {
	opts, err := t.options()
	if err != nil {
		return nil, err
	}
	o := &storage.Overwrite{Dynamic: opts.Write.DynamicOverwrite && len(t.given) < len(t.schema.PartitionKeys)}
	if o.Dynamic {
		return o, nil // the rows carry the given values
	}
	for _, g := range t.given {
		if o.Partition == nil {
			o.Partition = map[string]columnar.Value{}
		}
		o.Partition[t.schema.Fields[g.column].Name] = g.value
	}
	return o, nil
}

// plain appends all rows: on a primary key table the merge engine folds them.
func (s *Insert) plain(ctx *sql.Context, w *storage.Write) (Result, error) {
	it, err := s.Source(ctx)
	if err != nil {
		return Result{}, err
	}
	if b, ok := Batches(it); ok && !s.Ignore {
		n, err := s.batches(ctx, w, b)
		return Result{Affected: n, Info: insertInfo(n, 0)}, errors.Join(err, it.Close(ctx))
	}
	rows := s.rowWriter(ctx, w)
	defer rows.sink.close()
	var n int64
	err = eachRow(ctx, func(*sql.Context) (sql.RowIter, error) { return it, nil }, func(row sql.Row) error {
		n++
		if err := s.checkOmitted(row); err != nil {
			return err
		}
		return rows.add(ctx, s.Table.widen(row), types.Insert)
	})
	if err == nil {
		err = rows.finish(ctx)
	}
	return Result{Affected: n, Info: insertInfo(n, 0)}, err
}

// rowWriter is a writer of the rows of Source.
func (s *Insert) rowWriter(ctx *sql.Context, w *storage.Write) *rowWriter {
	out := newRowWriter(ctx, s.Table, w)
	for i, c := range s.Table.Columns() {
		if i < len(s.From) {
			out.rows.encoders[c].from = s.From[i]
		}
	}
	if s.Ignore {
		out.lenient(ctx)
	}
	return out
}

// checkOmitted refuses a row without a value for a column that must have one and
// that the statement does not name.
func (s *Insert) checkOmitted(row sql.Row) error {
	if s.Omitted.Empty() || s.Ignore {
		return nil
	}
	for i, c := range s.Table.Schema() {
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
	out := newSink(ctx, s.Table, w)
	defer out.close()
	for {
		b, err := src.NextBatch(ctx)
		if err == io.EOF {
			return n, out.finish(ctx)
		}
		if err != nil {
			return n, err
		}
		b = s.Table.widenBatch(b)
		if cast == nil {
			if cast, err = newCaster(b, fields, Location(ctx)); err != nil {
				return n, err
			}
		}
		x, err := cast.batch(b)
		if err != nil {
			return n, err
		}
		if err := out.add(ctx, x); err != nil {
			return n, err
		}
		n += int64(b.Rows())
	}
}
