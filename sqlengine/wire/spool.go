package wire

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/storage/columnar"
)

// chunkRows is how many rows go to the host's writer at once.
const chunkRows = 256

// spoolRows sends a result set. finish closes the iterator before the last
// packet, so that a commit that fails is an error and not an end.
func (h *Handler) spoolRows(ctx *sql.Context, s *statement, schema sql.Schema, iter sql.RowIter, finish func() error, more bool) error {
	origins := bridge.Origins(iter)
	fields := fieldsOf(ctx, schema, origins)
	enc := newRowEncoder(schema, bridge.Location(ctx))
	src := &source{iter: iter}
	src.batches, src.hasBatches = bridge.Batches(iter)

	// The first rows are fetched before the columns are sent: until then an error
	// costs nothing.
	if err := src.fetch(ctx); err != nil && err != io.EOF {
		return err
	}
	var sent int64
	var err error
	if s.binary {
		sent, err = h.spoolBinary(ctx, s, src, enc, fields, more)
	} else {
		sent, err = h.spoolText(ctx, s, src, enc, fields, more)
	}
	h.metrics.Rows.Add(sent)
	if err != nil {
		return err
	}
	if enc.nulls > 0 {
		ctx.Warn(1365, "%d values that are not numbers or infinite are shown as NULL", enc.nulls)
	}
	if err := finish(); err != nil {
		return err
	}
	if src.hasBatches {
		ctx.SetLastQueryInfoInt(sql.FoundRows, sent)
	}
	h.setStatus(ctx, s.conn)
	return nil
}

// source is where rows come from: batches when the plan gives them, else host rows.
type source struct {
	iter       sql.RowIter
	batches    bridge.BatchIter
	hasBatches bool

	batch *columnar.Batch // current, when hasBatches
	row   sql.Row
	end   bool
}

// fetch gets the next batch or row; io.EOF when there is none.
func (s *source) fetch(ctx *sql.Context) (err error) {
	if s.end {
		return io.EOF
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.hasBatches {
		s.batch, err = s.batches.NextBatch(ctx)
	} else {
		s.row, err = s.iter.Next(ctx)
	}
	if err == io.EOF {
		s.end, s.batch, s.row = true, nil, nil
	}
	return err
}

// each calls f for the slots of the current batch.
func each(b *columnar.Batch, f func(i int) error) error {
	if b.Sel == nil {
		for i := range b.N {
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	}
	for _, i := range b.Sel {
		if err := f(int(i)); err != nil {
			return err
		}
	}
	return nil
}

func (h *Handler) spoolText(ctx *sql.Context, s *statement, src *source, enc *rowEncoder, fields []*querypb.Field, more bool) (sent int64, err error) {
	s.sent = true
	if err := s.callback(&sqltypes.Result{Fields: fields}, more); err != nil {
		return 0, err
	}
	if err := s.conn.FlushBuffer(); err != nil {
		return 0, err
	}
	w := newPacketWriter(s.conn, h.access.counter(s.conn))
	defer func() {
		if ferr := w.flush(); err == nil {
			err = ferr
		}
		h.metrics.Bytes.Add(w.wrote)
	}()
	for !src.end {
		if src.hasBatches {
			if err := enc.start(src.batch); err != nil {
				return sent, err
			}
			err = each(src.batch, func(i int) error { return w.finish(enc.appendSlot(w.begin(), i)) })
			sent += int64(src.batch.Rows())
		} else {
			var p []byte
			if p, err = enc.appendRow(ctx, w.begin(), src.row); err == nil {
				err = w.finish(p)
			}
			sent++
		}
		if err != nil {
			return sent, err
		}
		err = w.while(func() error { return src.fetch(ctx) })
		if err != nil && err != io.EOF {
			return sent, err
		}
	}
	return sent, nil
}

func (h *Handler) spoolBinary(ctx *sql.Context, s *statement, src *source, enc *rowEncoder, fields []*querypb.Field, more bool) (sent int64, err error) {
	r := &sqltypes.Result{Fields: fields}
	push := func() error {
		s.sent = true
		if err := s.callback(r, more); err != nil {
			return err
		}
		r = &sqltypes.Result{Fields: fields}
		return nil
	}
	add := func(row []sqltypes.Value) error {
		r.Rows = append(r.Rows, row)
		r.RowsAffected++
		sent++
		if len(r.Rows) < chunkRows {
			return nil
		}
		return push()
	}
	for !src.end {
		if src.hasBatches {
			if err := enc.start(src.batch); err != nil {
				return sent, err
			}
			err = each(src.batch, func(i int) error { return add(enc.values(fields, i)) })
		} else {
			var row []sqltypes.Value
			if row, err = enc.rowValues(ctx, src.row); err == nil {
				err = add(row)
			}
		}
		if err != nil {
			return sent, err
		}
		if err = src.fetch(ctx); err != nil && err != io.EOF {
			return sent, err
		}
	}
	if len(r.Rows) > 0 || !s.sent {
		err = push()
	} else {
		err = nil
	}
	return sent, err
}
