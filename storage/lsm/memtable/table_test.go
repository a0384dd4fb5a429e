package memtable

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/lsm/merge"
	"github.com/lakesql/lakesql/storage/types"
)

var (
	tInt    = types.Of(types.Int)
	tBigInt = types.Of(types.BigInt)
)

// drawKey draws from a small domain, so that keys collide.
func drawKey(t types.Type, rng *rand.Rand, domain int) columnar.Value {
	if !t.NotNull && rng.IntN(10) == 0 {
		return columnar.NullValue
	}
	k := rng.IntN(domain)
	switch columnar.LayoutOf(t) {
	case columnar.Str:
		return columnar.StringValue(fmt.Sprintf("a common beginning %03d%s", k, []string{"", "\x00", "tail"}[k%3]))
	case columnar.F64:
		return columnar.FloatValue(float64(k) - 5.5)
	case columnar.D128:
		return columnar.DecimalValue(columnar.Int128{Lo: uint64(k) << 60, Hi: int64(k%7) - 3})
	}
	return columnar.IntValue(int64(k - domain/2))
}

var keys = map[string][]types.Type{
	"bigint":        {tBigInt.WithNotNull(true)},
	"bigint null":   {tBigInt},
	"string":        {types.String().WithNotNull(true)},
	"int string":    {tInt.WithNotNull(true), types.String()},
	"string double": {types.String(), types.Of(types.Double)},
	"decimal":       {types.Dec(30, 0)},
}

type record struct {
	key     []columnar.Value
	field   columnar.Value
	number  int64
	kind    types.RowKind
	payload string
}

func compareKeys(ts []types.Type, a, b record) int {
	for i := range ts {
		if c := columnar.Compare(ts[i], a.key[i], b.key[i]); c != 0 {
			return c
		}
	}
	return 0
}

