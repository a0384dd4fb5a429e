package exec

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lakesql/lakesql/internal/membudget"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// batchList reads batches that it has.
type batchList struct {
	list []*columnar.Batch
	at   int
}

func (r *batchList) Next(context.Context) (*columnar.Batch, error) {
	if r.at == len(r.list) {
		return nil, io.EOF
	}
	r.at++
	return r.list[r.at-1], nil
}

func (r *batchList) Close() error { return nil }

// randomBatches are rows of (k INT, s STRING, v BIGINT, d DECIMAL(30,2), f DOUBLE)
// with nulls and selections.
func randomBatches(seed uint64, rows int) ([]types.Type, []*columnar.Batch) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	ts := []types.Type{types.Of(types.Int), types.String(), types.Of(types.BigInt), types.Dec(30, 2), types.Of(types.Double)}
	floats := []float64{0, math.Copysign(0, -1), 1.5, -2.25, math.NaN(), math.Inf(1)}
	texts := []string{"", "a", "A", "a ", "a\x00", "<nil>", "é"}
	var out []*columnar.Batch
	for rows > 0 {
		n := min(rows, 1+rnd.IntN(300))
		rows -= n
		b := columnar.NewBatch(ts, n)
		for range n {
			null := func(c int) bool {
				if rnd.IntN(5) == 0 {
					b.Cols[c].AppendNull()
					return true
				}
				return false
			}
			if !null(0) {
				b.Cols[0].AppendI32(int32(rnd.IntN(7)) - 3)
			}
			if !null(1) {
				b.Cols[1].AppendString(texts[rnd.IntN(len(texts))])
			}
			if !null(2) {
				b.Cols[2].AppendI64(int64(rnd.Uint64()))
			}
			if !null(3) {
				b.Cols[3].AppendD128(columnar.Int128{Lo: rnd.Uint64(), Hi: rnd.Int64N(1<<33) - 1<<32})
			}
			if !null(4) {
				b.Cols[4].AppendF64(floats[rnd.IntN(len(floats))])
			}
			b.N++
		}
		if rnd.IntN(2) == 0 {
			b.Sel = []uint16{}
			for i := range n {
				if rnd.IntN(3) > 0 {
					b.Sel = append(b.Sel, uint16(i))
				}
			}
		}
		out = append(out, b)
	}
	return ts, out
}

// reference is an aggregation by Go maps over printed keys that cannot be mixed up.
type reference struct {
	rows, count, distinct map[string]int64
	seen                  map[string]bool
	sum, dec              map[string]*big.Int
	least                 map[string]string
}

func keyText(b *columnar.Batch, cols []int, i int) string {
	s := ""
	for _, c := range cols {
		v := b.Cols[c].Value(i)
		if v.F-v.F != 0 {
			v = columnar.NullValue
		}
		v.F += 0
		s += fmt.Sprintf("%t|%d|%d|%v|%q;", v.Null, v.I, v.Hi, v.F, v.S)
	}
	return s
}

func reckon(batches []*columnar.Batch, keys []int) *reference {
	r := &reference{map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]bool{}, map[string]*big.Int{}, map[string]*big.Int{}, map[string]string{}}
	for _, b := range batches {
		for n := range b.Rows() {
			i := n
			if b.Sel != nil {
				i = int(b.Sel[n])
			}
			k := keyText(b, keys, i)
			if r.sum[k] == nil {
				r.sum[k], r.dec[k] = new(big.Int), new(big.Int)
			}
			r.rows[k]++
			if v := b.Cols[2].Value(i); !v.Null {
				r.count[k]++
				r.sum[k].Add(r.sum[k], big.NewInt(v.I))
			}
			if v := b.Cols[3].Value(i); !v.Null {
				r.dec[k].Add(r.dec[k], expr.BigInt(v.Int128()))
			}
			s, f := b.Cols[1].Value(i), b.Cols[4].Value(i)
			if !s.Null {
				if old, ok := r.least[k]; !ok || s.S < old {
					r.least[k] = s.S
				}
				if pair := k + "#" + keyText(b, []int{1, 4}, i); !f.Null && f.F-f.F == 0 && !r.seen[pair] {
					r.seen[pair] = true
					r.distinct[k]++
				}
			}
		}
	}
	return r
}

func TestAggregation(t *testing.T) {
	for _, keys := range [][]int{{}, {0}, {1}, {4}, {0, 1}, {1, 4, 0}, {3}, {2, 1}} {
		for _, coded := range []bool{false, true} {
			t.Run(fmt.Sprint(keys, coded), func(t *testing.T) {
				ts, batches := randomBatches(7, 5000)
				want := reckon(batches, keys)
				if coded {
					for _, b := range batches {
						encodeDict(b.Cols[1])
					}
				}
				a := NewAggregation(&batchList{list: batches}, ts, keys, []Aggregate{
					{Kind: CountRows}, {Kind: CountOf, Cols: []int{2}}, {Kind: SumOf, Cols: []int{2}}, {Kind: SumOf, Cols: []int{3}},
					{Kind: CountDistinct, Cols: []int{1, 4}}, {Kind: MinOf, Cols: []int{1}}, {Kind: FirstOf, Cols: []int{0}},
				}, membudget.New(0))
				defer a.Close()
				if err := a.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				if a.Len() != len(want.rows) {
					t.Fatalf("%d groups, want %d", a.Len(), len(want.rows))
				}
				for g := range a.Len() {
					checkGroup(t, a, g, len(keys), want)
				}
			})
		}
	}
}

