package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/lakesql/lakesql/internal/corrupt"
)

// Pool keeps compressors and decompressors for reuse. The zero value is not
// ready; it is safe from many goroutines.
type Pool struct {
	zstdEnc [3]sync.Pool // by speed: fastest, default, better
	zstdSum [3]sync.Pool // the same, with checksums in the frames
	zstdDec sync.Pool
	zstdAny sync.Pool // for frames that do not tell their size
	gzipW   sync.Pool
	gzipR   sync.Pool
	flateW  sync.Pool
	flateR  sync.Pool
	brotliW sync.Pool
	brotliR sync.Pool
	lz4C    sync.Pool
	text    sync.Pool
}

// NewPool returns an empty pool.
func NewPool() *Pool {
	p := &Pool{}
	for i, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedDefault, zstd.SpeedBetterCompression} {
		newEncoder := func(sum bool) any {
			e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(sum),
				zstd.WithAllLitEntropyCompression(true))
			if err != nil {
				panic(err) // the options are constants
			}
			return e
		}
		p.zstdEnc[i].New = func() any { return newEncoder(false) }
		p.zstdSum[i].New = func() any { return newEncoder(true) }
	}
	p.zstdDec.New = func() any {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			panic(err) // the options are constants
		}
		return d
	}
	p.zstdAny.New = func() any {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxUnknown))
		if err != nil {
			panic(err) // the options are constants
		}
		return d
	}
	p.gzipW.New = func() any { w, _ := gzip.NewWriterLevel(nil, gzip.DefaultCompression); return w }
	p.flateW.New = func() any { w, _ := flate.NewWriter(nil, flate.DefaultCompression); return w }
	p.brotliW.New = func() any { return brotli.NewWriterLevel(nil, 1) }
	p.gzipR.New = func() any { return new(gzip.Reader) }
	p.flateR.New = func() any { return flate.NewReader(bytes.NewReader(nil)) }
	p.brotliR.New = func() any { return brotli.NewReader(nil) }
	p.lz4C.New = func() any { return new(lz4.Compressor) }
	p.text.New = func() any { return new(textScratch) }
	return p
}

// speed maps Paimon's zstd level to one of zstdEnc.
func speed(level int) int {
	switch {
	case level <= 5:
		return 0
	case level <= 9:
		return 1
	}
	return 2
}

// Compress appends the compressed form of src to dst. level is Paimon's zstd
// level and counts for Zstd alone.
func (p *Pool) Compress(c Codec, level int, dst, src []byte) ([]byte, error) {
	switch c {
	case None:
		return append(dst, src...), nil
	case Zstd:
		pool := &p.zstdEnc[speed(level)]
		e := pool.Get().(*zstd.Encoder)
		defer pool.Put(e)
		return e.EncodeAll(src, dst), nil
	case Snappy:
		n := snappy.MaxEncodedLen(len(src))
		if n < 0 {
			return dst, fmt.Errorf("compress: %d bytes are too many for snappy", len(src))
		}
		dst = slices.Grow(dst, n)
		out := snappy.Encode(dst[len(dst):len(dst)+n], src)
		return dst[:len(dst)+len(out)], nil
	case LZ4Hadoop, LZ4Raw:
		return p.compressLZ4(c, dst, src)
	case Gzip:
		return compressWith(&p.gzipW, dst, src)
	case Deflate:
		return compressWith(&p.flateW, dst, src)
	case Brotli:
		return compressWith(&p.brotliW, dst, src)
	}
	return dst, fmt.Errorf("compress: unknown %v", c)
}

// CompressChecked is Compress for formats that have no checksums of their own: zstd
// frames carry one, which decompression verifies. Other codecs have no room for it.
func (p *Pool) CompressChecked(c Codec, level int, dst, src []byte) ([]byte, error) {
	if c != Zstd {
		return p.Compress(c, level, dst, src)
	}
	pool := &p.zstdSum[speed(level)]
	e := pool.Get().(*zstd.Encoder)
	defer pool.Put(e)
	return e.EncodeAll(src, dst), nil
}

// resetWriter is what the stream compressors share.
type resetWriter interface {
	io.WriteCloser
	Reset(io.Writer)
}

type appender struct{ b []byte }

func (a *appender) Write(b []byte) (int, error) {
	a.b = append(a.b, b...)
	return len(b), nil
}

func compressWith(pool *sync.Pool, dst, src []byte) ([]byte, error) {
	w := pool.Get().(resetWriter)
	defer pool.Put(w)
	a := &appender{dst}
	w.Reset(a)
	if _, err := w.Write(src); err != nil {
		return dst, fmt.Errorf("compress: %w", err)
	}
	if err := w.Close(); err != nil {
		return dst, fmt.Errorf("compress: %w", err)
	}
	return a.b, nil
}

// HadoopPiece is the most raw bytes in one Hadoop frame of the codec lz4: as much as
// Java's writer takes, whose buffer of 256 kB also holds the worst compressed block.
// Paimon Rust's reader loses what comes after a frame that is not shorter than all
// behind it, so a page should fit into one.
const HadoopPiece = (256 << 10) - (256<<10)/255 - 16

