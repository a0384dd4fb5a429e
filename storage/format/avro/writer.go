package avro

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/codec"
)

// putcode says how a value is written.
type putcode uint8

const (
	putBool putcode = iota
	putInt
	putLong
	putFloat
	putDouble
	putStr
	putDecimal
	putWideDecimal
	putList   // ARRAY, and MAP and MULTISET of either form: sub in turn for each entry
	putVector // size entries
	putRecord
)

// put is one step of the program that writes a record.
type put struct {
	code     putcode
	nullable bool
	required bool // null is refused though the schema allows it: keys of maps
	size     int
	name     string
	sub      []put
}

// blockBytes is how many bytes of records a block collects.
const blockBytes = 256 << 10

// writer writes one file. Bytes of a block that is not full are kept in raw.
type writer struct {
	w      io.Writer
	pool   *codec.Pool
	codec  codec.Codec
	level  int
	header []byte // not written yet; nil afterwards
	puts   []put
	sync   [16]byte
	limit  int

	raw, packed []byte
	rows        int64 // in raw
	written     int64 // bytes
	rawWritten  int64 // bytes of the blocks in written before compression
	err         error
}

func newWriter(pool *codec.Pool, w io.Writer, o format.WriteOptions) (*writer, error) {
	schema, puts, err := writeSchema(o.Fields)
	if err != nil {
		return nil, err
	}
	name, err := codecName(o)
	if err != nil {
		return nil, err
	}
	c, err := codecOf(name)
	if err != nil {
		return nil, err
	}
	out := &writer{w: w, pool: pool, codec: c, level: max(o.ZstdLevel, 1), puts: puts, limit: blockBytes}
	if o.BlockBytes > 0 {
		out.limit = int(min(o.BlockBytes, blockBytes))
	}
	h := append([]byte(magic), 4) // two entries
	for _, kv := range [][2]string{{"avro.schema", string(schema)}, {"avro.codec", name}} {
		for _, s := range kv {
			h = append(binary.AppendVarint(h, int64(len(s))), s...)
		}
	}
	out.header = append(h, 0)
	return out, nil
}

// Write appends the live rows of a batch.
func (w *writer) Write(b *columnar.Batch) error {
	if w.err != nil {
		return w.err
	}
	if len(b.Cols) != len(w.puts) {
		return fmt.Errorf("batch has %d columns, want %d", len(b.Cols), len(w.puts))
	}
	for r := range b.Rows() {
		i := r
		if b.Sel != nil {
			i = int(b.Sel[r])
		}
		for c := range w.puts {
			w.value(&w.puts[c], b.Cols[c], i)
		}
		w.rows++
		if len(w.raw) >= w.limit {
			w.flush()
		}
		if w.err != nil {
			return w.err
		}
	}
	return nil
}

// SizeBytes estimates the size from how well the blocks so far were compressed.
func (w *writer) SizeBytes() int64 {
	pending := int64(len(w.raw))
	if w.rawWritten > 0 {
		pending = int64(float64(pending) * float64(w.written) / float64(w.rawWritten))
	}
	return int64(len(w.header)) + w.written + pending
}

// Finish writes the last block.
func (w *writer) Finish() error {
	if w.err == nil && (w.rows > 0 || w.header != nil) {
		w.flush()
	}
	return w.err
}

// flush writes the header, if it is still to come, and the records in raw as a block.
func (w *writer) flush() {
	if w.err != nil {
		return
	}
	out := w.packed[:0]
	if w.header != nil {
		// The marker only has to differ between files as a rule; taking it from
		// the content makes files repeatable.
		h := sha256.New()
		h.Write(w.header)
		h.Write(w.raw)
		copy(w.sync[:], h.Sum(nil))
		out = append(append(out, w.header...), w.sync[:]...)
		w.header = nil
	}
	if w.rows > 0 {
		out = w.block(out)
	}
	if w.err == nil {
		if _, err := w.w.Write(out); err != nil {
			w.err = fmt.Errorf("write avro block: %w", err)
		}
	}
	w.written += int64(len(out))
	w.rawWritten += int64(len(w.raw))
	w.packed, w.raw, w.rows = out, w.raw[:0], 0
}

// block appends the records in raw as a block. The size stands before the
// compressed bytes, so these are made behind room for the largest size.
func (w *writer) block(out []byte) []byte {
	out = binary.AppendVarint(out, w.rows)
	at := len(out)
	out = append(out, make([]byte, binary.MaxVarintLen64)...)
	body := len(out)
	out, err := w.pool.CompressChecked(w.codec, w.level, out, w.raw)
	if err != nil {
		w.err = fmt.Errorf("compress avro block: %w", err)
		return out
	}
	if w.codec == codec.Snappy {
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(w.raw))
	}
	size := binary.AppendVarint(out[at:at], int64(len(out)-body)) // into the room
	n := copy(out[at+len(size):], out[body:])
	return append(out[:at+len(size)+n], w.sync[:]...)
}

func (w *writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// value writes slot i of v.
func (w *writer) value(p *put, v *columnar.Vector, i int) {
	if v.IsNull(i) {
		if !p.nullable || p.required {
			w.fail("column or member %q is null, but its type is NOT NULL", p.name)
			return
		}
		w.raw = append(w.raw, 0)
		return
	}
	if p.nullable {
		w.raw = append(w.raw, 2)
	}
	if v.Dict != nil {
		v, i = v.Dict, int(v.Codes[i])
	}
	switch p.code {
	case putBool:
		w.raw = append(w.raw, byte(v.I32[i]&1))
	case putInt:
		w.raw = binary.AppendVarint(w.raw, int64(v.I32[i]))
	case putLong:
		w.raw = binary.AppendVarint(w.raw, v.I64[i])
	case putFloat:
		w.raw = binary.LittleEndian.AppendUint32(w.raw, math.Float32bits(v.F32[i]))
	case putDouble:
		w.raw = binary.LittleEndian.AppendUint64(w.raw, math.Float64bits(v.F64[i]))
	case putStr:
		s := v.Data[v.Off[i]:v.Off[i+1]]
		w.raw = append(binary.AppendVarint(w.raw, int64(len(s))), s...)
	case putDecimal:
		x := v.I64[i]
		w.decimal(columnar.Int128{Lo: uint64(x), Hi: x >> 63})
	case putWideDecimal:
		w.decimal(v.D128[i])
	case putRecord:
		for c := range p.sub {
			w.value(&p.sub[c], v.Children[c], i)
		}
	case putList:
		w.list(p, v, int(v.Off[i]), int(v.Off[i+1]))
	case putVector:
		w.list(p, v, i*p.size, (i+1)*p.size)
	}
}

// list writes entries from to to of v's children as one block.
func (w *writer) list(p *put, v *columnar.Vector, from, to int) {
	if from < to {
		w.raw = binary.AppendVarint(w.raw, int64(to-from))
		for k := from; k < to; k++ {
			for c := range p.sub {
				w.value(&p.sub[c], v.Children[c], k)
			}
		}
	}
	w.raw = append(w.raw, 0)
}

// decimal writes the fewest big-endian bytes of two's complement.
func (w *writer) decimal(d columnar.Int128) {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(d.Hi))
	binary.BigEndian.PutUint64(b[8:], d.Lo)
	s := b[:]
	for len(s) > 1 && (s[0] == 0 && s[1] < 0x80 || s[0] == 0xff && s[1] >= 0x80) {
		s = s[1:]
	}
	w.raw = append(binary.AppendVarint(w.raw, int64(len(s))), s...)
}
