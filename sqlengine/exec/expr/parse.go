package expr

import (
	"math"
	"strings"

	"github.com/lakesql/lakesql/storage/columnar"
)

// Status says what reading a text as a value of some type gave.
type Status uint8

// The outcomes. Only OK and Rounded give a usable value.
const (
	OK         Status = iota
	Rounded           // digits were cut off by rounding
	Malformed         // the text is no value of the type
	Trailing          // a value, then other text
	OutOfRange        // a value that the type cannot hold
)

// ParseDecimal reads a decimal number such as -12.5, .5 or 1e3, in blanks, as an
// unscaled value of DECIMAL(p, scale). It rounds half away from zero.
func ParseDecimal(s string, p, scale int) (columnar.Int128, Status) {
	if d, ok := plainDecimal(s, p, scale); ok {
		return d, OK
	}
	return readDecimal(s, p, scale)
}

func readDecimal(s string, p, scale int) (columnar.Int128, Status) {
	s = trim(s)
	n := decimalText{scale: scale}
	rest := n.read(s)
	if n.digits == 0 {
		return columnar.Int128{}, Malformed
	}
	st := OK
	if rest != "" {
		st = Trailing
	}
	if n.overflow {
		return columnar.Int128{}, OutOfRange
	}
	d, cut := n.value()
	if n.overflow || !FitsPrecision(d, p) {
		return columnar.Int128{}, OutOfRange
	}
	if st == OK && cut {
		st = Rounded
	}
	return d, st
}

// trim cuts the blanks of ASCII at both ends.
func trim(s string) string {
	for s != "" && blank(s[0]) {
		s = s[1:]
	}
	for s != "" && blank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func blank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// decimalText gathers the digits of a number.
type decimalText struct {
	scale    int // wanted
	neg      bool
	hi, lo   uint64 // digits so far, without sign
	digits   int    // seen
	point    int    // digits after the point in hi, lo
	dropped  bool   // digits that did not fit were not zero
	half     bool   // the first dropped digit was 5 or more
	skipped  int    // digits dropped before the point
	overflow bool
}

func (n *decimalText) read(s string) (rest string) {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		n.neg = s[i] == '-'
		i++
	}
	point, full := false, false
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		n.digits++
		// 39 digits always fit 128 bits unsigned up to 3.4e38; beyond that they
		// only matter for rounding.
		h, l, ok := n.hi, n.lo, false
		if !full {
			h, l, ok = mulSmall(n.hi, n.lo, 10, uint64(c-'0'))
			ok = ok && h < 1<<63
		}
		switch {
		case ok:
			n.hi, n.lo = h, l
			if point {
				n.point++
			}
		default:
			if !full {
				n.half = c >= '5'
			}
			full = true
			n.dropped = n.dropped || c != '0'
			if !point {
				n.skipped++
			}
		}
	}
	if n.digits == 0 {
		return s
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		if e, used := readExponent(s[i+1:]); used > 0 {
			n.point -= e
			i += 1 + used
		}
	}
	return s[i:]
}

func readExponent(s string) (e, used int) {
	i := 0
	neg := false
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		neg = s[i] == '-'
		i++
	}
	start := i
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		if e < 100_000 {
			e = e*10 + int(s[i]-'0')
		}
	}
	if i == start {
		return 0, 0
	}
	if neg {
		e = -e
	}
	return e, i
}

// value brings the digits to the wanted scale; cut says that rounding changed it.
func (n *decimalText) value() (d columnar.Int128, cut bool) {
	point := n.point - n.skipped
	hi, lo := n.hi, n.lo
	if hi == 0 && lo == 0 {
		return d, n.dropped
	}
	ok := true
	for ; point < n.scale && ok; point++ {
		hi, lo, ok = mulSmall(hi, lo, 10, 0)
	}
	if !ok || int64(hi) < 0 {
		n.overflow = true
		return d, false
	}
	cut = n.dropped
	up := n.half
	for ; point > n.scale; point-- {
		var r uint64
		hi, lo, r = divSmall(hi, lo, 10)
		cut = cut || r != 0 || up
		up = r >= 5
	}
	if up {
		lo++
		if lo == 0 {
			hi++
		}
	}
	d = columnar.Int128{Lo: lo, Hi: int64(hi)}
	if n.neg {
		d = neg128(d)
	}
	return d, cut
}

// DateTime is a date and time of day without a zone, as read from text.
type DateTime struct {
	Day    int64 // since 1970-01-01
	Nanos  int64 // of the day, 0 to 24h-1
	HasDay bool
	// Offset is the zone offset in seconds that followed, when HasOffset.
	Offset    int
	HasOffset bool
}

// ParseDateTime reads a date or a date and time as MySQL takes it in strict mode:
// parts separated by any punctuation, or 8 or 14 digits; a fraction of up to nine
// digits; T or blanks before the time; an offset such as +02:00 at the end.
func ParseDateTime(s string) (DateTime, Status) {
	if dt, ok := plainDateTime(s); ok {
		return dt, OK
	}
	return readDateTime(s)
}

