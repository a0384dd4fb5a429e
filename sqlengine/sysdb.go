package sqlengine

import (
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
)

// systemDatabases are MySQL's databases that clients look into: they are found by
// name, but listed nowhere, so that dumps of all databases leave them out. The
// warehouse may have databases of these names, which come first.
func systemDatabases() []sql.Database {
	return []sql.Database{newPerformanceSchema(), newAccounts()}
}

// systemDB is a database of tables that are worked out when they are read.
type systemDB struct {
	name   string
	tables map[string]sql.Table // by lower-case name
}

var _ sql.Database = (*systemDB)(nil)

// Name implements sql.Database.
func (d *systemDB) Name() string { return d.name }

// GetTableInsensitive implements sql.Database.
func (d *systemDB) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	t, ok := d.tables[strings.ToLower(name)]
	return t, ok, nil
}

// GetTableNames implements sql.Database.
func (d *systemDB) GetTableNames(*sql.Context) ([]string, error) {
	var names []string
	for name := range d.tables {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// newAccounts is the database mysql: the one account that there is, and help tables
// without rows.
func newAccounts() sql.Database {
	host := mysql_db.CreateEmptyMySQLDb() // for its tables only: it admits nobody
	ed := host.Editor()
	host.AddSuperUser(ed, "root", "%", "")
	ed.Close()
	d := &systemDB{name: "mysql", tables: map[string]sql.Table{}}
	for _, name := range []string{"user", "db", "tables_priv", "procs_priv", "role_edges", "help_topic", "help_keyword", "help_category", "help_relation"} {
		if t, ok, err := host.GetTableInsensitive(nil, name); err == nil && ok {
			d.tables[name] = readOnly{t}
			if strings.HasPrefix(name, "help_") { // the host's have a row without values
				d.tables[name] = &systemTable{name: name, schema: t.Schema()}
			}
		}
	}
	return d
}

// readOnly is a table without the powers of changing it.
type readOnly struct{ sql.Table }

// systemTable is a table whose rows are worked out when it is read.
type systemTable struct {
	name   string
	schema sql.Schema
	rows   func(*sql.Context) ([]sql.Row, error) // nil: none
}

var _ sql.Table = (*systemTable)(nil)

// Name implements sql.Nameable.
func (t *systemTable) Name() string { return t.name }

// String implements fmt.Stringer.
func (t *systemTable) String() string { return t.name }

// Schema implements sql.Table.
func (t *systemTable) Schema() sql.Schema { return t.schema }

// Collation implements sql.Table.
func (t *systemTable) Collation() sql.CollationID { return systemCollation }

// Partitions implements sql.Table: there is one.
func (t *systemTable) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return &onePartition{}, nil
}

// PartitionRows implements sql.Table.
func (t *systemTable) PartitionRows(ctx *sql.Context, _ sql.Partition) (sql.RowIter, error) {
	if t.rows == nil {
		return sql.RowsToRowIter(), nil
	}
	rows, err := t.rows(ctx)
	if err != nil {
		return nil, err
	}
	return sql.RowsToRowIter(rows...), nil
}

type onePartition struct{ done bool }

// Key implements sql.Partition.
func (*onePartition) Key() []byte { return []byte("all") }

// Next implements sql.PartitionIter.
func (p *onePartition) Next(*sql.Context) (sql.Partition, error) {
	if p.done {
		return nil, io.EOF
	}
	p.done = true
	return p, nil
}

// Close implements sql.PartitionIter.
func (*onePartition) Close(*sql.Context) error { return nil }
