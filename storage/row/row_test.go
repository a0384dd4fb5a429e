package row

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"testing"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

func allTypes() []types.Type {
	return append(testkit.AllTypes(), types.Type{Kind: types.Vector, Length: 3, Elem: &types.Type{Kind: types.Float}},
		types.Type{Kind: types.Vector, Length: 5, Elem: &types.Type{Kind: types.SmallInt}}, types.Of(types.Blob))
}

func TestRoundTripAllTypes(t *testing.T) {
	rng := testkit.Rand(1)
	ts := allTypes()
	want := testkit.RandomBatch(rng, ts, 300, 0.2)
	got := columnar.NewBatch(ts, 300)
	var buf []byte
	for i := range want.N {
		buf = AppendSerialized(buf[:0], want.Cols, i)
		if len(buf)%8 != 4 {
			t.Fatalf("row %d has %d bytes", i, len(buf))
		}
		if err := readSerialized(got.Cols, buf); err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
	}
	got.N = want.N
	if err := testkit.EqualBatches(got, want); err != nil {
		t.Fatal(err)
	}
	for i, c := range got.Cols {
		if err := testkit.CheckVector(c); err != nil {
			t.Errorf("column %d: %v", i, err)
		}
	}
}

func TestValuesAgreeWithVectors(t *testing.T) {
	rng := testkit.Rand(2)
	ts := append(testkit.FlatTypes(), types.TimestampOf(9))
	b := testkit.RandomBatch(rng, ts, 200, 0.2)
	for i := range b.N {
		vals := make([]columnar.Value, len(ts))
		for c := range ts {
			vals[c] = b.Cols[c].Value(i)
		}
		data := Serialize(ts, vals)
		if fromCols := SerializeRow(b.Cols, i); !bytes.Equal(data, fromCols) {
			t.Fatalf("row %d: values %x, vectors %x", i, data, fromCols)
		}
		back, err := Deserialize(ts, data)
		if err != nil {
			t.Fatal(err)
		}
		for c := range ts {
			if columnar.Compare(ts[c], back[c], vals[c]) != 0 {
				t.Fatalf("row %d, %s: read %+v, want %+v", i, ts[c], back[c], vals[c])
			}
		}
	}
}

func TestHashBatchAgreesWithRows(t *testing.T) {
	rng := testkit.Rand(3)
	ts := append(testkit.FlatTypes(), types.TimestampOf(9))
	for _, nulls := range []float64{0, 0.3} {
		b := testkit.RandomBatch(rng, ts, 200, nulls)
		check := func(cols ...*columnar.Vector) {
			t.Helper()
			got := HashBatch(nil, cols, b.N)
			for i, h := range got {
				if want := Hash(AppendRow(nil, cols, i)); int32(h) != want {
					t.Fatalf("%s row %d: %d, want %d", cols[0].Type, i, int32(h), want)
				}
			}
		}
		for i, c := range b.Cols {
			check(c)
			check(testkit.Dictionary(c))
			check(c, b.Cols[(i+1)%len(ts)])
			check(b.Cols[:i]...)
		}
	}
}

