package merge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// keyCase is a kind of key and how its values are drawn: from a small domain, so
// that keys collide, with all that is odd about the type.
type keyCase struct {
	types []types.Type
	draw  func(rng *rand.Rand) []columnar.Value
}

func notNull(t types.Type) types.Type { return t.WithNotNull(true) }

func drawInt(rng *rand.Rand) columnar.Value { return columnar.IntValue(int64(rng.IntN(60) - 30)) }

// drawText draws texts that share beginnings, hold zero bytes, and end in them.
func drawText(rng *rand.Rand) columnar.Value {
	starts := []string{"", "a", "a\x00", "a\x00\x00", "a\x01", "shared beginning of some length ", "\xff\xff", "exactly15bytes!", "exactly16bytes!!"}
	s := starts[rng.IntN(len(starts))]
	for range rng.IntN(3) {
		s += string([]byte{"\x00\x01az\xff"[rng.IntN(5)]})
	}
	return columnar.StringValue(s)
}

func orNull(f func(*rand.Rand) columnar.Value) func(*rand.Rand) columnar.Value {
	return func(rng *rand.Rand) columnar.Value {
		if rng.IntN(8) == 0 {
			return columnar.NullValue
		}
		return f(rng)
	}
}

func drawFloat(rng *rand.Rand) columnar.Value {
	odd := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1.5, -1.5, math.MaxFloat32, 1e-30}
	if rng.IntN(2) == 0 {
		return columnar.FloatValue(float64(rng.IntN(20) - 10))
	}
	return columnar.FloatValue(odd[rng.IntN(len(odd))])
}

func tuple(fs ...func(*rand.Rand) columnar.Value) func(*rand.Rand) []columnar.Value {
	return func(rng *rand.Rand) []columnar.Value {
		out := make([]columnar.Value, len(fs))
		for i, f := range fs {
			out[i] = f(rng)
		}
		return out
	}
}

func constant(v columnar.Value) func(*rand.Rand) columnar.Value {
	return func(*rand.Rand) columnar.Value { return v }
}

func drawBool(rng *rand.Rand) columnar.Value { return columnar.IntValue(int64(rng.IntN(2))) }

func drawWide(rng *rand.Rand) columnar.Value {
	return columnar.DecimalValue(columnar.Int128{Lo: rng.Uint64N(3) << 62, Hi: int64(rng.IntN(7) - 3)})
}

func drawTime(rng *rand.Rand) columnar.Value {
	return columnar.Time96Value(int64(rng.IntN(9)-4), rng.Int32N(5)*200000)
}

func drawExtreme(rng *rand.Rand) columnar.Value {
	return columnar.IntValue([]int64{math.MaxInt64, math.MinInt64, 0, -1, math.MaxInt64 - 1, math.MinInt64 + 1}[rng.IntN(6)])
}

var (
	tInt    = types.Of(types.Int)
	tBigInt = types.Of(types.BigInt)
	tDouble = types.Of(types.Double)
)

var keyCases = map[string]keyCase{
	"bigint":         {[]types.Type{notNull(tBigInt)}, tuple(drawInt)},
	"bigint extreme": {[]types.Type{notNull(tBigInt)}, tuple(drawExtreme)},
	"bigint null":    {[]types.Type{tBigInt}, tuple(orNull(drawInt))},
	"int":            {[]types.Type{notNull(tInt)}, tuple(drawInt)},
	"int null":       {[]types.Type{tInt}, tuple(orNull(drawInt))},
	"tinyint null":   {[]types.Type{types.Of(types.TinyInt)}, tuple(orNull(drawInt))},
	"smallint int":   {[]types.Type{notNull(types.Of(types.SmallInt)), notNull(tInt)}, tuple(drawInt, drawInt)},
	"boolean":        {[]types.Type{types.Of(types.Boolean)}, tuple(orNull(drawBool))},
	"float":          {[]types.Type{notNull(types.Of(types.Float))}, tuple(drawFloat)},
	"double":         {[]types.Type{notNull(tDouble)}, tuple(drawFloat)},
	"double null":    {[]types.Type{tDouble}, tuple(orNull(drawFloat))},
	"decimal38":      {[]types.Type{types.Dec(38, 2)}, tuple(orNull(drawWide))},
	"timestamp9":     {[]types.Type{types.TimestampOf(9)}, tuple(orNull(drawTime))},
	"string":         {[]types.Type{notNull(types.String())}, tuple(drawText)},
	"bytes null":     {[]types.Type{types.Bytes()}, tuple(orNull(drawText))},
	"int string":     {[]types.Type{notNull(tInt), notNull(types.String())}, tuple(drawBool, drawText)},
	"string int":     {[]types.Type{types.String(), tInt}, tuple(orNull(drawText), orNull(drawBool))},
	"string string":  {[]types.Type{notNull(types.String()), notNull(types.String())}, tuple(drawText, drawText)},
	"constant string": {[]types.Type{notNull(tInt), types.String()}, tuple(constant(columnar.IntValue(7)), func(rng *rand.Rand) columnar.Value {
		return columnar.StringValue(fmt.Sprintf("row number %04d", rng.IntN(60)))
	})},
	"three bigints": {[]types.Type{notNull(tBigInt), tBigInt, notNull(tBigInt)}, tuple(drawBool, orNull(drawBool), drawInt)},
}

