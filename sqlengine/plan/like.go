package plan

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
)

// withEscape writes out the escape character of a LIKE that the host made itself,
// such as that of SHOW … LIKE: without one it takes the pattern for a plain text or
// a range, escapes and all. ok is false for other expressions.
func withEscape(e sql.Expression) (sql.Expression, bool) {
	l, ok := e.(*expression.Like)
	if !ok || l.Escape != nil {
		return e, false
	}
	return expression.NewLike(l.LeftChild, l.RightChild, expression.NewLiteral(`\`, gmstypes.LongText)), true
}
