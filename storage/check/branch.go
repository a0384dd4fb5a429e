package check

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/types"
)

const branchPrefix = "branch-"

// branch is the metadata of one branch: its schemas and snapshots. The files that
// they name lie in the table's directory.
type branch struct {
	*checker
	dir       string
	snapshots *snapshot.Manager
	schemas   map[int64]*schema.Schema // those that can be read

	latest     *schema.Schema
	opts       options.Table
	mode       schema.Mode
	paths      *datafile.Paths
	partitions []types.Type
	keys       []types.Type

	// hashes are those of the hash index of the bucket whose files are looked at,
	// sorted; nil: the keys are not held against an index.
	hashes *hashSet
}

// branches lists the names of the table's branches.
func (k *checker) branches(ctx context.Context) ([]string, error) {
	infos, err := k.cfg.Store.List(ctx, fileio.Join(k.dir, "branch"))
	if err != nil {
		return nil, k.unreadable(ctx, fileio.Join(k.dir, "branch"), err)
	}
	var names []string
	for _, info := range infos {
		if name, ok := strings.CutPrefix(info.Name, branchPrefix); ok && info.Dir && name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// branch checks the branch whose metadata is in dir; name "" is the main one.
func (k *checker) branch(ctx context.Context, dir, name string) error {
	b := &branch{checker: k, dir: dir, snapshots: snapshot.New(k.cfg.Store, dir), schemas: map[int64]*schema.Schema{}}
	if err := b.readSchemas(ctx); err != nil {
		if errors.Is(err, schema.ErrNoSchema) && name != "" {
			k.fault(dir, "branch %s has no schema", name)
			return nil
		}
		return err
	}
	if b.latest == nil {
		return nil // none could be read, which was reported
	}
	if err := b.prepare(); err != nil {
		k.fault(schema.New(k.cfg.Store, dir).Path(b.latest.ID), "%v", err)
		return nil
	}
	return b.versions(ctx)
}

// readSchemas reads all schema files and checks that their ids are dense.
func (b *branch) readSchemas(ctx context.Context) error {
	files := schema.New(b.cfg.Store, b.dir)
	infos, err := b.cfg.Store.List(ctx, fileio.Join(b.dir, "schema"))
	if err != nil {
		return b.unreadable(ctx, fileio.Join(b.dir, "schema"), err)
	}
	next, any := int64(0), false
	ids, err := files.List(ctx)
	if err != nil {
		return b.unreadable(ctx, fileio.Join(b.dir, "schema"), err)
	}
	for _, info := range infos {
		if _, ok := schema.ParseFileName(info.Name); !ok && strings.HasPrefix(info.Name, "schema-") {
			b.fault(fileio.Join(b.dir, "schema", info.Name), "the name is not that of a schema file: other engines refuse the table")
		}
	}
	for _, id := range ids {
		any = true
		if id != next {
			b.fault(files.Path(id), "schema %d is missing before it", next)
		}
		next = id + 1
		s, err := files.Get(ctx, id)
		if err != nil {
			if err := b.unreadable(ctx, files.Path(id), err); err != nil {
				return err
			}
			continue
		}
		b.counts.schemas++
		b.schema(files.Path(id), s)
		b.schemas[id] = s
		b.latest = s
	}
	if !any {
		return fmt.Errorf("%w: %s", schema.ErrNoSchema, b.dir)
	}
	if b.latest != nil && b.latest.ID != ids[len(ids)-1] {
		b.latest = nil // the newest one, by which everything is read, is damaged
	}
	return nil
}

// schema checks one schema by itself.
func (b *branch) schema(path string, s *schema.Schema) {
	if high := types.MaxFieldID(s.Fields); high > s.HighestFieldID {
		b.fault(path, "column id %d is above the highest one on record, %d", high, s.HighestFieldID)
	}
	ids := map[int]string{}
	note := func(f *types.Field) {
		if other, ok := ids[f.ID]; ok {
			b.fault(path, "columns %s and %s have the same id %d", other, f.Name, f.ID)
		}
		ids[f.ID] = f.Name
	}
	for i := range s.Fields {
		note(&s.Fields[i])
		s.Fields[i].Type.Walk(note)
	}
	if _, err := s.Table(); err != nil {
		b.fault(path, "%v", err)
	}
}

// prepare derives from the newest schema what the checks of files need.
func (b *branch) prepare() error {
	var err error
	if b.opts, err = b.latest.Table(); err != nil {
		return err
	}
	b.mode = b.latest.Mode(b.opts.Bucket.Count)
	b.partitions, b.keys = b.latest.PartitionTypes(), b.latest.KeyTypes()
	b.paths, err = datafile.NewPaths(datafile.PathConfig{
		TableDir: b.checker.dir, DataDirectory: b.opts.File.Directory,
		PartitionFields: b.latest.FieldsOf(b.latest.PartitionIndexes()),
		DefaultName:     b.opts.Partition.DefaultName, PlainNames: !b.opts.Partition.LegacyName,
	})
	return err
}
