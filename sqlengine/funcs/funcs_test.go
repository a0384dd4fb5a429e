package funcs

import (
	"testing"
	"time"

	"github.com/lakesql/lakesql/sqlengine/exec/expr"
)

func TestParseSpan(t *testing.T) {
	tests := []struct{ in, want string }{
		{"10:11:12", "10:11:12.000000"},
		{"-10:11:12.5", "-10:11:12.500000"},
		{"1 1:1:1.000002", "25:01:01.000002"},
		{"2 3", "51:00:00.000000"},
		{"10:11", "10:11:00.000000"},
		{"101112", "10:11:12.000000"},
		{"12.25", "00:00:12.250000"},
		{"272:59:59", "272:59:59.000000"},
		{"10:60:00", ""}, {"x", ""}, {"", ""}, {"10:", ""}, {"1:2:3:4", ""}, {"10:11:12.x", ""}, {"176000", ""},
	}
	for _, tt := range tests {
		us, ok := parseSpan(tt.in)
		got := ""
		if ok {
			got = string(expr.AppendTime(nil, us, 6))
		}
		if got != tt.want {
			t.Errorf("parseSpan(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestWeek holds each way to count weeks against its meaning: a week is of seven days
// that begin on the right one, and the first week of a year is the right one.
func TestWeek(t *testing.T) {
	for mode := range int64(8) {
		r := ruleOf(mode)
		for d := time.Date(1999, 12, 20, 0, 0, 0, 0, time.UTC); d.Year() < 2030; d = d.AddDate(0, 0, 1) {
			year, week := r.week(d)
			nextYear, next := r.week(d.AddDate(0, 0, 1))
			begins := d.AddDate(0, 0, 1).Weekday() == time.Sunday
			if r.monday {
				begins = d.AddDate(0, 0, 1).Weekday() == time.Monday
			}
			newYear := !r.ofYear && nextYear != year
			if !newYear && begins != (next != week || nextYear != year) {
				t.Fatalf("mode %d: weeks %d/%d, %d/%d of %s and the next day", mode, year, week, nextYear, next, d.Format("2006-01-02"))
			}
			if lo := 0; week < lo || week > 53 || r.ofYear && week == 0 {
				t.Fatalf("mode %d: week %d of %s", mode, week, d.Format("2006-01-02"))
			}
			if isoYear, isoWeek := d.ISOWeek(); mode == 3 && (isoYear != year || isoWeek != week) {
				t.Fatalf("mode 3 of %s: %d/%d, want %d/%d", d.Format("2006-01-02"), year, week, isoYear, isoWeek)
			}
		}
	}
}

func TestMonthsBetween(t *testing.T) {
	tests := []struct {
		from, to string
		want     int64
	}{
		{"2003-02-01", "2003-05-01", 3},
		{"2026-01-31", "2026-02-28", 0},
		{"2026-01-31", "2026-03-31", 2},
		{"2026-03-31", "2026-01-31", -2},
		{"2026-03-30", "2026-01-31", -1},
		{"2026-01-01", "2026-01-01", 0},
	}
	for _, tt := range tests {
		from, _ := time.Parse(time.DateOnly, tt.from)
		to, _ := time.Parse(time.DateOnly, tt.to)
		if got := monthsBetween(from, to); got != tt.want {
			t.Errorf("from %s to %s: %d months, want %d", tt.from, tt.to, got, tt.want)
		}
	}
}