func checkGroup(t *testing.T, a *Aggregation, g, keys int, want *reference) {
	t.Helper()
	b := &columnar.Batch{}
	var cols []int
	for i := range keys {
		b.Cols, cols = append(b.Cols, a.Key(i)), append(cols, i)
	}
	k := keyText(b, cols, g)
	if n := a.Count(0, g); n != want.rows[k] {
		t.Errorf("%s: %d rows, want %d", k, n, want.rows[k])
	}
	if n := a.Count(1, g); n != want.count[k] {
		t.Errorf("%s: %d values, want %d", k, n, want.count[k])
	}
	if _, s, _ := a.Sum(2, g); s.Cmp(want.sum[k]) != 0 {
		t.Errorf("%s: sum %s, want %s", k, s, want.sum[k])
	}
	if _, s, _ := a.Sum(3, g); s.Cmp(want.dec[k]) != 0 {
		t.Errorf("%s: decimal sum %s, want %s", k, s, want.dec[k])
	}
	if n := a.Count(4, g); n != want.distinct[k] {
		t.Errorf("%s: %d distinct, want %d", k, n, want.distinct[k])
	}
	least, ok := want.least[k]
	if v, i := a.Value(5, g); (v != nil) != ok || ok && string(v.Bytes(i)) != least {
		t.Errorf("%s: least text is not %q", k, least)
	}
}

// encodeDict brings a text column to dictionary form.
func encodeDict(v *columnar.Vector) {
	d := columnar.NewVector(v.Type, 0)
	codes := make([]int32, v.N)
	known := map[string]int32{}
	for i := range v.N {
		if v.IsNull(i) {
			continue
		}
		s := string(v.Bytes(i))
		if _, ok := known[s]; !ok {
			known[s] = int32(d.N)
			d.AppendString(s)
		}
		codes[i] = known[s]
	}
	if d.N == 0 {
		d.AppendString("")
	}
	v.Dict, v.Codes, v.Off, v.Data = d, codes, nil, nil
}

func TestAggregationWideSum(t *testing.T) {
	ts := []types.Type{types.Dec(38, 0)}
	b := columnar.NewBatch(ts, 4)
	x := columnar.Int128{Lo: math.MaxUint64, Hi: math.MaxInt64}
	for range 4 {
		b.Cols[0].AppendD128(x)
		b.N++
	}
	a := NewAggregation(&batchList{list: []*columnar.Batch{b}}, ts, nil, []Aggregate{{Kind: SumOf, Cols: []int{0}}}, nil)
	defer a.Close()
	if err := a.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := new(big.Int).Lsh(big.NewInt(1), 129)
	want.Sub(want, big.NewInt(4))
	if n, s, _ := a.Sum(0, 0); n != 4 || s.Cmp(want) != 0 {
		t.Errorf("%d values with the sum %s, want %s", n, s, want)
	}
}

func TestAggregationMemory(t *testing.T) {
	ts := []types.Type{types.Of(types.BigInt)}
	b := columnar.NewBatch(ts, 60000)
	for i := range 60000 {
		b.Cols[0].AppendI64(int64(i))
		b.N++
	}
	budget := membudget.New(1 << 20)
	a := NewAggregation(&batchList{list: []*columnar.Batch{b}}, ts, []int{0}, []Aggregate{{Kind: CountRows}}, budget)
	if err := a.Run(t.Context()); err == nil {
		t.Error("60000 groups fit 1 MiB")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if budget.Used() != 0 {
		t.Errorf("%d bytes are reserved after Close", budget.Used())
	}
}

func BenchmarkAggregation(b *testing.B) {
	for _, groups := range []int{30, 100_000} {
		for _, key := range []string{"int", "text", "int,text", "coded"} {
			b.Run(fmt.Sprintf("%s-%d", key, groups), func(b *testing.B) { benchAggregation(b, key, groups) })
		}
	}
}

func benchAggregation(b *testing.B, key string, groups int) {
	const rows = 1 << 20
	ts := []types.Type{types.Of(types.Int), types.String(), types.Of(types.BigInt)}
	rnd := rand.New(rand.NewPCG(1, 2))
	var list []*columnar.Batch
	for range rows / columnar.BatchRows {
		x := columnar.NewBatch(ts, columnar.BatchRows)
		for range columnar.BatchRows {
			k := rnd.IntN(groups)
			x.Cols[0].AppendI32(int32(k))
			x.Cols[1].AppendString(fmt.Sprintf("key-%d", k))
			x.Cols[2].AppendI64(int64(k))
			x.N++
		}
		if key == "coded" {
			encodeDict(x.Cols[1])
		}
		list = append(list, x)
	}
	keys := map[string][]int{"int": {0}, "text": {1}, "int,text": {0, 1}, "coded": {1}}[key]
	b.ReportAllocs()
	for b.Loop() {
		a := NewAggregation(&batchList{list: list}, ts, keys, []Aggregate{{Kind: SumOf, Cols: []int{2}}}, nil)
		if err := a.Run(context.Background()); err != nil {
			b.Fatal(err)
		}
		a.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}
