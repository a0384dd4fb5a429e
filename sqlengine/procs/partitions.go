package procs

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/sqlengine/dialect"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/schema"
)

// truncate empties a table, or partitions of it.
func (b *Builder) truncate(ctx *sql.Context, s *dialect.TruncatePartitions) (bridge.Result, error) {
	t, err := b.table(ctx, s.Name)
	if err != nil {
		return bridge.Result{}, err
	}
	if len(s.Partitions) > 0 {
		return bridge.Result{}, b.dropPartitions(ctx, t, s.Partitions)
	}
	return bridge.Result{}, bridge.Empty(ctx, t, nil)
}

// dropPartitions removes all partitions that match one of the specs.
func (b *Builder) dropPartitions(ctx *sql.Context, t *storage.Table, list []dialect.Partition) error {
	specs, err := partitionSpecs(list)
	if err != nil {
		return err
	}
	x, err := t.Schema(ctx)
	if err != nil {
		return err
	}
	if len(x.PartitionKeys) == 0 {
		return bridge.Errorf(bridge.CodeBadField, "table %s has no partitions", t.Name())
	}
	for _, spec := range specs {
		if err := namesPartition(spec); err != nil {
			return err
		}
		vals, err := partitionValues(x, spec)
		if err != nil {
			return err
		}
		if len(vals) == 0 {
			return bridge.Errorf(bridge.CodeParse, "a partition spec names no column")
		}
		if err := bridge.Empty(ctx, t, vals); err != nil {
			return err
		}
	}
	return nil
}

// namesPartition refuses blank values: their rows are kept in the partition of NULL,
// which would be dropped with them.
func namesPartition(spec map[string]string) error {
	for k, text := range spec {
		if strings.TrimSpace(text) == "" {
			return bridge.Errorf(bridge.CodeBadValue, "'%s' of column '%s' names no partition of its own: blank values share the one of NULL; DELETE removes their rows", text, k)
		}
	}
	return nil
}

// partitionValues are the values of a partition spec; nil for none.
func partitionValues(s *schema.Schema, spec map[string]string) (map[string]columnar.Value, error) {
	if spec == nil {
		return nil, nil
	}
	out := make(map[string]columnar.Value, len(spec))
	for k, text := range spec {
		f, ok := s.Field(k)
		if !ok || !slices.Contains(s.PartitionKeys, f.Name) {
			return nil, bridge.Errorf(bridge.CodeBadField, "Unknown partition column '%s'; there are %s", k, strings.Join(s.PartitionKeys, ", "))
		}
		v, err := schema.ParseValue(f.Type, text)
		if err != nil {
			return nil, bridge.WithCode(bridge.CodeBadValue, err)
		}
		out[f.Name] = v
	}
	return out, nil
}
