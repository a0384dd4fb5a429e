package bridge

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/systables"
)

// SystemTable is a table such as t$snapshots.
type SystemTable struct {
	name    string
	def     systables.Def
	columns sql.Schema
}

var (
	_ sql.Table           = (*SystemTable)(nil)
	_ sql.PrimaryKeyTable = (*SystemTable)(nil)
)

func newSystemTable(db, name string, def systables.Def) *SystemTable {
	return &SystemTable{name: name, def: def, columns: hostSchema(db, name, &schema.Schema{Fields: def.Fields()})}
}

// Name implements sql.Nameable.
func (t *SystemTable) Name() string { return t.name }

// String implements fmt.Stringer.
func (t *SystemTable) String() string { return t.name }

// Schema implements sql.Table.
func (t *SystemTable) Schema() sql.Schema { return t.columns }

// PrimaryKeySchema implements sql.PrimaryKeyTable.
func (t *SystemTable) PrimaryKeySchema() sql.PrimaryKeySchema {
	return sql.NewPrimaryKeySchema(t.columns)
}

// Collation implements sql.Table.
func (t *SystemTable) Collation() sql.CollationID { return sql.Collation_Default }

// Partitions implements sql.Table.
func (t *SystemTable) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(wholeTable{}), nil
}

// PartitionRows implements sql.Table.
func (t *SystemTable) PartitionRows(ctx *sql.Context, _ sql.Partition) (sql.RowIter, error) {
	r, err := t.def.Open(ctx)
	if err != nil {
		return nil, err
	}
	return NewBatchIter(r, Location(ctx)), nil
}
