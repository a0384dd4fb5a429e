package predicate

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

var (
	intT  = types.Of(types.Int)
	strT  = types.String()
	i     = columnar.IntValue
	s     = columnar.StringValue
	dblT  = types.Of(types.Double)
	f     = columnar.FloatValue
	nullV = columnar.NullValue
)

func TestMayMatch(t *testing.T) {
	ints := func(lo, hi, nulls int64) stats.Column {
		return stats.Column{Min: i(lo), Max: i(hi), HasBounds: true, Nulls: nulls}
	}
	text := func(lo, hi string) stats.Column {
		return stats.Column{Min: s(lo), Max: s(hi), HasBounds: true}
	}
	none := stats.Column{Nulls: stats.Unknown}
	for _, c := range []struct {
		n    *Node
		col  stats.Column
		want bool
	}{
		{Eq(0, intT, i(5)), ints(1, 9, 0), true},
		{Eq(0, intT, i(0)), ints(1, 9, 0), false},
		{Eq(0, intT, i(10)), ints(1, 9, 0), false},
		{Eq(0, intT, nullV), ints(1, 9, 5), false},
		{NotEq(0, intT, i(1)), ints(1, 1, 0), false},
		{NotEq(0, intT, i(1)), ints(1, 2, 0), true},
		{NotEq(0, intT, i(3)), ints(1, 1, 0), true},
		{Lt(0, intT, i(1)), ints(1, 9, 0), false},
		{Le(0, intT, i(1)), ints(1, 9, 0), true},
		{Gt(0, intT, i(9)), ints(1, 9, 0), false},
		{Ge(0, intT, i(9)), ints(1, 9, 0), true},
		{In(0, intT, i(0), i(10)), ints(1, 9, 0), false},
		{In(0, intT, i(0), i(9)), ints(1, 9, 0), true},
		{In(0, intT), none, false},
		{In(0, intT, nullV), none, false},
		{NotIn(0, intT, i(1), i(2)), ints(1, 2, 0), true},
		{NotIn(0, intT, i(1), i(2)), ints(2, 2, 0), false},
		{NotIn(0, intT, i(1), nullV), ints(5, 7, 0), false},
		{NotIn(0, intT), none, true},
		{IsNull(0, intT), ints(1, 9, 0), false},
		{IsNull(0, intT), ints(1, 9, 1), true},
		{IsNull(0, intT), none, true},
		{IsNotNull(0, intT), stats.Column{Nulls: 100}, false},
		{IsNotNull(0, intT), stats.Column{Nulls: 99}, true},
		{Gt(0, intT, i(0)), stats.Column{Nulls: 100}, false},
		{NotEq(0, intT, i(0)), stats.Column{Nulls: 100}, false},
		{Gt(0, intT, i(0)), none, true},
		{StartsWith(0, strT, "ab"), text("aa", "ac"), true},
		{StartsWith(0, strT, "ab"), text("abc", "abd"), true},
		{StartsWith(0, strT, "abz"), text("aa", "abb"), false},
		{StartsWith(0, strT, "ab"), text("ac", "b"), false},
		{StartsWith(0, strT, "ab"), text("a", "aa"), false},
		{StartsWith(0, strT, "abcd"), text("abc", "abd"), true}, // bounds cut to three
		{Like(0, strT, "ab%"), text("ac", "b"), false},
		{Like(0, strT, "ab_d%"), text("ac", "b"), false},
		{Like(0, strT, "a\\%b"), text("a%a", "a%c"), true},
		{Like(0, strT, "a\\%b"), text("a0", "a1"), false},
		{Like(0, strT, "%ab"), text("ac", "b"), true},
		{EndsWith(0, strT, "x"), text("a", "b"), true},
		{Contains(0, strT, "x"), text("a", "b"), true},
		{Eq(0, dblT, f(math.Copysign(0, -1))), stats.Column{Min: f(0), Max: f(1), HasBounds: true}, true},
		{Eq(0, dblT, f(math.NaN())), stats.Column{Min: f(0), Max: f(1), HasBounds: true}, true},
		{Gt(0, dblT, f(5)), stats.Column{Min: f(0), Max: f(math.NaN()), HasBounds: true}, true},
		{And(Gt(0, intT, i(3)), Lt(0, intT, i(1))), ints(1, 9, 0), false},
		{Or(Gt(0, intT, i(9)), Eq(0, intT, i(1))), ints(1, 9, 0), true},
		{False(), none, false},
		{nil, none, true},
	} {
		if got := c.n.MayMatch(func(int) (stats.Column, bool) { return c.col, true }, 100); got != c.want {
			t.Errorf("%s with %+v: %v", c.n, c.col, got)
		}
		if c.n != nil && c.n.Op != OpOr && !c.n.MayMatch(func(int) (stats.Column, bool) { return stats.Column{}, false }, -1) {
			if (c.n.Op == OpIn || c.n.Op == OpEq || c.n.Op == OpNotIn) && !c.want {
				continue // false for its values alone
			}
			t.Errorf("%s without statistics was skipped", c.n)
		}
	}
}

