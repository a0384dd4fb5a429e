package storage

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
	"github.com/lakesql/lakesql/storage/types"
	"github.com/lakesql/lakesql/storage/write"
)

// Overwrite says which partitions a write replaces, see write.Overwrite.
type Overwrite = write.Overwrite

// WriteOptions say how a write is published.
type WriteOptions struct {
	// ReadModify says that rows are derived from what the view holds: Commit gives
	// ErrWriteConflict when one of their keys was written since.
	ReadModify bool
	// Operation is recorded in the snapshot; "" is WRITE.
	Operation snapshot.Operation
	// Overwrite replaces partitions; nil adds rows.
	Overwrite *Overwrite
	// Turn is the statement's place when it is run again; nil: it is not.
	Turn *Turn
}

// Turn is the place of a statement that is run again, see write.Turn.
type Turn = write.Turn

// NewTurn returns the turn of a statement that is about to write the table.
func (t *Table) NewTurn() *Turn { return t.publisher.NewTurn() }

// ConstraintError says that a row cannot be stored.
type ConstraintError struct {
	Column string
	Row    int64 // from 1, counted over all rows of the write
	Null   bool  // a null in a NOT NULL column
	Long   bool  // a value that is longer than its column
	Detail string
}

func (e *ConstraintError) Error() string {
	if e.Null {
		return fmt.Sprintf("column '%s' cannot be null, at row %d", e.Column, e.Row)
	}
	return fmt.Sprintf("column '%s': %s, at row %d", e.Column, e.Detail, e.Row)
}

// Write collects rows for a table and publishes them as one commit. It belongs to
// one goroutine and ends in Commit or Abort.
type Write struct {
	v        *View
	st       *write.Statement
	err      error            // why the table cannot be written
	kindAt   int              // column of rowkind.field, or -1
	defaults []columnar.Value // by column; null: none
	hasDefs  bool

	taken   taken    // rows to take out of an append table
	pending *pending // files with what was written so far; nil: not made

	mem *membudget.Holder // of the rows in memory
}

// Write begins to write to the table that v shows. What cannot be written is said
// by Add.
func (v *View) Write(o WriteOptions) *Write {
	w := &Write{v: v, st: write.NewStatement(v.layout), kindAt: -1}
	w.st.ReadModify, w.st.Operation, w.st.Overwrite, w.st.Turn = o.ReadModify, o.Operation, o.Overwrite, o.Turn
	if v.snap != nil {
		w.st.Base = int64(v.snap.ID)
	}
	w.err = w.check()
	return w
}

// check refuses tables that lakesql cannot write rightly.
func (w *Write) check() error {
	if features := w.v.version.cannotWrite; len(features) > 0 {
		return &UnsupportedError{Table: w.v.t.Name(), Verb: "write", Features: features}
	}
	if !w.v.newest {
		return fmt.Errorf("table %s: an older version cannot be written", w.v.t.Name())
	}
	if err := w.v.layout.Paths().CheckWrite(); err != nil {
		return err
	}
	if name := w.v.opts.Merge.RowKindField; name != "" {
		if w.kindAt = schema.FieldIndex(w.v.schema.Fields, name); w.kindAt < 0 {
			return fmt.Errorf("table %s: option rowkind.field names no column: %s", w.v.t.Name(), name)
		}
	}
	w.defaults, w.hasDefs = w.v.version.defaults, w.v.version.someDefaults
	return w.v.version.defaultsErr
}

// View is the version of the table that the write follows from.
func (w *Write) View() *View { return w.v }

// Changes reports whether anything was added or taken, and not taken back.
func (w *Write) Changes() bool { return w.st.Rows() > 0 || len(w.taken.log) > 0 }

// Mark is a place in a Write to which Rewind returns; the zero value is its beginning.
type Mark struct {
	added write.Mark
	taken int
}

// Mark returns the present place.
func (w *Write) Mark() Mark { return Mark{added: w.st.Mark(), taken: len(w.taken.log)} }

