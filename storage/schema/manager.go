package schema

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/fileio"
)

var (
	// ErrNoSchema matches the error for a table directory without a schema file:
	// there is no table.
	ErrNoSchema = errors.New("table has no schema")
	// ErrExists is returned by Create when the directory has a schema file.
	ErrExists = errors.New("table exists")
)

const (
	dirName    = "schema"
	filePrefix = "schema-"
)

// Manager reads and writes the schema files of one table. It is safe for many
// goroutines, here and in other processes. Schemas that were read are kept, as
// they never change; but Latest looks at its file each time and forgets them all
// when the table was dropped and made anew meanwhile.
type Manager struct {
	// Now tells the time for new schemas; nil is time.Now. It is set before use.
	Now func() time.Time

	store fileio.Store
	dir   string

	mu     sync.Mutex
	byID   map[int64]kept
	newest int64 // id that Latest found, -1 before
}

// kept is a schema with the bytes that it was read from.
type kept struct {
	data   []byte
	schema *Schema
}

// New returns the Manager of the table in tableDir. It does no IO.
func New(store fileio.Store, tableDir string) *Manager {
	return &Manager{store: store, dir: fileio.Join(tableDir, dirName), byID: map[int64]kept{}, newest: -1}
}

// Path is the file of a schema id.
func (m *Manager) Path(id int64) string {
	return fileio.Join(m.dir, filePrefix+strconv.FormatInt(id, 10))
}

// List gives the ids of all schemas, ascending. Other files in the directory
// are passed over.
func (m *Manager) List(ctx context.Context) ([]int64, error) {
	infos, err := m.store.List(ctx, m.dir)
	if err != nil {
		return nil, fmt.Errorf("list schemas in %s: %w", m.dir, err)
	}
	var ids []int64
	for _, info := range infos {
		if id, ok := ParseFileName(info.Name); ok && !info.Dir {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// ParseFileName gives the id in the name of a schema file.
func ParseFileName(name string) (id int64, ok bool) {
	digits, ok := strings.CutPrefix(name, filePrefix)
	if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	return id, err == nil
}

// Latest is the schema with the highest id. ErrNoSchema when there is none. The
// directory is listed only when the one found last is gone or has a successor.
func (m *Manager) Latest(ctx context.Context) (*Schema, error) {
	m.mu.Lock()
	id := m.newest
	m.mu.Unlock()
	if id >= 0 {
		data, err := m.read(ctx, id)
		if err == nil {
			var last bool
			if last, err = m.absent(ctx, id+1); last {
				return m.latest(id, data)
			}
		}
		if err != nil && !errors.Is(err, fileio.ErrNotFound) {
			return nil, err
		}
	}
	ids, err := m.List(ctx)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoSchema, m.dir)
	}
	id = ids[len(ids)-1]
	data, err := m.read(ctx, id)
	if err != nil {
		return nil, err
	}
	return m.latest(id, data)
}

// absent reports whether there is no schema of an id.
func (m *Manager) absent(ctx context.Context, id int64) (bool, error) {
	f, err := m.store.Open(ctx, m.Path(id))
	if errors.Is(err, fileio.ErrNotFound) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for schema %d: %w", id, err)
	}
	return false, f.Close()
}

// latest gives the schema that was read as the newest.
func (m *Manager) latest(id int64, data []byte) (*Schema, error) {
	m.mu.Lock()
	have, ok := m.byID[id]
	if ok && !bytes.Equal(have.data, data) {
		clear(m.byID) // another table has taken the place
		ok = false
	}
	m.newest = id
	m.mu.Unlock()
	if ok {
		return have.schema, nil
	}
	return m.parse(id, data)
}

// Get is the schema with an id. A missing file is fileio.ErrNotFound.
func (m *Manager) Get(ctx context.Context, id int64) (*Schema, error) {
	m.mu.Lock()
	have, ok := m.byID[id]
	m.mu.Unlock()
	if ok {
		return have.schema, nil
	}
	data, err := m.read(ctx, id)
	if err != nil {
		return nil, err
	}
	return m.parse(id, data)
}