func TestGoldenBuckets(t *testing.T) {
	one := func(t types.Type, v columnar.Value) ([]types.Type, []columnar.Value) {
		return []types.Type{t}, []columnar.Value{v}
	}
	for _, c := range []struct {
		t             types.Type
		v             columnar.Value
		n             int
		def, mod, hiv int
	}{
		{types.Of(types.Int), intV(-3), 5, 0, 2, 0},
		{types.Of(types.Int), intV(-5), 4, 3, 3, 3},
		{types.Of(types.Int), intV(-5), 7, 2, 2, 4},
		{types.Of(types.Int), intV(1), 4, 2, 1, 1},
		{types.Of(types.Int), intV(1), 7, 5, 1, 1},
		{types.String(), strV("hello"), 5, 1, -1, 2},
		{types.String(), strV("abc"), 4, 3, -1, 2},
		{types.String(), strV("abc"), 7, 4, -1, 6},
	} {
		for kind, want := range map[string]int{"": c.def, ModBuckets: c.mod, HiveBuckets: c.hiv} {
			ts, vals := one(c.t, c.v)
			b, err := NewBucketer(kind, ts, c.n)
			if want < 0 {
				if err == nil {
					t.Errorf("%s took %s", kind, c.t)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := b.BucketOf(vals); got != want {
				t.Errorf("%s of %+v over %d: %d, want %d", kind, c.v, c.n, got, want)
			}
			if got := b.Buckets(nil, []*columnar.Vector{vec(c.t, c.v)}, 1); int(got[0]) != want {
				t.Errorf("%s of a batch of %+v over %d: %d, want %d", kind, c.v, c.n, got[0], want)
			}
		}
	}
	b, err := NewBucketer(HiveBuckets, []types.Type{types.Of(types.BigInt), types.Dec(10, 2)}, 7)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.BucketOf([]columnar.Value{intV(123456789012), intV(150)}); got != 0 {
		t.Errorf("hive of two keys: %d", got)
	}
}

func TestHiveHash(t *testing.T) {
	for _, c := range []struct {
		t    types.Type
		v    columnar.Value
		want int32
	}{
		{types.Of(types.Boolean), intV(1), 1},
		{types.Of(types.Float), fltV(math.Copysign(0, -1)), 0},
		{types.Of(types.Float), fltV(1.5), 0x3fc00000},
		{types.Of(types.Double), fltV(1.5), 0x3ff80000},
		{types.Of(types.BigInt), intV(-1), 0},
		{types.String(), strV("\xff"), -1},
		{types.Dec(10, 2), intV(0), 0},
		{types.Dec(10, 2), intV(150), 31*15 + 1},
		{types.Dec(10, 2), intV(-150), -31*15 + 1},
		{types.Dec(10, 2), intV(15000), 31 * 150},
		{types.Dec(38, 2), columnar.DecimalValue(columnar.Int128{Hi: 1}), 31*(31*31) + 2}, // 2^64 has no factor 10: words 0 1 0 0
		{types.Of(types.Int), null, 0},
	} {
		if got := hiveHash(&c.t, &c.v); got != c.want {
			t.Errorf("%s %+v: %d, want %d", c.t, c.v, got, c.want)
		}
	}
}

func TestBucketerRefuses(t *testing.T) {
	for _, c := range []struct {
		kind string
		t    types.Type
		n    int
	}{
		{"", types.Of(types.Int), 0}, {"x", types.Of(types.Int), 3}, {ModBuckets, types.Of(types.SmallInt), 3},
		{HiveBuckets, types.TimestampOf(3), 3}, {DefaultBuckets, types.ArrayOf(types.Of(types.Int)), 3},
	} {
		if _, err := NewBucketer(c.kind, []types.Type{c.t}, c.n); err == nil {
			t.Errorf("%s of %s over %d was taken", c.kind, c.t, c.n)
		}
	}
}

func TestBucketsOfBatch(t *testing.T) {
	rng := testkit.Rand(4)
	ts := []types.Type{types.Of(types.BigInt), types.String(), types.Of(types.Int), types.Dec(20, 3)}
	b := testkit.RandomBatch(rng, ts, 3000, 0.1)
	for _, keys := range [][]int{{0}, {1}, {2}, {0, 2}, {0, 1, 3}} {
		for _, kind := range []string{DefaultBuckets, ModBuckets, HiveBuckets} {
			var kts []types.Type
			var cols []*columnar.Vector
			for _, k := range keys {
				kts, cols = append(kts, ts[k]), append(cols, b.Cols[k])
			}
			bu, err := NewBucketer(kind, kts, 7)
			if err != nil {
				continue
			}
			got := bu.Buckets(nil, cols, b.N)
			for i := range got {
				var vals []columnar.Value
				for _, c := range cols {
					vals = append(vals, c.Value(i))
				}
				if want := bu.BucketOf(vals); int(got[i]) != want || want < 0 || want >= 7 {
					t.Fatalf("%s of row %d: %d, want %d", kind, i, got[i], want)
				}
			}
		}
	}
}

func orderOf(cols []*columnar.Vector, i, j int) int {
	for _, c := range cols {
		if o := columnar.Compare(c.Type, c.Value(i), c.Value(j)); o != 0 {
			return o
		}
	}
	return 0
}

func TestNormalizedOrder(t *testing.T) {
	rng := testkit.Rand(5)
	flat := append(testkit.FlatTypes(), types.TimestampOf(9))
	for round := range 200 {
		var ts []types.Type
		for range 1 + rng.IntN(3) {
			ts = append(ts, flat[rng.IntN(len(flat))].WithNotNull(rng.IntN(2) == 0))
		}
		b := testkit.RandomBatch(rng, ts, 40, []float64{0, 0.2, 1}[rng.IntN(3)])
		for c := range b.Cols {
			if rng.IntN(4) == 0 {
				b.Cols[c] = testkit.Dictionary(b.Cols[c])
			}
		}
		for i := range b.N {
			for j := range b.N {
				want := orderOf(b.Cols, i, j)
				if got := bytes.Compare(AppendNormalized(nil, b.Cols, i), AppendNormalized(nil, b.Cols, j)); got != want {
					t.Fatalf("round %d %v: rows %d, %d compare %d, want %d", round, ts, i, j, got, want)
				}
			}
		}
	}
}

func TestDamage(t *testing.T) {
	ts := []types.Type{types.Of(types.Int), types.String(), types.Dec(20, 2), types.TimestampOf(6)}
	good := Serialize(ts, []columnar.Value{intV(1), strV("0123456789"), columnar.DecimalValue(columnar.Int128{Lo: 7}), intV(5)})
	for n := range len(good) {
		if _, err := Deserialize(ts, good[:n]); err == nil && n < len(good)-16 {
			t.Errorf("%d bytes were taken", n)
		} else if err != nil && !errors.Is(err, corrupt.Err) {
			t.Errorf("%d bytes: %v is no corruption", n, err)
		}
	}
	if _, err := Deserialize(ts[:2], good); err == nil {
		t.Error("another arity was taken")
	}
	if vals, err := Deserialize(nil, nil); err != nil || len(vals) != 0 {
		t.Errorf("nil as the empty row: %v, %v", vals, err)
	}
	if _, err := Deserialize(ts, nil); err == nil {
		t.Error("nil was taken as a row of four fields")
	}
}

// Elements that all point at the array around them would multiply with every level.
func TestOverlappingValuesAreDamage(t *testing.T) {
	ty := types.ArrayOf(types.ArrayOf(types.ArrayOf(types.Of(types.Int))))
	const n = 100
	w := writer{base: 0, slots: arrayHeader(n)}
	w.zeros(arrayHeader(n) + 8*n)
	w.buf[0] = n
	for i := range n {
		w.slot(i, uint64(len(w.buf)))
	}
	row := AppendRow(nil, []*columnar.Vector{vec(types.String(), strV(string(w.buf)))}, 0)
	if err := readRow([]*columnar.Vector{columnar.NewVector(ty, 1)}, row); !errors.Is(err, corrupt.Err) {
		t.Errorf("got %v", err)
	}
}

func FuzzReadBack(f *testing.F) {
	ts := allTypes()
	b := testkit.RandomBatch(testkit.Rand(6), ts, 8, 0.2)
	for i := range b.N {
		f.Add(AppendRow(nil, b.Cols, i))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := columnar.NewBatch(ts, 1)
		if err := readRow(got.Cols, data); err != nil {
			if !errors.Is(err, corrupt.Err) {
				t.Fatalf("%v is no corruption", err)
			}
			return
		}
		again := columnar.NewBatch(ts, 1)
		if err := readRow(again.Cols, AppendRow(nil, got.Cols, 0)); err != nil {
			t.Fatalf("own row: %v", err)
		}
		got.N, again.N = 1, 1
		if err := testkit.EqualBatches(again, got); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkHash(b *testing.B) {
	const n = 4096
	rng := testkit.Rand(7)
	ts := []types.Type{types.Of(types.BigInt), types.Of(types.Int), types.String()}
	for i := range ts {
		ts[i] = ts[i].WithNotNull(true)
	}
	batch := testkit.RandomBatch(rng, ts, n, 0)
	text := columnar.NewVector(ts[2], n)
	for range n {
		text.AppendString("user-" + strconv.FormatUint(rng.Uint64()|1<<63, 10)[:15])
	}
	for name, cols := range map[string][]*columnar.Vector{
		"bigint": batch.Cols[:1], "int": batch.Cols[1:2], "text20": {text}, "bigint-int": batch.Cols[:2], "int-text20": {batch.Cols[1], text}, "text20-int": {text, batch.Cols[1]},
	} {
		b.Run("key="+name, func(b *testing.B) {
			dst := make([]uint32, n)
			b.ReportAllocs()
			for b.Loop() {
				dst = HashBatch(dst, cols, n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}
