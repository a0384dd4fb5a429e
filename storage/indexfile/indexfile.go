package indexfile

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/google/uuid"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/indexfile/bucketindex"
)

// Hash is the type of hash indexes in the index manifest.
const Hash = "HASH"

// Dir says where the index files of a table lie. It is immutable.
type Dir struct {
	TableDir string
	Paths    *datafile.Paths
	// Beside puts them into the directories of their buckets
	// (index-file-in-data-file-dir).
	Beside bool
}

// Path is the path of an index file of a bucket.
func (d Dir) Path(partition []byte, bucket int, f *datafile.IndexFile) (string, error) {
	switch {
	case f.ExternalPath != "":
		return f.ExternalPath, nil
	case d.Beside:
		return d.Paths.File(partition, bucket, &datafile.Meta{Name: f.Name})
	}
	return fileio.Join(d.TableDir, "index", f.Name), nil
}

// Names makes names for new index files: a random part and a count. It is safe
// for many goroutines.
type Names struct {
	random string
	next   atomic.Int64
}

// NewNames starts a row of names.
func NewNames() *Names { return &Names{random: uuid.NewString()} }

// Next returns a name that was never used.
func (n *Names) Next() string {
	return "index-" + n.random + "-" + strconv.FormatInt(n.next.Add(1)-1, 10)
}

// ReadHashes reads the hashes of a hash index file, whose row count and size must
// be those of the index manifest.
func ReadHashes(ctx context.Context, r fileio.Reader, path string, f *datafile.IndexFile) (hashes []uint32, err error) {
	file, err := r.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if size := file.SizeBytes(); size != f.SizeBytes || size != bucketindex.SizeBytes(f.RowCount) {
		return nil, corrupt.Errorf(path, corrupt.NoOffset, "hash index has %d bytes, %d are recorded for %d hashes", size, f.SizeBytes, f.RowCount)
	}
	data := make([]byte, f.SizeBytes)
	if n, err := file.ReadAt(data, 0); n < len(data) {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	hashes, err = bucketindex.Decode(data)
	return hashes, corrupt.Wrap(path, err)
}

// WriteHashes writes the complete hashes of a bucket as a new file, which must be
// made durable before it is published, and returns its entry and path.
func (d Dir) WriteHashes(
	ctx context.Context, s fileio.Store, n *Names, partition []byte, bucket int, hashes []uint32,
) (f datafile.IndexFile, path string, err error) {
	f = datafile.IndexFile{
		Type: Hash, Name: n.Next(), SizeBytes: bucketindex.SizeBytes(int64(len(hashes))), RowCount: int64(len(hashes)),
	}
	if path, err = d.Path(partition, bucket, &f); err != nil {
		return f, "", err
	}
	if err := fileio.WriteFile(ctx, s, path, bucketindex.Encode(hashes)); err != nil {
		return f, path, fmt.Errorf("write hash index: %w", err)
	}
	return f, path, nil
}
