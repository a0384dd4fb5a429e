package format

import (
	"context"
	"io"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

// Format reads and writes one kind of data file.
type Format interface {
	// Name is the file extension without a dot, also the value of file.format.
	Name() string
	// Open opens a file for reading. The file stays the caller's to close; the
	// reader must be closed first. path names the file in errors.
	Open(ctx context.Context, f fileio.File, path string, o ReadOptions) (columnar.Reader, error)
	// NewWriter writes a file to w, whose Finish and Abort stay the caller's.
	NewWriter(w io.Writer, o WriteOptions) (Writer, error)
}

// ReadOptions choose what a reader returns.
type ReadOptions struct {
	// Fields are the columns to return, in this order, found in the file by name
	// (members of a ROW too). A top-level column that the file lacks is all null.
	// The types are those of the schema that the file was written with.
	Fields []types.Field
	// Skip, if set, is called once for each block of rows that can be skipped as a
	// whole (a row group, a page) with what its statistics say; true skips it.
	// Readers without such statistics never call it.
	Skip func(BlockStats) bool
	// BatchRows is the most rows in a batch; 0 is columnar.BatchRows.
	BatchRows int
	// KeepDictionary allows vectors in dictionary form.
	KeepDictionary bool
	// Together is how many readers are open at once, this one among them; 0 is 1.
	// Many of them read less ahead each.
	Together int
}

// BlockStats are the statistics of a block of rows.
type BlockStats struct {
	FirstRow int64 // position in the file
	Rows     int64
	// Column gives the bounds of a top-level column of ReadOptions.Fields by name:
	// min, max (nulls: no bounds are known, or all rows are null) and null count
	// (-1: unknown). ok is false when nothing is known.
	Column func(name string) (min, max columnar.Value, nulls int64, ok bool)
}

// WriteOptions say how a file is written.
type WriteOptions struct {
	// Fields are the columns, in file order, with their field ids.
	Fields []types.Field
	// Compression is zstd, snappy, gzip, lz4, brotli or none.
	Compression string
	// ZstdLevel is Paimon's zstd level; 0 is 1.
	ZstdLevel int
	// BlockBytes is the most bytes of a row group or block; 0 is 128 MiB.
	BlockBytes int64
	// Lean asks for the cheapest encoding to write and read again soon, at the
	// price of size: runs that a compaction will fold.
	Lean bool
	// Extra are the table's options with the format's own prefix (parquet.…, avro.…).
	Extra map[string]string
}

// Writer writes the rows of one file.
type Writer interface {
	// Write appends the live rows of a batch, whose columns are those of
	// WriteOptions.Fields. It keeps nothing of the batch.
	Write(b *columnar.Batch) error
	// SizeBytes estimates how large the file would be now.
	SizeBytes() int64
	// Finish writes what is left, and the footer.
	Finish() error
}

// StatsWriter is a Writer that finds statistics of columns on its way, so that nobody
// need look at their values again.
type StatsWriter interface {
	Writer
	// HasStats reports whether Stats will know column i of WriteOptions.Fields.
	HasStats(i int) bool
	// Stats are the exact statistics of column i over all rows, once Finish has
	// returned; no bounds, as from a stats.Collector, where one of the values is a NaN.
	Stats(i int) stats.Column
}
