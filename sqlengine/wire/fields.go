package wire

import (
	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/storage/types"
)

// fieldsOf describes result columns for the client. origins are the table columns
// that they are, one each; nil for results that are no query's.
func fieldsOf(ctx *sql.Context, s sql.Schema, origins []bridge.Origin) []*querypb.Field {
	results := ctx.GetCharacterSetResults()
	out := make([]*querypb.Field, len(s))
	for i, c := range s {
		f := &querypb.Field{
			Name: c.Name, OrgName: c.Name,
			Table: c.Source, OrgTable: c.Source, Database: c.DatabaseSource,
			Type:         c.Type.Type(),
			Charset:      charsetOf(c.Type, results),
			ColumnLength: c.Type.MaxTextResponseByteLength(ctx),
			Flags:        flagsOf(c),
		}
		switch t := c.Type.(type) {
		case sql.DecimalType:
			f.Decimals = uint32(t.Scale())
			f.ColumnLength = decimalWidth(t)
		case sql.DatetimeType:
			f.Decimals = uint32(t.Precision())
		case bridge.TimeType:
			f.Decimals = uint32(t.Precision())
		case gmstypes.TimeType:
			f.Decimals = expr.MaxFraction
		default:
			if gmstypes.IsFloat(c.Type) {
				f.Decimals = notFixed
			}
		}
		if len(origins) == len(s) {
			o := &origins[i]
			f.Database, f.Table, f.OrgTable, f.OrgName = o.Database, o.Table, o.OrgTable, o.OrgName
			switch {
			case o.Key:
				f.Flags |= uint32(querypb.MySqlFlag_PRI_KEY_FLAG)
			case o.OrgName == "":
				// The host takes aggregates for NOT NULL that are NULL over no rows.
				f.Flags &^= uint32(querypb.MySqlFlag_NOT_NULL_FLAG)
			}
		}
		out[i] = f
	}
	return out
}

// notFixed says that values have as many decimals as they need.
const notFixed = 31

// decimalWidth counts digits, sign and point.
func decimalWidth(t sql.DecimalType) uint32 {
	n := uint32(t.Precision()) + 1
	if t.Scale() > 0 {
		n++
	}
	return n
}

func charsetOf(t sql.Type, results sql.CharacterSetID) uint32 {
	switch {
	case !gmstypes.IsTextOnly(t) && !gmstypes.IsEnum(t) && !gmstypes.IsSet(t) && !gmstypes.IsJSON(t):
		return uint32(sql.Collation_binary)
	case gmstypes.IsBinaryType(t):
		return uint32(sql.Collation_binary)
	case results != sql.CharacterSet_Unspecified:
		return uint32(results)
	}
	if ct, ok := t.(sql.TypeWithCollation); ok {
		return uint32(ct.Collation().CharacterSet())
	}
	return uint32(sql.Collation_Default.CharacterSet())
}

func flagsOf(c *sql.Column) uint32 {
	var f querypb.MySqlFlag
	if !c.Nullable {
		f |= querypb.MySqlFlag_NOT_NULL_FLAG
	}
	if c.PrimaryKey {
		f |= querypb.MySqlFlag_PRI_KEY_FLAG
	}
	if gmstypes.IsUnsigned(c.Type) {
		f |= querypb.MySqlFlag_UNSIGNED_FLAG
	}
	switch t := c.Type.Type(); {
	case t == sqltypes.TypeJSON, t == sqltypes.Blob:
		f |= querypb.MySqlFlag_BLOB_FLAG | querypb.MySqlFlag_BINARY_FLAG
	case t == sqltypes.Text:
		f |= querypb.MySqlFlag_BLOB_FLAG
	case gmstypes.IsBinaryType(c.Type), gmstypes.IsTime(c.Type), bridge.IsTimespan(c.Type):
		f |= querypb.MySqlFlag_BINARY_FLAG
	}
	return uint32(f)
}

// floating reports whether a batch column may hold values that are shown as NULL.
func floating(t types.Type) bool { return t.Kind == types.Float || t.Kind == types.Double }
