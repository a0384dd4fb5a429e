package write

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakesql/lakesql/storage/indexfile/bucketindex"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// state is what the publisher knows of the buckets it writes to, as of one
// snapshot. It follows the table by the deltas of newer snapshots, so that a
// commit reads no more than what others did meanwhile. The publisher's leader owns it.
type state struct {
	snapshots *snapshot.Manager
	manifests *manifest.Files

	at      *snapshot.Snapshot          // what the rest is of; nil: nothing is known
	loaded  map[string]map[int32]bucket // by partition; a missing bucket has no files
	hashes  hashIndex
	written *recent
}

// bucket is what matters of a bucket's files to a writer.
type bucket struct {
	nextSeq int64 // one above the highest sequence number
	total   int   // bucket count in force
}

// recentKeys bounds the key hashes remembered of recent snapshots of one table.
const recentKeys = 1 << 20

func newState(s *snapshot.Manager, m *manifest.Files) *state {
	return &state{snapshots: s, manifests: m, loaded: map[string]map[int32]bucket{}, written: newRecent(recentKeys),
		hashes: hashIndex{parts: map[string]*bucketindex.Partition{}}}
}

func (s *state) reset() {
	s.at = nil
	clear(s.loaded)
	clear(s.hashes.parts)
	s.written = newRecent(recentKeys)
}

// forgetHashes drops the hash index, which may have keys that were not published.
func (s *state) forgetHashes() { clear(s.hashes.parts) }

// follow brings the state to latest, nil being a table without snapshots.
func (s *state) follow(ctx context.Context, latest *snapshot.Snapshot) error {
	index := ""
	if latest != nil {
		index = latest.IndexManifest
	}
	if s.hashes.of != index { // another writer has assigned keys
		s.forgetHashes()
		s.hashes.of = index
	}
	switch {
	case latest == nil:
		s.reset()
		return nil
	case s.at == nil:
		s.at = latest
		return nil
	case s.at.ID > latest.ID || (s.at.ID == latest.ID && !s.at.SameCommit(latest)):
		s.reset() // rolled back, or replaced
		s.at = latest
		return nil
	}
	for id := s.at.ID + 1; id <= latest.ID; id++ {
		snap := latest
		if id < latest.ID {
			var err error
			if snap, err = s.snapshots.Get(ctx, id); err != nil {
				if errors.Is(err, snapshot.ErrNotFound) {
					s.reset()
					s.at = latest
					return nil
				}
				return fmt.Errorf("follow the table: %w", err)
			}
		}
		if err := s.add(ctx, snap); err != nil {
			return err
		}
	}
	s.at = latest
	return nil
}

// add takes in one newer snapshot, of another process.
func (s *state) add(ctx context.Context, snap *snapshot.Snapshot) error {
	entries, err := s.manifests.Delta(ctx, snap)
	if err != nil {
		return fmt.Errorf("follow the table: %w", err)
	}
	w := &writes{everything: snap.CommitKind == snapshot.Overwrite}
	for _, e := range entries {
		if e.Kind != manifest.Add {
			continue
		}
		b := Bucket{Partition: string(e.Partition), Number: int32(e.Bucket)}
		if snap.CommitKind == snapshot.Append {
			w.of(b).all = true
			// The partition stands for keys of dynamic buckets, see Layout.lockOf.
			w.of(Bucket{Partition: b.Partition, Number: unassigned}).all = true
		}
		if part := s.loaded[b.Partition]; part != nil {
			have := part[b.Number]
			part[b.Number] = bucket{nextSeq: max(have.nextSeq, e.File.MaxSequence+1), total: e.TotalBuckets}
		}
	}
	s.written.add(int64(snap.ID), w)
	return nil
}

// bucket returns what is known of a bucket in the state's snapshot.
func (s *state) bucket(ctx context.Context, b Bucket) (bucket, error) {
	if s.at == nil {
		return bucket{}, nil
	}
	part := s.loaded[b.Partition]
	if part == nil {
		live, err := s.manifests.ReadLive(ctx, s.at, manifest.Filter{
			Partition: func(p []byte) bool { return string(p) == b.Partition },
		})
		if err != nil {
			return bucket{}, fmt.Errorf("read the files of a partition: %w", err)
		}
		part = map[int32]bucket{}
		for _, e := range live {
			n := int32(e.Bucket)
			part[n] = bucket{nextSeq: max(part[n].nextSeq, e.File.MaxSequence+1), total: e.TotalBuckets}
		}
		s.loaded[b.Partition] = part
	}
	return part[b.Number], nil
}

// published takes in what this publisher made of the state's snapshot.
func (s *state) published(snaps []*snapshot.Snapshot, w *writes, files []*built, total int) {
	for i, snap := range snaps {
		if i == 0 {
			s.written.add(int64(snap.ID), w)
		} else {
			s.written.add(int64(snap.ID), &writes{})
		}
		s.at = snap
		s.hashes.of = snap.IndexManifest
	}
	for _, p := range s.hashes.parts {
		p.Saved()
	}
	for _, f := range files {
		if part := s.loaded[f.bucket.Partition]; part != nil {
			part[f.bucket.Number] = bucket{nextSeq: max(part[f.bucket.Number].nextSeq, f.nextSeq), total: total}
		}
	}
}
