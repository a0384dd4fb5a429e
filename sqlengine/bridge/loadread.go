package bridge

import (
	"errors"
	"fmt"
	"io"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/sqlengine/loadfile"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// maxField is how long a field may be.
func (l *loader) maxField() int {
	v, err := l.ctx.GetSessionVariable(l.ctx, "max_allowed_packet")
	if n, ok := Int64(v); ok && err == nil {
		return int(n)
	}
	return 1 << 30
}

// read reads the file to its end.
func (l *loader) read(file io.Reader) error {
	l.file = loadfile.NewReader(whileRuns{l.ctx, file}, l.Format, loadfile.Options{Charset: l.Charset, MaxField: l.maxField(), Grow: l.mem.More})
	l.file.Skip(l.Skip, len(l.targets))
	for more := true; more; {
		l.row++
		n, err := l.fields()
		if err == nil {
			err = l.fault()
		}
		if err != nil {
			return err
		}
		if n == 0 {
			l.row--
			break
		}
		if err := l.endRow(n); err != nil {
			return err
		}
		if more = l.file.NextLine(); more && l.file.Cut() {
			if err := l.lineFault(CodeTooManyFields, "Row %d was truncated; it contained more data than there were input columns"); err != nil {
				return err
			}
		}
		if l.rows.batch.N == columnar.BatchRows {
			if err := l.flush(); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(l.fault(), l.flush()); err != nil {
		return err
	}
	if l.keys != nil {
		if err := l.keys.write(); err != nil {
			return err
		}
	}
	return l.out.finish(l.ctx)
}

// whileRuns reads until the statement is killed.
type whileRuns struct {
	ctx *sql.Context
	src io.Reader
}

// Read implements io.Reader.
func (r whileRuns) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.src.Read(p)
}

// fault is why the file could not be read on.
func (l *loader) fault() error {
	err := l.file.Err()
	var bad *loadfile.CharacterError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &bad):
		return WithCode(CodeBadCharacter, err)
	case errors.Is(err, loadfile.ErrFieldTooLong):
		return Errorf(CodePacketTooLarge, "Row %d has a field of more than 'max_allowed_packet' bytes", l.row)
	}
	return err
}

// lineFault is a fault of a line: an error, or a warning.
func (l *loader) lineFault(code Code, form string) error {
	if !l.Lenient {
		return Errorf(code, form, l.row)
	}
	l.ctx.Warn(code.Num, form, l.row)
	return nil
}

// fields reads the fields of a line and tells how many there were.
func (l *loader) fields() (int, error) {
	b := &l.rows
	if len(l.Assign) > 0 {
		b = &l.line
	}
	for k, t := range l.targets {
		if !l.file.Field() {
			return k, nil
		}
		var err error
		if t.variable != "" {
			err = l.setVariable(t.variable)
		} else {
			err = l.field(b.encoders[t.column], t.into(b), t)
		}
		if err != nil {
			return k, err
		}
	}
	return len(l.targets), nil
}

// into is the column that takes the field.
func (t *loadTarget) into(b *rowBatches) *columnar.Vector {
	if t.lost == nil {
		return b.batch.Cols[t.column]
	}
	t.lost.Reset()
	return t.lost
}

// field appends the field that was read to a column.
func (l *loader) field(enc *Encoder, dst *columnar.Vector, t loadTarget) error {
	enc.row = l.row
	if l.file.IsNull() {
		return l.null(enc, dst, t.column)
	}
	text, ok := l.file.Text(), true
	if t.text {
		if text, ok = l.Charset.Decode(l.scratch[:0], text); ok && l.Charset == loadfile.Latin1 {
			l.scratch = text[:0]
		}
	}
	s := unsafe.String(unsafe.SliceData(text), len(text)) // columns copy what they keep
	var err error
	if ok {
		err = enc.literal(dst, s)
	} else {
		err = enc.badString(s)
	}
	if err != nil && l.Lenient {
		return enc.adjust(dst, string(text), err)
	}
	return err
}

