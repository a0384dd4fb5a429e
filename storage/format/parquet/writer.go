package parquet

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/types"
)

const (
	// unitRows and unitBytes are what is gathered before a row group's encodings are
	// chosen, whichever is reached first.
	unitRows  = 16 << 10
	unitBytes = 32 << 20
	// pageRows are the rows of a page, less where a column's page would pass
	// pageBytes; leanPageBytes in a lean file, of which a merge has many open.
	pageRows      = columnar.BatchRows
	pageBytes     = 1 << 20
	leanPageBytes = 256 << 10
	// defaultBlock is the most encoded bytes of a row group.
	defaultBlock = 128 << 20
)

// writer gathers rows into units and encodes units into pages. The first unit of a
// row group chooses encodings, page rows and codecs; later units are single pages.
type writer struct {
	f        *Format
	w        io.Writer
	fields   []types.Field
	schema   []schemaElement
	leaves   []*node
	cols     []columnWriter
	chunks   []*chunkWriter // by leaf
	twin     []int          // by column: the column whose encoded bytes it shares, or -1
	totals   []columnTotal  // by column
	pending  *columnar.Batch
	rowBytes float64 // raw bytes of a row, as measured
	perPage  int     // rows of a page in this row group; 0: not chosen
	maxPage  int     // bytes
	block    int64
	rows     int64 // in the row group, encoded
	at       int64 // bytes written
	meta     fileMeta
	indexes  []chunkIndex
	err      error
	done     bool
}

// columnWriter encodes a column's rows into the pages of its leaves.
type columnWriter interface {
	// choose picks encodings by rows from to to-1 and may keep what it found out for
	// the calls of page that follow over the same rows.
	choose(v *columnar.Vector, from, to int) error
	// page encodes rows from to to-1 as a page of each leaf.
	page(v *columnar.Vector, from, to int) error
	// settled ends what choose kept.
	settled()
}

func newWriter(f *Format, w io.Writer, o format.WriteOptions) (*writer, error) {
	cd, err := codec.Parse(o.Compression)
	if err != nil {
		return nil, err
	}
	wr := &writer{f: f, w: w, fields: o.Fields, block: o.BlockBytes, maxPage: pageBytes}
	if o.Lean {
		wr.maxPage = leanPageBytes
	}
	opts, err := parseExtra(o.Extra)
	if err != nil {
		return nil, err
	}
	if opts.block > 0 {
		wr.block = opts.block
	}
	if wr.block <= 0 {
		wr.block = defaultBlock
	}
	if opts.page > 0 {
		wr.maxPage = opts.page
	}
	if cd == codec.LZ4Hadoop {
		wr.maxPage = min(wr.maxPage, codec.HadoopPiece*3/4) // a page is a little more than was measured
	}
	if wr.schema, err = schemaOf(o.Fields); err != nil {
		return nil, err
	}
	root, leaves, err := buildTree(wr.schema)
	if err != nil {
		return nil, err
	}
	wr.leaves = leaves
	for range leaves {
		c := f.free.takeChunk()
		c.codec, c.level, c.lean, c.pool = cd, o.ZstdLevel, o.Lean, f.codecs
		c.useDict = opts.dictionary
		wr.chunks = append(wr.chunks, c)
	}
	ts := make([]types.Type, len(o.Fields))
	for i, field := range o.Fields {
		ts[i] = field.Type
		cw, err := newColumnWriter(root.kids[i], field.Type, wr.chunks)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", field.Name, err)
		}
		wr.cols = append(wr.cols, cw)
		wr.totals = append(wr.totals, newColumnTotal(cw, field.Type))
	}
	wr.pending = &columnar.Batch{}
	for _, t := range ts {
		wr.pending.Cols = append(wr.pending.Cols, f.free.takeVector(t))
	}
	wr.twin = twins(o.Fields)
	if _, err := io.WriteString(w, magic); err != nil {
		return nil, fmt.Errorf("write parquet: %w", err)
	}
	wr.at = int64(len(magic))
	return wr, nil
}

// extra are the options with the prefix parquet. that have a meaning for us.
type extra struct {
	dictionary bool
	block      int64
	page       int
}

