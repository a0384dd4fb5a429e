package testkit

import (
	"math"
	"math/rand/v2"

	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

// Rand is a generator with a fixed seed.
func Rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x1a6e5a1)) }

// RandomBatch returns a batch of n rows with a column for each type. A nullable
// value is null with probability nullRate, at every depth of a nested type. One
// value in eight is an extreme of its type. Values fit their type: text is valid
// UTF-8 of at most Length characters, decimals and times have no more digits
// than their precision, map keys do not repeat.
func RandomBatch(rng *rand.Rand, ts []types.Type, n int, nullRate float64) *columnar.Batch {
	b := columnar.NewBatch(ts, n)
	b.N = n
	for _, v := range b.Cols {
		for range n {
			AppendRandom(rng, v, nullRate)
		}
	}
	return b
}

// AppendRandom appends one random value to v, see RandomBatch.
func AppendRandom(rng *rand.Rand, v *columnar.Vector, nullRate float64) {
	t := v.Type
	if !t.NotNull && nullRate > 0 && rng.Float64() < nullRate {
		v.AppendNull()
		return
	}
	switch columnar.LayoutOf(t) {
	case columnar.List:
		appendList(rng, v, nullRate)
		v.EndList()
	case columnar.Struct:
		if t.Kind == types.Variant {
			// The variants true, false and the numbers of one byte, with an empty dictionary.
			v.Children[0].AppendBytes([]byte{0x0c, byte(rng.IntN(256))})
			v.Children[1].AppendBytes([]byte{0x01, 0x00, 0x00})
		} else {
			for _, c := range v.Children {
				AppendRandom(rng, c, nullRate)
			}
		}
		v.EndList()
	case columnar.Fixed:
		for range t.Length {
			AppendRandom(rng, v.Children[0], 0)
		}
		v.EndList()
	default:
		v.AppendValue(RandomValue(rng, t))
	}
}

func appendList(rng *rand.Rand, v *columnar.Vector, nullRate float64) {
	var seen []columnar.Value
	for range rng.IntN(5) {
		if v.Type.Kind != types.Array && !columnar.ChildTypes(v.Type)[0].Nested() {
			k := RandomValue(rng, v.Children[0].Type)
			if contains(v.Children[0].Type, seen, k) {
				continue
			}
			seen = append(seen, k)
			v.Children[0].AppendValue(k)
		} else {
			AppendRandom(rng, v.Children[0], nullRate)
		}
		switch v.Type.Kind {
		case types.Map:
			AppendRandom(rng, v.Children[1], nullRate)
		case types.Multiset:
			v.Children[1].AppendI32(int32(1 + rng.IntN(9)))
		}
	}
}

func contains(t types.Type, vals []columnar.Value, x columnar.Value) bool {
	for _, v := range vals {
		if columnar.Compare(t, v, x) == 0 {
			return true
		}
	}
	return false
}

// RandomValue is one random value of a flat type, never null.
func RandomValue(rng *rand.Rand, t types.Type) columnar.Value {
	if rng.IntN(8) == 0 {
		e := Extremes(t)
		return e[rng.IntN(len(e))]
	}
	switch t.Kind {
	case types.Boolean:
		return columnar.IntValue(int64(rng.IntN(2)))
	case types.TinyInt:
		return columnar.IntValue(int64(int8(rng.Uint32())))
	case types.SmallInt:
		return columnar.IntValue(int64(int16(rng.Uint32())))
	case types.Int:
		return columnar.IntValue(int64(int32(rng.Uint32())) >> rng.IntN(32))
	case types.BigInt:
		return columnar.IntValue(int64(rng.Uint64()) >> rng.IntN(64))
	case types.Float:
		return columnar.FloatValue(float64(float32(rng.NormFloat64() * 1000)))
	case types.Double:
		return columnar.FloatValue(rng.NormFloat64() * 1e9)
	case types.Date:
		return columnar.IntValue(int64(rng.IntN(60000) - 20000))
	case types.Time:
		step := pow10(3 - min(t.Precision, 3))
		return columnar.IntValue(rng.Int64N(86_400_000) / step * step)
	case types.Decimal:
		return randomDecimal(rng, t)
	case types.Timestamp, types.TimestampLTZ:
		return timeOf(t, rng.Int64N(4e12)-1e12, rng.Int64N(1e6))
	}
	return columnar.StringValue(randomText(rng, t))
}

func randomDecimal(rng *rand.Rand, t types.Type) columnar.Value {
	if t.Precision <= types.MaxCompactPrecision {
		limit := pow10(1 + rng.IntN(t.Precision))
		return columnar.IntValue(rng.Int64N(2*limit-1) - limit + 1)
	}
	d := columnar.Int128{Hi: rng.Int64N(10), Lo: rng.Uint64()}
	if t.Precision < 21 { // ten times 2^64 has 21 digits
		d.Hi = 0
		d.Lo %= 1e18
	}
	if rng.IntN(2) == 0 {
		d = negate(d)
	}
	return columnar.DecimalValue(d)
}

