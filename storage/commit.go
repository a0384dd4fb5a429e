package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/snapshot/commit"
	"github.com/lakesql/lakesql/storage/snapshot/expire"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
	"github.com/lakesql/lakesql/storage/write"
)

// writerVersion is what our snapshots say of their writer.
const writerVersion = "lakesql"

// committerOf returns what publishes to the table, made once and again when the
// options that it follows change.
func (t *Table) committerOf(l *write.Layout) *commit.Committer {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.committer == nil || t.committerFor != l {
		c := commit.New(t.commitConfig(l))
		c.Inherit(t.committer)
		t.committer, t.committerFor = c, l
	}
	return t.committer
}

// verify looks whether the snapshot that this process published last still stands,
// and publishes its rows again if another engine renamed over it. While a commit
// runs it leaves that to the commit.
func (t *Table) verify(ctx context.Context) error {
	t.mu.Lock()
	c, l := t.committer, t.committerFor
	t.mu.Unlock()
	if c == nil {
		return nil
	}
	err := c.TryVerify(ctx)
	var lost *commit.ReplacedError
	if errors.As(err, &lost) {
		t.env.Log.Warn("another engine replaced a snapshot; its rows are published again", "table", t.dir, "snapshot", lost.Lost.ID)
		return t.publisher.Recover(ctx, lost, l)
	}
	return err
}

func (t *Table) commitConfig(l *write.Layout) commit.Config {
	o := l.Options
	c := commit.Config{
		Store: t.env.Store, Snapshots: t.snapshots, Manifests: t.manifests,
		PartitionTypes: l.Schema.PartitionTypes(), KeyTypes: l.Schema.KeyTypes(), Unaware: l.Mode == schema.Unaware,
		LatestSchema: func(ctx context.Context) (int64, error) {
			s, err := t.schemas.Latest(ctx)
			if err != nil {
				return 0, err
			}
			return s.ID, nil
		},
		Still: func(ctx context.Context) error {
			err := t.schemas.Same(ctx, l.Schema)
			if errors.Is(err, ErrNotFound) {
				return fmt.Errorf("%w: %w", commit.ErrGone, err)
			}
			return err
		},
		DataFiles: func(inc *datafile.Increment) ([]string, error) { return newPaths(l, inc) },
		PartitionName: func(p []byte) string {
			vals, err := l.Paths().Values(p)
			if err != nil {
				return fmt.Sprintf("%x", p)
			}
			name, err := l.Paths().PartitionDir(vals)
			if err != nil {
				return fmt.Sprintf("%x", p)
			}
			return name
		},
		Merge:      manifest.MergeOptions{TargetBytes: o.Manifest.TargetBytes, FullBytes: o.Manifest.FullBytes, MinCount: o.Manifest.MergeMinCount},
		MaxRetries: o.Commit.MaxRetries, MinRetryWait: o.Commit.MinRetryWait, MaxRetryWait: o.Commit.MaxRetryWait,
		Timeout: o.Commit.Timeout, WriterVersion: writerVersion, Now: t.env.Now,
	}
	if codec, err := manifest.ParseCompression(o.Manifest.Compression); err == nil {
		c.Compression = codec
	}
	return c
}

