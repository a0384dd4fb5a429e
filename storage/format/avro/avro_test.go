package avro

import (
	"testing"

	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/format/formattest"
	"github.com/lakesql/lakesql/storage/types"
)

func TestSuite(t *testing.T) {
	formattest.Run(t, New(codec.NewPool()), formattest.Options{
		Refuses: func(typ types.Type) bool {
			return (typ.Kind == types.Timestamp || typ.Kind == types.TimestampLTZ) && typ.Precision > 6
		},
		Compressions: []string{"zstd", "snappy", "deflate", "none"},
	})
}
