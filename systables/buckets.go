package systables

import (
	"context"

	"github.com/lakesql/lakesql/storage/types"
)

func bucketsTable() table {
	return table{name: "buckets", rows: buckets, fields: []types.Field{
		text("partition"), notNull(integer("bucket")), notNull(bigint("record_count")), notNull(bigint("file_size_in_bytes")),
		notNull(bigint("file_count")), at("last_update_time"),
	}}
}

func buckets(ctx context.Context, s *source, out *rows) error {
	v, err := s.view(ctx)
	if err != nil {
		return err
	}
	defer v.Close()
	list, err := v.Buckets(ctx)
	if err != nil {
		return err
	}
	ts := v.Schema().PartitionTypes()
	for _, b := range list {
		out.row().text(braced(ts, b.Partition)).int32(b.Bucket).int64(b.Rows).int64(b.SizeBytes).int64(b.Files).clock(b.CreationMillis)
	}
	return nil
}