// Same makes sure that the table is still the one that s is a schema of. ErrNoSchema
// when it was dropped, also when another one was made in its place.
func (m *Manager) Same(ctx context.Context, s *Schema) error {
	data, err := m.read(ctx, s.ID)
	if errors.Is(err, fileio.ErrNotFound) {
		return fmt.Errorf("%w: %s: it was dropped", ErrNoSchema, m.dir)
	}
	if err != nil {
		return err
	}
	m.mu.Lock()
	have := m.byID[s.ID]
	m.mu.Unlock()
	if have.schema == s && bytes.Equal(have.data, data) {
		return nil
	}
	if there, err := Decode(data); err == nil && bytes.Equal(there.Encode(), s.Encode()) {
		return nil
	}
	return fmt.Errorf("%w: %s: it was dropped, and another table made in its place", ErrNoSchema, m.dir)
}

func (m *Manager) read(ctx context.Context, id int64) ([]byte, error) {
	data, err := fileio.ReadFile(ctx, m.store, m.Path(id))
	if err != nil {
		return nil, fmt.Errorf("read schema %d: %w", id, err)
	}
	return data, nil
}

// parse decodes a schema file and keeps what it holds.
func (m *Manager) parse(id int64, data []byte) (*Schema, error) {
	path := m.Path(id)
	s, err := Decode(data)
	if err != nil {
		if errors.Is(err, corrupt.Err) {
			return nil, corrupt.Wrap(path, err)
		}
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if s.ID != id {
		return nil, corrupt.Errorf(path, corrupt.NoOffset, "schema has the id %d", s.ID)
	}
	return m.keep(s, data), nil
}

// keep notes a schema, or gives the one that was noted before from the same bytes.
func (m *Manager) keep(s *Schema, data []byte) *Schema {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old, ok := m.byID[s.ID]; ok && bytes.Equal(old.data, data) {
		return old.schema
	}
	m.byID[s.ID] = kept{data, s}
	return s
}

// Create publishes the first schema of a table, whose id must be 0. ErrExists
// when the directory has a schema already.
func (m *Manager) Create(ctx context.Context, s *Schema) error {
	ids, err := m.List(ctx)
	if err != nil {
		return err
	}
	if len(ids) > 0 || s.ID != 0 {
		return fmt.Errorf("create %s: %w", m.Path(s.ID), ErrExists)
	}
	_, err = m.publish(ctx, s)
	if errors.Is(err, fileio.ErrExist) {
		return fmt.Errorf("create %s: %w", m.Path(s.ID), ErrExists)
	}
	return err
}

// Apply changes the newest schema and publishes the result under the next id.
// When another change was faster, it is applied to what that one made.
// hasSnapshot says whether the table has a snapshot: some changes are refused
// then. Changes that change nothing give the newest schema itself.
func (m *Manager) Apply(ctx context.Context, changes []Change, hasSnapshot bool) (*Schema, error) {
	for {
		base, err := m.Latest(ctx)
		if err != nil {
			return nil, err
		}
		next, err := base.Apply(changes, hasSnapshot, m.now())
		if err != nil {
			return nil, err
		}
		if next == base {
			return base, nil
		}
		data, err := m.publish(ctx, next)
		if err == nil {
			if err := m.Same(ctx, base); errors.Is(err, ErrNoSchema) {
				return nil, errors.Join(err, m.takeBack(ctx, next.ID, data))
			}
			return m.keep(next, data), nil
		}
		if !errors.Is(err, fileio.ErrExist) {
			return nil, err
		}
	}
}

// takeBack removes a schema that was published into the place of a dropped table.
func (m *Manager) takeBack(ctx context.Context, id int64, data []byte) error {
	if got, err := m.read(ctx, id); err != nil || !bytes.Equal(got, data) {
		return nil // it went with the table
	}
	return m.store.Delete(ctx, m.Path(id))
}

func (m *Manager) now() time.Time {
	if m.Now != nil {
		return m.Now()
	}
	return time.Now()
}

// publish writes a schema file if its id is free, and returns its bytes;
// fileio.ErrExist when it is not. After an error that leaves it open whether the
// file is there, the file is looked at, and made durable.
func (m *Manager) publish(ctx context.Context, s *Schema) ([]byte, error) {
	data, err := s.encode()
	if err != nil {
		return nil, err
	}
	path := m.Path(s.ID)
	err = m.store.CreateIfAbsent(ctx, path, data)
	if err == nil {
		return data, nil
	}
	if errors.Is(err, fileio.ErrExist) {
		return nil, err
	}
	if got, readErr := fileio.ReadFile(ctx, m.store, path); readErr == nil && bytes.Equal(got, data) {
		err = fileio.Sync(ctx, m.store, []string{path}) // what failed may have been just that
		if err == nil {
			return data, nil
		}
	}
	return nil, fmt.Errorf("write %s: %w", path, err)
}