func randomText(rng *rand.Rand, t types.Type) string {
	n := min(rng.IntN(12), t.Length)
	if rng.IntN(16) == 0 {
		n = min(rng.IntN(300), t.Length)
	}
	if !t.Text() {
		if t.Kind == types.Geometry || t.Kind == types.Geography || t.Kind == types.Blob {
			n = rng.IntN(20)
		}
		out := make([]byte, n)
		for i := range out {
			out[i] = byte(rng.Uint32())
		}
		return string(out)
	}
	alphabet := []rune("abcdefghijklmnopqrstuvwxyz0123456789 _-%äß日本語𝄞")
	out := make([]rune, n)
	for i := range out {
		out[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return string(out)
}

// timeOf is a timestamp of t's layout with no more digits than t has.
func timeOf(t types.Type, millis, nanoOfMilli int64) columnar.Value {
	switch p := t.Precision; {
	case p <= 3:
		step := pow10(3 - p)
		return columnar.IntValue(millis / step * step)
	case p <= 6:
		step := pow10(6 - p)
		return columnar.IntValue((millis*1000 + nanoOfMilli/1000) / step * step)
	default:
		step := pow10(9 - p)
		return columnar.Time96Value(millis, int32(nanoOfMilli/step*step))
	}
}

// Extremes are the odd values of a flat type: least, greatest, zero, empty, and
// for floats also -0.0, NaN and the infinities.
func Extremes(t types.Type) []columnar.Value {
	ints := func(vs ...int64) (out []columnar.Value) {
		for _, v := range vs {
			out = append(out, columnar.IntValue(v))
		}
		return out
	}
	switch t.Kind {
	case types.Boolean:
		return ints(0, 1)
	case types.TinyInt:
		return ints(math.MinInt8, -1, 0, math.MaxInt8)
	case types.SmallInt:
		return ints(math.MinInt16, -1, 0, math.MaxInt16)
	case types.Int:
		return ints(math.MinInt32, -1, 0, math.MaxInt32)
	case types.BigInt:
		return ints(math.MinInt64, -1, 0, math.MaxInt64)
	case types.Date:
		return ints(-719162, -1, 0, 2932896) // 0001-01-01 and 9999-12-31
	case types.Time:
		last := int64(86_399_999)
		step := pow10(3 - min(t.Precision, 3))
		return ints(0, last/step*step)
	case types.Float:
		return floats(math.MaxFloat32, math.SmallestNonzeroFloat32)
	case types.Double:
		return floats(math.MaxFloat64, math.SmallestNonzeroFloat64)
	case types.Decimal:
		if t.Precision <= types.MaxCompactPrecision {
			top := pow10(t.Precision) - 1
			return ints(-top, -1, 0, top)
		}
		top := nines(t.Precision)
		return []columnar.Value{
			columnar.DecimalValue(negate(top)), columnar.DecimalValue(columnar.Int128{Lo: math.MaxUint64, Hi: -1}),
			columnar.DecimalValue(columnar.Int128{}), columnar.DecimalValue(top),
		}
	case types.Timestamp, types.TimestampLTZ:
		return []columnar.Value{
			timeOf(t, -62135596800000, 0), timeOf(t, -1, 999999), timeOf(t, 0, 0), timeOf(t, 253402300799999, 999999),
		}
	case types.Char, types.VarChar:
		if t.Length < 3 {
			return []columnar.Value{columnar.StringValue(""), columnar.StringValue("z")}
		}
		return []columnar.Value{columnar.StringValue(""), columnar.StringValue("\x00"), columnar.StringValue("𝄞𝄞𝄞")}
	}
	if t.Length == 1 {
		return []columnar.Value{columnar.StringValue(""), columnar.StringValue("\xff")}
	}
	return []columnar.Value{columnar.StringValue(""), columnar.StringValue("\x00\x00"), columnar.StringValue("\xff\xff")}
}

func floats(largest, smallest float64) []columnar.Value {
	var out []columnar.Value
	for _, f := range []float64{math.Copysign(0, -1), 0, math.NaN(), math.Inf(1), math.Inf(-1), largest, -largest, smallest} {
		out = append(out, columnar.FloatValue(f))
	}
	return out
}

func pow10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

func nines(n int) columnar.Int128 {
	var d columnar.Int128
	for range n { // d = 10 d + 9, by shifts
		d = add(add(shift(d, 3), shift(d, 1)), columnar.Int128{Lo: 9})
	}
	return d
}

func shift(d columnar.Int128, n uint) columnar.Int128 {
	return columnar.Int128{Lo: d.Lo << n, Hi: d.Hi<<n | int64(d.Lo>>(64-n))}
}

func add(a, b columnar.Int128) columnar.Int128 {
	lo := a.Lo + b.Lo
	carry := int64(0)
	if lo < a.Lo {
		carry = 1
	}
	return columnar.Int128{Lo: lo, Hi: a.Hi + b.Hi + carry}
}

func negate(d columnar.Int128) columnar.Int128 {
	return add(columnar.Int128{Lo: ^d.Lo, Hi: ^d.Hi}, columnar.Int128{Lo: 1})
}
