package check

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/snapshot"
)

// versions checks pointer files, snapshots, tags, kept changelogs and consumers.
func (b *branch) versions(ctx context.Context) error {
	ids, err := b.snapshots.List(ctx)
	if err != nil {
		return b.unreadable(ctx, b.snapshots.Dir(), err)
	}
	if err := b.pointers(ctx, ids); err != nil {
		return err
	}
	// The newest first: a data file is read with the hash index that it belongs to now.
	list := make([]*snapshot.Snapshot, len(ids))
	for i := len(ids) - 1; i >= 0; i-- {
		if list[i], err = b.read(ctx, ids[i]); err != nil {
			return err
		}
	}
	states := make([]state, len(ids))
	for i := len(ids) - 1; i >= 0; i-- {
		if list[i] == nil {
			continue
		}
		path := b.snapshots.Path(ids[i])
		if states[i], err = b.snapshot(ctx, path, list[i], i == len(ids)-1); err != nil {
			return err
		}
		b.counts.snapshots++
	}
	for i := 1; i < len(ids); i++ {
		b.follows(list[i-1], list[i], states[i-1], states[i])
	}
	if err := b.tags(ctx); err != nil {
		return err
	}
	if err := b.changelogs(ctx); err != nil {
		return err
	}
	if _, err := b.snapshots.Consumers(ctx); err != nil {
		return b.unreadable(ctx, fileio.Join(b.dir, "consumer"), err)
	}
	return ctx.Err()
}

// read reads a snapshot file; nil when it cannot be read, which is reported.
func (b *branch) read(ctx context.Context, id snapshot.ID) (*snapshot.Snapshot, error) {
	s, err := b.snapshots.Get(ctx, id)
	if err != nil {
		return nil, b.unreadable(ctx, b.snapshots.Path(id), err)
	}
	return s, nil
}

// pointers holds LATEST and EARLIEST, and the ids themselves, against the files.
func (b *branch) pointers(ctx context.Context, ids []snapshot.ID) error {
	for i := 1; i < len(ids); i++ {
		if ids[i] != ids[i-1]+1 {
			b.fault(b.snapshots.Path(ids[i]), "snapshot %d is missing before it", ids[i]-1)
		}
	}
	for _, name := range []string{"LATEST", "EARLIEST"} {
		path := fileio.Join(b.snapshots.Dir(), name)
		data, err := fileio.ReadFile(ctx, b.cfg.Store, path)
		if errors.Is(err, fileio.ErrNotFound) {
			continue
		}
		if err != nil {
			if err := b.unreadable(ctx, path, err); err != nil {
				return err
			}
			continue
		}
		b.pointer(path, string(data[:min(len(data), 32)]), ids)
	}
	return nil
}

// pointer judges the text of one pointer file. They are optional: what other
// engines see through is only noted.
func (b *branch) pointer(path, text string, ids []snapshot.ID) {
	v, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || v <= 0:
		b.note(path, "%q is no snapshot id; readers list the folder instead", text)
	case len(ids) == 0:
		b.fault(path, "it points to snapshot %d, the table has none", v)
	case strings.HasSuffix(path, "LATEST"):
		last := int64(ids[len(ids)-1])
		switch {
		case v > last:
			b.fault(path, "it points to snapshot %d, the newest is %d: other engines follow it", v, last)
		case v < last:
			b.note(path, "it points to snapshot %d, the newest is %d", v, last)
		}
	case v != int64(ids[0]):
		b.note(path, "it points to snapshot %d, the earliest is %d", v, ids[0])
	}
}