func TestRemap(t *testing.T) {
	a, b, c := Eq(0, intT, i(1)), Eq(1, intT, i(2)), Eq(2, intT, i(3))
	for _, x := range []struct {
		in    *Node
		out   string
		exact bool
	}{
		{nil, "TRUE", true},
		{a, "$10 = 1", true},
		{b, "TRUE", false},
		{And(a, b, c), "$10 = 1 AND $12 = 3", false},
		{And(a, c), "$10 = 1 AND $12 = 3", true},
		{Or(a, c), "$10 = 1 OR $12 = 3", true},
		{Or(a, b), "TRUE", false},
		{Or(And(a, b), c), "$10 = 1 OR $12 = 3", false},
		{And(Or(a, b), c), "$12 = 3", false},
		{False(), "FALSE", true},
	} {
		got, exact := x.in.Remap(func(c int) (int, bool) { return c + 10, c != 1 })
		if got.String() != x.out || exact != x.exact {
			t.Errorf("%s: %s, %v, want %s, %v", x.in, got, exact, x.out, x.exact)
		}
	}
	if got := columnsOf(And(a, Or(b, c))); fmt.Sprint(got) != "[0 1 2]" {
		t.Errorf("columns %v", got)
	}
	if got := And(a, And(b, c), nil).Conjuncts(); len(got) != 3 {
		t.Errorf("conjuncts %v", got)
	}
}

func TestPoints(t *testing.T) {
	many := func(n int) (vals []columnar.Value) {
		for k := range n {
			vals = append(vals, i(int64(k)))
		}
		return vals
	}
	pairs := Or()
	for k := range int64(600) {
		pairs = Or(pairs, And(Eq(0, intT, i(k)), Eq(1, intT, i(k+1))))
	}
	for _, c := range []struct {
		n    *Node
		cols []int
		want string
	}{
		{nil, []int{0}, "no"},
		{Eq(0, intT, i(1)), []int{0}, "[[1]]"},
		{Eq(0, intT, i(1)), []int{0, 1}, "no"},
		{Eq(0, intT, i(1)), nil, "no"},
		{And(Eq(0, intT, i(1)), In(1, intT, i(2), i(3), i(2), nullV)), []int{0, 1}, "[[1 2] [1 3]]"},
		{And(Eq(0, intT, i(1)), In(1, intT, i(2), i(3))), []int{1, 0}, "[[2 1] [3 1]]"},
		{And(In(0, intT, i(1), i(2)), In(0, intT, i(2), i(3)), Gt(1, intT, i(0))), []int{0}, "[[2]]"},
		{Or(Eq(0, intT, i(1)), Eq(0, intT, i(2))), []int{0}, "[[1] [2]]"},
		{Or(Eq(0, intT, i(1)), Gt(0, intT, i(2))), []int{0}, "no"},
		{And(Eq(0, intT, nullV)), []int{0}, "[]"},
		{And(Eq(0, intT, i(1)), Eq(0, intT, i(2))), []int{0}, "[]"},
		{False(), []int{0}, "[]"},
		{Or(And(Eq(0, intT, i(1)), Eq(1, intT, i(2))), And(Eq(0, intT, i(3)), Eq(1, intT, i(4)))), []int{0, 1}, "[[1 2] [3 4]]"},
		{And(Or(And(Eq(0, intT, i(1)), Eq(1, intT, i(2))), And(Eq(0, intT, i(3)), Eq(1, intT, i(4)))), IsNull(2, intT)), []int{0, 1}, "[[1 2] [3 4]]"},
		{In(0, intT, many(1000)...), []int{0}, "1000 points"},
		{In(0, intT, many(1001)...), []int{0}, "no"},
		{And(In(0, intT, many(40)...), In(1, intT, many(40)...)), []int{0, 1}, "no"},
		{pairs, []int{0, 1}, "600 points"},
	} {
		points, ok := c.n.Points(c.cols)
		got := "no"
		if ok {
			var list [][]int64
			for _, p := range points {
				var vals []int64
				for _, v := range p {
					vals = append(vals, v.I)
				}
				list = append(list, vals)
			}
			if got = fmt.Sprint(list); len(list) > 10 {
				got = fmt.Sprintf("%d points", len(list))
			}
		}
		if got != c.want {
			t.Errorf("%s on %v: %s, want %s", c.n, c.cols, got, c.want)
		}
	}
	zero, ok := Eq(0, dblT, f(0)).Points([]int{0})
	if !ok || len(zero) != 2 || math.Signbit(zero[0][0].F) == math.Signbit(zero[1][0].F) {
		t.Errorf("points of zero %v, %v", zero, ok)
	}
	if _, ok := Eq(0, dblT, f(math.NaN())).Points([]int{0}); ok {
		t.Error("NaN is a point")
	}
	if p, ok := Eq(0, types.Of(types.Float), f(0.1)).Points([]int{0}); !ok || len(p) != 0 {
		t.Errorf("points of a FLOAT that none can be: %v, %v", p, ok)
	}
}

