package systables

import (
	"context"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

func manifestsTable() table {
	return table{name: "manifests", rows: manifests, fields: []types.Field{
		notNull(text("file_name")), notNull(bigint("file_size")), notNull(bigint("num_added_files")), notNull(bigint("num_deleted_files")),
		notNull(bigint("schema_id")), text("min_partition_stats"), text("max_partition_stats"), bigint("min_row_id"), bigint("max_row_id"),
	}}
}

func manifests(ctx context.Context, s *source, out *rows) error {
	v, err := s.view(ctx)
	if err != nil {
		return err
	}
	defer v.Close()
	list, err := v.Manifests(ctx)
	if err != nil {
		return err
	}
	ts := v.Schema().PartitionTypes()
	for i := range list {
		m := &list[i]
		out.row().text(m.Name).int64(m.SizeBytes).int64(m.NumAdded).int64(m.NumDeleted).int64(m.SchemaID)
		mins, maxs := make([]columnar.Value, len(ts)), make([]columnar.Value, len(ts))
		if m.HasBounds() {
			cols, err := m.Partitions.Decode(ts)
			if err != nil {
				return err
			}
			for k, c := range cols {
				mins[k], maxs[k] = columnar.NullValue, columnar.NullValue
				if c.HasBounds {
					mins[k], maxs[k] = c.Min, c.Max
				}
			}
			out.text(braced(ts, mins)).text(braced(ts, maxs))
		} else {
			out.null().null()
		}
		out.int64OrNull(m.MinRowID, m.MinRowID != storage.Unknown).int64OrNull(m.MaxRowID, m.MaxRowID != storage.Unknown)
	}
	return nil
}
