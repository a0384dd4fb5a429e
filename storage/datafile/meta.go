package datafile

import "github.com/lakesql/lakesql/storage/stats"

// Source says which step wrote a file.
type Source int8

// The sources; UnknownSource is a file of a release that did not record it.
const (
	UnknownSource Source = -1
	FromAppend    Source = 0
	FromCompact   Source = 1
)

// Unknown stands for a count or an id that the manifest does not have.
const Unknown int64 = -1

// Meta is what a manifest says of a data file (Paimon's DataFileMeta). It is
// immutable once made; slices are shared and must not be changed.
type Meta struct {
	Name        string
	SizeBytes   int64
	RowCount    int64  // all rows, deletes included
	MinKey      []byte // serialised row of the trimmed primary key; append tables: arity 0
	MaxKey      []byte
	KeyStats    stats.Binary
	ValueStats  stats.Binary
	MinSequence int64
	MaxSequence int64
	SchemaID    int64
	Level       int
	ExtraFiles  []string

	CreationMillis     int64  // local wall clock of the writer read as UTC; Unknown
	DeleteRowCount     int64  // rows of kind -U or -D; Unknown
	EmbeddedIndex      []byte // nil: none
	Source             Source
	ValueStatsCols     []string // columns of ValueStats; nil: all of the file's schema
	ExternalPath       string   // full path when the file lies outside the table; "" otherwise
	FirstRowID         int64    // Unknown: none
	WriteCols          []string // nil: all columns
	WriteColsSequences []int64
}

// Increment is what the writer of one bucket made: files to publish, and for a
// compaction the files that they replace. Commit publishes the append part and
// the compact part as a snapshot each.
type Increment struct {
	Partition    []byte // serialised partition row
	Bucket       int
	TotalBuckets int // bucket count in force; -1 for dynamic and unaware buckets

	NewFiles       []*Meta // append part
	NewChangelog   []*Meta
	CompactBefore  []*Meta // compact part: deleted, each as it was read
	CompactAfter   []*Meta
	CompactChanges []*Meta // changelog files of the compaction

	NewIndexFiles     []IndexFile // HASH: replaces the bucket's index file
	DeletedIndexFiles []IndexFile
}

// IndexFile is an entry of the index manifest (Paimon's IndexFileMeta) without
// its partition and bucket.
type IndexFile struct {
	Type         string // HASH, DELETION_VECTORS, or a global index
	Name         string
	SizeBytes    int64
	RowCount     int64
	Vectors      []VectorRange // deletion vectors, in file order; nil otherwise
	ExternalPath string
	Global       *GlobalIndex
}

// VectorRange says where the deletion vector of a data file lies in an index file.
type VectorRange struct {
	DataFile    string
	Offset      int32
	Length      int32 // see table format 7.1: the meaning differs between 32 and 64 bit
	Cardinality int64 // Unknown in old tables
}

// GlobalIndex describes a global index file; carried over, never used.
type GlobalIndex struct {
	RowRangeStart, RowRangeEnd int64
	FieldID                    int32
	ExtraFieldIDs              []int32
	Meta                       []byte
	SourceMeta                 []byte
}
