package avro

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/avroschema"
	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/types"
)

const (
	magic = "Obj\x01"
	// maxHeaderBytes is the most that the schema and the rest of the metadata take.
	maxHeaderBytes = 16 << 20
	// maxBlockBytes is the most that a block may hold once decompressed.
	maxBlockBytes = 512 << 20
	// batchBytes ends a batch early, so that offsets fit and memory is bounded.
	batchBytes = 64 << 20
	readAhead  = 256 << 10
)

// source reads a file in order through a window.
type source struct {
	f    io.ReaderAt
	path string
	size int64
	base int64 // offset in the file of win[0]
	win  []byte
	pos  int // next byte in win
}

// offset is where the next byte lies in the file.
func (s *source) offset() int64 { return s.base + int64(s.pos) }

// left is how many bytes of the file are not consumed.
func (s *source) left() int64 { return s.size - s.offset() }

// need makes n bytes available at the front of the window, or fewer at the end of
// the file.
func (s *source) need(n int) ([]byte, error) {
	if have := len(s.win) - s.pos; have < n && s.left() > int64(have) {
		s.base += int64(s.pos)
		rest := copy(s.win, s.win[s.pos:])
		s.pos = 0
		room := int(min(max(int64(n), readAhead), s.size-s.base))
		if cap(s.win) < room {
			win := make([]byte, rest, room)
			copy(win, s.win[:rest])
			s.win = win
		}
		s.win = s.win[:min(cap(s.win), room)]
		got, err := s.f.ReadAt(s.win[rest:], s.base+int64(rest))
		if got < len(s.win)-rest {
			s.win = s.win[:rest+got]
			if err == nil || errors.Is(err, io.EOF) {
				return nil, corrupt.Errorf(s.path, s.base+int64(rest+got), "file ends before its %d bytes", s.size)
			}
			return nil, fmt.Errorf("read %s: %w", s.path, err)
		}
	}
	return s.win[s.pos:min(s.pos+n, len(s.win))], nil
}

// exactly consumes n bytes, valid until the next call.
func (s *source) exactly(n int, what string) ([]byte, error) {
	b, err := s.need(n)
	if err != nil {
		return nil, err
	}
	if len(b) < n {
		return nil, corrupt.Errorf(s.path, s.offset(), "%s of %d bytes is cut off after %d", what, n, len(b))
	}
	s.pos += n
	return b, nil
}

// long consumes a varint.
func (s *source) long(what string) (int64, error) {
	b, err := s.need(binary.MaxVarintLen64)
	if err != nil {
		return 0, err
	}
	c := cursor{data: b}
	v := c.long()
	if c.err != nil {
		return 0, corrupt.Errorf(s.path, s.offset(), "%s: %w", what, c.err)
	}
	s.pos += c.pos
	return v, nil
}

// header is what stands before the first block.
type header struct {
	schema *avroschema.Type
	null   int8 // branch of a null record, noUnion where records stand alone
	codec  codec.Codec
	sync   [16]byte
}

func readHeader(s *source) (h header, err error) {
	b, err := s.exactly(len(magic), "magic")
	if err != nil {
		return h, err
	}
	if string(b) != magic {
		return h, corrupt.Errorf(s.path, 0, "file does not begin with the magic of avro files")
	}
	meta, err := readMetadata(s)
	if err != nil {
		return h, err
	}
	if b, err = s.exactly(len(h.sync), "sync marker"); err != nil {
		return h, err
	}
	copy(h.sync[:], b)
	text, ok := meta["avro.schema"]
	if !ok {
		return h, corrupt.Errorf(s.path, 0, "file has no schema")
	}
	if h.schema, h.null, err = recordSchema([]byte(text)); err != nil {
		return h, corrupt.Errorf(s.path, 0, "%w", err)
	}
	if h.codec, err = codecOf(meta["avro.codec"]); err != nil {
		return h, fmt.Errorf("read %s: %w", s.path, err)
	}
	return h, nil
}

