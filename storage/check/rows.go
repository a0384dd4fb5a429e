package check

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileindex"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// fileKey names a data file with what a manifest says of it: an upgrade repeats
// both at another level.
type fileKey struct {
	path string
	meta uint64
}

func keyOf(path string, e *manifest.Entry) fileKey {
	m := e.File
	h := fnv.New64a()
	number := func(vs ...int64) {
		var b [8]byte
		for _, v := range vs {
			binary.LittleEndian.PutUint64(b[:], uint64(v))
			h.Write(b[:])
		}
	}
	number(int64(e.Bucket), int64(e.TotalBuckets), m.SizeBytes, m.RowCount, m.MinSequence, m.MaxSequence, m.SchemaID,
		m.DeleteRowCount, m.FirstRowID, int64(len(m.ValueStatsCols)), int64(len(m.ExtraFiles)))
	number(m.KeyStats.NullCounts...)
	number(m.ValueStats.NullCounts...)
	for _, p := range [][]byte{m.MinKey, m.MaxKey, m.KeyStats.Min, m.KeyStats.Max, m.ValueStats.Min, m.ValueStats.Max, m.EmbeddedIndex} {
		number(int64(len(p)))
		h.Write(p)
	}
	for _, list := range [][]string{m.ValueStatsCols, m.ExtraFiles, m.WriteCols} {
		for _, s := range list {
			h.Write([]byte(s))
			h.Write([]byte{0})
		}
	}
	return fileKey{path, h.Sum64()}
}

// dataFile checks a data file or a changelog file, once for all that name it.
func (b *branch) dataFile(ctx context.Context, e *manifest.Entry, changelog bool) error {
	path, err := b.paths.File(e.Partition, e.Bucket, e.File)
	if err != nil {
		b.fault(b.checker.dir, "data file %s: %v", e.File.Name, err)
		return nil
	}
	key := keyOf(path, e)
	if _, ok := b.files[key]; ok {
		return nil
	}
	b.files[key] = struct{}{}
	b.counts.dataFiles++
	if err := b.extraFiles(ctx, e); err != nil {
		return err
	}
	f, found, err := b.paths.Open(ctx, b.cfg.Store, e.Partition, e.Bucket, e.File)
	b.use(found)
	if err != nil {
		return b.unreadable(ctx, found, err)
	}
	err = b.content(ctx, f, found, e, changelog)
	return errors.Join(err, f.Close())
}

// content checks what is in an open data file.
func (b *branch) content(ctx context.Context, f fileio.File, path string, e *manifest.Entry, changelog bool) error {
	if f.SizeBytes() != e.File.SizeBytes {
		b.fault(path, "the file has %d bytes, the manifest says %d", f.SizeBytes(), e.File.SizeBytes)
		return nil
	}
	s := b.schemas[e.File.SchemaID]
	if b.cfg.MetadataOnly || s == nil {
		return nil // a missing schema was told with the manifest's entry
	}
	name, err := datafile.FormatOf(e.File.Name)
	if err != nil {
		b.fault(path, "%v", err)
		return nil
	}
	fm, ok := b.cfg.Formats[name]
	switch {
	case !ok:
		b.note(path, "files of format %s are not opened", name)
		return nil
	case e.File.WriteCols != nil:
		b.note(path, "it holds some columns of its rows only (data evolution), which is not looked at")
		return nil
	}
	v, err := b.newRows(s, e, changelog)
	if err != nil {
		b.fault(path, "%v", err)
		return nil
	}
	return b.readRows(ctx, fm, f, path, v)
}

func (b *branch) readRows(ctx context.Context, fm format.Format, f fileio.File, path string, v *rows) error {
	r, err := fm.Open(ctx, f, path, format.ReadOptions{Fields: v.fields})
	if err != nil {
		return b.unreadable(ctx, path, err)
	}
	for {
		var batch *columnar.Batch
		if batch, err = r.Next(ctx); err != nil {
			break
		}
		batch = batch.Compact()
		b.counts.rows += int64(batch.N)
		v.add(batch)
	}
	if errors.Is(err, io.EOF) {
		err = nil
		v.finish()
	}
	if err = errors.Join(err, r.Close()); err != nil {
		return b.unreadable(ctx, path, err)
	}
	for _, what := range v.faults {
		b.fault(path, "%s", what)
	}
	for _, what := range v.notes {
		b.note(path, "%s", what)
	}
	return nil
}

// extraFiles checks the files beside a data file.
func (b *branch) extraFiles(ctx context.Context, e *manifest.Entry) error {
	for _, name := range e.File.ExtraFiles {
		path, err := b.paths.Beside(e.Partition, e.Bucket, e.File, name)
		if err != nil {
			b.fault(b.checker.dir, "extra file %s: %v", name, err)
			continue
		}
		if err := b.fileIndex(ctx, path, e.File.Name); err != nil {
			return err
		}
	}
	if len(e.File.EmbeddedIndex) > 0 {
		if _, err := fileindex.Decode(e.File.EmbeddedIndex, e.File.Name); err != nil {
			b.fault(b.checker.dir, "index inside the entry of data file %s: %v", e.File.Name, err)
		}
	}
	return nil
}

// keyColumns are the places of the key columns in the schema of a file.
func keyColumns(s *schema.Schema, keyed bool) (keys []int, err error) {
	if !keyed {
		return nil, nil
	}
	keys = s.KeyIndexes()
	for i, k := range keys {
		if k < 0 {
			return nil, fmt.Errorf("schema %d has no column %s of the primary key", s.ID, s.TrimmedPrimaryKeys()[i])
		}
	}
	return keys, nil
}
