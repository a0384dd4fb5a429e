package maintain

import (
	"context"
	"log/slog"
	"sync"
)

// Service runs submitted work one piece after the other. Safe for many goroutines.
type Service struct {
	log    *slog.Logger
	cancel context.CancelFunc
	ctx    context.Context
	done   sync.WaitGroup
	wake   chan struct{}

	mu     sync.Mutex
	queue  []work
	closed bool
}

type work struct {
	key string
	do  func(context.Context) error
}

// Start returns a running service.
func Start(log *slog.Logger) *Service {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Service{log: log, ctx: ctx, cancel: cancel, wake: make(chan struct{}, 1)}
	s.done.Add(1)
	go s.run()
	return s
}

// Submit queues a piece of work, unless one of the same key waits already or the
// service is closed.
func (s *Service) Submit(key string, do func(context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	for _, w := range s.queue {
		if w.key == key {
			return
		}
	}
	s.queue = append(s.queue, work{key, do})
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Service) next() (work, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return work{}, false
	}
	w := s.queue[0]
	s.queue = s.queue[1:]
	return w, true
}

func (s *Service) run() {
	defer s.done.Done()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.wake:
		}
		for s.ctx.Err() == nil {
			w, ok := s.next()
			if !ok {
				break
			}
			if err := w.do(s.ctx); err != nil && s.ctx.Err() == nil {
				s.log.Warn("background work failed", "work", w.key, "error", err)
			}
		}
	}
}

// Close ends the service and waits for it. It may be called more than once.
func (s *Service) Close() {
	s.mu.Lock()
	s.closed, s.queue = true, nil
	s.mu.Unlock()
	s.cancel()
	s.done.Wait()
}
