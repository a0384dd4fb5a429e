package check

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileindex"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// hashSet is the content of a hash index, sorted.
type hashSet struct {
	name   string
	hashes []int32
}

func (h *hashSet) has(v int32) bool {
	_, ok := slices.BinarySearch(h.hashes, v)
	return ok
}

// indexes checks the index files of a snapshot against its live files.
func (b *branch) indexes(ctx context.Context, path string, s *snapshot.Snapshot, buckets []bucketFiles) ([]manifest.IndexEntry, error) {
	if s.IndexManifest == "" {
		return nil, nil
	}
	file := b.manifests.Path(s.IndexManifest)
	b.use(file)
	entries, err := b.manifests.Index(ctx, s.IndexManifest)
	if err != nil {
		return nil, b.unreadable(ctx, file, err)
	}
	if _, err := manifest.Combine(entries, nil, b.mode == schema.Unaware); err != nil {
		b.fault(file, "%v", err)
	}
	type place struct {
		partition string
		bucket    int
	}
	hashed, live := map[place]bool{}, map[place]*bucketFiles{}
	for i := range buckets {
		live[place{string(buckets[i].partition), buckets[i].bucket}] = &buckets[i]
	}
	for i := range entries {
		e := &entries[i]
		p := place{string(e.Partition), e.Bucket}
		switch e.File.Type {
		case manifest.HashIndex:
			if hashed[p] {
				b.fault(file, "two hash indexes of bucket %d, one of them %s", e.Bucket, e.File.Name)
			}
			hashed[p] = true
		case manifest.DeletionVectors:
			b.vectorsOf(path, e, live[p])
		}
		if err := b.indexFile(ctx, file, e); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// indexPath is where an index file lies.
func (b *branch) indexPath(e *manifest.IndexEntry) (string, error) {
	switch {
	case e.File.ExternalPath != "":
		return e.File.ExternalPath, nil
	case b.opts.File.IndexBesideRow && e.File.Global == nil:
		dir, err := b.paths.BucketDir(e.Partition, e.Bucket)
		return fileio.Join(dir, e.File.Name), err
	}
	return fileio.Join(b.checker.dir, "index", e.File.Name), nil
}

// indexFile checks an index file, once.
func (b *branch) indexFile(ctx context.Context, list string, e *manifest.IndexEntry) error {
	path, err := b.indexPath(e)
	if err != nil {
		b.fault(list, "index file %s: %v", e.File.Name, err)
		return nil
	}
	if _, ok := b.used[path]; ok {
		return nil
	}
	b.counts.indexFiles++
	ok, err := b.exists(ctx, path, e.File.SizeBytes)
	if err != nil || !ok {
		return err
	}
	switch e.File.Type {
	case manifest.HashIndex:
		_, err = b.readHashes(ctx, path, e)
	case manifest.DeletionVectors:
		err = b.vectors(ctx, path, e)
	}
	return err
}

// readHashes reads a hash index; nil when it is damaged, which is reported.
func (b *branch) readHashes(ctx context.Context, path string, e *manifest.IndexEntry) (*hashSet, error) {
	data, err := fileio.ReadFile(ctx, b.cfg.Store, path)
	if err != nil {
		return nil, b.unreadable(ctx, path, err)
	}
	if int64(len(data)) != 4*e.File.RowCount {
		b.fault(path, "the file has %d bytes, %d hashes are recorded", len(data), e.File.RowCount)
		return nil, nil
	}
	h := &hashSet{name: path, hashes: make([]int32, len(data)/4)}
	for i := range h.hashes {
		h.hashes[i] = int32(binary.BigEndian.Uint32(data[4*i:]))
	}
	slices.Sort(h.hashes)
	for i := 1; i < len(h.hashes); i++ {
		if h.hashes[i] == h.hashes[i-1] {
			b.fault(path, "hash %d is there twice", h.hashes[i])
			break
		}
	}
	return h, nil
}

// hashesOf is the hash index that the keys of a bucket must be in; nil in tables
// that have none, and when it is damaged.
func (b *branch) hashesOf(ctx context.Context, snap string, index []manifest.IndexEntry, g *bucketFiles) (*hashSet, error) {
	if b.mode != schema.Dynamic || b.cfg.MetadataOnly {
		return nil, nil
	}
	for i := range index {
		e := &index[i]
		if e.File.Type != manifest.HashIndex || e.Bucket != g.bucket || string(e.Partition) != string(g.partition) {
			continue
		}
		path, err := b.indexPath(e)
		if err != nil {
			return nil, nil // told with the index file
		}
		data, err := fileio.ReadFile(ctx, b.cfg.Store, path)
		if err != nil || int64(len(data)) != 4*e.File.RowCount {
			return nil, ctx.Err()
		}
		h := &hashSet{name: path, hashes: make([]int32, len(data)/4)}
		for i := range h.hashes {
			h.hashes[i] = int32(binary.BigEndian.Uint32(data[4*i:]))
		}
		slices.Sort(h.hashes)
		return h, nil
	}
	b.fault(snap, "bucket %d has files but no hash index: the next writer may put its keys into another one", g.bucket)
	return nil, nil
}

// passHashes is how many hashes are held against each other at a time.
const passHashes = 4 << 20

// hashesApart checks that no hash is in two buckets of a partition: the key would
// have two homes.
func (b *branch) hashesApart(ctx context.Context, index []manifest.IndexEntry) error {
	byPartition := map[string][]*manifest.IndexEntry{}
	for i := range index {
		if e := &index[i]; e.File.Type == manifest.HashIndex {
			byPartition[string(e.Partition)] = append(byPartition[string(e.Partition)], e)
		}
	}
	for _, entries := range byPartition {
		if len(entries) < 2 {
			continue
		}
		total := int64(0)
		for _, e := range entries {
			total += min(max(e.File.RowCount, 0), math.MaxInt32)
		}
		passes := uint32(total/passHashes + 1)
		for pass := range passes {
			if err := b.apart(ctx, entries, pass, passes); err != nil {
				return err
			}
		}
	}
	return nil
}

// apart looks at the hashes that are pass modulo passes.
func (b *branch) apart(ctx context.Context, entries []*manifest.IndexEntry, pass, passes uint32) error {
	var all []uint64 // hash, bucket
	for _, e := range entries {
		path, err := b.indexPath(e)
		if err != nil {
			return nil
		}
		data, err := fileio.ReadFile(ctx, b.cfg.Store, path)
		if err != nil {
			return ctx.Err() // told with the index file
		}
		for ; len(data) >= 4; data = data[4:] {
			if h := binary.BigEndian.Uint32(data); h%passes == pass {
				all = append(all, uint64(h)<<32|uint64(uint32(e.Bucket)))
			}
		}
	}
	slices.Sort(all)
	for i := 1; i < len(all); i++ {
		if all[i]>>32 == all[i-1]>>32 && all[i] != all[i-1] {
			b.fault(b.checker.dir, "hash indexes of buckets %d and %d of one partition both have hash %d: its key may be in both",
				uint32(all[i-1]), uint32(all[i]), int32(all[i]>>32))
			return nil
		}
	}
	return nil
}

// vectorsOf checks that deletion vectors are those of live files.
func (b *branch) vectorsOf(snap string, e *manifest.IndexEntry, g *bucketFiles) {
	for _, r := range e.File.Vectors {
		at := -1
		if g != nil {
			at = slices.IndexFunc(g.entries, func(d *manifest.Entry) bool { return d.File.Name == r.DataFile })
		}
		switch {
		case at < 0:
			b.fault(snap, "index file %s has a deletion vector of data file %s, which is not live in bucket %d", e.File.Name, r.DataFile, e.Bucket)
		case r.Cardinality > g.entries[at].File.RowCount:
			b.fault(snap, "index file %s deletes %d rows of data file %s, which has %d", e.File.Name, r.Cardinality, r.DataFile, g.entries[at].File.RowCount)
		}
	}
}

const (
	vectorMagic   = 1581511376 // 32 bit, big-endian
	vectorMagic64 = 1681511377 // 64 bit, little-endian
)

// vectors checks the frames of a deletion vector file: version, lengths, magic
// numbers and checksums.
func (b *branch) vectors(ctx context.Context, path string, e *manifest.IndexEntry) error {
	data, err := fileio.ReadFile(ctx, b.cfg.Store, path)
	if err != nil {
		return b.unreadable(ctx, path, err)
	}
	if len(data) == 0 || data[0] != 1 {
		b.fault(path, "it does not begin with version 1")
		return nil
	}
	if int64(len(e.File.Vectors)) != e.File.RowCount {
		b.fault(path, "%d deletion vectors are recorded, %d are listed", e.File.RowCount, len(e.File.Vectors))
	}
	for _, r := range e.File.Vectors {
		if err := checkVector(data, r); err != nil {
			b.fault(path, "deletion vector of %s: %s", r.DataFile, detail(err))
		}
	}
	return nil
}

func checkVector(data []byte, r datafile.VectorRange) error {
	at := int64(r.Offset)
	if at < 1 || at+8 > int64(len(data)) {
		return corrupt.Errorf("", at, "it lies outside of the file")
	}
	size := int64(binary.BigEndian.Uint32(data[at:]))
	if size < 4 || at+4+size+4 > int64(len(data)) {
		return corrupt.Errorf("", at, "its length is %d", size)
	}
	payload := data[at+4 : at+4+size]
	want := size
	switch {
	case binary.BigEndian.Uint32(payload) == vectorMagic:
	case binary.LittleEndian.Uint32(payload) == vectorMagic64:
		want = size + 8
	default:
		return corrupt.Errorf("", at+4, "its magic number is unknown")
	}
	if int64(r.Length) != want {
		return corrupt.Errorf("", at, "its length is %d, %d is recorded", want, r.Length)
	}
	if got := binary.BigEndian.Uint32(data[at+4+size:]); got != crc32.ChecksumIEEE(payload) {
		return corrupt.Errorf("", at+4+size, "its checksum is wrong")
	}
	return nil
}

// fileIndex checks the index beside a data file.
func (b *branch) fileIndex(ctx context.Context, path, dataFile string) error {
	b.use(path)
	data, err := fileio.ReadFile(ctx, b.cfg.Store, path)
	if err == nil {
		_, err = fileindex.Decode(data, dataFile)
		err = corrupt.Wrap(path, err)
	}
	if err != nil {
		return b.unreadable(ctx, path, err)
	}
	return nil
}
