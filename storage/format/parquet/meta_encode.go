package parquet

import "encoding/binary"

func (w *thriftWriter) schemaElement(e *schemaElement, root bool) {
	w.open(0)
	if e.typ != pNone {
		w.i32(1, int32(e.typ))
		if e.typ == pFixed {
			w.i32(2, e.length)
		}
	}
	if !root {
		w.i32(3, int32(e.repetition))
	}
	w.string(4, e.name)
	if e.typ == pNone {
		w.i32(5, e.children)
	}
	if e.converted != convNone {
		w.i32(6, e.converted)
	}
	if e.converted == convDecimal {
		w.i32(7, e.scale)
		w.i32(8, e.precision)
	}
	if e.hasFieldID {
		w.i32(9, e.fieldID)
	}
	if e.logical.kind != logNone {
		w.open(10)
		w.logical(&e.logical)
		w.close()
	}
	w.close()
}

func (w *thriftWriter) logical(l *logical) {
	w.open(l.kind)
	switch l.kind {
	case logDecimal:
		w.i32(1, l.scale)
		w.i32(2, l.precision)
	case logTime, logTimestamp:
		w.bool(1, l.utc)
		w.open(2)
		w.open(int16(l.unit))
		w.close()
		w.close()
	case logInteger:
		w.i8(1, l.bits)
		w.bool(2, l.signed)
	case logGeometry, logGeography:
		if l.crs != "" {
			w.string(1, l.crs)
		}
		if l.kind == logGeography && l.algorithm > 0 {
			w.i32(2, l.algorithm-1)
		}
	}
	w.close()
}

func (w *thriftWriter) statistics(id int16, s *statistics) {
	w.open(id)
	if s.nulls >= 0 {
		w.i64(3, s.nulls)
	}
	if s.hasMax {
		w.binary(5, s.max)
	}
	if s.hasMin {
		w.binary(6, s.min)
	}
	w.close()
}

func (w *thriftWriter) columnChunk(c *columnChunk) {
	w.open(0)
	start := c.dataOffset
	if c.dictOffset > 0 {
		start = c.dictOffset
	}
	w.i64(2, start)
	w.open(3)
	w.i32(1, int32(c.typ))
	w.list(2, tI32, len(c.encodings))
	for _, e := range c.encodings {
		w.b = binary.AppendVarint(w.b, int64(e))
	}
	w.list(3, tBinary, len(c.path))
	for _, p := range c.path {
		w.bytes([]byte(p))
	}
	w.i32(4, c.codec)
	w.i64(5, c.values)
	w.i64(6, c.uncompressedBytes)
	w.i64(7, c.compressedBytes)
	w.i64(9, c.dataOffset)
	if c.dictOffset > 0 {
		w.i64(11, c.dictOffset)
	}
	w.statistics(12, &c.stats)
	w.close()
	if c.offsetIndexAt > 0 {
		w.i64(4, c.offsetIndexAt)
		w.i32(5, c.offsetIndexBytes)
	}
	if c.columnIndexAt > 0 {
		w.i64(6, c.columnIndexAt)
		w.i32(7, c.columnIndexBytes)
	}
	w.close()
}

func (w *thriftWriter) fileMeta(m *fileMeta) {
	w.open(0)
	w.i32(1, m.version)
	w.list(2, tStruct, len(m.schema))
	for i := range m.schema {
		w.schemaElement(&m.schema[i], i == 0)
	}
	w.i64(3, m.rows)
	w.list(4, tStruct, len(m.groups))
	for i := range m.groups {
		w.rowGroup(&m.groups[i], int16(i))
	}
	if len(m.keyValues) > 0 {
		w.list(5, tStruct, len(m.keyValues))
		for _, kv := range m.keyValues {
			w.open(0)
			w.string(1, kv.key)
			w.string(2, kv.value)
			w.close()
		}
	}
	w.string(6, m.createdBy)
	w.list(7, tStruct, len(m.ordered))
	for range m.ordered {
		w.open(0)
		w.open(1)
		w.close()
		w.close()
	}
	w.close()
}

func (w *thriftWriter) rowGroup(g *rowGroup, ordinal int16) {
	w.open(0)
	w.list(1, tStruct, len(g.columns))
	var compressed int64
	for i := range g.columns {
		compressed += g.columns[i].compressedBytes
		w.columnChunk(&g.columns[i])
	}
	w.i64(2, g.bytes)
	w.i64(3, g.rows)
	if len(g.columns) > 0 {
		first := &g.columns[0]
		at := first.dataOffset
		if first.dictOffset > 0 {
			at = first.dictOffset
		}
		w.i64(5, at)
	}
	w.i64(6, compressed)
	if ordinal >= 0 {
		w.i16(7, ordinal)
	}
	w.close()
}

func (w *thriftWriter) pageHeader(h *pageHeader) {
	w.open(0)
	w.i32(1, int32(h.kind))
	w.i32(2, h.uncompressed)
	w.i32(3, h.compressed)
	if h.hasCRC {
		w.i32(4, h.crc)
	}
	if h.kind == pageDict {
		w.open(7)
		w.i32(1, h.values)
		w.i32(2, int32(h.encoding))
		w.close()
	} else {
		w.open(5)
		w.i32(1, h.values)
		w.i32(2, int32(h.encoding))
		w.i32(3, int32(encRLE))
		w.i32(4, int32(encRLE))
		w.close()
	}
	w.close()
}

func (w *thriftWriter) offsetIndex(pages []pageLocation) {
	w.open(0)
	w.list(1, tStruct, len(pages))
	for i := range pages {
		w.open(0)
		w.i64(1, pages[i].offset)
		w.i32(2, pages[i].bytes)
		w.i64(3, pages[i].firstRow)
		w.close()
	}
	w.close()
}

// Orders of the bounds of a chunk's pages.
const (
	unordered  = 0
	ascending  = 1
	descending = 2
)

func (w *thriftWriter) columnIndex(c *columnIndex, order int32) {
	w.open(0)
	w.list(1, tTrue, len(c.nullPages))
	for _, n := range c.nullPages {
		if n {
			w.b = append(w.b, 1)
		} else {
			w.b = append(w.b, 2)
		}
	}
	for i, bounds := range [][][]byte{c.min, c.max} {
		w.list(int16(2+i), tBinary, len(bounds))
		for _, b := range bounds {
			w.bytes(b)
		}
	}
	w.i32(4, order)
	w.list(5, tI64, len(c.nulls))
	for _, n := range c.nulls {
		w.b = binary.AppendVarint(w.b, n)
	}
	w.close()
}
