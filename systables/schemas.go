package systables

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/lakesql/lakesql/storage/types"
)

func schemasTable() table {
	return table{name: "schemas", rows: schemas, fields: []types.Field{
		notNull(bigint("schema_id")), notNull(text("fields")), notNull(text("partition_keys")),
		notNull(text("primary_keys")), notNull(text("options")), text("comment"), notNull(at("update_time")),
	}}
}

func schemas(ctx context.Context, s *source, out *rows) error {
	list, err := s.table.Schemas(ctx)
	if err != nil {
		return err
	}
	for _, x := range list {
		var file struct{ Fields, PartitionKeys, PrimaryKeys, Options json.RawMessage }
		if err := json.Unmarshal(x.Encode(), &file); err != nil {
			return fmt.Errorf("schema %d: %w", x.ID, err)
		}
		out.row().int64(x.ID)
		for _, member := range []json.RawMessage{file.Fields, file.PartitionKeys, file.PrimaryKeys, file.Options} {
			var b bytes.Buffer
			if err := json.Compact(&b, member); err != nil {
				return fmt.Errorf("schema %d: %w", x.ID, err)
			}
			out.text(b.String())
		}
		out.textOrNull(x.Comment).millis(x.TimeMillis)
	}
	return nil
}
