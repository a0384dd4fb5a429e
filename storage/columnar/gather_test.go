package columnar

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage/types"
)

var testTypes = map[string]types.Type{
	"int":       types.Of(types.Int),
	"bigint":    types.Of(types.BigInt),
	"float":     types.Of(types.Float),
	"double":    types.Of(types.Double),
	"decimal38": types.Dec(38, 4),
	"timestamp": types.TimestampOf(9),
	"string":    types.String(),
	"array":     types.ArrayOf(types.String()),
	"map":       types.MapOf(types.String(), types.ArrayOf(types.Of(types.Int))),
	"multiset":  types.MultisetOf(types.Of(types.BigInt)),
	"row": types.RowOf(types.Field{Name: "a", Type: types.Of(types.Int)}, types.Field{Name: "b", Type: types.String()},
		types.Field{Name: "c", Type: types.ArrayOf(types.Of(types.Double))}),
	"vector": {Kind: types.Vector, Length: 3, Elem: &types.Type{Kind: types.Float}},
}

// appendRandom appends a random value; nulls appear once in nullEvery slots.
func appendRandom(v *Vector, rng *rand.Rand, nullEvery int) {
	if nullEvery > 0 && rng.IntN(nullEvery) == 0 && !v.Type.NotNull {
		v.AppendNull()
		return
	}
	switch LayoutOf(v.Type) {
	case I32:
		v.AppendI32(int32(rng.Uint32()))
	case I64:
		v.AppendI64(int64(rng.Uint64()))
	case F32:
		v.AppendF32(float32(rng.NormFloat64()))
	case F64:
		v.AppendF64(rng.NormFloat64())
	case D128:
		v.AppendD128(Int128{Lo: rng.Uint64(), Hi: int64(rng.Uint64())})
	case T96:
		v.AppendT96(int64(rng.Uint64()>>20), rng.Int32N(1000000))
	case Str:
		b := make([]byte, rng.IntN(50))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		v.AppendBytes(b)
	case List:
		for range rng.IntN(4) {
			for _, c := range v.Children {
				appendRandom(c, rng, nullEvery)
			}
		}
		v.EndList()
	case Struct:
		for _, c := range v.Children {
			appendRandom(c, rng, nullEvery)
		}
		v.EndList()
	case Fixed:
		for range v.Type.Length {
			appendRandom(v.Children[0], rng, nullEvery)
		}
		v.EndList()
	}
}

func randomVector(t types.Type, rng *rand.Rand, n, nullEvery int) *Vector {
	v := NewVector(t, 0)
	for range n {
		appendRandom(v, rng, nullEvery)
	}
	return v
}

// show renders slot i.
func show(v *Vector, i int) string {
	if v.IsNull(i) {
		return "null"
	}
	list := func(from, to int) string {
		var sb strings.Builder
		sb.WriteByte('[')
		for k := from; k < to; k++ {
			for _, c := range v.Children {
				sb.WriteString(show(c, k) + ";")
			}
		}
		return sb.String() + "]"
	}
	switch LayoutOf(v.Type) {
	case List:
		return list(int(v.Off[i]), int(v.Off[i+1]))
	case Struct:
		return list(i, i+1)
	case Fixed:
		return list(i*v.Type.Length, (i+1)*v.Type.Length)
	}
	return fmt.Sprintf("%+v", v.Value(i))
}

func showAll(v *Vector) []string {
	out := make([]string, v.N)
	for i := range out {
		out[i] = show(v, i)
	}
	return out
}

func checkSlots(t *testing.T, what string, v *Vector, want []string) {
	t.Helper()
	if v.N != len(want) {
		t.Fatalf("%s: %d slots, want %d", what, v.N, len(want))
	}
	for i := range want {
		if got := show(v, i); got != want[i] {
			t.Fatalf("%s: slot %d is %s, want %s", what, i, got, want[i])
		}
	}
	nulls := 0
	for _, w := range want {
		if w == "null" {
			nulls++
		}
	}
	if v.NullCount() != nulls {
		t.Fatalf("%s: NullCount %d, want %d", what, v.NullCount(), nulls)
	}
	if nulls == 0 && v.Valid != nil {
		t.Fatalf("%s: a bitmap without nulls", what)
	}
}

// forEachCase runs f for every type and null density.
func forEachCase(t *testing.T, f func(t *testing.T, typ types.Type, rng *rand.Rand, nullEvery int)) {
	for name, typ := range testTypes {
		for _, nullEvery := range []int{0, 1, 2, 50} {
			t.Run(fmt.Sprintf("%s/nulls=%d", name, nullEvery), func(t *testing.T) {
				f(t, typ, rand.New(rand.NewPCG(7, uint64(nullEvery))), nullEvery)
			})
		}
	}
}

