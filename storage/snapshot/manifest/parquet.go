package manifest

import (
	"bytes"
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/stats"
)

// Releases up to 2.0 could write manifests as Parquet (option manifest.format).
// They are rare, so they are read through the array library by column name, row
// by row.

const parquetMagic = "PAR1"

// parquetRows calls do with every row of a Parquet file.
func parquetRows(ctx context.Context, data []byte, do func(columns) error) (err error) {
	defer func() {
		if r := recover(); r != nil { // the library panics on some damage
			err = corrupt.Errorf("", corrupt.NoOffset, "parquet manifest: %v", r)
		}
	}()
	r, err := file.NewParquetReader(bytes.NewReader(data), file.WithReadProps(parquet.NewReaderProperties(memory.DefaultAllocator)))
	if err != nil {
		return corrupt.Errorf("", corrupt.NoOffset, "parquet manifest: %w", err)
	}
	fr, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		return corrupt.Errorf("", corrupt.NoOffset, "parquet manifest: %w", err)
	}
	table, err := fr.ReadTable(ctx)
	if err != nil {
		return corrupt.Errorf("", corrupt.NoOffset, "parquet manifest: %w", err)
	}
	defer table.Release()
	tr := array.NewTableReader(table, 0)
	defer tr.Release()
	for tr.Next() {
		rec := tr.RecordBatch()
		cols := columns{}
		for i, f := range rec.Schema().Fields() {
			cols[f.Name] = rec.Column(i)
		}
		for row := range int(rec.NumRows()) {
			if err := do(cols.at(row)); err != nil {
				return err
			}
		}
	}
	return tr.Err()
}

// columns are the members of a record by name.
type columns map[string]arrow.Array

// at binds the members to one row: each becomes a slice of one element.
func (c columns) at(row int) columns {
	bound := make(columns, len(c))
	for name, a := range c {
		bound[name] = array.NewSlice(a, int64(row), int64(row)+1)
	}
	return bound
}

func (c columns) null(name string) bool {
	a, ok := c[name]
	return !ok || a.IsNull(0)
}

// record returns the members of a nested record, nil for null.
func (c columns) record(name string) columns {
	if c.null(name) {
		return nil
	}
	return recordAt(c[name], 0)
}

func recordAt(a arrow.Array, i int) columns {
	s, ok := a.(*array.Struct)
	if !ok || s.IsNull(i) {
		return nil
	}
	members := columns{}
	for k, f := range s.DataType().(*arrow.StructType).Fields() {
		// Field gives the members of the slice's rows.
		members[f.Name] = s.Field(k)
	}
	return members.at(i)
}

// long returns a number, absent for null; an error for another type.
func (c columns) long(name string, absent int64) (int64, error) {
	if c.null(name) {
		return absent, nil
	}
	return longAt(c[name], 0, name)
}

func longAt(a arrow.Array, i int, name string) (int64, error) {
	switch a := a.(type) {
	case *array.Int8:
		return int64(a.Value(i)), nil
	case *array.Int32:
		return int64(a.Value(i)), nil
	case *array.Int64:
		return a.Value(i), nil
	case *array.Timestamp:
		return int64(a.Value(i)), nil
	}
	return 0, corrupt.Errorf("", corrupt.NoOffset, "member %s is of type %s", name, a.DataType())
}

// bytes returns bytes or text, nil for null.
func (c columns) bytes(name string) ([]byte, error) {
	if c.null(name) {
		return nil, nil
	}
	switch a := c[name].(type) {
	case *array.Binary:
		return append([]byte{}, a.Value(0)...), nil
	case *array.String:
		return []byte(a.Value(0)), nil
	}
	return nil, corrupt.Errorf("", corrupt.NoOffset, "member %s is of type %s", name, c[name].DataType())
}

// items returns the array of a list and the range of the row's items.
func (c columns) items(name string) (a arrow.Array, from, to int) {
	if c.null(name) {
		return nil, 0, 0
	}
	l, ok := c[name].(*array.List)
	if !ok {
		return nil, 0, 0
	}
	start, end := l.ValueOffsets(0)
	return l.ListValues(), int(start), int(end)
}

func (c columns) longs(name string, nullItem int64) ([]int64, error) {
	a, from, to := c.items(name)
	if a == nil {
		return nil, nil
	}
	list := make([]int64, 0, to-from)
	for i := from; i < to; i++ {
		v := nullItem
		if !a.IsNull(i) {
			var err error
			if v, err = longAt(a, i, name); err != nil {
				return nil, err
			}
		}
		list = append(list, v)
	}
	return list, nil
}

