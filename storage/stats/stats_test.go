package stats

import (
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

func collect(t types.Type, m Mode, batches ...*columnar.Batch) Column {
	c := NewCollector([]types.Field{{Name: "c", Type: t}}, []Mode{m})
	for _, b := range batches {
		c.Add(b)
	}
	return c.Columns()[0]
}

func batchOf(t types.Type, vals ...columnar.Value) *columnar.Batch {
	b := columnar.NewBatch([]types.Type{t}, len(vals))
	for _, v := range vals {
		b.Cols[0].AppendValue(v)
	}
	b.N = len(vals)
	return b
}

func TestParseMode(t *testing.T) {
	for in, want := range map[string]Mode{
		"none": {Kind: None}, "COUNTS": {Kind: Counts}, "Full": {Kind: Full}, "truncate(16)": {Kind: Truncate, Length: 16},
	} {
		got, err := ParseMode(in)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", in, got, err)
		}
		if again, err := ParseMode(got.String()); err != nil || again != got {
			t.Errorf("%s prints as %s", in, got)
		}
	}
	for _, bad := range []string{"", "some", "truncate", "truncate()", "truncate(0)", "truncate(-1)", "truncate(x)", "truncate(99999999999)"} {
		if got, err := ParseMode(bad); err == nil {
			t.Errorf("%q gave %v", bad, got)
		}
	}
}

