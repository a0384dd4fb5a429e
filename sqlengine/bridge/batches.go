package bridge

import (
	"errors"
	"io"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// BatchIter is a host iterator that can hand over batches instead of rows. A
// caller uses either Next or NextBatch, not both.
type BatchIter interface {
	sql.RowIter
	// NextBatch returns the next batch or io.EOF. The batch is valid until the next call.
	NextBatch(ctx *sql.Context) (*columnar.Batch, error)
}

// Batches looks for a BatchIter under the wrappers that the host puts around the
// iterator of a statement. Whoever takes batches from it must still close iter.
func Batches(iter sql.RowIter) (BatchIter, bool) {
	for {
		if b, ok := iter.(BatchIter); ok {
			return b, true
		}
		w, ok := iter.(interface{ GetIter() sql.RowIter })
		if !ok {
			return nil, false
		}
		iter = w.GetIter()
	}
}

// NewBatchIter gives the batches of r to the host, as rows where it asks for
// rows. It owns r. TIMESTAMP_LTZ values are shown in loc.
func NewBatchIter(r columnar.Reader, loc *time.Location) BatchIter {
	return &readerIter{reader: r, loc: loc}
}

type readerIter struct {
	reader   columnar.Reader
	loc      *time.Location
	batch    *columnar.Batch
	next     int // live row of batch
	decoders []*Decoder
}

// NextBatch implements BatchIter.
func (it *readerIter) NextBatch(ctx *sql.Context) (*columnar.Batch, error) {
	if it.reader == nil {
		return nil, io.EOF
	}
	return it.reader.Next(ctx)
}

// Next implements sql.RowIter.
func (it *readerIter) Next(ctx *sql.Context) (sql.Row, error) {
	for it.batch == nil || it.next >= it.batch.Rows() {
		b, err := it.NextBatch(ctx)
		if err != nil {
			return nil, err
		}
		it.batch, it.next = b, 0
	}
	if len(it.decoders) != len(it.batch.Cols) {
		it.decoders = make([]*Decoder, len(it.batch.Cols))
		for k, c := range it.batch.Cols {
			it.decoders[k] = NewDecoder(c.Type, it.loc)
		}
	}
	i := it.next
	if it.batch.Sel != nil {
		i = int(it.batch.Sel[i])
	}
	it.next++
	row := make(sql.Row, len(it.decoders))
	for k, d := range it.decoders {
		row[k] = d.Value(it.batch.Cols[k], i)
	}
	return row, nil
}

// Close implements sql.RowIter.
func (it *readerIter) Close(*sql.Context) error {
	r := it.reader
	if r == nil {
		return nil
	}
	it.reader, it.batch = nil, nil
	return r.Close()
}

// rowBatches turns host rows into batches of a table's columns.
type rowBatches struct {
	batch    *columnar.Batch
	encoders []*Encoder
}

func newRowBatches(fields []types.Field, loc *time.Location) rowBatches {
	var b rowBatches
	ts := make([]types.Type, len(fields))
	for i, f := range fields {
		ts[i] = f.Type
		b.encoders = append(b.encoders, NewEncoder(f.Name, f.Type, loc))
	}
	b.batch = columnar.NewBatch(ts, 0)
	return b
}

// add appends a row, which has one value a column. A row that fails leaves the
// batch unusable.
func (b *rowBatches) add(row sql.Row) error {
	if len(row) != len(b.encoders) {
		return errors.New("internal error: a row has another number of columns than its table")
	}
	for k, e := range b.encoders {
		if err := e.Append(b.batch.Cols[k], row[k]); err != nil {
			return err
		}
	}
	b.batch.N++
	return nil
}