func (p *Pool) compressLZ4(c Codec, dst, src []byte) ([]byte, error) {
	lc := p.lz4C.Get().(*lz4.Compressor)
	defer p.lz4C.Put(lc)
	if c == LZ4Raw {
		return lz4Block(lc, dst, src)
	}
	size := len(src) % HadoopPiece // the short frame first
	for len(src) > 0 {
		if size == 0 {
			size = HadoopPiece
		}
		piece := src[:size]
		src, size = src[size:], 0
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(piece)))
		at := len(dst)
		var err error
		if dst, err = lz4Block(lc, append(dst, 0, 0, 0, 0), piece); err != nil {
			return dst, err
		}
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst, nil
}

func lz4Block(c *lz4.Compressor, dst, src []byte) ([]byte, error) {
	bound := lz4.CompressBlockBound(len(src))
	dst = slices.Grow(dst, bound)
	n, err := c.CompressBlock(src, dst[len(dst):len(dst)+bound])
	if err != nil {
		return dst, fmt.Errorf("compress lz4: %w", err)
	}
	if n == 0 && len(src) > 0 { // the library gives up on what does not shrink
		return literalLZ4(dst, src), nil
	}
	return dst[:len(dst)+n], nil
}

// literalLZ4 appends src as an LZ4 block of one literal run.
func literalLZ4(dst, src []byte) []byte {
	n := len(src)
	if n < 15 {
		dst = append(dst, byte(n)<<4)
	} else {
		dst = append(dst, 0xf0)
		for n -= 15; n >= 255; n -= 255 {
			dst = append(dst, 255)
		}
		dst = append(dst, byte(n))
	}
	return append(dst, src...)
}

// overrun is how many bytes behind its end a decoder may write where dst has room
// for them: zstd's is faster when it need not mind single bytes.
const overrun = 32

// Decompress appends the size bytes that src holds to dst. Another size is
// damage. The caller has compared size with MaxRatio. Bytes in dst's capacity behind
// them may change.
func (p *Pool) Decompress(c Codec, dst, src []byte, size int) ([]byte, error) {
	if size < 0 {
		return dst, corrupt.Errorf("", corrupt.NoOffset, "negative uncompressed size %d", size)
	}
	dst = slices.Grow(dst, size)
	room := len(dst) + size
	if c == Zstd {
		room = min(room+overrun, cap(dst))
	}
	out, err := p.decompress(c, dst[:len(dst):room], src)
	if err != nil {
		return dst, corrupt.Errorf("", corrupt.NoOffset, "decompress %v: %w", c, err)
	}
	if got := len(out) - len(dst); got != size {
		return dst, corrupt.Errorf("", corrupt.NoOffset, "decompress %v: %d bytes, want %d", c, got, size)
	}
	if size > 0 && &out[:1][0] != &dst[:1][0] { // the library took other memory
		copy(dst[len(dst):len(dst)+size], out[len(dst):])
	}
	return dst[:len(dst)+size], nil
}

// maxUnknown is the most that a zstd frame without a content size may hold.
const maxUnknown = 1 << 30

// DecompressBounded appends what src holds to dst, where the size is not known:
// more than limit bytes are damage.
func (p *Pool) DecompressBounded(c Codec, dst, src []byte, limit int) ([]byte, error) {
	room := min(limit, max(4*len(src), 4096))
	switch c {
	case None:
		room = len(src)
	case Zstd:
		var h zstd.Header
		if err := h.Decode(src); err == nil && !h.HasFCS {
			return p.zstdUnknown(dst, src, limit)
		} else if err == nil {
			room = int(min(h.FrameContentSize, uint64(limit)+1))
		}
	case Snappy:
		n, err := snappy.DecodedLen(src)
		if err != nil {
			return dst, corrupt.Errorf("", corrupt.NoOffset, "decompress %v: %w", c, err)
		}
		room = n
	}
	for {
		if room > limit {
			return dst, corrupt.Errorf("", corrupt.NoOffset, "decompress %v: more than %d bytes", c, limit)
		}
		dst = slices.Grow(dst, room)
		out, err := p.decompress(c, dst[:len(dst):len(dst)+room], src)
		if err == nil {
			return out, nil
		}
		if !errors.Is(err, errTooLarge) {
			return dst, corrupt.Errorf("", corrupt.NoOffset, "decompress %v: %w", c, err)
		}
		if room == limit {
			room++
		} else {
			room = min(limit, 4*room)
		}
	}
}

// zstdUnknown appends a frame that does not tell its size, as Java's streams make
// them. The decoder that is bounded by capacity cannot tell such a frame that is
// too large from a damaged one.
func (p *Pool) zstdUnknown(dst, src []byte, limit int) ([]byte, error) {
	d := p.zstdAny.Get().(*zstd.Decoder)
	defer p.zstdAny.Put(d)
	out, err := d.DecodeAll(src, dst)
	if err == nil && len(out)-len(dst) > limit {
		err = fmt.Errorf("more than %d bytes", limit)
	}
	if err != nil {
		return dst, corrupt.Errorf("", corrupt.NoOffset, "decompress %v: %w", Zstd, err)
	}
	return out, nil
}

