package plan

import (
	"encoding/binary"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// joinClass says how values of two types that = compares become keys: those for
// which = is true have the same key.
type joinClass int

const (
	noJoinClass joinClass = iota
	classExact            // integers and decimals, by value
	classFloat
	classText // by bytes
	classDate
	classTime // dates and times of one clock, by instant
	classSpan
)

// joinClassOf is the class of a comparison of two types; noJoinClass where = is
// more than equality of keys, such as between a text and a number.
func joinClassOf(l, r sql.Type) joinClass {
	exact := func(t sql.Type) bool { return gmstypes.IsInteger(t) || gmstypes.IsDecimal(t) }
	switch {
	case exact(l) && exact(r):
		if gmstypes.IsInteger(l) && gmstypes.IsInteger(r) && gmstypes.IsSigned(l) != gmstypes.IsSigned(r) {
			return noJoinClass // compared as DOUBLE
		}
		return classExact
	case l == gmstypes.Float64 && r == gmstypes.Float64, l == gmstypes.Float32 && r == gmstypes.Float32:
		return classFloat
	case gmstypes.IsDateType(l) && gmstypes.IsDateType(r):
		return classDate
	case gmstypes.IsTime(l) && gmstypes.IsTime(r):
		return classTime
	case bridge.IsTimespan(l) && bridge.IsTimespan(r):
		return classSpan
	case byBytes(l) && byBytes(r) && gmstypes.IsBinaryType(l) == gmstypes.IsBinaryType(r):
		return classText
	}
	return noJoinClass
}

// byBytes reports whether a type is one of texts that compare by their bytes.
func byBytes(t sql.Type) bool {
	s, ok := t.(sql.StringType)
	if !ok {
		return false
	}
	c := s.Collation()
	return c == sql.Collation_Default || c == sql.Collation_binary || c == sql.Collation_Unspecified
}

// append appends the key of a value that is not NULL. ok is false for a value that
// the class does not expect: it may be equal to any.
func (c joinClass) append(ctx *sql.Context, dst []byte, v any) (key []byte, ok bool, err error) {
	if v, err = sql.UnwrapAny(ctx, v); err != nil {
		return nil, false, err
	}
	switch c {
	case classExact:
		if n, ok := bridge.Int64(v); ok {
			return appendIntKey(dst, n), true, nil
		}
		if d, ok := v.(decimal.Decimal); ok {
			return appendBigKey(dst, d.Coefficient(), d.Exponent()), true, nil
		}
	case classFloat:
		switch x := v.(type) {
		case float64:
			return appendFloatKey(dst, x), true, nil
		case float32:
			return appendFloatKey(dst, float64(x)), true, nil
		}
	case classText:
		switch x := v.(type) {
		case string:
			return appendTextKey(dst, x), true, nil
		case []byte:
			return appendTextKey(dst, string(x)), true, nil
		}
	case classDate, classTime:
		if t, ok := v.(time.Time); ok {
			if c == classDate {
				t = t.Truncate(24 * time.Hour)
			}
			dst = binary.BigEndian.AppendUint64(dst, uint64(t.Unix()))
			return binary.BigEndian.AppendUint32(dst, uint32(t.Nanosecond())), true, nil
		}
	case classSpan:
		if t, ok := v.(gmstypes.Timespan); ok {
			return binary.BigEndian.AppendUint64(dst, uint64(t)), true, nil
		}
	}
	return dst, false, nil
}
