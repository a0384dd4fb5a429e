package bridge

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
)

// GetIndexes implements sql.IndexAddressable: the primary key, for
// information_schema, which walks through all databases. Statements that name the
// table see no index: the host fails to plan joins over an index that takes no
// lookups, and scans prune by their filter.
func (t *Table) GetIndexes(*sql.Context) ([]sql.Index, error) {
	if !t.db.described {
		return nil, nil
	}
	return t.Keys(), nil
}

// Keys describes the primary key to SHOW INDEX.
func (t *Table) Keys() []sql.Index {
	if len(t.schema.PrimaryKeys) == 0 {
		return nil
	}
	return []sql.Index{keyIndex{t}}
}

// IndexedAccess implements sql.IndexAddressable.
func (t *Table) IndexedAccess(*sql.Context, sql.IndexLookup) sql.IndexedTable { return nil }

// PreciseMatch implements sql.IndexAddressable.
func (t *Table) PreciseMatch() bool { return false }

// keyIndex describes a table's primary key.
type keyIndex struct{ t *Table }

var _ sql.Index = keyIndex{}

// ID implements sql.Index.
func (keyIndex) ID() string { return "PRIMARY" }

// Database implements sql.Index.
func (x keyIndex) Database() string { return x.t.db.name }

// Table implements sql.Index.
func (x keyIndex) Table() string { return x.t.name }

// Expressions implements sql.Index.
func (x keyIndex) Expressions() []string {
	out := make([]string, len(x.t.schema.PrimaryKeys))
	for i, k := range x.t.schema.PrimaryKeys {
		out[i] = fmt.Sprintf("%s.%s", x.t.name, k)
	}
	return out
}

// IsUnique implements sql.Index.
func (keyIndex) IsUnique() bool { return true }

// IsSpatial implements sql.Index.
func (keyIndex) IsSpatial() bool { return false }

// IsFullText implements sql.Index.
func (keyIndex) IsFullText() bool { return false }

// IsVector implements sql.Index.
func (keyIndex) IsVector() bool { return false }

// Comment implements sql.Index.
func (keyIndex) Comment() string { return "" }

// IndexType implements sql.Index.
func (keyIndex) IndexType() string { return "BTREE" }

// IsGenerated implements sql.Index.
func (keyIndex) IsGenerated() bool { return false }

// ColumnExpressionTypes implements sql.Index.
func (x keyIndex) ColumnExpressionTypes() []sql.ColumnExpressionType {
	var out []sql.ColumnExpressionType
	for i, e := range x.Expressions() {
		for _, c := range x.t.columns {
			if c.Name == x.t.schema.PrimaryKeys[i] {
				out = append(out, sql.ColumnExpressionType{Expression: e, Type: c.Type})
			}
		}
	}
	return out
}

// CanSupport implements sql.Index: the host must not plan lookups.
func (keyIndex) CanSupport(*sql.Context, ...sql.Range) bool { return false }

// CanSupportOrderBy implements sql.Index: scans give no order.
func (keyIndex) CanSupportOrderBy(sql.Expression) bool { return false }

// PrefixLengths implements sql.Index.
func (keyIndex) PrefixLengths() []uint16 { return nil }
