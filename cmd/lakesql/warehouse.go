package main

import (
	"fmt"
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
	MemoryLimit memoryLimit `help:"Memory for rows and caches: 512MiB, 2GB or 50%." default:"50%" env:"LAKESQL_MEMORY_LIMIT"`
}

// warehouse is an open warehouse.
type warehouse struct {
	store   fileio.Store
	root    string
	env     *storage.Env
	catalog *filesystem.Catalog
}

func (f *warehouseFlags) open(a *app) (*warehouse, error) {
	if scheme, _, ok := strings.Cut(f.Warehouse, "://"); ok {
		return nil, fmt.Errorf("warehouse %s: file stores of kind %s are not supported yet", f.Warehouse, scheme)
	}
	root, err := filepath.Abs(f.Warehouse)
	if err != nil {
		return nil, fmt.Errorf("warehouse %s: %w", f.Warehouse, err)
	}
	root = filepath.ToSlash(root)
	store := local.New(root)
	limit, err := f.MemoryLimit.bytes()
	if err != nil {
		return nil, err
	}
	env := storage.NewEnv(storage.Config{Store: store, Log: a.log, MemoryBytes: limit, Threads: runtime.GOMAXPROCS(0)})
	return &warehouse{store: store, root: root, env: env, catalog: filesystem.New(env, root)}, nil
}

// engine opens the SQL engine over the warehouse.
func (w *warehouse) engine(a *app) (*sqlengine.Engine, error) {
	return sqlengine.Open(a.ctx, sqlengine.Options{Catalog: w.catalog, Store: w.store, Root: w.root, Log: a.log})
}

func (w *warehouse) close() { w.env.Close() }
