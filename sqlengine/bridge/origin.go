package bridge

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/storage/types"
)

// Origin is the table column that a result column is. The zero value is a column
// that was computed.
type Origin struct {
	Database          string
	Table             string     // name or alias in the statement
	OrgTable, OrgName string     // of the table and in the table
	Key               bool       // of the primary key
	Type              types.Type // of a lake table's column, else invalid
}

// OriginIter is an iterator that knows the origins of its columns.
type OriginIter interface {
	sql.RowIter
	// Origins has one element a column.
	Origins() []Origin
}

// Origins looks for the origins of a statement's columns under the wrappers of the
// host; nil: not known.
func Origins(iter sql.RowIter) []Origin {
	for {
		switch x := iter.(type) {
		case OriginIter:
			return x.Origins()
		case interface{ GetIter() sql.RowIter }:
			iter = x.GetIter()
		default:
			return nil
		}
	}
}
