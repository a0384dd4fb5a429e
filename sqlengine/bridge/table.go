package bridge

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

// Table is a lake table in one statement, of one goroutine. It changes only by the copies
// that the host makes of it.
type Table struct {
	db            *Database
	name          string
	handle        *storage.Table
	schema        *schema.Schema
	at            storage.ViewOptions
	travels       bool // at leads to a version of its own
	readOptimized bool // t$ro

	parsed *options.Table // see options; nil before it is asked

	columns sql.Schema // as wide as the table
	project []int      // columns to read; nil: all
	given   []given    // partition columns that an INSERT's PARTITION clause fills in
}

var (
	_ sql.Table            = (*Table)(nil)
	_ sql.ProjectedTable   = (*Table)(nil)
	_ sql.PrimaryKeyTable  = (*Table)(nil)
	_ sql.StatisticsTable  = (*Table)(nil)
	_ sql.CommentedTable   = (*Table)(nil)
	_ sql.IndexAddressable = (*Table)(nil)
	_ sql.TemporaryTable   = (*Table)(nil)
)

func newTable(ctx *sql.Context, db *Database, handle *storage.Table, at storage.ViewOptions) (*Table, error) {
	t := &Table{db: db, handle: handle, at: at, name: handle.Name()}
	t.travels = len(at.Dynamic) > 0 || at.AsOf != (storage.AsOf{})
	tx, err := transactionOf(ctx)
	if err != nil {
		return nil, err
	}
	switch p := tx.find(handle); {
	case t.travels:
		// The version decides about the columns, so it is looked up now.
		v, err := tx.travelView(ctx, handle, at)
		if err != nil {
			return nil, err
		}
		t.schema = v.Schema()
	case p != nil:
		t.schema = p.view.Schema()
	default:
		if t.schema, err = handle.Schema(ctx); err != nil {
			return nil, err
		}
	}
	t.setSource()
	if err := t.setGiven(); err != nil {
		return nil, err
	}
	return t, nil
}

// setSource makes the host's description of the columns.
func (t *Table) setSource() {
	t.columns = hostSchema(t.db.name, t.name, t.schema)
}

// hostSchema describes the columns of a table to the host.
func hostSchema(db, table string, s *schema.Schema) sql.Schema {
	out := make(sql.Schema, len(s.Fields))
	for i, f := range s.Fields {
		key := slices.Contains(s.PrimaryKeys, f.Name)
		out[i] = &sql.Column{
			Name: f.Name, Type: hostType(f.Type, key), Nullable: !f.Type.NotNull,
			Source: table, DatabaseSource: db, PrimaryKey: key, Comment: f.Description,
			Default: hostDefault(f),
		}
	}
	return out
}

// Name implements sql.Nameable.
func (t *Table) Name() string { return t.name }

// String implements fmt.Stringer.
func (t *Table) String() string { return t.name }

// Handle is the storage's table.
func (t *Table) Handle() *storage.Table { return t.handle }

// Travels reports whether the statement reads a version of its own of the table,
// not that of its transaction.
func (t *Table) Travels() bool { return t.travels }

// Fields are the columns of the version that is read or written.
func (t *Table) Fields() []types.Field { return t.schema.Fields }

// Meta is the schema of the version that is read or written. It must not be changed.
func (t *Table) Meta() *schema.Schema { return t.schema }

// DatabaseName is the name of the database that the table is in.
func (t *Table) DatabaseName() string { return t.db.name }

// Schema implements sql.Table: of the columns that are read.
func (t *Table) Schema() sql.Schema {
	if t.project == nil {
		return t.columns
	}
	out := make(sql.Schema, len(t.project))
	for i, c := range t.project {
		out[i] = t.columns[c]
	}
	return out
}

// IsTemporary implements sql.TemporaryTable, which the host takes every table for
// that a read-only transaction writes.
func (t *Table) IsTemporary() bool { return false }

// Collation implements sql.Table.
func (t *Table) Collation() sql.CollationID { return sql.Collation_Default }

// Comment implements sql.CommentedTable.
func (t *Table) Comment() string { return t.schema.Comment }

// PrimaryKeySchema implements sql.PrimaryKeyTable.
func (t *Table) PrimaryKeySchema() sql.PrimaryKeySchema {
	var ords []int
	for _, k := range t.schema.PrimaryKeys {
		for i, c := range t.columns {
			if c.Name == k {
				ords = append(ords, i)
			}
		}
	}
	return sql.NewPrimaryKeySchema(t.columns, ords...)
}

// WithProjections implements sql.ProjectedTable.
func (t *Table) WithProjections(names []string) sql.Table {
	nt := *t
	nt.project = make([]int, 0, len(names))
	for _, n := range names {
		if i := schema.FieldIndex(t.schema.Fields, n); i >= 0 {
			nt.project = append(nt.project, i)
		}
	}
	return &nt
}