// record is a row in the model.
type record struct {
	key     []columnar.Value
	fields  [2]columnar.Value // sequence fields
	number  int64
	kind    types.RowKind
	payload string
}

// The columns of a run: key, two sequence fields, sequence number, payload.
func runTypes(key []types.Type) []types.Type {
	return append(slices.Clone(key), tInt, types.String(), notNull(tBigInt), types.String())
}

func (r *record) values() []columnar.Value {
	return append(slices.Clone(r.key), r.fields[0], r.fields[1], columnar.IntValue(r.number), columnar.StringValue(r.payload))
}

func compareKeys(ts []types.Type, a, b []columnar.Value) int {
	for i := range ts {
		if c := columnar.Compare(ts[i], a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// memReader returns records in batches of the given size, some with a selection,
// some empty. The memory of a batch is overwritten at the next call.
type memReader struct {
	ts      []types.Type
	records []record
	size    int
	rng     *rand.Rand
	kinds   bool
	batch   *columnar.Batch
	closed  int
	failAt  int // fail at the call with this number, from 1; 0: never
	calls   int
}

var errInjected = errors.New("injected")

func (m *memReader) Next(context.Context) (*columnar.Batch, error) {
	m.calls++
	if m.calls == m.failAt {
		return nil, errInjected
	}
	if m.batch != nil { // poison what was handed out
		for _, c := range m.batch.Cols {
			for i := range c.Data {
				c.Data[i] = 'X'
			}
			for i := range c.I64 {
				c.I64[i] = -99
			}
			for i := range c.I32 {
				c.I32[i] = -99
			}
		}
	}
	m.batch = columnar.NewBatch(m.ts, 0)
	b := m.batch
	if m.rng.IntN(10) == 0 {
		return b, nil
	}
	if len(m.records) == 0 {
		return nil, io.EOF
	}
	n := min(m.size, len(m.records))
	holes := m.rng.IntN(4) == 0
	for _, r := range m.records[:n] {
		for junk := holes && m.rng.IntN(2) == 0; ; junk = false {
			vals := r.values()
			for i, v := range vals {
				b.Cols[i].AppendValue(v)
			}
			if m.kinds {
				b.Kinds = append(b.Kinds, r.kind)
			}
			if !junk {
				if holes {
					b.Sel = append(b.Sel, uint16(b.N))
				}
				b.N++
				break
			}
			b.N++
		}
	}
	m.records = m.records[n:]
	return b, nil
}

func (m *memReader) Close() error { m.closed++; return nil }

// world is random runs and how to merge them.
type world struct {
	kc       keyCase
	runs     [][]record // oldest first, each sorted, unique keys
	versions VersionOrder
	kinds    bool
}

func newWorld(rng *rand.Rand, kc keyCase, runs, rows int) world {
	w := world{kc: kc, kinds: rng.IntN(3) > 0}
	nk := len(kc.types)
	w.versions = VersionOrder{Number: nk + 2, Descending: rng.IntN(2) == 0, ByAge: rng.IntN(2) == 0}
	w.versions.Fields = [][]int{nil, {nk}, {nk, nk + 1}}[rng.IntN(3)]
	overlap := !w.versions.ByAge && rng.IntN(2) == 0
	number := int64(0)
	for r := range runs {
		seen := map[string]bool{}
		var run []record
		for range rng.IntN(rows + 1) {
			key := kc.draw(rng)
			if id := keyID(key); seen[id] {
				continue
			} else {
				seen[id] = true
			}
			rec := record{key: key, number: number, payload: fmt.Sprintf("r%d.%d", r, len(run))}
			number++
			if overlap {
				rec.number = int64(rng.IntN(6))
			}
			if w.kinds {
				rec.kind = types.RowKind(rng.IntN(4))
			}
			rec.fields[0] = orNull(func(rng *rand.Rand) columnar.Value { return columnar.IntValue(int64(rng.IntN(3))) })(rng)
			rec.fields[1] = orNull(drawText)(rng)
			run = append(run, rec)
		}
		slices.SortStableFunc(run, func(a, b record) int { return compareKeys(kc.types, a.key, b.key) })
		w.runs = append(w.runs, run)
	}
	return w
}

// keyID tells keys apart as key order does: all NaNs are one.
func keyID(key []columnar.Value) string {
	s := ""
	for _, v := range key {
		s += fmt.Sprintf("%v|%d|", v, math.Float64bits(v.F))
	}
	return s
}

func (w *world) compareVersions(a, b *record) int {
	nk := len(w.kc.types)
	for _, f := range w.versions.Fields {
		x, y := a.fields[f-nk], b.fields[f-nk]
		c := columnar.Compare([]types.Type{tInt, types.String()}[f-nk], x, y)
		if w.versions.Descending && !x.Null && !y.Null {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	if w.versions.ByAge {
		return 0
	}
	if a.number != b.number {
		return int(a.number - b.number)
	}
	return boolRank(b.kind.Retract()) - boolRank(a.kind.Retract())
}

// want folds the runs naively.
func (w *world) want(ignoreDelete, drop bool) []string {
	var all []record
	for _, r := range w.runs {
		all = append(all, r...)
	}
	slices.SortStableFunc(all, func(a, b record) int {
		if c := compareKeys(w.kc.types, a.key, b.key); c != 0 {
			return c
		}
		return w.compareVersions(&a, &b)
	})
	var out []string
	for i := 0; i < len(all); {
		j := i + 1
		for j < len(all) && compareKeys(w.kc.types, all[i].key, all[j].key) == 0 {
			j++
		}
		group := all[i:j]
		i = j
		if ignoreDelete && len(group) > 1 {
			group = slices.DeleteFunc(slices.Clone(group), func(r record) bool { return r.kind.Retract() })
			if len(group) == 0 {
				continue
			}
		}
		last := group[len(group)-1]
		if drop && last.kind.Retract() {
			continue
		}
		out = append(out, last.kind.String()+last.payload)
	}
	return out
}

func (w *world) config(rng *rand.Rand, size int) (Config, []*memReader) {
	ts := runTypes(w.kc.types)
	c := Config{Types: ts, Versions: w.versions, BatchRows: []int{1, 3, 16, 1024}[rng.IntN(4)]}
	for i := range w.kc.types {
		c.Key = append(c.Key, i)
	}
	var ins []*memReader
	for _, r := range w.runs {
		in := &memReader{ts: ts, records: r, size: size, rng: rng, kinds: w.kinds && rng.IntN(8) > 0}
		for _, x := range r {
			if x.kind != types.Insert {
				in.kinds = true
			}
			if c.Min == nil || compareKeys(w.kc.types, x.key, c.Min) < 0 {
				c.Min = x.key
			}
			if c.Max == nil || compareKeys(w.kc.types, x.key, c.Max) > 0 {
				c.Max = x.key
			}
		}
		ins = append(ins, in)
		c.Runs = append(c.Runs, in)
	}
	if rng.IntN(2) == 0 {
		c.Min, c.Max = nil, nil
	}
	return c, ins
}

// drain reads everything: kind and the last column.
func drain(t *testing.T, r columnar.Reader, batchRows int) []string {
	t.Helper()
	var out []string
	for {
		b, err := r.Next(context.Background())
		if err == io.EOF {
			if _, err := r.Next(context.Background()); err != io.EOF {
				t.Fatalf("after the end: %v", err)
			}
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if b.Rows() == 0 || batchRows > 0 && b.N > batchRows {
			t.Fatalf("batch of %d rows", b.N)
		}
		if b.Kinds != nil && len(b.Kinds) != b.N {
			t.Fatalf("%d kinds for %d rows", len(b.Kinds), b.N)
		}
		b = b.Clone()
		v := b.Cols[len(b.Cols)-1]
		for i := range b.N {
			out = append(out, b.Kind(i).String()+string(v.Bytes(i)))
		}
	}
}

func diff(t *testing.T, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("row %d of %d, want %d rows:\n got %v\nwant %v", i, len(got), len(want), got[min(i, len(got)):min(i+5, len(got))], want[min(i, len(want)):min(i+5, len(want))])
		}
	}
}

// TestMergeModel merges random runs and compares with a plain sort and fold.
func TestMergeModel(t *testing.T) {
	for name, kc := range keyCases {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(60) {
				rng := rand.New(rand.NewPCG(seed, 5))
				w := newWorld(rng, kc, 1+rng.IntN(12), 80)
				c, ins := w.config(rng, []int{1, 3, 1024}[seed%3])
				c.DropDeletes = rng.IntN(2) == 0
				ignore := rng.IntN(3) == 0
				if ignore || rng.IntN(3) == 0 {
					c.Function = Deduplicate{IgnoreDelete: ignore}
				}
				if rng.IntN(2) == 0 {
					c.Output = []int{0, len(c.Types) - 1}
				}
				r, err := NewReader(c)
				if err != nil {
					t.Fatal(err)
				}
				limit := c.BatchRows
				if len(c.Runs) == 1 && c.Function == nil {
					limit = 0
				}
				got := drain(t, r, limit)
				if err := r.Close(); err != nil {
					t.Fatal(err)
				}
				for i, in := range ins {
					if in.closed != 1 {
						t.Fatalf("seed %d: run %d closed %d times", seed, i, in.closed)
					}
				}
				t.Logf("seed %d runs %d %+v", seed, len(w.runs), w.versions)
				diff(t, got, w.want(ignore, c.DropDeletes))
			}
		})
	}
}

// TestCascade merges more runs than a tree takes.
func TestCascade(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 9))
		w := newWorld(rng, keyCases[[]string{"bigint", "string int"}[seed%2]], MaxRuns+1+rng.IntN(600), 6)
		c, ins := w.config(rng, 4)
		c.BatchRows = 100
		ignore := seed%3 == 0
		if ignore {
			c.Function = Deduplicate{IgnoreDelete: true}
		}
		r, err := NewReader(c)
		if err != nil {
			t.Fatal(err)
		}
		diff(t, drain(t, r, 100), w.want(ignore, false))
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		for i, in := range ins {
			if in.closed != 1 {
				t.Fatalf("run %d closed %d times", i, in.closed)
			}
		}
	}
}

