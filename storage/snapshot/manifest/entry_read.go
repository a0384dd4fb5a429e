package manifest

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/datafile"
	"github.com/lakesql/lakesql/storage/format/avroschema"
	"github.com/lakesql/lakesql/storage/stats"
)

var statsShape = &shape{members: []string{"_MIN_VALUES", "_MAX_VALUES", "_NULL_COUNTS"}, required: 2}

const (
	fName = iota + 1
	fSize
	fRows
	fMinKey
	fMaxKey
	fKeyStats
	fValueStats
	fMinSequence
	fMaxSequence
	fSchema
	fLevel
	fExtra
	fCreation
	fDeleteRows
	fEmbedded
	fSource
	fStatsCols
	fExternal
	fFirstRow
	fWriteCols
	fWriteSequences
)

var fileShape = &shape{
	members: []string{
		"_FILE_NAME", "_FILE_SIZE", "_ROW_COUNT", "_MIN_KEY", "_MAX_KEY", "_KEY_STATS", "_VALUE_STATS",
		"_MIN_SEQUENCE_NUMBER", "_MAX_SEQUENCE_NUMBER", "_SCHEMA_ID", "_LEVEL", "_EXTRA_FILES", "_CREATION_TIME",
		"_DELETE_ROW_COUNT", "_EMBEDDED_FILE_INDEX", "_FILE_SOURCE", "_VALUE_STATS_COLS", "_EXTERNAL_PATH",
		"_FIRST_ROW_ID", "_WRITE_COLS", "_WRITE_COLS_SEQUENCES",
	},
	required: fLevel,
	nested:   map[string]*shape{"_KEY_STATS": statsShape, "_VALUE_STATS": statsShape},
}

const (
	eVersion = iota + 1
	eKind
	ePartition
	eBucket
	eTotal
	eFile
)

var entryShape = &shape{
	members:  []string{"_VERSION", "_KIND", "_PARTITION", "_BUCKET", "_TOTAL_BUCKETS", "_FILE"},
	required: eFile,
	nested:   map[string]*shape{"_FILE": fileShape},
}

var knownEntrySchema = sync.OnceValues(func() (*avroschema.Type, error) { return compile([]byte(entrySchema), entryShape) })

// compile parses a writer's schema and marks the members that s names.
func compile(text []byte, s *shape) (*avroschema.Type, error) {
	n, err := avroschema.Parse(text)
	if err != nil {
		return nil, corrupt.Errorf("", corrupt.NoOffset, "avro schema: %w", err)
	}
	return n, s.resolve(n)
}

// entryDecoder decodes the records of one block; what records share is kept once.
type entryDecoder struct {
	d         *decoder
	partition []byte
	cols      []string
	colsRaw   []byte // the bytes that cols was decoded from
	counts    []int64
	files     []datafile.Meta
}

// readEntries decodes the records of a block and appends them to dst.
func readEntries(n *avroschema.Type, dst []Entry, count int, d *decoder) ([]Entry, error) {
	ed := &entryDecoder{d: d, files: make([]datafile.Meta, 0, count)}
	dst = slices.Grow(dst, count)
	for range count {
		e := Entry{Kind: -1}
		version := int64(0)
		rec := d.record(n)
		if rec == nil {
			d.fail("a null entry")
			break
		}
		for i := range rec.Fields {
			f := &rec.Fields[i]
			switch f.Tag {
			case eVersion:
				version, _ = d.long(f.Type)
				if d.err == nil && version != entryVersion {
					d.fail("entry version %d, known is %d", version, entryVersion)
				}
			case eKind:
				k, _ := d.long(f.Type)
				if k != int64(Add) && k != int64(Delete) {
					d.fail("entry kind %d", k)
				}
				e.Kind = Kind(k)
			case ePartition:
				e.Partition = ed.shared(d.bytes(f.Type))
			case eBucket:
				e.Bucket = d.int32(f.Type)
			case eTotal:
				e.TotalBuckets = d.int32(f.Type)
			case eFile:
				e.File = ed.file(f.Type)
			default:
				d.skip(f.Type)
			}
		}
		if d.err == nil && (e.File == nil || e.Partition == nil) {
			d.fail("an entry without its file or partition")
		}
		if d.err != nil {
			return nil, d.err
		}
		e.remember()
		dst = append(dst, e)
	}
	return dst, d.err
}

