package inspect

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot/manifest"
)

// container prints an Avro file: metadata, told by its schema, or data.
func (p *printer) container(ctx context.Context, head []byte) error {
	switch {
	case bytes.Contains(head, []byte(`"_NUM_ADDED_FILES"`)):
		return p.list(ctx)
	case bytes.Contains(head, []byte(`"_INDEX_TYPE"`)):
		return p.index(ctx)
	case bytes.Contains(head, []byte(`"_TOTAL_BUCKETS"`)):
		return p.manifest(ctx)
	}
	return p.dataFile(ctx, "avro")
}

// parquet prints a Parquet file: a manifest of an older release, or data.
func (p *printer) parquet(ctx context.Context) error {
	switch {
	case strings.HasPrefix(p.name, "manifest-list-"):
		return p.list(ctx)
	case strings.HasPrefix(p.name, "index-manifest-"):
		return p.index(ctx)
	case strings.HasPrefix(p.name, "manifest-"):
		return p.manifest(ctx)
	}
	return p.dataFile(ctx, "parquet")
}

// oneFile is a store in which every path is one file, so that a manifest can be
// read from wherever it lies.
type oneFile struct {
	fileio.Store
	path string
}

func (s oneFile) Open(ctx context.Context, _ string) (fileio.File, error) {
	return s.Store.Open(ctx, s.path)
}

func (p *printer) files() *manifest.Files {
	return manifest.NewFiles(oneFile{p.Store, p.path}, "", manifest.NewCache(-1))
}

// list prints a manifest list.
func (p *printer) list(ctx context.Context) error {
	metas, err := p.files().List(ctx, p.name, -1)
	if err != nil {
		return err
	}
	p.linef("manifest list of %d manifests", len(metas))
	for i := range metas {
		m := &metas[i]
		p.linef("%s: %d bytes, %d added, %d deleted, schema %d", m.Name, m.SizeBytes, m.NumAdded, m.NumDeleted, m.SchemaID)
		if m.HasBuckets {
			p.linef("  buckets %d … %d", m.MinBucket, m.MaxBucket)
		}
		if m.HasLevels {
			p.linef("  levels %d … %d", m.MinLevel, m.MaxLevel)
		}
		if m.MinRowID != datafile.Unknown {
			p.linef("  row ids %d … %d", m.MinRowID, m.MaxRowID)
		}
		switch {
		case !m.HasBounds():
		case p.table == nil:
			p.linef("  partitions %s … %s", hexRow(m.Partitions.Min), hexRow(m.Partitions.Max))
		case len(p.table.latest.PartitionKeys) > 0:
			s := p.table.latest
			p.linef("  partitions %s", showStats(s.FieldsOf(s.PartitionIndexes()), nil, m.Partitions))
		}
	}
	return nil
}

// manifest prints a manifest.
func (p *printer) manifest(ctx context.Context) error {
	entries, err := p.files().Entries(ctx, p.name, -1)
	if err != nil {
		return err
	}
	p.linef("manifest of %d entries", len(entries))
	for i := range entries {
		p.entry(ctx, &entries[i])
	}
	return nil
}

func (p *printer) entry(ctx context.Context, e *manifest.Entry) {
	m := e.File
	p.linef("%s %s: %d bytes, %d rows, level %d, schema %d", e.Kind, m.Name, m.SizeBytes, m.RowCount, m.Level, m.SchemaID)
	p.linef("  partition %s, bucket %d of %d", p.table.partition(e.Partition), e.Bucket, e.TotalBuckets)
	text := fmt.Sprintf("  sequence numbers %d … %d", m.MinSequence, m.MaxSequence)
	if m.DeleteRowCount != datafile.Unknown {
		text += fmt.Sprintf(", %d deletes", m.DeleteRowCount)
	}
	switch m.Source {
	case datafile.FromAppend:
		text += ", from a write"
	case datafile.FromCompact:
		text += ", from a compaction"
	}
	if m.CreationMillis != datafile.Unknown {
		text += ", created " + millis(m.CreationMillis)
	}
	p.linef("%s", text)
	s := p.table.schema(ctx, m.SchemaID)
	p.statistics(s, m)
	for _, x := range m.ExtraFiles {
		p.linef("  extra file %s", x)
	}
	if m.EmbeddedIndex != nil {
		p.linef("  embedded index of %d bytes", len(m.EmbeddedIndex))
	}
	if m.ExternalPath != "" {
		p.linef("  at %s", m.ExternalPath)
	}
	if m.FirstRowID != datafile.Unknown {
		p.linef("  first row id %d", m.FirstRowID)
	}
	if m.WriteCols != nil {
		p.linef("  columns %s", strings.Join(m.WriteCols, ", "))
	}
}

// statistics prints keys and bounds; s is nil when the schema is not known.
func (p *printer) statistics(s *schema.Schema, m *datafile.Meta) {
	if s == nil {
		p.linef("  keys %s … %s", hexRow(m.MinKey), hexRow(m.MaxKey))
		return
	}
	if s.HasPrimaryKey() {
		keys := s.FieldsOf(s.KeyIndexes())
		p.linef("  keys %s … %s", showRow(keys, m.MinKey), showRow(keys, m.MaxKey))
		p.linef("  key statistics: %s", showStats(keys, nil, m.KeyStats))
	}
	p.linef("  value statistics: %s", showStats(s.Fields, m.ValueStatsCols, m.ValueStats))
}

// index prints an index manifest.
func (p *printer) index(ctx context.Context) error {
	entries, err := p.files().Index(ctx, p.name)
	if err != nil {
		return err
	}
	p.linef("index manifest of %d entries", len(entries))
	for i := range entries {
		e := &entries[i]
		p.linef("%s %s %s: %d bytes, %d rows", e.Kind, e.File.Type, e.File.Name, e.File.SizeBytes, e.File.RowCount)
		p.linef("  partition %s, bucket %d", p.table.partition(e.Partition), e.Bucket)
		for _, r := range e.File.Vectors {
			text := fmt.Sprintf("  vector of %s at %d, length %d", r.DataFile, r.Offset, r.Length)
			if r.Cardinality != datafile.Unknown {
				text += fmt.Sprintf(", %d rows", r.Cardinality)
			}
			p.linef("%s", text)
		}
		if g := e.File.Global; g != nil {
			p.linef("  of column id %d, row ids %d … %d", g.FieldID, g.RowRangeStart, g.RowRangeEnd)
		}
		if e.File.ExternalPath != "" {
			p.linef("  at %s", e.File.ExternalPath)
		}
	}
	return nil
}