// TestStraddle lets keys straddle blocks and batches: every run holds every key.
func TestStraddle(t *testing.T) {
	for _, size := range []int{1, 2, 7} {
		for _, batch := range []int{1, 2, 5} {
			rng := rand.New(rand.NewPCG(1, 1))
			kc := keyCases["bigint"]
			w := world{kc: kc, versions: VersionOrder{ByAge: true}}
			for r := range 9 {
				var run []record
				for k := range 40 {
					run = append(run, record{key: []columnar.Value{columnar.IntValue(int64(k))}, payload: fmt.Sprintf("r%d.%d", r, k)})
				}
				w.runs = append(w.runs, run)
			}
			for _, f := range []Function{nil, Deduplicate{}} {
				c, _ := w.config(rng, size)
				c.BatchRows, c.Function = batch, f
				r, err := NewReader(c)
				if err != nil {
					t.Fatal(err)
				}
				diff(t, drain(t, r, batch), w.want(false, false))
			}
		}
	}
}

// TestEarlyCloseAndErrors closes in the middle, and fails at the n-th read.
func TestEarlyCloseAndErrors(t *testing.T) {
	for n := range 40 {
		rng := rand.New(rand.NewPCG(uint64(n), 3))
		w := newWorld(rng, keyCases["string int"], 5, 60)
		c, ins := w.config(rng, 3)
		ins[n%5].failAt = n/5 + 1
		r, err := NewReader(c)
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err = r.Next(context.Background()); err != nil {
				break
			}
		}
		if err != io.EOF && !errors.Is(err, errInjected) {
			t.Fatal(err)
		}
		if _, again := r.Next(context.Background()); again != err {
			t.Fatalf("error changed from %v to %v", err, again)
		}
		for range 2 {
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for i, in := range ins {
			if in.closed != 1 {
				t.Fatalf("run %d closed %d times", i, in.closed)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	rng := rand.New(rand.NewPCG(1, 1))
	w := newWorld(rng, keyCases["int"], 3, 30)
	c, _ := w.config(rng, 3)
	r, err := NewReader(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestConfigFaults(t *testing.T) {
	ts := []types.Type{tInt, types.ArrayOf(tInt), tBigInt}
	for name, c := range map[string]Config{
		"no key":              {Types: ts, Versions: VersionOrder{ByAge: true}},
		"nested key":          {Types: ts, Key: []int{1}, Versions: VersionOrder{ByAge: true}},
		"key out of range":    {Types: ts, Key: []int{3}, Versions: VersionOrder{ByAge: true}},
		"number not bigint":   {Types: ts, Key: []int{0}},
		"nested field":        {Types: ts, Key: []int{0}, Versions: VersionOrder{Number: 2, Fields: []int{1}}},
		"output out of range": {Types: ts, Key: []int{0}, Versions: VersionOrder{Number: 2}, Output: []int{-1}},
		"large batches":       {Types: ts, Key: []int{0}, Versions: VersionOrder{Number: 2}, BatchRows: 1 << 17},
	} {
		in := &memReader{}
		c.Runs = []columnar.Reader{in}
		if _, err := NewReader(c); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if in.closed != 1 {
			t.Errorf("%s: run left open", name)
		}
	}
}
