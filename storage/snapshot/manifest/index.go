package manifest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/format/avroschema"
)

// IndexEntry is one line of an index manifest. It is immutable.
type IndexEntry struct {
	Kind      Kind
	Partition []byte
	Bucket    int
	File      datafile.IndexFile
}

// Index types whose combination rules differ, see Combine.
const (
	HashIndex       = "HASH"
	DeletionVectors = "DELETION_VECTORS"
)

const indexVersion = 1

const (
	iVersion = iota + 1
	iKind
	iPartition
	iBucket
	iType
	iName
	iSize
	iRows
	iRanges
	iExternal
	iGlobal
)

var indexShape = &shape{
	members: []string{
		"_VERSION", "_KIND", "_PARTITION", "_BUCKET", "_INDEX_TYPE", "_FILE_NAME", "_FILE_SIZE", "_ROW_COUNT",
		"_DELETIONS_VECTORS_RANGES", "_EXTERNAL_PATH", "_GLOBAL_INDEX",
	},
	required: iRows,
	nested: map[string]*shape{
		"_DELETIONS_VECTORS_RANGES": {members: []string{"f0", "f1", "f2", "_CARDINALITY"}, required: 3},
		"_GLOBAL_INDEX": {
			members: []string{
				"_ROW_RANGE_START", "_ROW_RANGE_END", "_INDEX_FIELD_ID", "_EXTRA_FIELD_IDS", "_INDEX_META", "_SOURCE_META",
			},
			required: 3,
		},
	},
}

var knownIndexSchema = sync.OnceValues(func() (*avroschema.Type, error) { return compile([]byte(indexSchema), indexShape) })

func readIndexEntries(n *avroschema.Type, dst []IndexEntry, count int, d *decoder) ([]IndexEntry, error) {
	for range count {
		rec := d.record(n)
		if rec == nil {
			d.fail("a null entry")
			return nil, d.err
		}
		var e IndexEntry
		for i := range rec.Fields {
			f := &rec.Fields[i]
			switch f.Tag {
			case iVersion:
				if v, _ := d.long(f.Type); v != indexVersion {
					d.fail("index entry version %d, known is %d", v, indexVersion)
				}
			case iKind:
				k, _ := d.long(f.Type)
				if k != int64(Add) && k != int64(Delete) {
					d.fail("entry kind %d", k)
				}
				e.Kind = Kind(k)
			case iPartition:
				e.Partition = d.bytes(f.Type)
			case iBucket:
				e.Bucket = d.int32(f.Type)
			case iType:
				e.File.Type = d.text(f.Type)
			case iName:
				e.File.Name = d.text(f.Type)
			case iSize:
				e.File.SizeBytes, _ = d.long(f.Type)
			case iRows:
				e.File.RowCount, _ = d.long(f.Type)
			case iRanges:
				e.File.Vectors = d.vectorRanges(f.Type)
			case iExternal:
				e.File.ExternalPath = d.text(f.Type)
			case iGlobal:
				e.File.Global = d.globalIndex(f.Type)
			default:
				d.skip(f.Type)
			}
		}
		if d.err == nil && (!plainName(e.File.Name) || e.File.SizeBytes < 0 || e.Partition == nil) {
			d.fail("index file %q of %d bytes", e.File.Name, e.File.SizeBytes)
		}
		if d.err != nil {
			return nil, d.err
		}
		dst = append(dst, e)
	}
	return dst, nil
}

func (d *decoder) vectorRanges(n *avroschema.Type) []datafile.VectorRange {
	a := d.array(n)
	if a == nil {
		return nil
	}
	list := []datafile.VectorRange{}
	for {
		count := d.blockCount()
		if count == 0 {
			return list
		}
		for ; count > 0 && d.err == nil; count-- {
			rec := d.record(a.Items)
			if rec == nil {
				continue // a null item says nothing
			}
			r := datafile.VectorRange{Cardinality: datafile.Unknown}
			for i := range rec.Fields {
				f := &rec.Fields[i]
				switch f.Tag {
				case 1:
					r.DataFile = d.text(f.Type)
				case 2:
					r.Offset = int32(d.int32(f.Type))
				case 3:
					r.Length = int32(d.int32(f.Type))
				case 4:
					if v, ok := d.long(f.Type); ok {
						r.Cardinality = v
					}
				default:
					d.skip(f.Type)
				}
			}
			list = append(list, r)
		}
	}
}

func (d *decoder) globalIndex(n *avroschema.Type) *datafile.GlobalIndex {
	rec := d.record(n)
	if rec == nil {
		return nil
	}
	g := &datafile.GlobalIndex{}
	for i := range rec.Fields {
		f := &rec.Fields[i]
		switch f.Tag {
		case 1:
			g.RowRangeStart, _ = d.long(f.Type)
		case 2:
			g.RowRangeEnd, _ = d.long(f.Type)
		case 3:
			g.FieldID = int32(d.int32(f.Type))
		case 4:
			if a := d.array(f.Type); a != nil {
				g.ExtraFieldIDs = []int32{}
				for _, v := range d.longs(nil, a, math.MaxInt64) {
					if v < math.MinInt32 || v > math.MaxInt32 {
						d.fail("field id %d", v)
					}
					g.ExtraFieldIDs = append(g.ExtraFieldIDs, int32(v))
				}
			}
		case 5:
			g.Meta = d.bytes(f.Type)
		case 6:
			g.SourceMeta = d.bytes(f.Type)
		default:
			d.skip(f.Type)
		}
	}
	return g
}

