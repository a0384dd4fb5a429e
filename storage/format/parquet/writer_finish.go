package parquet

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// chunkIndex is what the page indexes will say of a chunk.
type chunkIndex struct {
	group, leaf int
	pages       []pageLocation
	bounds      *columnIndex // nil: none
	order       int32
}

// flatWriter is the columnWriter of a column that is not nested.
type flatWriter struct {
	c     *chunkWriter
	ready bool // unit and its codes are those of the rows that follow
	used  int  // values of unit that are encoded
}

func newColumnWriter(n *node, t types.Type, chunks []*chunkWriter) (columnWriter, error) {
	if n.leaf >= 0 {
		c := chunks[n.leaf]
		c.leaf, c.t = n, t
		return &flatWriter{c: c}, nil
	}
	return newNestedWriter(n, t, chunks)
}

func (f *flatWriter) choose(v *columnar.Vector, from, to int) error {
	if err := f.c.unit.set(f.c.leaf, v, from, to); err != nil {
		return err
	}
	f.c.choose(&f.c.unit)
	f.ready, f.used = true, 0
	return nil
}

func (f *flatWriter) settled() { f.ready = false }

func (f *flatWriter) page(v *columnar.Vector, from, to int) error {
	c := f.c
	var codes []int32
	d := &c.vals
	if f.ready {
		n := to - from
		if v.Valid != nil {
			n = countValid(v.Valid, from, to)
		}
		if c.enc == encRLEDict {
			codes = c.dict.codes[f.used : f.used+n]
		}
		part := c.unit.part(c.leaf.typ, widthOf(c.leaf.typ, c.leaf.length), f.used, f.used+n)
		f.used += n
		d = &part
	} else if err := d.set(c.leaf, v, from, to); err != nil {
		return err
	}
	c.body = c.body[:0]
	if c.leaf.maxDef > 0 {
		var at int
		c.body, at = openLevels(c.body)
		valid := v.Valid
		if d.n == to-from {
			valid = nil
		}
		c.body = appendValidity(c.body, valid, from, to-from)
		closeLevels(c.body, at)
	}
	return c.page(d, codes, c.body, to-from, to-from)
}

// leavesOf are the chunks of a column.
func leavesOf(c columnWriter) []*chunkWriter {
	switch c := c.(type) {
	case *flatWriter:
		return []*chunkWriter{c.c}
	case *nestedWriter:
		return c.chunks
	}
	return nil
}

// checkTwins ends the sharing of pages of columns that do not hold the same slices.
func (w *writer) checkTwins(b *columnar.Batch) error {
	for i, j := range w.twin {
		if j < 0 || sameSlices(b.Cols[i], b.Cols[j]) {
			continue
		}
		own, other := w.cols[i].(*flatWriter), w.cols[j].(*flatWriter)
		leaf := own.c.leaf
		own.c.copyFrom(other.c)
		own.c.leaf = leaf
		w.pending.Cols[i].Reset()
		columnar.AppendRange(w.pending.Cols[i], w.pending.Cols[j], 0, w.pending.N)
		w.twin[i] = -1
	}
	return nil
}

func sameSlices(a, b *columnar.Vector) bool {
	if a == b {
		return true
	}
	return a.N == b.N && a.Dict == b.Dict && sameStart(a.Codes, b.Codes) && sameStart(a.I32, b.I32) && sameStart(a.I64, b.I64) &&
		sameStart(a.F32, b.F32) && sameStart(a.F64, b.F64) && sameStart(a.D128, b.D128) && sameStart(a.Off, b.Off) && sameStart(a.Data, b.Data)
}