// recordSchema reads a file's schema, which must be a record, or a union of one with
// null, as some releases of the reference wrote it; null as in Optional.
func recordSchema(text []byte) (t *avroschema.Type, null int8, err error) {
	if t, err = avroschema.Parse(text); err != nil {
		return nil, 0, err
	}
	if t, null, err = t.Optional(); err != nil {
		return nil, 0, err
	}
	if t.Kind != avroschema.Record {
		return nil, 0, fmt.Errorf("schema is of type %v, want record", t.Kind)
	}
	return t, null, nil
}

func readMetadata(s *source) (map[string]string, error) {
	meta := map[string]string{}
	text := func(what string) (string, error) {
		n, err := s.long(what)
		if err != nil {
			return "", err
		}
		if n < 0 || n > s.left() || n > maxHeaderBytes {
			return "", corrupt.Errorf(s.path, s.offset(), "%s of %d bytes in the header", what, n)
		}
		b, err := s.exactly(int(n), what)
		return string(b), err
	}
	for {
		n, err := s.long("metadata count")
		if err != nil || n == 0 {
			return meta, err
		}
		if n < 0 {
			n = -n
			if _, err := s.long("metadata size"); err != nil {
				return nil, err
			}
		}
		if n < 0 || n > s.left()/2 || s.offset() > maxHeaderBytes {
			return nil, corrupt.Errorf(s.path, s.offset(), "%d entries in the header", n)
		}
		for ; n > 0; n-- {
			key, err := text("metadata key")
			if err != nil {
				return nil, err
			}
			if meta[key], err = text("metadata value"); err != nil {
				return nil, err
			}
		}
	}
}

// reader yields the rows of one file.
type reader struct {
	src     source
	head    header
	pool    *codec.Pool
	ops     []op
	batch   *columnar.Batch
	maxRows int

	cur        cursor // the decompressed block
	raw        []byte // memory of decompressed blocks
	rows       int64  // rows of the block that are not read yet
	blockRows  int64
	blockStart int64 // offset of the block in the file
	err        error // sticky, io.EOF too
}

var _ columnar.Reader = (*reader)(nil)

func openReader(pool *codec.Pool, f fileio.File, path string, o format.ReadOptions) (*reader, error) {
	r := &reader{
		src:     source{f: f, path: path, size: f.SizeBytes()},
		pool:    pool,
		maxRows: o.BatchRows,
	}
	if r.maxRows <= 0 {
		r.maxRows = columnar.BatchRows
	}
	var err error
	if r.head, err = readHeader(&r.src); err != nil {
		return nil, err
	}
	ts := make([]types.Type, len(o.Fields))
	names := make([]string, len(o.Fields))
	for i, f := range o.Fields {
		ts[i], names[i] = f.Type, f.Name
	}
	r.batch = columnar.NewBatch(ts, min(r.maxRows, columnar.BatchRows))
	if r.ops, err = compile(r.head.schema, names, r.batch.Cols); err != nil {
		return nil, corrupt.Errorf(path, 0, "%w", err)
	}
	return r, nil
}

// Close ends reading; the file stays open.
func (r *reader) Close() error {
	if r.err == nil {
		r.err = errors.New("reader is closed")
	}
	return nil
}

