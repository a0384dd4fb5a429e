package predicate

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/internal/testkit"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/row"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

// truth is SQL's: 1 true, 0 false, -1 unknown.
type truth int

// naive evaluates a predicate for one row, as the rules say and nothing more.
func naive(n *Node, row func(column int) columnar.Value) truth {
	if n == nil {
		return 1
	}
	if n.Op == OpAnd || n.Op == OpOr {
		out := truth(1)
		if n.Op == OpOr {
			out = 0
		}
		for _, c := range n.Children {
			t := naive(c, row)
			if n.Op == OpAnd && (t == 0 || t == -1 && out == 1) || n.Op == OpOr && (t == 1 || t == -1 && out == 0) {
				out = t
			}
			if out == 0 && n.Op == OpAnd || out == 1 && n.Op == OpOr {
				return out
			}
		}
		return out
	}
	of := func(b bool) truth {
		if b {
			return 1
		}
		return 0
	}
	x := row(n.Column)
	switch n.Op {
	case OpIsNull:
		return of(x.Null)
	case OpIsNotNull:
		return of(!x.Null)
	case OpIn, OpNotIn:
		if x.Null {
			return -1
		}
		out := truth(0)
		for _, v := range n.Values {
			t := naive(&Node{Op: OpEq, Type: n.Type, Values: []columnar.Value{v}}, func(int) columnar.Value { return x })
			if t == 1 || t == -1 && out == 0 {
				out = t
			}
			if out == 1 {
				break
			}
		}
		if n.Op == OpNotIn && out >= 0 {
			out = 1 - out
		}
		return out
	}
	v := n.Values[0]
	if x.Null || v.Null {
		return -1
	}
	switch n.Op {
	case OpStartsWith:
		return of(strings.HasPrefix(x.S, v.S))
	case OpEndsWith:
		return of(strings.HasSuffix(x.S, v.S))
	case OpContains:
		return of(strings.Contains(x.S, v.S))
	case OpLike:
		return of(likeRegexp(v.S, n.Type.Text()).MatchString(asText(x.S, n.Type.Text())))
	}
	o := columnar.Compare(n.Type, x, v)
	if x.F == 0 && v.F == 0 && (n.Type.Kind == types.Double || n.Type.Kind == types.Float) {
		o = 0
	}
	return of(map[Op]bool{OpEq: o == 0, OpNotEq: o != 0, OpLt: o < 0, OpLe: o <= 0, OpGt: o > 0, OpGe: o >= 0}[n.Op])
}

