package storage

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/indexfile"
	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
	"github.com/lakesql/lakesql/storage/snapshot/expire"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/write"
)

var (
	// ErrNotFound is returned by Open for a directory without a table, and by every
	// use of a handle whose table has been removed.
	ErrNotFound = schema.ErrNoSchema
	// ErrExist is returned by Create for a directory that has a table.
	ErrExist = schema.ErrExists
	// ErrUnsupported matches the error for a table feature that is not built. The
	// error names the feature.
	ErrUnsupported = errors.New("not supported by lakesql")
	// ErrWriteConflict is returned by Write.Commit when a key that the write derived
	// from its view was written since. The statement may be run again.
	ErrWriteConflict = write.ErrConflict
)

// UnsupportedError names features of a table that cannot be read or written.
type UnsupportedError struct {
	Table    string
	Verb     string // read or write
	Features []string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("cannot %s table %s: %s: %v", e.Verb, e.Table, ErrUnsupported, joinAnd(e.Features))
}

// Is reports whether target is ErrUnsupported.
func (e *UnsupportedError) Is(target error) bool { return target == ErrUnsupported }

func joinAnd(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		s := words[0]
		for _, w := range words[1 : n-1] {
			s += ", " + w
		}
		return s + " and " + words[n-1]
	}
}

// Table is the long-lived handle of one table. Safe for many goroutines.
type Table struct {
	env        *Env
	dir        string
	schemas    *schema.Manager
	snapshots  *snapshot.Manager
	manifests  *manifest.Files
	publisher  *write.Publisher
	overwrites expire.Memory
	open       openViews

	newest atomic.Pointer[version] // of the newest schema seen

	mu           sync.Mutex // guards what follows
	committer    *commit.Committer
	committerFor *write.Layout
}

// Open returns the handle of the table in dir. ErrNotFound when there is none.
func Open(ctx context.Context, env *Env, dir string) (*Table, error) {
	t, err := env.handle(ctx, dir, func(ctx context.Context) (*Table, error) {
		t := newTable(env, dir)
		_, err := t.schemas.Latest(ctx)
		return t, err
	})
	if err != nil {
		return nil, fmt.Errorf("open table %s: %w", dir, err)
	}
	return t, nil
}

// Create makes a table in dir and returns its handle. ErrExist when there is one.
func Create(ctx context.Context, env *Env, dir string, def schema.Definition) (*Table, error) {
	s, _, err := schema.Define(def, env.Now())
	if err != nil {
		return nil, err
	}
	t := newTable(env, dir)
	if _, err := t.newLayout(s); err != nil {
		return nil, err
	}
	if err := t.schemas.Create(ctx, s); err != nil {
		return nil, fmt.Errorf("create table %s: %w", dir, err)
	}
	env.forget(dir)
	return env.handle(ctx, dir, func(context.Context) (*Table, error) { return t, nil })
}

func newTable(env *Env, dir string) *Table {
	t := &Table{
		env: env, dir: dir,
		schemas:   schema.New(env.Store, dir),
		snapshots: snapshot.New(env.Store, dir),
	}
	t.schemas.Now = env.Now
	t.manifests = manifest.NewFiles(env.Store, dir, env.manifests)
	t.publisher = write.NewPublisher(write.Config{
		Store: env.Store, Snapshots: t.snapshots, Manifests: t.manifests, Formats: env.formats, Budget: env.budget,
		Now: env.Now, Threads: env.Threads, Committer: t.committerOf, Published: t.published,
		IndexNames: indexfile.NewNames(),
	})
	return t
}

// Dir is the table's directory.
func (t *Table) Dir() string { return t.dir }

// Env is what the table shares with others.
func (t *Table) Env() *Env { return t.env }

// Name is the last element of the directory, for messages.
func (t *Table) Name() string {
	for i := len(t.dir) - 1; i >= 0; i-- {
		if t.dir[i] == '/' {
			return t.dir[i+1:]
		}
	}
	return t.dir
}

// Schema is the newest schema of the table.
func (t *Table) Schema(ctx context.Context) (*schema.Schema, error) {
	s, err := t.schemas.Latest(ctx)
	if errors.Is(err, ErrNotFound) {
		t.env.forget(t.dir)
	}
	return s, err
}

