package procs

import (
	"github.com/dolthub/go-mysql-server/sql"
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
