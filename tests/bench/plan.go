package bench

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

// planPartitions is how many partitions the files of the plan benchmark lie in.
const planPartitions = 1000

func partitionName(i int) string { return fmt.Sprintf("2026-%04d", i) }

// plan measures planning a scan of so many files, which do not exist: all of them,
// and those of one partition.
func (r *run) plan(ctx context.Context) error {
	name := "plan"
	t, err := r.planTable(ctx, name)
	if err != nil {
		return err
	}
	for _, filtered := range []bool{false, true} {
		params := map[string]any{"files": r.Files, "partitions": planPartitions, "partition-filter": filtered}
		err := r.measure(ctx, "plan", params, nothing, func() (int64, error) { return r.planned(ctx, t, filtered) },
			func() (int64, error) { return r.bytesBelow(name, "manifest-"), nil }, nothing)
		if err != nil {
			return err
		}
	}
	return r.drop(ctx, name)
}

func (r *run) planned(ctx context.Context, t *storage.Table, filtered bool) (int64, error) {
	v, err := t.View(ctx, storage.ViewOptions{})
	if err != nil {
		return 0, err
	}
	defer v.Close()
	want := r.Files
	var o storage.ScanOptions
	if filtered {
		o.Filter = predicate.Eq(9, types.String(), columnar.StringValue(partitionName(planPartitions/2)))
		want /= planPartitions
	}
	s, err := v.Scan(ctx, o)
	if err != nil {
		return 0, err
	}
	if n := s.Report().FilesRead; n != want {
		return 0, fmt.Errorf("planned %d files, not %d", n, want)
	}
	return int64(want), nil
}

// planTable makes an append table and commits the metadata of files that nobody
// wrote, ten commits of a tenth each.
func (r *run) planTable(ctx context.Context, name string) (*storage.Table, error) {
	fields := append(testkit.KVFields(), types.Field{Name: "dt", Type: types.String()})
	t, err := storage.Create(ctx, r.env, r.dir(name), schema.Definition{Fields: fields, PartitionKeys: []string{"dt"}})
	if err != nil {
		return nil, err
	}
	c := commit.New(commit.Config{
		Store: r.Store, Snapshots: snapshot.New(r.Store, r.dir(name)),
		Manifests:      manifest.NewFiles(r.Store, r.dir(name), manifest.NewCache(64<<20)),
		PartitionTypes: []types.Type{types.String()}, Unaware: true,
		LatestSchema: func(context.Context) (int64, error) { return 0, nil },
	})
	st, err := planStats(fields)
	if err != nil {
		return nil, err
	}
	ts := types.FieldTypes(fields)
	const commits = 10
	for n := range commits {
		var incs []datafile.Increment
		for p := range planPartitions {
			part := row.Serialize([]types.Type{types.String()}, []columnar.Value{columnar.StringValue(partitionName(p))})
			dt := columnar.StringValue(partitionName(p))
			st[len(st)-1] = stats.Column{Min: dt, Max: dt, HasBounds: true}
			values := stats.Encode(ts, st)
			inc := datafile.Increment{Partition: part, TotalBuckets: -1}
			for i := p + planPartitions*n; i < r.Files; i += planPartitions * commits {
				inc.NewFiles = append(inc.NewFiles, &datafile.Meta{
					Name: "data-" + uuid.NewString() + "-0.parquet", SizeBytes: int64(100_000_000 + i), RowCount: 1_000_000,
					MinKey: row.Serialize(nil, nil), MaxKey: row.Serialize(nil, nil), KeyStats: stats.Empty, ValueStats: values,
					MaxSequence: 999_999, DeleteRowCount: 0, Source: datafile.FromAppend, FirstRowID: datafile.Unknown,
				})
			}
			incs = append(incs, inc)
		}
		if _, err := c.Commit(ctx, commit.Request{Increments: incs, User: uuid.NewString(), Identifier: snapshot.BatchIdentifier}); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// planStats are the statistics of all ten columns, those of a batch of rows.
func planStats(fields []types.Field) ([]stats.Column, error) {
	b := columnar.NewBatch(types.FieldTypes(fields), columnar.BatchRows)
	kv := &columnar.Batch{Cols: b.Cols[:9]}
	testkit.KVBatch(kv, 1, 0, 0, columnar.BatchRows)
	for range columnar.BatchRows {
		b.Cols[9].AppendString(partitionName(0))
	}
	b.N = kv.N
	mode, err := stats.ParseMode("truncate(16)")
	if err != nil {
		return nil, err
	}
	modes := make([]stats.Mode, len(fields))
	for i := range modes {
		modes[i] = mode
	}
	c := stats.NewCollector(fields, modes)
	c.Add(b)
	return c.Columns(), nil
}
