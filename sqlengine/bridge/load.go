package bridge

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/loadfile"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/schema"
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
	text     bool             // the column holds characters
	lost     *columnar.Vector // takes the field where the column is named again later
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
	for _, f := range fields {
		t := loadTarget{variable: f.Variable}
		if f.Variable == "" {
			if t.column = schema.FieldIndex(l.Table.Fields(), f.Column); t.column < 0 {
				return Errorf(CodeBadField, "Unknown column '%s' in 'field list'", f.Column)
			}
			if l.given[t.column] {
				return Errorf(CodeFieldTwice, "Column '%s' specified twice", f.Column)
			}
			typ := l.Table.Fields()[t.column].Type
			t.text = typ.Kind == types.Char || typ.Kind == types.VarChar
			for i, before := range l.targets {
				if before.variable == "" && before.column == t.column {
					l.targets[i].lost = columnar.NewVector(typ, 1)
				}
			}
			named[t.column] = true
		}
		l.targets = append(l.targets, t)
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