func (c columns) texts(name string) ([]string, error) {
	a, from, to := c.items(name)
	if a == nil {
		return nil, nil
	}
	s, ok := a.(*array.String)
	if !ok {
		return nil, corrupt.Errorf("", corrupt.NoOffset, "items of %s are of type %s", name, a.DataType())
	}
	list := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		list = append(list, s.Value(i))
	}
	return list, nil
}

// read reads one member into where dst points, unless an earlier one failed.
func (c columns) read(err *error, name string, dst any) {
	if *err != nil {
		return
	}
	switch p := dst.(type) {
	case *int64:
		*p, *err = c.long(name, datafile.Unknown)
	case *int:
		var v int64
		v, *err = c.long(name, 0)
		*p = int(int32(v))
	case *int32:
		var v int64
		v, *err = c.long(name, 0)
		*p = int32(v)
	case *string:
		var b []byte
		b, *err = c.bytes(name)
		*p = string(b)
	case *[]byte:
		*p, *err = c.bytes(name)
	case *[]string:
		*p, *err = c.texts(name)
	case *[]int64:
		*p, *err = c.longs(name, -1)
	case *stats.Binary:
		if r := c.record(name); r != nil {
			r.read(err, "_MIN_VALUES", &p.Min)
			r.read(err, "_MAX_VALUES", &p.Max)
			r.read(err, "_NULL_COUNTS", &p.NullCounts)
		}
	default:
		*err = fmt.Errorf("member %s cannot be read into %T", name, dst)
	}
}

// version checks a record's version member.
func (c columns) version(want int64) error {
	v, err := c.long("_VERSION", 0)
	if err == nil && v != want {
		err = corrupt.Errorf("", corrupt.NoOffset, "record version %d, known is %d", v, want)
	}
	return err
}

func decodeParquetEntries(ctx context.Context, data []byte) ([]Entry, error) {
	var list []Entry
	err := parquetRows(ctx, data, func(c columns) error {
		err := c.version(entryVersion)
		var e Entry
		var kind, source int64
		c.read(&err, "_KIND", &kind)
		c.read(&err, "_PARTITION", &e.Partition)
		c.read(&err, "_BUCKET", &e.Bucket)
		c.read(&err, "_TOTAL_BUCKETS", &e.TotalBuckets)
		f := c.record("_FILE")
		if err == nil && (f == nil || e.Partition == nil || kind < 0 || kind > 1) {
			err = corrupt.Errorf("", corrupt.NoOffset, "an entry without file or partition, or of kind %d", kind)
		}
		if err != nil {
			return err
		}
		m := &datafile.Meta{}
		for _, r := range []struct {
			name string
			dst  any
		}{
			{"_FILE_NAME", &m.Name}, {"_FILE_SIZE", &m.SizeBytes}, {"_ROW_COUNT", &m.RowCount},
			{"_MIN_KEY", &m.MinKey}, {"_MAX_KEY", &m.MaxKey}, {"_KEY_STATS", &m.KeyStats}, {"_VALUE_STATS", &m.ValueStats},
			{"_MIN_SEQUENCE_NUMBER", &m.MinSequence}, {"_MAX_SEQUENCE_NUMBER", &m.MaxSequence},
			{"_SCHEMA_ID", &m.SchemaID}, {"_LEVEL", &m.Level}, {"_EXTRA_FILES", &m.ExtraFiles},
			{"_CREATION_TIME", &m.CreationMillis}, {"_DELETE_ROW_COUNT", &m.DeleteRowCount},
			{"_EMBEDDED_FILE_INDEX", &m.EmbeddedIndex}, {"_FILE_SOURCE", &source}, {"_VALUE_STATS_COLS", &m.ValueStatsCols},
			{"_EXTERNAL_PATH", &m.ExternalPath}, {"_FIRST_ROW_ID", &m.FirstRowID}, {"_WRITE_COLS", &m.WriteCols},
			{"_WRITE_COLS_SEQUENCES", &m.WriteColsSequences},
		} {
			f.read(&err, r.name, r.dst)
		}
		if err == nil && (!plainName(m.Name) || m.SizeBytes < 0 || m.RowCount < 0 || source > 1) {
			err = corrupt.Errorf("", corrupt.NoOffset, "file name %q, size %d, rows %d", m.Name, m.SizeBytes, m.RowCount)
		}
		if len(m.ExtraFiles) == 0 {
			m.ExtraFiles = nil
		}
		m.Source = datafile.Source(source)
		e.Kind, e.File = Kind(kind), m
		e.remember()
		list = append(list, e)
		return err
	})
	return list, err
}