// Alter changes the schema. Nothing is written when one of the changes is refused.
func (t *Table) Alter(ctx context.Context, changes []schema.Change) (*schema.Schema, error) {
	latest, err := t.snapshots.Latest(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.checkAlter(ctx, changes, latest != nil); err != nil {
		return nil, fmt.Errorf("alter table %s: %w", t.Name(), err)
	}
	s, err := t.schemas.Apply(ctx, changes, latest != nil)
	if err != nil {
		return nil, fmt.Errorf("alter table %s: %w", t.Name(), err)
	}
	return s, nil
}

// checkAlter refuses changes that would make a table that cannot be written.
func (t *Table) checkAlter(ctx context.Context, changes []schema.Change, hasSnapshot bool) error {
	base, err := t.schemas.Latest(ctx)
	if err != nil {
		return err
	}
	next, err := base.Apply(changes, hasSnapshot, t.env.Now())
	if err != nil || next == base {
		return err
	}
	_, err = t.newLayout(next)
	return err
}

// version is what follows from one version of the schema. It is immutable.
type version struct {
	schema       *schema.Schema
	options      options.Table
	cannotRead   []string // features that lakesql does not know
	cannotWrite  []string
	layout       *write.Layout
	layoutErr    error            // why there is none; a table that cannot be read comes first
	defaults     []columnar.Value // by column; null: none
	defaultsErr  error
	someDefaults bool
}

// versionOf is what follows from a schema, remembered for the newest one.
func (t *Table) versionOf(s *schema.Schema) (*version, error) {
	if v := t.newest.Load(); v != nil && v.schema == s {
		return v, nil
	}
	v, err := t.newVersion(s)
	if err == nil {
		t.newest.Store(v)
	}
	return v, err
}

func (t *Table) newVersion(s *schema.Schema) (*version, error) {
	v := &version{schema: s}
	var err error
	if v.options, err = s.Table(); err != nil {
		return nil, fmt.Errorf("table %s, schema %d: %w", t.Name(), s.ID, err)
	}
	if v.cannotRead, v.cannotWrite, err = s.Unsupported(); err != nil {
		return nil, fmt.Errorf("table %s, schema %d: %w", t.Name(), s.ID, err)
	}
	if len(v.cannotRead) == 0 {
		v.layout, v.layoutErr = t.newLayout(s)
	}
	v.readDefaults(t)
	return v, nil
}

// readDefaults parses the columns' defaults.
func (v *version) readDefaults(t *Table) {
	v.defaults = make([]columnar.Value, len(v.schema.Fields))
	for i, f := range v.schema.Fields {
		v.defaults[i] = columnar.NullValue
		switch {
		case f.Default == nil:
			continue
		case f.Type.Nested():
			v.defaultsErr = &UnsupportedError{Table: t.Name(), Verb: "write", Features: []string{"a default of nested column " + f.Name}}
			return
		}
		var err error
		if v.defaults[i], err = schema.ParseValue(f.Type, *f.Default); err != nil {
			v.defaultsErr = fmt.Errorf("default of column %s: %w", f.Name, err)
			return
		}
		v.someDefaults = true
	}
}

// layoutOf is the write layout of a schema.
func (t *Table) layoutOf(s *schema.Schema) (*write.Layout, error) {
	v, err := t.versionOf(s)
	if err != nil {
		return nil, err
	}
	if len(v.cannotRead) > 0 {
		return nil, &UnsupportedError{Table: t.Name(), Verb: "read", Features: v.cannotRead}
	}
	return v.layout, v.layoutErr
}

func (t *Table) newLayout(s *schema.Schema) (*write.Layout, error) {
	l, err := t.layoutFor(s)
	if err != nil {
		return nil, fmt.Errorf("table %s, schema %d: %w", t.Name(), s.ID, err)
	}
	return l, nil
}

func (t *Table) layoutFor(s *schema.Schema) (*write.Layout, error) {
	o, err := s.Table()
	if err != nil {
		return nil, err
	}
	paths, err := datafile.NewPaths(datafile.PathConfig{
		TableDir: t.dir, DataDirectory: o.File.Directory, PartitionFields: s.FieldsOf(s.PartitionIndexes()),
		DefaultName: o.Partition.DefaultName, PlainNames: !o.Partition.LegacyName,
	})
	if err != nil {
		return nil, err
	}
	return write.NewLayout(s, t.dir, paths)
}

// Drop removes a table with all its files.
func Drop(ctx context.Context, env *Env, dir string) error {
	d, ok := env.Store.(fileio.DirStore)
	if !ok {
		return fmt.Errorf("drop table %s: the file store has no directories", dir)
	}
	env.forget(dir)
	if err := d.RemoveAll(ctx, dir); err != nil {
		return fmt.Errorf("drop table %s: %w", dir, err)
	}
	return nil
}

// Rename moves a table. ErrExist when there is something at to.
func Rename(ctx context.Context, env *Env, from, to string) error {
	d, ok := env.Store.(fileio.DirStore)
	if !ok {
		return fmt.Errorf("rename table %s: the file store has no directories", from)
	}
	env.forget(from)
	env.forget(to)
	if err := d.RenameDir(ctx, from, to); err != nil {
		if errors.Is(err, fileio.ErrExist) {
			err = ErrExist
		}
		return fmt.Errorf("rename table %s to %s: %w", from, to, err)
	}
	return nil
}
