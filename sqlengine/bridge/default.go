package bridge

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/storage/types"
)

// hostDefault is a column's default value for the host; nil: none. Defaults are
// texts, which the column's type converts when a row takes them.
func hostDefault(f types.Field) *sql.ColumnDefaultValue {
	if f.Default == nil {
		return nil
	}
	d, err := sql.NewColumnDefaultValue(expression.NewLiteral(*f.Default, gmstypes.LongText), gmstypes.LongText, true, false, !f.Type.NotNull)
	if err != nil {
		return nil
	}
	return d
}
