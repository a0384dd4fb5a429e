package options

import (
	"errors"
	"maps"
	"time"
)

// Table holds the values of a table's options by subject. It is a value made by
// Parse; its maps and slices are shared and must not be changed.
type Table struct {
	Type string // type

	AddColumnBeforePartition bool // add-column-before-partition
	KeepNullable             bool // alter-column-null-to-not-null.disabled
	ImplicitCastsOnly        bool // disable-explicit-type-casting
	NullableKeys             bool // primary-key.nullable

	Bucket     Bucket
	File       File
	Stats      Stats
	Manifest   Manifest
	Merge      Merge
	Changelog  Changelog
	Compaction Compaction
	Write      Write
	Commit     Commit
	Retention  Retention
	Scan       Scan
	Partition  Partition

	// Format has the options under the prefixes parquet. and avro., with the prefix.
	Format map[string]string
}

// Bucket says how rows are spread over buckets.
type Bucket struct {
	Count      int      // bucket: n > 0 fixed, -1 dynamic or unaware, -2 postpone
	Keys       []string // bucket-key; nil: the trimmed primary key
	Function   string   // bucket-function.type: default, mod or hive
	TargetRows int64    // dynamic-bucket.target-row-num: keys of a dynamic bucket
	MaxBuckets int      // dynamic-bucket.max-buckets; -1: no limit
}

// File says how data files are written. Changelog files have their own format
// and codec in Changelog.
type File struct {
	Format               string // file.format: parquet, avro, …
	FormatByLevel        map[int]string
	Compression          string // file.compression: zstd, snappy, gzip, lz4, brotli or none
	CodecByLevel         map[int]string
	ZstdLevel            int    // file.compression.zstd-level
	BlockBytes           int64  // file.block-size; 0: the format's default
	TargetBytes          int64  // target-file-size; 0: see TargetFileBytes
	TargetRows           int64  // target-file-row-num
	Prefix               string // data-file.prefix
	Directory            string // data-file.path-directory; "": the table's directory
	ThinMode             bool   // data-file.thin-mode: no _KEY_ columns
	CodecInName          bool   // file.suffix.include.compression
	IndexBesideRow       bool   // index-file-in-data-file-dir
	IndexInManifestBytes int64  // file-index.in-manifest-threshold
	ReadIndex            bool   // file-index.read.enabled
}

// FormatAt is the format of new files of a level.
func (f File) FormatAt(level int) string { return at(f.FormatByLevel, level, f.Format) }

// CodecAt is the compression of new files of a level.
func (f File) CodecAt(level int) string { return at(f.CodecByLevel, level, f.Compression) }

func at(m map[int]string, level int, otherwise string) string {
	if v, ok := m[level]; ok {
		return v
	}
	return otherwise
}

// TargetFileBytes is the size at which a writer begins the next file.
func (f File) TargetFileBytes(primaryKey bool) int64 {
	switch {
	case f.TargetBytes > 0:
		return f.TargetBytes
	case primaryKey:
		return 128 << 20
	}
	return 256 << 20
}

// Stats says which statistics are kept of data files' columns. Modes are none,
// counts, full and truncate(n).
type Stats struct {
	Mode      string // metadata.stats-mode
	ByLevel   map[int]string
	ByColumn  map[string]string // fields.<f>.stats-mode
	KeepFirst int               // metadata.stats-keep-first-n-columns; -1: all
	Dense     bool              // metadata.stats-dense-store: only columns that have any
}

// Modes gives the mode of each column of a file of a level. Columns beyond the
// first KeepFirst get none, save those with a mode of their own.
func (s Stats) Modes(level int, columns []string) []string {
	out := make([]string, len(columns))
	general := at(s.ByLevel, level, s.Mode)
	for i, c := range columns {
		switch {
		case s.ByColumn[c] != "":
			out[i] = s.ByColumn[c]
		case s.KeepFirst >= 0 && i >= s.KeepFirst:
			out[i] = "none"
		default:
			out[i] = general
		}
	}
	return out
}