// parseExtra reads the format's own options. Options of Java's writer that ask for
// what we do anyway, or for nothing that a reader sees, are passed over.
func parseExtra(m map[string]string) (extra, error) {
	e := extra{dictionary: true}
	for k, v := range m {
		var err error
		switch k {
		case "parquet.enable.dictionary":
			e.dictionary, err = strconv.ParseBool(strings.ToLower(v))
		case "parquet.block.size":
			e.block, err = strconv.ParseInt(v, 10, 64)
		case "parquet.page.size":
			e.page, err = strconv.Atoi(v)
		}
		if err != nil {
			return e, fmt.Errorf("option %s: %w", k, err)
		}
	}
	return e, nil
}

// twins finds key columns whose pages are those of their value columns: _KEY_k of k,
// where neither has nulls and the types are equal.
func twins(fields []types.Field) []int {
	out := make([]int, len(fields))
	for i := range out {
		out[i] = -1
		name, ok := strings.CutPrefix(fields[i].Name, types.KeyPrefix)
		if !ok || fields[i].Type.Nested() || !fields[i].Type.NotNull {
			continue
		}
		for j := range fields {
			if fields[j].Name == name && fields[j].Type.Equal(fields[i].Type) {
				out[i] = j
			}
		}
	}
	return out
}

// Write appends the live rows of a batch, see format.Writer.
func (w *writer) Write(b *columnar.Batch) error {
	if w.err == nil {
		w.err = w.write(b)
	}
	return w.err
}

func (w *writer) write(b *columnar.Batch) error {
	if w.done {
		return fmt.Errorf("write parquet: the file is finished")
	}
	if len(b.Cols) != len(w.cols) {
		return fmt.Errorf("write parquet: batch of %d columns, want %d", len(b.Cols), len(w.cols))
	}
	for i, v := range b.Cols {
		if v.N != b.N {
			return fmt.Errorf("write parquet: column %s has %d slots in a batch of %d", w.fields[i].Name, v.N, b.N)
		}
		if w.fields[i].Type.NotNull && v.NullCount() > 0 {
			return fmt.Errorf("write parquet: column %s is NOT NULL and has a null", w.fields[i].Name)
		}
	}
	if err := w.checkTwins(b); err != nil {
		return err
	}
	from := 0
	for from < b.Rows() {
		n, err := w.direct(b, from)
		if err != nil {
			return err
		}
		if n == 0 {
			if n, err = w.gather(b, from); err != nil {
				return err
			}
		}
		from += n
	}
	return nil
}

// unitSize is how many rows to gather before they are encoded.
func (w *writer) unitSize() int {
	if w.perPage > 0 {
		return w.perPage
	}
	return unitRows
}

// direct encodes whole units of the batch where they lie, and returns how many
// rows that were.
func (w *writer) direct(b *columnar.Batch, from int) (int, error) {
	if w.pending.N > 0 || b.Sel != nil {
		return 0, nil
	}
	n := min(b.N-from, max(unitRows, w.perPage))
	if n < w.unitSize() {
		return 0, nil
	}
	for _, v := range b.Cols {
		if v.Dict != nil {
			return 0, nil
		}
	}
	if w.perPage > 0 {
		n -= n % w.perPage
	}
	return n, w.encode(b.Cols, from, from+n)
}

// gather appends rows of the batch to pending and encodes that when it is a unit.
func (w *writer) gather(b *columnar.Batch, from int) (int, error) {
	n := min(b.Rows()-from, w.unitSize()-w.pending.N)
	if b.Sel == nil && w.perPage == 0 && n > pageRows {
		n = pageRows // unitBytes is looked at between
	}
	for i, v := range b.Cols {
		if w.twin[i] >= 0 {
			w.pending.Cols[i].N += n
			continue
		}
		if b.Sel != nil {
			columnar.AppendRows(w.pending.Cols[i], v, b.Sel[from:from+n])
		} else {
			columnar.AppendRange(w.pending.Cols[i], v, from, from+n)
		}
	}
	w.pending.N += n
	if w.pending.N >= w.unitSize() || w.perPage == 0 && w.pendingBytes() >= unitBytes {
		return n, w.flushPending()
	}
	return n, nil
}

