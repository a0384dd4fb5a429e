package procs

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/systables"
)

// systemRows reads a system table of t as host rows.
func systemRows(ctx *sql.Context, t *storage.Table, name string) ([]sql.Row, error) {
	def, err := systables.Find(ctx, t, name, storage.ViewOptions{Location: bridge.Location(ctx)})
	if err != nil {
		return nil, err
	}
	r, err := def.Open(ctx)
	if err != nil {
		return nil, err
	}
	return bridge.ReadAll(ctx, r)
}

// showPartitions lists partitions as k=v/k2=v2.
func (b *Builder) showPartitions(s *dialect.ShowPartitions) *node {
	return rows(s, sql.Schema{text("partition")}, func(ctx *sql.Context) ([]sql.Row, error) {
		t, err := b.table(ctx, s.Name)
		if err != nil {
			return nil, err
		}
		if x, err := t.Schema(ctx); err != nil {
			return nil, err
		} else if len(x.PartitionKeys) == 0 {
			return nil, bridge.Errorf(bridge.CodeNotSupported, "table '%s' is not partitioned", t.Name())
		}
		all, err := systemRows(ctx, t, "partitions")
		if err != nil {
			return nil, err
		}
		var out []sql.Row
		for _, r := range all {
			if name, ok := r[0].(string); ok && inPartition(name, s.Partition) {
				out = append(out, sql.Row{name})
			}
		}
		return out, nil
	})
}

// inPartition reports whether the partition k=v/k2=v2 has the values of a spec.
func inPartition(name string, spec dialect.Partition) bool {
	for _, want := range spec {
		found := false
		for _, kv := range strings.Split(name, "/") {
			k, v, _ := strings.Cut(kv, "=")
			found = found || k == want.Column && want.Value != nil && v == *want.Value
		}
		if !found {
			return false
		}
	}
	return true
}

// showTags lists the names of a table's tags.
func (b *Builder) showTags(s *dialect.ShowTags) *node {
	return rows(s, sql.Schema{text("tag")}, func(ctx *sql.Context) ([]sql.Row, error) {
		t, err := b.table(ctx, s.Name)
		if err != nil {
			return nil, err
		}
		tags, err := t.Tags(ctx)
		if err != nil {
			return nil, err
		}
		var out []sql.Row
		for _, x := range tags {
			out = append(out, sql.Row{x.Name})
		}
		return out, nil
	})
}