// WithAllColumns is the table without a projection.
func (t *Table) WithAllColumns() *Table {
	nt := *t
	nt.project = nil
	return &nt
}

// Projections implements sql.ProjectedTable.
func (t *Table) Projections() []string {
	if t.project == nil {
		return nil
	}
	out := make([]string, len(t.project))
	for i, c := range t.project {
		out[i] = t.schema.Fields[c].Name
	}
	return out
}

// Columns are the indexes of the columns that are read, in output order.
func (t *Table) Columns() []int {
	if t.project != nil {
		return t.project
	}
	all := make([]int, len(t.schema.Fields))
	for i := range all {
		all[i] = i
	}
	return all
}

// View is the version of the table that the statement reads.
func (t *Table) View(ctx *sql.Context) (*storage.View, error) {
	tx, err := transactionOf(ctx)
	if err != nil {
		return nil, err
	}
	if t.travels {
		return tx.travelView(ctx, t.handle, t.at)
	}
	p, err := tx.pin(ctx, t.handle)
	if err != nil {
		return nil, err
	}
	if p.view.Schema().ID != t.schema.ID {
		return nil, Errorf(CodeDeadlock, "table '%s' was altered while the statement was planned; try again", t.name)
	}
	return p.view, nil
}

// ScanOptions narrow a scan.
type ScanOptions struct {
	Filter *predicate.Node // by indexes of Fields; only prunes
}

// Scan plans the read of the table's columns, the transaction's own rows included.
func (t *Table) Scan(ctx *sql.Context, o ScanOptions) (*storage.Scan, error) {
	v, err := t.View(ctx)
	if err != nil {
		return nil, err
	}
	so := storage.ScanOptions{Columns: t.Columns(), Filter: o.Filter, ReadOptimized: t.readOptimized}
	if !t.travels {
		tx, err := transactionOf(ctx)
		if err != nil {
			return nil, err
		}
		if p := tx.find(t.handle); p != nil && !p.first {
			so.Pending = p.write
		}
	}
	return v.Scan(ctx, so)
}

// ScanKey tells the unfiltered scans of a statement apart, as a value that maps
// take: those with equal keys give the same rows.
func (t *Table) ScanKey(ctx *sql.Context) (any, error) {
	v, err := t.View(ctx)
	return scanKey{view: v, readOptimized: t.readOptimized, columns: fmt.Sprint(t.Columns())}, err
}

type scanKey struct {
	view          *storage.View
	readOptimized bool
	columns       string
}

// Partitions implements sql.Table: the whole scan is one partition.
func (t *Table) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(wholeTable{}), nil
}

// wholeTable is the host's partition of a table that it reads whole.
type wholeTable struct{}

// Key implements sql.Partition.
func (wholeTable) Key() []byte { return []byte{0} }

// PartitionRows implements sql.Table.
func (t *Table) PartitionRows(ctx *sql.Context, _ sql.Partition) (sql.RowIter, error) {
	s, err := t.Scan(ctx, ScanOptions{})
	if err != nil {
		return nil, err
	}
	return NewBatchIter(s.Reader(), Location(ctx)), nil
}

// DataLength implements sql.StatisticsTable.
func (t *Table) DataLength(ctx *sql.Context) (uint64, error) {
	n, _, err := t.RowCount(ctx)
	return n * uint64(len(t.columns)) * 8, err
}

// RowCount implements sql.StatisticsTable. The count is exact when no version of
// a row hides another.
func (t *Table) RowCount(ctx *sql.Context) (uint64, bool, error) {
	v, err := t.View(ctx)
	if err != nil {
		return 0, false, err
	}
	n, exact, err := v.RowCount(ctx)
	if err != nil {
		return 0, false, err
	}
	if tx, err := transactionOf(ctx); err == nil {
		if p := tx.find(t.handle); p != nil && p.write != nil && p.write.Changes() {
			exact = false
		}
	}
	return uint64(max(n, 0)), exact && !t.readOptimized, nil
}

// ReadAll collects the batches of r as host rows, for small results. It closes r.
func ReadAll(ctx *sql.Context, r columnar.Reader) (rows []sql.Row, err error) {
	it := NewBatchIter(r, Location(ctx))
	defer func() { err = errors.Join(err, it.Close(ctx)) }()
	for {
		row, err := it.Next(ctx)
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
}

// Hints are the options and the point in time that the statement gave for the
// table, for EXPLAIN; "" when it gave none.
func (t *Table) Hints() string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(t.at.Dynamic)) {
		parts = append(parts, fmt.Sprintf("%s=%s", k, t.at.Dynamic[k]))
	}
	if t.at.AsOf.Version != "" {
		parts = append(parts, "version "+t.at.AsOf.Version)
	}
	if ms := t.at.AsOf.TimeMillis; ms != nil {
		parts = append(parts, "time "+time.UnixMilli(*ms).In(t.at.Location).Format("2006-01-02 15:04:05.000"))
	}
	return strings.Join(parts, ", ")
}
