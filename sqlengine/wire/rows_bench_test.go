package wire

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// BenchmarkRows encodes rows of the kv table as text.
func BenchmarkRows(b *testing.B) {
	batch := columnar.NewBatch(types.FieldTypes(testkit.KVFields()), columnar.BatchRows)
	testkit.KVBatch(batch, 1, 0, 0, columnar.BatchRows)
	e := newRowEncoder(make(sql.Schema, len(batch.Cols)), nil)
	if err := e.start(batch); err != nil {
		b.Fatal(err)
	}
	var dst []byte
	for i := range b.N {
		dst = e.appendSlot(dst[:0], i%columnar.BatchRows)
	}
}