func readDateTime(s string) (DateTime, Status) {
	s = trim(s)
	p := timeScanner{s: s}
	year, month, day, ok := p.date()
	if !ok {
		return DateTime{}, Malformed
	}
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || year > 9999 {
		return DateTime{}, OutOfRange
	}
	dt := DateTime{Day: Day(int64(year), month, day), HasDay: true}
	if p.end() {
		return dt, OK
	}
	if !p.packed {
		if c := p.s[p.i]; c != ' ' && c != 'T' && c != 't' {
			return dt, Trailing
		}
		p.i++
		for !p.end() && p.s[p.i] == ' ' {
			p.i++
		}
	}
	nanos, ok := p.clock()
	if !ok {
		return dt, Trailing
	}
	if nanos < 0 || nanos >= 86400*1e9 {
		return dt, OutOfRange
	}
	dt.Nanos = nanos
	if p.end() {
		return dt, OK
	}
	if off, ok := p.offset(); ok && p.end() {
		dt.Offset, dt.HasOffset = off, true
		return dt, OK
	}
	return dt, Trailing
}

// ParseTime reads a time of day, [-]hh:mm[:ss[.fraction]] or hhmmss, in
// nanoseconds; it may be beyond a day.
func ParseTime(s string) (int64, Status) {
	s = trim(s)
	neg := strings.HasPrefix(s, "-")
	p := timeScanner{s: strings.TrimPrefix(s, "-")}
	if p.s == "" || p.s[0] < '0' || p.s[0] > '9' {
		return 0, Malformed
	}
	if !strings.Contains(p.s, ":") {
		p.packed = true
		if i := strings.IndexByte(p.s+".", '.'); i < 6 {
			p.s = strings.Repeat("0", 6-i) + p.s
		}
	}
	n, ok := p.clock()
	if !ok {
		return 0, Malformed
	}
	if n < 0 {
		return 0, OutOfRange
	}
	if neg {
		n = -n
	}
	if !p.end() {
		return n, Trailing
	}
	return n, OK
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

type timeScanner struct {
	s      string
	i      int
	packed bool // digits without separators
}

func (p *timeScanner) end() bool { return p.i >= len(p.s) }

// number reads up to limit digits.
func (p *timeScanner) number(limit int) (v, n int) {
	for n < limit && !p.end() && p.s[p.i] >= '0' && p.s[p.i] <= '9' {
		v = v*10 + int(p.s[p.i]-'0')
		p.i++
		n++
	}
	return v, n
}

func punct(c byte) bool {
	return c > ' ' && c < 0x7f && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z')
}

func (p *timeScanner) sep() bool {
	if p.end() || !punct(p.s[p.i]) {
		return false
	}
	p.i++
	return true
}

func (p *timeScanner) date() (year, month, day int, ok bool) {
	run := 0
	for run < len(p.s) && p.s[run] >= '0' && p.s[run] <= '9' {
		run++
	}
	if run == 8 || run == 14 || run == 6 || run == 12 {
		p.packed = true
		if run == 8 || run == 14 {
			year, _ = p.number(4)
		} else {
			year, _ = p.number(2)
			year = fullYear(year)
		}
		month, _ = p.number(2)
		day, _ = p.number(2)
		p.packed = run >= 12
		return year, month, day, true
	}
	var n int
	if year, n = p.number(4); n == 0 {
		return 0, 0, 0, false
	}
	if n == 2 {
		year = fullYear(year)
	}
	if !p.sep() {
		return 0, 0, 0, false
	}
	if month, n = p.number(2); n == 0 || !p.sep() {
		return 0, 0, 0, false
	}
	day, n = p.number(2)
	return year, month, day, n > 0
}

func fullYear(y int) int {
	if y < 70 {
		return y + 2000
	}
	return y + 1900
}

// clock reads hours, minutes, seconds and fraction; -1 nanoseconds is a part out of range.
func (p *timeScanner) clock() (nanos int64, ok bool) {
	part := func(limit int) (int, bool) {
		v, n := p.number(limit)
		return v, n > 0
	}
	var h, m, s int
	limit := 3
	if p.packed {
		limit = 2
	}
	if h, ok = part(limit); !ok {
		return 0, false
	}
	if p.packed || !p.end() && p.s[p.i] == ':' {
		if !p.packed {
			p.i++
		}
		if m, ok = part(2); !ok {
			return 0, false
		}
		if p.packed && !p.end() || !p.end() && p.s[p.i] == ':' {
			if !p.packed {
				p.i++
			}
			if s, ok = part(2); !ok {
				return 0, false
			}
		}
	}
	if m > 59 || s > 59 {
		return -1, true
	}
	nanos = (int64(h)*3600 + int64(m)*60 + int64(s)) * 1e9
	if !p.end() && p.s[p.i] == '.' {
		p.i++
		unit := int64(1e8)
		for !p.end() && p.s[p.i] >= '0' && p.s[p.i] <= '9' {
			nanos += int64(p.s[p.i]-'0') * unit
			unit /= 10
			p.i++
		}
	}
	return nanos, true
}

func (p *timeScanner) offset() (seconds int, ok bool) {
	if p.s[p.i] == 'Z' {
		p.i++
		return 0, true
	}
	c := p.s[p.i]
	if c != '+' && c != '-' {
		return 0, false
	}
	p.i++
	h, n := p.number(2)
	if n == 0 || p.end() || p.s[p.i] != ':' {
		return 0, false
	}
	p.i++
	m, n := p.number(2)
	if n == 0 || h > 14 || m > 59 {
		return 0, false
	}
	seconds = h*3600 + m*60
	if c == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// RoundNanos rounds nanoseconds to precision fractional digits, half up.
func RoundNanos(n int64, precision int) int64 {
	if precision >= 9 {
		return n
	}
	unit := int64(math.Pow10(9 - precision))
	return floorDiv(n+unit/2, unit) * unit
}
