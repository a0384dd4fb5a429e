package datafile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileindex"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

// WriterConfig says what a Writer writes and where.
type WriterConfig struct {
	Store   fileio.Store
	Dir     string // of the bucket, see Paths.BucketDir
	Names   *Names
	Formats map[string]format.Format // by name
	Layout  *Layout
	Source  Source
	// Lean asks the format for what is cheapest to write and read again soon.
	Lean bool
	// FirstSequence numbers the first row of an append table; the rows after it
	// count on. Primary-key tables carry their sequence numbers in the batches.
	FirstSequence int64
	// Now is the creation time of the files: its wall clock is what is recorded.
	Now time.Time
}

// Writer writes the rows of a bucket into files of about the target size. It ends
// in exactly one of Finish and Abort and is for one goroutine.
//
// Batches have the columns of Layout.Columns. In a primary-key table the rows come
// in key order, over all calls, with their row kinds in Batch.Kinds; a key may
// occur twice in changelog files alone. A file begins with the first row and ends
// when it has reached the target size or number of rows. Nothing is allocated per
// row, and the copies of key columns are the columns themselves.
type Writer struct {
	c       WriterConfig
	f       format.Format
	done    []*Meta
	paths   []string // of done
	open    *openFile
	nextSeq int64 // append tables
	err     error

	phys  columnar.Batch // the physical columns of the batch in hand
	kinds columnar.Vector
	keys  columnar.Batch // its key columns
}

// openFile is the file being written.
type openFile struct {
	name, path string
	store      fileio.Writer
	count      countingWriter
	enc        format.Writer
	values     *stats.Collector   // of the columns that enc has no statistics of
	index      *fileindex.Builder // nil: the table has none
	rows       int64
	deletes    int64
	minSeq     int64
	maxSeq     int64
	minKey     []byte
	maxKey     []byte
}

type countingWriter struct {
	w fileio.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// NewWriter prepares to write; it makes no file. A format that is not in
// c.Formats is an error that names it.
func NewWriter(c WriterConfig) (*Writer, error) {
	f, ok := c.Formats[c.Layout.format]
	if !ok {
		return nil, fmt.Errorf("file format %q is not supported for writing", c.Layout.format)
	}
	w := &Writer{c: c, f: f, nextSeq: c.FirstSequence}
	w.kinds.Type = types.Of(types.TinyInt).WithNotNull(true)
	return w, nil
}

// Write appends the live rows of b and keeps nothing of it.
func (w *Writer) Write(ctx context.Context, b *columnar.Batch) error {
	if w.err != nil {
		return w.err
	}
	if want := len(w.c.Layout.schema.Fields); len(b.Cols) != want+min(1, len(w.c.Layout.keys)) {
		return fmt.Errorf("write data file: batch has %d columns, want the table's %d and a sequence number for a primary key", len(b.Cols), want)
	}
	w.err = pieces(b, pieceRows(b, w.c.Layout.targetBytes), func(p *columnar.Batch) error {
		for p.Rows() > 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			head := p
			if left := w.rowsLeft(); int64(p.Rows()) > left {
				head, p = cut(p, int(left))
			} else {
				p = &columnar.Batch{}
			}
			if err := w.writePiece(ctx, head); err != nil {
				return err
			}
		}
		return nil
	})
	return w.err
}

// rowsLeft is how many rows the file in hand still takes.
func (w *Writer) rowsLeft() int64 {
	target := w.c.Layout.targetRows
	if target <= 0 {
		return math.MaxInt64
	}
	if w.open == nil {
		return target
	}
	return target - w.open.rows
}

func (w *Writer) writePiece(ctx context.Context, b *columnar.Batch) error {
	if w.open == nil {
		if err := w.begin(ctx); err != nil {
			return err
		}
	}
	o := w.open
	w.arrange(b)
	if err := o.enc.Write(&w.phys); err != nil {
		return fmt.Errorf("write %s: %w", o.path, err)
	}
	o.values.Add(b)
	if o.index != nil {
		o.index.Add(b)
	}
	if w.c.Layout.keys != nil {
		w.noteRecords(b)
	} else {
		n := int64(b.Rows())
		if o.rows == 0 {
			o.minSeq = w.nextSeq
		}
		w.nextSeq += n
		o.maxSeq = w.nextSeq - 1
	}
	o.rows += int64(b.Rows())
	if o.enc.SizeBytes() >= w.c.Layout.targetBytes || w.rowsLeft() <= 0 {
		return w.finishFile(ctx)
	}
	return nil
}

