package expire

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/indexfile"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// garbage are the files to delete.
type garbage struct {
	paths     []string
	manifests []string        // names in the manifest folder
	dirs      map[string]bool // of the deleted data files
}

// fileKey says where a data file lies. Levels do not matter: an upgrade keeps
// the file.
type fileKey struct {
	partition string
	bucket    int
	name      string
	external  string
}

func keyOf(e *manifest.Entry) fileKey {
	return fileKey{string(e.Partition), e.Bucket, e.File.Name, e.File.ExternalPath}
}

// used are the files that must stay.
type used struct {
	data map[fileKey]bool
	meta map[string]bool // names of lists, manifests, index manifests, index files, statistics
}

// gather works out what the going snapshots leave behind.
func (x *expiry) gather(ctx context.Context, latest snapshot.ID) (*garbage, error) {
	tags, err := x.Snapshots.ListTags(ctx)
	if err != nil {
		return nil, err
	}
	var held []*snapshot.Snapshot
	for _, t := range tags {
		held = append(held, t.Snapshot)
	}
	slices.SortFunc(held, func(a, b *snapshot.Snapshot) int { return int(a.ID - b.ID) })
	keep := &used{data: map[fileKey]bool{}, meta: map[string]bool{}}
	if err := x.keepOthers(ctx, keep, latest); err != nil {
		return nil, err
	}
	g := &garbage{dirs: map[string]bool{}}
	if err := x.dataFiles(ctx, g, keep, held); err != nil {
		return nil, err
	}
	if err := x.changelogFiles(ctx, g); err != nil {
		return nil, err
	}
	return g, x.metaFiles(ctx, g, keep, held)
}

// keepOthers notes what branches hold, and what overwrites after the end brought
// back: a snapshot that takes up an old state again adds files that an earlier
// one deleted.
func (x *expiry) keepOthers(ctx context.Context, keep *used, latest snapshot.ID) error {
	if x.Held != nil {
		branches, err := x.Held(ctx)
		if err != nil {
			return err
		}
		for _, s := range branches {
			if err := x.keepLive(ctx, keep.data, s); err != nil {
				return err
			}
			if err := x.keepMeta(ctx, keep, s); err != nil {
				return err
			}
		}
	}
	overwrites, err := x.overwrites(ctx, latest)
	if err != nil {
		return err
	}
	for _, s := range overwrites {
		delta, err := x.Manifests.Delta(ctx, s)
		if err != nil {
			return err
		}
		for _, e := range delta {
			if e.Kind == manifest.Add {
				keep.data[keyOf(e)] = true
			}
		}
		if err := x.keepMeta(ctx, keep, s); err != nil {
			return err
		}
	}
	return nil
}

func (x *Config) keepLive(ctx context.Context, set map[fileKey]bool, s *snapshot.Snapshot) error {
	live, err := x.Manifests.ReadLive(ctx, s, manifest.Filter{})
	if err != nil {
		return err
	}
	for _, e := range live {
		set[keyOf(e)] = true
	}
	return nil
}

// keepMeta notes the lists, manifests, index files and statistics of a snapshot.
func (x *Config) keepMeta(ctx context.Context, keep *used, s *snapshot.Snapshot) error {
	metas, err := x.Manifests.Metas(ctx, s)
	if err != nil {
		return err
	}
	for i := range metas {
		keep.meta[metas[i].Name] = true
	}
	index, err := x.Manifests.IndexOf(ctx, s)
	if err != nil {
		return err
	}
	for i := range index {
		keep.meta[index[i].File.Name] = true
	}
	for _, name := range []string{s.BaseManifestList, s.DeltaManifestList, s.IndexManifest, s.Statistics} {
		keep.meta[name] = true
	}
	return nil
}

