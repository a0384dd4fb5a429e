package sqlengine

import (
	"context"
	"errors"
	"net"
	"sync"
)

// localListener accepts connections that are made inside the process.
type localListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

var _ net.Listener = (*localListener)(nil)

type localAddr struct{}

func (localAddr) Network() string { return "local" }
func (localAddr) String() string  { return "local" }

// Accept implements net.Listener.
func (l *localListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *localListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *localListener) Addr() net.Addr { return localAddr{} }

// Connect opens a connection to the engine inside the process; it speaks MySQL's
// protocol. The user is root.
func (e *Engine) Connect(ctx context.Context) (net.Conn, error) {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, net.ErrClosed
	}
	if e.local == nil {
		e.local = &localListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		go func(l net.Listener) {
			if err := e.Serve(l); err != nil && !errors.Is(err, net.ErrClosed) {
				e.log.Error("serve inside the process", "error", err)
			}
		}(e.local)
	}
	l := e.local
	e.mu.Unlock()
	client, srv := net.Pipe()
	select {
	case l.conns <- srv:
		return client, nil
	case <-l.closed:
		return nil, errors.Join(net.ErrClosed, client.Close(), srv.Close())
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), client.Close(), srv.Close())
	}
}
