package bridge

import (
	"errors"
	"fmt"
	"io"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/loadfile"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Load is LOAD DATA: the rows of a file into a table, as one change. The file is read
// once, a batch at a time.
type Load struct {
	Table *Table
	// Open gives the file; it is called once the statement is known to be right.
	Open    func(ctx *sql.Context) (io.ReadCloser, error)
	Once    bool // Open can be called once: the file comes from the client
	Format  loadfile.Format
	Charset loadfile.Charset
	Skip    int64 // lines at the begin
	// Fields say where the fields of a line go; nil: into all columns.
	Fields []LoadField
	// Assign are the assignments of SET over a row of all columns, as Table.Stored
	// makes them.
	Assign []sql.Expression
	// Replan makes Assign anew, where it holds for one value of the user variables
	// alone; nil: it holds for all.
	Replan func(ctx *sql.Context) ([]sql.Expression, error)

	Replace bool
	Keep    bool // rows of the table stay when their key comes again: IGNORE
	Lenient bool // faults of values are warnings: IGNORE or LOCAL

	opened bool
}

// LoadField is where a field goes: a column or a user variable.
type LoadField struct {
	Column, Variable string
}

// LocalDisabled is the error of LOAD DATA LOCAL where client or server do not take it.
func LocalDisabled() error {
	return Errorf(CodeLocalDisabled, "Loading local data is disabled; this must be enabled on both the client and server sides")
}

// Run runs the statement.
func (s *Load) Run(ctx *sql.Context) (Result, error) {
	c := changeOf(s.Table, storage.WriteOptions{ReadModify: s.keyed()}, s.run)
	c.lenient = s.Lenient
	return c.apply(ctx)
}

// keyed reports whether the rows that exist decide about the result.
func (s *Load) keyed() bool { return s.Table.schema.HasPrimaryKey() && (s.Replace || s.Keep) }

func (s *Load) run(ctx *sql.Context, w *storage.Write) (r Result, err error) {
	if s.opened && s.Once {
		return r, Errorf(CodeDeadlock, "%s: the client's file cannot be read again", deadlock)
	}
	l, err := s.loader(ctx, w)
	if err != nil {
		return r, err
	}
	defer l.close()
	s.opened = true
	file, err := s.Open(ctx)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := l.read(file); err != nil {
		return r, err
	}
	copied := l.row - l.skipped
	return Result{Affected: copied + l.deleted, Info: l.info()}, nil
}

// loader is one run of a Load.
type loader struct {
	*Load
	ctx     *sql.Context
	file    *loadfile.Reader
	mem     *membudget.Holder
	out     *sink
	targets []loadTarget
	values  []columnar.Value // of columns that the file does not give
	given   []bool           // by column: named by PARTITION
	others  []int            // columns that the file does not give
	rows    rowBatches
	line    rowBatches // with Assign: one row before the assignments
	decode  []*Decoder // of line
	stored  []*Stored
	filler  *rowWriter // with Assign and Lenient: puts defaults in the place of NULL
	keys    *loadKeys  // nil: the rows that exist do not matter
	scratch []byte

	row              int64 // that is read or was read last, from 1
	skipped, deleted int64
}

// loadTarget is where a field goes: a column, or a variable when its name is set.
type loadTarget struct {
	column   int
	variable string
	text     bool // the column holds characters
}

func (s *Load) loader(ctx *sql.Context, w *storage.Write) (*loader, error) {
	loc := Location(ctx)
	t := s.Table
	l := &loader{Load: s, ctx: ctx, out: newSink(ctx, t, w), mem: Budget(ctx).Holder("the fields of the file")}
	l.rows = newRowBatches(t.Fields(), loc)
	var err error
	if l.values, err = t.defaults(loc); err != nil {
		return nil, err
	}
	l.given = make([]bool, len(l.values))
	for _, g := range t.given {
		l.values[g.column], l.given[g.column] = g.value, true
	}
	if err := l.setTargets(); err != nil {
		return nil, err
	}
	if s.Lenient {
		for _, e := range l.rows.encoders {
			e.warn = ctx
		}
	}
	if len(s.Assign) > 0 {
		l.setAssign(ctx)
	} else {
		l.out.hold = false // the statement reads nothing
	}
	if s.keyed() {
		l.keys = newLoadKeys(l)
	}
	return l, nil
}

// close gives the memory back.
func (l *loader) close() {
	l.mem.Close()
	l.out.close()
	if l.keys != nil {
		l.keys.close()
	}
}

// setTargets finds the columns of the fields, and those that no field gives.
func (l *loader) setTargets() error {
	fields, named := l.Fields, make([]bool, len(l.values))
	if fields == nil {
		for c, f := range l.Table.Fields() {
			if !l.given[c] {
				fields = append(fields, LoadField{Column: f.Name})
			}
		}
	}
	var names []string
	for _, f := range fields {
		if f.Variable == "" {
			names = append(names, f.Column)
		}
	}
	columns, err := l.Table.columnList(append([]string{}, names...))
	if err != nil {
		return err
	}
	for _, f := range fields {
		if f.Variable != "" {
			l.targets = append(l.targets, loadTarget{variable: f.Variable})
			continue
		}
		c := columns[0]
		columns = columns[1:]
		if l.given[c] {
			return Errorf(CodeFieldTwice, "Column '%s' specified twice", f.Column)
		}
		k := l.Table.Fields()[c].Type.Kind
		l.targets = append(l.targets, loadTarget{column: c, text: k == types.Char || k == types.VarChar})
		named[c] = true
	}
	for _, e := range l.Assign {
		f := e.(*expression.SetField).LeftChild.(*expression.GetField)
		if l.given[f.Index()] {
			return Errorf(CodeFieldTwice, "Column '%s' specified twice", f.Name())
		}
		named[f.Index()] = true
	}
	for c, given := range named {
		if !given && !l.given[c] {
			if err := l.omitted(c); err != nil {
				return err
			}
		}
	}
	l.setOthers()
	return nil
}

// setOthers lists the columns that no field of the file gives.
func (l *loader) setOthers() {
	in := make([]bool, len(l.values))
	for _, t := range l.targets {
		in[t.column] = in[t.column] || t.variable == ""
	}
	for c, given := range in {
		if !given {
			l.others = append(l.others, c)
		}
	}
}

// omitted gives a column its value that nothing in the statement names.
func (l *loader) omitted(c int) error {
	err := l.Table.checkDefault(c)
	if err == nil || !l.Lenient {
		return err
	}
	v := columnar.NewVector(l.Table.Fields()[c].Type, 1)
	if !l.implicit(v, c) {
		return err
	}
	l.values[c] = v.Value(0)
	l.ctx.Warn(CodeNoDefault.Num, "%s", err.Error())
	return nil
}

// implicit appends what MySQL has for a column that gets no value and cannot be NULL;
// ok is false where there is nothing.
func (l *loader) implicit(dst *columnar.Vector, c int) (ok bool) {
	v := implicitDefault(l.Table.Fields()[c].Type)
	return v != nil && l.rows.encoders[c].Append(dst, v) == nil
}

func (l *loader) setAssign(ctx *sql.Context) {
	loc := Location(ctx)
	l.line = newRowBatches(l.Table.Fields(), loc)
	for i, f := range l.Table.Fields() {
		l.line.encoders[i].warn = l.rows.encoders[i].warn
		l.decode = append(l.decode, NewDecoder(f.Type, loc))
	}
	if l.Lenient {
		l.filler = &rowWriter{table: l.Table, ctx: ctx}
	}
	l.setStored()
}

// setStored finds the conversions of the assignments, which tell of their faults.
func (l *loader) setStored() {
	l.stored = l.stored[:0]
	for _, e := range l.Assign {
		if s, ok := e.(*expression.SetField).RightChild.(*Stored); ok {
			s.enc.warn = l.rows.encoders[0].warn
			l.stored = append(l.stored, s)
		}
	}
}

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
			err = l.field(b.encoders[t.column], b.batch.Cols[t.column], t)
		}
		if err != nil {
			return k, err
		}
	}
	return len(l.targets), nil
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
	f, dst := l.Table.Fields()[t.column], b.batch.Cols[t.column]
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
