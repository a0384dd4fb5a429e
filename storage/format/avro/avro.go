package avro

import (
	"context"
	"fmt"
	"io"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/codec"
)

// Name is the file extension.
const Name = "avro"

// Format reads and writes Avro files. It is safe for many goroutines.
type Format struct {
	pool *codec.Pool
}

var _ format.Format = (*Format)(nil)

// New returns the format, whose readers and writers take their compressors from pool.
func New(pool *codec.Pool) *Format { return &Format{pool: pool} }

// Name is "avro".
func (f *Format) Name() string { return Name }

// Open reads the header of a file and prepares to read o.Fields.
func (f *Format) Open(ctx context.Context, file fileio.File, path string, o format.ReadOptions) (columnar.Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return openReader(f.pool, file, path, o)
}

// NewWriter starts a file. It refuses types and compressions that Avro does not
// have, by name.
func (f *Format) NewWriter(w io.Writer, o format.WriteOptions) (format.Writer, error) {
	return newWriter(f.pool, w, o)
}

// The names of codecs in a file's header.
const (
	codecNull      = "null"
	codecDeflate   = "deflate"
	codecSnappy    = "snappy"
	codecZstandard = "zstandard"
)

// codecOf maps a codec name in a file to ours.
func codecOf(name string) (codec.Codec, error) {
	switch name {
	case codecNull, "":
		return codec.None, nil
	case codecDeflate:
		return codec.Deflate, nil
	case codecSnappy:
		return codec.Snappy, nil
	case codecZstandard:
		return codec.Zstd, nil
	case "bzip2", "xz":
		return codec.None, fmt.Errorf("avro codec %s is not supported", name)
	}
	return codec.None, fmt.Errorf("unknown avro codec %q", name)
}

// codecName chooses the codec of a new file: option avro.codec, or the table's
// compression.
func codecName(o format.WriteOptions) (string, error) {
	if name, ok := o.Extra["avro.codec"]; ok {
		if _, err := codecOf(name); err != nil {
			return "", fmt.Errorf("option avro.codec: %w", err)
		}
		return name, nil
	}
	c, err := codec.Parse(o.Compression)
	if err != nil {
		return "", err
	}
	switch c {
	case codec.None:
		return codecNull, nil
	case codec.Deflate:
		return codecDeflate, nil
	case codec.Snappy:
		return codecSnappy, nil
	case codec.Zstd:
		return codecZstandard, nil
	}
	return "", fmt.Errorf("compression %v does not exist in avro files: choose zstd, snappy, deflate or none", c)
}