func TestGather(t *testing.T) {
	forEachCase(t, func(t *testing.T, typ types.Type, rng *rand.Rand, nullEvery int) {
		dst := NewVector(typ, 0)
		var want []string
		for round := range 6 {
			// Rounds without nulls between those with them: the bitmap must appear late.
			every := nullEvery
			if round%2 == 0 {
				every = 0
			}
			src := randomVector(typ, rng, 1+rng.IntN(200), every)
			rows := make([]int32, rng.IntN(150))
			for i := range rows {
				rows[i] = int32(rng.IntN(src.N))
				want = append(want, show(src, int(rows[i])))
			}
			Gather(dst, src, rows)
			checkSlots(t, "gather", dst, want)
		}
		appendRandom(dst, rng, 0)
		want = append(want, show(dst, dst.N-1))
		checkSlots(t, "append after gather", dst, want)
	})
}

func TestAppendRangeAndClone(t *testing.T) {
	forEachCase(t, func(t *testing.T, typ types.Type, rng *rand.Rand, nullEvery int) {
		dst := NewVector(typ, 0)
		var want []string
		for round := range 8 {
			every := nullEvery
			if round%2 == 0 {
				every = 0
			}
			src := randomVector(typ, rng, 1+rng.IntN(300), every)
			from := rng.IntN(src.N)
			to := from + rng.IntN(src.N-from+1)
			AppendRange(dst, src, from, to)
			want = append(want, showAll(src)[from:to]...)
			checkSlots(t, "append", dst, want)
			checkSlots(t, "clone", (&Batch{N: dst.N, Cols: []*Vector{dst}}).Clone().Cols[0], want)
		}
		dst.Reset()
		src := randomVector(typ, rng, 70, 0)
		AppendRange(dst, src, 0, 70)
		checkSlots(t, "after reset", dst, showAll(src))
	})
}

func TestGatherMulti(t *testing.T) {
	forEachCase(t, func(t *testing.T, typ types.Type, rng *rand.Rand, nullEvery int) {
		dst := NewVector(typ, 0)
		var want []string
		for range 5 {
			srcs := make([]*Vector, 1+rng.IntN(6))
			for i := range srcs {
				every := nullEvery
				if i%2 == 1 {
					every = 0
				}
				srcs[i] = randomVector(typ, rng, 1+rng.IntN(90), every)
			}
			srcs = append(srcs, nil)
			picks := make([]uint32, rng.IntN(200))
			for i := range picks {
				s := rng.IntN(len(srcs) - 1)
				r := rng.IntN(srcs[s].N)
				picks[i] = uint32(s)<<PickShift | uint32(r)
				want = append(want, show(srcs[s], r))
			}
			GatherMulti(dst, srcs, picks)
			checkSlots(t, "gather", dst, want)
		}
	})
}

// dictionary returns v's values in dictionary form and v itself.
func dictionary(v *Vector) *Vector {
	d := &Vector{Type: v.Type, N: v.N, Valid: v.Valid, Dict: NewVector(v.Type, 0), Codes: make([]int32, v.N)}
	d.Off = nil
	seen := map[Value]int32{}
	for i := range v.N {
		x := v.Value(i)
		if x.Null {
			continue
		}
		c, ok := seen[x]
		if !ok {
			c = int32(len(seen))
			seen[x] = c
			d.Dict.AppendValue(x)
		}
		d.Codes[i] = c
	}
	return d
}

func TestDictionary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"int", "bigint", "timestamp", "string"} {
		for _, nullEvery := range []int{0, 1, 3} {
			plain := randomVector(testTypes[name], rng, 100, nullEvery)
			dict := dictionary(plain)
			all := showAll(plain)

			dst := NewVector(plain.Type, 0)
			Gather(dst, dict, []int32{5, 5, 99, 0, 63, 64})
			want := []string{all[5], all[5], all[99], all[0], all[63], all[64]}
			checkSlots(t, "gather", dst, want)
			AppendRange(dst, dict, 10, 40)
			want = append(want, all[10:40]...)
			checkSlots(t, "range", dst, want)
			GatherMulti(dst, []*Vector{plain, dict}, []uint32{1<<PickShift | 7, 8, 1<<PickShift | 9, 1<<PickShift | 10})
			want = append(want, all[7:11]...)
			checkSlots(t, "multi", dst, want)

			for i := range dst.N {
				if dst.IsNull(i) && LayoutOf(dst.Type) == Str && dst.Off[i] != dst.Off[i+1] {
					t.Fatal("bytes under a null")
				}
			}
			AppendRange(dict, plain, 0, 2)
			checkSlots(t, "dictionary appended to", dict, append(append([]string{}, all...), all[:2]...))
		}
	}
}

