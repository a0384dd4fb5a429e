package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/internal/parallel"
	"github.com/lakesql/lakesql/storage/fileio"
)

var (
	// ErrNotFound is returned for a snapshot that the table does not have.
	ErrNotFound = errors.New("snapshot not found")
	// ErrExpired is returned for a snapshot that expiry has removed. It is an
	// ErrNotFound too.
	ErrExpired = fmt.Errorf("snapshot has expired: %w", ErrNotFound)
)

const (
	cachedSnapshots = 256
	maxWalk         = 64 // snapshots followed one by one before the folder is listed
	partialTries    = 5  // looks at a file that does not parse: a foreign writer may still write it
	partialWait     = 2 * time.Millisecond
	hintTries       = 3
	readers         = 8
	prefix          = "snapshot-"
	latestName      = "LATEST"
	earliestName    = "EARLIEST"
)

// Manager reads and publishes the snapshots of one table or branch.
type Manager struct {
	store fileio.Store
	dir   string // table directory
	pins  pins

	mu     sync.Mutex
	cache  map[ID]cached
	newest ID // last known latest snapshot; 0: not looked yet
}

type cached struct {
	data     []byte
	snapshot *Snapshot
}

// New returns the snapshots of the table in tableDir.
func New(store fileio.Store, tableDir string) *Manager {
	return &Manager{store: store, dir: tableDir, cache: map[ID]cached{}}
}

// Dir is the folder of the snapshot files.
func (m *Manager) Dir() string { return fileio.Join(m.dir, "snapshot") }

// Path is the file of a snapshot.
func (m *Manager) Path(id ID) string { return PathIn(m.dir, id) }

// PathIn is the file of a snapshot of the table or branch in tableDir.
func PathIn(tableDir string, id ID) string {
	return fileio.Join(tableDir, "snapshot", prefix+strconv.FormatInt(int64(id), 10))
}

// load reads a snapshot file; fileio.ErrNotFound when there is none. A file that
// does not parse is looked at again for some milliseconds.
func (m *Manager) load(ctx context.Context, id ID) (*Snapshot, error) {
	for try := 1; ; try++ {
		data, err := fileio.ReadFile(ctx, m.store, m.Path(id))
		if err != nil {
			return nil, err
		}
		s, err := m.parse(id, data)
		if err == nil || try == partialTries || !errors.Is(err, corrupt.Err) {
			return s, err
		}
		if err := sleep(ctx, partialWait); err != nil {
			return nil, err
		}
	}
}

func (m *Manager) parse(id ID, data []byte) (*Snapshot, error) {
	m.mu.Lock()
	c, ok := m.cache[id]
	m.mu.Unlock()
	if ok && bytes.Equal(c.data, data) {
		return c.snapshot, nil
	}
	s, err := Decode(data)
	if err == nil && s.ID != id {
		err = corrupt.Errorf("", corrupt.NoOffset, "it says that it is snapshot %d", s.ID)
	}
	if err != nil {
		if errors.Is(err, corrupt.Err) {
			return nil, corrupt.Wrap(m.Path(id), err)
		}
		return nil, fmt.Errorf("read %s: %w", m.Path(id), err)
	}
	m.remember(s, data)
	return s, nil
}

func (m *Manager) remember(s *Snapshot, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.cache) >= cachedSnapshots {
		for id := range m.cache { // any one: the cache only saves parsing
			delete(m.cache, id)
			break
		}
	}
	m.cache[s.ID] = cached{data: data, snapshot: s}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Get returns a snapshot; ErrNotFound when the table never had it or has it no
// more, ErrExpired when expiry removed it.
func (m *Manager) Get(ctx context.Context, id ID) (*Snapshot, error) {
	s, err := m.load(ctx, id)
	if !errors.Is(err, fileio.ErrNotFound) {
		return s, err
	}
	return nil, m.missing(ctx, id)
}

// missing says why there is no snapshot id.
func (m *Manager) missing(ctx context.Context, id ID) error {
	if id >= 1 {
		first, err := m.Earliest(ctx)
		if err != nil {
			return err
		}
		if first != nil && id < first.ID {
			return fmt.Errorf("snapshot %d: %w (the earliest is %d)", id, ErrExpired, first.ID)
		}
	}
	return fmt.Errorf("snapshot %d: %w", id, ErrNotFound)
}

