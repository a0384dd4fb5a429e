package manifest

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"unsafe"

	"github.com/google/uuid"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/types"
)

// DefaultCacheBytes is the size of a cache that is not told another.
const DefaultCacheBytes = 128 << 20

// Cache keeps decoded manifests, lists and index manifests, up to a number of
// bytes, the least recently used going first. One cache serves many tables.
type Cache struct {
	limit int64
	plans plans

	mu    sync.Mutex
	used  int64
	items map[string]*list.Element
	order *list.List // of *cacheItem, most recently used first
	hits  int64
	loads int64
}

type cacheItem struct {
	path  string
	value any // []Entry, []FileMeta or []IndexEntry
	bytes int64
}

// NewCache returns a cache; limitBytes 0 is DefaultCacheBytes, below 0 keeps nothing.
func NewCache(limitBytes int64) *Cache {
	if limitBytes == 0 {
		limitBytes = DefaultCacheBytes
	}
	return &Cache{limit: limitBytes, items: map[string]*list.Element{}, order: list.New()}
}

// Stats returns how often a file was found in the cache and how often it was read.
func (c *Cache) Stats() (hits, loads int64, usedBytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hits, c.loads, c.used
}

func (c *Cache) get(path string) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[path]
	if !ok {
		c.loads++
		return nil, false
	}
	c.hits++
	c.order.MoveToFront(e)
	return e.Value.(*cacheItem).value, true
}

