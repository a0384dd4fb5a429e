package snapshot

import (
	"context"
	"fmt"
	"sync"
)

// pins counts the readers of each snapshot in this process.
type pins struct {
	mu      sync.Mutex
	readers map[ID]int
	retired []ID // ids below one of these are being removed
}

// Pin keeps a snapshot from being expired by this process until release is
// called, which may be called more than once. ErrExpired means that it is being
// removed right now.
func (m *Manager) Pin(id ID) (release func(), err error) {
	p := &m.pins
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.retired {
		if id < r {
			return nil, fmt.Errorf("snapshot %d: %w", id, ErrExpired)
		}
	}
	if p.readers == nil {
		p.readers = map[ID]int{}
	}
	p.readers[id]++
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.readers[id]--; p.readers[id] == 0 {
			delete(p.readers, id)
		}
	}), nil
}

// PinLatest pins the newest snapshot; nil when the table has none.
func (m *Manager) PinLatest(ctx context.Context) (s *Snapshot, release func(), err error) {
	for {
		s, err := m.Latest(ctx)
		if err != nil || s == nil {
			return nil, func() {}, err
		}
		if release, err := m.Pin(s.ID); err == nil {
			return s, release, nil
		}
		if err := sleep(ctx, partialWait); err != nil {
			return nil, func() {}, err
		}
	}
}

// Retire announces that the snapshots below upTo are to be removed. It returns
// the lowest id that must stay, upTo or the smallest pinned one; ids below that
// can no longer be pinned until done is called.
func (m *Manager) Retire(upTo ID) (floor ID, done func()) {
	p := &m.pins
	p.mu.Lock()
	defer p.mu.Unlock()
	floor = upTo
	for id := range p.readers {
		floor = min(floor, id)
	}
	p.retired = append(p.retired, floor)
	return floor, sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for i, r := range p.retired {
			if r == floor {
				p.retired = append(p.retired[:i], p.retired[i+1:]...)
				return
			}
		}
	})
}