// int32 reads a number that must fit 32 bits.
func (d *decoder) int32(n *avroschema.Type) int {
	v, ok := d.long(n)
	if !ok || v < math.MinInt32 || v > math.MaxInt32 {
		d.fail("number %d does not fit 32 bits", v)
		return 0
	}
	return int(v)
}

// shared returns the previous partition when p equals it, so that equal ones are
// one slice.
func (ed *entryDecoder) shared(p []byte) []byte {
	if p != nil && bytes.Equal(p, ed.partition) {
		return ed.partition
	}
	ed.partition = p
	return p
}

func (ed *entryDecoder) file(n *avroschema.Type) *datafile.Meta {
	d := ed.d
	rec := d.record(n)
	if rec == nil {
		return nil
	}
	ed.files = append(ed.files, datafile.Meta{
		CreationMillis: datafile.Unknown, DeleteRowCount: datafile.Unknown, Source: datafile.UnknownSource, FirstRowID: datafile.Unknown,
	})
	m := &ed.files[len(ed.files)-1]
	opt := func(n *avroschema.Type) int64 {
		if v, ok := d.long(n); ok {
			return v
		}
		return datafile.Unknown
	}
	for i := range rec.Fields {
		f := &rec.Fields[i]
		switch f.Tag {
		case fName:
			m.Name = d.text(f.Type)
		case fSize:
			m.SizeBytes, _ = d.long(f.Type)
		case fRows:
			m.RowCount, _ = d.long(f.Type)
		case fMinKey:
			m.MinKey = d.bytes(f.Type)
		case fMaxKey:
			m.MaxKey = d.bytes(f.Type)
		case fKeyStats:
			m.KeyStats = ed.stats(f.Type)
		case fValueStats:
			m.ValueStats = ed.stats(f.Type)
		case fMinSequence:
			m.MinSequence, _ = d.long(f.Type)
		case fMaxSequence:
			m.MaxSequence, _ = d.long(f.Type)
		case fSchema:
			m.SchemaID, _ = d.long(f.Type)
		case fLevel:
			m.Level = d.int32(f.Type)
		case fExtra:
			m.ExtraFiles = ed.names(f.Type)
		case fCreation:
			m.CreationMillis = opt(f.Type)
		case fDeleteRows:
			m.DeleteRowCount = opt(f.Type)
		case fEmbedded:
			m.EmbeddedIndex = d.bytes(f.Type)
		case fSource:
			if v, ok := d.long(f.Type); ok {
				if v != int64(datafile.FromAppend) && v != int64(datafile.FromCompact) {
					d.fail("file source %d", v)
				}
				m.Source = datafile.Source(v)
			}
		case fStatsCols:
			m.ValueStatsCols = ed.columns(f.Type)
		case fExternal:
			m.ExternalPath = d.text(f.Type)
		case fFirstRow:
			m.FirstRowID = opt(f.Type)
		case fWriteCols:
			if a := d.array(f.Type); a != nil {
				m.WriteCols = d.texts(a)
			}
		case fWriteSequences:
			if a := d.array(f.Type); a != nil {
				m.WriteColsSequences = d.longs([]int64{}, a, 0)
			}
		default:
			d.skip(f.Type)
		}
	}
	if d.err == nil && (!plainName(m.Name) || m.SizeBytes < 0 || m.RowCount < 0) {
		d.fail("file name %q, size %d, rows %d", m.Name, m.SizeBytes, m.RowCount)
	}
	return m
}