// Latest returns the newest snapshot, nil when the table has none. It looks for
// a successor of the newest one that it knows, and at that one's file, so that
// it sees every snapshot published before the call.
func (m *Manager) Latest(ctx context.Context) (*Snapshot, error) {
	m.mu.Lock()
	id := m.newest
	m.mu.Unlock()
	if id == 0 {
		if hint := m.readHint(ctx, latestName); hint > 0 && hint < math.MaxInt64 {
			behind, err := m.Exists(ctx, hint+1)
			if err != nil {
				return nil, err
			}
			if !behind {
				id = hint
			}
		}
	}
	if id > 0 {
		s, err := m.walk(ctx, id)
		if err != nil || s != nil {
			return m.noteNewest(s, err)
		}
	}
	for range 3 { // a listed file may be gone when it is read
		ids, err := m.List(ctx)
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			m.forgetNewest()
			return nil, nil
		}
		s, err := m.load(ctx, ids[len(ids)-1])
		if !errors.Is(err, fileio.ErrNotFound) {
			return m.noteNewest(s, err)
		}
	}
	return nil, fmt.Errorf("list %s: files vanish while they are read", m.Dir())
}

// walk follows the successors of id. It returns nil when there is neither id nor
// a successor, or when there are so many that listing is cheaper.
func (m *Manager) walk(ctx context.Context, id ID) (*Snapshot, error) {
	var last *Snapshot
	for range maxWalk {
		next, err := m.load(ctx, id+1)
		if errors.Is(err, fileio.ErrNotFound) {
			if last != nil {
				return last, nil
			}
			last, err = m.load(ctx, id)
			if errors.Is(err, fileio.ErrNotFound) {
				return nil, nil
			}
			return last, err
		}
		if err != nil {
			return nil, err
		}
		last, id = next, id+1
	}
	return nil, nil
}

func (m *Manager) noteNewest(s *Snapshot, err error) (*Snapshot, error) {
	if err == nil {
		m.mu.Lock()
		m.newest = s.ID
		m.mu.Unlock()
	}
	return s, err
}

func (m *Manager) forgetNewest() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.newest = 0
}

// Earliest returns the oldest snapshot, nil when the table has none.
func (m *Manager) Earliest(ctx context.Context) (*Snapshot, error) {
	if hint := m.readHint(ctx, earliestName); hint > 0 {
		s, err := m.load(ctx, hint)
		if !errors.Is(err, fileio.ErrNotFound) {
			return s, err
		}
	}
	ids, err := m.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		s, err := m.load(ctx, id)
		if !errors.Is(err, fileio.ErrNotFound) {
			return s, err
		}
	}
	return nil, nil
}

