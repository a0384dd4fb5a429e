package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/google/uuid"

	"github.com/lakesql/lakesql/storage/fileio"
)

var (
	_ fileio.Store    = (*Store)(nil)
	_ fileio.Syncer   = (*Store)(nil)
	_ fileio.DirStore = (*Store)(nil)
)

// maxDurableDirs bounds what the store remembers of synced directories; past it
// the memory is dropped and directories are synced anew, which costs time only.
const maxDurableDirs = 1 << 16

// Store is a file store on a local disk. It is safe for many goroutines.
type Store struct {
	root    string
	buffers sync.Pool // of *bufio.Writer

	mu      sync.Mutex
	durable map[string]struct{} // directories whose own entry is known to be on disk
}

// New returns the store of the files below root, an absolute path. Files outside
// of root can be used as well; directories from root upwards are never synced.
func New(root string) *Store {
	return &Store{root: path.Clean(root), durable: map[string]struct{}{}}
}

// Open opens a file for reading.
func (s *Store) Open(_ context.Context, name string) (fileio.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, mapRead("open", name, err)
	}
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		err = syscall.EISDIR
	}
	if err != nil {
		return nil, errors.Join(mapRead("open", name, err), f.Close())
	}
	return &file{f: f, size: st.Size()}, nil
}

type file struct {
	f    *os.File
	size int64
}

func (f *file) ReadAt(p []byte, off int64) (int, error) { return f.f.ReadAt(p, off) }
func (f *file) Close() error                            { return f.f.Close() }
func (f *file) SizeBytes() int64                        { return f.size }

// List returns the children of dir; a symbolic link counts as what it points to.
func (s *Store) List(_ context.Context, dir string) ([]fileio.Info, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, mapRead("list", dir, err)
	}
	infos := make([]fileio.Info, 0, len(entries))
	for _, e := range entries {
		st, err := e.Info()
		if err == nil && st.Mode()&fs.ModeSymlink != 0 {
			st, err = os.Stat(path.Join(dir, e.Name()))
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue // gone since it was listed
		}
		if err != nil {
			return nil, mapRead("list", dir, err)
		}
		infos = append(infos, fileio.Info{Name: e.Name(), SizeBytes: st.Size(), ModTime: st.ModTime(), Dir: st.IsDir()})
	}
	return infos, nil
}

// Create starts a file under a free name; a taken one is fileio.ErrExist.
func (s *Store) Create(_ context.Context, name string) (fileio.Writer, error) {
	f, err := s.openNew(name)
	if err != nil {
		return nil, mapWrite("create", name, err)
	}
	return newWriter(f, name, &s.buffers), nil
}

// openNew creates a file and the directories above it.
func (s *Store) openNew(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := os.MkdirAll(path.Dir(name), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

// writeTemp writes data to a temporary file beside name.
func (s *Store) writeTemp(name string, data []byte, durable bool) (temp string, err error) {
	temp = path.Join(path.Dir(name), "."+path.Base(name)+"."+uuid.NewString()+".tmp")
	f, err := s.openNew(temp)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(temp))
	}
	return temp, nil
}

// CreateIfAbsent publishes data under a free name, see fileio.Store.
func (s *Store) CreateIfAbsent(_ context.Context, name string, data []byte) error {
	temp, err := s.writeTemp(name, data, true /* durable */)
	if err != nil {
		return mapWrite("publish", name, err)
	}
	return s.publish(temp, name)
}

// PublishAfter syncs files, their directories and the temporary file of the one to
// be published all at once, see fileio.Publisher.
func (s *Store) PublishAfter(_ context.Context, paths []string, name string, data []byte) error {
	temp, err := s.writeTemp(name, data, false /* durable */)
	if err != nil {
		return fmt.Errorf("%w: %w", fileio.ErrNotPublished, mapWrite("publish", name, err))
	}
	if err := s.syncAll(append(paths[:len(paths):len(paths)], temp)); err != nil {
		return fmt.Errorf("%w: %w", fileio.ErrNotPublished, errors.Join(err, os.Remove(temp)))
	}
	return s.publish(temp, name)
}

