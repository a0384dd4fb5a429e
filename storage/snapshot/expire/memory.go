package expire

import (
	"context"
	"errors"
	"sync"

	"github.com/lakesql/lakesql/storage/snapshot"
)

// Memory remembers which snapshots of a table are overwrites, as far as it has
// looked. The zero value remembers nothing. It is safe for many goroutines.
type Memory struct {
	mu         sync.Mutex
	from       snapshot.ID // first looked at
	last       *snapshot.Snapshot
	overwrites []snapshot.ID
}

// overwrites returns the overwrites among the snapshots from the end to latest.
func (x *expiry) overwrites(ctx context.Context, latest snapshot.ID) ([]*snapshot.Snapshot, error) {
	m := x.Memory
	if m == nil {
		m = &Memory{}
	}
	m.mu.Lock() // held during IO: a second expiry of the table waits, and then need not look
	defer m.mu.Unlock()
	if err := m.look(ctx, x.Snapshots, x.end.ID, latest); err != nil {
		return nil, err
	}
	var list []*snapshot.Snapshot
	kept := m.overwrites[:0]
	for _, id := range m.overwrites {
		if id < x.end.ID {
			continue
		}
		s, err := x.Snapshots.Get(ctx, id)
		if errors.Is(err, snapshot.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		kept = append(kept, id)
		list = append(list, s)
	}
	m.overwrites, m.from = kept, x.end.ID
	return list, nil
}

// look reads the snapshots that it has not seen, all of them when those it has
// seen are not there any more.
func (m *Memory) look(ctx context.Context, snapshots *snapshot.Manager, from, latest snapshot.ID) error {
	if m.last != nil {
		s, err := snapshots.Get(ctx, m.last.ID)
		if err != nil && !errors.Is(err, snapshot.ErrNotFound) {
			return err
		}
		if err != nil || from < m.from || !s.SameCommit(m.last) {
			m.last, m.overwrites = nil, nil
		}
	}
	if m.last != nil {
		from = max(from, m.last.ID+1)
	}
	for id := from; id <= latest; id++ {
		s, err := snapshots.Get(ctx, id)
		if errors.Is(err, snapshot.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if s.CommitKind == snapshot.Overwrite {
			m.overwrites = append(m.overwrites, id)
		}
		m.last = s
	}
	return nil
}
