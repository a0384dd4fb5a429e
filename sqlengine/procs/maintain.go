package procs

import (
	"context"
	"errors"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/snapshot"
)

func expireSnapshotsProc() procedure {
	return procedure{
		name: "expire_snapshots", run: expireSnapshots,
		params: []param{
			required("table"), optional("retain_max"), optional("retain_min"), optional("older_than"),
			optional("max_deletes"), optional("options"),
		},
		columns: sql.Schema{number("deleted_snapshots_count")},
	}
}

func expireSnapshots(b *Builder, ctx *sql.Context, a *args) ([]sql.Row, error) {
	if err := a.refuse("options"); err != nil {
		return nil, err
	}
	t, err := b.tableText(ctx, a.text("table"))
	if err != nil {
		return nil, err
	}
	o, err := t.Retention(ctx)
	if err != nil {
		return nil, err
	}
	for _, x := range []struct {
		name string
		to   *int
	}{{"retain_max", &o.RetainMax}, {"retain_min", &o.RetainMin}, {"max_deletes", &o.MaxDeletes}} {
		n, err := a.integer(x.name)
		if err != nil {
			return nil, err
		}
		if n == nil {
			continue
		}
		if *n < 1 {
			return nil, a.errorf("argument '%s' must be at least 1", x.name)
		}
		*x.to = int(*n)
	}
	if a.has("retain_max") && !a.has("retain_min") {
		o.RetainMin = min(o.RetainMin, o.RetainMax)
	}
	older, err := a.at(ctx, "older_than")
	if err != nil {
		return nil, err
	}
	if older != nil {
		o.OlderThanMillis = older.UnixMilli()
	}
	n, err := t.ExpireSnapshots(ctx, o)
	if err != nil {
		return nil, err
	}
	return []sql.Row{{int64(n)}}, nil
}

func createTagProc() procedure {
	return procedure{
		name: "create_tag", columns: result(),
		params: []param{required("table"), required("tag", "tag_name"), optional("snapshot_id", "snapshot"), optional("time_retained")},
		run: func(b *Builder, ctx *sql.Context, a *args) ([]sql.Row, error) {
			t, err := b.tableText(ctx, a.text("table"))
			if err != nil {
				return nil, err
			}
			id, err := a.integer("snapshot_id")
			if err != nil {
				return nil, err
			}
			var snap snapshot.ID
			if id != nil {
				if snap = snapshot.ID(*id); snap < 1 {
					return nil, a.errorf("argument 'snapshot_id' must be the id of a snapshot, not %d", *id)
				}
			}
			var retained time.Duration
			if a.has("time_retained") {
				if retained, err = options.ParseDuration(a.text("time_retained")); err != nil {
					return nil, a.errorf("argument 'time_retained': %v", err)
				}
			}
			if err := t.CreateTag(ctx, a.text("tag"), snap, retained); err != nil {
				return nil, tagError(err)
			}
			return done(), nil
		},
	}
}

func deleteTagProc() procedure {
	return procedure{
		name: "delete_tag", columns: result(), params: []param{required("table"), required("tag", "tag_name")},
		run: func(b *Builder, ctx *sql.Context, a *args) ([]sql.Row, error) {
			t, err := b.tableText(ctx, a.text("table"))
			if err != nil {
				return nil, err
			}
			for _, name := range options.SplitColumns(a.text("tag")) {
				if err := t.DeleteTag(ctx, name); err != nil {
					return nil, tagError(err)
				}
			}
			return done(), nil
		},
	}
}

// tagError gives the faults of tag names a code.
func tagError(err error) error {
	switch {
	case errors.Is(err, snapshot.ErrTagExists), errors.Is(err, snapshot.ErrTagNotFound), errors.Is(err, storage.ErrNoVersion):
		return bridge.WithCode(bridge.CodeWrongArguments, err)
	}
	return err
}

// createTag runs ALTER TABLE … CREATE TAG and REPLACE TAG.
func createTag(ctx *sql.Context, t *storage.Table, a *dialect.CreateTag) error {
	if a.Replace {
		return bridge.Errorf(bridge.CodeNotSupported, "REPLACE TAG is not supported yet")
	}
	var id snapshot.ID
	if a.Snapshot != "" {
		n, err := (&args{proc: "create_tag", values: map[string]any{"snapshot": a.Snapshot}}).integer("snapshot")
		if err != nil {
			return err
		}
		id = snapshot.ID(*n)
	}
	var retained time.Duration
	if a.Retain != "" {
		var err error
		if retained, err = options.ParseDuration(a.Retain); err != nil {
			return bridge.WithCode(bridge.CodeWrongArguments, err)
		}
	}
	err := t.CreateTag(ctx, a.Tag, id, retained)
	if a.IfNotExists && errors.Is(err, snapshot.ErrTagExists) {
		return nil
	}
	return tagError(err)
}

func deleteTag(ctx context.Context, t *storage.Table, name string, ifExists bool) error {
	err := t.DeleteTag(ctx, name)
	if ifExists && errors.Is(err, snapshot.ErrTagNotFound) {
		return nil
	}
	return tagError(err)
}

func compactProc() procedure {
	return procedure{
		name: "compact", run: compact, columns: result(),
		params: []param{
			required("table"), optional("compact_strategy"), optional("partitions"), optional("order_strategy"), optional("order_by"),
			optional("where"), optional("options"), optional("partition_idle_time"), optional("buckets"),
		},
	}
}

func compact(b *Builder, ctx *sql.Context, a *args) ([]sql.Row, error) {
	if err := a.refuse("order_by", "where", "options", "partition_idle_time", "buckets"); err != nil {
		return nil, err
	}
	if s := a.text("order_strategy"); s != "" && s != "none" {
		return nil, bridge.Errorf(bridge.CodeNotSupported, "sys.compact: order_strategy '%s' is not supported yet", s)
	}
	o, err := a.strategy()
	if err != nil {
		return nil, err
	}
	err = a.eachPartition(ctx, b, "partitions", func(t *storage.Table, partition map[string]columnar.Value) error {
		o.Partition = partition
		_, err := t.Compact(ctx, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return done(), nil
}