// publish gives a durable file its name.
func (s *Store) publish(temp, name string) error {
	err := os.Link(temp, name)
	switch {
	case err == nil:
		// A leftover temporary name is harmless, so its removal cannot fail the publish.
		_ = os.Remove(temp)
	case linkUnsupported(err):
		if err = renameNoReplace(temp, name); err != nil {
			return mapWrite("publish", name, errors.Join(err, os.Remove(temp)))
		}
	default:
		return mapWrite("publish", name, errors.Join(err, os.Remove(temp)))
	}
	return s.syncDirs([]string{path.Dir(name)})
}

func linkUnsupported(err error) bool {
	return errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EOPNOTSUPP) ||
		errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EMLINK)
}

// Replace puts data under name by a rename. It is not synced: after a power cut
// the file may hold the old, the new or no content until Sync was called.
func (s *Store) Replace(_ context.Context, name string, data []byte) error {
	temp, err := s.writeTemp(name, data, false /* durable */)
	if err != nil {
		return mapWrite("replace", name, err)
	}
	if err := os.Rename(temp, name); err != nil {
		return mapWrite("replace", name, errors.Join(err, os.Remove(temp)))
	}
	return nil
}

// Delete removes a file; a directory is refused.
func (s *Store) Delete(_ context.Context, name string) error {
	if err := unlink(name); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return mapWrite("delete", name, err)
	}
	return nil
}

// RemoveAll deletes a directory with all that is in it.
func (s *Store) RemoveAll(_ context.Context, dir string) error {
	defer s.forgetDirs()
	if err := os.RemoveAll(dir); err != nil {
		return mapWrite("delete", dir, err)
	}
	return nil
}

// RenameDir moves a directory to a free name and syncs both parents.
func (s *Store) RenameDir(_ context.Context, from, to string) error {
	defer s.forgetDirs()
	if err := os.MkdirAll(path.Dir(to), 0o755); err != nil {
		return mapWrite("rename", to, err)
	}
	if err := renameNoReplace(from, to); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return mapWrite("rename", from, err)
		}
		return mapWrite("rename", to, err)
	}
	return s.syncDirs(slices.Compact([]string{path.Dir(from), path.Dir(to)}))
}

// RemoveEmptyDir removes a directory unless something is in it.
func (s *Store) RemoveEmptyDir(_ context.Context, dir string) error {
	err := rmdir(dir)
	switch {
	case err == nil:
		s.forgetDirs()
		return nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTEMPTY), errors.Is(err, fs.ErrExist):
		return nil
	}
	return mapWrite("delete", dir, err)
}

// mapRead gives err the sentinel of package fileio that fits a reading step.
func mapRead(op, name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%s %s: %w", op, name, fileio.ErrNotFound)
	}
	return fmt.Errorf("%s %s: %w", op, name, bare(err))
}

// mapWrite gives err the sentinel of package fileio that fits a writing step.
func mapWrite(op, name string, err error) error {
	var kind error
	switch {
	case errors.Is(err, fs.ErrExist):
		kind = fileio.ErrExist
	case errors.Is(err, fs.ErrNotExist):
		kind = fileio.ErrNotFound
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		kind = fileio.ErrNoSpace
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		kind = fileio.ErrReadOnly
	default:
		return fmt.Errorf("%s %s: %w", op, name, bare(err))
	}
	return fmt.Errorf("%s %s: %w (%w)", op, name, kind, bare(err))
}

// bare drops the operation and path that the os package puts before an error.
func bare(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	}
	return err
}

// below reports whether dir lies strictly below the root.
func (s *Store) below(dir string) bool {
	return s.root != dir && (s.root == "/" || strings.HasPrefix(dir, s.root+"/"))
}