// Manifest says how manifests are written and merged.
type Manifest struct {
	Compression   string // manifest.compression
	TargetBytes   int64  // manifest.target-file-size
	FullBytes     int64  // manifest.full-compaction-threshold-size
	MergeMinCount int    // manifest.merge-min-count
}

// Merge says how the records of a key become one row.
type Merge struct {
	Engine             string   // merge-engine
	SequenceFields     []string // sequence.field
	Descending         bool     // sequence.field.sort-order
	SnapshotOrdering   bool     // sequence.snapshot-ordering
	IgnoreDelete       bool     // ignore-delete
	IgnoreUpdateBefore bool     // ignore-update-before
	RowKindField       string   // rowkind.field; "": none
}

// Changelog says which changelog is written beside the data.
type Changelog struct {
	Producer    string // changelog-producer
	Prefix      string // changelog-file.prefix
	Format      string // changelog-file.format; "": as the data files
	Compression string // changelog-file.compression; "": as the data files
	StatsMode   string // changelog-file.stats-mode; "": as the data files
}

// Compaction says when and how runs and files are merged.
type Compaction struct {
	Trigger              int     // num-sorted-run.compaction-trigger
	NumLevels            int     // num-levels, default Trigger+1
	MaxSizeAmplification int     // percent
	SizeRatio            int     // percent
	DeltaCommits         int     // full-compaction.delta-commits; 0: not set
	MinFileNum           int     // compaction.min.file-num, append tables
	SmallFileRatio       float64 // compaction.small-file-ratio
	ForceLookup          bool    // force-lookup
}

// Write says how rows are taken in.
type Write struct {
	Only             bool  // write-only: no compaction, no maintenance
	BufferBytes      int64 // write-buffer-size
	DynamicOverwrite bool  // dynamic-partition-overwrite
}

// Commit says how snapshots are published.
type Commit struct {
	MaxRetries   int           // commit.max-retries
	MinRetryWait time.Duration // commit.min-retry-wait
	MaxRetryWait time.Duration // commit.max-retry-wait
	Timeout      time.Duration // commit.timeout; 0: none
}

// Retention says what expiry keeps.
type Retention struct {
	MinSnapshots   int           // snapshot.num-retained.min
	MaxSnapshots   int           // snapshot.num-retained.max
	Age            time.Duration // snapshot.time-retained
	Limit          int           // snapshot.expire.limit: snapshots of one run
	CleanEmptyDirs bool          // snapshot.clean-empty-directories
	TagAge         time.Duration // tag.default-time-retained; 0: tags stay
	ChangelogMin   int           // changelog.num-retained.min; default MinSnapshots
	ChangelogMax   int           // changelog.num-retained.max; default MaxSnapshots
}

// Scan says what a read returns.
type Scan struct {
	Mode               string // scan.mode
	SnapshotID         int64  // scan.snapshot-id; 0: not set
	TagName            string // scan.tag-name
	Version            string // scan.version
	Timestamp          string // scan.timestamp, local time text
	TimestampMillis    *int64 // scan.timestamp-millis; nil: not set
	Watermark          *int64 // scan.watermark; nil: not set
	CreationMillis     *int64 // scan.creation-time-millis; nil: not set
	FileCreationMillis *int64 // scan.file-creation-time-millis; nil: not set
	Bucket             int    // scan.bucket; -1: all
	SplitBytes         int64  // source.split.target-size
	OpenFileBytes      int64  // source.split.open-file-cost: least weight of a file
	Between            string // incremental-between
	BetweenTimestamp   string // incremental-between-timestamp
	ToAutoTag          string // incremental-to-auto-tag
	Branch             string // branch
	FallbackBranch     string // scan.fallback-branch
}

// StartMode is where a read starts: Mode, and where that is default what the
// other options imply. full is latest-full.
func (s Scan) StartMode() string {
	switch {
	case s.Mode == "full":
		return "latest-full"
	case s.Mode != "default":
		return s.Mode
	case s.TimestampMillis != nil || s.Timestamp != "":
		return "from-timestamp"
	case s.SnapshotID != 0 || s.TagName != "" || s.Watermark != nil || s.Version != "":
		return "from-snapshot"
	case s.FileCreationMillis != nil:
		return "from-file-creation-time"
	case s.CreationMillis != nil:
		return "from-creation-timestamp"
	case s.Between != "" || s.BetweenTimestamp != "" || s.ToAutoTag != "":
		return "incremental"
	}
	return "latest-full"
}

