package mem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lakesql/lakesql/storage/fileio"
)

var (
	_ fileio.Store    = (*Store)(nil)
	_ fileio.Syncer   = (*Store)(nil)
	_ fileio.DirStore = (*Store)(nil)
)

var (
	errClosed = errors.New("file is closed")
	errIsDir  = errors.New("is a directory")
)

// Store is a file store in memory. It is safe for many goroutines.
type Store struct {
	now func() time.Time

	mu      sync.RWMutex
	files   map[string]*node
	dirs    map[string]map[string]struct{} // directory -> names of its children
	durable map[string]*node               // what a crash leaves
	undone  map[string]map[string]struct{} // directory -> durable files deleted there and not yet synced
	linked  map[string]map[string]*node    // directory -> files linked there and not yet synced
}

// node is a file's content. Data is never changed in place, only replaced, so
// that open files keep what they saw.
type node struct {
	data    []byte
	modTime time.Time
}

// New returns an empty store. now gives the modification times; nil is time.Now.
func New(now func() time.Time) *Store {
	if now == nil {
		now = time.Now
	}
	return &Store{
		now:     now,
		files:   map[string]*node{},
		dirs:    map[string]map[string]struct{}{},
		durable: map[string]*node{},
		undone:  map[string]map[string]struct{}{},
		linked:  map[string]map[string]*node{},
	}
}

// Crash returns a new store with what was durable. The old store may go on being
// used and does not see the new one.
func (s *Store) Crash() *Store {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c := New(s.now)
	for name, n := range s.durable {
		c.putLocked(name, n)
		c.durable[name] = n
	}
	return c
}

// Clone returns an independent store with the same content.
func (s *Store) Clone() *Store {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c := New(s.now)
	for name, n := range s.files {
		c.putLocked(name, n)
	}
	for name, n := range s.durable {
		c.durable[name] = n
	}
	return c
}

// Paths returns the names of all files, sorted.
func (s *Store) Paths() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := make([]string, 0, len(s.files))
	for name := range s.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (s *Store) putLocked(name string, n *node) {
	s.files[name] = n
	for child := name; ; {
		dir := path.Dir(child)
		if dir == child {
			return
		}
		kids := s.dirs[dir]
		if kids == nil {
			kids = map[string]struct{}{}
			s.dirs[dir] = kids
		}
		if _, ok := kids[path.Base(child)]; ok {
			return
		}
		kids[path.Base(child)] = struct{}{}
		child = dir
	}
}

func (s *Store) dropLocked(name string) {
	delete(s.files, name)
	for child := name; ; {
		dir := path.Dir(child)
		delete(s.dirs[dir], path.Base(child))
		if len(s.dirs[dir]) > 0 || dir == child {
			return
		}
		delete(s.dirs, dir)
		child = dir
	}
}

// Open opens a file; the reader keeps the content it saw then.
func (s *Store) Open(ctx context.Context, name string) (fileio.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	n, ok := s.files[path.Clean(name)]
	if !ok {
		return nil, fmt.Errorf("open %s: %w", name, fileio.ErrNotFound)
	}
	return file{bytes.NewReader(n.data)}, nil
}

type file struct{ r *bytes.Reader }

func (f file) ReadAt(p []byte, off int64) (int, error) { return f.r.ReadAt(p, off) }
func (f file) Close() error                            { return nil }
func (f file) SizeBytes() int64                        { return f.r.Size() }

// List returns the children of dir.
func (s *Store) List(ctx context.Context, dir string) ([]fileio.Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	dir = path.Clean(dir)
	var infos []fileio.Info
	for name := range s.dirs[dir] {
		info := fileio.Info{Name: name, Dir: true}
		if n, ok := s.files[path.Join(dir, name)]; ok {
			info = fileio.Info{Name: name, SizeBytes: int64(len(n.data)), ModTime: n.modTime}
		}
		infos = append(infos, info)
	}
	slices.SortFunc(infos, func(a, b fileio.Info) int { return strings.Compare(a.Name, b.Name) })
	return infos, nil
}

// Create starts a file under a free name.
func (s *Store) Create(ctx context.Context, name string) (fileio.Writer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name = path.Clean(name)
	if s.takenLocked(name) {
		return nil, fmt.Errorf("create %s: %w", name, fileio.ErrExist)
	}
	s.putLocked(name, &node{modTime: s.now()})
	return &writer{s: s, name: name}, nil
}

func (s *Store) takenLocked(name string) bool {
	_, isFile := s.files[name]
	_, isDir := s.dirs[name]
	return isFile || isDir
}

type writer struct {
	s      *Store
	name   string
	data   []byte
	closed bool
}

func (w *writer) Write(p []byte) (int, error) {
	if w.closed {
		return 0, fmt.Errorf("write %s: %w", w.name, errClosed)
	}
	w.data = append(w.data, p...)
	return len(p), nil
}

