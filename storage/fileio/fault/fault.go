package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/lakesql/lakesql/storage/fileio"
)

// ErrInjected is the failure that the rules of this package give.
var ErrInjected = errors.New("injected failure")

// Kind says which call an operation was.
type Kind string

// The kinds of operations; Write, Finish and Abort are those of a Writer, Read
// is ReadAt of a File. CreateIfAbsent is the step that publishes a file.
const (
	Open           Kind = "open"
	Read           Kind = "read"
	List           Kind = "list"
	Create         Kind = "create"
	Write          Kind = "write"
	Finish         Kind = "finish"
	Abort          Kind = "abort"
	CreateIfAbsent Kind = "create-if-absent"
	Replace        Kind = "replace"
	Delete         Kind = "delete"
	Sync           Kind = "sync"
	RemoveAll      Kind = "remove-all"
	RenameDir      Kind = "rename-dir"
	RemoveEmptyDir Kind = "remove-empty-dir"
)

// Op is one operation: N counts from 1. Path is the first path of a Sync.
type Op struct {
	N    int
	Kind Kind
	Path string
}

// String is "n kind path".
func (o Op) String() string { return fmt.Sprintf("%d %s %s", o.N, o.Kind, o.Path) }

// Changes reports whether the operation changes what is stored.
func (o Op) Changes() bool { return o.Kind != Open && o.Kind != Read && o.Kind != List }

// Outcome says what becomes of an operation; the zero value lets it pass.
type Outcome struct {
	// Before fails the operation without an effect.
	Before error
	// After lets the operation happen and then reports a failure, as a lost
	// acknowledgement does.
	After error
	// Mangle changes the bytes that a Read returns, in place, and returns how many
	// of them are left; fewer than asked for is an unexpected end.
	Mangle func(off int64, p []byte) int
}

// Rule decides on an operation. It is called under no lock, from the goroutine
// of the operation, and must be safe for many; it may use the inner store.
type Rule func(Op) Outcome

// FailNth fails operation n before its effect.
func FailNth(n int) Rule {
	return func(o Op) Outcome {
		if o.N == n {
			return Outcome{Before: fmt.Errorf("%s: %w", o, ErrInjected)}
		}
		return Outcome{}
	}
}

// FailNthAfter fails operation n after its effect.
func FailNthAfter(n int) Rule {
	return func(o Op) Outcome {
		if o.N == n {
			return Outcome{After: fmt.Errorf("%s: %w", o, ErrInjected)}
		}
		return Outcome{}
	}
}

// DieAt fails operation n and all later ones before their effect, as if the
// process had died.
func DieAt(n int) Rule {
	return func(o Op) Outcome {
		if o.N >= n {
			return Outcome{Before: fmt.Errorf("%s: %w", o, ErrInjected)}
		}
		return Outcome{}
	}
}

// Store wraps another store. It is safe for many goroutines. It has the extra
// powers of fileio.Syncer, fileio.Publisher and fileio.DirStore; where the inner store
// lacks them, Sync does nothing, PublishAfter has no steps of its own and the others fail.
type Store struct {
	inner fileio.Store

	mu   sync.Mutex
	n    int
	log  []Op
	rule Rule
}

var (
	_ fileio.Store     = (*Store)(nil)
	_ fileio.Syncer    = (*Store)(nil)
	_ fileio.Publisher = (*Store)(nil)
	_ fileio.DirStore  = (*Store)(nil)
)

// Wrap returns a store that passes everything on to inner.
func Wrap(inner fileio.Store) *Store { return &Store{inner: inner} }

// SetRule sets the rule and counts anew from 1 with an empty log; nil lets all pass.
func (s *Store) SetRule(r Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n, s.log, s.rule = 0, nil, r
}

// Count is the number of operations since the last SetRule.
func (s *Store) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// Log returns the operations since the last SetRule.
func (s *Store) Log() []Op {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Op(nil), s.log...)
}

func (s *Store) begin(kind Kind, path string) Outcome {
	s.mu.Lock()
	s.n++
	op := Op{N: s.n, Kind: kind, Path: path}
	s.log = append(s.log, op)
	rule := s.rule
	s.mu.Unlock()
	if rule == nil {
		return Outcome{}
	}
	return rule(op)
}

