package avro

import (
	"bytes"
	"testing"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/format/codec"
	"github.com/lakesql/lakesql/storage/types"
)

// TestBlocksHaveChecksums changes every byte of a file behind its header: with zstd
// and with snappy no other rows come of it.
func TestBlocksHaveChecksums(t *testing.T) {
	f := New(codec.NewPool())
	ts := []types.Type{types.Of(types.BigInt), types.String()}
	b := columnar.NewBatch(ts, 50)
	for i := range 50 {
		b.Cols[0].AppendI64(int64(i))
		b.Cols[1].AppendString("a value that is much like the others")
		b.N++
	}
	for _, compression := range []string{"zstd", "snappy"} {
		var out bytes.Buffer
		w, err := f.NewWriter(&out, format.WriteOptions{Fields: testkit.Fields(ts), Compression: compression})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		data := out.Bytes()
		header := bytes.Index(data, data[len(data)-16:]) + 16 // up to the first sync marker
		for at := header; at < len(data); at++ {
			for bit := range 8 {
				data[at] ^= 1 << bit
				got, err := readBytes(t, f, data, ts)
				if err == nil && testkit.EqualBatches(got, b) != nil {
					t.Errorf("%s: bit %d of byte %d changes rows without an error", compression, bit, at)
				}
				data[at] ^= 1 << bit
			}
		}
	}
}

// inMemory is a file of bytes.
type inMemory struct{ *bytes.Reader }

func (m inMemory) SizeBytes() int64 { return m.Size() }
func (inMemory) Close() error       { return nil }

func readBytes(t *testing.T, f *Format, data []byte, ts []types.Type) (*columnar.Batch, error) {
	t.Helper()
	r, err := f.Open(t.Context(), inMemory{bytes.NewReader(data)}, "f.avro", format.ReadOptions{Fields: testkit.Fields(ts)})
	if err != nil {
		return nil, err
	}
	return testkit.ReadAll(t.Context(), r, ts)
}