// Partition says how partition values become directory names.
type Partition struct {
	DefaultName string // partition.default-name
	LegacyName  bool   // partition.legacy-name
}

// Parse reads the options that a table stores. Unknown keys are passed over;
// err has every bad value of those that are read, naming key and value.
func Parse(opts map[string]string) (Table, error) {
	p := &parser{opts: opts}
	t := Table{
		Type:                     p.text("type"),
		AddColumnBeforePartition: p.bool("add-column-before-partition"),
		KeepNullable:             p.bool("alter-column-null-to-not-null.disabled"),
		ImplicitCastsOnly:        p.bool("disable-explicit-type-casting"),
		NullableKeys:             p.bool("primary-key.nullable"),
		Bucket:                   p.bucket(),
		File:                     p.file(),
		Stats:                    p.stats(),
		Manifest:                 p.manifest(),
		Merge:                    p.merge(),
		Changelog:                p.changelog(),
		Compaction:               p.compaction(),
		Write:                    p.write(),
		Commit:                   p.commit(),
		Retention:                p.retention(),
		Scan:                     p.scan(),
		Partition:                Partition{DefaultName: p.text("partition.default-name"), LegacyName: p.bool("partition.legacy-name")},
		Format:                   p.prefixed("parquet.", "avro."),
	}
	return t, errors.Join(p.faults...)
}

// Merged returns base with the options of over on top; both stay as they are.
func Merged(base, over map[string]string) map[string]string {
	out := make(map[string]string, len(base)+len(over))
	maps.Copy(out, base)
	maps.Copy(out, over)
	return out
}

func (p *parser) bucket() Bucket {
	return Bucket{
		Count:      p.int("bucket"),
		Keys:       SplitColumns(p.text("bucket-key")),
		Function:   p.text("bucket-function.type"),
		TargetRows: p.long("dynamic-bucket.target-row-num"),
		MaxBuckets: p.int("dynamic-bucket.max-buckets"),
	}
}

func (p *parser) file() File {
	return File{
		Format:               p.text("file.format"),
		FormatByLevel:        p.levels("file.format.per.level"),
		Compression:          p.text("file.compression"),
		CodecByLevel:         p.levels("file.compression.per.level"),
		ZstdLevel:            p.int("file.compression.zstd-level"),
		BlockBytes:           p.size("file.block-size"),
		TargetBytes:          p.size("target-file-size"),
		TargetRows:           p.long("target-file-row-num"),
		Prefix:               p.text("data-file.prefix"),
		Directory:            p.text("data-file.path-directory"),
		ThinMode:             p.bool("data-file.thin-mode"),
		CodecInName:          p.bool("file.suffix.include.compression"),
		IndexBesideRow:       p.bool("index-file-in-data-file-dir"),
		IndexInManifestBytes: p.size("file-index.in-manifest-threshold"),
		ReadIndex:            p.bool("file-index.read.enabled"),
	}
}

func (p *parser) stats() Stats {
	return Stats{
		Mode:      p.text("metadata.stats-mode"),
		ByLevel:   p.levels("metadata.stats-mode.per.level"),
		ByColumn:  p.columns("fields.<f>.stats-mode"),
		KeepFirst: p.int("metadata.stats-keep-first-n-columns"),
		Dense:     p.bool("metadata.stats-dense-store"),
	}
}

func (p *parser) manifest() Manifest {
	return Manifest{
		Compression:   p.text("manifest.compression"),
		TargetBytes:   p.size("manifest.target-file-size"),
		FullBytes:     p.size("manifest.full-compaction-threshold-size"),
		MergeMinCount: p.int("manifest.merge-min-count"),
	}
}

