package systables

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// ErrNotFound is returned by Find for a name that is no system table.
var ErrNotFound = errors.New("no such system table")

// Def is a system table of one table.
type Def struct {
	def    table
	source source
}

// source is what a system table is read from.
type source struct {
	table *storage.Table
	at    storage.ViewOptions
	loc   *time.Location
}

// view is the version that the caller asked for. The caller closes it.
func (s *source) view(ctx context.Context) (*storage.View, error) { return s.table.View(ctx, s.at) }

// table is one kind of system table.
type table struct {
	name   string
	fields []types.Field
	rows   func(ctx context.Context, s *source, out *rows) error
	same   bool // reads as the table itself, only in another way
}

func tables() []table {
	return []table{
		snapshotsTable(), schemasTable(), optionsTable(), filesTable(), manifestsTable(), partitionsTable(), bucketsTable(),
		tagsTable(), {name: "ro", same: true},
	}
}

// Names are the names of all system tables.
func Names() []string {
	var out []string
	for _, t := range tables() {
		out = append(out, t.name)
	}
	return out
}

// Find returns the system table name, in any case, of t. ErrNotFound when there
// is none.
func Find(_ context.Context, t *storage.Table, name string, at storage.ViewOptions) (Def, error) {
	for _, k := range tables() {
		if strings.EqualFold(k.name, name) {
			loc := at.Location
			if loc == nil {
				loc = time.UTC
			}
			return Def{def: k, source: source{table: t, at: at, loc: loc}}, nil
		}
	}
	return Def{}, ErrNotFound
}

// IsTable reports whether the system table has the columns of the table itself
// and is read by a scan: t$ro.
func (d Def) IsTable() bool { return d.def.same }

// Fields are the columns.
func (d Def) Fields() []types.Field { return d.def.fields }

// Open reads the table.
func (d Def) Open(ctx context.Context) (columnar.Reader, error) {
	out := newRows(d.def.fields, d.source.loc)
	if err := d.def.rows(ctx, &d.source, out); err != nil {
		return nil, err
	}
	return out, nil
}

// rows gathers the rows of a system table and reads them back in batches.
type rows struct {
	fields  []types.Field
	loc     *time.Location
	batches []*columnar.Batch
	col     int
}

func newRows(fields []types.Field, loc *time.Location) *rows {
	return &rows{fields: fields, loc: loc}
}

// row begins a row; the calls after it give its values from left to right.
func (r *rows) row() *rows {
	n := len(r.batches)
	if n == 0 || r.batches[n-1].N == columnar.BatchRows {
		r.batches = append(r.batches, columnar.NewBatch(types.FieldTypes(r.fields), 64))
		n++
	}
	r.batches[n-1].N++
	r.col = 0
	return r
}

func (r *rows) next() *columnar.Vector {
	v := r.batches[len(r.batches)-1].Cols[r.col]
	r.col++
	return v
}

func (r *rows) text(s string) *rows {
	r.next().AppendString(s)
	return r
}

// textOrNull appends NULL for "".
func (r *rows) textOrNull(s string) *rows {
	if s == "" {
		return r.null()
	}
	return r.text(s)
}

func (r *rows) null() *rows {
	r.next().AppendNull()
	return r
}

func (r *rows) int64(n int64) *rows {
	r.next().AppendI64(n)
	return r
}

// int64OrNull appends NULL when ok is false.
func (r *rows) int64OrNull(n int64, ok bool) *rows {
	if !ok {
		return r.null()
	}
	return r.int64(n)
}

func (r *rows) int32(n int) *rows {
	r.next().AppendI32(int32(n))
	return r
}

func (r *rows) bool(b bool) *rows {
	n := int32(0)
	if b {
		n = 1
	}
	r.next().AppendI32(n)
	return r
}

// millis appends an instant as a clock in the caller's zone.
func (r *rows) millis(ms int64) *rows {
	_, off := time.UnixMilli(ms).In(r.loc).Zone()
	r.next().AppendI64(ms + int64(off)*1000)
	return r
}

// clock appends milliseconds that are a clock already.
func (r *rows) clock(ms int64) *rows { return r.int64(ms) }

// texts appends a list; nil is NULL.
func (r *rows) texts(list []string) *rows {
	if list == nil {
		return r.null()
	}
	v := r.next()
	for _, s := range list {
		v.Children[0].AppendString(s)
	}
	v.EndList()
	return r
}

// Next implements columnar.Reader.
func (r *rows) Next(ctx context.Context) (*columnar.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(r.batches) == 0 {
		return nil, io.EOF
	}
	b := r.batches[0]
	r.batches = r.batches[1:]
	return b, nil
}

// Close implements columnar.Reader.
func (r *rows) Close() error { return nil }

// The columns' types in short.
func text(name string) types.Field    { return types.Field{Name: name, Type: types.String()} }
func bigint(name string) types.Field  { return types.Field{Name: name, Type: types.Of(types.BigInt)} }
func integer(name string) types.Field { return types.Field{Name: name, Type: types.Of(types.Int)} }
func boolean(name string) types.Field { return types.Field{Name: name, Type: types.Of(types.Boolean)} }
func at(name string) types.Field      { return types.Field{Name: name, Type: types.TimestampOf(3)} }

func notNull(f types.Field) types.Field {
	f.Type.NotNull = true
	return f
}
