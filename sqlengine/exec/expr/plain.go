package expr

import "github.com/lakesql/lakesql/storage/columnar"

// Nearly all texts of numbers and times have a plain form, which is read here in one
// pass; all others are left to the readers that know every form.

// plainDateTime reads 2026-01-02 and 2026-01-02 03:04:05, with up to nine digits of a
// fraction.
func plainDateTime(s string) (dt DateTime, ok bool) {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return dt, false
	}
	century, ok1 := twoDigits(s, 0)
	year, ok2 := twoDigits(s, 2)
	month, ok3 := twoDigits(s, 5)
	day, ok4 := twoDigits(s, 8)
	year += 100 * century
	if !ok1 || !ok2 || !ok3 || !ok4 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return dt, false
	}
	dt.HasDay = true
	if len(s) == 10 {
		dt.Day = Day(int64(year), month, day)
		return dt, true
	}
	if len(s) < 19 || s[10] != ' ' || s[13] != ':' || s[16] != ':' || len(s) > 29 || len(s) > 19 && s[19] != '.' {
		return dt, false
	}
	hour, ok1 := twoDigits(s, 11)
	minute, ok2 := twoDigits(s, 14)
	second, ok3 := twoDigits(s, 17)
	if !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 59 {
		return dt, false
	}
	dt.Nanos = (int64(hour)*3600 + int64(minute)*60 + int64(second)) * 1e9
	unit := int64(1e8)
	for i := 20; i < len(s); i++ {
		d := s[i] - '0'
		if d > 9 {
			return dt, false
		}
		dt.Nanos += int64(d) * unit
		unit /= 10
	}
	dt.Day = Day(int64(year), month, day)
	return dt, true
}

func twoDigits(s string, i int) (n int, ok bool) {
	a, b := s[i]-'0', s[i+1]-'0'
	return int(a)*10 + int(b), a <= 9 && b <= 9
}

// plainDigits is how many digits an int64 always holds.
const plainDigits = 18

// plainDecimal reads -12.50 where nothing is rounded and an int64 holds it.
func plainDecimal(s string, p, scale int) (d columnar.Int128, ok bool) {
	i, neg := 0, false
	if len(s) > 0 && s[0] == '-' {
		i, neg = 1, true
	}
	if len(s)-i > plainDigits {
		return d, false
	}
	n, digits, point := int64(0), 0, -1
	for ; i < len(s); i++ {
		c := s[i] - '0'
		switch {
		case c <= 9:
			n = n*10 + int64(c)
			digits++
		case s[i] == '.' && point < 0:
			point = digits
		default:
			return d, false
		}
	}
	if point < 0 {
		point = digits
	}
	fill := scale - (digits - point)
	if digits == 0 || fill < 0 || digits+fill > plainDigits {
		return d, false
	}
	for range fill {
		n *= 10
	}
	if neg {
		n = -n
	}
	d = FromInt64(n)
	return d, FitsPrecision(d, p)
}
