package lake

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/lakesql/lakesql/catalog/filesystem"
	"github.com/lakesql/lakesql/sqlengine"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio/local"
)

// Server is one that runs until its test ends.
type Server struct {
	root   string
	Files  string // the folder that SQL may read
	env    *storage.Env
	engine *sqlengine.Engine
	done   chan error
	DSN    string // of no database
}

// Start starts a server over an empty warehouse.
func Start(t *testing.T) *Server {
	t.Helper()
	l := &Server{root: filepath.ToSlash(t.TempDir()), Files: t.TempDir()}
	l.start(t)
	t.Cleanup(func() { l.stop(t) })
	return l
}

func (l *Server) start(t *testing.T) {
	t.Helper()
	store := local.New(l.root)
	l.env = storage.NewEnv(storage.Config{Store: store, MemoryBytes: 256 << 20, Threads: 2})
	var err error
	l.engine, err = sqlengine.Open(t.Context(), sqlengine.Options{
		Catalog: filesystem.New(l.env, l.root), Store: store, Root: l.root, SecureFilePriv: l.Files,
	})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.DSN = "root@tcp(" + ln.Addr().String() + ")/?clientFoundRows=false&allowAllFiles=true"
	l.done = make(chan error, 1)
	go func(e *sqlengine.Engine, done chan error) { done <- e.Serve(ln) }(l.engine, l.done)
}

// stop ends the server. Running statements get a second.
func (l *Server) stop(t *testing.T) {
	t.Helper()
	if l.engine == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := l.engine.Shutdown(ctx); err != nil {
		t.Errorf("shut down: %v", err)
	}
	if err := <-l.done; err != nil && !errors.Is(err, net.ErrClosed) {
		t.Errorf("serve: %v", err)
	}
	l.env.Close()
	l.engine = nil
}

// Restart stops the server and starts another one over the same warehouse, which
// changes DSN.
func (l *Server) Restart(t *testing.T) {
	t.Helper()
	l.stop(t)
	l.start(t)
}
