package systables

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

// braced is a partition as Paimon shows one: {v1, v2}.
func braced(ts []types.Type, vals []columnar.Value) string {
	texts := make([]string, len(vals))
	for i, v := range vals {
		texts[i] = valueText(ts[i], v)
	}
	return "{" + strings.Join(texts, ", ") + "}"
}

func valueText(t types.Type, v columnar.Value) string {
	if v.Null {
		return "null"
	}
	return schema.FormatValue(t, v)
}

// objectText is a value as the reference's objects print themselves, which keys and
// bounds are shown in.
func objectText(t types.Type, v columnar.Value) string {
	if v.Null {
		return "null"
	}
	return storage.LegacyText(t, v)
}

// keyText is a serialised key as [v, …].
func keyText(ts []types.Type, data []byte) (string, error) {
	vals, err := row.Deserialize(ts, data)
	if err != nil {
		return "", fmt.Errorf("decode key: %w", err)
	}
	texts := make([]string, len(vals))
	for i, v := range vals {
		texts[i] = objectText(ts[i], v)
	}
	return "[" + strings.Join(texts, ", ") + "]", nil
}

// named is a column's statistics under the name that the column has now.
type named struct {
	name string
	typ  types.Type
	col  stats.Column
}

// statTexts are null counts and bounds as {a=1, b=x}, sorted by column.
func statTexts(list []named) (nulls, mins, maxs string) {
	slices.SortFunc(list, func(a, b named) int { return strings.Compare(a.name, b.name) })
	join := func(f func(n named) string) string {
		parts := make([]string, len(list))
		for i, n := range list {
			parts[i] = n.name + "=" + f(n)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	bound := func(pick func(stats.Column) columnar.Value) func(named) string {
		return func(n named) string {
			if !n.col.HasBounds {
				return "null"
			}
			return objectText(n.typ, pick(n.col))
		}
	}
	nulls = join(func(n named) string {
		if n.col.Nulls == stats.Unknown {
			return "null"
		}
		return strconv.FormatInt(n.col.Nulls, 10)
	})
	mins = join(bound(func(c stats.Column) columnar.Value { return c.Min }))
	maxs = join(bound(func(c stats.Column) columnar.Value { return c.Max }))
	return nulls, mins, maxs
}

// schemaCache looks schemas of files up once.
type schemaCache struct {
	s    *source
	byID map[int64]*schema.Schema
}

func (c *schemaCache) get(ctx context.Context, id int64) (*schema.Schema, error) {
	if c.byID == nil {
		list, err := c.s.table.Schemas(ctx)
		if err != nil {
			return nil, err
		}
		c.byID = map[int64]*schema.Schema{}
		for _, x := range list {
			c.byID[x.ID] = x
		}
	}
	x := c.byID[id]
	if x == nil {
		return nil, fmt.Errorf("schema %d of table %s is missing", id, c.s.table.Name())
	}
	return x, nil
}
