package formattest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/fileio"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/types"
)

// Options say what a format can do.
type Options struct {
	// Refuses tells the types that NewWriter must refuse; nil refuses none.
	Refuses func(types.Type) bool
	// Compressions are values of WriteOptions.Compression to write with; the first
	// is used where it does not matter.
	Compressions []string
}

// Run runs the suite over a format.
func Run(t *testing.T, f format.Format, o Options) {
	if len(o.Compressions) == 0 {
		o.Compressions = []string{"zstd"}
	}
	s := &suite{f: f, o: o}
	for _, typ := range testkit.AllTypes() {
		if o.Refuses == nil || !o.Refuses(typ) {
			s.types = append(s.types, typ)
		}
	}
	t.Run("each type", s.eachType)
	t.Run("all types together", s.allTypes)
	t.Run("extremes", s.extremes)
	t.Run("many batches", s.manyBatches)
	t.Run("selection and kinds", s.selection)
	t.Run("dictionary vectors", s.dictionary)
	t.Run("projection", s.projection)
	t.Run("members of a row", s.members)
	t.Run("compressions", s.compressions)
	t.Run("refused types", s.refused)
	t.Run("null in a column that has none", s.notNull)
	t.Run("cut file", s.cut)
	t.Run("damaged bytes", s.damaged)
	t.Run("cancelled", s.cancelled)
}

type suite struct {
	f     format.Format
	o     Options
	types []types.Type
}

// file is a fileio.File over bytes.
type file struct{ *bytes.Reader }

func (f file) SizeBytes() int64 { return f.Size() }
func (file) Close() error       { return nil }

// File is an open file that holds data.
func File(data []byte) fileio.File { return file{bytes.NewReader(data)} }

