package bridge

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/storage/types"
)

const (
	// maxVarChar is the longest VARCHAR in characters that MySQL can name.
	maxVarChar = 16383
	// maxVarBinary is the longest VARBINARY in bytes that MySQL can name.
	maxVarBinary = 65535
	maxChar      = 255
	// maxScale is the largest scale of MySQL's DECIMAL; digits behind it are kept
	// on disk and cut where the host computes.
	maxScale = 30
)

// hostType is the type under which MySQL clients and host expressions see a
// column. Unbounded text in a key is shown as the longest VARCHAR, since clients
// know no LONGTEXT keys.
func hostType(t types.Type, inKey bool) sql.Type {
	switch t.Kind {
	case types.Boolean:
		return gmstypes.Boolean
	case types.TinyInt:
		return gmstypes.Int8
	case types.SmallInt:
		return gmstypes.Int16
	case types.Int:
		return gmstypes.Int32
	case types.BigInt:
		return gmstypes.Int64
	case types.Float:
		return gmstypes.Float32
	case types.Double:
		return gmstypes.Float64
	case types.Decimal:
		return gmstypes.MustCreateColumnDecimalType(uint8(t.Precision), uint8(min(t.Scale, maxScale)))
	case types.Char, types.VarChar:
		return hostText(t, inKey)
	case types.Binary, types.VarBinary:
		return hostBytes(t, inKey)
	case types.Date:
		return gmstypes.Date
	case types.Time:
		return NewTimeType(t.Precision)
	case types.Timestamp:
		return gmstypes.MustCreateDatetimeType(sqltypes.Datetime, min(t.Precision, expr.MaxFraction))
	case types.TimestampLTZ:
		return gmstypes.MustCreateDatetimeType(sqltypes.Timestamp, min(t.Precision, expr.MaxFraction))
	case types.Array, types.Map, types.Multiset, types.Row, types.Variant, types.Vector:
		return gmstypes.JSON
	}
	return gmstypes.LongBlob
}

func hostText(t types.Type, inKey bool) sql.Type {
	const collation = sql.Collation_Default
	switch {
	case t.Kind == types.Char && t.Length <= maxChar:
		return gmstypes.MustCreateString(sqltypes.Char, int64(t.Length), collation)
	case t.Length <= maxVarChar:
		return gmstypes.MustCreateString(sqltypes.VarChar, int64(t.Length), collation)
	case inKey:
		return gmstypes.MustCreateString(sqltypes.VarChar, maxVarChar, collation)
	}
	return gmstypes.LongText
}

func hostBytes(t types.Type, inKey bool) sql.Type {
	switch {
	case t.Kind == types.Binary && t.Length <= maxChar:
		return gmstypes.MustCreateBinary(sqltypes.Binary, int64(t.Length))
	case t.Length <= maxVarBinary:
		return gmstypes.MustCreateBinary(sqltypes.VarBinary, int64(t.Length))
	case inKey:
		return gmstypes.MustCreateBinary(sqltypes.VarBinary, maxVarBinary)
	}
	return gmstypes.LongBlob
}

// TypeOf is the column type in which values of a host type are kept: for CREATE
// TABLE AS, for columns that the host computed, and for DDL that the host parsed.
func TypeOf(t sql.Type) (types.Type, error) {
	switch x := t.(type) {
	case sql.DecimalType:
		if x.Precision() > 38 {
			// More digits than a decimal column can have: keep the integer part.
			return types.Dec(38, int(min(x.Scale(), 38))), nil
		}
		return types.Dec(int(x.Precision()), int(x.Scale())), nil
	case sql.DatetimeType:
		switch x.Type() {
		case sqltypes.Date:
			return types.Of(types.Date), nil
		case sqltypes.Timestamp:
			return types.LTZOf(x.Precision()), nil
		}
		return types.TimestampOf(x.Precision()), nil
	case sql.StringType:
		return stringTypeOf(x), nil
	case sql.EnumType, sql.SetType:
		return types.String(), nil
	case TimeType:
		return types.Type{Kind: types.Time, Precision: x.Precision()}, nil
	}
	switch t {
	case gmstypes.Boolean:
		return types.Of(types.Boolean), nil
	case gmstypes.Null:
		return types.String(), nil
	case gmstypes.Time:
		return types.Type{Kind: types.Time, Precision: 3}, nil
	case gmstypes.JSON:
		return types.String(), nil
	}
	switch t.Type() {
	case querypb.Type_INT8:
		return types.Of(types.TinyInt), nil
	case querypb.Type_UINT8, querypb.Type_INT16, querypb.Type_YEAR:
		return types.Of(types.SmallInt), nil
	case querypb.Type_UINT16, querypb.Type_INT24, querypb.Type_UINT24, querypb.Type_INT32:
		return types.Of(types.Int), nil
	case querypb.Type_UINT32, querypb.Type_INT64:
		return types.Of(types.BigInt), nil
	case querypb.Type_UINT64, querypb.Type_BIT:
		return types.Dec(20, 0), nil
	case querypb.Type_FLOAT32:
		return types.Of(types.Float), nil
	case querypb.Type_FLOAT64:
		return types.Of(types.Double), nil
	}
	return types.Type{}, Errorf(CodeNotSupported, "columns of type %s are not supported", t)
}

func stringTypeOf(t sql.StringType) types.Type {
	n := int(min(t.MaxCharacterLength(), types.MaxLength))
	switch t.Type() {
	case sqltypes.Char:
		if n == 0 {
			return types.String()
		}
		return types.Type{Kind: types.Char, Length: n}
	case sqltypes.VarChar:
		if n == 0 || n >= maxVarChar {
			return types.String()
		}
		return types.Type{Kind: types.VarChar, Length: n}
	case sqltypes.Binary:
		if n == 0 {
			return types.Bytes()
		}
		return types.Type{Kind: types.Binary, Length: n}
	case sqltypes.VarBinary:
		if n == 0 || n >= maxVarBinary {
			return types.Bytes()
		}
		return types.Type{Kind: types.VarBinary, Length: n}
	case sqltypes.Blob:
		return types.Bytes()
	}
	return types.String()
}

// typeName is a type in messages.
func typeName(t types.Type) string {
	if t.Kind == types.Invalid {
		return "INVALID"
	}
	return fmt.Sprint(hostType(t, false))
}