// run performs an operation that has no result but an error.
func (s *Store) run(kind Kind, path string, do func() error) error {
	out := s.begin(kind, path)
	if out.Before != nil {
		return out.Before
	}
	if err := do(); err != nil {
		return err
	}
	return out.After
}

// Open opens a file whose reads are operations too.
func (s *Store) Open(ctx context.Context, path string) (fileio.File, error) {
	out := s.begin(Open, path)
	if out.Before != nil {
		return nil, out.Before
	}
	f, err := s.inner.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	if out.After != nil {
		return nil, errors.Join(out.After, f.Close())
	}
	return &file{File: f, s: s, path: path}, nil
}

// List lists a directory.
func (s *Store) List(ctx context.Context, dir string) ([]fileio.Info, error) {
	out := s.begin(List, dir)
	if out.Before != nil {
		return nil, out.Before
	}
	infos, err := s.inner.List(ctx, dir)
	if err == nil && out.After != nil {
		return nil, out.After
	}
	return infos, err
}

// Create starts a file whose writes and end are operations too.
func (s *Store) Create(ctx context.Context, path string) (fileio.Writer, error) {
	out := s.begin(Create, path)
	if out.Before != nil {
		return nil, out.Before
	}
	w, err := s.inner.Create(ctx, path)
	if err != nil {
		return nil, err
	}
	if out.After != nil {
		return nil, out.After // the started file is left behind
	}
	return &writer{w: w, s: s, path: path}, nil
}

// Replace replaces a file.
func (s *Store) Replace(ctx context.Context, path string, data []byte) error {
	return s.run(Replace, path, func() error { return s.inner.Replace(ctx, path, data) })
}

// Delete deletes a file.
func (s *Store) Delete(ctx context.Context, path string) error {
	return s.run(Delete, path, func() error { return s.inner.Delete(ctx, path) })
}

// Sync syncs files: one operation.
func (s *Store) Sync(ctx context.Context, paths []string) error {
	first := ""
	if len(paths) > 0 {
		first = paths[0]
	}
	return s.run(Sync, first, func() error { return fileio.Sync(ctx, s.inner, paths) })
}

// RemoveAll deletes a directory tree.
func (s *Store) RemoveAll(ctx context.Context, dir string) error {
	return s.run(RemoveAll, dir, func() error {
		d, err := s.dirs()
		if err != nil {
			return err
		}
		return d.RemoveAll(ctx, dir)
	})
}

// RenameDir moves a directory.
func (s *Store) RenameDir(ctx context.Context, from, to string) error {
	return s.run(RenameDir, from, func() error {
		d, err := s.dirs()
		if err != nil {
			return err
		}
		return d.RenameDir(ctx, from, to)
	})
}

// RemoveEmptyDir removes an empty directory.
func (s *Store) RemoveEmptyDir(ctx context.Context, dir string) error {
	return s.run(RemoveEmptyDir, dir, func() error {
		d, err := s.dirs()
		if err != nil {
			return err
		}
		return d.RemoveEmptyDir(ctx, dir)
	})
}

func (s *Store) dirs() (fileio.DirStore, error) {
	d, ok := s.inner.(fileio.DirStore)
	if !ok {
		return nil, errors.New("the wrapped store has no directories")
	}
	return d, nil
}

type file struct {
	fileio.File
	s    *Store
	path string
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	out := f.s.begin(Read, f.path)
	if out.Before != nil {
		return 0, out.Before
	}
	n, err := f.File.ReadAt(p, off)
	if out.After != nil {
		return 0, out.After
	}
	if out.Mangle != nil {
		if left := out.Mangle(off, p[:n]); left < n {
			return left, fmt.Errorf("read %s: %w", f.path, io.ErrUnexpectedEOF)
		}
	}
	return n, err
}

type writer struct {
	w    fileio.Writer
	s    *Store
	path string
}

func (w *writer) Write(p []byte) (n int, err error) {
	err = w.s.run(Write, w.path, func() error {
		n, err = w.w.Write(p)
		return err
	})
	return n, err
}

func (w *writer) Finish(ctx context.Context) error {
	return w.s.run(Finish, w.path, func() error { return w.w.Finish(ctx) })
}

func (w *writer) Abort() error {
	return w.s.run(Abort, w.path, func() error { return w.w.Abort() })
}
