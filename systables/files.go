package systables

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

func filesTable() table {
	return table{name: "files", rows: files, fields: []types.Field{
		text("partition"), notNull(integer("bucket")), notNull(text("file_path")), notNull(text("file_format")),
		notNull(bigint("schema_id")), notNull(integer("level")), notNull(bigint("record_count")), notNull(bigint("file_size_in_bytes")),
		text("min_key"), text("max_key"), notNull(text("null_value_counts")), notNull(text("min_value_stats")), notNull(text("max_value_stats")),
		bigint("min_sequence_number"), bigint("max_sequence_number"), at("creation_time"), bigint("deleteRowCount"),
		text("file_source"), bigint("first_row_id"), {Name: "write_cols", Type: types.ArrayOf(types.String())},
	}}
}

func files(ctx context.Context, s *source, out *rows) error {
	v, err := s.view(ctx)
	if err != nil {
		return err
	}
	defer v.Close()
	list, err := v.Files(ctx)
	if err != nil {
		return err
	}
	cache := &schemaCache{s: s}
	now := v.Schema()
	for i := range list {
		if list[i].Bucket < 0 {
			continue // rows that wait for a compaction are not visible yet
		}
		of, err := cache.get(ctx, list[i].SchemaID)
		if err != nil {
			return err
		}
		if err := fileRow(&list[i], of, now, out); err != nil {
			return fmt.Errorf("file %s: %w", list[i].Path, err)
		}
	}
	return nil
}

func fileRow(f *storage.FileEntry, of, now *schema.Schema, out *rows) error {
	nulls, mins, maxs, err := fileStats(f, of, now)
	if err != nil {
		return err
	}
	out.row()
	out.text(braced(now.PartitionTypes(), f.Partition)).int32(f.Bucket).text(f.Path).text(strings.TrimPrefix(path.Ext(f.Name), ".")).int64(f.SchemaID).int32(f.Level).
		int64(f.RowCount).int64(f.SizeBytes)
	for _, k := range [][]byte{f.MinKey, f.MaxKey} {
		if len(of.PrimaryKeys) == 0 {
			out.null()
			continue
		}
		key, err := keyText(of.KeyTypes(), k)
		if err != nil {
			return err
		}
		out.text(key)
	}
	out.text(nulls).text(mins).text(maxs).int64(f.MinSequence).int64(f.MaxSequence)
	if f.CreationMillis == storage.Unknown {
		out.null()
	} else {
		out.clock(f.CreationMillis)
	}
	out.int64OrNull(f.DeleteRowCount, f.DeleteRowCount != storage.Unknown)
	switch f.Source {
	case storage.FromAppend:
		out.text("APPEND")
	case storage.FromCompact:
		out.text("COMPACT")
	default:
		out.null()
	}
	out.int64OrNull(f.FirstRowID, f.FirstRowID != storage.Unknown).texts(f.WriteCols)
	return nil
}

// fileStats are a file's statistics under the columns that the table has now.
func fileStats(f *storage.FileEntry, of, now *schema.Schema) (nulls, mins, maxs string, err error) {
	fields := of.Fields
	if f.ValueStatsCols != nil {
		fields = nil
		for _, name := range f.ValueStatsCols {
			if x, ok := of.Field(name); ok {
				fields = append(fields, x)
			}
		}
	} else if f.WriteCols != nil {
		fields = nil
		for _, name := range f.WriteCols {
			if x, ok := of.Field(name); ok {
				fields = append(fields, x)
			}
		}
	}
	cols, err := f.ValueStats.Decode(types.FieldTypes(fields))
	if err != nil {
		return "", "", "", err
	}
	byID := map[int]named{}
	for i, x := range fields {
		byID[x.ID] = named{typ: x.Type, col: cols[i]}
	}
	list := make([]named, len(now.Fields))
	for i, x := range now.Fields {
		n, ok := byID[x.ID]
		switch {
		case ok:
		case slices.ContainsFunc(of.Fields, func(y types.Field) bool { return y.ID == x.ID }):
			n.col = stats.Column{Nulls: stats.Unknown}
		default:
			n.col = stats.Column{Nulls: f.RowCount} // rows from before the column
		}
		n.name = x.Name
		list[i] = n
	}
	nulls, mins, maxs = statTexts(list)
	return nulls, mins, maxs, nil
}
