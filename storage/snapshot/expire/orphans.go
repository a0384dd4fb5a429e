package expire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/internal/parallel"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// OrphanOptions say which orphan files go.
type OrphanOptions struct {
	// OlderThan protects the files that were changed at it or later: those of writes
	// that are not published yet.
	OlderThan time.Time
	// DryRun counts the files and leaves them.
	DryRun bool
}

// Orphans counts files.
type Orphans struct {
	Files     int64
	SizeBytes int64
}

// RemoveOrphans removes the files of a table that no snapshot, tag, branch or
// changelog names, and returns how many they were, also with an error.
//
// The files are listed before the snapshots are: what is published meanwhile is
// seen. Everything that is named is read first; what cannot be read, but for what
// expires meanwhile, stops the removal before the first file is gone. Schemas,
// tags, consumers and files in folders that are no table's are never touched.
func RemoveOrphans(ctx context.Context, c Config, o OrphanOptions) (Orphans, error) {
	if c.Warn == nil {
		c.Warn = func(error) {}
	}
	list, err := c.candidates(ctx, o.OlderThan)
	if err != nil || len(list) == 0 {
		return Orphans{}, err
	}
	named, err := c.named(ctx)
	if err != nil {
		return Orphans{}, fmt.Errorf("no file was removed: %w", err)
	}
	orphans := list[:0]
	for _, f := range list {
		if !named[f.name] {
			orphans = append(orphans, f)
		}
	}
	return c.removeAll(ctx, orphans, o.DryRun)
}

// candidate is a file that may be an orphan.
type candidate struct {
	dir, name string
	sizeBytes int64
	manifest  bool // in the manifest folder, which is cached by name
}

// managedBlob ends the names of files that are named by files alone.
const managedBlob = ".managed.blob"