// null appends NULL, or what stands for it in a column that cannot have it.
func (l *loader) null(enc *Encoder, dst *columnar.Vector, c int) error {
	if !enc.typ.NotNull {
		dst.AppendNull()
		return nil
	}
	if enc.typ.Kind == types.TimestampLTZ {
		enc.row--
		return enc.Append(dst, wallClock(Now(l.ctx), enc.loc))
	}
	err := Errorf(CodeNullToNotNull, "Column set to default value; NULL supplied to NOT NULL column '%s' at row %d", enc.name, l.row)
	if !l.Lenient || !l.implicit(dst, c) {
		return err
	}
	l.ctx.Warn(CodeNullToNotNull.Num, "%s", err.Error())
	return nil
}

func (l *loader) setVariable(name string) error {
	var v any
	if !l.file.IsNull() {
		text, _ := l.Charset.Decode(nil, l.file.Text())
		v = string(text)
	}
	return l.ctx.SetUserVariable(l.ctx, name, v, gmstypes.LongText)
}

// endRow completes a row of which n fields were read.
func (l *loader) endRow(n int) error {
	b := &l.rows
	if len(l.Assign) > 0 {
		b = &l.line
	}
	for _, t := range l.targets[n:] {
		if err := l.missing(b, t); err != nil {
			return err
		}
	}
	for _, c := range l.others {
		b.batch.Cols[c].AppendValue(l.values[c])
	}
	b.batch.N++
	if len(l.Assign) > 0 {
		return l.assign()
	}
	return nil
}

// missing gives a value to a field that the line does not have.
func (l *loader) missing(b *rowBatches, t loadTarget) error {
	if t.variable != "" {
		return l.ctx.SetUserVariable(l.ctx, t.variable, nil, gmstypes.LongText)
	}
	const form = "Row %d doesn't contain data for all columns"
	if err := l.lineFault(CodeTooFewFields, form); err != nil {
		return err
	}
	f, dst := l.Table.Fields()[t.column], t.into(b)
	if !f.Type.NotNull && f.Default == nil {
		dst.AppendNull()
		return nil
	}
	if l.implicit(dst, t.column) {
		return nil
	}
	if f.Type.NotNull {
		return Errorf(CodeTooFewFields, form, l.row)
	}
	dst.AppendNull()
	return nil
}

// assign takes the row of line through the assignments.
func (l *loader) assign() error {
	row := make(sql.Row, len(l.decode))
	for c, d := range l.decode {
		row[c] = d.Value(l.line.batch.Cols[c], 0)
	}
	l.line.batch.Reset()
	if l.Replan != nil {
		var err error
		if l.Assign, err = l.Replan(l.ctx); err != nil {
			return err
		}
		l.setStored()
	}
	for _, s := range l.stored {
		s.enc.row = l.row - 1
	}
	for _, e := range l.Assign {
		v, err := e.Eval(l.ctx, row)
		if err != nil {
			return err
		}
		next, ok := v.(sql.Row)
		if !ok {
			return fmt.Errorf("internal error: an assignment gave %T", v)
		}
		row = next
	}
	if l.filler != nil {
		row = l.filler.filled(row)
	}
	return l.rows.add(row)
}

// flush hands on what was gathered.
func (l *loader) flush() error {
	b := l.rows.batch
	if b.N == 0 {
		return nil
	}
	if err := l.ctx.Err(); err != nil {
		return err
	}
	var err error
	if l.keys != nil {
		err = l.keys.add(b)
	} else {
		err = l.out.add(l.ctx, b)
	}
	b.Reset()
	return err
}

func (l *loader) info() info {
	warned := 0
	if s, err := SessionOf(l.ctx); err == nil {
		warned = s.warned
	}
	return info(fmt.Sprintf("Records: %d  Deleted: %d  Skipped: %d  Warnings: %d", l.row, l.deleted, l.skipped, warned))
}