// arrange sets phys and keys to the columns of b.
func (w *Writer) arrange(b *columnar.Batch) {
	l := w.c.Layout
	n := len(l.schema.Fields)
	cols := w.phys.Cols[:0]
	keys := w.keys.Cols[:0]
	if l.keys != nil {
		for _, k := range l.keys {
			keys = append(keys, b.Cols[k])
		}
		if !l.thin {
			cols = append(cols, keys...)
		}
		w.kinds.N = b.N
		if cap(w.kinds.I32) < b.N {
			w.kinds.I32 = make([]int32, b.N)
		}
		w.kinds.I32 = w.kinds.I32[:b.N]
		if len(b.Kinds) == 0 {
			clear(w.kinds.I32)
		} else {
			for i, k := range b.Kinds[:b.N] {
				w.kinds.I32[i] = int32(k)
			}
		}
		cols = append(cols, b.Cols[n], &w.kinds)
	}
	w.phys = columnar.Batch{N: b.N, Sel: b.Sel, Cols: append(cols, b.Cols[:n]...)}
	w.keys = columnar.Batch{N: b.N, Sel: b.Sel, Cols: keys}
}

// noteRecords takes from a batch of a primary-key table what the metadata tells:
// keys of the first and last row, range of sequence numbers, number of deletes.
func (w *Writer) noteRecords(b *columnar.Batch) {
	o := w.open
	first, last := 0, b.N-1
	seqs := b.Cols[len(b.Cols)-1].I64
	if b.Sel != nil {
		first, last = int(b.Sel[0]), int(b.Sel[len(b.Sel)-1])
		for _, i := range b.Sel {
			o.minSeq, o.maxSeq = min(o.minSeq, seqs[i]), max(o.maxSeq, seqs[i])
		}
		if len(b.Kinds) > 0 {
			for _, i := range b.Sel {
				if b.Kinds[i].Retract() {
					o.deletes++
				}
			}
		}
	} else {
		for _, s := range seqs[:b.N] {
			o.minSeq, o.maxSeq = min(o.minSeq, s), max(o.maxSeq, s)
		}
		for _, k := range b.Kinds {
			if k.Retract() {
				o.deletes++
			}
		}
	}
	if o.rows == 0 {
		o.minKey = row.SerializeRow(w.keys.Cols, first)
	}
	o.maxKey = row.AppendSerialized(o.maxKey[:0], w.keys.Cols, last)
}

func (w *Writer) begin(ctx context.Context) error {
	l := w.c.Layout
	name := ""
	if l.changelog {
		name = w.c.Names.Changelog(l.format, l.codec)
	} else {
		name = w.c.Names.Data(l.format, l.codec)
	}
	o := &openFile{name: name, path: fileio.Join(w.c.Dir, name), minSeq: math.MaxInt64, maxSeq: math.MinInt64}
	var err error
	if o.store, err = w.c.Store.Create(ctx, o.path); err != nil {
		return fmt.Errorf("create data file: %w", err)
	}
	o.count.w = o.store
	o.enc, err = w.f.NewWriter(&o.count, format.WriteOptions{
		Fields: l.physical, Compression: l.codec, ZstdLevel: l.zstdLevel, BlockBytes: l.blockBytes, Lean: w.c.Lean, Extra: l.extra,
	})
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", o.path, err), o.store.Abort())
	}
	o.values = stats.NewCollector(l.schema.Fields, l.collected(o.enc))
	if !l.index.Empty() {
		o.index = l.index.NewBuilder()
	}
	w.open = o
	return nil
}