// dataFiles finds the data files that snapshots up to the end deleted: they were
// live in a going one, and in none that stays. A file that is added again in the
// same delta was moved to another level. A tag holds the files of its snapshot;
// since a file lives in a row of snapshots, only the nearest tag below the
// deletion can hold it.
func (x *expiry) dataFiles(ctx context.Context, g *garbage, keep *used, held []*snapshot.Snapshot) error {
	var tag *snapshot.Snapshot
	var tagged map[fileKey]bool
	for _, s := range append(slices.Clone(x.going[1:]), x.end) {
		delta, err := x.Manifests.Delta(ctx, s)
		if err != nil {
			if err := x.skip(err); err != nil {
				return err
			}
			continue
		}
		again := map[fileKey]bool{}
		deletes := 0
		for _, e := range delta {
			if e.Kind == manifest.Add {
				again[keyOf(e)] = true
			} else {
				deletes++
			}
		}
		if deletes == 0 {
			continue
		}
		if below := nearestBelow(held, s.ID); below != nil && below != tag {
			tag, tagged = below, map[fileKey]bool{}
			if err := x.keepLive(ctx, tagged, tag); err != nil {
				return err
			}
		}
		for _, e := range delta {
			key := keyOf(e)
			if e.Kind != manifest.Delete || again[key] || tagged[key] || keep.data[key] {
				continue
			}
			if err := x.addEntry(g, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// nearestBelow finds the last of the held snapshots below an id; nil: none.
func nearestBelow(held []*snapshot.Snapshot, id snapshot.ID) *snapshot.Snapshot {
	var last *snapshot.Snapshot
	for _, s := range held {
		if s.ID < id {
			last = s
		}
	}
	return last
}

// skip decides about files that could not be read: missing or damaged ones leave
// orphans behind, which is warned about; other failures stop the expiry.
func (x *Config) skip(err error) error {
	if errors.Is(err, fileio.ErrNotFound) || errors.Is(err, corrupt.Err) {
		x.Warn(fmt.Errorf("expire snapshots: some files are left behind: %w", err))
		return nil
	}
	return err
}

func (x *Config) addEntry(g *garbage, e *manifest.Entry) error {
	p, err := x.Paths.File(e.Partition, e.Bucket, e.File)
	if err != nil {
		return err
	}
	g.paths = append(g.paths, p)
	g.dirs[path.Dir(p)] = true
	for _, extra := range e.File.ExtraFiles {
		p, err := x.Paths.Beside(e.Partition, e.Bucket, e.File, extra)
		if err != nil {
			return err
		}
		g.paths = append(g.paths, p)
	}
	return nil
}

// changelogFiles finds the changelog files of the going snapshots, which no tag holds.
func (x *expiry) changelogFiles(ctx context.Context, g *garbage) error {
	for _, s := range x.going {
		changes, err := x.Manifests.Changelog(ctx, s)
		if err != nil {
			if err := x.skip(err); err != nil {
				return err
			}
			continue
		}
		for _, e := range changes {
			if e.Kind == manifest.Add {
				if err := x.addEntry(g, e); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// metaFiles finds the lists, manifests, index files and statistics that only the
// going snapshots name. What the end does not use no later one does.
func (x *expiry) metaFiles(ctx context.Context, g *garbage, keep *used, held []*snapshot.Snapshot) error {
	if err := x.keepMeta(ctx, keep, x.end); err != nil {
		return err
	}
	begin := x.going[0].ID
	if below := nearestBelow(held, begin); below != nil {
		if err := x.keepMeta(ctx, keep, below); err != nil {
			return err
		}
	}
	for _, s := range held {
		if s.ID >= begin && s.ID < x.end.ID {
			if err := x.keepMeta(ctx, keep, s); err != nil {
				return err
			}
		}
	}
	for _, s := range x.going {
		if err := x.metaOf(ctx, g, keep.meta, s, true /* changelog too */); err != nil {
			return err
		}
	}
	return nil
}

// metaOf adds the files of a snapshot that are not in keep, and puts them there.
func (x *Config) metaOf(ctx context.Context, g *garbage, keep map[string]bool, s *snapshot.Snapshot, changelog bool) error {
	once := func(name string) bool {
		if name == "" || keep[name] {
			return false
		}
		keep[name] = true
		return true
	}
	lists := []string{s.BaseManifestList, s.DeltaManifestList}
	if changelog {
		lists = append(lists, s.ChangelogManifestList)
	}
	for _, list := range lists {
		if !once(list) {
			continue
		}
		metas, err := x.Manifests.List(ctx, list, -1)
		if err != nil {
			if err := x.skip(err); err != nil {
				return err
			}
		}
		for i := range metas {
			if once(metas[i].Name) {
				g.manifests = append(g.manifests, metas[i].Name)
			}
		}
		g.manifests = append(g.manifests, list)
	}
	if once(s.IndexManifest) {
		index, err := x.Manifests.Index(ctx, s.IndexManifest)
		if err != nil {
			if err := x.skip(err); err != nil {
				return err
			}
		}
		for i := range index {
			if !once(index[i].File.Name) {
				continue
			}
			p, err := x.indexPath(&index[i])
			if err != nil {
				return err
			}
			g.paths = append(g.paths, p)
		}
		g.manifests = append(g.manifests, s.IndexManifest)
	}
	if once(s.Statistics) {
		g.paths = append(g.paths, fileio.Join(x.TableDir, "statistics", s.Statistics))
	}
	return nil
}

func (x *Config) indexPath(e *manifest.IndexEntry) (string, error) {
	d := indexfile.Dir{TableDir: x.TableDir, Paths: x.Paths, Beside: x.IndexBeside}
	return d.Path(e.Partition, e.Bucket, &e.File)
}
