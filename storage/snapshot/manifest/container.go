package manifest

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/google/uuid"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"github.com/lakesql/lakesql/internal/corrupt"
)

const (
	magic         = "Obj\x01"
	syncBytes     = 16
	blockBytes    = 64 << 10 // uncompressed size at which a block is closed
	maxBlockBytes = 64 << 20 // a block that claims to be larger is damaged

	metaSchema = "avro.schema"
	metaCodec  = "avro.codec"
)

// Compression of written files, as the Avro codec names it.
const (
	codecZstd    = "zstandard"
	codecNull    = "null"
	codecDeflate = "deflate"
	codecSnappy  = "snappy"
	codecBzip2   = "bzip2"
)

var (
	zstdEncoder = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2))
	})
	zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxBlockBytes))
	})
)

// Compression says how written manifests are compressed: an Avro codec.
type Compression string

// ParseCompression reads the value of the option manifest.compression; "" is zstd.
func ParseCompression(s string) (Compression, error) {
	switch s {
	case "", "zstd", "ZSTD", codecZstd:
		return codecZstd, nil
	case "none", "null", "NONE":
		return codecNull, nil
	case codecSnappy, codecDeflate:
		return Compression(s), nil
	}
	return "", fmt.Errorf("manifest.compression '%s' is not supported for writing; use zstd, snappy, deflate or none", s)
}

// containerWriter frames records as an Avro container.
type containerWriter struct {
	codec Compression
	out   []byte // finished blocks
	block []byte // records of the open block
	count int64
	sync  [syncBytes]byte
}

func newContainer(schema string, codec Compression) *containerWriter {
	if codec == "" {
		codec = codecZstd
	}
	w := &containerWriter{codec: codec, sync: uuid.New(), out: make([]byte, 0, len(schema)+512)}
	w.out = append(w.out, magic...)
	w.out = appendLong(w.out, 2)
	w.out = appendText(appendText(w.out, metaSchema), schema)
	w.out = appendText(appendText(w.out, metaCodec), string(codec))
	w.out = append(w.out, 0)
	w.out = append(w.out, w.sync[:]...)
	return w
}

// endRecord is called after a record was appended to w.block.
func (w *containerWriter) endRecord() error {
	w.count++
	if len(w.block) >= blockBytes {
		return w.flush()
	}
	return nil
}

// sizeBytes estimates the finished size; the open block counts uncompressed.
func (w *containerWriter) sizeBytes() int64 { return int64(len(w.out) + len(w.block)) }

func (w *containerWriter) flush() error {
	if w.count == 0 {
		return nil
	}
	body, err := compress(w.codec, w.block)
	if err != nil {
		return err
	}
	w.out = appendLong(w.out, w.count)
	w.out = appendBytes(w.out, body)
	w.out = append(w.out, w.sync[:]...)
	w.block, w.count = w.block[:0], 0
	return nil
}

// finish returns the bytes of the file.
func (w *containerWriter) finish() ([]byte, error) {
	err := w.flush()
	return w.out, err
}

func compress(codec Compression, block []byte) ([]byte, error) {
	switch codec {
	case codecNull:
		return block, nil
	case codecZstd:
		e, err := zstdEncoder()
		if err != nil {
			return nil, err
		}
		return e.EncodeAll(block, make([]byte, 0, len(block)/2+64)), nil
	case codecSnappy:
		return binary.BigEndian.AppendUint32(snappy.Encode(nil, block), crc32.ChecksumIEEE(block)), nil
	case codecDeflate:
		var b bytes.Buffer
		f, err := flate.NewWriter(&b, flate.DefaultCompression)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(block); err != nil {
			return nil, err
		}
		err = f.Close()
		return b.Bytes(), err
	}
	return nil, fmt.Errorf("avro codec %q cannot be written", codec)
}