// model folds records naively: newest wins.
func model(ts []types.Type, recs []record, byField, descending bool) []string {
	all := slices.Clone(recs)
	slices.SortStableFunc(all, func(a, b record) int {
		if c := compareKeys(ts, a, b); c != 0 {
			return c
		}
		if byField {
			c := columnar.Compare(tInt, a.field, b.field)
			if descending && !a.field.Null && !b.field.Null {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		if a.number != b.number {
			return int(a.number - b.number)
		}
		x, y := a.kind.Retract(), b.kind.Retract()
		switch {
		case x && !y:
			return -1
		case y && !x:
			return 1
		}
		return 0
	})
	var out []string
	for i := range all {
		if i+1 == len(all) || compareKeys(ts, all[i], all[i+1]) != 0 {
			out = append(out, fmt.Sprintf("%v%s#%d", all[i].kind, all[i].payload, all[i].number))
		}
	}
	return out
}

func batchOf(ts []types.Type, recs []record, kinds bool) *columnar.Batch {
	b := columnar.NewBatch(ts, len(recs))
	for _, r := range recs {
		for i, v := range r.key {
			b.Cols[i].AppendValue(v)
		}
		b.Cols[len(r.key)].AppendValue(r.field)
		b.Cols[len(r.key)+1].AppendString(r.payload)
		if kinds {
			b.Kinds = append(b.Kinds, r.kind)
		}
		b.N++
	}
	return b
}

func flushed(t *testing.T, tab *Table) []string {
	t.Helper()
	var out []string
	batches := 0
	short := false
	if err := tab.Flush(func(b *columnar.Batch) error {
		if short {
			t.Error("a batch behind a short one")
		}
		batches++
		short = b.N < FlushRows
		n := len(b.Cols)
		for i := range b.N {
			out = append(out, fmt.Sprintf("%v%s#%d", b.Kind(i), b.Cols[n-2].Bytes(i), b.Cols[n-1].I64[i]))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestModel appends random records in random batches and compares with a plain
// sort and fold; twice in the same table, to see that nothing is left behind.
func TestModel(t *testing.T) {
	for name, kt := range keys {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(40) {
				rng := rand.New(rand.NewPCG(seed, 1))
				ts := append(slices.Clone(kt), tInt, types.String())
				c := Config{Types: ts}
				for i := range kt {
					c.Key = append(c.Key, i)
				}
				byField := rng.IntN(2) == 0
				if byField {
					c.SequenceFields, c.Descending = []int{len(kt)}, rng.IntN(2) == 0
				}
				if rng.IntN(2) == 0 {
					c.Function = merge.Deduplicate{}
				}
				tab, err := New(c)
				if err != nil {
					t.Fatal(err)
				}
				tab.adoptRows = 20
				for round := range 2 {
					tab.Reset()
					recs := fillRandom(t, tab, kt, ts, rng, []int{5, 600}[round])
					want := model(kt, recs, byField, c.Descending)
					for range 2 { // a flush changes nothing
						if got := flushed(t, tab); !slices.Equal(got, want) {
							t.Fatalf("seed %d: got %d rows, want %d\n%v\n%v", seed, len(got), len(want), got, want)
						}
					}
				}
				tab.Close()
			}
		})
	}
}

func fillRandom(t *testing.T, tab *Table, kt, ts []types.Type, rng *rand.Rand, rows int) []record {
	t.Helper()
	var recs []record
	number := int64(100)
	falling, kinds := rng.IntN(3) == 0, rng.IntN(2) == 0
	domain := []int{3, 40, 100000}[rng.IntN(3)]
	for len(recs) < rows {
		var part []record
		first := number
		if falling { // of a batch that comes late
			first = int64(rng.IntN(200))
		}
		for range 1 + rng.IntN(50) {
			r := record{number: first + int64(len(part)), payload: fmt.Sprint("p", len(recs)+len(part)), field: columnar.IntValue(int64(rng.IntN(4)))}
			for _, k := range kt {
				r.key = append(r.key, drawKey(k, rng, domain))
			}
			if rng.IntN(5) == 0 {
				r.field = columnar.NullValue
			}
			if kinds {
				r.kind = types.RowKind(rng.IntN(4))
			}
			part = append(part, r)
			number++
		}
		b := batchOf(ts, part, kinds)
		if rng.IntN(3) == 0 { // with a selection, half of the batch
			var live []record
			b.Sel = []uint16{}
			for i := range part {
				if i%2 == 1 {
					b.Sel = append(b.Sel, uint16(i))
					live = append(live, part[i])
				}
			}
			part = live
			for i := range part {
				part[i].number = first + int64(i)
			}
		}
		var err error
		if rng.IntN(2) == 0 {
			err = tab.Adopt(b, first)
		} else {
			err = tab.Append(b, first)
		}
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, part...)
	}
	if tab.Rows() != len(recs) {
		t.Fatalf("%d rows, appended %d", tab.Rows(), len(recs))
	}
	return recs
}

// TestManyRows covers the radix sort, sorted and reversed input, several batches.
func TestManyRows(t *testing.T) {
	const n = 30000
	for _, order := range []string{"ascending", "descending", "random", "equal"} {
		tab, err := New(Config{Types: []types.Type{tBigInt.WithNotNull(true), tInt, types.String()}, Key: []int{0}})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(4, 4))
		var recs []record
		for i := range n {
			k := map[string]int64{"ascending": int64(i), "descending": int64(n - i), "random": rng.Int64() - 1<<62, "equal": -7}[order]
			recs = append(recs, record{key: []columnar.Value{columnar.IntValue(k)}, number: int64(i), payload: fmt.Sprint(i)})
		}
		for i := 0; i < n; i += 1000 {
			if err := tab.Append(batchOf(tab.c.Types, recs[i:i+1000], false), int64(i)); err != nil {
				t.Fatal(err)
			}
		}
		want := model([]types.Type{tBigInt}, recs, false, false)
		if got := flushed(t, tab); !slices.Equal(got, want) {
			t.Fatalf("%s: got %d rows, want %d", order, len(got), len(want))
		}
	}
}

// TestAdopt checks that an adopted batch is read where it lies, and
// let go by Reset.
func TestAdopt(t *testing.T) {
	ts := []types.Type{tBigInt.WithNotNull(true), tInt, types.String()}
	tab, err := New(Config{Types: ts, Key: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	var recs []record
	for i := range 3 * adoptRows {
		recs = append(recs, record{key: []columnar.Value{columnar.IntValue(int64(i * 7 % (2 * adoptRows)))}, number: int64(i), payload: fmt.Sprint(i)})
	}
	for i := range 3 {
		part := recs[i*adoptRows : (i+1)*adoptRows]
		b := batchOf(ts, part, false)
		if err := tab.Adopt(b, int64(i*adoptRows)); err != nil {
			t.Fatal(err)
		}
		if got := tab.chunks[i].Cols[0]; got != b.Cols[0] {
			t.Fatal("the batch was copied")
		}
		if err := tab.Append(batchOf(ts, nil, false), 0); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := flushed(t, tab), model(ts[:1], recs, false, false); !slices.Equal(got, want) {
		t.Fatalf("got %d rows, want %d", len(got), len(want))
	}
	tab.Reset()
	if len(tab.free) > 0 || tab.Rows() > 0 || tab.hulls[0].batch.Cols[:1][0] != nil {
		t.Fatal("Reset holds on to adopted batches")
	}
}

// TestManyChunks takes more batches than there can be chunks.
func TestManyChunks(t *testing.T) {
	ts := []types.Type{tBigInt.WithNotNull(true), tInt, types.String()}
	tab, err := New(Config{Types: ts, Key: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	tab.adoptRows = 1
	var recs []record
	for i := range 2 * maxChunks {
		recs = append(recs, record{key: []columnar.Value{columnar.IntValue(int64(i % 100))}, number: int64(i), payload: fmt.Sprint(i)})
		if err := tab.Adopt(batchOf(ts, recs[i:], false), int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := flushed(t, tab), model(ts[:1], recs, false, false); !slices.Equal(got, want) {
		t.Fatalf("got %d rows, want %d", len(got), len(want))
	}
}

func TestBudget(t *testing.T) {
	budget := membudget.New(10_000)
	ts := []types.Type{tBigInt.WithNotNull(true), tInt, types.String()}
	tab, err := New(Config{Types: ts, Key: []int{0}, Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	var recs []record
	for i := range 50 {
		recs = append(recs, record{key: []columnar.Value{columnar.IntValue(int64(i))}, payload: "0123456789"})
	}
	b := batchOf(ts, recs, false)
	taken := 0
	for err = tab.Append(b, 0); err == nil; err = tab.Append(b, int64(50*taken)) {
		taken++
	}
	if !errors.Is(err, ErrFull) || taken == 0 || tab.Rows() != 50*taken {
		t.Fatalf("%v after %d batches, %d rows", err, taken, tab.Rows())
	}
	used := budget.Used()
	if used == 0 || used > 10_000 {
		t.Fatalf("used %d", used)
	}
	if rows := flushed(t, tab); len(rows) != 50 {
		t.Fatalf("%d rows", len(rows))
	}
	tab.Reset()
	if budget.Used() != used {
		t.Fatal("Reset gave memory back")
	}
	if err := tab.Append(b, 0); err != nil {
		t.Fatal(err)
	}
	tab.Close()
	if budget.Used() != 0 || tab.Rows() != 0 {
		t.Fatal("Close kept memory")
	}

	// A table without rows takes a batch of any size.
	recs[0].payload = string(make([]byte, 20_000))
	if err := tab.Append(batchOf(ts, recs, false), 0); err != nil {
		t.Fatal(err)
	}
	if err := tab.Append(b, 50); !errors.Is(err, ErrFull) {
		t.Fatal(err)
	}
	tab.Close()
}

func TestFlushStopsAtError(t *testing.T) {
	ts := []types.Type{tBigInt.WithNotNull(true), tInt, types.String()}
	tab, err := New(Config{Types: ts, Key: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	if err := tab.Flush(func(*columnar.Batch) error { t.Error("called for an empty table"); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := tab.Append(batchOf(ts, []record{{key: []columnar.Value{columnar.IntValue(1)}}}, false), 0); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	if err := tab.Flush(func(*columnar.Batch) error { return stop }); err != stop {
		t.Fatal(err)
	}
	if got := flushed(t, tab); len(got) != 1 {
		t.Fatal("rows lost after a failed flush")
	}
}

func TestConfigFaults(t *testing.T) {
	ts := []types.Type{tInt, types.ArrayOf(tInt)}
	for _, c := range []Config{{Types: ts}, {Types: ts, Key: []int{2}}, {Types: ts, Key: []int{1}}, {Types: ts, Key: []int{0}, SequenceFields: []int{1}}} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v: accepted", c)
		}
	}
	tab, err := New(Config{Types: []types.Type{tInt}, Key: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	if err := tab.Append(columnar.NewBatch(ts, 0), 0); err != nil {
		t.Error("empty batch:", err)
	}
}

// TestFlushAllocates holds the line: a table that was flushed before takes nothing
// per row.
func TestFlushAllocates(t *testing.T) {
	ts := []types.Type{tBigInt.WithNotNull(true), tInt, types.String()}
	tab, err := New(Config{Types: ts, Key: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	var recs []record
	for i := range 4 * adoptRows {
		recs = append(recs, record{key: []columnar.Value{columnar.IntValue(int64(i) * 7919 % 30011)}, payload: fmt.Sprint(i)})
	}
	whole, part := batchOf(ts, recs, false), batchOf(ts, recs[:1000], false)
	fill := func() {
		tab.Reset()
		for i, b := range []*columnar.Batch{part, whole, part, whole} {
			if err := tab.Adopt(b, int64(i*len(recs))); err != nil {
				t.Fatal(err)
			}
		}
		if err := tab.Flush(func(*columnar.Batch) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	fill()
	if n := testing.AllocsPerRun(5, fill); n > 40 {
		t.Errorf("%.0f allocations for %d rows", n, tab.Rows())
	}
}

// BenchmarkSort sorts a million rows and yields the order only.
func BenchmarkSort(b *testing.B) {
	const n = 1_000_000
	for _, name := range []string{"random2M", "random64", "ascending", "string20", "composite"} {
		b.Run("keys="+name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			kt := []types.Type{tBigInt.WithNotNull(true)}
			switch name {
			case "string20":
				kt = []types.Type{types.String().WithNotNull(true)}
			case "composite":
				kt = []types.Type{tInt.WithNotNull(true), types.String().WithNotNull(true)}
			}
			key := columnar.NewBatch(kt, n)
			for i := range n {
				switch name {
				case "random2M":
					key.Cols[0].AppendI64(rng.Int64N(2_000_000))
				case "random64":
					key.Cols[0].AppendI64(int64(rng.Uint64()))
				case "ascending":
					key.Cols[0].AppendI64(int64(i))
				case "string20":
					key.Cols[0].AppendString(fmt.Sprintf("user-%015d", rng.Int64N(2_000_000)))
				default:
					key.Cols[0].AppendI32(rng.Int32N(1000))
					key.Cols[1].AppendString(fmt.Sprintf("%08x", rng.Uint32()))
				}
			}
			order, err := merge.NewOrder(kt)
			if err != nil {
				b.Fatal(err)
			}
			var s sorter
			b.ReportAllocs()
			for b.Loop() {
				if err := s.sort(order, [][]*columnar.Vector{key.Cols}, n); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}

// BenchmarkFlush sorts, deduplicates and gathers the columns of the kv table's shape.
func BenchmarkFlush(b *testing.B) {
	const n = 500_000
	ts := []types.Type{tBigInt.WithNotNull(true), tBigInt, tInt, types.Dec(18, 2), types.Of(types.Double), types.String(), types.String()}
	tab, err := New(Config{Types: ts, Key: []int{0}})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	in := columnar.NewBatch(ts, 4096)
	fill := func() {
		tab.Reset()
		for at := 0; at < n; at += in.N {
			if err := tab.Append(in, int64(at)); err != nil {
				b.Fatal(err)
			}
			for i := range in.N {
				in.Cols[0].I64[i] = rng.Int64N(2_000_000)
			}
		}
	}
	for i := range 4096 {
		in.Cols[0].AppendI64(rng.Int64N(2_000_000))
		in.Cols[1].AppendI64(int64(i))
		in.Cols[2].AppendI32(int32(i))
		in.Cols[3].AppendI64(int64(i))
		in.Cols[4].AppendF64(float64(i))
		in.Cols[5].AppendString(fmt.Sprintf("%010x", i))
		in.Cols[6].AppendString(fmt.Sprintf("%030x", i))
		in.N++
	}
	b.Run("append", func(b *testing.B) {
		for b.Loop() {
			fill()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
	})
	b.Run("flush", func(b *testing.B) {
		fill()
		b.ReportAllocs()
		for b.Loop() {
			if err := tab.Flush(func(*columnar.Batch) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
	})
}
