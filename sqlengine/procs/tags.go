package procs

import (
	"context"
	"errors"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/snapshot"
)

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