func decompress(codec Compression, body []byte) ([]byte, error) {
	switch codec {
	case codecNull:
		return body, nil
	case codecZstd:
		d, err := zstdDecoder()
		if err != nil {
			return nil, err
		}
		return d.DecodeAll(body, nil)
	case codecSnappy:
		if len(body) < 4 {
			return nil, io.ErrUnexpectedEOF
		}
		body, sum := body[:len(body)-4], binary.BigEndian.Uint32(body[len(body)-4:])
		if n, err := snappy.DecodedLen(body); err != nil || n > maxBlockBytes {
			return nil, fmt.Errorf("snappy block of %d bytes: %w", n, snappy.ErrCorrupt)
		}
		block, err := snappy.Decode(nil, body)
		if err == nil && crc32.ChecksumIEEE(block) != sum {
			err = snappy.ErrCorrupt
		}
		return block, err
	case codecDeflate:
		return readBounded(flate.NewReader(bytes.NewReader(body)))
	case codecBzip2:
		return readBounded(bzip2.NewReader(bytes.NewReader(body)))
	}
	return nil, fmt.Errorf("avro codec %q is not supported", codec)
}

func readBounded(r io.Reader) ([]byte, error) {
	block, err := io.ReadAll(io.LimitReader(r, maxBlockBytes+1))
	if err == nil && len(block) > maxBlockBytes {
		err = fmt.Errorf("block is larger than %d bytes", maxBlockBytes)
	}
	return block, err
}

// container is a parsed file header.
type container struct {
	schema []byte
	codec  Compression
	sync   []byte
	body   []byte // blocks
	offset int    // of body in the file
}

func openContainer(data []byte) (*container, error) {
	if len(data) < len(magic) || string(data[:len(magic)]) != magic {
		return nil, corrupt.Errorf("", 0, "it is no Avro container")
	}
	d := &decoder{buf: data, off: len(magic)}
	c := &container{codec: codecNull}
	for {
		count := d.blockCount()
		if count == 0 {
			break
		}
		for ; count > 0 && d.err == nil; count-- {
			key := string(d.take(d.varint()))
			value := d.take(d.varint())
			switch key {
			case metaSchema:
				c.schema = value
			case metaCodec:
				c.codec = Compression(value)
			}
		}
	}
	c.sync = d.take(syncBytes)
	if d.err != nil {
		return nil, d.err
	}
	if c.schema == nil {
		return nil, corrupt.Errorf("", 0, "its header has no avro.schema")
	}
	switch c.codec {
	case codecNull, codecZstd, codecSnappy, codecDeflate, codecBzip2:
	default:
		return nil, fmt.Errorf("avro codec %q is not supported", c.codec)
	}
	c.body, c.offset = data[d.off:], d.off
	return c, nil
}

// blocks calls do for every block with its record count and its bytes, which do
// may keep.
func (c *container) blocks(do func(count int, d *decoder) error) error {
	d := &decoder{buf: c.body}
	for d.off < len(d.buf) {
		start := int64(c.offset + d.off)
		count := d.varint()
		body := d.take(d.varint())
		mark := d.take(syncBytes)
		if d.err != nil {
			return corrupt.Errorf("", start, "block is cut off")
		}
		if !bytes.Equal(mark, c.sync) {
			return corrupt.Errorf("", start, "block does not end with the sync marker")
		}
		block, err := decompress(c.codec, body)
		if err != nil {
			return corrupt.Errorf("", start, "block: %w", err)
		}
		if count < 0 || count > int64(len(block)) {
			return corrupt.Errorf("", start, "block of %d bytes claims %d records", len(block), count)
		}
		bd := &decoder{buf: block}
		if err := do(int(count), bd); err != nil {
			return corrupt.Errorf("", start, "record: %w", err)
		}
		if bd.off != len(bd.buf) {
			return corrupt.Errorf("", start, "block has %d bytes after its %d records", len(bd.buf)-bd.off, count)
		}
	}
	return nil
}