func TestString(t *testing.T) {
	n := And(Eq(0, strT, s("it's")), Or(Gt(1, types.Dec(10, 2), i(-5)), IsNull(2, intT)), NotIn(3, types.Of(types.Date), i(19723), nullV),
		Lt(4, types.TimestampOf(6), i(1704067200123456)), Like(5, strT, "a%"), Eq(6, types.Bytes(), s("\x01\xff")), Le(7, types.Dec(20, 0), columnar.DecimalValue(columnar.Int128{Hi: -1, Lo: math.MaxUint64})))
	want := "a = 'it''s' AND (b > -0.05 OR c IS NULL) AND d NOT IN ('2024-01-01', NULL) AND e < '2024-01-01 00:00:00.123456' AND f LIKE 'a%' AND g = x'01ff' AND h <= -1"
	if got := n.Format(func(c int) string { return string(rune('a' + c)) }); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLike(t *testing.T) {
	for _, c := range []struct {
		p, s string
		want bool
	}{
		{"", "", true}, {"", "a", false}, {"%", "", true}, {"%%", "abc", true}, {"_", "", false}, {"_", "日", true},
		{"_", "ab", false}, {"a%c", "abbc", true}, {"a%c", "ac", true}, {"a%c", "acd", false}, {"%b%", "abc", true},
		{"%b", "ab", true}, {"%b", "ba", false}, {"a\\_b", "a_b", true}, {"a\\_b", "axb", false}, {"a\\\\b", "a\\b", true},
		{"a\\", "a\\", true}, {"a\\x", "ax", true}, {"%ab%ab", "abab", true}, {"%ab%ab", "abb", false}, {"_%_", "a", false}, {"_%_", "日本", true},
		{"%_", "", false}, {"a_c%", "abcd", true}, {"%a_c%", "xxabcd", true},
	} {
		if got := parseLike(c.p, true).match([]byte(c.s)); got != c.want {
			t.Errorf("%q LIKE %q: %v", c.s, c.p, got)
		}
	}
	if parseLike("_", false).match([]byte("日")) {
		t.Error("_ took three bytes of a binary column")
	}
}

func FuzzLike(f *testing.F) {
	f.Add("a%b_c\\%", "axxbyc%")
	f.Add("%_%_", "日本")
	f.Fuzz(func(t *testing.T, p, s string) {
		got := parseLike(p, false).match([]byte(s))
		if want := likeRegexp(p, false).MatchString(asText(s, false)); got != want {
			t.Fatalf("%q LIKE %q: %v, want %v", s, p, got, want)
		}
	})
}

func BenchmarkSelect(b *testing.B) {
	const n = 4096
	rng := testkit.Rand(1)
	ts := []types.Type{types.Of(types.BigInt), intT, dblT, types.Dec(38, 2)}
	batch := testkit.RandomBatch(rng, ts, n, 0)
	text := columnar.NewVector(strT, n)
	for range n {
		text.AppendString("user-" + strconv.FormatUint(rng.Uint64()|1<<63, 10)[:15])
	}
	batch.Cols = append(batch.Cols, text, testkit.RandomBatch(rng, ts[:1], n, 0.1).Cols[0])
	var hundred []columnar.Value
	for range 100 {
		hundred = append(hundred, batch.Cols[0].Value(rng.IntN(n)))
	}
	for _, c := range []struct {
		name string
		n    *Node
	}{
		{"bigint=", Eq(0, ts[0], i(5))}, {"int>", Gt(1, ts[1], i(0))}, {"double<", Lt(2, ts[2], f(0))}, {"decimal38>", Gt(3, ts[3], columnar.DecimalValue(columnar.Int128{}))},
		{"text=", Eq(4, strT, text.Value(7))}, {"text>", Gt(4, strT, text.Value(7))}, {"text-like", Like(4, strT, "user-1%9")},
		{"text-contains", Contains(4, strT, "99")}, {"bigint-in-100", In(0, ts[0], hundred...)}, {"bigint-nulls>", Gt(5, ts[0], i(0))},
		{"and", And(Gt(1, ts[1], i(0)), Lt(2, ts[2], f(0)))}, {"or", Or(Gt(1, ts[1], i(0)), Lt(2, ts[2], f(0)))},
	} {
		b.Run("where="+c.name, func(b *testing.B) {
			filter := NewFilter(c.n)
			var sel []uint16
			b.ReportAllocs()
			for b.Loop() {
				sel = filter.Select(batch, sel)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}
