package parquet

import (
	"testing"

	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/format/formattest"
	"github.com/lakesql/lakesql/storage/types"
)

func TestSuite(t *testing.T) {
	formattest.Run(t, New(codec.NewPool()), formattest.Options{
		Refuses:      func(types.Type) bool { return false },
		Compressions: []string{"zstd", "none", "snappy", "gzip", "lz4", "brotli"},
	})
}
