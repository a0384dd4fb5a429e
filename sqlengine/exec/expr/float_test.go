package expr

import (
	"math"
	"testing"
)

func TestParseFloat(t *testing.T) {
	for _, x := range []struct {
		text  string
		want  float64
		whole bool
	}{
		{"1.5", 1.5, true}, {" -3 ", -3, true}, {"-3x", -3, false}, {".5", 0.5, true}, {"5.", 5, true}, {"1e2", 100, true}, {"1e", 1, false},
		{"1e+x", 1, false}, {"", 0, false}, {"abc", 0, false}, {"-", 0, false}, {".", 0, false}, {"e5", 0, false}, {"+7", 7, true},
		{"1e999999999", math.MaxFloat64, true}, {"-1e999", -math.MaxFloat64, true}, {"1e-999", 0, true}, {"inf", 0, false}, {"0x10", 0, false}, {"1_0", 1, false},
	} {
		if f, whole := ParseFloat(x.text); f != x.want || whole != x.whole {
			t.Errorf("%q: %v, %v; want %v, %v", x.text, f, whole, x.want, x.whole)
		}
	}
}

func TestParseInteger(t *testing.T) {
	for _, x := range []struct {
		text  string
		want  int64
		whole bool
	}{
		{"7", 7, true}, {" -3 ", -3, true}, {"1e2", 1, false}, {"1.9", 1, false}, {"x", 0, false}, {"-", 0, false}, {"-9223372036854775808", math.MinInt64, true},
		{"-99999999999999999999", math.MinInt64, false}, {"18446744073709551615", -1, true}, {"99999999999999999999", -1, false},
	} {
		if n, whole := ParseInteger(x.text); int64(n) != x.want || whole != x.whole {
			t.Errorf("%q: %v, %v; want %v, %v", x.text, int64(n), whole, x.want, x.whole)
		}
	}
}
