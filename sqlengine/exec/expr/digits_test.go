package expr

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// integers gives numbers of every length, the first and last of each among them.
func integers() []uint64 {
	out := []uint64{0, math.MaxInt64, 1 << 63, math.MaxUint64}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, power := range pow10[:20] {
		p := power.Lo
		out = append(out, p-1, p, p+1)
		for range 200 {
			out = append(out, rnd.Uint64N(p))
		}
	}
	return out
}

func TestAppendIntegers(t *testing.T) {
	for _, u := range integers() {
		if got, want := string(appendUint([]byte("x"), u)), "x"+strconv.FormatUint(u, 10); got != want {
			t.Fatalf("unsigned %s, want %s", got, want)
		}
		for _, v := range []int64{int64(u), -int64(u)} {
			if got, want := string(appendInt(nil, v)), strconv.FormatInt(v, 10); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
		}
		for width := len(strconv.FormatUint(u, 10)); width < 20; width++ {
			if got, want := string(appendPadded(nil, u, width)), fmt.Sprintf("%0*d", width, u); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
		}
	}
}

func TestAppendDecimal64(t *testing.T) {
	for _, u := range integers() {
		for scale := range 19 {
			digits := fmt.Sprintf("%0*d", scale+1, u>>1)
			want := digits[:len(digits)-scale]
			if scale > 0 {
				want += "." + digits[len(digits)-scale:]
			}
			v := int64(u >> 1)
			if got := string(appendDecimal64(nil, v, scale)); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
			if got := string(appendDecimal64(nil, -v, scale)); v != 0 && got != "-"+want {
				t.Fatalf("%s, want -%s", got, want)
			}
		}
	}
}

// strconv finds the shortest digits; their form is MySQL's.
func TestAppendFloat(t *testing.T) {
	check := func(f float64, bitSize int) {
		t.Helper()
		want := strconv.FormatFloat(f, 'f', -1, bitSize)
		if a := math.Abs(f); a != 0 && (a < 1e-15 || a >= 1e15) {
			want = strings.Replace(strconv.FormatFloat(f, 'e', -1, bitSize), "e+", "e", 1)
			want = strings.Replace(want, "e0", "e", 1)
			want = strings.Replace(want, "e-0", "e-", 1)
		}
		if got := string(AppendFloat([]byte("x"), f, bitSize)); got != "x"+want {
			t.Fatalf("%s, want x%s", got, want)
		}
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	floats := []float64{0, math.Copysign(0, -1), 1e13, 1e15, 1e-15, math.MaxFloat64, math.SmallestNonzeroFloat64, math.MaxFloat32, 0.1 + 0.2}
	for range 100_000 {
		floats = append(floats, math.Float64frombits(rnd.Uint64()), rnd.Float64(), float64(rnd.Int64N(1e16))/1000)
	}
	for e := -20; e < 20; e++ {
		p := math.Pow10(e)
		for range 500 {
			cents := float64(rnd.Int64N(1e6)) / 100 * p
			floats = append(floats, p, math.Nextafter(p, 0), math.Nextafter(p, 9e99), cents, math.Nextafter(cents, 0), math.Nextafter(cents, 9e99))
		}
	}
	for cents := range 100_000 {
		floats = append(floats, float64(cents)/100, float64(1e15-1-cents)/100)
	}
	for _, f := range floats {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		for _, f := range []float64{f, -f} {
			check(f, 64)
			if f32 := float64(float32(f)); !math.IsInf(f32, 0) {
				check(f32, 32)
			}
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	var dst []byte
	run := func(name string, f func(i int)) {
		b.Run(name, func(b *testing.B) {
			for i := range b.N {
				f(i)
			}
		})
	}
	run("int", func(i int) { dst = appendInt(dst[:0], int64(i)*1_000_003) })
	run("bigint", func(i int) { dst = appendInt(dst[:0], int64(i)*1_000_003_000_019) })
	run("decimal", func(i int) { dst = appendDecimal64(dst[:0], int64(i)*1_003, 2) })
	run("cents", func(i int) { dst = AppendFloat(dst[:0], float64(i)/100, 64) })
	run("double", func(i int) { dst = AppendFloat(dst[:0], float64(i)/7, 64) })
	run("time", func(i int) { dst = AppendTime(dst[:0], int64(i)*1_003, 6) })
}