func sameStart[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// copyFrom takes over what another chunk has encoded.
func (c *chunkWriter) copyFrom(o *chunkWriter) {
	c.enc, c.mode, c.dictUsed, c.chosen = o.enc, o.mode, o.dictUsed, o.chosen
	c.buf, c.ends = append(c.buf[:0], o.buf...), append(c.ends[:0], o.ends...)
	c.pages = append(c.pages[:0], o.pages...)
	c.rawBytes, c.values, c.nulls, c.rows, c.used = o.rawBytes, o.values, o.nulls, o.rows, o.used
	c.total.ok, c.total.nan = false, false
	c.total.merge(c.leaf, &o.total)
	c.dict.reset()
	c.dict.n = o.dict.n
	c.dict.keys = append(c.dict.keys, o.dict.keys...)
	c.dict.off = append(c.dict.off[:0], o.dict.off...)
	c.dict.data = append(c.dict.data, o.dict.data...)
	c.dict.slots = append(c.dict.slots[:0], o.dict.slots...)
	c.dict.tslot = append(c.dict.tslot[:0], o.dict.tslot...)
}

// flushGroup writes the row group's chunks and starts a new one.
func (w *writer) flushGroup() error {
	if w.rows == 0 {
		return nil
	}
	g := rowGroup{rows: w.rows}
	index := len(w.meta.groups)
	for i, c := range w.cols {
		if j := w.twin[i]; j >= 0 {
			c = w.cols[j]
		}
		mine, leaves := leavesOf(w.cols[i]), leavesOf(c)
		w.totals[i].add(leaves[0])
		for k, leaf := range leaves {
			chunk, err := w.writeChunk(leaf, mine[k].leaf, index)
			if err != nil {
				return err
			}
			g.bytes += chunk.uncompressedBytes
			g.columns = append(g.columns, chunk)
		}
	}
	w.meta.groups = append(w.meta.groups, g)
	w.meta.rows += w.rows
	for _, c := range w.chunks {
		c.reset()
	}
	w.rows, w.perPage = 0, 0
	return nil
}

// writeChunk writes what c has encoded as the chunk of leaf.
func (w *writer) writeChunk(c *chunkWriter, leaf *node, group int) (columnChunk, error) {
	chunk := columnChunk{path: leaf.path, typ: leaf.typ, values: c.values, stats: statistics{nulls: c.nulls}}
	raw := c.rawBytes
	dict, data, err := c.finish()
	if err != nil {
		return chunk, err
	}
	chunk.uncompressedBytes, chunk.compressedBytes = c.rawBytes, int64(len(dict)+len(data))
	if dict != nil {
		chunk.dictOffset = w.at
	}
	chunk.dataOffset = w.at + int64(len(dict))
	ix := chunkIndex{group: group, leaf: leaf.leaf}
	for i := range c.pages {
		p := &c.pages[i]
		ix.pages = append(ix.pages, pageLocation{offset: chunk.dataOffset + int64(p.at), bytes: int32(p.size), firstRow: p.firstRow})
	}
	if hasBounds(c.t, leaf.typ) && !c.total.nan {
		if c.total.ok && len(c.total.min)+len(c.total.max) <= maxChunkBounds {
			chunk.stats.hasMin, chunk.stats.hasMax = true, true
			chunk.stats.min, chunk.stats.max = append([]byte(nil), c.total.min...), append([]byte(nil), c.total.max...)
		}
		ix.bounds, ix.order = c.index()
	}
	w.indexes = append(w.indexes, ix)
	if c.mode == compressed || c.mode == literals {
		chunk.codec = codecNumber(c.codec)
	}
	if leaf.maxDef > 0 || leaf.maxRep > 0 || c.dictUsed {
		c.used[encRLE] = true
	}
	for e, used := range c.used {
		if used {
			chunk.encodings = append(chunk.encodings, encoding(e))
		}
	}
	for _, b := range [][]byte{dict, data} {
		if _, err := w.w.Write(b); err != nil {
			return chunk, fmt.Errorf("write parquet: %w", err)
		}
		w.at += int64(len(b))
	}
	c.buf, c.rawBytes = c.buf[:len(data)], raw // for a twin
	return chunk, nil
}

// index makes the column index of a chunk's pages, and finds their order.
func (c *chunkWriter) index() (*columnIndex, int32) {
	ix := &columnIndex{}
	ends := append([]byte(nil), c.ends...)
	up, down := true, true
	last := -1
	for i := range c.pages {
		p := &c.pages[i]
		ix.nulls = append(ix.nulls, p.nulls)
		ix.nullPages = append(ix.nullPages, !p.bounded)
		lo, hi := ends[p.min[0]:p.min[1]], ends[p.max[0]:p.max[1]]
		ix.min, ix.max = append(ix.min, lo), append(ix.max, hi)
		if !p.bounded {
			continue
		}
		if last >= 0 {
			a, b := compareStored(c.leaf, ix.min[last], lo), compareStored(c.leaf, ix.max[last], hi)
			up = up && a <= 0 && b <= 0
			down = down && a >= 0 && b >= 0
		}
		last = i
	}
	switch {
	case up:
		return ix, ascending
	case down:
		return ix, descending
	}
	return ix, unordered
}

// Finish writes what is left, the page indexes and the footer, see format.Writer.
func (w *writer) Finish() error {
	if w.err == nil && !w.done {
		w.err = w.finish()
		w.done = true
		for _, c := range w.chunks {
			w.f.free.putChunk(c)
		}
		for _, v := range w.pending.Cols {
			w.f.free.putVector(v)
		}
		w.chunks, w.cols, w.pending = nil, nil, nil
	}
	return w.err
}

func (w *writer) finish() error {
	if err := w.flushPending(); err != nil {
		return err
	}
	if err := w.flushGroup(); err != nil {
		return err
	}
	out := w.appendIndexes(nil)
	sum := crc32.ChecksumIEEE(out)
	at := len(out)
	out = w.appendFooter(out, sum)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(out)-at))
	out = append(out, magic...)
	if _, err := w.w.Write(out); err != nil {
		return fmt.Errorf("write parquet: %w", err)
	}
	w.at += int64(len(out))
	return nil
}

