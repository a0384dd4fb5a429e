package datafile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

func benchSchema() *schema.Schema {
	return &schema.Schema{
		Version: 3, HighestFieldID: 4, PrimaryKeys: []string{"k"}, Options: map[string]string{"bucket": "1"},
		Fields: []types.Field{
			{ID: 0, Name: "k", Type: types.Of(types.BigInt).WithNotNull(true)},
			{ID: 1, Name: "i", Type: types.Of(types.Int)},
			{ID: 2, Name: "s", Type: types.String()},
			{ID: 3, Name: "d", Type: types.Dec(18, 2)},
			{ID: 4, Name: "t", Type: types.TimestampOf(6)},
		},
	}
}

func benchBatch(s *schema.Schema, from, n int) *columnar.Batch {
	b := columnar.NewBatch(append(types.FieldTypes(s.Fields), types.Of(types.BigInt).WithNotNull(true)), n)
	for i := from; i < from+n; i++ {
		b.Cols[0].AppendI64(int64(i) * 7)
		b.Cols[1].AppendI32(int32(i*2654435761) >> 12)
		b.Cols[2].AppendString(fmt.Sprintf("customer %07d", i*7919%1_000_003))
		b.Cols[3].AppendI64(int64(i*48271) % 1_000_000)
		b.Cols[4].AppendI64(1_700_000_000_000_000 + int64(i)*1000)
		b.Cols[5].AppendI64(int64(i))
	}
	b.N = n
	return b
}

// BenchmarkFile writes and reads a file of 262 144 records in batches of 8 192.
func BenchmarkFile(b *testing.B) {
	ctx := context.Background()
	const n, size = 32, 8192
	for _, f := range allFormats() {
		t := newBenchOf(new(testing.T), benchSchema(), f)
		part := t.partition()
		var batches []*columnar.Batch
		for i := range n {
			batches = append(batches, benchBatch(t.now, i*size, size))
		}
		c := t.config(t.layout(1, false), part)
		m := t.write(c, batches...)[0]
		report := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*size), "ns/row")
		}
		b.Run("write/"+f.Name(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w, err := NewWriter(c)
				if err != nil {
					b.Fatal(err)
				}
				for _, x := range batches {
					if err := w.Write(ctx, x); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := w.Finish(ctx); err != nil {
					b.Fatal(err)
				}
				if err := w.Abort(ctx); err != nil {
					b.Fatal(err)
				}
				c.Names = &Names{DataPrefix: "data-", UUID: "v"}
			}
			b.SetBytes(m.SizeBytes)
			report(b)
		})
		b.Run("read/"+f.Name(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := Open(ctx, t.readConfig(), File{Partition: part, Meta: m}, ReadRequest{Fields: t.now.Fields, Sequence: true, Kinds: true})
				if err != nil {
					b.Fatal(err)
				}
				for {
					if _, err := r.Next(ctx); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
			report(b)
		})
	}
}
