package expire

import (
	"context"
	"errors"

	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// DeleteTag removes a tag and, when its snapshot has expired and no other tag has
// it, the files that only the tag held. snapshot.ErrTagNotFound when there is none.
func DeleteTag(ctx context.Context, c Config, name string) error {
	if c.Warn == nil {
		c.Warn = func(error) {}
	}
	tag, err := c.Snapshots.Tag(ctx, name)
	if err != nil {
		return err
	}
	g, err := c.tagFiles(ctx, tag)
	if err != nil {
		return err
	}
	if err := c.Snapshots.DeleteTag(ctx, name); err != nil {
		return err
	}
	x := &expiry{Config: &c}
	err = x.deleteFiles(ctx, g)
	if c.CleanEmptyDirectories {
		err = errors.Join(err, x.removeDirs(ctx, g.dirs))
	}
	return err
}

// tagFiles works out what only the tag holds: what neither its neighbours among
// the tags nor the first snapshot use.
func (c *Config) tagFiles(ctx context.Context, tag *snapshot.Tag) (*garbage, error) {
	g := &garbage{dirs: map[string]bool{}}
	id := tag.Snapshot.ID
	there, err := c.Snapshots.Get(ctx, id)
	switch {
	case err == nil && there.SameCommit(tag.Snapshot):
		return g, nil // expiry will see to its files
	case err != nil && !errors.Is(err, snapshot.ErrNotFound):
		return nil, err
	}
	first, err := c.Snapshots.Earliest(ctx)
	if err != nil || first == nil {
		return g, err
	}
	tags, err := c.Snapshots.ListTags(ctx)
	if err != nil {
		return nil, err
	}
	neighbours := []*snapshot.Snapshot{first}
	var below, above *snapshot.Snapshot
	for _, t := range tags {
		switch {
		case t.Name == tag.Name:
		case t.Snapshot.ID == id:
			return g, nil // another tag of the same snapshot
		case t.Snapshot.ID < id:
			below = t.Snapshot
		case above == nil:
			above = t.Snapshot
		}
	}
	for _, s := range []*snapshot.Snapshot{below, above} {
		if s != nil {
			neighbours = append(neighbours, s)
		}
	}
	if c.Held != nil {
		more, err := c.Held(ctx)
		if err != nil {
			return nil, err
		}
		neighbours = append(neighbours, more...)
	}
	keep := &used{data: map[fileKey]bool{}, meta: map[string]bool{}}
	for _, s := range neighbours {
		if err := c.keepLive(ctx, keep.data, s); err != nil {
			return nil, err
		}
		if err := c.keepMeta(ctx, keep, s); err != nil {
			return nil, err
		}
	}
	x := &expiry{Config: c, end: first}
	latest, err := c.Snapshots.Latest(ctx)
	if err != nil || latest == nil {
		return g, err
	}
	if err := x.keepOthers(ctx, keep, latest.ID); err != nil {
		return nil, err
	}
	live, err := c.Manifests.ReadLive(ctx, tag.Snapshot, manifest.Filter{})
	if err != nil && !errors.Is(err, fileio.ErrNotFound) {
		return nil, err
	}
	for _, e := range live {
		if !keep.data[keyOf(e)] {
			if err := c.addEntry(g, e); err != nil {
				return nil, err
			}
		}
	}
	return g, c.metaOf(ctx, g, keep.meta, tag.Snapshot, false /* changelog went with the snapshot */)
}