// appendIndexes appends all column indexes, then all offset indexes, and notes in
// the chunks where they are.
func (w *writer) appendIndexes(dst []byte) []byte {
	tw := &thriftWriter{b: dst}
	for i := range w.indexes {
		ix := &w.indexes[i]
		if ix.bounds == nil {
			continue
		}
		c := &w.meta.groups[ix.group].columns[ix.leaf]
		at := len(tw.b)
		tw.columnIndex(ix.bounds, ix.order)
		c.columnIndexAt, c.columnIndexBytes = w.at+int64(at), int32(len(tw.b)-at)
	}
	for i := range w.indexes {
		ix := &w.indexes[i]
		c := &w.meta.groups[ix.group].columns[ix.leaf]
		at := len(tw.b)
		tw.offsetIndex(ix.pages)
		c.offsetIndexAt, c.offsetIndexBytes = w.at+int64(at), int32(len(tw.b)-at)
	}
	return tw.b
}

func (w *writer) appendFooter(dst []byte, indexCRC uint32) []byte {
	m := &w.meta
	m.version, m.schema, m.createdBy = 1, w.schema, createdBy+createdVersion
	m.ordered = make([]bool, len(w.leaves))
	m.keyValues = []keyValue{{crcKey, strings.Repeat("0", crcChars)}}
	tw := &thriftWriter{b: dst}
	start := len(dst)
	tw.fileMeta(m)
	raw := tw.b[start:]
	at := strings.LastIndex(string(raw), crcKey) + len(crcKey) + 2
	var sums [8]byte
	binary.BigEndian.PutUint32(sums[4:], indexCRC)
	hex.Encode(raw[at:], sums[:])
	binary.BigEndian.PutUint32(sums[:], footerCRC(raw, at))
	hex.Encode(raw[at:], sums[:])
	return tw.b
}
