package procs

import (
	"errors"
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

// statusColumns are the columns of ANALYZE TABLE and CHECK TABLE.
func statusColumns() sql.Schema {
	return sql.Schema{text("Table"), text("Op"), text("Msg_type"), text("Msg_text")}
}

// analyzeTable answers MySQL's form. Statistics of columns are those of the data
// files, which are there already.
func (b *Builder) analyzeTable(s *dialect.AnalyzeTable) *node {
	return rows(s, statusColumns(), func(ctx *sql.Context) ([]sql.Row, error) {
		if s.Compute {
			return nil, bridge.Errorf(bridge.CodeNotSupported, "ANALYZE TABLE … COMPUTE STATISTICS is not supported yet")
		}
		var out []sql.Row
		for _, n := range s.Names {
			db, err := b.database(ctx, n)
			if err != nil {
				return nil, err
			}
			name := db + "." + n.Table
			if _, err := b.table(ctx, n); err != nil {
				out = append(out, sql.Row{name, "analyze", "Error", bridge.SQLError(err).Message})
				continue
			}
			out = append(out, sql.Row{name, "analyze", "status", "OK"})
		}
		return out, nil
	})
}

// checkTable reads every row of a table and tells what stood in the way.
func (b *Builder) checkTable(s *dialect.CheckTable) *node {
	return rows(s, statusColumns(), func(ctx *sql.Context) ([]sql.Row, error) {
		var out []sql.Row
		for _, n := range s.Names {
			db, err := b.database(ctx, n)
			if err != nil {
				return nil, err
			}
			name := db + "." + n.Table
			t, err := b.table(ctx, n)
			if err == nil {
				err = readThrough(ctx, t)
			}
			if err != nil {
				if ctx.Err() != nil {
					return nil, err
				}
				out = append(out, sql.Row{name, "check", "Error", bridge.SQLError(err).Message}, sql.Row{name, "check", "status", "Operation failed"})
				continue
			}
			out = append(out, sql.Row{name, "check", "status", "OK"})
		}
		return out, nil
	})
}

// readThrough reads all rows of the newest version.
func readThrough(ctx *sql.Context, t *storage.Table) (err error) {
	v, err := t.View(ctx, storage.ViewOptions{})
	if err != nil {
		return err
	}
	defer v.Close()
	cols := make([]int, len(v.Schema().Fields))
	for i := range cols {
		cols[i] = i
	}
	s, err := v.Scan(ctx, storage.ScanOptions{Columns: cols})
	if err != nil {
		return err
	}
	r := s.Reader()
	defer func() { err = errors.Join(err, r.Close()) }()
	return bridge.Drain(ctx, r)
}
