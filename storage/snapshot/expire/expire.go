package expire

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lakesql/lakesql/internal/parallel"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// Config describes the table and its handles. All handles are the caller's.
type Config struct {
	Store     fileio.Store
	TableDir  string
	Snapshots *snapshot.Manager
	Manifests *manifest.Files
	Paths     *datafile.Paths
	// IndexBeside says that index files lie in the directories of their buckets
	// (index-file-in-data-file-dir).
	IndexBeside bool
	// CleanEmptyDirectories removes bucket and partition directories that become
	// empty (snapshot.clean-empty-directories).
	CleanEmptyDirectories bool
	// Held returns further snapshots whose files must stay, such as those of
	// branches; nil: none.
	Held func(context.Context) ([]*snapshot.Snapshot, error)
	// Published is the last snapshot of this process, nil for none: when another
	// engine replaces it, it is published again from its files. Nil: there is none.
	Published func(context.Context) (*snapshot.Snapshot, error)
	// Memory saves looking at every snapshot that stays in each call; nil: none.
	Memory *Memory
	// Warn is told of what was skipped; nil drops it.
	Warn func(error)
}

// deleters is how many files are deleted at a time.
const deleters = 8

// Expire removes the snapshots that the options let go, and the files that nobody
// needs any more. It returns how many snapshots are gone, also with an error.
func Expire(ctx context.Context, c Config, o Options) (n int, err error) {
	if c.Warn == nil {
		c.Warn = func(error) {}
	}
	latest, err := c.Snapshots.Latest(ctx)
	if err != nil || latest == nil {
		return 0, err
	}
	earliest, err := c.Snapshots.Earliest(ctx)
	if err != nil || earliest == nil {
		return 0, err
	}
	stop, err := c.plan(ctx, earliest.ID, latest.ID, o)
	if err != nil || stop <= earliest.ID {
		return 0, err
	}
	stop, done := c.Snapshots.Retire(stop)
	defer done()
	x, err := c.load(ctx, earliest.ID, stop)
	if err != nil || x == nil {
		return 0, err
	}
	files, err := x.gather(ctx, latest.ID)
	if err != nil {
		return 0, err
	}
	return x.remove(ctx, files)
}

// plan asks Plan.
func (c *Config) plan(ctx context.Context, earliest, latest snapshot.ID, o Options) (snapshot.ID, error) {
	floor, err := c.Snapshots.LowestConsumer(ctx)
	if err != nil {
		return 0, err
	}
	var failed error
	stop, err := Plan(Table{
		Earliest: earliest, Latest: latest, Floor: floor,
		TimeMillis: func(id snapshot.ID) (int64, bool) {
			s, err := c.Snapshots.Get(ctx, id)
			if err != nil {
				if !errors.Is(err, snapshot.ErrNotFound) {
					failed = errors.Join(failed, err)
				}
				return 0, false
			}
			return s.TimeMillis, true
		},
	}, o)
	return stop, errors.Join(err, failed)
}

// expiry is one run: the snapshots that go, and the one after them.
type expiry struct {
	*Config
	going []*snapshot.Snapshot
	end   *snapshot.Snapshot
}

// load reads the snapshots from begin to stop. A missing one is warned about; when
// stop itself is missing the one before it is the first to stay.
func (c *Config) load(ctx context.Context, begin, stop snapshot.ID) (*expiry, error) {
	x := &expiry{Config: c}
	for id := begin; id <= stop; id++ {
		s, err := c.Snapshots.Get(ctx, id)
		if errors.Is(err, snapshot.ErrNotFound) {
			c.Warn(fmt.Errorf("expire snapshots: the file of snapshot %d is missing", id))
			continue
		}
		if err != nil {
			return nil, err
		}
		x.going = append(x.going, s)
	}
	if len(x.going) < 2 {
		return nil, nil
	}
	last := len(x.going) - 1
	x.end, x.going = x.going[last], x.going[:last]
	return x, nil
}

// remove deletes the snapshots, then the files.
func (x *expiry) remove(ctx context.Context, f *garbage) (n int, err error) {
	for _, s := range x.going {
		there, err := x.Snapshots.Get(ctx, s.ID)
		switch {
		case errors.Is(err, snapshot.ErrNotFound):
			continue // another process expires as well
		case err != nil:
			return n, err
		case !there.SameCommit(s):
			return n, fmt.Errorf("snapshot %d was replaced while it expired", s.ID)
		}
		if err := x.Snapshots.Remove(ctx, s.ID); err != nil {
			return n, err
		}
		n++
	}
	// The deletions must not come undone by a crash once data files are gone: this
	// syncs the folder by way of a file in it.
	if err := fileio.Sync(ctx, x.Store, []string{x.Snapshots.Path(x.end.ID)}); err != nil {
		return n, fmt.Errorf("expire snapshots: %w", err)
	}
	err = x.deleteFiles(ctx, f)
	x.Snapshots.PointEarliest(ctx, x.end.ID)
	if x.CleanEmptyDirectories {
		err = errors.Join(err, x.removeDirs(ctx, f.dirs))
	}
	return n, err
}

// deleteFiles deletes files; one that cannot be deleted does not keep the others.
func (x *expiry) deleteFiles(ctx context.Context, f *garbage) error {
	g, _ := parallel.WithContext(ctx) // one that fails does not keep the others
	g.SetLimit(deleters)
	errs := make([]error, len(f.paths)+len(f.manifests))
	for i, p := range f.paths {
		g.Go(func() error {
			errs[i] = x.Store.Delete(ctx, p)
			return nil
		})
	}
	for i, name := range f.manifests {
		g.Go(func() error {
			errs[len(f.paths)+i] = x.Manifests.Delete(ctx, name)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("delete files of expired snapshots: %w", err)
	}
	return nil
}

// removeDirs removes bucket directories that are empty, and the partition
// directories above them.
func (x *expiry) removeDirs(ctx context.Context, dirs map[string]bool) error {
	d, ok := x.Store.(fileio.DirStore)
	if !ok {
		return nil
	}
	root := x.Paths.DataDir()
	all := map[string]bool{}
	for dir := range dirs {
		for ; strings.HasPrefix(dir, root+"/"); dir = path.Dir(dir) {
			all[dir] = true
		}
	}
	list := make([]string, 0, len(all))
	for dir := range all {
		list = append(list, dir)
	}
	slices.SortFunc(list, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
	for _, dir := range list {
		if err := d.RemoveEmptyDir(ctx, dir); err != nil {
			return fmt.Errorf("remove an empty directory: %w", err)
		}
	}
	return nil
}
