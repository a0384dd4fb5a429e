package codec

import (
	"fmt"
	"strings"
)

// Codec is a compression method.
type Codec uint8

// The codecs.
const (
	None Codec = iota
	Snappy
	Gzip
	Brotli
	Zstd
	LZ4Hadoop // LZ4 blocks in Hadoop frames
	LZ4Raw    // one LZ4 block
	Deflate   // a raw deflate stream
)

// String is the name that table options use, or the nearest to it.
func (c Codec) String() string {
	switch c {
	case None:
		return "none"
	case Snappy:
		return "snappy"
	case Gzip:
		return "gzip"
	case Brotli:
		return "brotli"
	case Zstd:
		return "zstd"
	case LZ4Hadoop:
		return "lz4"
	case LZ4Raw:
		return "lz4_raw"
	case Deflate:
		return "deflate"
	}
	return fmt.Sprintf("codec(%d)", uint8(c))
}

// Parse reads the value of a compression option such as file.compression, in any
// case. The empty text is zstd, Paimon's default.
func Parse(name string) (Codec, error) {
	switch strings.ToLower(name) {
	case "", "zstd", "zstandard":
		return Zstd, nil
	case "none", "uncompressed", "null":
		return None, nil
	case "snappy":
		return Snappy, nil
	case "gzip":
		return Gzip, nil
	case "brotli":
		return Brotli, nil
	case "lz4":
		return LZ4Hadoop, nil
	case "lz4_raw":
		return LZ4Raw, nil
	case "deflate":
		return Deflate, nil
	case "lzo":
		return None, fmt.Errorf("compression lzo is not supported: choose zstd, snappy, gzip, lz4, brotli or none")
	}
	return None, fmt.Errorf("unknown compression %q: choose zstd, snappy, gzip, lz4, brotli or none", name)
}

// MaxRatio is an upper limit of how much larger than its compressed form a block
// can be. Readers refuse sizes beyond it before they make room.
func (c Codec) MaxRatio() int64 {
	switch c {
	case None:
		return 1
	case Snappy:
		return 32
	case LZ4Hadoop, LZ4Raw:
		return 256
	case Gzip, Deflate:
		return 1040
	}
	return 1 << 16 // zstd: 128 kB from a 4-byte block; brotli alike
}
