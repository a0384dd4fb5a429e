package bridge

import (
	"math/big"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Decoder turns slots of a column into host values. It is for one goroutine.
type Decoder struct {
	typ types.Type
	loc *time.Location
}

// NewDecoder returns a decoder; TIMESTAMP_LTZ values become wall clocks in loc.
func NewDecoder(t types.Type, loc *time.Location) *Decoder { return &Decoder{t, loc} }

// Value is slot i of v as the host holds values of hostType.
func (d *Decoder) Value(v *columnar.Vector, i int) any {
	if v.IsNull(i) {
		return nil
	}
	if v.Dict != nil {
		v, i = v.Dict, int(v.Codes[i])
	}
	switch d.typ.Kind {
	case types.Boolean, types.TinyInt:
		return int8(v.I32[i])
	case types.SmallInt:
		return int16(v.I32[i])
	case types.Int:
		return v.I32[i]
	case types.BigInt:
		return v.I64[i]
	case types.Float:
		if f := v.F32[i]; f-f == 0 {
			return f
		}
		return nil
	case types.Double:
		if f := v.F64[i]; f-f == 0 {
			return f
		}
		return nil
	case types.Decimal:
		return d.decimal(v, i)
	case types.Char, types.VarChar:
		return string(v.Data[v.Off[i]:v.Off[i+1]])
	case types.Date:
		return time.Unix(int64(v.I32[i])*86400, 0).UTC()
	case types.Time:
		return gmstypes.Timespan(int64(v.I32[i]) * 1000)
	case types.Timestamp:
		return time.UnixMicro(expr.Micros(v, i)).UTC()
	case types.TimestampLTZ:
		return wallClock(time.UnixMicro(expr.Micros(v, i)), d.loc)
	case types.Array, types.Map, types.Multiset, types.Row, types.Variant, types.Vector:
		return gmstypes.NewLazyJSONDocument(expr.AppendJSON(nil, v, i, d.loc))
	}
	return append([]byte(nil), v.Data[v.Off[i]:v.Off[i+1]]...)
}

func (d *Decoder) decimal(v *columnar.Vector, i int) decimal.Decimal {
	if d.typ.Precision <= types.MaxCompactPrecision {
		return decimal.New(v.I64[i], -int32(d.typ.Scale))
	}
	x := v.D128[i]
	if expr.Fits64(x) {
		return decimal.NewFromBigInt(big.NewInt(int64(x.Lo)), -int32(d.typ.Scale))
	}
	return decimal.NewFromBigInt(expr.BigInt(x), -int32(d.typ.Scale))
}

// wallClock is the clock that t shows in loc, labelled UTC.
func wallClock(t time.Time, loc *time.Location) time.Time {
	if loc == nil || loc == time.UTC {
		return t.UTC()
	}
	l := t.In(loc)
	_, off := l.Zone()
	return t.UTC().Add(time.Duration(off) * time.Second)
}

// instant is the time at which a clock in loc shows t's UTC reading.
func instant(t time.Time, loc *time.Location) time.Time {
	t = t.UTC()
	if loc == nil || loc == time.UTC {
		return t
	}
	y, m, d := t.Date()
	return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), loc)
}

// AppendTime prints a host time, which is labelled UTC, as a value of type t is shown.
func AppendTime(dst []byte, x time.Time, t sql.DatetimeType) []byte {
	c := clockOf(x)
	if x = x.UTC(); x.Year() == 0 && x.YearDay() == 1 {
		// The first day of year 0 stands for 0000-00-00 in the host.
		dst = append(dst, "0000-00-00"...)
	} else {
		dst = expr.AppendDate(dst, c.Day)
	}
	if gmstypes.IsDateType(t) {
		return dst
	}
	return expr.AppendTime(append(dst, ' '), c.Nanos/1000, t.Precision())
}
