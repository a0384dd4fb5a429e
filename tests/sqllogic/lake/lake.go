package sqllogic

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

// lake is a server over a warehouse in a temporary folder.
type lake struct {
	root   string
	files  string // the folder that SQL may read
	env    *storage.Env
	engine *sqlengine.Engine
	done   chan error
	dsn    string
}

func startLake(t *testing.T) *lake {
	t.Helper()
	l := &lake{root: filepath.ToSlash(t.TempDir()), files: t.TempDir()}
	l.start(t)
	t.Cleanup(func() { l.stop(t) })
	return l
}

func (l *lake) start(t *testing.T) {
	t.Helper()
	store := local.New(l.root)
	l.env = storage.NewEnv(storage.Config{Store: store, MemoryBytes: 256 << 20, Threads: 2})
	var err error
	l.engine, err = sqlengine.Open(t.Context(), sqlengine.Options{
		Catalog: filesystem.New(l.env, l.root), Store: store, Root: l.root, SecureFilePriv: l.files,
	})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.dsn = "root@tcp(" + ln.Addr().String() + ")/?clientFoundRows=false&allowAllFiles=true"
	l.done = make(chan error, 1)
	go func(e *sqlengine.Engine, done chan error) { done <- e.Serve(ln) }(l.engine, l.done)
}

// stop ends the server. Running statements get a second.
func (l *lake) stop(t *testing.T) {
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
