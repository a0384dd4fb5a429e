package inspect

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

// table is what the table around a file says about its values.
type table struct {
	dir     string
	schemas *schema.Manager
	latest  *schema.Schema
}

// maxDepth is how many directories above a file are searched for a table: a
// bucket, partitions, data folders.
const maxDepth = 32

// findTable looks for the table whose directory a file lies in; nil when there is
// none that can be read.
func findTable(ctx context.Context, store fileio.Store, path string) (*table, error) {
	dir := path
	for range maxDepth {
		i := strings.LastIndexByte(dir, '/')
		if i <= 0 {
			return nil, nil
		}
		dir = dir[:i]
		m := schema.New(store, dir)
		latest, err := m.Latest(ctx)
		switch {
		case err == nil:
			return &table{dir: dir, schemas: m, latest: latest}, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !errors.Is(err, schema.ErrNoSchema):
			return nil, nil // it is there, but damaged: values are shown without it
		}
	}
	return nil, nil
}

// schema is a version of the table's schema; nil when it is not known.
func (t *table) schema(ctx context.Context, id int64) *schema.Schema {
	if t == nil {
		return nil
	}
	s, err := t.schemas.Get(ctx, id)
	if err != nil {
		return nil
	}
	return s
}

// partition shows a serialised partition row.
func (t *table) partition(data []byte) string {
	if t == nil {
		return hexRow(data)
	}
	return showRow(t.latest.FieldsOf(t.latest.PartitionIndexes()), data)
}

// showRow shows a serialised row of fields, or its bytes when it is none.
func showRow(fields []types.Field, data []byte) string {
	vals, err := row.Deserialize(types.FieldTypes(fields), data)
	if err != nil {
		return hexRow(data)
	}
	parts := make([]string, len(vals))
	for i, v := range vals {
		parts[i] = fields[i].Name + "=" + showValue(fields[i].Type, v)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func hexRow(data []byte) string { return "0x" + hex.EncodeToString(data) }

// showValue shows a value of a flat type.
func showValue(t types.Type, v columnar.Value) string {
	switch {
	case v.Null:
		return "NULL"
	case t.Text():
		return fmt.Sprintf("%q", v.S)
	case columnar.LayoutOf(t) == columnar.Str:
		return hexRow([]byte(v.S))
	}
	return schema.FormatValue(t, v)
}

// showStats shows the statistics of columns that say something.
func showStats(fields []types.Field, kept []string, b stats.Binary) string {
	cols, err := b.DecodeDense(fields, kept)
	if err != nil {
		return fmt.Sprintf("unreadable: %v", err)
	}
	var parts []string
	for i, c := range cols {
		if !c.Known() {
			continue
		}
		text := fields[i].Name
		if c.HasBounds {
			text += fmt.Sprintf(" %s … %s", showValue(fields[i].Type, c.Min), showValue(fields[i].Type, c.Max))
		}
		if c.Nulls >= 0 {
			text += fmt.Sprintf(" %d nulls", c.Nulls)
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
