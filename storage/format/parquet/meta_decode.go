package parquet

func decodeFileMeta(b []byte) (*fileMeta, error) {
	r := &thriftReader{b: b}
	m := &fileMeta{}
	r.fields(func(id int16, typ byte) bool {
		switch {
		case id == 1 && typ == tI32:
			m.version = r.i32()
		case id == 2 && typ == tList:
			for n := r.list(tStruct); n > 0 && r.err == nil; n-- {
				m.schema = append(m.schema, r.schemaElement())
			}
		case id == 3 && typ == tI64:
			m.rows = r.i64()
		case id == 4 && typ == tList:
			for n := r.list(tStruct); n > 0 && r.err == nil; n-- {
				m.groups = append(m.groups, r.rowGroup())
			}
		case id == 5 && typ == tList:
			for n := r.list(tStruct); n > 0 && r.err == nil; n-- {
				m.keyValues = append(m.keyValues, r.keyValue())
			}
		case id == 6 && typ == tBinary:
			m.createdBy = r.string()
		case id == 7 && typ == tList:
			for n := r.list(tStruct); n > 0 && r.err == nil; n-- {
				known := false
				r.fields(func(id int16, typ byte) bool { known = known || id == 1; return false })
				m.ordered = append(m.ordered, known)
			}
		case id == 8:
			m.encrypted = true
			return false
		default:
			return false
		}
		return true
	})
	return m, r.err
}

func (r *thriftReader) keyValue() (kv keyValue) {
	r.fields(func(id int16, typ byte) bool {
		switch {
		case id == 1 && typ == tBinary:
			kv.key = r.string()
		case id == 2 && typ == tBinary:
			kv.value = r.string()
		default:
			return false
		}
		return true
	})
	return kv
}

func (r *thriftReader) schemaElement() schemaElement {
	e := schemaElement{typ: pNone, converted: convNone}
	r.fields(func(id int16, typ byte) bool {
		switch {
		case id == 1 && typ == tI32:
			e.typ = physical(r.i32())
		case id == 2 && typ == tI32:
			e.length = r.i32()
		case id == 3 && typ == tI32:
			e.repetition = repetition(r.i32())
		case id == 4 && typ == tBinary:
			e.name = r.string()
		case id == 5 && typ == tI32:
			e.children = r.i32()
		case id == 6 && typ == tI32:
			e.converted = r.i32()
		case id == 7 && typ == tI32:
			e.scale = r.i32()
		case id == 8 && typ == tI32:
			e.precision = r.i32()
		case id == 9 && typ == tI32:
			e.fieldID, e.hasFieldID = r.i32(), true
		case id == 10 && typ == tStruct:
			e.logical = r.logical()
		default:
			return false
		}
		return true
	})
	return e
}

func (r *thriftReader) logical() logical {
	var l logical
	r.fields(func(id int16, typ byte) bool {
		if typ != tStruct {
			return false
		}
		l.kind = id
		r.fields(func(id int16, typ byte) bool { return r.logicalField(&l, id, typ) })
		return true
	})
	return l
}

// logicalField reads one field of the structure that l.kind says.
func (r *thriftReader) logicalField(l *logical, id int16, typ byte) bool {
	switch {
	case l.kind == logDecimal && id == 1 && typ == tI32:
		l.scale = r.i32()
	case l.kind == logDecimal && id == 2 && typ == tI32:
		l.precision = r.i32()
	case (l.kind == logTime || l.kind == logTimestamp) && id == 1 && (typ == tTrue || typ == tFalse):
		l.utc = typ == tTrue
	case (l.kind == logTime || l.kind == logTimestamp) && id == 2 && typ == tStruct:
		r.fields(func(id int16, typ byte) bool { l.unit = uint8(id); return false })
	case l.kind == logInteger && id == 1 && typ == tByte:
		l.bits = int8(r.byte())
	case l.kind == logInteger && id == 2 && (typ == tTrue || typ == tFalse):
		l.signed = typ == tTrue
	case (l.kind == logGeometry || l.kind == logGeography) && id == 1 && typ == tBinary:
		l.crs = r.string()
	case l.kind == logGeography && id == 2 && typ == tI32:
		l.algorithm = r.i32() + 1
	default:
		return false
	}
	return true
}

func (r *thriftReader) rowGroup() rowGroup {
	var g rowGroup
	r.fields(func(id int16, typ byte) bool {
		switch {
		case id == 1 && typ == tList:
			for n := r.list(tStruct); n > 0 && r.err == nil; n-- {
				g.columns = append(g.columns, r.columnChunk())
			}
		case id == 2 && typ == tI64:
			g.bytes = r.i64()
		case id == 3 && typ == tI64:
			g.rows = r.i64()
		default:
			return false
		}
		return true
	})
	return g
}

func (r *thriftReader) columnChunk() columnChunk {
	c := columnChunk{typ: pNone, stats: statistics{nulls: -1}}
	r.fields(func(id int16, typ byte) bool {
		switch {
		case id == 1 && typ == tBinary:
			c.filePath = r.string()
		case id == 3 && typ == tStruct:
			r.fields(func(id int16, typ byte) bool { return r.chunkField(&c, id, typ) })
		case id == 4 && typ == tI64:
			c.offsetIndexAt = r.i64()
		case id == 5 && typ == tI32:
			c.offsetIndexBytes = r.i32()
		case id == 6 && typ == tI64:
			c.columnIndexAt = r.i64()
		case id == 7 && typ == tI32:
			c.columnIndexBytes = r.i32()
		default:
			return false
		}
		return true
	})
	return c
}

