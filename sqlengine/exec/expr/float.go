package expr

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

const spaces = " \t\n\v\f\r"

// ParseFloat reads the number at the begin of a text as MySQL does where it takes a text
// for a DOUBLE. whole is false when something else follows, or there is none: f is 0
// then. What is beyond DOUBLE is the largest one.
func ParseFloat(s string) (f float64, whole bool) {
	s = strings.TrimLeft(s, spaces)
	n := numberLength(s)
	if n == 0 {
		return 0, false
	}
	f, err := strconv.ParseFloat(s[:n], 64)
	if errors.Is(err, strconv.ErrRange) && math.IsInf(f, 0) {
		f = math.Copysign(math.MaxFloat64, f)
	}
	return f, strings.TrimRight(s[n:], spaces) == ""
}

// NumberAt is the number at the begin of a text, as it is written; "" when there is none.
func NumberAt(s string) string {
	s = strings.TrimLeft(s, spaces)
	return s[:numberLength(s)]
}

// numberLength is how many bytes at the begin of s are a number; 0: none.
func numberLength(s string) int {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	whole := digitsAt(s, i)
	end, digits := i+whole, whole
	if end < len(s) && s[end] == '.' {
		fraction := digitsAt(s, end+1)
		end, digits = end+1+fraction, digits+fraction
	}
	if digits == 0 {
		return 0
	}
	if end < len(s) && s[end]|0x20 == 'e' {
		e := end + 1
		if e < len(s) && (s[e] == '-' || s[e] == '+') {
			e++
		}
		if n := digitsAt(s, e); n > 0 {
			end = e + n
		}
	}
	return end
}

func digitsAt(s string, i int) int {
	n := 0
	for i+n < len(s) && s[i+n] >= '0' && s[i+n] <= '9' {
		n++
	}
	return n
}

// ParseInteger reads the digits at the begin of a text as MySQL does where it takes a
// text for a whole number: in 64 bits, of which negative ones are the complement. What
// is beyond is the nearest one. whole is as of ParseFloat.
func ParseInteger(s string) (n uint64, whole bool) {
	s = strings.TrimLeft(s, " \t")
	rest, negative := strings.CutPrefix(s, "-")
	if !negative {
		rest = strings.TrimPrefix(s, "+")
	}
	digits := digitsAt(rest, 0)
	if digits == 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(rest[:digits], 10, 64)
	whole = err == nil && strings.TrimRight(rest[digits:], spaces) == ""
	if !negative {
		return n, whole
	}
	if n > 1<<63 {
		return 1 << 63, false
	}
	return -n, whole
}