// asText widens bytes to characters, so that a regular expression sees single bytes.
func asText(s string, text bool) string {
	if text {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

func likeRegexp(p string, text bool) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	rs := []rune(asText(p, text))
	for i := 0; i < len(rs); i++ {
		switch {
		case rs[i] == '%':
			b.WriteString(`.*`)
		case rs[i] == '_':
			b.WriteString(`.`)
		case rs[i] == '\\' && i+1 < len(rs):
			i++
			fallthrough
		default:
			b.WriteString(regexp.QuoteMeta(string(rs[i])))
		}
	}
	return regexp.MustCompile(b.String() + `\z`)
}

var modelTypes = append(testkit.FlatTypes(), types.TimestampOf(9), types.ArrayOf(types.Of(types.Int)))

// someValue is a value of the column, a random one, or null.
func someValue(rng *rand.Rand, b *columnar.Batch, c int) columnar.Value {
	v := b.Cols[c]
	switch {
	case rng.IntN(20) == 0:
		return columnar.NullValue
	case v.N > 0 && rng.IntN(3) > 0:
		if x := v.Value(rng.IntN(v.N)); !x.Null {
			return x
		}
	}
	return testkit.RandomValue(rng, v.Type)
}

func randomNode(rng *rand.Rand, b *columnar.Batch, depth int) *Node {
	if depth > 0 && rng.IntN(2) == 0 {
		var children []*Node
		for range rng.IntN(4) {
			children = append(children, randomNode(rng, b, depth-1))
		}
		if rng.IntN(2) == 0 {
			return And(children...)
		}
		return Or(children...)
	}
	c := rng.IntN(len(b.Cols))
	t := b.Cols[c].Type
	if t.Nested() {
		if rng.IntN(2) == 0 {
			return IsNull(c, t)
		}
		return IsNotNull(c, t)
	}
	op := OpEq + Op(rng.IntN(int(OpLike-OpEq)+1))
	if op >= OpStartsWith && columnar.LayoutOf(t) != columnar.Str {
		op = OpEq + Op(rng.IntN(8))
	}
	switch op {
	case OpIsNull, OpIsNotNull:
		return &Node{Op: op, Column: c, Type: t}
	case OpIn, OpNotIn:
		n := &Node{Op: op, Column: c, Type: t}
		for range rng.IntN(6) {
			n.Values = append(n.Values, someValue(rng, b, c))
		}
		return n
	case OpStartsWith, OpEndsWith, OpContains, OpLike:
		s := []rune(someValue(rng, b, c).S)
		from := rng.IntN(len(s) + 1)
		s = s[from : from+rng.IntN(len(s)-from+1)]
		if op == OpLike {
			for range rng.IntN(3) {
				at := rng.IntN(len(s) + 1)
				s = slices.Insert(s, at, []rune(`%_\`)[rng.IntN(3)])
			}
		}
		if !t.Text() && op == OpLike {
			return Like(c, t, strings.ToValidUTF8(string(s), ""))
		}
		return Compare(op, c, t, columnar.StringValue(string(s)))
	}
	return Compare(op, c, t, someValue(rng, b, c))
}

// Select is the naive evaluation; no block with a row that matches is skipped; what
// Remap leaves is true wherever the predicate is; rows that match are among Points;
// Negate takes the rows for which the predicate is false.
func TestModel(t *testing.T) {
	for seed := range uint64(1500) {
		rng := testkit.Rand(seed)
		ts := make([]types.Type, 1+rng.IntN(4))
		for i := range ts {
			ts[i] = modelTypes[rng.IntN(len(modelTypes))]
		}
		b := testkit.RandomBatch(rng, ts, rng.IntN(200), []float64{0, 0.2, 1}[rng.IntN(3)])
		if rng.IntN(3) == 0 {
			b.Sel = []uint16{}
			for i := range b.N {
				if rng.IntN(2) == 0 {
					b.Sel = append(b.Sel, uint16(i))
				}
			}
		}
		for range 5 {
			n := randomNode(rng, b, 2)
			if err := checkModel(rng, n, b, ts); err != nil {
				t.Fatalf("seed %d, %s over %v: %v", seed, n, ts, err)
			}
		}
	}
}

func checkModel(rng *rand.Rand, n *Node, b *columnar.Batch, ts []types.Type) error {
	at := func(i int) func(int) columnar.Value {
		return func(c int) columnar.Value {
			if ts[c].Nested() {
				return columnar.Value{Null: b.Cols[c].IsNull(i)}
			}
			return b.Cols[c].Value(i)
		}
	}
	rows := func(n *Node, want truth) []uint16 {
		out := []uint16{}
		for i := range b.N {
			if (b.Sel == nil || slices.Contains(b.Sel, uint16(i))) && naive(n, at(i)) == want {
				out = append(out, uint16(i))
			}
		}
		return out
	}
	want := rows(n, 1)
	form := *b
	form.Cols = slices.Clone(b.Cols)
	for c := range ts {
		if l := columnar.LayoutOf(ts[c]); rng.IntN(3) == 0 && (l == columnar.Str || l == columnar.I32 || l == columnar.I64 || l == columnar.T96) {
			form.Cols[c] = testkit.Dictionary(b.Cols[c])
		}
	}
	f := NewFilter(n)
	for range 2 { // a filter may be used again
		if got := f.Select(&form, nil); !slices.Equal(got, want) {
			return fmt.Errorf("selected %v, want %v", got, want)
		}
	}
	for r := range b.N {
		if got := n.Matches(at(r)); got != (naive(n, at(r)) == 1) {
			return fmt.Errorf("row %d matches: %v", r, got)
		}
	}
	if err := checkPruning(rng, n, b, ts, len(want) > 0); err != nil {
		return err
	}
	weaker := n.OnlyColumns([]int{0, 2})
	left := rows(weaker, 1)
	for _, i := range want {
		if !slices.Contains(left, i) {
			return fmt.Errorf("weaker %s lost row %d", weaker, i)
		}
	}
	if slices.ContainsFunc(columnsOf(weaker), func(c int) bool { return c%2 != 0 }) {
		return fmt.Errorf("weaker %s has other columns", weaker)
	}
	if neg, ok := n.Negate(); ok {
		if got, want := rows(neg, 1), rows(n, 0); !slices.Equal(got, want) {
			return fmt.Errorf("negated %s takes %v, want %v", neg, got, want)
		}
	}
	return checkPoints(n, ts, want, at)
}

func checkPruning(rng *rand.Rand, n *Node, b *columnar.Batch, ts []types.Type, matches bool) error {
	modes := make([]stats.Mode, len(ts))
	for i := range modes {
		modes[i] = []stats.Mode{{Kind: stats.None}, {Kind: stats.Counts}, {Kind: stats.Full}, {Kind: stats.Truncate, Length: 1 + rng.IntN(3)}}[rng.IntN(4)]
	}
	c := stats.NewCollector(testkit.Fields(ts), modes)
	c.Add(b)
	cols := c.Columns()
	may := n.MayMatch(func(i int) (stats.Column, bool) { return cols[i], cols[i].Known() }, int64(b.Rows()))
	if matches && !may {
		return fmt.Errorf("block was skipped, statistics %+v", cols)
	}
	return nil
}

func checkPoints(n *Node, ts []types.Type, matching []uint16, at func(int) func(int) columnar.Value) error {
	var cols []int
	var kts []types.Type
	for c := range ts {
		if !ts[c].Nested() && len(cols) < 2 {
			cols, kts = append(cols, c), append(kts, ts[c])
		}
	}
	points, ok := n.Points(cols)
	if !ok {
		return nil
	}
	known := map[string]bool{}
	for _, p := range points {
		k := string(row.AppendValues(nil, kts, p))
		if known[k] {
			return fmt.Errorf("point %v is there twice", p)
		}
		known[k] = true
	}
	for _, i := range matching {
		var vals []columnar.Value
		for _, c := range cols {
			vals = append(vals, at(int(i))(c))
		}
		if !known[string(row.AppendValues(nil, kts, vals))] {
			return fmt.Errorf("row %d with %v is not among the points %v", i, vals, points)
		}
	}
	return nil
}

// columnsOf are the columns that the predicate looks at, ascending.
func columnsOf(n *Node) []int {
	var out []int
	n.walk(func(l *Node) { out = append(out, l.Column) })
	slices.Sort(out)
	return slices.Compact(out)
}
