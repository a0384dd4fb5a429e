package manifest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/internal/parallel"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/snapshot"
)

// Filter prunes what ReadLive returns. A nil member lets everything pass. All but
// Entry look at parts of a file's identity, so that they treat the ADD and the
// DELETE of a file alike.
type Filter struct {
	// Manifest is asked first, with what the manifest list says: bounds of the
	// partitions, buckets and levels, where they are recorded.
	Manifest func(*FileMeta) bool
	// Partition is asked about a serialised partition row, once per run of equal ones.
	Partition func(partition []byte) bool
	// Bucket is asked about a bucket and the bucket count in force when the file
	// was written, not positive where that is not fixed.
	Bucket func(bucket, totalBuckets int) bool
	Level  func(level int) bool
	// Entry is asked about the files that are live.
	Entry func(*Entry) bool
}

// readers is how many manifests are read and decoded at a time.
const readers = 2

func (fl *Filter) passer() func(*Entry) bool {
	var last []byte
	var lastOK bool
	return func(e *Entry) bool {
		if fl.Level != nil && !fl.Level(e.File.Level) {
			return false
		}
		if fl.Bucket != nil && !fl.Bucket(e.Bucket, e.TotalBuckets) {
			return false
		}
		if fl.Partition == nil {
			return true
		}
		if last == nil || !bytes.Equal(last, e.Partition) {
			last, lastOK = e.Partition, fl.Partition(e.Partition)
		}
		return lastOK
	}
}

// ReadLive returns the live files of a snapshot that pass the filter, in the
// order of their ADD entries. The entries are shared and must not be changed. A
// missing file is an error that names it, snapshot.ErrExpired when the snapshot
// has been removed meanwhile.
func (f *Files) ReadLive(ctx context.Context, s *snapshot.Snapshot, fl Filter) ([]*Entry, error) {
	metas, err := f.Metas(ctx, s)
	if err != nil {
		return nil, err
	}
	live, err := f.Live(ctx, metas, fl)
	return live, f.explain(ctx, s, err)
}

// Metas returns the manifests of a snapshot, base then delta.
func (f *Files) Metas(ctx context.Context, s *snapshot.Snapshot) ([]FileMeta, error) {
	base, err := f.List(ctx, s.BaseManifestList, s.BaseManifestListSize)
	if err != nil {
		return nil, f.explain(ctx, s, err)
	}
	delta, err := f.List(ctx, s.DeltaManifestList, s.DeltaManifestListSize)
	if err != nil {
		return nil, f.explain(ctx, s, err)
	}
	return slices.Concat(base, delta), nil
}

// Delta returns the entries that a snapshot added, ADD and DELETE, unfiltered.
func (f *Files) Delta(ctx context.Context, s *snapshot.Snapshot) ([]*Entry, error) {
	return f.listEntries(ctx, s, s.DeltaManifestList, s.DeltaManifestListSize)
}

// Changelog returns the changelog files that a snapshot added.
func (f *Files) Changelog(ctx context.Context, s *snapshot.Snapshot) ([]*Entry, error) {
	if s.ChangelogManifestList == "" {
		return nil, nil
	}
	return f.listEntries(ctx, s, s.ChangelogManifestList, s.ChangelogListSize)
}

func (f *Files) listEntries(ctx context.Context, s *snapshot.Snapshot, name string, size int64) ([]*Entry, error) {
	metas, err := f.List(ctx, name, size)
	if err != nil {
		return nil, f.explain(ctx, s, err)
	}
	groups, err := f.readAll(ctx, metas)
	if err != nil {
		return nil, f.explain(ctx, s, err)
	}
	var all []*Entry
	for _, g := range groups {
		for i := range g {
			all = append(all, &g[i])
		}
	}
	return all, nil
}

// IndexOf returns the index files of a snapshot.
func (f *Files) IndexOf(ctx context.Context, s *snapshot.Snapshot) ([]IndexEntry, error) {
	list, err := f.Index(ctx, s.IndexManifest)
	return list, f.explain(ctx, s, err)
}

// explain turns a missing file into snapshot.ErrExpired when the snapshot that
// named it is not there any more.
func (f *Files) explain(ctx context.Context, s *snapshot.Snapshot, err error) error {
	if err == nil || !errors.Is(err, fileio.ErrNotFound) {
		return err
	}
	file, openErr := f.store.Open(ctx, snapshot.PathIn(f.tableDir, s.ID))
	switch {
	case errors.Is(openErr, fileio.ErrNotFound):
		return fmt.Errorf("snapshot %d: %w: %w", s.ID, snapshot.ErrExpired, err)
	case openErr != nil:
		return err
	}
	return errors.Join(fmt.Errorf("snapshot %d: %w", s.ID, err), file.Close())
}

