package lsm

import (
	"context"
	"fmt"
	"time"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/lsm/compact"
)

// DataFiles are the data files of one bucket of a table: the Files to use outside of
// tests. The members are shared by all buckets of the table, but for Partition and
// Bucket.
type DataFiles struct {
	Read      datafile.ReadConfig
	Store     fileio.Store
	Partition []byte // serialised partition row
	Bucket    int
	Names     *datafile.Names
	// Layout gives the layout of new files of a level.
	Layout func(level int) (*datafile.Layout, error)
	// Now is the creation time of new files.
	Now func() time.Time
}

var _ Files = (*DataFiles)(nil)

// Open reads all columns of a file in the schema of Read, with sequence numbers and
// exact row kinds.
func (d *DataFiles) Open(ctx context.Context, m *datafile.Meta) (columnar.Reader, error) {
	return datafile.Open(ctx, d.Read, datafile.File{Partition: d.Partition, Bucket: d.Bucket, Meta: m},
		datafile.ReadRequest{Fields: d.Read.Schema.Fields, Sequence: true, Kinds: true, ExactKinds: true, BatchRows: blockRows})
}

// blockRows is how many rows of a run are decoded at once: a page of the files we write.
const blockRows = 8192

// Create prepares to write files of a level. Those of level 0 are written in the
// way that is cheapest to write and to read again soon.
func (d *DataFiles) Create(level int, source datafile.Source) (compact.Writer, error) {
	l, err := d.Layout(level)
	if err != nil {
		return nil, err
	}
	dir, err := d.Read.Paths.BucketDir(d.Partition, d.Bucket)
	if err != nil {
		return nil, err
	}
	return datafile.NewWriter(datafile.WriterConfig{
		Store: d.Store, Dir: dir, Names: d.Names, Formats: d.Read.Formats, Layout: l, Source: source, Lean: level == 0, Now: d.Now(),
	})
}

// Delete removes a file.
func (d *DataFiles) Delete(ctx context.Context, m *datafile.Meta) error {
	path, err := d.Read.Paths.File(d.Partition, d.Bucket, m)
	if err != nil {
		return err
	}
	if err := d.Store.Delete(ctx, path); err != nil {
		return fmt.Errorf("delete %s: %w", path, err)
	}
	return nil
}