// Rewind takes back what was added and taken since the mark.
func (w *Write) Rewind(m Mark) {
	w.dropPending()
	w.st.Rewind(m.added)
	if m.added == 0 {
		w.dropSpill()
	}
	w.taken.rewind(m.taken)
	_ = w.mem.To(w.st.SizeBytes()) // less than before is never refused
}

// SetReadModify says from now on that rows are derived from what the view holds,
// see WriteOptions.
func (w *Write) SetReadModify() { w.st.ReadModify = true }

// Add takes the live rows of a batch that has all columns of the table in schema
// order, and their kinds. It copies what it keeps. A row that the table cannot
// store is a *ConstraintError, and nothing of the batch is kept.
func (w *Write) Add(ctx context.Context, b *columnar.Batch) error {
	if w.err != nil {
		return w.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(b.Cols) != len(w.v.schema.Fields) {
		return fmt.Errorf("write to table %s: %d columns for %d", w.v.t.Name(), len(b.Cols), len(w.v.schema.Fields))
	}
	b = b.Compact()
	if err := w.checkRows(b); err != nil {
		return err
	}
	if w.hasDefs {
		b = w.fillDefaults(b)
	}
	b, err := w.withKinds(b)
	if err != nil {
		return err
	}
	w.st.Add(b)
	return w.makeRoom(ctx)
}

// makeRoom writes the rows to files when they outgrow memory. Those of a transaction,
// which may take rows back, stay in memory: a *membudget.LimitError when there is none.
func (w *Write) makeRoom(ctx context.Context) error {
	limit := w.v.opts.Write.BufferBytes
	if whole := w.v.t.env.budget.Limit(); whole > 0 {
		limit = min(limit, whole/4)
	}
	size := w.st.SizeBytes()
	if w.mem == nil {
		w.mem = w.v.t.env.budget.Holder("what is written to table " + w.v.t.Name())
	}
	full := w.mem.To(size)
	switch {
	case size < minBufferBytes, full == nil && size < limit:
		return nil
	case w.st.Marked():
		return full
	}
	defer w.mem.Close()
	if err := w.v.t.publisher.Spill(ctx, w.st, w.v.snap); err != nil {
		return fmt.Errorf("write to table %s: %w", w.v.t.Name(), err)
	}
	return nil
}

// minBufferBytes is the least memory that a statement's rows may take before they
// are written to files.
const minBufferBytes = 1 << 20

// checkRows refuses nulls in NOT NULL columns and texts that are too long.
func (w *Write) checkRows(b *columnar.Batch) error {
	for i, f := range w.v.schema.Fields {
		v := b.Cols[i]
		if f.Type.NotNull && v.Valid != nil && v.NullCount() > 0 {
			for k := range b.N {
				if v.IsNull(k) {
					return &ConstraintError{Column: f.Name, Row: w.st.Rows() + int64(k) + 1, Null: true}
				}
			}
		}
		if k := tooLong(f.Type, v, b.N); k >= 0 {
			return &ConstraintError{Column: f.Name, Row: w.st.Rows() + int64(k) + 1, Long: true, Detail: fmt.Sprintf("value is longer than %d", f.Type.Length)}
		}
	}
	return nil
}

// tooLong finds a value that is longer than its type allows; -1: none.
func tooLong(t types.Type, v *columnar.Vector, n int) int {
	switch t.Kind {
	case types.Char, types.VarChar, types.Binary, types.VarBinary:
	default:
		return -1
	}
	if t.Length == types.MaxLength || t.Length == 0 || v.Dict != nil {
		return -1
	}
	for i := range n {
		size := int(v.Off[i+1] - v.Off[i])
		if size <= t.Length {
			continue // never more characters than bytes
		}
		if !t.Text() || characters(v.Bytes(i)) > t.Length {
			return i
		}
	}
	return -1
}

func characters(b []byte) int {
	n := 0
	for _, c := range b {
		if c&0xc0 != 0x80 {
			n++
		}
	}
	return n
}

// fillDefaults returns b with the nulls of columns that have a default replaced.
func (w *Write) fillDefaults(b *columnar.Batch) *columnar.Batch {
	out := *b
	out.Cols = append([]*columnar.Vector(nil), b.Cols...)
	for i, d := range w.defaults {
		v := b.Cols[i]
		if d.Null || v.Valid == nil || v.NullCount() == 0 {
			continue
		}
		filled := columnar.NewVector(v.Type, b.N)
		for k := range b.N {
			if v.IsNull(k) {
				filled.AppendValue(d)
			} else {
				columnar.AppendRange(filled, v, k, k+1)
			}
		}
		out.Cols[i] = filled
	}
	return &out
}

// withKinds sets row kinds from rowkind.field, refuses retractions of append
// tables, and leaves out the rows that the table ignores.
func (w *Write) withKinds(b *columnar.Batch) (*columnar.Batch, error) {
	if w.kindAt >= 0 {
		v := b.Cols[w.kindAt]
		out := *b
		out.Kinds = make([]types.RowKind, b.N)
		for i := range b.N {
			if v.IsNull(i) {
				return nil, &ConstraintError{Column: w.v.schema.Fields[w.kindAt].Name, Row: w.st.Rows() + int64(i) + 1, Null: true}
			}
			k, err := types.ParseRowKind(string(v.Bytes(i)))
			if err != nil {
				return nil, &ConstraintError{Column: w.v.schema.Fields[w.kindAt].Name, Row: w.st.Rows() + int64(i) + 1, Detail: err.Error()}
			}
			out.Kinds[i] = k
		}
		b = &out
	}
	if len(b.Kinds) == 0 {
		return b, nil
	}
	if !w.v.schema.HasPrimaryKey() {
		for i, k := range b.Kinds {
			if k.Retract() {
				return nil, fmt.Errorf("table %s has no primary key: it cannot take a row of kind %s, at row %d", w.v.t.Name(), k, w.st.Rows()+int64(i)+1)
			}
		}
		return b, nil
	}
	m := w.v.opts.Merge
	if !m.IgnoreDelete && !m.IgnoreUpdateBefore {
		return b, nil
	}
	var keep []int32
	for i, k := range b.Kinds {
		if (k.Retract() && m.IgnoreDelete) || (k == types.UpdateBefore && m.IgnoreUpdateBefore) {
			continue
		}
		keep = append(keep, int32(i))
	}
	if len(keep) == b.N {
		return b, nil
	}
	out := columnar.NewBatch(types.FieldTypes(w.v.schema.Fields), len(keep))
	out.AppendSlots(b, keep)
	return out, nil
}

// CommitResult tells what a commit published.
type CommitResult struct {
	// Snapshots hold the rows, those of statements of the same group too; none when
	// there was nothing to publish.
	Snapshots []*snapshot.Snapshot
}

// Commit publishes what was written: when it returns nil it is durable and visible.
func (w *Write) Commit(ctx context.Context) (CommitResult, error) {
	defer w.dropPending()
	if w.err != nil {
		return CommitResult{}, w.err
	}
	w.mem.Close() // from here on the buffers of the files count
	defer w.st.Release()
	defer w.taken.rewind(0)
	var res write.Result
	var err error
	if len(w.taken.log) > 0 {
		res, err = w.commitTaken(ctx)
	} else {
		res, err = w.v.t.publisher.Publish(ctx, w.st)
	}
	if err != nil {
		if !errors.Is(err, commit.ErrUnknownOutcome) {
			w.dropSpill()
		}
		return CommitResult{}, fmt.Errorf("write to table %s: %w", w.v.t.Name(), err)
	}
	return CommitResult{Snapshots: res.Snapshots}, nil
}

// Abort drops the rows.
func (w *Write) Abort() { w.Rewind(Mark{}) }

// dropSpill removes the files of rows that are not published. One that cannot be
// removed is left to the cleaning of orphan files.
func (w *Write) dropSpill() {
	if err := w.v.t.publisher.DiscardSpill(context.Background(), w.st); err != nil {
		w.v.t.env.Log.Warn("files of a statement that was given up are left", "table", w.v.t.dir, "error", err)
	}
}