func decodeParquetList(ctx context.Context, data []byte) ([]FileMeta, error) {
	var list []FileMeta
	err := parquetRows(ctx, data, func(c columns) error {
		err := c.version(entryVersion)
		var m FileMeta
		c.read(&err, "_FILE_NAME", &m.Name)
		c.read(&err, "_FILE_SIZE", &m.SizeBytes)
		c.read(&err, "_NUM_ADDED_FILES", &m.NumAdded)
		c.read(&err, "_NUM_DELETED_FILES", &m.NumDeleted)
		c.read(&err, "_PARTITION_STATS", &m.Partitions)
		c.read(&err, "_SCHEMA_ID", &m.SchemaID)
		m.HasBuckets = !c.null("_MIN_BUCKET") && !c.null("_MAX_BUCKET")
		m.HasLevels = !c.null("_MIN_LEVEL") && !c.null("_MAX_LEVEL")
		c.read(&err, "_MIN_BUCKET", &m.MinBucket)
		c.read(&err, "_MAX_BUCKET", &m.MaxBucket)
		c.read(&err, "_MIN_LEVEL", &m.MinLevel)
		c.read(&err, "_MAX_LEVEL", &m.MaxLevel)
		c.read(&err, "_MIN_ROW_ID", &m.MinRowID)
		c.read(&err, "_MAX_ROW_ID", &m.MaxRowID)
		if err == nil && (!plainName(m.Name) || m.SizeBytes < 0 || m.NumAdded < 0 || m.NumDeleted < 0) {
			err = corrupt.Errorf("", corrupt.NoOffset, "manifest %q of %d bytes", m.Name, m.SizeBytes)
		}
		list = append(list, m)
		return err
	})
	return list, err
}

func decodeParquetIndex(ctx context.Context, data []byte) ([]IndexEntry, error) {
	var list []IndexEntry
	err := parquetRows(ctx, data, func(c columns) error {
		err := c.version(indexVersion)
		var e IndexEntry
		var kind int64
		c.read(&err, "_KIND", &kind)
		c.read(&err, "_PARTITION", &e.Partition)
		c.read(&err, "_BUCKET", &e.Bucket)
		c.read(&err, "_INDEX_TYPE", &e.File.Type)
		c.read(&err, "_FILE_NAME", &e.File.Name)
		c.read(&err, "_FILE_SIZE", &e.File.SizeBytes)
		c.read(&err, "_ROW_COUNT", &e.File.RowCount)
		c.read(&err, "_EXTERNAL_PATH", &e.File.ExternalPath)
		if err == nil && (!plainName(e.File.Name) || kind < 0 || kind > 1 || e.Partition == nil) {
			err = corrupt.Errorf("", corrupt.NoOffset, "index file %q, kind %d", e.File.Name, kind)
		}
		if a, from, to := c.items("_DELETIONS_VECTORS_RANGES"); a != nil {
			e.File.Vectors = []datafile.VectorRange{}
			for i := from; i < to; i++ {
				item := recordAt(a, i)
				if item == nil {
					continue
				}
				var v datafile.VectorRange
				item.read(&err, "f0", &v.DataFile)
				item.read(&err, "f1", &v.Offset)
				item.read(&err, "f2", &v.Length)
				item.read(&err, "_CARDINALITY", &v.Cardinality)
				e.File.Vectors = append(e.File.Vectors, v)
			}
		}
		if g := c.record("_GLOBAL_INDEX"); g != nil {
			e.File.Global = &datafile.GlobalIndex{}
			var ids []int64
			g.read(&err, "_ROW_RANGE_START", &e.File.Global.RowRangeStart)
			g.read(&err, "_ROW_RANGE_END", &e.File.Global.RowRangeEnd)
			g.read(&err, "_INDEX_FIELD_ID", &e.File.Global.FieldID)
			g.read(&err, "_EXTRA_FIELD_IDS", &ids)
			g.read(&err, "_INDEX_META", &e.File.Global.Meta)
			g.read(&err, "_SOURCE_META", &e.File.Global.SourceMeta)
			for _, id := range ids {
				e.File.Global.ExtraFieldIDs = append(e.File.Global.ExtraFieldIDs, int32(id))
			}
		}
		e.Kind = Kind(kind)
		list = append(list, e)
		return err
	})
	return list, err
}