// newPaths are the files of an increment that were made for it.
func newPaths(l *write.Layout, inc *datafile.Increment) ([]string, error) {
	moved := map[string]bool{}
	for _, m := range inc.CompactBefore {
		moved[m.Name] = true
	}
	var out []string
	for _, list := range [][]*datafile.Meta{inc.NewFiles, inc.NewChangelog, inc.CompactAfter, inc.CompactChanges} {
		for _, m := range list {
			if moved[m.Name] {
				continue
			}
			paths, err := pathsOf(l, inc.Partition, inc.Bucket, m)
			if err != nil {
				return nil, err
			}
			out = append(out, paths...)
		}
	}
	for i := range inc.NewIndexFiles {
		p, err := l.Index().Path(inc.Partition, inc.Bucket, &inc.NewIndexFiles[i])
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// pathsOf is where a data file lies, and the files beside it.
func pathsOf(l *write.Layout, partition []byte, bucket int, m *datafile.Meta) ([]string, error) {
	p, err := l.Paths().File(partition, bucket, m)
	if err != nil {
		return nil, err
	}
	out := []string{p}
	for _, extra := range m.ExtraFiles {
		if p, err = l.Paths().Beside(partition, bucket, m, extra); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// published is told of each publication by the statement that led it.
func (t *Table) published(_ context.Context, l *write.Layout, snaps []*snapshot.Snapshot) {
	if l.Options.Write.Only {
		return
	}
	last := snaps[len(snaps)-1]
	keep := l.Options.Retention
	if int(last.ID) <= keep.MinSnapshots {
		return
	}
	t.env.service.Submit("expire snapshots of "+t.dir, func(ctx context.Context) error {
		_, err := t.ExpireSnapshots(ctx, t.retention(l))
		return err
	})
}

// retention is what the table's options keep.
func (t *Table) retention(l *write.Layout) expire.Options {
	keep := l.Options.Retention
	return expire.Options{
		RetainMin: keep.MinSnapshots, RetainMax: keep.MaxSnapshots, MaxDeletes: keep.Limit,
		OlderThanMillis: t.env.Now().Add(-keep.Age).UnixMilli(),
	}
}

// ExpireSnapshots removes the snapshots that o lets go and the files that nobody
// needs any more, and returns how many are gone.
func (t *Table) ExpireSnapshots(ctx context.Context, o expire.Options) (int, error) {
	l, err := t.newestLayout(ctx)
	if err != nil {
		return 0, err
	}
	n, err := expire.Expire(ctx, t.expireConfig(l), o)
	if err != nil {
		return n, fmt.Errorf("expire snapshots of table %s: %w", t.Name(), err)
	}
	return n, nil
}

// Retention is what the table's options let expire now.
func (t *Table) Retention(ctx context.Context) (expire.Options, error) {
	l, err := t.newestLayout(ctx)
	if err != nil {
		return expire.Options{}, err
	}
	return t.retention(l), nil
}

func (t *Table) newestLayout(ctx context.Context) (*write.Layout, error) {
	s, err := t.Schema(ctx)
	if err != nil {
		return nil, err
	}
	return t.layoutOf(s)
}

func (t *Table) expireConfig(l *write.Layout) expire.Config {
	return expire.Config{
		Store: t.env.Store, TableDir: t.dir, Snapshots: t.snapshots, Manifests: t.manifests, Paths: l.Paths(),
		IndexBeside: l.Options.File.IndexBesideRow, CleanEmptyDirectories: l.Options.Retention.CleanEmptyDirs,
		Memory: &t.overwrites, Held: t.heldByBranches,
		Warn: func(err error) { t.env.Log.Warn("expire snapshots", "table", t.dir, "warning", err) },
	}
}

// heldByBranches are the snapshots and tags of the table's branches, whose files lie
// among the table's own.
func (t *Table) heldByBranches(ctx context.Context) ([]*snapshot.Snapshot, error) {
	const prefix = "branch-"
	dirs, err := t.env.Store.List(ctx, fileio.Join(t.dir, "branch"))
	if err != nil {
		return nil, err
	}
	var held []*snapshot.Snapshot
	for _, d := range dirs {
		if !d.Dir || !strings.HasPrefix(d.Name, prefix) {
			continue
		}
		m := snapshot.New(t.env.Store, fileio.Join(t.dir, "branch", d.Name))
		all, err := m.All(ctx)
		if err != nil {
			return nil, fmt.Errorf("branch %s: %w", strings.TrimPrefix(d.Name, prefix), err)
		}
		tags, err := m.ListTags(ctx)
		if err != nil {
			return nil, fmt.Errorf("branch %s: %w", strings.TrimPrefix(d.Name, prefix), err)
		}
		held = append(held, all...)
		for _, tag := range tags {
			held = append(held, tag.Snapshot)
		}
	}
	return held, nil
}

// CreateTag names a snapshot, the newest for id 0, so that it does not expire. It
// is kept for retained; 0 takes option tag.default-time-retained, which unset is
// for ever.
func (t *Table) CreateTag(ctx context.Context, name string, id snapshot.ID, retained time.Duration) error {
	l, err := t.newestLayout(ctx)
	if err != nil {
		return err
	}
	if retained == 0 {
		retained = l.Options.Retention.TagAge
	}
	var s *snapshot.Snapshot
	if id == 0 {
		if s, err = t.snapshots.Latest(ctx); err == nil && s == nil {
			err = fmt.Errorf("tag '%s': %w: the table has no snapshot", name, ErrNoVersion)
		}
	} else {
		s, err = t.byID(ctx, id)
	}
	if err != nil {
		return err
	}
	release, err := t.snapshots.Pin(s.ID)
	if err != nil {
		return err
	}
	defer release()
	tag := snapshot.Tag{Name: name, Snapshot: s, Retained: -1}
	if retained > 0 {
		tag.Retained, tag.Created = retained, t.env.Now()
	}
	if err := t.snapshots.CreateTag(ctx, tag); err != nil {
		return err
	}
	gone := t.schemas.Same(ctx, l.Schema)
	if !errors.Is(gone, ErrNotFound) {
		return nil
	}
	// The table was dropped meanwhile: what has come in its place must not have the tag.
	if there, err := t.snapshots.Tag(ctx, name); err != nil || !there.Snapshot.SameCommit(s) {
		return gone
	}
	return errors.Join(gone, t.snapshots.DeleteTag(ctx, name))
}

// DeleteTag removes a tag, and the files that it alone kept.
func (t *Table) DeleteTag(ctx context.Context, name string) error {
	l, err := t.newestLayout(ctx)
	if err != nil {
		return err
	}
	return expire.DeleteTag(ctx, t.expireConfig(l), name)
}

// Tags lists the table's tags by name.
func (t *Table) Tags(ctx context.Context) ([]*snapshot.Tag, error) { return t.snapshots.ListTags(ctx) }

// Snapshots lists the live snapshots, oldest first.
func (t *Table) Snapshots(ctx context.Context) ([]*snapshot.Snapshot, error) {
	return t.snapshots.All(ctx)
}

// Schemas lists all versions of the schema, oldest first.
func (t *Table) Schemas(ctx context.Context) ([]*schema.Schema, error) {
	ids, err := t.schemas.List(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]*schema.Schema, len(ids))
	for i, id := range ids {
		if out[i], err = t.schemas.Get(ctx, id); err != nil {
			return nil, err
		}
	}
	return out, nil
}