// Write makes a file of batches, whose columns are fields.
func Write(f format.Format, o format.WriteOptions, batches ...*columnar.Batch) ([]byte, error) {
	var buf bytes.Buffer
	w, err := f.NewWriter(&buf, o)
	if err != nil {
		return nil, err
	}
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			return nil, err
		}
	}
	if err := w.Finish(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// Read reads a file whole.
func Read(f format.Format, data []byte, o format.ReadOptions) (*columnar.Batch, error) {
	ctx := context.Background()
	r, err := f.Open(ctx, File(data), "test."+f.Name(), o)
	if err != nil {
		return nil, err
	}
	ts := make([]types.Type, len(o.Fields))
	for i, field := range o.Fields {
		ts[i] = field.Type
	}
	return testkit.ReadAll(ctx, r, ts)
}

func (s *suite) options(fields []types.Field) format.WriteOptions {
	return format.WriteOptions{Fields: fields, Compression: s.o.Compressions[0]}
}

func (s *suite) roundTrip(b *columnar.Batch, ts []types.Type) error {
	fields := testkit.Fields(ts)
	data, err := Write(s.f, s.options(fields), b)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	got, err := Read(s.f, data, format.ReadOptions{Fields: fields})
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	return testkit.EqualBatches(got, b)
}

func (s *suite) eachType(t *testing.T) {
	for i, typ := range s.types {
		for _, notNull := range []bool{false, true} {
			for _, nulls := range []float64{0, 0.3, 1} {
				for _, n := range []int{0, 1, 3, 64, 65, 5000} {
					if n == 5000 && nulls == 1 && typ.Nested() {
						continue // says no more than 65 rows and takes long
					}
					ts := []types.Type{typ.WithNotNull(notNull)}
					b := testkit.RandomBatch(testkit.Rand(uint64(i)), ts, n, nulls)
					if err := s.roundTrip(b, ts); err != nil {
						t.Errorf("type %d %+v, not null %t, %d rows, nulls %v: %v", i, typ, notNull, n, nulls, err)
					}
				}
			}
		}
	}
}

func (s *suite) allTypes(t *testing.T) {
	for _, n := range []int{0, 1, 3, 4096, 9000} {
		b := testkit.RandomBatch(testkit.Rand(uint64(n)), s.types, n, 0.2)
		if err := s.roundTrip(b, s.types); err != nil {
			t.Errorf("%d rows: %v", n, err)
		}
	}
}

// extremes has one column of each flat type with each extreme, alternating with nulls.
func (s *suite) extremes(t *testing.T) {
	for i, typ := range s.types {
		if typ.Nested() {
			continue
		}
		b := columnar.NewBatch([]types.Type{typ}, 0)
		for _, v := range testkit.Extremes(typ) {
			b.Cols[0].AppendNull()
			b.Cols[0].AppendValue(v)
			b.N += 2
		}
		if err := s.roundTrip(b, []types.Type{typ}); err != nil {
			t.Errorf("type %d %+v: %v", i, typ, err)
		}
	}
}

// manyBatches writes batches of odd sizes and reads with others.
func (s *suite) manyBatches(t *testing.T) {
	fields := testkit.Fields(s.types)
	whole := testkit.RandomBatch(testkit.Rand(1), s.types, 700, 0.1)
	var parts []*columnar.Batch
	for from, n := 0, 1; from < whole.N; from, n = from+n, n*2+1 {
		n = min(n, whole.N-from)
		parts = append(parts, testkit.Slice(whole, from, from+n))
	}
	o := s.options(fields)
	o.BlockBytes = 4096
	data, err := Write(s.f, o, parts...)
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int{1, 3, 64, 100, 0, 100_000} {
		got, err := Read(s.f, data, format.ReadOptions{Fields: fields, BatchRows: rows})
		if err == nil {
			err = testkit.EqualBatches(got, whole)
		}
		if err != nil {
			t.Errorf("batches of %d rows: %v", rows, err)
		}
	}
}

func (s *suite) selection(t *testing.T) {
	fields := testkit.Fields(s.types)
	b := testkit.RandomBatch(testkit.Rand(2), s.types, 300, 0.1)
	for i := range b.N {
		if i%3 == 1 || i > 290 {
			b.Sel = append(b.Sel, uint16(i))
		}
	}
	none := testkit.RandomBatch(testkit.Rand(3), s.types, 5, 0.1)
	none.Sel = []uint16{}
	data, err := Write(s.f, s.options(fields), b, none)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(s.f, data, format.ReadOptions{Fields: fields})
	if err == nil {
		err = testkit.EqualBatches(got, b)
	}
	if err != nil {
		t.Error(err)
	}
}

// dictionary writes vectors in dictionary form, and reads with leave to return them.
func (s *suite) dictionary(t *testing.T) {
	ts := []types.Type{types.String(), types.Of(types.Int), types.Of(types.BigInt), types.TimestampOf(3)}
	fields := testkit.Fields(ts)
	const n = 500
	dict := testkit.RandomBatch(testkit.Rand(4), ts, 7, 0)
	b := &columnar.Batch{N: n}
	for c, typ := range ts {
		v := &columnar.Vector{Type: typ, N: n, Dict: dict.Cols[c], Codes: make([]int32, n), Valid: make([]uint64, n/64+1)}
		for i := range n {
			if i%5 != 0 {
				v.Valid[i/64] |= 1 << (i % 64)
				v.Codes[i] = int32(i % 7)
			}
		}
		b.Cols = append(b.Cols, v)
	}
	data, err := Write(s.f, s.options(fields), b)
	if err != nil {
		t.Fatal(err)
	}
	for _, keep := range []bool{false, true} {
		got, err := Read(s.f, data, format.ReadOptions{Fields: fields, KeepDictionary: keep})
		if err == nil {
			err = testkit.EqualBatches(got, b)
		}
		if err != nil {
			t.Errorf("keep dictionary %t: %v", keep, err)
		}
	}
}

func (s *suite) projection(t *testing.T) {
	fields := testkit.Fields(s.types)
	b := testkit.RandomBatch(testkit.Rand(5), s.types, 200, 0.2)
	data, err := Write(s.f, s.options(fields), b)
	if err != nil {
		t.Fatal(err)
	}
	pick := func(is ...int) {
		t.Helper()
		want := &columnar.Batch{N: b.N}
		var wanted []types.Field
		for _, i := range is {
			if i < 0 { // a column that the file lacks
				typ := s.types[(-i)%len(s.types)].WithNotNull(false)
				wanted = append(wanted, types.Field{ID: 9000 - i, Name: fmt.Sprintf("absent%d", -i), Type: typ})
				v := columnar.NewVector(typ, b.N)
				for range b.N {
					v.AppendNull()
				}
				want.Cols = append(want.Cols, v)
				continue
			}
			wanted = append(wanted, fields[i])
			want.Cols = append(want.Cols, b.Cols[i])
		}
		got, err := Read(s.f, data, format.ReadOptions{Fields: wanted})
		if err == nil {
			err = testkit.EqualBatches(got, want)
		}
		if err != nil {
			t.Errorf("columns %v: %v", is, err)
		}
	}
	last := len(fields) - 1
	for i := range fields {
		pick(i)
		pick(-1-i, i)
	}
	pick(0, last)
	pick(last, 0, last/2)
	pick(-3)
	var reversed []int
	for i := last; i >= 0; i-- {
		reversed = append(reversed, i)
	}
	pick(reversed...)
	got, err := Read(s.f, data, format.ReadOptions{})
	if err != nil || got.Rows() != b.N {
		t.Errorf("no columns: %v, %v", got, err)
	}
}

// members reads a ROW whose members are reordered and partly left out.
func (s *suite) members(t *testing.T) {
	a := types.Field{ID: 1, Name: "a", Type: types.Of(types.Int)}
	b := types.Field{ID: 2, Name: "b", Type: types.ArrayOf(types.String())}
	c := types.Field{ID: 3, Name: "c", Type: types.Of(types.Double)}
	full := types.Field{ID: 0, Name: "r", Type: types.RowOf(a, b, c)}
	part := types.Field{ID: 0, Name: "r", Type: types.RowOf(c, a)}
	batch := testkit.RandomBatch(testkit.Rand(6), []types.Type{full.Type}, 100, 0.3)
	data, err := Write(s.f, s.options([]types.Field{full}), batch)
	if err != nil {
		t.Fatal(err)
	}
	r := batch.Cols[0]
	want := *r
	want.Type, want.Children = part.Type, []*columnar.Vector{r.Children[2], r.Children[0]}
	got, err := Read(s.f, data, format.ReadOptions{Fields: []types.Field{part}})
	if err == nil {
		err = testkit.EqualBatches(got, &columnar.Batch{N: batch.N, Cols: []*columnar.Vector{&want}})
	}
	if err != nil {
		t.Error(err)
	}
}

func (s *suite) compressions(t *testing.T) {
	fields := testkit.Fields(s.types)
	b := testkit.RandomBatch(testkit.Rand(7), s.types, 500, 0.2)
	for _, c := range s.o.Compressions {
		for _, lean := range []bool{false, true} {
			o := format.WriteOptions{Fields: fields, Compression: c, Lean: lean, ZstdLevel: 3}
			data, err := Write(s.f, o, b)
			if err != nil {
				t.Errorf("write %s, lean %t: %v", c, lean, err)
				continue
			}
			got, err := Read(s.f, data, format.ReadOptions{Fields: fields})
			if err == nil {
				err = testkit.EqualBatches(got, b)
			}
			if err != nil {
				t.Errorf("read %s, lean %t: %v", c, lean, err)
			}
		}
	}
}

func (s *suite) refused(t *testing.T) {
	if s.o.Refuses == nil {
		return
	}
	for _, typ := range testkit.AllTypes() {
		_, err := s.f.NewWriter(io.Discard, s.options(testkit.Fields([]types.Type{typ})))
		if want := s.o.Refuses(typ); (err != nil) != want {
			t.Errorf("type %+v: error %v, want refusal %t", typ, err, want)
		}
	}
}

func (s *suite) notNull(t *testing.T) {
	for _, typ := range s.types {
		fields := testkit.Fields([]types.Type{typ.WithNotNull(true)})
		b := testkit.RandomBatch(testkit.Rand(8), []types.Type{typ}, 3, 1)
		if _, err := Write(s.f, s.options(fields), b); err == nil {
			t.Errorf("type %+v: null was written into a column that is not null", typ)
		}
	}
}

// cut reads the first part of a file. It must fail, or end without a row that was
// not written: where a format has no footer, the row count tells the rest.
func (s *suite) cut(t *testing.T) {
	fields := testkit.Fields(s.types)
	b := testkit.RandomBatch(testkit.Rand(9), s.types, 400, 0.2)
	o := s.options(fields)
	o.BlockBytes = 8192
	data, err := Write(s.f, o, b)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 20 {
		n := len(data) * k / 20
		s.damage(t, fmt.Sprintf("%d of %d bytes", n, len(data)), data[:n], fields, b, false)
	}
	s.damage(t, "without the last byte", data[:len(data)-1], fields, b, true)
	s.damage(t, "with a byte more", append(bytes.Clone(data), 0), fields, b, true)
}

func (s *suite) damage(t *testing.T, what string, data []byte, fields []types.Field, want *columnar.Batch, mustFail bool) {
	t.Helper()
	got, err := Read(s.f, data, format.ReadOptions{Fields: fields})
	if err != nil {
		return
	}
	switch {
	case mustFail:
		t.Errorf("%s: no error", what)
	case got.N >= want.N:
		t.Errorf("%s: all rows are there", what)
	default:
		if err := testkit.EqualBatches(got, testkit.Slice(want, 0, got.N)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// damaged flips bytes all over a file: an error or rows, but no panic and no hang.
func (s *suite) damaged(t *testing.T) {
	fields := testkit.Fields(s.types)
	for i, c := range s.o.Compressions {
		o := s.options(fields)
		o.Compression = c
		data, err := Write(s.f, o, testkit.RandomBatch(testkit.Rand(10), s.types, 20, 0.2))
		if err != nil {
			t.Fatal(err)
		}
		rng := testkit.Rand(uint64(11 + i))
		for range 400 {
			bad := bytes.Clone(data)
			for range 1 + rng.IntN(3) {
				bad[rng.IntN(len(bad))] = byte(rng.Uint32())
			}
			_, _ = Read(s.f, bad, format.ReadOptions{Fields: fields})
		}
	}
}

func (s *suite) cancelled(t *testing.T) {
	fields := testkit.Fields(s.types)
	data, err := Write(s.f, s.options(fields), testkit.RandomBatch(testkit.Rand(12), s.types, 10, 0.2))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, err := s.f.Open(ctx, File(data), "test", format.ReadOptions{Fields: fields})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := r.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("next with a cancelled context: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}