func appendIndexEntry(dst []byte, e *IndexEntry) []byte {
	dst = appendLong(dst, indexVersion)
	dst = appendLong(dst, int64(e.Kind))
	dst = appendBytes(dst, e.Partition)
	dst = appendLong(dst, int64(e.Bucket))
	dst = appendText(dst, e.File.Type)
	dst = appendText(dst, e.File.Name)
	dst = appendLong(dst, e.File.SizeBytes)
	dst = appendLong(dst, e.File.RowCount)
	if e.File.Vectors == nil {
		dst = append(dst, 0)
	} else {
		dst = append(dst, 2)
		if len(e.File.Vectors) > 0 {
			dst = appendLong(dst, int64(len(e.File.Vectors)))
			for i := range e.File.Vectors {
				r := &e.File.Vectors[i]
				dst = appendText(append(dst, 2), r.DataFile)
				dst = appendLong(dst, int64(r.Offset))
				dst = appendLong(dst, int64(r.Length))
				dst = appendOptLong(dst, r.Cardinality, datafile.Unknown)
			}
		}
		dst = append(dst, 0)
	}
	dst = appendOptText(dst, e.File.ExternalPath)
	g := e.File.Global
	if g == nil {
		return append(dst, 0)
	}
	dst = appendLong(append(dst, 2), g.RowRangeStart)
	dst = appendLong(dst, g.RowRangeEnd)
	dst = appendLong(dst, int64(g.FieldID))
	if g.ExtraFieldIDs == nil {
		dst = append(dst, 0)
	} else {
		ids := make([]int64, len(g.ExtraFieldIDs))
		for i, v := range g.ExtraFieldIDs {
			ids[i] = int64(v)
		}
		dst = appendLongs(append(dst, 2), ids)
	}
	return appendOptBytes(appendOptBytes(dst, g.Meta), g.SourceMeta)
}

// decodeIndex decodes an index manifest file.
func decodeIndex(ctx context.Context, data []byte, plans *plans) ([]IndexEntry, error) {
	if bytes.HasPrefix(data, []byte(parquetMagic)) {
		return decodeParquetIndex(ctx, data)
	}
	c, n, err := openWith(data, plans, indexSchema, knownIndexSchema, indexShape)
	if err != nil {
		return nil, err
	}
	var list []IndexEntry
	err = c.blocks(func(count int, d *decoder) error {
		list, err = readIndexEntries(n, list, count, d)
		return err
	})
	return list, err
}

// indexKey is what at most one index file of a table may have.
type indexKey struct {
	partition string
	bucket    int
	name      string // index type, or file name where several files may stand beside another
}

// Combine applies changes to the index files of a table and returns the new
// complete set, all ADD entries. Hash indexes, and deletion vectors of bucketed
// tables, are at most one per partition, bucket and type: an ADD replaces. Vector
// files of unaware-bucket tables and global indexes are known by their names: a
// DELETE of one that is not there, an ADD of one that is, and two vectors for one
// data file are errors.
func Combine(current, changes []IndexEntry, unaware bool) ([]IndexEntry, error) {
	single := func(e *IndexEntry) bool {
		return e.File.Global == nil && (e.File.Type == HashIndex || e.File.Type == DeletionVectors && !unaware)
	}
	keyOf := func(e *IndexEntry) indexKey {
		if single(e) {
			return indexKey{string(e.Partition), e.Bucket, "type " + e.File.Type}
		}
		return indexKey{name: "file " + e.File.Name}
	}
	at := map[indexKey]int{}
	list := make([]IndexEntry, 0, len(current)+len(changes))
	for i := range current {
		if current[i].Kind == Delete {
			return nil, corrupt.Errorf("", corrupt.NoOffset, "index manifest holds a DELETE entry of %s", current[i].File.Name)
		}
		at[keyOf(&current[i])] = len(list)
		list = append(list, current[i])
	}
	gone := map[int]bool{}
	for pass, kind := range []Kind{Delete, Add} { // deletes first
		for i := range changes {
			e := &changes[i]
			if e.Kind != kind {
				continue
			}
			key := keyOf(e)
			pos, there := at[key]
			switch {
			case pass == 0 && there:
				gone[pos] = true
				delete(at, key)
			case pass == 0:
				if !single(e) {
					return nil, fmt.Errorf("index file %s to delete is not there", e.File.Name)
				}
			case there && single(e):
				list[pos] = *e
			case there:
				return nil, fmt.Errorf("index file %s to add is there already", e.File.Name)
			default:
				at[key] = len(list)
				list = append(list, *e)
			}
		}
	}
	kept := list[:0]
	for i := range list {
		if !gone[i] {
			kept = append(kept, list[i])
		}
	}
	return kept, checkVectors(kept)
}

// checkVectors refuses two deletion vectors of one data file.
func checkVectors(list []IndexEntry) error {
	seen := map[indexKey]string{}
	for i := range list {
		e := &list[i]
		for _, r := range e.File.Vectors {
			key := indexKey{string(e.Partition), e.Bucket, r.DataFile}
			if other, ok := seen[key]; ok {
				return fmt.Errorf("index files %s and %s both hold a deletion vector of %s", other, e.File.Name, r.DataFile)
			}
			seen[key] = e.File.Name
		}
	}
	return nil
}
