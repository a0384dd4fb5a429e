package datafile

import (
	"context"
	"errors"
	"testing"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio/fault"
	"github.com/lakesql/lakesql/storage/fileio/mem"
)

// Each operation of the store fails in turn: the writer reports it, and Abort
// leaves nothing behind; a failed read is an error.
func TestEveryOperationFails(t *testing.T) {
	ctx := context.Background()
	options := map[string]string{"target-file-row-num": "40"}
	writeSome := func(w *Writer, b *columnar.Batch) ([]*Meta, error) {
		if err := w.Write(ctx, b); err != nil {
			return nil, err
		}
		return w.Finish(ctx)
	}
	for n := 1; ; n++ {
		b := newBench(t, pkSchema(options))
		inner := b.store.(*mem.Store)
		faulty := fault.Wrap(inner)
		b.store = faulty
		part := b.partition(columnar.StringValue("part"))
		in := pkBatch(b.now, 0, 100, true)
		w, err := NewWriter(b.config(b.layout(0, false), part))
		if err != nil {
			t.Fatal(err)
		}
		faulty.SetRule(fault.FailNth(n))
		metas, err := writeSome(w, in)
		if err != nil {
			if !errors.Is(err, fault.ErrInjected) {
				t.Fatalf("operation %d: %v", n, err)
			}
			faulty.SetRule(nil)
			if err := w.Abort(ctx); err != nil {
				t.Errorf("operation %d: abort: %v", n, err)
			}
			if left := inner.Paths(); len(left) > 0 {
				t.Errorf("operation %d: left %v", n, left)
			}
			continue
		}
		out := columnar.NewBatch(b.layout(0, false).Columns(), 0)
		for _, m := range metas {
			got, err := b.read(part, m, ReadRequest{Fields: b.now.Fields, Sequence: true, Kinds: true})
			if errors.Is(err, fault.ErrInjected) {
				out = nil
				break
			}
			if err != nil {
				t.Fatalf("operation %d: %v", n, err)
			}
			out.Append(got)
		}
		if out == nil {
			continue
		}
		if err := testkit.EqualBatches(out, in); err != nil {
			t.Errorf("operation %d: %v", n, err)
		}
		if n < 10 {
			t.Errorf("only %d operations failed", n-1)
		}
		return
	}
}

// Rows cost no allocations: twice the rows in a batch take about as many.
func TestWriterDoesNotAllocatePerRow(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, pkSchema(nil))
	part := b.partition(columnar.StringValue("part"))
	w, err := NewWriter(b.config(b.layout(0, false), part))
	if err != nil {
		t.Fatal(err)
	}
	batch := pkBatch(b.now, 0, 1000, true)
	for range 20 { // buffers grow first
		if err := w.Write(ctx, batch); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(20, func() { _ = w.Write(ctx, batch) }); n > 20 {
		t.Errorf("%v allocations for 1000 rows", n)
	}
}
