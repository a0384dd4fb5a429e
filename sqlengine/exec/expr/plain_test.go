package expr

import (
	"testing"

	"github.com/lakesql/lakesql/storage/columnar"
)

// What the plain readers take is what the others read.
func TestPlainReaders(t *testing.T) {
	for _, s := range []string{
		"2026-01-02", "2024-02-29", "2026-02-29", "0000-01-01", "2026-13-01", "2026-00-10", "2026-01-02 03:04:05", "2026-01-02 23:59:59.999999999",
		"2026-01-02 03:04:05.", "2026-01-02 03:04:05.5", "2026-01-02 24:00:00", "2026-01-02 03:60:00", "2026-01-02 03:04:60", "2026-01-02 03:04",
		"2026-01-02T03:04:05", "2026-01-02 03:04:05+02:00", "2026-01-02x", "20260102", "2026-01-0a", "", "2026-01-02 03:04:05.1234567890",
		" 2026-01-02", "2026/01/02", "2026-1-2",
	} {
		dt, ok := plainDateTime(s)
		want, st := readDateTime(s)
		if ok && (st != OK || dt != want) {
			t.Errorf("%q: %v, want %v, %d", s, dt, want, st)
		}
		if len(s) >= 19 && st == OK && s[10] == ' ' && !want.HasOffset && len(s) <= 29 && !ok {
			t.Errorf("%q is not plain", s)
		}
	}
	for _, s := range []string{
		"0", "-0", "1", "-1", "12.5", "-12.50", ".5", "5.", ".", "-", "", "1.234", "1e3", "+1", " 1", "1 ", "1x", "99999.99", "100000", "-99999.99",
		"0.001", "123456789012345678", "1234567890123456789", "00000000000000000001", "1.2.3",
	} {
		for _, p := range []struct{ precision, scale int }{{7, 2}, {18, 0}, {38, 10}, {3, 3}} {
			d, ok := plainDecimal(s, p.precision, p.scale)
			want, st := readDecimal(s, p.precision, p.scale)
			if ok && (st != OK || d != want) {
				t.Errorf("%q as %v: %v, want %v, %d", s, p, d, want, st)
			}
		}
	}
	if d, ok := plainDecimal("-12.5", 7, 2); !ok || d != (columnar.Int128{Lo: ^uint64(1249), Hi: -1}) {
		t.Errorf("-12.5 is %v, %t", d, ok)
	}
}
