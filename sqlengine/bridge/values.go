package bridge

import (
	"context"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/hints"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

// Values are the rows of an INSERT or REPLACE of constants.
type Values struct {
	Replace bool
	Columns []string // nil: all of the table's
	// Text is a list of rows in parentheses whose form was checked: numbers, quoted
	// texts, NULL, TRUE, FALSE, DEFAULT, NOW(), CURRENT_TIMESTAMP and ?.
	Text   string
	Params []any // the values of ?, in order
}

// Target finds the lake table that an INSERT names.
func (p *Provider) Target(ctx *sql.Context, database, name string) (*Table, error) {
	x, err := p.Database(ctx, database)
	if err != nil {
		return nil, err
	}
	d, ok := x.(*Database)
	if !ok {
		return nil, Denied(ctx, "INSERT", x.Name(), name)
	}
	t, found, err := d.table(ctx, name, hints.Read{})
	if err != nil {
		return nil, err
	}
	if lake, ok := t.(*Table); ok && found {
		return lake, nil
	}
	return nil, Errorf(CodeNoSuchTable, "Table '%s.%s' doesn't exist", database, name)
}

// InsertValues writes constants into the table.
func (t *Table) InsertValues(ctx *sql.Context, v Values) (Result, error) {
	columns, err := t.columnList(v.Columns)
	if err != nil {
		return Result{}, err
	}
	s := &Insert{Table: t, Replace: v.Replace}
	s.Source = func(ctx *sql.Context) (sql.RowIter, error) { return newValuesIter(ctx, t, columns, v) }
	return s.exec(ctx)
}

// columnList finds the columns that an INSERT names.
func (t *Table) columnList(names []string) ([]int, error) {
	if names == nil {
		all := make([]int, len(t.schema.Fields))
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	out := make([]int, len(names))
	seen := make([]bool, len(t.schema.Fields))
	for i, n := range names {
		c := schema.FieldIndex(t.schema.Fields, n)
		if c < 0 {
			return nil, Errorf(CodeBadField, "Unknown column '%s' in 'field list'", n)
		}
		if seen[c] {
			return nil, Errorf(CodeFieldTwice, "Column '%s' specified twice", n)
		}
		seen[c], out[i] = true, c
	}
	return out, nil
}

// newValuesIter gives the rows as batches of all columns of the table.
func newValuesIter(ctx *sql.Context, t *Table, columns []int, v Values) (BatchIter, error) {
	loc := Location(ctx)
	r := &valuesReader{table: t, columns: columns, text: v.Text, params: v.Params}
	r.now = wallClock(Now(ctx).Truncate(1e9), loc)
	r.rows = newRowBatches(t.Fields(), loc)
	named := make([]bool, len(t.Fields()))
	for _, c := range columns {
		named[c] = true
	}
	var err error
	if r.defaults, err = t.defaults(loc); err != nil {
		return nil, err
	}
	for c := range t.Fields() {
		if named[c] {
			continue
		}
		if err := t.checkDefault(c); err != nil {
			return nil, err
		}
		r.omitted = append(r.omitted, c)
	}
	return NewBatchIter(r, loc), nil
}

// valuesReader reads rows of constants, each value as the type of its column
// wants it.
type valuesReader struct {
	table    *Table
	columns  []int // of the values of a row
	omitted  []int // the other columns
	defaults []columnar.Value
	text     string
	pos      int
	params   []any
	param    int
	now      any
	row      int64
	rows     rowBatches
	scratch  []byte
}

// defaults are the columns' own values; NULL where a column has none.
func (t *Table) defaults(loc *time.Location) ([]columnar.Value, error) {
	out := make([]columnar.Value, len(t.Fields()))
	for c, f := range t.Fields() {
		out[c] = columnar.NullValue
		if f.Default == nil {
			continue
		}
		one := columnar.NewVector(f.Type, 1)
		if err := NewEncoder(f.Name, f.Type, loc).Append(one, *f.Default); err != nil {
			return nil, err
		}
		out[c] = one.Value(0)
	}
	return out, nil
}

// checkDefault refuses to leave out a column that must have a value.
func (t *Table) checkDefault(c int) error {
	f := t.Fields()[c]
	if f.Default == nil && f.Type.NotNull {
		return Errorf(CodeNoDefault, "Field '%s' doesn't have a default value", f.Name)
	}
	return nil
}

// Close implements columnar.Reader.
func (r *valuesReader) Close() error { return nil }

// byte moves over c, blanks before it included.
func (r *valuesReader) byte(c byte) bool {
	for r.pos < len(r.text) {
		switch x := r.text[r.pos]; {
		case x == c:
			r.pos++
			return true
		case x > ' ':
			return false
		}
		r.pos++
	}
	return false
}

func (r *valuesReader) readRow() error {
	r.row++
	r.pos++ // the parenthesis
	for k, c := range r.columns {
		if k > 0 && !r.byte(',') {
			return r.countError()
		}
		if err := r.value(c); err != nil {
			return err
		}
	}
	if !r.byte(')') {
		return r.countError()
	}
	for _, c := range r.omitted {
		r.rows.batch.Cols[c].AppendValue(r.defaults[c])
	}
	r.rows.batch.N++
	return nil
}

func (r *valuesReader) countError() error {
	return Errorf(CodeColumnCount, "Column count doesn't match value count at row %d", r.row)
}

func (r *valuesReader) value(c int) error {
	for r.text[r.pos] <= ' ' {
		r.pos++
	}
	dst, enc := r.rows.batch.Cols[c], r.rows.encoders[c]
	enc.row = r.row
	switch b := r.text[r.pos]; b {
	case '\'', '"':
		return enc.literal(dst, r.quoted())
	case '?':
		r.pos++
		v := r.params[r.param]
		r.param++
		return r.append(enc, dst, v)
	case 'n', 'N':
		if r.text[r.pos+1]|0x20 == 'o' { // NOW()
			r.pos += strings.IndexByte(r.text[r.pos:], ')') + 1
			return r.append(enc, dst, r.now)
		}
		r.pos += len("NULL")
		dst.AppendNull()
		return nil
	case 't', 'T':
		r.pos += len("TRUE")
		return r.append(enc, dst, true)
	case 'f', 'F':
		r.pos += len("FALSE")
		return r.append(enc, dst, false)
	case 'c', 'C':
		r.pos += len("CURRENT_TIMESTAMP")
		if r.byte('(') {
			r.byte(')')
		}
		return r.append(enc, dst, r.now)
	case 'd', 'D':
		r.pos += len("DEFAULT")
		if err := r.table.checkDefault(c); err != nil {
			return err
		}
		dst.AppendValue(r.defaults[c])
		return nil
	}
	return r.number(enc, dst)
}

func (r *valuesReader) append(enc *Encoder, dst *columnar.Vector, v any) error {
	enc.row--
	return enc.Append(dst, v)
}

// number reads the number at the position.
func (r *valuesReader) number(enc *Encoder, dst *columnar.Vector) error {
	start, i := r.pos, r.pos
	neg := false
	if c := r.text[i]; c == '-' || c == '+' {
		neg = c == '-'
		i++
	}
	first, n := i, int64(0)
	for i < len(r.text) && r.text[i]-'0' <= 9 {
		n = n*10 + int64(r.text[i]-'0')
		i++
	}
	if end := r.text[i]; end != '.' && end|0x20 != 'e' && i-first <= 18 {
		r.pos = i
		if neg {
			n = -n
		}
		return enc.integerLiteral(dst, n)
	}
	float := false
	for i < len(r.text) && (r.text[i]-'0' <= 9 || strings.IndexByte(".eE", r.text[i]) >= 0 || (r.text[i] == '-' || r.text[i] == '+') && r.text[i-1]|0x20 == 'e') {
		float = float || r.text[i]|0x20 == 'e'
		i++
	}
	r.pos = i
	return enc.numberLiteral(dst, strings.TrimPrefix(r.text[start:i], "+"), float)
}

// quoted reads the quoted text at the position; it may share the statement's text.
func (r *valuesReader) quoted() string {
	q := r.text[r.pos]
	start := r.pos + 1
	for i := start; ; i++ {
		switch r.text[i] {
		case '\\':
			return r.escaped(q, start, i)
		case q:
			if i+1 < len(r.text) && r.text[i+1] == q {
				return r.escaped(q, start, i)
			}
			r.pos = i + 1
			return r.text[start:i]
		}
	}
}

// escaped reads on in a quoted text whose first escape is at i.
func (r *valuesReader) escaped(q byte, start, i int) string {
	r.scratch = append(r.scratch[:0], r.text[start:i]...)
	for ; ; i++ {
		c := r.text[i]
		switch {
		case c == '\\':
			i++
			r.scratch = append(r.scratch, unescape(r.text[i]))
		case c == q && i+1 < len(r.text) && r.text[i+1] == q:
			i++
			r.scratch = append(r.scratch, q)
		case c == q:
			r.pos = i + 1
			return string(r.scratch)
		default:
			r.scratch = append(r.scratch, c)
		}
	}
}

// unescape is what a backslash and c mean.
func unescape(c byte) byte {
	switch c {
	case '0':
		return 0
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'Z':
		return 26
	}
	return c
}

// literal appends a quoted text.
func (e *Encoder) literal(dst *columnar.Vector, s string) error {
	switch e.typ.Kind {
	case types.Char, types.VarChar:
		return e.appendText(dst, s)
	case types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		n, err := e.intText(s)
		if err != nil {
			return err
		}
		return e.appendInt(dst, n)
	case types.Decimal:
		return e.decimalText(dst, s)
	case types.Float, types.Double:
		f, err := e.floatText(s)
		if err != nil {
			return err
		}
		return e.appendFloat(dst, f)
	case types.Date, types.Timestamp, types.TimestampLTZ:
		return e.timeText(dst, s)
	}
	return e.strict(dst, s)
}

// integerLiteral appends an integer.
func (e *Encoder) integerLiteral(dst *columnar.Vector, n int64) error {
	switch e.typ.Kind {
	case types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		return e.appendInt(dst, n)
	case types.Float, types.Double:
		return e.appendFloat(dst, float64(n))
	case types.Decimal:
		d, ok := expr.Rescale(expr.FromInt64(n), 0, e.typ.Scale)
		if !ok {
			return e.outOfRange()
		}
		return e.appendDecimal(dst, d)
	}
	return e.strict(dst, n)
}

// numberLiteral appends a number with a fraction or an exponent, or a long one.
func (e *Encoder) numberLiteral(dst *columnar.Vector, s string, float bool) error {
	switch {
	case float || e.typ.Kind == types.Float || e.typ.Kind == types.Double:
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsInf(f, 0) {
			return Errorf(CodeIllegalValue, "Illegal double '%s' value found during parsing", s)
		}
		return e.strict(dst, f)
	case e.typ.Kind == types.Decimal:
		return e.decimalText(dst, s)
	}
	return e.strict(dst, s)
}

// Next implements columnar.Reader.
func (r *valuesReader) Next(ctx context.Context) (*columnar.Batch, error) {
	if r.pos >= len(r.text) {
		return nil, io.EOF
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.rows.batch.Reset()
	for r.rows.batch.N < columnar.BatchRows {
		if err := r.readRow(); err != nil {
			return nil, err
		}
		if !r.byte(',') {
			r.pos = len(r.text)
			break
		}
		for r.text[r.pos] <= ' ' {
			r.pos++
		}
	}
	return r.rows.batch, nil
}
