package systables

import (
	"context"
	"maps"
	"slices"

	"github.com/lakesql/lakesql/storage/types"
)

func optionsTable() table {
	return table{name: "options", rows: tableOptions, fields: []types.Field{notNull(text("key")), notNull(text("value"))}}
}

func tableOptions(ctx context.Context, s *source, out *rows) error {
	x, err := s.table.Schema(ctx)
	if err != nil {
		return err
	}
	for _, k := range slices.Sorted(maps.Keys(x.Options)) {
		out.row().text(k).text(x.Options[k])
	}
	return nil
}
