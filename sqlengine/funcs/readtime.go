package funcs

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// dateSpecifiers and timeSpecifiers are what stands for a part of a date and of a time
// in a format.
const (
	dateSpecifiers = "aMbcDdejmUuVvWwXxYy"
	timeSpecifiers = "fHhIiklprSsT"
)

// readTime is a text being read by a format of STR_TO_DATE. Parts that do not occur
// are 0, numbers of weeks -1.
type readTime struct {
	rest string

	year, month, day, dayOfYear    int
	hour, minute, second, micro    int
	twelve                         bool // the hour is of the 12-hour clock
	afternoon                      int  // hours that PM adds
	weekday                        int  // 1 is Monday
	week, weekYear                 int
	weekFromSunday, yearFromSunday bool
	weekFromOne                    bool // of %V and %v, which need %X and %x
}

// readTimeText reads text, as far as format or text go. ok is false when they do not
// fit or the parts are no time.
func readTimeText(text, format string) (r *readTime, ok bool) {
	r = &readTime{rest: text, week: -1, weekYear: -1}
	return r, r.read(format) && r.settle() && r.inRange()
}

func (r *readTime) read(format string) bool {
	for i := 0; i < len(format) && r.rest != ""; i++ {
		r.rest = strings.TrimLeft(r.rest, " \t\r\n\v\f")
		c := format[i]
		switch {
		case r.rest == "":
		case c == '%' && i+1 < len(format):
			i++
			if !r.part(format[i]) {
				return false
			}
		case c == ' ' || c >= '\t' && c <= '\r':
		case r.rest[0] != c:
			return false
		default:
			r.rest = r.rest[1:]
		}
	}
	return true
}

// part reads what a specifier stands for.
func (r *readTime) part(specifier byte) bool {
	ok := true
	switch specifier {
	case 'Y', 'y':
		r.year, ok = r.yearNumber(specifier)
	case 'm', 'c':
		r.month, ok = r.number(2)
	case 'd', 'e':
		r.day, ok = r.number(2)
	case 'D':
		r.day, ok = r.number(2)
		r.rest = r.rest[min(2, len(r.rest)):]
	case 'j':
		r.dayOfYear, ok = r.number(3)
	case 'M', 'b':
		r.month, ok = r.name(12, specifier == 'b', func(i int) string { return time.Month(i).String() })
	case 'W', 'a':
		r.weekday, ok = r.name(7, specifier == 'a', func(i int) string { return time.Weekday(i % 7).String() })
	case 'w':
		if r.weekday, ok = r.number(1); r.weekday == 0 {
			r.weekday = 7
		}
		ok = ok && r.weekday <= 7
	case 'U', 'u', 'V', 'v':
		r.weekFromSunday = specifier == 'U' || specifier == 'V'
		r.weekFromOne = specifier == 'V' || specifier == 'v'
		r.week, ok = r.number(2)
		ok = ok && r.week <= 53 && (r.week > 0 || !r.weekFromOne)
	case 'X', 'x':
		r.yearFromSunday = specifier == 'X'
		r.weekYear, ok = r.number(4)
	case '.':
		r.rest = strings.TrimLeftFunc(r.rest, func(c rune) bool { return unicode.IsPunct(c) || unicode.IsSymbol(c) })
	case '@':
		r.rest = strings.TrimLeftFunc(r.rest, unicode.IsLetter)
	case '#':
		r.rest = strings.TrimLeft(r.rest, "0123456789")
	default:
		return r.clock(specifier)
	}
	return ok
}

// clock reads a part of a time of day.
func (r *readTime) clock(specifier byte) bool {
	ok := true
	switch specifier {
	case 'h', 'I', 'l':
		r.twelve = true
		r.hour, ok = r.number(2)
	case 'H', 'k':
		r.hour, ok = r.number(2)
	case 'i':
		r.minute, ok = r.number(2)
	case 's', 'S':
		r.second, ok = r.number(2)
	case 'f':
		before := len(r.rest)
		r.micro, ok = r.number(6)
		for range 6 - (before - len(r.rest)) {
			r.micro *= 10
		}
	case 'p':
		if !r.twelve || len(r.rest) < 2 {
			return false
		}
		switch strings.ToUpper(r.rest[:2]) {
		case "PM":
			r.afternoon = 12
		case "AM":
		default:
			return false
		}
		r.rest = r.rest[2:]
	case 'r':
		return r.read("%I:%i:%S %p")
	case 'T':
		return r.read("%H:%i:%S")
	default:
		return false
	}
	return ok
}

// number reads a number of at most n digits.
func (r *readTime) number(n int) (int, bool) {
	end := 0
	for end < len(r.rest) && end < n && r.rest[end] >= '0' && r.rest[end] <= '9' {
		end++
	}
	v, err := strconv.Atoi(r.rest[:end])
	r.rest = r.rest[end:]
	return v, err == nil
}

func (r *readTime) yearNumber(specifier byte) (int, bool) {
	n := 4
	if specifier == 'y' {
		n = 2
	}
	before := len(r.rest)
	y, ok := r.number(n)
	if before-len(r.rest) <= 2 {
		if y < 70 {
			y += 2000
		} else {
			y += 1900
		}
	}
	return y, ok
}

// name reads one of n names, or the first three letters of one.
func (r *readTime) name(n int, short bool, of func(int) string) (int, bool) {
	word := r.rest[:len(r.rest)-len(strings.TrimLeftFunc(r.rest, unicode.IsLetter))]
	for i := 1; i <= n; i++ {
		name := of(i)
		if short {
			name = name[:3]
		}
		if strings.EqualFold(word, name) {
			r.rest = r.rest[len(word):]
			return i, true
		}
	}
	return 0, false
}

// settle turns the 12-hour clock, days of a year and days of a week into the rest.
func (r *readTime) settle() bool {
	if r.twelve {
		if r.hour < 1 || r.hour > 12 {
			return false
		}
		r.hour = r.hour%12 + r.afternoon
	}
	if r.dayOfYear > 0 {
		r.date(time.Date(r.year, 1, r.dayOfYear, 0, 0, 0, 0, time.UTC))
	}
	if r.week < 0 || r.weekday == 0 {
		return true
	}
	year := r.year
	switch {
	case !r.weekFromOne && r.weekYear >= 0:
		return false
	case r.weekFromOne:
		if r.weekYear < 0 || r.yearFromSunday != r.weekFromSunday {
			return false
		}
		year = r.weekYear
	}
	first := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	from, day, whole := int(first.Weekday()), r.weekday%7, 0 // a week of whole days begins on this day or before
	if !r.weekFromSunday {
		from, day, whole = (from+6)%7, r.weekday-1, 3
	}
	days := (r.week-1)*7 + day - from
	if from > whole {
		days += 7
	}
	r.date(first.AddDate(0, 0, days))
	return true
}

func (r *readTime) date(t time.Time) { r.year, r.month, r.day = t.Year(), int(t.Month()), t.Day() }

// inRange refuses parts that no time has.
func (r *readTime) inRange() bool {
	return r.year >= 0 && r.year <= 9999 && r.month <= 12 && r.day <= 31 && r.hour <= 23 && r.minute <= 59 && r.second <= 59
}

// time is what was read; ok is false for days that the calendar has not.
func (r *readTime) time() (t time.Time, ok bool) {
	t = time.Date(r.year, time.Month(r.month), r.day, r.hour, r.minute, r.second, r.micro*1000, time.UTC)
	return t, t.Day() == r.day && int(t.Month()) == r.month
}
