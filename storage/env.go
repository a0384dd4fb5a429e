package storage

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/avro"
	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/format/parquet"
	"github.com/lakesql/lakesql/storage/maintain"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// Config is what an Env needs. Zero values take the defaults.
type Config struct {
	// Store holds the tables' files. Required.
	Store fileio.Store
	// Now tells the time; nil is time.Now.
	Now func() time.Time
	// Log takes what happens in the background; nil discards it.
	Log *slog.Logger
	// MemoryBytes is what memtables and caches may take together; 0 is no limit.
	MemoryBytes int64
	// ManifestCacheBytes bounds the decoded manifests kept; 0 is 256 MiB.
	ManifestCacheBytes int64
	// Threads is how many buckets one statement flushes or compacts at a time; 0 is 2.
	Threads int
}

func (c *Config) ensureDefaults() {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.ManifestCacheBytes == 0 {
		c.ManifestCacheBytes = 256 << 20
	}
	if c.Threads == 0 {
		c.Threads = 2
	}
}

// Env is what the tables of one store share in a process: the store, the clock,
// caches, the memory budget, and the handles of open tables.
type Env struct {
	Config
	budget    *membudget.Budget
	manifests *manifest.Cache
	formats   map[string]format.Format
	service   *maintain.Service

	mu     sync.Mutex
	tables map[string]*Table
}

// NewEnv returns an Env. Close it when no table of it is used any more.
func NewEnv(c Config) *Env {
	c.ensureDefaults()
	return &Env{
		Config: c, budget: membudget.New(c.MemoryBytes), manifests: manifest.NewCache(c.ManifestCacheBytes),
		formats: newFormats(), tables: map[string]*Table{}, service: maintain.Start(c.Log),
	}
}

// newFormats are the file formats by name, with what they keep for reuse.
func newFormats() map[string]format.Format {
	codecs := codec.NewPool()
	formats := map[string]format.Format{}
	for _, f := range []format.Format{parquet.New(codecs), avro.New(codecs)} {
		formats[f.Name()] = f
	}
	return formats
}

// Budget is the memory that holders of rows reserve from.
func (e *Env) Budget() *membudget.Budget { return e.budget }

// Close ends background work and lets go of the open tables. Views must be closed
// and writes ended before.
func (e *Env) Close() {
	e.service.Close()
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.tables)
}

// handle returns the one handle of a directory, made by open if there is none.
func (e *Env) handle(ctx context.Context, dir string, open func(context.Context) (*Table, error)) (*Table, error) {
	e.mu.Lock()
	t := e.tables[dir]
	e.mu.Unlock()
	if t != nil {
		return t, nil
	}
	t, err := open(ctx)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if other := e.tables[dir]; other != nil {
		return other, nil
	}
	e.tables[dir] = t
	return t, nil
}

// forget drops the handle of a directory that was removed or renamed.
func (e *Env) forget(dir string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.tables, dir)
}
