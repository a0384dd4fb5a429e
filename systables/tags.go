package systables

import (
	"context"
	"strconv"
	"time"

	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/types"
)

func tagsTable() table {
	return table{name: "tags", rows: tags, fields: []types.Field{
		notNull(text("tag_name")), notNull(bigint("snapshot_id")), notNull(bigint("schema_id")), notNull(at("commit_time")),
		bigint("record_count"), at("create_time"), text("time_retained"),
	}}
}

func tags(ctx context.Context, s *source, out *rows) error {
	list, err := s.table.Tags(ctx)
	if err != nil {
		return err
	}
	for _, x := range list {
		out.row().text(x.Name).int64(int64(x.Snapshot.ID)).int64(x.Snapshot.SchemaID).
			millis(x.Snapshot.TimeMillis).int64(x.Snapshot.TotalRecordCount)
		if x.Created.IsZero() {
			out.null()
		} else {
			out.clock(x.Created.UnixMilli())
		}
		if x.Retained == snapshot.Forever {
			out.null()
		} else {
			out.text(isoDuration(x.Retained))
		}
	}
	return nil
}

// isoDuration is a duration as ISO 8601 writes it, in hours, minutes and seconds:
// PT24H.
func isoDuration(d time.Duration) string {
	if d == 0 {
		return "PT0S"
	}
	b := []byte("PT")
	if h := d / time.Hour; h != 0 {
		b = append(strconv.AppendInt(b, int64(h), 10), 'H')
	}
	if m := d % time.Hour / time.Minute; m != 0 {
		b = append(strconv.AppendInt(b, int64(m), 10), 'M')
	}
	if s := d % time.Minute; s != 0 {
		b = append(strconv.AppendFloat(b, s.Seconds(), 'f', -1, 64), 'S')
	}
	return string(b)
}
