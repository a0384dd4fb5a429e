package check

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// cacheBytes is how much of the manifests is kept decoded: neighbouring snapshots
// name mostly the same ones.
const cacheBytes = 64 << 20

// Config is what a check works with. All handles are the caller's.
type Config struct {
	Store   fileio.Store
	Formats map[string]format.Format // by name; files of others are not opened, which is noted
	// MetadataOnly leaves the rows of data files unread.
	MetadataOnly bool
}

// Problem is a fault of a table, or a note about it.
type Problem struct {
	// Path is the file that is at fault, or the directory of the table.
	Path string
	What string
	// Note says that it is no fault: files that nothing names, what could not be
	// checked, and, as the last of a table, what was.
	Note bool
}

// String is the problem in one line.
func (p Problem) String() string { return p.Path + ": " + p.What }

// Table checks the table in dir and yields its problems as they are found. The
// only errors are those of ctx, and one that says that there is no table; an error
// is the last that is yielded. The sequence may be left early.
func Table(ctx context.Context, c Config, dir string) iter.Seq2[Problem, error] {
	return func(yield func(Problem, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		k := &checker{
			cfg: c, dir: dir, yield: yield, cancel: cancel,
			manifests: manifest.NewFiles(c.Store, dir, manifest.NewCache(cacheBytes)),
			summaries: map[string]*summary{}, files: map[fileKey]struct{}{}, used: map[string]struct{}{},
		}
		err := k.table(ctx)
		if err != nil && !k.stopped {
			yield(Problem{Path: dir}, err)
		}
	}
}

// checker is one check of one table.
type checker struct {
	cfg     Config
	dir     string
	yield   func(Problem, error) bool
	cancel  context.CancelFunc
	stopped bool

	manifests *manifest.Files
	summaries map[string]*summary  // of manifests, by name
	files     map[fileKey]struct{} // data files whose content was looked at
	used      map[string]struct{}  // paths that a snapshot or a tag names
	counts    struct {
		schemas, snapshots, tags, dataFiles, indexFiles int
		rows                                            int64
	}
}

// table checks the main branch, the others, and the folders.
func (k *checker) table(ctx context.Context) error {
	if err := k.branch(ctx, k.dir, ""); err != nil {
		return err
	}
	names, err := k.branches(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := k.branch(ctx, fileio.Join(k.dir, "branch", branchPrefix+name), name); err != nil {
			return err
		}
	}
	if err := k.orphans(ctx); err != nil {
		return err
	}
	n := &k.counts
	k.note(k.dir, "checked %d schemas, %d snapshots, %d tags, %d manifests, %d index files, %d data files with %d rows",
		n.schemas, n.snapshots, n.tags, len(k.summaries), n.indexFiles, n.dataFiles, n.rows)
	return ctx.Err()
}

func (k *checker) emit(p Problem) {
	if k.stopped {
		return
	}
	if !k.yield(p, nil) {
		k.stopped = true
		k.cancel()
	}
}

// fault reports what is wrong with a file.
func (k *checker) fault(path, format string, args ...any) {
	k.emit(Problem{Path: path, What: fmt.Sprintf(format, args...)})
}

// note reports what is worth knowing.
func (k *checker) note(path, format string, args ...any) {
	k.emit(Problem{Path: path, What: fmt.Sprintf(format, args...), Note: true})
}

// unreadable reports an error of reading a file. It returns the error when that is
// the end of the check: the context's.
func (k *checker) unreadable(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var c *corrupt.Error
	switch {
	case errors.As(err, &c):
		if c.Path != "" {
			path = c.Path
		}
		k.fault(path, "%s", detail(err))
	case errors.Is(err, fileio.ErrNotFound):
		k.fault(path, "the file is missing")
	default:
		k.fault(path, "cannot be read: %v", err)
	}
	return nil
}

// detail is what a corruption error says without its path.
func detail(err error) string {
	var c *corrupt.Error
	switch {
	case !errors.As(err, &c):
		return err.Error()
	case c.Offset == corrupt.NoOffset:
		return c.Detail.Error()
	}
	return fmt.Sprintf("at offset %d: %v", c.Offset, c.Detail)
}

// use notes that a path belongs to the table.
func (k *checker) use(path string) { k.used[path] = struct{}{} }

// exists opens a file and reports a problem when it cannot. sizeBytes -1 is unknown.
func (k *checker) exists(ctx context.Context, path string, sizeBytes int64) (bool, error) {
	k.use(path)
	f, err := k.cfg.Store.Open(ctx, path)
	if err != nil {
		return false, k.unreadable(ctx, path, err)
	}
	size := f.SizeBytes()
	if err := f.Close(); err != nil {
		return false, k.unreadable(ctx, path, err)
	}
	if sizeBytes >= 0 && size != sizeBytes {
		k.fault(path, "the file has %d bytes, %d are recorded", size, sizeBytes)
		return false, nil
	}
	return true, nil
}
