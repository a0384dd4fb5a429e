package bridge

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/lakesql/lakesql/sqlengine/exec/expr"
)

// TimeType is TIME with 0 to 6 digits of the second, where the host's own has
// always six. Values are the host's Timespan.
type TimeType struct {
	gmstypes.TimespanType_
	digits int
}

var (
	_ gmstypes.TimeType      = TimeType{}
	_ sql.CollationCoercible = TimeType{}
)

// NewTimeType returns TIME(digits); more than six digits are six.
func NewTimeType(digits int) TimeType {
	return TimeType{digits: min(max(digits, 0), expr.MaxFraction)}
}

// Precision is how many digits of the second are shown.
func (t TimeType) Precision() int { return t.digits }

// Equals implements sql.Type.
func (t TimeType) Equals(other sql.Type) bool { return other == sql.Type(t) }

// Promote implements sql.Type.
func (t TimeType) Promote() sql.Type { return t }

// String implements sql.Type.
func (t TimeType) String() string {
	if t.digits == 0 {
		return "time"
	}
	return fmt.Sprintf("time(%d)", t.digits)
}

// MaxTextResponseByteLength implements sql.Type.
func (t TimeType) MaxTextResponseByteLength(*sql.Context) uint32 {
	const whole = len("-838:59:59")
	if t.digits == 0 {
		return uint32(whole)
	}
	return uint32(whole + 1 + t.digits)
}

// SQL implements sql.Type.
func (t TimeType) SQL(_ *sql.Context, dst []byte, v any) (sqltypes.Value, error) {
	if v == nil {
		return sqltypes.NULL, nil
	}
	span, err := t.ConvertToTimespan(v)
	if err != nil {
		return sqltypes.NULL, err
	}
	return sqltypes.MakeTrusted(sqltypes.Time, expr.AppendTime(dst, int64(span), t.digits)), nil
}

// IsTimespan reports whether t is TIME, the host's or ours.
func IsTimespan(t sql.Type) bool {
	_, ok := t.(gmstypes.TimeType)
	return ok
}
