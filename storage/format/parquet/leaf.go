package parquet

import (
	"encoding/binary"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// leafReader delivers the slots of a leaf, rows at a time. Slots from to to-1 and
// the dense values from denseFrom on are those of the rows filled last.
type leafReader struct {
	flat      *flatColumn
	levels    bool // only levels are wanted
	def, rep  []uint8
	from, to  int
	dense     *columnar.Vector
	denseFrom int
	denseTo   int
}

// newLeafReader makes a reader of levels alone.
func newLeafReader(s *source, n *node) *leafReader {
	flat := &flatColumn{}
	flat.source, flat.leaf, flat.mem = s, n, s.free.takeColumn()
	return &leafReader{flat: flat, levels: true, dense: columnar.NewVector(types.Of(types.Int), 0)}
}

func (l *leafReader) open(g *rowGroup) error {
	l.def, l.rep, l.from, l.to = l.def[:0], l.rep[:0], 0, 0
	l.dense.Reset()
	l.denseFrom, l.denseTo = 0, 0
	f := l.flat
	chunk := &g.columns[f.leaf.leaf]
	f.dict, f.row, f.rows, f.used = nil, 0, chunk.values, 0
	return f.start(chunk, nil)
}

// fill moves on to the next n rows, reading pages until the last of them is whole.
func (l *leafReader) fill(n int) error {
	l.drop()
	at, rows, values := 0, 0, 0
	for {
		for ; at < len(l.def); at++ {
			if l.flat.leaf.maxRep == 0 || l.rep[at] == 0 {
				if rows == n {
					break
				}
				rows++
			} else if rows == 0 {
				return l.flat.wrap(l.flat.pos, badf("a row group begins within a row"))
			}
			if l.def[at] == l.flat.leaf.maxDef {
				values++
			}
		}
		if at < len(l.def) || rows == n && l.flat.row == l.flat.rows || rows == n && l.flat.leaf.maxRep == 0 {
			break
		}
		if l.flat.row == l.flat.rows {
			return l.flat.wrap(l.flat.pos, badf("%d rows are left, want %d", rows, n))
		}
		if err := l.load(); err != nil {
			return err
		}
	}
	l.to, l.denseTo = at, values
	return nil
}

// drop forgets the slots of the rows filled last.
func (l *leafReader) drop() {
	l.def = l.def[:copy(l.def, l.def[l.to:])]
	if l.flat.leaf.maxRep > 0 {
		l.rep = l.rep[:copy(l.rep, l.rep[l.to:])]
	}
	l.from, l.to = 0, 0
	l.denseFrom = l.denseTo
	if l.dense.N == l.denseFrom {
		l.dense.Reset()
		l.denseFrom = 0
	} else if l.denseFrom > 0 {
		rest := columnar.NewVector(l.dense.Type, l.dense.N-l.denseFrom)
		columnar.AppendRange(rest, l.dense, l.denseFrom, l.dense.N)
		l.dense, l.denseFrom = rest, 0
	}
	l.denseTo = 0
}

// load appends the slots of the next page.
func (l *leafReader) load() error {
	f := l.flat
	h, size, err := f.nextData()
	if err != nil {
		return err
	}
	at := f.pos
	body, err := f.body(&h, size)
	if err != nil {
		return err
	}
	f.row += int64(h.values)
	if err := l.decode(&h, body); err != nil {
		return f.wrap(at, err)
	}
	return nil
}

func (l *leafReader) decode(h *pageHeader, body []byte) error {
	f, n, from := l.flat, int(h.values), len(l.def)
	repLevels, defLevels, body, err := splitLevels(h, f.leaf, body)
	if err != nil {
		return err
	}
	if f.leaf.maxRep > 0 {
		l.rep = extend(l.rep, n)
		if err := decodeLevels(l.rep[from:], repLevels, f.leaf.maxRep); err != nil {
			return err
		}
	}
	l.def = extend(l.def, n)
	values := n
	if f.leaf.maxDef > 0 {
		if err := decodeLevels(l.def[from:], defLevels, f.leaf.maxDef); err != nil {
			return err
		}
		values = 0
		for _, d := range l.def[from:] {
			if d == f.leaf.maxDef {
				values++
			}
		}
	} else {
		clear(l.def[from:])
	}
	if l.levels || values == 0 {
		return nil
	}
	f.page.N = 0
	if err := f.decodeValues(h.encoding, values, values, body); err != nil {
		return err
	}
	f.page.N = values
	columnar.AppendRange(l.dense, &f.page, 0, values)
	f.page.N = 0
	return nil
}

// splitLevels cuts the two kinds of levels off a page.
func splitLevels(h *pageHeader, leaf *node, body []byte) (rep, def, rest []byte, err error) {
	if h.kind == pageDataV2 {
		a, b := int(h.repBytes), int(h.repBytes+h.defBytes)
		return body[:a], body[a:b], body[b:], nil
	}
	cut := func(e encoding) []byte {
		if e != encRLE {
			err = badf("levels in encoding %v", e)
			return nil
		}
		if len(body) < 4 || uint64(binary.LittleEndian.Uint32(body)) > uint64(len(body)-4) {
			err = badf("levels are cut short")
			return nil
		}
		n := 4 + int(binary.LittleEndian.Uint32(body))
		out := body[4:n]
		body = body[n:]
		return out
	}
	if leaf.maxRep > 0 {
		rep = cut(h.repEncoding)
	}
	if leaf.maxDef > 0 && err == nil {
		def = cut(h.defEncoding)
	}
	return rep, def, body, err
}