// TestWindows gathers from vectors that are windows on a page: offsets that do
// not start at zero, bytes behind the last value, no slack.
func TestWindows(t *testing.T) {
	page := []byte("xxhelloworldaXYZ")
	src := &Vector{Type: types.String(), N: 3, Off: []int32{2, 7, 12, 13}, Data: page[:len(page):len(page)]}
	dst := &Vector{Type: types.String(), N: 1, Off: []int32{3, 5}, Data: []byte("...ab....")}
	Gather(dst, src, []int32{2, 1, 0})
	AppendRange(dst, src, 1, 3)
	GatherMulti(dst, []*Vector{src}, []uint32{0, 1})
	var got []string
	for i := range dst.N {
		got = append(got, string(dst.Bytes(i)))
	}
	if s := strings.Join(got, ","); s != "ab,a,world,hello,world,a,hello,world" {
		t.Fatal(s)
	}
}

func TestBatchAppend(t *testing.T) {
	ts := []types.Type{types.Of(types.Int), types.String()}
	mk := func(from, n int, kind types.RowKind) *Batch {
		b := NewBatch(ts, n)
		for i := range n {
			b.Cols[0].AppendI32(int32(from + i))
			b.Cols[1].AppendString(fmt.Sprint("v", from+i))
			if kind != types.Insert {
				b.Kinds = append(b.Kinds, kind)
			}
		}
		b.N = n
		return b
	}
	a, d := mk(0, 5, types.Insert), mk(5, 5, types.Delete)
	a.Sel = []uint16{1, 4}
	text := func(b *Batch) string {
		var sb strings.Builder
		for i := range b.N {
			fmt.Fprintf(&sb, "%v%d%s ", b.Kind(i), b.Cols[0].I32[i], b.Cols[1].Bytes(i))
		}
		return strings.TrimSpace(sb.String())
	}
	if got := text(concat(a, d)); got != "+I1v1 +I4v4 -D5v5 -D6v6 -D7v7 -D8v8 -D9v9" {
		t.Error(got)
	}
	if got := text(concat(d, a).Compact()); got != "-D5v5 -D6v6 -D7v7 -D8v8 -D9v9 +I1v1 +I4v4" {
		t.Error(got)
	}
	out := NewBatch(ts, 0)
	out.AppendPicks([]*Batch{a, nil, d}, []uint32{0, 2<<PickShift | 1, 3})
	if got := text(out); got != "+I0v0 -D6v6 +I3v3" {
		t.Error(got)
	}
	out.Reset()
	out.Append(a)
	if out.Kinds != nil || text(out) != "+I1v1 +I4v4" {
		t.Errorf("%v %s", out.Kinds, text(out))
	}
	if c := a.Compact(); c == a || text(c) != "+I1v1 +I4v4" {
		t.Error("selection not applied")
	}
}

func BenchmarkGather(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n, k = 1 << 20, 4096
	str := func(l int) *Vector {
		v := NewVector(types.String(), n)
		buf := make([]byte, l)
		for range n {
			for j := range buf {
				buf[j] = byte('a' + rng.IntN(26))
			}
			v.AppendBytes(buf)
		}
		return v
	}
	i64 := NewVector(types.Of(types.BigInt), n)
	i32 := NewVector(types.Of(types.Int), n)
	for i := range n {
		i64.AppendI64(int64(i))
		i32.AppendI32(int32(i))
	}
	perm := rng.Perm(n)
	for _, c := range []struct {
		name string
		v    *Vector
	}{{"int32", i32}, {"int64", i64}, {"string10", str(10)}, {"string30", str(30)}} {
		for _, order := range []string{"random", "sequence"} {
			b.Run(c.name+"/"+order, func(b *testing.B) {
				rows := make([]int32, n)
				for i := range rows {
					rows[i] = int32(i)
					if order == "random" {
						rows[i] = int32(perm[i])
					}
				}
				dst := NewVector(c.v.Type, k)
				b.ReportAllocs()
				at := 0
				for b.Loop() {
					dst.Reset()
					Gather(dst, c.v, rows[at:at+k])
					at = (at + k) % n
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/k, "ns/value")
			})
		}
	}
}

func BenchmarkGatherMulti(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const k, runs = 4096, 10
	for _, name := range []string{"bigint", "string"} {
		b.Run(name, func(b *testing.B) {
			srcs := make([]*Vector, runs)
			for i := range srcs {
				srcs[i] = randomVector(testTypes[name], rng, k, 0)
			}
			pos := make([]uint32, runs)
			picks := make([]uint32, 0, k)
			for len(picks) < k {
				r := rng.IntN(runs)
				picks = append(picks, uint32(r)<<PickShift|pos[r])
				pos[r]++
			}
			dst := NewVector(testTypes[name], k)
			for b.Loop() {
				dst.Reset()
				GatherMulti(dst, srcs, picks)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/k, "ns/value")
		})
	}
}

// concat is the live rows of two batches.
func concat(a, b *Batch) *Batch {
	out := a.Clone()
	out.Append(b)
	return out
}