func (p *parser) merge() Merge {
	return Merge{
		Engine:             p.text("merge-engine"),
		SequenceFields:     SplitColumns(p.text("sequence.field")),
		Descending:         p.text("sequence.field.sort-order") == "descending",
		SnapshotOrdering:   p.bool("sequence.snapshot-ordering"),
		IgnoreDelete:       p.bool("ignore-delete"),
		IgnoreUpdateBefore: p.bool("ignore-update-before"),
		RowKindField:       p.text("rowkind.field"),
	}
}

func (p *parser) changelog() Changelog {
	return Changelog{
		Producer:    p.text("changelog-producer"),
		Prefix:      p.text("changelog-file.prefix"),
		Format:      p.text("changelog-file.format"),
		Compression: p.text("changelog-file.compression"),
		StatsMode:   p.text("changelog-file.stats-mode"),
	}
}

func (p *parser) compaction() Compaction {
	c := Compaction{
		Trigger:              p.int("num-sorted-run.compaction-trigger"),
		NumLevels:            p.int("num-levels"),
		MaxSizeAmplification: p.int("compaction.max-size-amplification-percent"),
		SizeRatio:            p.int("compaction.size-ratio"),
		DeltaCommits:         p.int("full-compaction.delta-commits"),
		MinFileNum:           p.int("compaction.min.file-num"),
		SmallFileRatio:       p.double("compaction.small-file-ratio"),
		ForceLookup:          p.bool("force-lookup"),
	}
	if c.NumLevels == 0 {
		c.NumLevels = c.Trigger + 1
	}
	return c
}

func (p *parser) write() Write {
	return Write{
		Only:             p.bool("write-only"),
		BufferBytes:      p.size("write-buffer-size"),
		DynamicOverwrite: p.bool("dynamic-partition-overwrite"),
	}
}

func (p *parser) commit() Commit {
	return Commit{
		MaxRetries:   p.int("commit.max-retries"),
		MinRetryWait: p.duration("commit.min-retry-wait"),
		MaxRetryWait: p.duration("commit.max-retry-wait"),
		Timeout:      p.duration("commit.timeout"),
	}
}

func (p *parser) retention() Retention {
	r := Retention{
		MinSnapshots:   p.int("snapshot.num-retained.min"),
		MaxSnapshots:   p.int("snapshot.num-retained.max"),
		Age:            p.duration("snapshot.time-retained"),
		Limit:          p.int("snapshot.expire.limit"),
		CleanEmptyDirs: p.bool("snapshot.clean-empty-directories"),
		TagAge:         p.duration("tag.default-time-retained"),
		ChangelogMin:   p.int("changelog.num-retained.min"),
		ChangelogMax:   p.int("changelog.num-retained.max"),
	}
	if r.ChangelogMin == 0 {
		r.ChangelogMin = r.MinSnapshots
	}
	if r.ChangelogMax == 0 {
		r.ChangelogMax = r.MaxSnapshots
	}
	return r
}

func (p *parser) scan() Scan {
	s := Scan{
		Mode:               p.text("scan.mode"),
		SnapshotID:         p.long("scan.snapshot-id"),
		TagName:            p.text("scan.tag-name"),
		Version:            p.text("scan.version"),
		Timestamp:          p.text("scan.timestamp"),
		TimestampMillis:    p.longPtr("scan.timestamp-millis"),
		Watermark:          p.longPtr("scan.watermark"),
		CreationMillis:     p.longPtr("scan.creation-time-millis"),
		FileCreationMillis: p.longPtr("scan.file-creation-time-millis"),
		Bucket:             -1,
		SplitBytes:         p.size("source.split.target-size"),
		OpenFileBytes:      p.size("source.split.open-file-cost"),
		Between:            p.text("incremental-between"),
		BetweenTimestamp:   p.text("incremental-between-timestamp"),
		ToAutoTag:          p.text("incremental-to-auto-tag"),
		Branch:             p.text("branch"),
		FallbackBranch:     p.text("scan.fallback-branch"),
	}
	if p.has("scan.bucket") {
		s.Bucket = p.int("scan.bucket")
	}
	return s
}
