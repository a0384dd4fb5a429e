package manifest

import (
	"bytes"
	"context"
	"sync"

	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/format/avroschema"
	"github.com/lakesql/lakesql/storage/stats"
)

// FileMeta is one line of a manifest list: a manifest and what it holds. It is
// immutable.
type FileMeta struct {
	Name       string
	SizeBytes  int64
	NumAdded   int64        // ADD entries
	NumDeleted int64        // DELETE entries
	Partitions stats.Binary // bounds of all partition columns; empty when unpartitioned
	SchemaID   int64        // highest of the entries

	HasBuckets           bool // older releases do not record the next four
	MinBucket, MaxBucket int
	HasLevels            bool
	MinLevel, MaxLevel   int
	MinRowID, MaxRowID   int64 // datafile.Unknown unless every entry has a first row id
}

// HasBounds reports whether the partition bounds are recorded.
func (m *FileMeta) HasBounds() bool { return len(m.Partitions.Min) > 0 && len(m.Partitions.Max) > 0 }

const (
	lVersion = iota + 1
	lName
	lSize
	lAdded
	lDeleted
	lPartitions
	lSchema
	lMinBucket
	lMaxBucket
	lMinLevel
	lMaxLevel
	lMinRow
	lMaxRow
)

var listShape = &shape{
	members: []string{
		"_VERSION", "_FILE_NAME", "_FILE_SIZE", "_NUM_ADDED_FILES", "_NUM_DELETED_FILES", "_PARTITION_STATS", "_SCHEMA_ID",
		"_MIN_BUCKET", "_MAX_BUCKET", "_MIN_LEVEL", "_MAX_LEVEL", "_MIN_ROW_ID", "_MAX_ROW_ID",
	},
	required: lDeleted,
	nested:   map[string]*shape{"_PARTITION_STATS": statsShape},
}

var knownListSchema = sync.OnceValues(func() (*avroschema.Type, error) { return compile([]byte(listSchema), listShape) })

func readFileMetas(n *avroschema.Type, dst []FileMeta, count int, d *decoder) ([]FileMeta, error) {
	ed := &entryDecoder{d: d}
	for range count {
		rec := d.record(n)
		if rec == nil {
			d.fail("a null record")
			return nil, d.err
		}
		m := FileMeta{MinRowID: datafile.Unknown, MaxRowID: datafile.Unknown}
		bounds := 0 // how many of the four were there
		number := func(n *avroschema.Type) int {
			v, ok := d.long(n)
			if ok {
				bounds++
			}
			return int(v)
		}
		for i := range rec.Fields {
			f := &rec.Fields[i]
			switch f.Tag {
			case lVersion:
				if v, _ := d.long(f.Type); v != entryVersion {
					d.fail("manifest list version %d, known is %d", v, entryVersion)
				}
			case lName:
				m.Name = d.text(f.Type)
			case lSize:
				m.SizeBytes, _ = d.long(f.Type)
			case lAdded:
				m.NumAdded, _ = d.long(f.Type)
			case lDeleted:
				m.NumDeleted, _ = d.long(f.Type)
			case lPartitions:
				m.Partitions = ed.stats(f.Type)
			case lSchema:
				m.SchemaID, _ = d.long(f.Type)
			case lMinBucket:
				m.MinBucket = number(f.Type)
			case lMaxBucket:
				m.MaxBucket = number(f.Type)
				m.HasBuckets, bounds = bounds == 2, 0
			case lMinLevel:
				m.MinLevel = number(f.Type)
			case lMaxLevel:
				m.MaxLevel = number(f.Type)
				m.HasLevels, bounds = bounds == 2, 0
			case lMinRow:
				if v, ok := d.long(f.Type); ok {
					m.MinRowID = v
				}
			case lMaxRow:
				if v, ok := d.long(f.Type); ok {
					m.MaxRowID = v
				}
			default:
				d.skip(f.Type)
			}
		}
		if d.err == nil && (!plainName(m.Name) || m.SizeBytes < 0 || m.NumAdded < 0 || m.NumDeleted < 0) {
			d.fail("manifest %q of %d bytes, %d added, %d deleted", m.Name, m.SizeBytes, m.NumAdded, m.NumDeleted)
		}
		if d.err != nil {
			return nil, d.err
		}
		dst = append(dst, m)
	}
	return dst, nil
}

func appendFileMeta(dst []byte, m *FileMeta) []byte {
	dst = appendLong(dst, entryVersion)
	dst = appendText(dst, m.Name)
	dst = appendLong(dst, m.SizeBytes)
	dst = appendLong(dst, m.NumAdded)
	dst = appendLong(dst, m.NumDeleted)
	dst = appendStats(dst, m.Partitions)
	dst = appendLong(dst, m.SchemaID)
	for _, b := range []struct {
		has      bool
		min, max int
	}{{m.HasBuckets, m.MinBucket, m.MaxBucket}, {m.HasLevels, m.MinLevel, m.MaxLevel}} {
		if !b.has {
			dst = append(dst, 0, 0)
			continue
		}
		dst = appendLong(append(dst, 2), int64(b.min))
		dst = appendLong(append(dst, 2), int64(b.max))
	}
	dst = appendOptLong(dst, m.MinRowID, datafile.Unknown)
	return appendOptLong(dst, m.MaxRowID, datafile.Unknown)
}

// decodeList decodes a manifest list file.
func decodeList(ctx context.Context, data []byte, plans *plans) ([]FileMeta, error) {
	if bytes.HasPrefix(data, []byte(parquetMagic)) {
		return decodeParquetList(ctx, data)
	}
	c, n, err := openWith(data, plans, listSchema, knownListSchema, listShape)
	if err != nil {
		return nil, err
	}
	var list []FileMeta
	err = c.blocks(func(count int, d *decoder) error {
		list, err = readFileMetas(n, list, count, d)
		return err
	})
	return list, err
}