// readAll reads manifests, some at a time.
func (f *Files) readAll(ctx context.Context, metas []FileMeta) ([][]Entry, error) {
	groups := make([][]Entry, len(metas))
	g, gctx := parallel.WithContext(ctx)
	g.SetLimit(readers)
	for i := range metas {
		g.Go(func() error {
			var err error
			groups[i], err = f.Entries(gctx, metas[i].Name, metas[i].SizeBytes)
			return err
		})
	}
	return groups, g.Wait()
}

// Live works out the live files of a set of manifests.
func (f *Files) Live(ctx context.Context, metas []FileMeta, fl Filter) ([]*Entry, error) {
	if fl.Manifest != nil {
		metas = slices.DeleteFunc(slices.Clone(metas), func(m FileMeta) bool { return !fl.Manifest(&m) })
	}
	groups, err := f.readAll(ctx, metas)
	if err != nil {
		return nil, err
	}
	var adds, deletes []*Entry
	total := 0
	for _, g := range groups {
		total += len(g)
	}
	adds = make([]*Entry, 0, total)
	pass := fl.passer()
	for _, g := range groups {
		for i := range g {
			e := &g[i]
			switch {
			case !pass(e):
			case e.Kind == Add:
				adds = append(adds, e)
			default:
				deletes = append(deletes, e)
			}
		}
	}
	live, left, err := Merge(adds, deletes)
	if err != nil {
		return nil, err
	}
	if len(left) > 0 {
		e := left[0]
		return nil, corrupt.Errorf("", corrupt.NoOffset, "manifests delete data file %s in bucket %d at level %d, which was never added",
			e.File.Name, e.Bucket, e.File.Level)
	}
	if fl.Entry != nil {
		live = slices.DeleteFunc(live, func(e *Entry) bool { return !fl.Entry(e) })
	}
	return live, nil
}

// Merge takes the deleted files from the added ones. It returns the ADD entries
// that are left, in order, and the DELETE entries without an ADD. An identity
// added or deleted twice is damage.
func Merge(adds, deletes []*Entry) (live, unmatched []*Entry, err error) {
	gone, twice := newFileSet(deletes)
	if twice != nil {
		return nil, nil, corrupt.Errorf("", corrupt.NoOffset, "data file %s is deleted twice", twice.File.Name)
	}
	all, twice := newFileSet(adds)
	if twice != nil {
		return nil, nil, corrupt.Errorf("", corrupt.NoOffset, "data file %s is added twice", twice.File.Name)
	}
	if len(deletes) == 0 {
		return adds, nil, nil
	}
	for _, d := range deletes {
		if all.find(d) == nil {
			unmatched = append(unmatched, d)
		}
	}
	live = make([]*Entry, 0, len(adds)-len(deletes)+len(unmatched))
	for _, a := range adds {
		if gone.find(a) == nil {
			live = append(live, a)
		}
	}
	return live, unmatched, nil
}

// Twice returns an entry whose file another one of the list has too, nil if all
// differ. Kinds do not count.
func Twice(list []*Entry) *Entry {
	_, twice := newFileSet(list)
	return twice
}

// fileSet finds entries by the identity of their file: an open-addressing table
// of positions, which costs a few nanoseconds an entry and no allocation each.
type fileSet struct {
	entries []*Entry
	slots   []int32 // position in entries + 1; 0 is free
	mask    uint64
}

// newFileSet builds a set; twice is an entry whose file another one has already.
func newFileSet(entries []*Entry) (s *fileSet, twice *Entry) {
	size := 8
	for size < 2*len(entries) {
		size *= 2
	}
	s = &fileSet{entries: entries, slots: make([]int32, size), mask: uint64(size - 1)}
	for i, e := range entries {
		slot := s.slot(e)
		if s.slots[slot] != 0 {
			return nil, e
		}
		s.slots[slot] = int32(i) + 1
	}
	return s, nil
}

// slot finds the slot of e's file, or the free one where it belongs.
func (s *fileSet) slot(e *Entry) uint64 {
	h := e.hash()
	i := h & s.mask
	// Hashes are compared first: they lie in the entries, the names do not.
	for s.slots[i] != 0 && (s.entries[s.slots[i]-1].hash() != h || !s.entries[s.slots[i]-1].SameFile(e)) {
		i = (i + 1) & s.mask
	}
	return i
}

func (s *fileSet) find(e *Entry) *Entry {
	if i := s.slots[s.slot(e)]; i != 0 {
		return s.entries[i-1]
	}
	return nil
}