func (c *Cache) put(path string, value any, bytes int64) {
	if bytes > c.limit {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.items[path]; ok {
		return
	}
	c.items[path] = c.order.PushFront(&cacheItem{path, value, bytes})
	for c.used += bytes; c.used > c.limit; {
		c.dropLocked(c.order.Back())
	}
}

func (c *Cache) dropLocked(e *list.Element) {
	item := c.order.Remove(e).(*cacheItem)
	delete(c.items, item.path)
	c.used -= item.bytes
}

func (c *Cache) drop(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[path]; ok {
		c.dropLocked(e)
	}
}

// Files reads and writes the manifests of one table.
type Files struct {
	store    fileio.Store
	tableDir string
	dir      string // manifest folder
	cache    *Cache
}

// NewFiles returns the manifests of the table in tableDir; cache may be shared
// and nil gives a cache of its own.
func NewFiles(store fileio.Store, tableDir string, cache *Cache) *Files {
	if cache == nil {
		cache = NewCache(0)
	}
	return &Files{store: store, tableDir: tableDir, dir: fileio.Join(tableDir, "manifest"), cache: cache}
}

// Path is the file of a manifest, list or index manifest.
func (f *Files) Path(name string) string { return fileio.Join(f.dir, name) }

// read returns the decoded form of a file, from the cache or from the store. A
// missing file is a fileio.ErrNotFound that names it.
func read[T any](
	ctx context.Context, f *Files, name string, sizeBytes int64,
	decode func(context.Context, []byte, *plans) ([]T, error),
) ([]T, error) {
	path := f.Path(name)
	if v, ok := f.cache.get(path); ok {
		if list, ok := v.([]T); ok {
			return list, nil
		}
	}
	data, err := readSized(ctx, f.store, path, sizeBytes)
	if err != nil {
		return nil, err
	}
	list, err := decode(ctx, data, &f.cache.plans)
	if err != nil {
		if errors.Is(err, corrupt.Err) {
			return nil, corrupt.Wrap(path, err)
		}
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	f.cache.put(path, list, footprint(list, len(data)))
	return list, nil
}

// footprint estimates the memory of decoded records: their structs and, three
// times the compressed file, the blocks that they point into.
func footprint[T any](list []T, fileBytes int) int64 {
	var zero T
	per := int64(unsafe.Sizeof(zero))
	if _, ok := any(zero).(Entry); ok {
		per += int64(unsafe.Sizeof(datafile.Meta{})) + 64
	}
	return per*int64(len(list)) + 3*int64(fileBytes) + 256
}

// readSized reads a file whose size is known from its parent, -1 when not. A file
// of another size is damaged.
func readSized(ctx context.Context, r fileio.Reader, path string, sizeBytes int64) (data []byte, err error) {
	file, err := r.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if sizeBytes >= 0 && file.SizeBytes() != sizeBytes {
		return nil, corrupt.Errorf(path, corrupt.NoOffset, "it has %d bytes, %d are recorded", file.SizeBytes(), sizeBytes)
	}
	data = make([]byte, file.SizeBytes())
	if n, err := file.ReadAt(data, 0); n < len(data) {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}

// Entries reads a manifest; sizeBytes -1 is unknown. The entries are shared: they
// must not be changed.
func (f *Files) Entries(ctx context.Context, name string, sizeBytes int64) ([]Entry, error) {
	return read(ctx, f, name, sizeBytes, decodeEntries)
}

// List reads a manifest list; sizeBytes -1 is unknown.
func (f *Files) List(ctx context.Context, name string, sizeBytes int64) ([]FileMeta, error) {
	return read(ctx, f, name, sizeBytes, decodeList)
}

// Index reads an index manifest; none for "".
func (f *Files) Index(ctx context.Context, name string) ([]IndexEntry, error) {
	if name == "" {
		return nil, nil
	}
	return read(ctx, f, name, -1, decodeIndex)
}

// Delete removes a manifest, list or index manifest.
func (f *Files) Delete(ctx context.Context, name string) error {
	f.cache.drop(f.Path(name))
	return f.store.Delete(ctx, f.Path(name))
}

// WriterOptions say how files are written.
type WriterOptions struct {
	Compression Compression
	// TargetBytes is the size at which a manifest is closed and the next begun
	// (manifest.target-file-size); 0 is 8 MiB.
	TargetBytes int64
	// PartitionTypes are the types of the partition columns, none for an
	// unpartitioned table.
	PartitionTypes []types.Type
}

// DefaultTargetBytes is the size of a manifest.
const DefaultTargetBytes = 8 << 20

// Writer writes the files of one commit. It notes every name, so that a failed
// commit can take them back. It is safe for several goroutines.
type Writer struct {
	f    *Files
	o    WriterOptions
	uuid string

	mu    sync.Mutex
	next  int
	names []string
}

// NewWriter starts a writer; its files share a random name part.
func (f *Files) NewWriter(o WriterOptions) *Writer {
	if o.TargetBytes <= 0 {
		o.TargetBytes = DefaultTargetBytes
	}
	return &Writer{f: f, o: o, uuid: uuid.NewString()}
}

// Names returns the files begun so far, in the manifest folder.
func (w *Writer) Names() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.names...)
}

// Paths returns the paths of the files begun so far.
func (w *Writer) Paths() []string {
	paths := w.Names()
	for i, name := range paths {
		paths[i] = w.f.Path(name)
	}
	return paths
}

func (w *Writer) name(prefix string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := prefix + w.uuid + "-" + strconv.Itoa(w.next)
	w.next++
	w.names = append(w.names, name)
	return name
}

func (w *Writer) write(ctx context.Context, prefix string, data []byte) (string, error) {
	name := w.name(prefix)
	if err := fileio.WriteFile(ctx, w.f.store, w.f.Path(name), data); err != nil {
		return "", fmt.Errorf("write manifest: %w", err)
	}
	return name, nil
}

// Entries writes entries as one or more manifests, none for no entries.
func (w *Writer) Entries(ctx context.Context, entries []Entry) ([]FileMeta, error) {
	var metas []FileMeta
	for len(entries) > 0 {
		c := newContainer(entrySchema, w.o.Compression)
		n := 0
		for n < len(entries) && (n == 0 || c.sizeBytes() < w.o.TargetBytes) {
			c.block = appendEntry(c.block, &entries[n])
			if err := c.endRecord(); err != nil {
				return nil, fmt.Errorf("encode manifest: %w", err)
			}
			n++
		}
		data, err := c.finish()
		if err != nil {
			return nil, fmt.Errorf("encode manifest: %w", err)
		}
		meta, err := describe(w.o.PartitionTypes, entries[:n])
		if err != nil {
			return nil, err
		}
		if meta.Name, err = w.write(ctx, "manifest-", data); err != nil {
			return nil, err
		}
		meta.SizeBytes = int64(len(data))
		w.f.cache.put(w.f.Path(meta.Name), entries[:n:n], footprint(entries[:n], len(data)))
		metas = append(metas, meta)
		entries = entries[n:]
	}
	return metas, nil
}

// List writes a manifest list and returns its name and size.
func (w *Writer) List(ctx context.Context, metas []FileMeta) (name string, sizeBytes int64, err error) {
	c := newContainer(listSchema, w.o.Compression)
	for i := range metas {
		c.block = appendFileMeta(c.block, &metas[i])
		if err := c.endRecord(); err != nil {
			return "", 0, fmt.Errorf("encode manifest list: %w", err)
		}
	}
	data, err := c.finish()
	if err != nil {
		return "", 0, fmt.Errorf("encode manifest list: %w", err)
	}
	if name, err = w.write(ctx, "manifest-list-", data); err != nil {
		return "", 0, err
	}
	w.f.cache.put(w.f.Path(name), metas, footprint(metas, len(data)))
	return name, int64(len(data)), nil
}

// Index writes an index manifest with the complete set of index files.
func (w *Writer) Index(ctx context.Context, entries []IndexEntry) (name string, err error) {
	c := newContainer(indexSchema, w.o.Compression)
	for i := range entries {
		c.block = appendIndexEntry(c.block, &entries[i])
		if err := c.endRecord(); err != nil {
			return "", fmt.Errorf("encode index manifest: %w", err)
		}
	}
	data, err := c.finish()
	if err != nil {
		return "", fmt.Errorf("encode index manifest: %w", err)
	}
	return w.write(ctx, "index-manifest-", data)
}
