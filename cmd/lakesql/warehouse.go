package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/lakesql/lakesql/catalog/filesystem"
	"github.com/lakesql/lakesql/sqlengine"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/fileio/local"
)

// warehouseFlags choose the warehouse.
type warehouseFlags struct {
	Warehouse   string      `help:"Warehouse directory." default:"./lake" env:"LAKESQL_WAREHOUSE"`
	MemoryLimit memoryLimit `help:"Memory to use: 512MiB, 2GB or 50% of the machine's." default:"50%" env:"LAKESQL_MEMORY_LIMIT"`
}

// warehouse is an open warehouse.
type warehouse struct {
	store   fileio.Store
	root    string
	env     *storage.Env
	catalog *filesystem.Catalog
	fileDir string // whose files SQL may read; "": none
}

func (f *warehouseFlags) open(a *app) (*warehouse, error) {
	if scheme, _, ok := strings.Cut(f.Warehouse, "://"); ok {
		return nil, fmt.Errorf("warehouse %s: file stores of kind %s are not supported yet", f.Warehouse, scheme)
	}
	root, err := filepath.Abs(f.Warehouse)
	if err != nil {
		return nil, fmt.Errorf("warehouse %s: %w", f.Warehouse, err)
	}
	if i, err := os.Stat(root); err == nil && !i.IsDir() {
		return nil, fmt.Errorf("warehouse %s is no directory", root)
	}
	root = filepath.ToSlash(root)
	store := local.New(root)
	limit, err := f.MemoryLimit.bytes()
	if err != nil {
		return nil, err
	}
	limitHeap(limit)
	env := storage.NewEnv(storage.Config{
		Store: store, Log: a.log, MemoryBytes: limit / 4 * 3, ManifestCacheBytes: min(limit/8, 256<<20), Threads: runtime.GOMAXPROCS(0),
	})
	return &warehouse{store: store, root: root, env: env, catalog: filesystem.New(env, root)}, nil
}

// engine opens the SQL engine over the warehouse, which it makes if there is none.
func (w *warehouse) engine(a *app) (*sqlengine.Engine, error) {
	if err := os.MkdirAll(w.root, 0o755); err != nil {
		return nil, fmt.Errorf("create warehouse: %w", err)
	}
	return sqlengine.Open(a.ctx, sqlengine.Options{
		Catalog: w.catalog, Store: w.store, Root: w.root, Log: a.log, Budget: w.env.Budget(), SecureFilePriv: w.fileDir,
	})
}

func (w *warehouse) close() { w.env.Close() }