func (w *Writer) finishFile(ctx context.Context) error {
	o := w.open
	if err := o.enc.Finish(); err != nil {
		return fmt.Errorf("write %s: %w", o.path, err)
	}
	if err := o.store.Finish(ctx); err != nil {
		return fmt.Errorf("finish %s: %w", o.path, err)
	}
	m := w.meta(o)
	w.done, w.paths, w.open = append(w.done, m), append(w.paths, o.path), nil
	return w.writeIndex(ctx, o, m)
}

// writeIndex puts the index of a finished file into its metadata if it is small,
// else into a file beside it.
func (w *Writer) writeIndex(ctx context.Context, o *openFile, m *Meta) error {
	if o.index == nil {
		return nil
	}
	data := o.index.Encode(o.name)
	if int64(len(data)) <= w.c.Layout.index.InManifestBytes {
		m.EmbeddedIndex = data
		return nil
	}
	if err := fileio.WriteFile(ctx, w.c.Store, o.path+indexSuffix, data); err != nil {
		return fmt.Errorf("write file index: %w", err)
	}
	m.ExtraFiles = []string{o.name + indexSuffix}
	w.paths = append(w.paths, o.path+indexSuffix)
	return nil
}

// indexSuffix ends the names of files that hold the index of a data file.
const indexSuffix = ".index"

func (w *Writer) meta(o *openFile) *Meta {
	l := w.c.Layout
	_, zone := w.c.Now.Zone()
	m := &Meta{
		Name: o.name, SizeBytes: o.count.n, RowCount: o.rows,
		MinKey: row.Serialize(nil, nil), MaxKey: row.Serialize(nil, nil), KeyStats: stats.Empty,
		MinSequence: o.minSeq, MaxSequence: o.maxSeq, SchemaID: l.schema.ID, Level: l.level,
		CreationMillis: w.c.Now.UnixMilli() + int64(zone)*1000,
		DeleteRowCount: o.deletes, Source: w.c.Source, FirstRowID: Unknown,
	}
	exact := o.values.Columns()
	if sw, ok := o.enc.(format.StatsWriter); ok {
		for i := range exact {
			if at := l.physicalAt(i); sw.HasStats(at) {
				exact[i] = sw.Stats(at)
			}
		}
	}
	if l.keys != nil {
		m.MinKey, m.MaxKey = o.minKey, o.maxKey
		keys := make([]stats.Column, len(l.keys))
		for i, k := range l.keys {
			keys[i] = systemStats.Apply(l.schema.Fields[k].Type, exact[k])
		}
		m.KeyStats = stats.Encode(l.schema.KeyTypes(), keys)
	}
	cols := make([]stats.Column, len(exact))
	for i := range exact {
		cols[i] = l.modes[i].Apply(l.schema.Fields[i].Type, exact[i])
	}
	if l.dense {
		m.ValueStatsCols, m.ValueStats = stats.Dense(l.schema.Fields, cols)
	} else {
		m.ValueStats = stats.Encode(types.FieldTypes(l.schema.Fields), cols)
	}
	return m
}

// Finish ends the last file and returns the metadata of all, in the order of their
// rows; none when there was no row. The files are seen but not durable: see
// fileio.Sync. After an error call Abort.
func (w *Writer) Finish(ctx context.Context) ([]*Meta, error) {
	if w.err == nil && w.open != nil {
		w.err = w.finishFile(ctx)
	}
	if w.err != nil {
		return nil, w.err
	}
	w.err = errors.New("data file writer is finished")
	return w.done, nil
}

// Paths are the files that Finish returned, as the store names them.
func (w *Writer) Paths() []string { return w.paths }

// Abort removes all files of this writer, also those that Finish returned.
func (w *Writer) Abort(ctx context.Context) error {
	var errs []error
	if w.open != nil {
		errs = append(errs, w.open.store.Abort())
		w.open = nil
	}
	for _, p := range w.paths {
		errs = append(errs, w.c.Store.Delete(ctx, p))
	}
	w.paths, w.done = nil, nil
	if w.err == nil {
		w.err = errors.New("data file writer is aborted")
	}
	return errors.Join(errs...)
}
