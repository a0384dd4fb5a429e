package write

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/indexfile"
	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

// Layout is how the rows of a table go to partitions and buckets under one
// version of its schema. It is safe to share; what others see of it is immutable.
type Layout struct {
	Schema  *schema.Schema
	Options options.Table
	Mode    schema.Mode

	types     []types.Type
	partition []int // partition columns
	key       []int // trimmed primary key; nil: append table
	bucketKey []int // bucket key of fixed buckets; nil otherwise
	sequence  []int // sequence fields
	bucketer  *row.Bucketer
	paths     *datafile.Paths
	index     indexfile.Dir
	level0    *datafile.Layout
	names     *datafile.Names
	chunks    chunks
}

// NewLayout derives the layout of a schema of the table in tableDir, whose data
// files lie at paths.
func NewLayout(s *schema.Schema, tableDir string, paths *datafile.Paths) (*Layout, error) {
	o, err := s.Table()
	if err != nil {
		return nil, err
	}
	l := &Layout{
		Schema: s, Options: o, Mode: s.Mode(o.Bucket.Count),
		names: &datafile.Names{
			DataPrefix: o.File.Prefix, ChangelogPrefix: o.Changelog.Prefix, IncludeCompression: o.File.CodecInName, UUID: uuid.NewString(),
		},
		index: indexfile.Dir{TableDir: tableDir, Paths: paths, Beside: o.File.IndexBesideRow},
		paths: paths, types: types.FieldTypes(s.Fields), partition: s.PartitionIndexes(), key: s.KeyIndexes(),
	}
	if l.sequence, err = s.Indexes(o.Merge.SequenceFields); err != nil {
		return nil, fmt.Errorf("option sequence.field: %w", err)
	}
	if l.level0, err = datafile.NewLayout(s, o, 0, false); err != nil {
		return nil, err
	}
	if l.Mode == schema.Fixed {
		if l.bucketKey, err = s.Indexes(s.BucketKeys()); err != nil {
			return nil, fmt.Errorf("option bucket-key: %w", err)
		}
		l.bucketer, err = row.NewBucketer(o.Bucket.Function, types.FieldTypes(s.FieldsOf(l.bucketKey)), o.Bucket.Count)
		if err != nil {
			return nil, fmt.Errorf("option bucket: %w", err)
		}
	}
	return l, nil
}

// Dynamic reports whether the buckets of rows are given when they are published.
func (l *Layout) Dynamic() bool { return l.Mode == schema.Dynamic }

// Paths is where the files lie.
func (l *Layout) Paths() *datafile.Paths { return l.paths }

// Index is where the index files of the table lie.
func (l *Layout) Index() indexfile.Dir { return l.index }

// Names makes the names of the table's new data files.
func (l *Layout) Names() *datafile.Names { return l.names }

// Types are the types of the table's columns.
func (l *Layout) Types() []types.Type { return l.types }

// Keyed reports whether the table has a primary key.
func (l *Layout) Keyed() bool { return len(l.key) > 0 }

// TotalBuckets is what manifest entries say of the number of buckets.
func (l *Layout) TotalBuckets() int {
	if l.Mode == schema.Fixed {
		return l.Options.Bucket.Count
	}
	return -1
}

// lockOf is the bucket under which keys of b are compared for lost updates: the
// whole partition where buckets are dynamic.
func (l *Layout) lockOf(b Bucket) Bucket {
	if l.Dynamic() {
		return Bucket{Partition: b.Partition, Number: unassigned}
	}
	return b
}