// plainName reports whether name stays inside the folder it is looked up in.
func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\\\x00")
}

// names reads the names of extra files.
func (ed *entryDecoder) names(n *avroschema.Type) []string {
	a := ed.d.array(n)
	if a == nil {
		return nil
	}
	if ed.d.off < len(ed.d.buf) && ed.d.buf[ed.d.off] == 0 {
		ed.d.off++ // the usual case: none
		return nil
	}
	list := ed.d.texts(a)
	for _, name := range list {
		if !plainName(name) {
			ed.d.fail("extra file name %q", name)
		}
	}
	return list
}

func (ed *entryDecoder) stats(n *avroschema.Type) stats.Binary {
	d := ed.d
	var b stats.Binary
	rec := d.record(n)
	if rec == nil {
		return b
	}
	for i := range rec.Fields {
		f := &rec.Fields[i]
		switch f.Tag {
		case 1:
			b.Min = d.bytes(f.Type)
		case 2:
			b.Max = d.bytes(f.Type)
		case 3:
			if a := d.array(f.Type); a != nil {
				start := len(ed.counts)
				ed.counts = d.longs(ed.counts, a, -1)
				if b.NullCounts = ed.counts[start:len(ed.counts):len(ed.counts)]; b.NullCounts == nil {
					b.NullCounts = []int64{} // empty is not null
				}
			}
		default:
			d.skip(f.Type)
		}
	}
	return b
}

// columns reads a list of column names; successive files mostly have the same.
func (ed *entryDecoder) columns(n *avroschema.Type) []string {
	d := ed.d
	start := d.off
	if k := len(ed.colsRaw); k > 0 && len(d.buf)-start >= k && bytes.Equal(d.buf[start:start+k], ed.colsRaw) {
		d.off += k
		return ed.cols
	}
	var list []string
	if a := d.array(n); a != nil {
		list = d.texts(a)
	}
	if d.err == nil {
		ed.cols, ed.colsRaw = list, d.buf[start:d.off]
	}
	return list
}

// decodeEntries decodes a manifest file.
func decodeEntries(ctx context.Context, data []byte, plans *plans) ([]Entry, error) {
	if bytes.HasPrefix(data, []byte(parquetMagic)) {
		return decodeParquetEntries(ctx, data)
	}
	c, n, err := openWith(data, plans, entrySchema, knownEntrySchema, entryShape)
	if err != nil {
		return nil, err
	}
	var list []Entry
	err = c.blocks(func(count int, d *decoder) error {
		list, err = readEntries(n, list, count, d)
		return err
	})
	return list, err
}

// openWith opens a container and finds the plan of its schema.
func openWith(data []byte, p *plans, known string, plan func() (*avroschema.Type, error), s *shape) (*container, *avroschema.Type, error) {
	if bytes.HasPrefix(data, []byte("ORC")) {
		return nil, nil, errors.New("manifests in the ORC format are not supported")
	}
	c, err := openContainer(data)
	if err != nil {
		return nil, nil, err
	}
	if string(c.schema) == known {
		n, err := plan()
		return c, n, err
	}
	n, err := p.get(string(c.schema), s)
	return c, n, err
}

// plans keeps compiled foreign schemas: a table has a few of them at most.
type plans struct {
	mu   sync.Mutex
	byID map[planKey]*avroschema.Type
}

type planKey struct {
	schema string
	shape  *shape
}

const maxPlans = 64

func (p *plans) get(schema string, s *shape) (*avroschema.Type, error) {
	key := planKey{schema, s}
	p.mu.Lock()
	n, ok := p.byID[key]
	p.mu.Unlock()
	if ok {
		return n, nil
	}
	n, err := compile([]byte(schema), s)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byID == nil || len(p.byID) >= maxPlans {
		p.byID = map[planKey]*avroschema.Type{}
	}
	p.byID[planKey{strings.Clone(schema), s}] = n
	return n, nil
}
