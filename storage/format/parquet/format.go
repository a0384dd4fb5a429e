package parquet

import (
	"context"
	"io"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/codec"
)

// Format reads and writes Parquet files. It keeps coders and buffers for reuse.
type Format struct {
	codecs *codec.Pool
	free   freeList

	footers footerCache
}

var _ format.Format = (*Format)(nil)

// New returns a Format that shares coders with whoever else uses the pool.
func New(codecs *codec.Pool) *Format {
	return &Format{codecs: codecs, footers: footerCache{limit: maxFooterBytes}}
}

// Name is parquet.
func (*Format) Name() string { return "parquet" }

// Open opens a file for reading, see format.Format. It reads the footer and, when
// o.Skip is set, the page indexes; damage found there is a corruption error.
func (p *Format) Open(ctx context.Context, f fileio.File, path string, o format.ReadOptions) (columnar.Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return newReader(&source{f: f, path: path, pool: p.codecs, free: &p.free, footers: &p.footers, window: windowOf(o.Together)}, o)
}

// NewWriter starts a file on w, see format.Format.
func (p *Format) NewWriter(w io.Writer, o format.WriteOptions) (format.Writer, error) {
	return newWriter(p, w, o)
}
