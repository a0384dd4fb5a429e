package commit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/types"
)

var (
	// ErrConflict is returned when another commit made this one impossible: a file
	// to delete is not live any more, or compacted files overlap. The work must be
	// planned again from the newest snapshot.
	ErrConflict = errors.New("commit conflict")
	// ErrBuckets is returned when a partition has files of another bucket count.
	ErrBuckets = errors.New("bucket count of a partition changed without overwrite")
	// ErrUnknownOutcome is returned when a snapshot may or may not have been
	// published and could not be found again. No file was taken back.
	ErrUnknownOutcome = errors.New("outcome of the commit is unknown")
	// ErrGaveUp is returned when other commits were faster too many times.
	ErrGaveUp = errors.New("too many commits at the same time")
	// ErrGone is what Config.Still says of a table that was dropped.
	ErrGone = errors.New("the table is gone")
)

// ReplacedError is returned when the snapshot that this Committer published last
// was replaced by another engine's, which can happen on a local disk. Request is
// the commit that is lost. It is reported once: the caller commits it anew, and
// then its own, which was not begun.
type ReplacedError struct {
	Lost    *snapshot.Snapshot
	Request Request
}

func (e *ReplacedError) Error() string {
	return fmt.Sprintf("snapshot %d of commit user %s was replaced by another writer", e.Lost.ID, e.Lost.CommitUser)
}

// Config describes the table and its handles. All handles are the caller's.
type Config struct {
	Store     fileio.Store
	Snapshots *snapshot.Manager
	Manifests *manifest.Files

	// PartitionTypes are the types of the partition columns, none if unpartitioned.
	PartitionTypes []types.Type
	// KeyTypes are those of the trimmed primary key; none for append tables.
	KeyTypes []types.Type
	// Unaware says that it is an append table without buckets.
	Unaware bool

	// LatestSchema returns the id of the newest schema.
	LatestSchema func(context.Context) (int64, error)
	// Still looks whether the table is still the one that is committed to; ErrGone
	// when another process has dropped it, or made another one in its place. nil: it is.
	Still func(context.Context) error
	// DataFiles returns the paths of an increment's new files, which Commit makes
	// durable; nil: they are durable already.
	DataFiles func(*datafile.Increment) ([]string, error)

	// PartitionName shows a partition in messages; nil shows its bytes in hex.
	PartitionName func(partition []byte) string

	Compression manifest.Compression  // manifest.compression
	Merge       manifest.MergeOptions // manifest.*

	MaxRetries    int           // commit.max-retries, 0 is 10
	MinRetryWait  time.Duration // commit.min-retry-wait, 0 is 10 ms
	MaxRetryWait  time.Duration // commit.max-retry-wait, 0 is 10 s
	Timeout       time.Duration // commit.timeout, 0 is none
	WriterVersion string        // for information, "" is left out

	Now  func() time.Time // nil is time.Now
	Rand func() float64   // for the jitter of waits, in [0, 1); nil is math/rand/v2
}

// LiveReader shows the newest snapshot to Prepare and Check.
type LiveReader interface {
	// Live returns the live files that pass the filter.
	Live(ctx context.Context, f manifest.Filter) ([]*manifest.Entry, error)
}

// Overwrite replaces the files of partitions with the new files of a request.
type Overwrite struct {
	// Dynamic takes the partitions that the new files are in; no new files, no
	// change. Otherwise Matches says which, nil being all, and a new file elsewhere
	// is an error.
	Dynamic bool
	Matches func(partition []byte) bool
}

// Request is one logical commit.
type Request struct {
	Increments []datafile.Increment
	// User and Identifier name the commit: a fresh user and snapshot.BatchIdentifier
	// for a statement, a fixed user and growing identifiers for a job.
	User       string
	Identifier int64

	// Overwrite makes the append part an OVERWRITE of whole partitions.
	Overwrite *Overwrite
	// Rewrite publishes all parts as one OVERWRITE: CompactBefore is deleted,
	// NewFiles and CompactAfter are added. For DELETE and UPDATE that write files anew.
	Rewrite bool
	// Statistics names a statistics file; the commit has the kind ANALYZE and no
	// increments.
	Statistics string
	// Force publishes an APPEND snapshot also when nothing changed.
	Force bool

	Operation  snapshot.Operation
	Watermark  *int64
	Properties map[string]string

	// The next two run inside the attempt: they must not call the Committer.

	// Check is called at each attempt before anything is written; an error ends
	// the commit. latest is nil in a table without snapshots.
	Check func(ctx context.Context, latest *snapshot.Snapshot, live LiveReader) error
	// Prepare is called at each attempt until the first snapshot of the request is
	// published, and returns the increments to publish in place of Increments: the
	// writer numbers or writes its files anew when the table has moved.
	Prepare func(ctx context.Context, latest *snapshot.Snapshot, live LiveReader) ([]datafile.Increment, error)
}

// Result tells what was published, in order: none when nothing changed. After an
// error it holds the snapshots that were published before it: when the compact
// part loses a conflict, the append part stands.
type Result struct {
	Snapshots []*snapshot.Snapshot
	Attempts  int
}
