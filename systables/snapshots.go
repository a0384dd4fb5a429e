package systables

import (
	"context"

	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/types"
)

func snapshotsTable() table {
	return table{name: "snapshots", rows: snapshots, fields: []types.Field{
		notNull(bigint("snapshot_id")), notNull(bigint("schema_id")), notNull(text("commit_user")),
		notNull(bigint("commit_identifier")), notNull(text("commit_kind")), notNull(at("commit_time")),
		notNull(text("base_manifest_list")), notNull(text("delta_manifest_list")), text("changelog_manifest_list"),
		bigint("total_record_count"), bigint("delta_record_count"), bigint("changelog_record_count"),
		bigint("watermark"), bigint("next_row_id"), text("operation"), text("writer_version"),
	}}
}

func snapshots(ctx context.Context, s *source, out *rows) error {
	list, err := s.table.Snapshots(ctx)
	if err != nil {
		return err
	}
	for _, x := range list {
		watermark, known := x.KnownWatermark()
		out.row().int64(int64(x.ID)).int64(x.SchemaID).text(x.CommitUser).
			int64(x.CommitIdentifier).text(string(x.CommitKind)).millis(x.TimeMillis).
			text(x.BaseManifestList).text(x.DeltaManifestList).textOrNull(x.ChangelogManifestList).
			int64(x.TotalRecordCount).int64(x.DeltaRecordCount).
			int64OrNull(x.ChangelogRecordCount, x.ChangelogRecordCount != snapshot.Unknown).
			int64OrNull(watermark, known).
			int64OrNull(x.NextRowID, x.NextRowID != snapshot.Unknown).
			textOrNull(string(x.Operation)).textOrNull(x.WriterVersion)
	}
	return nil
}
