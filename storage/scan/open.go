package scan

import (
	"context"
	"fmt"
	"slices"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/lsm/level"
	"github.com/lakesql/lakesql/storage/lsm/merge"
	"github.com/lakesql/lakesql/storage/predicate"
	"github.com/lakesql/lakesql/storage/types"
)

// Reading opens the splits of a plan. It is immutable and safe to share.
type Reading struct {
	c       Config
	columns []int // wanted columns, as indexes of the schema's fields
	filter  *predicate.Node
	byKey   *predicate.Node // what may be pushed into files that are merged

	// A merge reads the wanted columns, then the key and sequence columns that are
	// not among them, then the sequence number.
	merged   []int
	types    []types.Type
	key      []int // places of the key columns in merged
	sequence []int // places of the sequence fields
	output   []int
	keyTypes []types.Type
}

// NewReading prepares to read columns of splits. filter is that of the plan.
func NewReading(c Config, columns []int, filter *predicate.Node) (*Reading, error) {
	s := c.Read.Schema
	r := &Reading{c: c, columns: columns, filter: filter, keyTypes: s.KeyTypes()}
	for _, i := range columns {
		if i < 0 || i >= len(s.Fields) {
			return nil, fmt.Errorf("scan: no column %d among %d", i, len(s.Fields))
		}
	}
	r.merged = slices.Clone(columns)
	place := func(col int) int {
		if i := slices.Index(r.merged, col); i >= 0 {
			return i
		}
		r.merged = append(r.merged, col)
		return len(r.merged) - 1
	}
	keys := s.KeyIndexes()
	for _, k := range keys {
		r.key = append(r.key, place(k))
	}
	sequence, err := s.Indexes(c.Options.Merge.SequenceFields)
	if err != nil {
		return nil, fmt.Errorf("scan: option sequence.field: %w", err)
	}
	for _, k := range sequence {
		r.sequence = append(r.sequence, place(k))
	}
	r.types = append(types.FieldTypes(s.FieldsOf(r.merged)), types.Of(types.BigInt).WithNotNull(true))
	r.output = make([]int, len(columns)) // not nil, which is all of them
	for i := range columns {
		r.output[i] = i
	}
	r.byKey = filter.OnlyColumns(keys)
	return r, nil
}

// Open returns the rows of a split: the wanted columns, each key of a primary key
// table once, in key order within a section.
func (r *Reading) Open(s *Split) columnar.Reader {
	var parts []merge.OpenFunc
	for _, m := range s.Raw {
		parts = append(parts, r.rawFile(s, m))
	}
	for i := range s.Sections {
		sec := &s.Sections[i]
		if rawSection(sec) {
			parts = append(parts, r.rawFile(s, sec.Runs[0].Files[0].Meta))
		} else {
			parts = append(parts, func(ctx context.Context) (columnar.Reader, error) { return r.section(ctx, s, sec) })
		}
	}
	return merge.Concat(parts...)
}

func (r *Reading) rawFile(s *Split, m *datafile.Meta) merge.OpenFunc {
	return func(ctx context.Context) (columnar.Reader, error) {
		f := datafile.File{Partition: s.Partition, Bucket: s.Bucket, Meta: m}
		if r.c.Options.File.ReadIndex {
			if ok, err := datafile.MayMatch(ctx, r.c.Read, f, r.filter); err != nil || !ok {
				return merge.Concat(), err
			}
		}
		return datafile.Open(ctx, r.c.Read, f,
			datafile.ReadRequest{Fields: r.c.Read.Schema.FieldsOf(r.columns), Filter: r.filter})
	}
}

// section merges the runs of a section.
func (r *Reading) section(ctx context.Context, s *Split, sec *level.Section) (columnar.Reader, error) {
	runs := slices.Clone(sec.Runs)
	byAge := level.ByAge(runs)
	fields := r.c.Read.Schema.FieldsOf(r.merged)
	cfg := merge.Config{
		Types: r.types, Key: r.key, Min: sec.Min, Max: sec.Max, Output: r.output, DropDeletes: true,
		Versions: merge.VersionOrder{
			Fields: r.sequence, Descending: r.c.Options.Merge.Descending, Number: len(r.types) - 1, ByAge: byAge,
		},
		BatchRows: columnar.BatchRows,
	}
	if byAge {
		cfg.Types = r.types[:len(r.types)-1]
	}
	if r.c.Options.Merge.IgnoreDelete {
		cfg.Function = merge.Deduplicate{IgnoreDelete: true}
	}
	for _, run := range runs {
		var files []merge.OpenFunc
		for _, f := range run.Files {
			files = append(files, func(ctx context.Context) (columnar.Reader, error) {
				return datafile.Open(ctx, r.c.Read, datafile.File{Partition: s.Partition, Bucket: s.Bucket, Meta: f.Meta},
					datafile.ReadRequest{
						Fields: fields, Sequence: !byAge, Kinds: true, Filter: r.byKey, BatchRows: mergeRows(len(runs)), Together: len(runs),
					})
			})
		}
		cfg.Runs = append(cfg.Runs, merge.Concat(files...))
	}
	return merge.NewReader(cfg)
}

// mergeRows is the most rows of a batch of each of so many runs: 8192 of few; the
// batches of all runs together have no more than those of 16.
func mergeRows(runs int) int {
	const few, most, least = 16, 8192, 256
	return max(least, most*few/max(few, runs))
}