// Exists reports whether the file of a snapshot is there now.
func (m *Manager) Exists(ctx context.Context, id ID) (bool, error) {
	f, err := m.store.Open(ctx, m.Path(id))
	if errors.Is(err, fileio.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

// readHint returns what a pointer file says, 0 when that is nothing sensible.
func (m *Manager) readHint(ctx context.Context, name string) ID {
	data, err := fileio.ReadFile(ctx, m.store, fileio.Join(m.Dir(), name))
	if err != nil || len(data) > 20 {
		return 0 // an optional file: the folder is listed instead
	}
	v, err := strconv.ParseInt(string(data), 10, 64)
	if err != nil || v < 0 {
		return 0
	}
	return ID(v)
}

// writeHint overwrites a pointer file. They are optional, so a failure only
// means that readers list the folder. One that points to a snapshot which has gone
// meanwhile, as with a dropped table, is removed: some readers would follow it.
func (m *Manager) writeHint(ctx context.Context, name string, id ID) {
	path := fileio.Join(m.Dir(), name)
	for range hintTries {
		if m.store.Replace(ctx, path, strconv.AppendInt(nil, int64(id), 10)) != nil {
			continue
		}
		if there, err := m.Exists(ctx, id); err == nil && !there {
			_ = m.store.Delete(ctx, path)
		}
		return
	}
}

// List returns the ids of all snapshots, ascending. Files with other names,
// temporary ones among them, are left out.
func (m *Manager) List(ctx context.Context) ([]ID, error) {
	infos, err := m.store.List(ctx, m.Dir())
	if err != nil {
		return nil, fmt.Errorf("list snapshots: %w", err)
	}
	ids := make([]ID, 0, len(infos))
	for _, info := range infos {
		text, ok := strings.CutPrefix(info.Name, prefix)
		if !ok || info.Dir {
			continue
		}
		if v, err := strconv.ParseInt(text, 10, 64); err == nil && v > 0 && strconv.FormatInt(v, 10) == text {
			ids = append(ids, ID(v))
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// All returns all snapshots, ascending; one that vanishes meanwhile is left out.
func (m *Manager) All(ctx context.Context) ([]*Snapshot, error) {
	ids, err := m.List(ctx)
	if err != nil {
		return nil, err
	}
	return m.loadAll(ctx, ids)
}

// loadAll reads the given snapshots, leaving out those that are not there.
func (m *Manager) loadAll(ctx context.Context, ids []ID) ([]*Snapshot, error) {
	all := make([]*Snapshot, len(ids))
	g, ctx := parallel.WithContext(ctx)
	g.SetLimit(readers)
	for i, id := range ids {
		g.Go(func() error {
			s, err := m.load(ctx, id)
			if errors.Is(err, fileio.ErrNotFound) {
				return nil
			}
			all[i] = s
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(s *Snapshot) bool { return s == nil }), nil
}

// AtOrBefore returns the newest snapshot whose time is at most timeMillis, nil
// when all are younger or there is none.
func (m *Manager) AtOrBefore(ctx context.Context, timeMillis int64) (*Snapshot, error) {
	return m.searchLast(ctx, func(s *Snapshot) bool { return s.TimeMillis <= timeMillis })
}

// searchLast finds the last snapshot for which before holds; it must hold for a
// prefix of the snapshots.
func (m *Manager) searchLast(ctx context.Context, before func(*Snapshot) bool) (*Snapshot, error) {
	latest, err := m.Latest(ctx)
	if err != nil || latest == nil || before(latest) {
		return latest, err
	}
	ids, err := m.List(ctx)
	if err != nil {
		return nil, err
	}
	return m.search(ctx, ids, before)
}

// search is searchLast among ids, of which some may be gone.
func (m *Manager) search(ctx context.Context, ids []ID, before func(*Snapshot) bool) (last *Snapshot, err error) {
	for len(ids) > 0 {
		mid := len(ids) / 2
		s, err := m.load(ctx, ids[mid])
		switch {
		case errors.Is(err, fileio.ErrNotFound):
			ids = slices.Delete(slices.Clone(ids), mid, mid+1)
		case err != nil:
			return nil, err
		case before(s):
			last, ids = s, ids[mid+1:]
		default:
			ids = ids[:mid]
		}
	}
	return last, nil
}

// Publish creates the file of a snapshot, after the files that it needs, if any are
// named, are durable. fileio.ErrExist means that another commit has this id,
// fileio.ErrNotPublished that it did not come to that; any other error leaves it
// unknown whether it is published.
func (m *Manager) Publish(ctx context.Context, s *Snapshot, needs ...string) error {
	data := s.Encode()
	if err := fileio.PublishAfter(ctx, m.store, needs, m.Path(s.ID), data); err != nil {
		return fmt.Errorf("publish snapshot %d: %w", s.ID, err)
	}
	m.Published(s)
	return nil
}

// Sync makes the file of a published snapshot durable, for a commit that has found
// itself there after a failure of Publish.
func (m *Manager) Sync(ctx context.Context, id ID) error {
	if err := fileio.Sync(ctx, m.store, []string{m.Path(id)}); err != nil {
		return fmt.Errorf("make snapshot %d durable: %w", id, err)
	}
	return nil
}

// Published notes that s, the successor of the newest snapshot, is published.
func (m *Manager) Published(s *Snapshot) {
	m.remember(s, s.Encode())
	m.mu.Lock()
	defer m.mu.Unlock()
	m.newest = max(m.newest, s.ID)
}

// PointLatest writes the LATEST pointer file, as well as it can.
func (m *Manager) PointLatest(ctx context.Context, id ID) { m.writeHint(ctx, latestName, id) }

// PointEarliest writes the EARLIEST pointer file, as well as it can.
func (m *Manager) PointEarliest(ctx context.Context, id ID) { m.writeHint(ctx, earliestName, id) }

// Remove deletes the file of a snapshot.
func (m *Manager) Remove(ctx context.Context, id ID) error {
	if err := m.store.Delete(ctx, m.Path(id)); err != nil {
		return fmt.Errorf("remove snapshot %d: %w", id, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.cache, id)
	if m.newest == id {
		m.newest = 0
	}
	return nil
}