func (r *thriftReader) chunkField(c *columnChunk, id int16, typ byte) bool {
	switch {
	case id == 1 && typ == tI32:
		c.typ = physical(r.i32())
	case id == 2 && typ == tList:
		for n := r.list(tI32); n > 0 && r.err == nil; n-- {
			c.encodings = append(c.encodings, encoding(r.i32()))
		}
	case id == 3 && typ == tList:
		for n := r.list(tBinary); n > 0 && r.err == nil; n-- {
			c.path = append(c.path, r.string())
		}
	case id == 4 && typ == tI32:
		c.codec = r.i32()
	case id == 5 && typ == tI64:
		c.values = r.i64()
	case id == 6 && typ == tI64:
		c.uncompressedBytes = r.i64()
	case id == 7 && typ == tI64:
		c.compressedBytes = r.i64()
	case id == 9 && typ == tI64:
		c.dataOffset = r.i64()
	case id == 11 && typ == tI64:
		c.dictOffset = r.i64()
	case id == 12 && typ == tStruct:
		c.stats = r.statistics()
	default:
		return false
	}
	return true
}

func (r *thriftReader) statistics() statistics {
	s := statistics{nulls: -1}
	r.fields(func(id int16, typ byte) bool {
		switch {
		case id == 1 && typ == tBinary:
			s.oldMax, s.hasOM = r.bytes(), true
		case id == 2 && typ == tBinary:
			s.oldMin, s.hasOldMin = r.bytes(), true
		case id == 3 && typ == tI64:
			s.nulls = r.i64()
		case id == 5 && typ == tBinary:
			s.max, s.hasMax = r.bytes(), true
		case id == 6 && typ == tBinary:
			s.min, s.hasMin = r.bytes(), true
		default:
			return false
		}
		return true
	})
	return s
}

func (r *thriftReader) pageHeader() pageHeader {
	h := pageHeader{kind: -1}
	r.fields(func(id int16, typ byte) bool {
		switch {
		case id == 1 && typ == tI32:
			h.kind = pageKind(r.i32())
		case id == 2 && typ == tI32:
			h.uncompressed = r.i32()
		case id == 3 && typ == tI32:
			h.compressed = r.i32()
		case id == 4 && typ == tI32:
			h.crc, h.hasCRC = r.i32(), true
		case id == 5 && typ == tStruct:
			h.hasDetail = true
			r.fields(func(id int16, typ byte) bool { return r.dataPageField(&h, id, typ) })
		case id == 7 && typ == tStruct:
			h.hasDetail = true
			r.fields(func(id int16, typ byte) bool {
				if id == 1 && typ == tI32 {
					h.values = r.i32()
				} else if id == 2 && typ == tI32 {
					h.encoding = encoding(r.i32())
				} else {
					return false
				}
				return true
			})
		case id == 8 && typ == tStruct:
			h.hasDetail = true
			r.fields(func(id int16, typ byte) bool { return r.dataPageV2Field(&h, id, typ) })
		default:
			return false
		}
		return true
	})
	return h
}

func (r *thriftReader) dataPageField(h *pageHeader, id int16, typ byte) bool {
	if typ != tI32 {
		return false
	}
	switch id {
	case 1:
		h.values = r.i32()
	case 2:
		h.encoding = encoding(r.i32())
	case 3:
		h.defEncoding = encoding(r.i32())
	case 4:
		h.repEncoding = encoding(r.i32())
	default:
		return false
	}
	return true
}

func (r *thriftReader) dataPageV2Field(h *pageHeader, id int16, typ byte) bool {
	switch {
	case id == 7 && (typ == tTrue || typ == tFalse):
		h.plain = typ == tFalse
		return true
	case typ != tI32:
		return false
	}
	switch id {
	case 1:
		h.values = r.i32()
	case 2:
		h.nulls = r.i32()
	case 3:
		h.rows = r.i32()
	case 4:
		h.encoding = encoding(r.i32())
	case 5:
		h.defBytes = r.i32()
	case 6:
		h.repBytes = r.i32()
	default:
		return false
	}
	return true
}

func decodeOffsetIndex(b []byte) ([]pageLocation, error) {
	r := &thriftReader{b: b}
	var out []pageLocation
	r.fields(func(id int16, typ byte) bool {
		if id != 1 || typ != tList {
			return false
		}
		for n := r.list(tStruct); n > 0 && r.err == nil; n-- {
			var l pageLocation
			r.fields(func(id int16, typ byte) bool {
				switch {
				case id == 1 && typ == tI64:
					l.offset = r.i64()
				case id == 2 && typ == tI32:
					l.bytes = r.i32()
				case id == 3 && typ == tI64:
					l.firstRow = r.i64()
				default:
					return false
				}
				return true
			})
			out = append(out, l)
		}
		return true
	})
	return out, r.err
}

func decodeColumnIndex(b []byte) (columnIndex, error) {
	r := &thriftReader{b: b}
	var c columnIndex
	r.fields(func(id int16, typ byte) bool {
		if typ != tList {
			return false
		}
		switch id {
		case 1:
			for n := r.list(tTrue); n > 0 && r.err == nil; n-- {
				c.nullPages = append(c.nullPages, r.byte() == 1)
			}
		case 2:
			for n := r.list(tBinary); n > 0 && r.err == nil; n-- {
				c.min = append(c.min, r.bytes())
			}
		case 3:
			for n := r.list(tBinary); n > 0 && r.err == nil; n-- {
				c.max = append(c.max, r.bytes())
			}
		case 5:
			for n := r.list(tI64); n > 0 && r.err == nil; n-- {
				c.nulls = append(c.nulls, r.i64())
			}
		default:
			return false
		}
		return true
	})
	return c, r.err
}
