package bridge

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/types"
)

// maxKeyList is up to how many keys a lookup names them to the scan.
const maxKeyList = 10_000

// incoming is the rows of a statement with their keys.
type incoming struct {
	rows []sql.Row
	keys []string           // of each row; bytes.Compare order is key order
	vals [][]columnar.Value // of the keys; none where they are too many to look for
}

// byKey handles the statements in which an existing row of the key counts:
// INSERT IGNORE, REPLACE and ON DUPLICATE KEY UPDATE.
func (s *Insert) byKey(ctx *sql.Context, w *storage.Write) (Result, error) {
	mem := Budget(ctx).Holder("the rows of the statement and those with their keys")
	defer mem.Close()
	in, err := s.gather(ctx, mem)
	if err != nil || len(in.rows) == 0 {
		return Result{}, err
	}
	have, err := s.Table.existing(ctx, in, mem)
	if err != nil {
		return Result{}, err
	}
	out := newRowWriter(ctx, s.Table, w)
	defer out.sink.close()
	var r Result
	var duplicates int64
	for i, row := range in.rows {
		old, exists := have[in.keys[i]]
		if exists {
			duplicates++
		}
		switch {
		case exists && s.Ignore && len(s.OnDup) == 0 && !s.Replace:
			ctx.Warn(CodeDuplicateEntry.Num, "Duplicate entry for key 'PRIMARY' of table '%s'", s.Table.name)
			continue
		case exists && s.Replace:
			r.Affected++
		case exists:
			if row, err = s.onDuplicate(ctx, old, row); err != nil {
				return r, err
			}
			moved, err := out.movedKey(ctx, old, row)
			if err != nil {
				return r, err
			}
			if moved >= 0 {
				return r, Errorf(CodeNotSupported, "primary key column '%s' cannot be assigned in ON DUPLICATE KEY UPDATE", s.Table.columns[moved].Name)
			}
			same, err := old.Equals(ctx, row, s.Table.columns)
			if err != nil {
				return r, err
			}
			if same {
				r.Matched++
				continue
			}
			if err := out.inSequence(ctx, old, row); err != nil {
				return r, err
			}
			r.Affected++
		}
		r.Affected++
		kind := types.Insert
		if exists {
			kind = types.UpdateAfter
		}
		if err := out.add(ctx, row, kind); err != nil {
			return r, err
		}
		have[in.keys[i]] = row
	}
	r.Matched += r.Affected
	r.Info = insertInfo(int64(len(in.rows)), duplicates)
	return r, out.finish(ctx)
}

// onDuplicate evaluates the assignments over the old row followed by the new one.
func (s *Insert) onDuplicate(ctx *sql.Context, old, row sql.Row) (sql.Row, error) {
	both := append(append(make(sql.Row, 0, 2*len(old)), old...), row...)
	for _, e := range s.OnDup {
		v, err := e.Eval(ctx, both)
		if err != nil {
			return nil, err
		}
		next, ok := v.(sql.Row)
		if !ok {
			return nil, fmt.Errorf("internal error: an assignment gave %T", v)
		}
		both = next
	}
	return both[:len(old)], nil
}

// gather reads all rows of the statement; their values are those that the
// columns keep.
func (s *Insert) gather(ctx *sql.Context, mem *membudget.Holder) (*incoming, error) {
	in := &incoming{}
	t := s.Table
	loc := Location(ctx)
	rw := s.rowWriter(ctx, nil)
	rows := &rw.rows
	dec := make([]*Decoder, len(rows.batch.Cols))
	for i, c := range rows.batch.Cols {
		dec[i] = NewDecoder(c.Type, loc)
	}
	keys := t.keyColumns()
	take := func() error {
		b := rows.batch
		cols := pick(b.Cols, keys)
		for i := range b.N {
			r := make(sql.Row, len(dec))
			for k, d := range dec {
				r[k] = d.Value(b.Cols[k], i)
			}
			vals := make([]columnar.Value, len(cols))
			for k, c := range cols {
				vals[k] = c.Value(i)
			}
			if err := mem.More(2 * RowBytes(r)); err != nil { // with its key
				return err
			}
			in.rows = append(in.rows, r)
			in.keys = append(in.keys, string(row.AppendNormalized(nil, cols, i)))
			in.vals = append(in.vals, vals)
		}
		b.Reset()
		return nil
	}
	err := eachRow(ctx, s.Source, func(r sql.Row) error {
		if err := s.checkOmitted(r); err != nil {
			return err
		}
		if r = t.widen(r); s.Ignore {
			r = rw.filled(r)
		}
		if err := rows.add(r); err != nil {
			return err
		}
		for _, k := range keys {
			if c := rows.batch.Cols[k]; c.IsNull(c.N - 1) {
				return Errorf(CodeBadNull, "Column '%s' cannot be null", t.schema.Fields[k].Name)
			}
		}
		if rows.batch.N == columnar.BatchRows {
			return take()
		}
		return nil
	})
	if err == nil {
		err = take()
	}
	return in, err
}

// keyColumns are the indexes of the primary key's columns.
func (t *Table) keyColumns() []int {
	out := make([]int, len(t.schema.PrimaryKeys))
	for i, k := range t.schema.PrimaryKeys {
		for j, f := range t.schema.Fields {
			if f.Name == k {
				out[i] = j
			}
		}
	}
	return out
}

func pick[T any](all []T, at []int) []T {
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = all[k]
	}
	return out
}

// existing reads the table's rows that have one of the keys.
func (t *Table) existing(ctx *sql.Context, in *incoming, mem *membudget.Holder) (map[string]sql.Row, error) {
	have := map[string]sql.Row{}
	all := *t
	all.project = nil
	dec := make([]*Decoder, len(t.schema.Fields))
	for k, f := range t.schema.Fields {
		dec[k] = NewDecoder(f.Type, Location(ctx))
	}
	err := t.eachExisting(ctx, in, all.Columns(), func(key string, b *columnar.Batch, i int) error {
		r := make(sql.Row, len(dec))
		for k, d := range dec {
			r[k] = d.Value(b.Cols[k], i)
		}
		have[key] = r
		return mem.More(RowBytes(r))
	})
	return have, err
}

// keyFilter names the keys to the scan, column by column; nil when there are too many.
func (t *Table) keyFilter(vals [][]columnar.Value) *predicate.Node {
	if len(vals) > maxKeyList {
		return nil
	}
	var nodes []*predicate.Node
	for k, col := range t.keyColumns() {
		f := t.schema.Fields[col]
		if f.Type.Nested() {
			continue
		}
		seen := map[columnar.Value]bool{}
		var list []columnar.Value
		for _, v := range vals {
			if !seen[v[k]] {
				seen[v[k]] = true
				list = append(list, v[k])
			}
		}
		nodes = append(nodes, predicate.In(col, f.Type, list...))
	}
	return predicate.And(nodes...)
}