func (w *writer) flushPending() error {
	n := w.pending.N
	if n == 0 {
		return nil
	}
	if err := w.encode(w.pending.Cols, 0, n); err != nil {
		return err
	}
	w.pending.Reset()
	return nil
}

// pendingBytes is the raw size of what is gathered.
func (w *writer) pendingBytes() int64 {
	var n int64
	for i, v := range w.pending.Cols {
		if w.twin[i] < 0 {
			n += vectorBytes(v, 0, v.N)
		}
	}
	return n
}

// vectorBytes is about the raw size of slots from to to-1.
func vectorBytes(v *columnar.Vector, from, to int) int64 {
	n := int64(to - from)
	switch columnar.LayoutOf(v.Type) {
	case columnar.I32, columnar.F32:
		return 4 * n
	case columnar.I64, columnar.F64:
		return 8 * n
	case columnar.D128:
		return 16 * n
	case columnar.T96:
		return 12 * n
	case columnar.Str:
		return 4*n + int64(v.Off[to]-v.Off[from])
	case columnar.List:
		for _, c := range v.Children {
			n += vectorBytes(c, int(v.Off[from]), int(v.Off[to]))
		}
	case columnar.Struct:
		for _, c := range v.Children {
			n += vectorBytes(c, from, to)
		}
	case columnar.Fixed:
		l := v.Type.Length
		n += vectorBytes(v.Children[0], from*l, to*l)
	}
	return n
}

// encode turns rows from to to-1 into pages. The first call of a row group chooses
// how.
func (w *writer) encode(cols []*columnar.Vector, from, to int) error {
	first := w.perPage == 0
	if first {
		w.measure(cols, from, to)
	}
	for i, c := range w.cols {
		if w.twin[i] >= 0 {
			continue
		}
		if err := w.encodeColumn(c, cols[i], from, to, first); err != nil {
			return fmt.Errorf("write parquet: column %s: %w", w.fields[i].Name, err)
		}
	}
	w.rows += int64(to - from)
	if w.groupBytes() >= w.block {
		return w.flushGroup()
	}
	return nil
}

func (w *writer) encodeColumn(c columnWriter, v *columnar.Vector, from, to int, first bool) error {
	if first {
		if err := c.choose(v, from, to); err != nil {
			return err
		}
	}
	for a := from; a < to; a += w.perPage {
		if err := c.page(v, a, min(a+w.perPage, to)); err != nil {
			return err
		}
	}
	c.settled()
	return nil
}

// measure chooses the rows of a page by the widest column.
func (w *writer) measure(cols []*columnar.Vector, from, to int) {
	var widest, all int64
	for i, v := range cols {
		if w.twin[i] < 0 {
			n := vectorBytes(v, from, to)
			widest = max(widest, n)
			all += n
		}
	}
	n := int64(to - from)
	w.rowBytes = float64(all) / float64(n)
	w.perPage = pageRows
	for w.perPage > 1 && int64(w.perPage)*widest/n > int64(w.maxPage) {
		w.perPage /= 2
	}
}

// groupBytes is what is encoded of the row group.
func (w *writer) groupBytes() int64 {
	var n int64
	for i, c := range w.cols {
		if j := w.twin[i]; j >= 0 {
			c = w.cols[j]
		}
		for _, leaf := range leavesOf(c) {
			n += int64(len(leaf.buf))
		}
	}
	return n
}

// SizeBytes estimates the size of the file, see format.Writer.
func (w *writer) SizeBytes() int64 {
	if w.done {
		return w.at
	}
	n := w.groupBytes()
	if w.pending.N > 0 {
		raw := float64(w.pendingBytes())
		if w.rows > 0 && w.rowBytes > 0 {
			raw *= float64(n) / (w.rowBytes * float64(w.rows))
		} else {
			raw *= 0.7 // as the kv table of the benchmarks comes out
		}
		n += int64(raw)
	}
	return w.at + n
}
