package fileio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
)

var (
	// ErrNotFound is returned for a file that does not exist.
	ErrNotFound = errors.New("file not found")
	// ErrExist is returned by CreateIfAbsent when the name is taken.
	ErrExist = errors.New("file exists")
	// ErrReadOnly is returned for a write to a store or directory that takes none.
	ErrReadOnly = errors.New("file store is read-only")
	// ErrNoSpace is returned when the store is full.
	ErrNoSpace = errors.New("no space left in file store")
)

// Info describes one child of a directory.
type Info struct {
	Name      string // last path element
	SizeBytes int64
	ModTime   time.Time
	Dir       bool
}

// File is an open file. ReadAt follows io.ReaderAt.
type File interface {
	io.ReaderAt
	io.Closer
	SizeBytes() int64
}

// Writer fills a new file. It ends in exactly one of Finish or Abort; Abort
// leaves no file behind and may be called after a failed Finish.
type Writer interface {
	io.Writer
	Finish(ctx context.Context) error
	Abort() error
}

// Reader is the reading half of a store.
type Reader interface {
	// Open opens a file; ErrNotFound when there is none.
	Open(ctx context.Context, path string) (File, error)
	// List returns the direct children of a directory, sorted by name; none for
	// a directory that does not exist.
	List(ctx context.Context, dir string) ([]Info, error)
}

// Store reads and writes files.
type Store interface {
	Reader
	// Create starts a new file under a name that was never used before. What was
	// written may be seen under the name before Finish.
	Create(ctx context.Context, path string) (Writer, error)
	// CreateIfAbsent publishes data under path in one atomic step and makes it
	// durable: it is seen whole or not at all, and of several calls for one path,
	// from any process, one succeeds and the others get ErrExist. Any other error
	// leaves it unknown whether the file is there.
	CreateIfAbsent(ctx context.Context, path string, data []byte) error
	// Replace writes data under path in one atomic step, over what was there. A
	// reader sees the old or the new content. It need not be durable.
	Replace(ctx context.Context, path string, data []byte) error
	// Delete removes a file; one that does not exist is no error.
	Delete(ctx context.Context, path string) error
}

// Syncer is an extra power of stores whose finished files are not durable by
// themselves.
type Syncer interface {
	// Sync makes finished files, and the directories that name them up to the
	// store's root, durable, all in parallel.
	Sync(ctx context.Context, paths []string) error
}

// DirStore is an extra power of stores with real directories. RemoveAll deletes
// a directory with all that is in it; RenameDir moves one (ErrExist when the
// target exists); RemoveEmptyDir removes a directory if it is empty.
type DirStore interface {
	RemoveAll(ctx context.Context, dir string) error
	RenameDir(ctx context.Context, from, to string) error
	RemoveEmptyDir(ctx context.Context, dir string) error
}

// Sync makes files durable on stores that need it, see Syncer.
func Sync(ctx context.Context, s Store, paths []string) error {
	if y, ok := s.(Syncer); ok {
		return y.Sync(ctx, paths)
	}
	return nil
}

// ReadFile reads a whole file.
func ReadFile(ctx context.Context, r Reader, name string) (data []byte, err error) {
	f, err := r.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	data = make([]byte, f.SizeBytes())
	if n, err := f.ReadAt(data, 0); n < len(data) {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}

// WriteFile creates a file with data, see Store.Create.
func WriteFile(ctx context.Context, s Store, name string, data []byte) error {
	w, err := s.Create(ctx, name)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return errors.Join(err, w.Abort())
	}
	if err := w.Finish(ctx); err != nil {
		return errors.Join(err, w.Abort())
	}
	return nil
}

// Join joins path elements with slashes and keeps a scheme such as s3:// whole.
func Join(elems ...string) string {
	if scheme, rest, ok := strings.Cut(elems[0], "://"); ok {
		return scheme + "://" + path.Join(append([]string{rest}, elems[1:]...)...)
	}
	return path.Join(elems...)
}
