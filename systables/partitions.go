package systables

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

func partitionsTable() table {
	return table{name: "partitions", rows: partitions, fields: []types.Field{
		text("partition"), notNull(bigint("record_count")), notNull(bigint("file_size_in_bytes")), notNull(bigint("file_count")),
		at("last_update_time"), at("created_at"), text("created_by"), text("updated_by"), text("options"),
		notNull(integer("total_buckets")), notNull(boolean("done")), bigint("deleted_record_count"),
	}}
}

// partitionName is k=v/k2=v2 with values as they are, not as folders spell them.
func partitionName(x *schema.Schema, o options.Table, b storage.BucketSummary) string {
	ts := x.PartitionTypes()
	parts := make([]string, len(ts))
	for i, v := range b.Partition {
		value := o.Partition.DefaultName
		if !v.Null {
			if text := schema.FormatValue(ts[i], v); strings.TrimFunc(text, blank) != "" {
				value = text
			}
		}
		parts[i] = x.PartitionKeys[i] + "=" + value
	}
	return strings.Join(parts, "/")
}

// blank reports what Java counts as white space.
func blank(r rune) bool {
	return unicode.IsSpace(r) && r != '\u00a0' && r != '\u2007' && r != '\u202f' || r >= '\x1c' && r <= '\x1f'
}

func partitions(ctx context.Context, s *source, out *rows) error {
	v, err := s.view(ctx)
	if err != nil {
		return err
	}
	defer v.Close()
	list, err := v.Partitions(ctx)
	if err != nil {
		return err
	}
	names := make(map[int]string, len(list))
	order := make([]int, len(list))
	for i := range list {
		names[i], order[i] = partitionName(v.Schema(), v.Options(), list[i]), i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(names[a], names[b]) })
	for _, i := range order {
		p := list[i]
		out.row().text(names[i]).int64(p.Rows).int64(p.SizeBytes).int64(p.Files).clock(p.CreationMillis).
			null().null().null().null().int32(p.TotalBuckets).bool(false).int64(0)
	}
	return nil
}
