package write

import (
	"context"
	"fmt"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/indexfile"
	"github.com/lakesql/lakesql/storage/indexfile/bucketindex"
	"github.com/lakesql/lakesql/storage/row"
)

// hashIndex is the buckets of the keys of a table with dynamic buckets, by
// partition, as of one index manifest. The leader of a group owns it. An attempt
// that fails forgets it, so that every hash it holds is published or about to be.
type hashIndex struct {
	of    string // name of the index manifest
	parts map[string]*bucketindex.Partition
}

// partition returns the index of a partition, loaded from the state's snapshot.
// fresh is for a partition that is overwritten.
func (s *state) partition(ctx context.Context, l *Layout, store fileio.Reader, name string, fresh bool) (*bucketindex.Partition, error) {
	if p := s.hashes.parts[name]; p != nil {
		return p, nil
	}
	p := bucketindex.NewPartition(bucketindex.Options{
		TargetRows: int(l.Options.Bucket.TargetRows), MaxBuckets: l.Options.Bucket.MaxBuckets,
	})
	if s.at != nil && !fresh {
		entries, err := s.manifests.IndexOf(ctx, s.at)
		if err != nil {
			return nil, fmt.Errorf("read the hash index: %w", err)
		}
		for i := range entries {
			e := &entries[i]
			if e.File.Type != indexfile.Hash || string(e.Partition) != name {
				continue
			}
			path, err := l.index.Path(e.Partition, e.Bucket, &e.File)
			if err != nil {
				return nil, err
			}
			hashes, err := indexfile.ReadHashes(ctx, store, path, &e.File)
			if err != nil {
				return nil, fmt.Errorf("read the hash index: %w", err)
			}
			p.Load(e.Bucket, hashes)
		}
	}
	s.hashes.parts[name] = p
	return p, nil
}

// spread gives each row of a partition its bucket and appends the pieces to jobs.
func (g *group) spread(ctx context.Context, jobs []job, at map[Bucket]int, b bucketRows) ([]job, error) {
	part, err := g.state.partition(ctx, g.layout, g.p.c.Store, b.bucket.Partition, g.overwrite)
	if err != nil {
		return nil, err
	}
	var hashes []uint32
	var buckets []int32
	var keys []*columnar.Vector
	for _, batch := range b.batches {
		keys = keys[:0]
		for _, k := range g.layout.key {
			keys = append(keys, batch.Cols[k])
		}
		hashes = row.HashBatch(hashes[:0], keys, batch.N)
		if buckets, err = part.Assign(buckets[:0], hashes); err != nil {
			return nil, err
		}
		if same(buckets) {
			if jobs, err = g.addRows(ctx, jobs, at, Bucket{b.bucket.Partition, buckets[0]}, batch); err != nil {
				return nil, err
			}
			continue
		}
		rows := map[int32][]int32{}
		var order []int32
		for i, n := range buckets {
			if rows[n] == nil {
				order = append(order, n)
			}
			rows[n] = append(rows[n], int32(i))
		}
		for _, n := range order {
			piece := columnar.NewBatch(g.layout.types, len(rows[n]))
			piece.AppendSlots(batch, rows[n])
			if jobs, err = g.addRows(ctx, jobs, at, Bucket{b.bucket.Partition, n}, piece); err != nil {
				return nil, err
			}
		}
	}
	return jobs, nil
}

// saveIndex writes the hash index of each bucket that has got new keys.
func (g *group) saveIndex(ctx context.Context) error {
	if !g.layout.Dynamic() {
		return nil
	}
	done := map[Bucket]bool{}
	for _, f := range g.all() {
		if f.index = nil; done[f.bucket] {
			continue
		}
		part := g.state.hashes.parts[f.bucket.Partition]
		changed := false
		for _, n := range part.Changed() {
			changed = changed || int32(n) == f.bucket.Number
		}
		if !changed {
			continue
		}
		file, path, err := g.layout.index.WriteHashes(ctx, g.p.c.Store, g.p.c.IndexNames, []byte(f.bucket.Partition),
			int(f.bucket.Number), part.Hashes(int(f.bucket.Number)))
		if err != nil {
			return err
		}
		done[f.bucket] = true
		f.index, f.paths = []datafile.IndexFile{file}, append(f.paths, path)
	}
	return nil
}