// follows holds a snapshot against the one before it.
func (b *branch) follows(before, s *snapshot.Snapshot, old, now state) {
	if before == nil || s == nil || s.ID != before.ID+1 {
		return
	}
	path := b.snapshots.Path(s.ID)
	if old.known && now.baseKnown && old.live != now.base {
		b.fault(path, "its base has %d files that are not those of snapshot %d, which has %d", now.base.count, before.ID, old.live.count)
	}
	if got := before.TotalRecordCount + s.DeltaRecordCount; got != s.TotalRecordCount {
		b.fault(path, "totalRecordCount is %d, that of snapshot %d and deltaRecordCount come to %d", s.TotalRecordCount, before.ID, got)
	}
	if s.TimeMillis < before.TimeMillis {
		b.note(path, "it is %d ms older than snapshot %d: time travel by time may miss it", before.TimeMillis-s.TimeMillis, before.ID)
	}
}

func (b *branch) tags(ctx context.Context) error {
	dir := fileio.Join(b.dir, "tag")
	infos, err := b.cfg.Store.List(ctx, dir)
	if err != nil {
		return b.unreadable(ctx, dir, err)
	}
	for _, info := range infos {
		name, ok := strings.CutPrefix(info.Name, "tag-")
		if !ok || info.Dir || name == "" || strings.HasSuffix(name, ".tmp") {
			continue
		}
		path := fileio.Join(dir, info.Name)
		t, err := b.snapshots.Tag(ctx, name)
		if err != nil {
			if err := b.unreadable(ctx, path, err); err != nil {
				return err
			}
			continue
		}
		b.counts.tags++
		if _, err := b.snapshot(ctx, path, t.Snapshot, false); err != nil {
			return err
		}
	}
	return nil
}

// changelogs checks the snapshots that are kept for their changelog alone.
func (b *branch) changelogs(ctx context.Context) error {
	dir := fileio.Join(b.dir, "changelog")
	infos, err := b.cfg.Store.List(ctx, dir)
	if err != nil {
		return b.unreadable(ctx, dir, err)
	}
	for _, info := range infos {
		text, ok := strings.CutPrefix(info.Name, "changelog-")
		id, err := strconv.ParseInt(text, 10, 64)
		if !ok || err != nil || info.Dir {
			continue
		}
		path := fileio.Join(dir, info.Name)
		data, err := fileio.ReadFile(ctx, b.cfg.Store, path)
		if err == nil {
			var s *snapshot.Snapshot
			if s, err = snapshot.Decode(data); err == nil {
				if int64(s.ID) != id {
					b.fault(path, "it says that it is snapshot %d", s.ID)
				}
				if err := b.kept(ctx, path, s); err != nil {
					return err
				}
				continue
			}
		}
		if err := b.unreadable(ctx, path, err); err != nil {
			return err
		}
	}
	return nil
}

// kept checks a snapshot that is kept for its changelog: with a producer its
// changelog files are there, without one its lists and the files that it added.
func (b *branch) kept(ctx context.Context, path string, s *snapshot.Snapshot) error {
	for _, name := range []string{s.BaseManifestList, s.DeltaManifestList, s.IndexManifest} {
		if name != "" {
			b.use(b.manifests.Path(name))
		}
	}
	if b.opts.Changelog.Producer != "none" {
		return b.changelog(ctx, path, s)
	}
	if _, _, _, err := b.list(ctx, s.BaseManifestList, s.BaseManifestListSize); err != nil {
		return err
	}
	adds, _, _, err := b.list(ctx, s.DeltaManifestList, s.DeltaManifestListSize)
	if err != nil || s.CommitKind != snapshot.Append {
		return err
	}
	for _, e := range adds {
		if e.File.Source == datafile.FromCompact {
			continue
		}
		if err := b.dataFile(ctx, e, false); err != nil {
			return err
		}
	}
	return nil
}

// statistics checks that a statistics file is there and is JSON.
func (b *branch) statistics(ctx context.Context, name string) error {
	path := fileio.Join(b.checker.dir, "statistics", name)
	b.use(path)
	data, err := fileio.ReadFile(ctx, b.cfg.Store, path)
	if err == nil && !json.Valid(data) {
		err = corrupt.Errorf(path, corrupt.NoOffset, "it is no JSON")
	}
	if err != nil {
		return b.unreadable(ctx, path, err)
	}
	return nil
}