var errTooLarge = errors.New("larger than its size says")

// decompress appends to dst within its capacity.
func (p *Pool) decompress(c Codec, dst, src []byte) ([]byte, error) {
	room := cap(dst) - len(dst)
	switch c {
	case None:
		if len(src) > room {
			return dst, errTooLarge
		}
		return append(dst, src...), nil
	case Zstd:
		d := p.zstdDec.Get().(*zstd.Decoder)
		defer p.zstdDec.Put(d)
		out, err := d.DecodeAll(src, dst)
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			err = errTooLarge
		}
		return out, err
	case Snappy:
		n, err := snappy.DecodedLen(src)
		if err != nil {
			return dst, err
		}
		if n > room {
			return dst, errTooLarge
		}
		out, err := snappy.Decode(dst[len(dst):len(dst)+n], src)
		return dst[:len(dst)+len(out)], err
	case LZ4Hadoop, LZ4Raw:
		return decompressLZ4(c, dst, src)
	case Gzip, Deflate, Brotli:
		return p.decompressStream(c, dst, src)
	}
	return dst, fmt.Errorf("unknown %v", c)
}

func (p *Pool) decompressStream(c Codec, dst, src []byte) ([]byte, error) {
	in := bytes.NewReader(src)
	var r io.Reader
	switch c {
	case Gzip:
		g := p.gzipR.Get().(*gzip.Reader)
		defer p.gzipR.Put(g)
		if err := g.Reset(in); err != nil {
			return dst, err
		}
		r = g
	case Deflate:
		f := p.flateR.Get().(io.ReadCloser)
		defer p.flateR.Put(f)
		if err := f.(flate.Resetter).Reset(in, nil); err != nil {
			return dst, err
		}
		r = f
	default:
		b := p.brotliR.Get().(*brotli.Reader)
		defer p.brotliR.Put(b)
		if err := b.Reset(in); err != nil {
			return dst, err
		}
		r = b
	}
	room := dst[len(dst):cap(dst)]
	n, err := io.ReadFull(r, room)
	dst = dst[:len(dst)+n]
	if err == io.EOF || err == io.ErrUnexpectedEOF && n < len(room) {
		// A truncated stream looks the same as a short one; sizes are compared above.
		return dst, nil
	}
	if err != nil {
		return dst, err
	}
	var one [1]byte
	if n, err := r.Read(one[:]); n > 0 {
		return dst, errTooLarge
	} else if err != nil && err != io.EOF {
		return dst, err
	}
	return dst, nil
}

func decompressLZ4(c Codec, dst, src []byte) ([]byte, error) {
	if c == LZ4Raw {
		return lz4Into(dst, src)
	}
	out, err := lz4Frames(dst, src)
	if err == nil || errors.Is(err, errTooLarge) {
		return out, err
	}
	// Some writers store a bare block under the old codec number.
	if bare, bareErr := lz4Into(dst, src); bareErr == nil {
		return bare, nil
	}
	return dst, err
}

func lz4Frames(dst, src []byte) ([]byte, error) {
	for len(src) > 0 {
		if len(src) < 4 {
			return dst, io.ErrUnexpectedEOF
		}
		raw := int64(binary.BigEndian.Uint32(src))
		src = src[4:]
		for end := int64(len(dst)) + raw; int64(len(dst)) < end; {
			if end > int64(cap(dst)) {
				return dst, fmt.Errorf("frame of %d bytes does not fit", raw)
			}
			if len(src) < 4 {
				return dst, io.ErrUnexpectedEOF
			}
			n := binary.BigEndian.Uint32(src)
			if src = src[4:]; uint64(n) > uint64(len(src)) || n == 0 {
				return dst, io.ErrUnexpectedEOF
			}
			at := len(dst)
			var err error
			if dst, err = lz4Into(dst, src[:n]); err != nil {
				return dst, err
			}
			if src = src[n:]; len(dst) == at {
				return dst, errors.New("empty block")
			}
		}
	}
	return dst, nil
}

func lz4Into(dst, src []byte) ([]byte, error) {
	if len(src) == 0 {
		return dst, nil
	}
	if len(dst) == cap(dst) { // the library writes through a nil pointer there
		if len(src) == 1 && src[0] == 0 {
			return dst, nil // a block of nothing
		}
		return dst, errTooLarge
	}
	n, err := lz4.UncompressBlock(src, dst[len(dst):cap(dst)])
	if err != nil {
		if errors.Is(err, lz4.ErrInvalidSourceShortBuffer) && cap(dst)-len(dst) < 255*len(src) {
			return dst, fmt.Errorf("%w or damaged", err)
		}
		return dst, err
	}
	return dst[:len(dst)+n], nil
}