// candidates lists the files that may be orphans and are old enough.
func (c *Config) candidates(ctx context.Context, olderThan time.Time) ([]candidate, error) {
	var out []candidate
	add := func(dir string, keep func(name string) bool) error {
		infos, err := c.Store.List(ctx, dir)
		if err != nil {
			return fmt.Errorf("list %s: %w", dir, err)
		}
		for _, f := range infos {
			if f.Dir || !f.ModTime.Before(olderThan) || strings.HasSuffix(f.Name, managedBlob) || keep != nil && keep(f.Name) {
				continue
			}
			out = append(out, candidate{dir, f.Name, f.SizeBytes, dir == fileio.Join(c.TableDir, "manifest")})
		}
		return nil
	}
	for _, dir := range []string{"manifest", "index", "statistics"} {
		if err := add(fileio.Join(c.TableDir, dir), nil); err != nil {
			return nil, err
		}
	}
	buckets, err := c.bucketDirs(ctx, c.Paths.DataDir(), c.Paths.PartitionColumns())
	if err != nil {
		return nil, err
	}
	for _, dir := range buckets {
		if err := add(dir, nil); err != nil {
			return nil, err
		}
	}
	roots, err := c.metadataDirs(ctx)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		for _, kind := range []string{"snapshot", "changelog"} {
			err := add(fileio.Join(root, kind), func(name string) bool {
				return strings.HasPrefix(name, kind+"-") || name == "EARLIEST" || name == "LATEST"
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// bucketDirs finds the directories of buckets below dir, levels of partitions deep.
// Other directories are none of ours.
func (c *Config) bucketDirs(ctx context.Context, dir string, levels int) ([]string, error) {
	infos, err := c.Store.List(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", dir, err)
	}
	var out []string
	for _, f := range infos {
		path := fileio.Join(dir, f.Name)
		switch {
		case !f.Dir:
		case levels == 0 && strings.HasPrefix(f.Name, "bucket-"):
			out = append(out, path)
		case levels > 0 && strings.Contains(f.Name, "="):
			below, err := c.bucketDirs(ctx, path, levels-1)
			if err != nil {
				return nil, err
			}
			out = append(out, below...)
		}
	}
	return out, nil
}

// metadataDirs are the directories with snapshots: the table's and its branches'.
func (c *Config) metadataDirs(ctx context.Context) ([]string, error) {
	out := []string{c.TableDir}
	infos, err := c.Store.List(ctx, fileio.Join(c.TableDir, "branch"))
	if err != nil {
		return nil, fmt.Errorf("list branches: %w", err)
	}
	for _, f := range infos {
		if f.Dir && strings.HasPrefix(f.Name, "branch-") {
			out = append(out, fileio.Join(c.TableDir, "branch", f.Name))
		}
	}
	return out, nil
}

// namedTries is how often what is named is read again because something of it has
// expired meanwhile.
const namedTries = 5

// named are the names of all files that anything names. Names are unique in a table.
func (c *Config) named(ctx context.Context) (map[string]bool, error) {
	for try := 1; ; try++ {
		n := &namer{c: c, names: map[string]bool{}}
		err := n.all(ctx)
		if err == nil {
			return n.names, nil
		}
		if !errors.Is(err, fileio.ErrNotFound) || try == namedTries {
			return nil, err
		}
	}
}

// namer gathers names. Each list and manifest is read once.
type namer struct {
	c     *Config
	names map[string]bool
}

// all reads the table's own versions, then its branches': one that is made of a tag
// that goes meanwhile is there by then.
func (n *namer) all(ctx context.Context) error {
	if err := n.versions(ctx, n.c.Snapshots, n.c.TableDir); err != nil {
		return err
	}
	roots, err := n.c.metadataDirs(ctx)
	if err != nil {
		return err
	}
	for _, root := range roots[1:] {
		if err := n.versions(ctx, snapshot.New(n.c.Store, root), root); err != nil {
			return err
		}
	}
	if n.c.Published == nil {
		return nil
	}
	s, err := n.c.Published(ctx)
	if err != nil || s == nil {
		return err
	}
	return n.version(ctx, s, true /* it may have expired */)
}

func (n *namer) versions(ctx context.Context, m *snapshot.Manager, dir string) error {
	list, changelogs, err := versionsOf(ctx, n.c.Store, m, dir)
	if err != nil {
		return err
	}
	for _, s := range list {
		if err := n.version(ctx, s, false /* all is there */); err != nil {
			return fmt.Errorf("files of snapshot %d in %s: %w", s.ID, dir, err)
		}
	}
	for _, s := range changelogs {
		if err := n.version(ctx, s, true /* what only the snapshot needed has gone with it */); err != nil {
			return fmt.Errorf("files of changelog %d in %s: %w", s.ID, dir, err)
		}
	}
	return nil
}

// versionsOf are the snapshots, tags and separate changelogs in a directory, in this
// order: tags and changelogs are made before their snapshot goes.
func versionsOf(ctx context.Context, store fileio.Store, m *snapshot.Manager, dir string) (all, changelogs []*snapshot.Snapshot, err error) {
	if all, err = m.All(ctx); err != nil {
		return nil, nil, err
	}
	tags, err := m.ListTags(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range tags {
		all = append(all, t.Snapshot)
	}
	folder := fileio.Join(dir, "changelog")
	infos, err := store.List(ctx, folder)
	if err != nil {
		return nil, nil, fmt.Errorf("list %s: %w", folder, err)
	}
	for _, f := range infos {
		if f.Dir || !strings.HasPrefix(f.Name, "changelog-") {
			continue
		}
		path := fileio.Join(folder, f.Name)
		data, err := fileio.ReadFile(ctx, store, path)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", path, err)
		}
		s, err := snapshot.Decode(data)
		if err != nil {
			return nil, nil, corrupt.Wrap(path, err)
		}
		changelogs = append(changelogs, s)
	}
	return all, changelogs, nil
}

// once notes a name and reports whether it is new.
func (n *namer) once(name string) bool {
	if name == "" || n.names[name] {
		return false
	}
	n.names[name] = true
	return true
}

// version notes all that a snapshot names, also the files that its manifests delete.
// Partly says that files may be missing: those that are not there name nothing.
func (n *namer) version(ctx context.Context, s *snapshot.Snapshot, partly bool) error {
	missing := func(err error) error {
		if partly && errors.Is(err, fileio.ErrNotFound) {
			return nil
		}
		return err
	}
	for _, list := range []string{s.BaseManifestList, s.DeltaManifestList, s.ChangelogManifestList} {
		if !n.once(list) {
			continue
		}
		metas, err := n.c.Manifests.List(ctx, list, -1)
		if err := missing(err); err != nil {
			return err
		}
		for i := range metas {
			if err := missing(n.manifest(ctx, &metas[i])); err != nil {
				return err
			}
		}
	}
	n.once(s.Statistics)
	if !n.once(s.IndexManifest) {
		return nil
	}
	index, err := n.c.Manifests.Index(ctx, s.IndexManifest)
	if err := missing(err); err != nil {
		return err
	}
	for i := range index {
		n.once(index[i].File.Name)
	}
	return nil
}

func (n *namer) manifest(ctx context.Context, m *manifest.FileMeta) error {
	if !n.once(m.Name) {
		return nil
	}
	entries, err := n.c.Manifests.Entries(ctx, m.Name, m.SizeBytes)
	if err != nil {
		return err
	}
	for i := range entries {
		n.once(entries[i].File.Name)
		for _, extra := range entries[i].File.ExtraFiles {
			n.once(extra)
		}
	}
	return nil
}

// removeAll deletes files; one that cannot be deleted does not keep the others.
func (c *Config) removeAll(ctx context.Context, files []candidate, dryRun bool) (Orphans, error) {
	errs := make([]error, len(files))
	if !dryRun {
		g, _ := parallel.WithContext(ctx)
		g.SetLimit(deleters)
		for i, f := range files {
			g.Go(func() error {
				if f.manifest {
					errs[i] = c.Manifests.Delete(ctx, f.name)
				} else {
					errs[i] = c.Store.Delete(ctx, fileio.Join(f.dir, f.name))
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return Orphans{}, err
		}
	}
	var out Orphans
	for i, f := range files {
		if errs[i] == nil {
			out.Files++
			out.SizeBytes += f.sizeBytes
		}
	}
	if err := errors.Join(errs...); err != nil {
		return out, fmt.Errorf("remove orphan files: %w", err)
	}
	return out, nil
}
