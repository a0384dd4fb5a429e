package plan

import (
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// utcNow is UTC_TIMESTAMP with as many digits of the second as it was asked for,
// like NOW; the host's has always six.
type utcNow struct {
	*function.UTCTimestamp
	digits int
}

func newUTCNow(h *function.UTCTimestamp) *utcNow {
	u := &utcNow{UTCTimestamp: h}
	if _, err := fmt.Sscanf(h.String(), "UTC_TIMESTAMP(%d)", &u.digits); err != nil {
		u.digits = 0 // without an argument
	}
	return u
}

// Type implements sql.Expression.
func (u *utcNow) Type() sql.Type {
	return gmstypes.MustCreateDatetimeType(sqltypes.Datetime, u.digits)
}

// Eval implements sql.Expression.
func (u *utcNow) Eval(ctx *sql.Context, _ sql.Row) (any, error) {
	unit := time.Second
	for range u.digits {
		unit /= 10
	}
	return ctx.QueryTime().UTC().Truncate(unit), nil
}

// WithChildren implements sql.Expression.
func (u *utcNow) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) > 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(u, len(children), 0)
	}
	return u, nil
}
