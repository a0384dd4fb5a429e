package manifest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/stats"
)

// Releases up to 2.0 could write manifests as Parquet (option manifest.format).
// They are rare, so they are read row by row, by member name. Everything happens
// on the calling goroutine, so that a panic of the library over damaged bytes can
// be turned into an error.

const parquetMagic = "PAR1"

// parquetShape is the schema of a file: paths of members, as in "/_FILE/_LEVEL",
// without the groups that a list is wrapped in.
type parquetShape struct {
	leaves []string          // by column number
	lists  map[string]int    // definition level at which the list is not null
	groups map[string]int    // definition level at which the record is not null
	first  map[string]string // a leaf below each record
}

func (s *parquetShape) add(c *parquet.Column, path string) {
	kids := c.Columns()
	switch {
	case c.Leaf():
		s.leaves[c.Index()] = path
	case len(kids) == 1 && kids[0].Repeated():
		s.lists[path] = c.MaxDefinitionLevel()
		item := kids[0]
		if inner := item.Columns(); len(inner) == 1 {
			item = inner[0]
		}
		if item.Leaf() {
			s.leaves[item.Index()] = path
			return
		}
		s.addMembers(item, path)
	default:
		s.addMembers(c, path)
	}
}

func (s *parquetShape) addMembers(c *parquet.Column, path string) {
	s.groups[path] = c.MaxDefinitionLevel()
	for _, kid := range c.Columns() {
		s.add(kid, path+"/"+kid.Name())
		if kid.Leaf() && s.first[path] == "" {
			s.first[path] = path + "/" + kid.Name()
		}
	}
}

// parquetRows calls do with every row of a Parquet file.
func parquetRows(ctx context.Context, data []byte, do func(columns) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = corrupt.Errorf("", corrupt.NoOffset, "parquet manifest: %v", r)
		}
	}()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return corrupt.Errorf("", corrupt.NoOffset, "parquet manifest: %w", err)
	}
	s := &parquetShape{
		leaves: make([]string, len(f.Schema().Columns())), lists: map[string]int{}, groups: map[string]int{}, first: map[string]string{},
	}
	s.addMembers(f.Root(), "")
	for _, group := range f.RowGroups() {
		if err := s.rows(ctx, group, do); err != nil {
			return err
		}
	}
	return nil
}

const rowsAtOnce = 64

func (s *parquetShape) rows(ctx context.Context, group parquet.RowGroup, do func(columns) error) (err error) {
	rows := group.Rows()
	defer func() { err = errors.Join(err, rows.Close()) }()
	buf := make([]parquet.Row, rowsAtOnce)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, readErr := rows.ReadRows(buf)
		for _, row := range buf[:n] {
			c := columns{shape: s, values: make(map[string][]parquet.Value, len(s.leaves))}
			for _, v := range row {
				path := s.leaves[v.Column()]
				c.values[path] = append(c.values[path], v)
			}
			if err := do(c); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(readErr, io.EOF):
			return nil
		case readErr != nil:
			return corrupt.Errorf("", corrupt.NoOffset, "parquet manifest: %w", readErr)
		case n == 0:
			return corrupt.Errorf("", corrupt.NoOffset, "parquet manifest: rows are missing")
		}
	}
}

// columns are the members of a record in one row.
type columns struct {
	shape  *parquetShape
	values map[string][]parquet.Value
	path   string // of the record
	item   int    // which item, where the record is that of a list
}

// value returns the value of a leaf; ok is false for null.
func (c columns) value(name string) (v parquet.Value, ok bool) {
	list := c.values[c.path+"/"+name]
	if c.item >= len(list) || list[c.item].IsNull() {
		return v, false
	}
	return list[c.item], true
}

func (c columns) null(name string) bool {
	_, ok := c.value(name)
	return !ok
}

// record returns the members of a nested record; ok is false for null.
func (c columns) record(name string) (r columns, ok bool) {
	r = columns{shape: c.shape, values: c.values, path: c.path + "/" + name, item: c.item}
	return r, r.there()
}

// there reports whether the record is not null.
func (c columns) there() bool {
	list := c.values[c.shape.first[c.path]]
	return c.item < len(list) && list[c.item].DefinitionLevel() >= c.shape.groups[c.path]
}

// long returns a number, absent for null; an error for another type.
func (c columns) long(name string, absent int64) (int64, error) {
	v, ok := c.value(name)
	if !ok {
		return absent, nil
	}
	return longOf(v, name)
}

func longOf(v parquet.Value, name string) (int64, error) {
	switch v.Kind() {
	case parquet.Int32:
		return int64(v.Int32()), nil
	case parquet.Int64:
		return v.Int64(), nil
	}
	return 0, corrupt.Errorf("", corrupt.NoOffset, "member %s is of type %s", name, v.Kind())
}

// bytes returns a copy of bytes or text, nil for null.
func (c columns) bytes(name string) ([]byte, error) {
	v, ok := c.value(name)
	if !ok {
		return nil, nil
	}
	if v.Kind() != parquet.ByteArray {
		return nil, corrupt.Errorf("", corrupt.NoOffset, "member %s is of type %s", name, v.Kind())
	}
	return append([]byte{}, v.ByteArray()...), nil
}

// items returns the items of a list; ok is false for null.
func (c columns) items(name string) (list []parquet.Value, ok bool) {
	path := c.path + "/" + name
	leaf := path
	if first := c.shape.first[path]; first != "" {
		leaf = first
	}
	list = c.values[leaf]
	level, known := c.shape.lists[path]
	if !known || len(list) == 0 || list[0].DefinitionLevel() < level {
		return nil, false
	}
	if list[0].DefinitionLevel() == level {
		return nil, true // not null, and nothing in it
	}
	return list, true
}

func (c columns) longs(name string, nullItem int64) ([]int64, error) {
	items, ok := c.items(name)
	if !ok {
		return nil, nil
	}
	list := make([]int64, 0, len(items))
	for _, item := range items {
		v := nullItem
		if !item.IsNull() {
			var err error
			if v, err = longOf(item, name); err != nil {
				return nil, err
			}
		}
		list = append(list, v)
	}
	return list, nil
}

func (c columns) texts(name string) ([]string, error) {
	items, ok := c.items(name)
	if !ok {
		return nil, nil
	}
	list := make([]string, 0, len(items))
	for _, item := range items {
		if item.IsNull() || item.Kind() != parquet.ByteArray {
			return nil, corrupt.Errorf("", corrupt.NoOffset, "an item of %s is no text", name)
		}
		list = append(list, string(item.ByteArray()))
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
		if r, ok := c.record(name); ok {
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
		f, ok := c.record("_FILE")
		if err == nil && (!ok || e.Partition == nil || kind < 0 || kind > 1) {
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
		if items, ok := c.items("_DELETIONS_VECTORS_RANGES"); ok {
			e.File.Vectors = []datafile.VectorRange{}
			for i := range items {
				item := columns{shape: c.shape, values: c.values, path: c.path + "/_DELETIONS_VECTORS_RANGES", item: i}
				if !item.there() {
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
		if g, ok := c.record("_GLOBAL_INDEX"); ok {
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
