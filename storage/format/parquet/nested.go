package parquet

import (
	"errors"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

type nestedWriter struct{ chunks []*chunkWriter }

func newNestedWriter(n *node, t types.Type, chunks []*chunkWriter) (columnWriter, error) {
	return nil, errors.New("nested types are not written")
}
func (*nestedWriter) choose(v *columnar.Vector, from, to int) error { return nil }
func (*nestedWriter) page(v *columnar.Vector, from, to int) error   { return nil }
func (*nestedWriter) settled()                                      {}
func newNestedColumn(s *source, n *node, t types.Type) (column, error) {
	return nil, errors.New("nested types are not read")
}
