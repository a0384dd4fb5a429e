package systables

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/lakesql/lakesql/storage/schema"
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
		fields, err := fieldsJSON(x)
		if err != nil {
			return err
		}
		var keys [3]string
		for i, v := range []any{list0(x.PartitionKeys), list0(x.PrimaryKeys), x.Options} {
			if keys[i], err = compactJSON(v); err != nil {
				return err
			}
		}
		out.row().int64(x.ID).text(fields).text(keys[0]).text(keys[1]).text(keys[2]).textOrNull(x.Comment).millis(x.TimeMillis)
	}
	return nil
}

// list0 is a list that is never null in JSON.
func list0(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func compactJSON(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("encode schema: %w", err)
	}
	return string(bytes.TrimRight(b.Bytes(), "\n")), nil
}

// fieldsJSON is the member "fields" of the schema's file, on one line.
func fieldsJSON(s *schema.Schema) (string, error) {
	data := s.Encode()
	var file struct {
		Fields json.RawMessage `json:"fields"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return "", fmt.Errorf("schema %d: %w", s.ID, err)
	}
	var b bytes.Buffer
	if err := json.Compact(&b, file.Fields); err != nil {
		return "", fmt.Errorf("schema %d: %w", s.ID, err)
	}
	return b.String(), nil
}
