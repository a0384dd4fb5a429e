package bridge

import (
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// hostDefault is a column's default value for the host; nil: none. Defaults are
// texts, which the column's type converts when a row takes them.
func hostDefault(f types.Field) *sql.ColumnDefaultValue {
	if f.Default == nil {
		return nil
	}
	text := &defaultText{expression.NewLiteral(shownDefault(f), gmstypes.LongText)}
	d, err := sql.NewColumnDefaultValue(text, gmstypes.LongText, true, false, !f.Type.NotNull)
	if err != nil {
		return nil
	}
	return d
}

// shownDefault is a column's default value as MySQL shows it: a BOOLEAN is 1 or 0.
func shownDefault(f types.Field) string {
	if f.Type.Kind == types.Boolean {
		v := columnar.NewVector(f.Type, 1)
		if NewEncoder(f.Name, f.Type, nil).Append(v, *f.Default) == nil && !v.IsNull(0) {
			return strconv.Itoa(int(v.I32[0]))
		}
	}
	return *f.Default
}

// defaultText is a text that DESCRIBE shows without quotes, as MySQL does.
type defaultText struct{ *expression.Literal }

// String implements sql.Expression.
func (d *defaultText) String() string {
	s, _ := d.Value().(string)
	return s
}

// WithChildren implements sql.Expression: there are none.
func (d *defaultText) WithChildren(...sql.Expression) (sql.Expression, error) { return d, nil }

// Holds reports whether the column can hold its default value.
func Holds(f types.Field) bool {
	if f.Default == nil {
		return true
	}
	return NewEncoder(f.Name, f.Type, nil).Append(columnar.NewVector(f.Type, 1), *f.Default) == nil
}
