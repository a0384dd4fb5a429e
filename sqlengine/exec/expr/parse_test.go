package expr

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lakesql/lakesql/storage/columnar"
)

func TestParseDecimal(t *testing.T) {
	tests := []struct {
		in       string
		p, scale int
		want     string
		st       Status
	}{
		{"0", 10, 2, "0.00", OK},
		{"-12.345", 10, 2, "-12.35", Rounded},
		{"12.344", 10, 2, "12.34", Rounded},
		{"+.5", 10, 0, "1", Rounded},
		{"1e3", 10, 2, "1000.00", OK},
		{"125e-2", 10, 2, "1.25", OK},
		{" 7 ", 3, 0, "7", OK},
		{"7x", 3, 0, "7", Trailing},
		{"x", 3, 0, "0", Malformed},
		{"", 3, 0, "0", Malformed},
		{"1000", 3, 0, "0", OutOfRange},
		{"999.5", 3, 0, "0", OutOfRange},
		{"99999999999999999999999999999999999999", 38, 0, "99999999999999999999999999999999999999", OK},
		{"100000000000000000000000000000000000000", 38, 0, "0", OutOfRange},
		{"1234567890123456789012345678.0123456789", 38, 10, "1234567890123456789012345678.0123456789", OK},
		{"0.00000000000000000000000000000000000000000000000001", 38, 10, "0.0000000000", Rounded},
		{"1e99999", 38, 0, "0", OutOfRange},
		{"0.12345678901234567890123456789012345678901234567890", 38, 37, "0.1234567890123456789012345678901234568", Rounded},
	}
	for _, tt := range tests {
		d, st := ParseDecimal(tt.in, tt.p, tt.scale)
		if got := string(appendDecimal128(nil, d, tt.scale)); st != tt.st || (st != OutOfRange && st != Malformed && got != tt.want) {
			t.Errorf("ParseDecimal(%q, %d, %d) = %s, %d; want %s, %d", tt.in, tt.p, tt.scale, got, st, tt.want, tt.st)
		}
	}
}

func TestInt128AgainstBig(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	value := func() columnar.Int128 {
		d := columnar.Int128{Lo: rng.Uint64(), Hi: int64(rng.Uint64())}
		d.Hi >>= rng.IntN(64)
		return d
	}
	for range 20_000 {
		a, b := value(), value()
		sum := new(big.Int).Add(BigInt(a), BigInt(b))
		got, ok := Add128(a, b)
		if want, fits := FromBig(sum); ok != fits || ok && got != want {
			t.Fatalf("%v + %v = %v, %v; want %v, %v", BigInt(a), BigInt(b), BigInt(got), ok, sum, fits)
		}
		if back, ok := FromBig(BigInt(a)); !ok || back != a {
			t.Fatalf("round trip of %v gave %v", BigInt(a), BigInt(back))
		}
		if s := string(appendDecimal128(nil, a, 0)); s != BigInt(a).String() {
			t.Fatalf("text of %v is %s", BigInt(a), s)
		}
	}
}

func TestParseDateTime(t *testing.T) {
	tests := []struct {
		in   string
		want string
		st   Status
	}{
		{"2026-11-01", "2026-11-01 00:00:00.000000", OK},
		{"2026-11-01 10:05:07", "2026-11-01 10:05:07.000000", OK},
		{"2026-11-01T10:05:07.5", "2026-11-01 10:05:07.500000", OK},
		{"2026-1-2 3:4:5", "2026-01-02 03:04:05.000000", OK},
		{"2026-11-01 10:05", "2026-11-01 10:05:00.000000", OK},
		{"20261101", "2026-11-01 00:00:00.000000", OK},
		{"20261101100507", "2026-11-01 10:05:07.000000", OK},
		{"26-11-01", "2026-11-01 00:00:00.000000", OK},
		{"2026/11/01 10:05:07", "2026-11-01 10:05:07.000000", OK},
		{"9999-12-31 23:59:59.999999", "9999-12-31 23:59:59.999999", OK},
		{"2026-02-29", "", OutOfRange},
		{"2024-02-29", "2024-02-29 00:00:00.000000", OK},
		{"2026-13-01", "", OutOfRange},
		{"2026-11-01 24:00:00", "", OutOfRange},
		{"2026-11-01 10:60:00", "", OutOfRange},
		{"2026-11-01 x", "", Trailing},
		{"2026-11-01x", "", Trailing},
		{"hello", "", Malformed},
		{"", "", Malformed},
		{"2026-11-01 10:05:07+02:00", "2026-11-01 10:05:07.000000", OK},
	}
	for _, tt := range tests {
		dt, st := ParseDateTime(tt.in)
		got := string(AppendTime(append(AppendDate(nil, dt.Day), ' '), dt.Nanos/1000, 6))
		if st != tt.st || st == OK && got != tt.want {
			t.Errorf("ParseDateTime(%q) = %s, %d; want %s, %d", tt.in, got, st, tt.want, tt.st)
		}
	}
}

func TestParseTime(t *testing.T) {
	tests := []struct {
		in   string
		want int64
		st   Status
	}{
		{"01:02:03", 3723e9, OK},
		{"01:02", 3720e9, OK},
		{"010203", 3723e9, OK},
		{"203", 123e9, OK},
		{"01:02:03.5", 3723_500_000_000, OK},
		{"-01:00:00", -3600e9, OK},
		{"100:00:00", 360000e9, OK},
		{"01:60:00", 0, OutOfRange},
		{"x", 0, Malformed},
	}
	for _, tt := range tests {
		got, st := ParseTime(tt.in)
		if st != tt.st || st == OK && got != tt.want {
			t.Errorf("ParseTime(%q) = %d, %d; want %d, %d", tt.in, got, st, tt.want, tt.st)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "1", "-1.5e10", "2026-11-01 10:00:00.123456789+02:00", "20261101", "::", "e", "1e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d, st := ParseDecimal(s, 38, 10); st <= Rounded && !FitsPrecision(d, 38) {
			t.Errorf("%q gave more than 38 digits", s)
		}
		if dt, st := ParseDateTime(s); st == OK && (dt.Nanos < 0 || dt.Nanos >= 86400e9) {
			t.Errorf("%q gave %+v", s, dt)
		}
		ParseTime(s)
	})
}
