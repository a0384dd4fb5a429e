package wire

import (
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/storage/columnar"
)

// rowEncoder turns host rows and batches into text. It is for one result.
type rowEncoder struct {
	schema sql.Schema
	loc    *time.Location
	buf    []byte
	cols   []column
	nulls  int64 // NaN and infinities shown as NULL
}

// column is one column of the current batch.
type column struct {
	*expr.Texter
	v        *columnar.Vector
	plain    bool // bytes that are sent as they are, without a dictionary
	floating bool // may hold what is shown as NULL
}

func newRowEncoder(schema sql.Schema, loc *time.Location) *rowEncoder {
	return &rowEncoder{schema: schema, loc: loc}
}

// start prepares for the slots of a batch; the batches of one result have one shape.
func (e *rowEncoder) start(b *columnar.Batch) error {
	if len(b.Cols) != len(e.schema) {
		return fmt.Errorf("wire: a batch has %d columns, its result %d", len(b.Cols), len(e.schema))
	}
	if e.cols == nil {
		e.cols = make([]column, len(b.Cols))
		for i, v := range b.Cols {
			e.cols[i].Texter = expr.NewTexter(v.Type, e.loc)
			e.cols[i].floating = floating(v.Type)
		}
	}
	for i, v := range b.Cols {
		e.cols[i].v = v
		e.cols[i].plain = v.Dict == nil && columnar.LayoutOf(v.Type) == columnar.Str
	}
	return nil
}

// appendSlot appends the text-protocol payload of slot i of the batch that was started.
func (e *rowEncoder) appendSlot(dst []byte, i int) []byte {
	for k := range e.cols {
		c := &e.cols[k]
		v := c.v
		if v.IsNull(i) {
			dst = append(dst, null)
			continue
		}
		if c.plain {
			s := v.Data[v.Off[i]:v.Off[i+1]]
			dst = append(appendLenInt(dst, uint64(len(s))), s...)
			continue
		}
		if c.floating && c.Null(v, i) {
			e.nulls++
			dst = append(dst, null)
			continue
		}
		// Most values are short: leave one byte for the length and move the rare long one.
		at := len(dst)
		dst = c.Append(append(dst, 0), v, i)
		n := len(dst) - at - 1
		if n < 251 {
			dst[at] = byte(n)
			continue
		}
		text := append(e.buf[:0], dst[at+1:]...)
		e.buf = text
		dst = append(appendLenInt(dst[:at], uint64(n)), text...)
	}
	return dst
}

// values gives slot i of the batch that was started as host wire values, backed by
// fresh memory.
func (e *rowEncoder) values(fields []*querypb.Field, i int) []sqltypes.Value {
	out := make([]sqltypes.Value, len(e.cols))
	for k, c := range e.cols {
		if c.Null(c.v, i) {
			if !c.v.IsNull(i) {
				e.nulls++
			}
			continue
		}
		out[k] = sqltypes.MakeTrusted(fields[k].Type, c.Append(nil, c.v, i))
	}
	return out
}

// appendRow appends the text-protocol payload of a host row.
func (e *rowEncoder) appendRow(ctx *sql.Context, dst []byte, row sql.Row) ([]byte, error) {
	for i, col := range e.schema {
		if row[i] == nil {
			dst = append(dst, null)
			continue
		}
		text, err := e.text(ctx, e.buf[:0], i, row[i])
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", col.Name, err)
		}
		dst = append(appendLenInt(dst, uint64(len(text))), text...)
		if cap(text) <= 1<<16 {
			e.buf = text
		}
	}
	return dst, nil
}

// rowValues gives a host row as wire values, backed by fresh memory.
func (e *rowEncoder) rowValues(ctx *sql.Context, row sql.Row) ([]sqltypes.Value, error) {
	out := make([]sqltypes.Value, len(e.schema))
	for i, col := range e.schema {
		if row[i] == nil {
			continue
		}
		text, err := e.text(ctx, nil, i, row[i])
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", col.Name, err)
		}
		out[i] = sqltypes.MakeTrusted(col.Type.Type(), text)
	}
	return out, nil
}

// text appends the text of a column's host value. Times are padded to the declared precision,
// which the host does not do; the rest is the host's own conversion.
func (e *rowEncoder) text(ctx *sql.Context, dst []byte, column int, v any) ([]byte, error) {
	t := e.schema[column].Type
	switch x := v.(type) {
	case gmstypes.Timespan:
		if tt, ok := t.(bridge.TimeType); ok {
			return expr.AppendTime(dst, int64(x), tt.Precision()), nil
		}
	case time.Time:
		if dt, ok := t.(sql.DatetimeType); ok {
			return bridge.AppendTime(dst, x, dt), nil
		}
	case int64:
		if gmstypes.IsInteger(t) && !gmstypes.IsUnsigned(t) {
			return fmt.Append(dst, x), nil
		}
	case float64:
		return expr.AppendFloat(dst, x, 64), nil
	case float32:
		return expr.AppendFloat(dst, float64(x), 32), nil
	case string:
		if gmstypes.IsTextOnly(t) && ctx.GetCharacterSetResults() == sql.CharacterSet_utf8mb4 {
			return append(dst, x...), nil
		}
	}
	val, err := t.SQL(ctx, dst, v)
	if err != nil {
		return nil, err
	}
	return append(dst, val.Raw()...), nil
}