// Next returns up to maxRows rows, across blocks.
func (r *reader) Next(ctx context.Context) (*columnar.Batch, error) {
	if r.err != nil {
		return nil, r.err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := r.batch
	b.Reset()
	taken := 0 // bytes of records
	for b.N < r.maxRows && taken < batchBytes {
		if r.rows == 0 {
			if r.err = r.nextBlock(); r.err != nil {
				break
			}
			continue // an empty block is legal
		}
		if len(b.Cols) == 0 {
			n := min(r.rows, int64(r.maxRows-b.N))
			b.N += int(n)
			r.rows -= n
			continue
		}
		from := r.cur.pos
		n := r.decodeRows(b, batchBytes-taken)
		if r.cur.err != nil {
			r.err = corrupt.Errorf(r.src.path, r.blockStart, "record %d of the block: %w", r.blockRows-r.rows+int64(n)-1, r.cur.err)
			return nil, r.err
		}
		r.rows -= int64(n)
		taken += r.cur.pos - from
		if r.rows == 0 && r.cur.left() > 0 {
			r.err = corrupt.Errorf(r.src.path, r.blockStart, "%d bytes behind the last record of the block", r.cur.left())
			return nil, r.err
		}
	}
	if r.err != nil && (r.err != io.EOF || b.N == 0) {
		return nil, r.err
	}
	for _, v := range b.Cols {
		leaveSlack(v)
	}
	return b, nil
}

// decodeRows appends rows of the block until the batch or the block is full, and
// returns how many it tried; the last one failed if the cursor has an error.
func (r *reader) decodeRows(b *columnar.Batch, maxBytes int) int {
	n := int(min(r.rows, int64(r.maxRows-b.N)))
	end := r.cur.pos + maxBytes
	done := 0
	for done < n && r.cur.err == nil && r.cur.pos < end {
		if r.head.null != avroschema.NoUnion {
			r.cur.present(r.head.null)
		}
		if r.cur.err == nil {
			r.cur.run(r.ops)
		}
		done++
	}
	b.N += done
	return done
}

// leaveSlack keeps room behind the bytes of strings, see columnar.SlackBytes.
func leaveSlack(v *columnar.Vector) {
	if columnar.LayoutOf(v.Type) == columnar.Str && cap(v.Data)-len(v.Data) < columnar.SlackBytes {
		data := make([]byte, len(v.Data), len(v.Data)*5/4+columnar.SlackBytes)
		copy(data, v.Data)
		v.Data = data
	}
	for _, c := range v.Children {
		leaveSlack(c)
	}
}

// nextBlock reads and decompresses a block; io.EOF behind the last one.
func (r *reader) nextBlock() error {
	s := &r.src
	if s.left() == 0 {
		return io.EOF
	}
	r.blockStart = s.offset()
	count, err := s.long("record count")
	if err != nil {
		return err
	}
	size, err := s.long("block size")
	if err != nil {
		return err
	}
	if count < 0 || size < 0 || size > s.left()-int64(len(r.head.sync)) || size > maxBlockBytes {
		return corrupt.Errorf(s.path, r.blockStart, "block of %d records in %d bytes, %d bytes are left", count, size, s.left())
	}
	data, err := s.exactly(int(size)+len(r.head.sync), "block")
	if err != nil {
		return err
	}
	data, sync := data[:size], data[size:]
	if !bytes.Equal(sync, r.head.sync[:]) {
		return corrupt.Errorf(s.path, s.offset()-int64(len(sync)), "sync marker differs from the header's")
	}
	r.rows, r.blockRows = count, count
	if len(r.ops) == 0 || len(r.batch.Cols) == 0 {
		r.cur = cursor{}
		if count > int64(maxBlockBytes) {
			return corrupt.Errorf(s.path, r.blockStart, "block of %d records in %d bytes", count, size)
		}
		return nil // the rows are only counted
	}
	if data, err = r.decompress(data); err != nil {
		return corrupt.Errorf(s.path, r.blockStart, "block: %w", err)
	}
	most := int64(emptyItems)
	if least := r.head.schema.MinBytes; least > 0 {
		most = int64(len(data) / least)
	}
	if count > most {
		return corrupt.Errorf(s.path, r.blockStart, "block of %d records in %d bytes", count, len(data))
	}
	if count == 0 && len(data) > 0 {
		return corrupt.Errorf(s.path, r.blockStart, "block of no records in %d bytes", len(data))
	}
	r.cur = cursor{data: data}
	return nil
}

func (r *reader) decompress(data []byte) ([]byte, error) {
	switch r.head.codec {
	case codec.None:
		return data, nil
	case codec.Snappy: // the CRC of the raw bytes follows
		if len(data) < 4 {
			return nil, fmt.Errorf("snappy data of %d bytes", len(data))
		}
		sum := binary.BigEndian.Uint32(data[len(data)-4:])
		var err error
		if r.raw, err = r.pool.DecompressBounded(codec.Snappy, r.raw[:0], data[:len(data)-4], maxBlockBytes); err != nil {
			return nil, err
		}
		if got := crc32.ChecksumIEEE(r.raw); got != sum {
			return nil, fmt.Errorf("checksum %08x, want %08x", got, sum)
		}
		return r.raw, nil
	}
	var err error
	r.raw, err = r.pool.DecompressBounded(r.head.codec, r.raw[:0], data, maxBlockBytes)
	return r.raw, err
}