func (w *writer) Finish(ctx context.Context) error {
	if w.closed {
		return fmt.Errorf("finish %s: %w", w.name, errClosed)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	w.closed = true
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	w.s.putLocked(w.name, &node{data: w.data, modTime: w.s.now()})
	return nil
}

func (w *writer) Abort() error {
	w.closed = true
	return w.s.Delete(context.Background(), w.name)
}

// CreateIfAbsent publishes a file and makes it durable.
func (s *Store) CreateIfAbsent(ctx context.Context, name string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name = path.Clean(name)
	if s.takenLocked(name) {
		return fmt.Errorf("publish %s: %w", name, fileio.ErrExist)
	}
	s.putLocked(name, &node{data: bytes.Clone(data), modTime: s.now()})
	s.durable[name] = s.files[name]
	s.syncDirLocked(path.Dir(name))
	return nil
}

// Link gives a file a second name, which must be free. The new name is durable once
// its directory was synced, by Sync of a file in it or by SyncDir.
func (s *Store) Link(ctx context.Context, from, to string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	from, to = path.Clean(from), path.Clean(to)
	n, ok := s.files[from]
	if !ok {
		return fmt.Errorf("link %s: %w", from, fileio.ErrNotFound)
	}
	if s.takenLocked(to) {
		return fmt.Errorf("link %s: %w", to, fileio.ErrExist)
	}
	s.putLocked(to, n)
	dir := path.Dir(to)
	if s.linked[dir] == nil {
		s.linked[dir] = map[string]*node{}
	}
	s.linked[dir][to] = n
	return nil
}

// SyncDir makes the links and deletions in a directory durable.
func (s *Store) SyncDir(ctx context.Context, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.syncDirLocked(path.Clean(dir))
	return nil
}

// Replace puts data over what was there.
func (s *Store) Replace(ctx context.Context, name string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name = path.Clean(name)
	if _, ok := s.dirs[name]; ok {
		return fmt.Errorf("replace %s: %w", name, errIsDir)
	}
	s.putLocked(name, &node{data: bytes.Clone(data), modTime: s.now()})
	return nil
}

// Delete removes a file.
func (s *Store) Delete(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name = path.Clean(name)
	if _, ok := s.files[name]; ok {
		s.dropLocked(name)
		if _, ok := s.durable[name]; ok {
			dir := path.Dir(name)
			if s.undone[dir] == nil {
				s.undone[dir] = map[string]struct{}{}
			}
			s.undone[dir][name] = struct{}{}
		}
	} else if _, ok := s.dirs[name]; ok {
		return fmt.Errorf("delete %s: %w", name, errIsDir)
	}
	return nil
}

// Sync makes files, and deletions beside them, durable.
func (s *Store) Sync(ctx context.Context, paths []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range paths {
		name = path.Clean(name)
		n, ok := s.files[name]
		if !ok {
			return fmt.Errorf("sync %s: %w", name, fileio.ErrNotFound)
		}
		s.durable[name] = n
	}
	for _, name := range paths {
		s.syncDirLocked(path.Dir(path.Clean(name)))
	}
	return nil
}

// syncDirLocked makes the links and deletions in a directory durable.
func (s *Store) syncDirLocked(dir string) {
	for name, n := range s.linked[dir] {
		if s.files[name] == n {
			s.durable[name] = n
		}
	}
	delete(s.linked, dir)
	for name := range s.undone[dir] {
		if _, ok := s.files[name]; !ok {
			delete(s.durable, name)
		}
	}
	delete(s.undone, dir)
}

// RemoveAll deletes a directory with all that is in it, durably.
func (s *Store) RemoveAll(ctx context.Context, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	dir = path.Clean(dir)
	for name := range s.files {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			s.dropLocked(name)
		}
	}
	for name := range s.durable {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			delete(s.durable, name)
		}
	}
	return nil
}

// RenameDir moves a directory, durably.
func (s *Store) RenameDir(ctx context.Context, from, to string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	from, to = path.Clean(from), path.Clean(to)
	if _, ok := s.dirs[from]; !ok {
		return fmt.Errorf("rename %s: %w", from, fileio.ErrNotFound)
	}
	if s.takenLocked(to) {
		return fmt.Errorf("rename %s: %w", to, fileio.ErrExist)
	}
	moved := map[string]*node{}
	for name, n := range s.files {
		if strings.HasPrefix(name, from+"/") {
			moved[to+name[len(from):]] = n
			s.dropLocked(name)
		}
	}
	for name, n := range moved {
		s.putLocked(name, n)
	}
	kept := map[string]*node{}
	for name, n := range s.durable {
		if strings.HasPrefix(name, from+"/") {
			name = to + name[len(from):]
		}
		kept[name] = n
	}
	s.durable = kept
	return nil
}

// RemoveEmptyDir does nothing: a directory exists while something is in it.
func (s *Store) RemoveEmptyDir(ctx context.Context, _ string) error { return ctx.Err() }