// The cases are those of the reference's collector.
func TestTruncate(t *testing.T) {
	str, bin := types.String(), types.Bytes()
	jp := strings.Repeat("日本", 9)[:17*3]
	for _, c := range []struct {
		name     string
		t        types.Type
		n        int
		in       string
		min, max string
		none     bool
	}{
		{name: "fits", t: str, n: 16, in: "abcdefghijklmnop", min: "abcdefghijklmnop", max: "abcdefghijklmnop"},
		{name: "cut", t: str, n: 16, in: "abcdefghijklmnopq", min: "abcdefghijklmnop", max: "abcdefghijklmnoq"},
		{name: "bytes", t: bin, n: 2, in: "\x01\xff\x03", min: "\x01\xff", max: "\x02"},
		{name: "no bound", t: bin, n: 2, in: "\xff\xff\x03", none: true},
		{name: "code points", t: str, n: 16, in: jp, min: jp[:48], max: jp[:45] + "\u672d"},
		{name: "last character", t: str, n: 2, in: "a\U0010ffffb", min: "a\U0010ffff", max: "b"},
		{name: "no greater text", t: str, n: 1, in: "\U0010ffff\U0010ffff", none: true},
		{name: "over the surrogates", t: str, n: 1, in: "\ud7ffx", min: "\ud7ff", max: "\ue000"},
		{name: "no text", t: str, n: 2, in: "a\xffb", min: "a\xff", max: "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := collect(c.t, Mode{Kind: Truncate, Length: c.n}, batchOf(c.t, columnar.StringValue(c.in), columnar.NullValue))
			want := Column{Min: columnar.StringValue(c.min), Max: columnar.StringValue(c.max), HasBounds: true, Nulls: 1}
			if c.none {
				want = Column{Nulls: 1}
			}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestGoldenDense(t *testing.T) {
	i, s := types.Of(types.Int), types.String()
	v, str := columnar.IntValue, columnar.StringValue
	kept, b := Dense([]types.Field{{Name: "a", Type: i}, {Name: "b", Type: i}},
		[]Column{{Min: v(1), Max: v(9), HasBounds: true}, {Nulls: Unknown}})
	check := func(what string, got []byte, want string) {
		t.Helper()
		if hex.EncodeToString(got) != strings.ReplaceAll(want, " ", "") {
			t.Errorf("%s %x, want %s", what, got, want)
		}
	}
	if !slices.Equal(kept, []string{"a"}) || !slices.Equal(b.NullCounts, []int64{0}) {
		t.Errorf("kept %v, null counts %v", kept, b.NullCounts)
	}
	check("min", b.Min, "00000001 0000000000000000 0100000000000000")
	check("max", b.Max, "00000001 0000000000000000 0900000000000000")

	kept, b = Dense([]types.Field{{Name: "a", Type: i}, {Name: "c", Type: s}},
		[]Column{{Min: v(1), Max: v(9), HasBounds: true}, {Min: str("a"), Max: str("zz"), HasBounds: true}})
	if kept != nil {
		t.Errorf("kept %v, want nil", kept)
	}
	check("min", b.Min, "00000002 0000000000000000 0100000000000000 6100000000000081")
	check("max", b.Max, "00000002 0000000000000000 0900000000000000 7a7a000000000082")

	kept, b = Dense([]types.Field{{Name: "a", Type: i}}, []Column{{Nulls: Unknown}})
	if kept == nil || len(kept) != 0 {
		t.Errorf("kept %v, want none", kept)
	}
	check("min", b.Min, strings.Repeat("00", 12))
	check("empty", Empty.Min, strings.Repeat("00", 12))
}

func TestDecode(t *testing.T) {
	rng := testkit.Rand(1)
	ts := append(testkit.AllTypes(), types.Of(types.Blob))
	fields := testkit.Fields(ts)
	cols := make([]Column, len(ts))
	for i := range cols {
		cols[i].Nulls = int64(rng.IntN(5)) - 1
		if bounded(ts[i].Kind) && rng.IntN(4) > 0 {
			cols[i].Min, cols[i].Max, cols[i].HasBounds = testkit.RandomValue(rng, ts[i]), testkit.RandomValue(rng, ts[i]), true
		}
	}
	same := func(got []Column) {
		t.Helper()
		for i := range cols {
			a, b := got[i], cols[i]
			if a.HasBounds != b.HasBounds || a.Nulls != b.Nulls ||
				a.HasBounds && (columnar.Compare(ts[i], a.Min, b.Min) != 0 || columnar.Compare(ts[i], a.Max, b.Max) != 0) {
				t.Errorf("%s: got %+v, want %+v", ts[i], a, b)
			}
		}
	}
	got, err := Encode(ts, cols).Decode(ts)
	if err != nil {
		t.Fatal(err)
	}
	same(got)
	kept, b := Dense(fields, cols)
	if got, err = b.DecodeDense(fields, kept); err != nil {
		t.Fatal(err)
	}
	same(got)
	for _, nothing := range []Binary{{}, Empty} {
		got, err := nothing.Decode(ts)
		if err != nil || got[0].Known() {
			t.Errorf("a record without columns: %v, %v", got, err)
		}
	}
	if _, err := (Binary{Min: b.Min[:9], Max: b.Max, NullCounts: b.NullCounts}).Decode(ts); err == nil {
		t.Error("a short record was taken")
	}
	if _, err := b.DecodeDense(fields, []string{"nobody"}); err == nil {
		t.Error("an unknown column was taken")
	}
}

// Bounds are those of a plain loop, for every type, form and selection.
func TestCollectorAgreesWithLoop(t *testing.T) {
	rng := testkit.Rand(2)
	ts := append(testkit.FlatTypes(), types.TimestampOf(9))
	modes := make([]Mode, len(ts))
	for i := range modes {
		modes[i] = Mode{Kind: Full}
	}
	for round := range 60 {
		c := NewCollector(testkit.Fields(ts), modes)
		type ref struct {
			any, nan bool
			min, max columnar.Value
			nulls    int64
		}
		refs := make([]ref, len(ts))
		for range 1 + rng.IntN(3) {
			b := testkit.RandomBatch(rng, ts, rng.IntN(150), []float64{0, 0.3, 1}[rng.IntN(3)])
			if rng.IntN(3) == 0 {
				b.Sel = []uint16{}
				for i := range b.N {
					if rng.IntN(2) == 0 {
						b.Sel = append(b.Sel, uint16(i))
					}
				}
			}
			for k, v := range b.Cols {
				for r := range b.Rows() {
					i := r
					if b.Sel != nil {
						i = int(b.Sel[r])
					}
					x, f := v.Value(i), &refs[k]
					switch {
					case x.Null:
						f.nulls++
					case x.F != x.F:
						f.nan = true
					case !f.any:
						f.any, f.min, f.max = true, x, x
					default:
						if columnar.Compare(ts[k], x, f.min) < 0 {
							f.min = x
						}
						if columnar.Compare(ts[k], x, f.max) > 0 {
							f.max = x
						}
					}
				}
				if rng.IntN(3) == 0 && v.N > 0 && columnar.LayoutOf(ts[k]) != columnar.F64 {
					b.Cols[k] = testkit.Dictionary(v)
				}
			}
			c.Add(b)
		}
		for k, got := range c.Columns() {
			f := refs[k]
			want := Column{Nulls: f.nulls}
			if f.any && !f.nan {
				want.Min, want.Max, want.HasBounds = f.min, f.max, true
			}
			if got != want || want.HasBounds && math.Signbit(got.Min.F) != math.Signbit(want.Min.F) {
				t.Fatalf("round %d, %s: got %+v, want %+v", round, ts[k], got, want)
			}
		}
	}
}

func TestNestedHaveCountsOnly(t *testing.T) {
	rng := testkit.Rand(3)
	for _, ty := range append(testkit.NestedTypes(), types.Of(types.Blob)) {
		b := testkit.RandomBatch(rng, []types.Type{ty}, 100, 0.3)
		want := Column{Nulls: int64(b.Cols[0].NullCount())}
		if got := collect(ty, Mode{Kind: Full}, b); got != want {
			t.Errorf("%s: got %+v, want %+v", ty, got, want)
		}
		if got := collect(ty, Mode{}, b); got.Known() {
			t.Errorf("%s: mode none gave %+v", ty, got)
		}
	}
}

func BenchmarkCollector(b *testing.B) {
	const n = 4096
	rng := testkit.Rand(4)
	text := columnar.NewVector(types.String(), n)
	for range n {
		text.AppendString("user-" + strconv.FormatUint(rng.Uint64()|1<<63, 10)[:15])
	}
	ascending := columnar.NewVector(types.String(), n)
	for i := range n {
		ascending.AppendString("user-" + strconv.Itoa(100000+i))
	}
	cols := map[string]*columnar.Vector{"text20": text, "ascending": ascending}
	for name, ty := range map[string]types.Type{"int": types.Of(types.Int), "bigint": types.Of(types.BigInt), "double": types.Of(types.Double), "decimal38": types.Dec(38, 2)} {
		cols[name] = testkit.RandomBatch(rng, []types.Type{ty}, n, 0).Cols[0]
	}
	cols["bigint-nulls"] = testkit.RandomBatch(rng, []types.Type{types.Of(types.BigInt)}, n, 0.1).Cols[0]
	for name, v := range cols {
		b.Run("type="+name, func(b *testing.B) {
			c := NewCollector([]types.Field{{Type: v.Type}}, []Mode{{Kind: Truncate, Length: 16}})
			batch := &columnar.Batch{N: n, Cols: []*columnar.Vector{v}}
			b.ReportAllocs()
			for b.Loop() {
				c.Add(batch)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}

func FuzzDecode(f *testing.F) {
	ts := []types.Type{types.Of(types.Int), types.String(), types.Dec(20, 2), types.TimestampOf(6), types.ArrayOf(types.Of(types.Int))}
	i, s := columnar.IntValue(5), columnar.StringValue("longer than a slot")
	b := Encode(ts, []Column{{Min: i, Max: i, HasBounds: true}, {Min: s, Max: s, HasBounds: true}, {Nulls: 3}, {Min: i, Max: i, HasBounds: true}, {Nulls: Unknown}})
	f.Add(b.Min, b.Max, 5)
	f.Add(Empty.Min, Empty.Max, 0)
	f.Fuzz(func(t *testing.T, least, most []byte, counts int) {
		cols, err := Binary{Min: least, Max: most, NullCounts: make([]int64, max(counts, 0)%10)}.Decode(ts)
		if err == nil && len(cols) != len(ts) {
			t.Fatalf("%d columns", len(cols))
		}
	})
}
