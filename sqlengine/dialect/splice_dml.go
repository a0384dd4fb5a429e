package dialect

import (
	"strconv"
	"strings"
	"time"

	"github.com/lakesql/lakesql/hints"
)

// insertTarget looks at the table of an INSERT or REPLACE at i. Options, the
// PARTITION clause and OVERWRITE travel in the database's name.
func (s *splicer) insertTarget(i int) (int, error) {
	var target hints.Target
	i++
	i = s.priorities(i)
	switch {
	case s.is(i, "OVERWRITE"):
		if !s.is(s.first, "INSERT") && s.verb != "WITH" {
			return 0, syntaxError(s.src[:s.end], s.tokens[i].start, "expected INTO")
		}
		target.Overwrite = true
		text := "INTO"
		if s.is(i+1, "INTO") {
			text = ""
		}
		s.replace(s.tokens[i].start, s.tokens[i].end, text)
		if i++; text == "" {
			i++
		}
	case s.is(i, "INTO"):
		i++
	}
	if s.is(i, "TABLE") {
		s.replace(s.tokens[i].start, s.tokens[i].end, "")
		i++
	}
	return s.target(i, target)
}

// priorities moves over the modifiers of a verb and takes those out that the
// host's parser refuses and that mean nothing here.
func (s *splicer) priorities(i int) int {
	for ; i < s.last; i++ {
		switch {
		case s.is(i, "LOW_PRIORITY"), s.is(i, "DELAYED"), s.is(i, "HIGH_PRIORITY"), s.is(i, "QUICK"):
			s.replace(s.tokens[i].start, s.tokens[i].end, "")
		case !s.is(i, "IGNORE"):
			return i
		}
	}
	return i
}

// fromOfDelete returns the index of the FROM right behind the DELETE at i and
// its modifiers, or -1.
func (s *splicer) fromOfDelete(i int) int {
	i = s.priorities(i + 1)
	if s.is(i, "FROM") {
		return i
	}
	return -1
}

// deleteTarget looks at the table of a DELETE, whose FROM is at i. With one
// table, its options travel in the database's name; else it is a list of
// names, whose tables come behind USING.
func (s *splicer) deleteTarget(i int) (int, error) {
	end := i + 1 + 2*s.parts(i+1) - 1
	if s.op(end, ",") || s.is(end, "USING") || end <= i+1 {
		return i + 1, nil
	}
	return s.target(i+1, hints.Target{})
}

// target reads name, hints and PARTITION clause of a written table at i.
func (s *splicer) target(i int, target hints.Target) (int, error) {
	parts := s.parts(i)
	if parts == 0 || parts > 3 {
		return i + 1, nil // the host's parser says what is wrong
	}
	start := i
	end := i + 2*parts - 1
	i = end
	for i < s.last {
		var err error
		switch {
		case s.tokens[i].kind == tHint || isBareHint(s.lexed, i):
			if i, err = s.takeHint(i, &target.Options); err != nil {
				return 0, err
			}
			continue
		case s.is(i, "PARTITION") && s.op(i+1, "(") && target.Partition == nil && s.deleteFrom == 0:
			if i, err = s.takePartition(i, &target); err != nil {
				return 0, err
			}
			continue
		}
		break
	}
	s.qualify(start, parts, target)
	if s.op(end, "(") {
		return end, nil
	}
	return i, nil
}

func (s *splicer) takePartition(i int, target *hints.Target) (int, error) {
	g := &grammar{lexed: s.lexed, i: i + 1}
	p, err := g.partition(true /* dynamic */)
	if err != nil {
		return 0, err
	}
	target.Partition = p
	s.replace(s.tokens[i].start, s.tokens[g.i-1].end, "")
	return g.i, nil
}

// qualify writes the name of parts names at token i with what target carries.
func (s *splicer) qualify(i, parts int, target hints.Target) {
	var names []string
	for n := range parts {
		name, _ := s.name(i + 2*n)
		names = append(names, name)
	}
	db := strings.Join(names[:parts-1], ".")
	table := names[parts-1]
	switch {
	case !target.IsZero():
		s.replace(s.tokens[i].start, s.tokens[i+2*parts-2].end, quoteName(target.Qualify(db))+"."+quoteName(table))
	case parts == 3:
		s.catalog(i)
	case parts == 2 && s.is(i, "DEFAULT"):
		s.replace(s.tokens[i].start, s.tokens[i].end, "`"+s.text(i)+"`")
	}
}

// escape replaces ODBC's {fn f(x)}, {d '…'}, {t '…'} and {ts '…'}, whose '{' is
// at i, and returns the index of the token to look at next.
func (s *splicer) escape(i int) int {
	closing, depth := i+1, 1
	for ; closing < s.last; closing++ {
		if s.op(closing, "{") {
			depth++
		} else if s.op(closing, "}") {
			if depth--; depth == 0 {
				break
			}
		}
	}
	if closing == s.last || i+2 >= closing {
		return i + 1
	}
	before, after := "CAST(", ""
	switch strings.ToUpper(s.text(i + 1)) {
	case "FN":
		before, after = "(", ")"
	case "D":
		after = " AS DATE)"
	case "T":
		after = " AS TIME)"
	case "TS":
		after = " AS DATETIME(6))"
	default:
		return i + 1
	}
	s.replace(s.tokens[i].start, s.tokens[i+1].end, before)
	s.replace(s.tokens[closing].start, s.tokens[closing].end, after)
	return i + 2
}

// castTypes are the types of ours in CAST, as the host takes them.
var castTypes = map[string]string{
	"BIGINT": "SIGNED", "INT": "SIGNED", "INTEGER": "SIGNED", "SMALLINT": "SIGNED", "TINYINT": "SIGNED",
	"MEDIUMINT": "SIGNED", "LONG": "SIGNED", "STRING": "CHAR", "TEXT": "CHAR", "LONGTEXT": "CHAR",
	"VARCHAR": "CHAR", "TIMESTAMP": "DATETIME", "TIMESTAMP_LTZ": "DATETIME", "BYTES": "BINARY",
	"NUMERIC": "DECIMAL", "DEC": "DECIMAL", "BOOLEAN": "", "BOOL": "",
}

// cast replaces the type in the CAST(x AS type) or CONVERT(x, type) at i.
func (s *splicer) cast(i int) {
	closing := s.closeParen(i + 1)
	sep := -1
	for j, depth := i+1, 0; j < closing; j++ {
		switch {
		case s.op(j, "("):
			depth++
		case s.op(j, ")"):
			depth--
		case depth == 1 && (s.is(j, "AS") && s.is(i, "CAST") || s.op(j, ",") && s.is(i, "CONVERT")):
			sep = j
		}
	}
	typ := sep + 1
	if sep < 0 || typ >= closing || s.tokens[typ].kind != tWord {
		return
	}
	text, ours := castTypes[strings.ToUpper(s.text(typ))]
	if !ours {
		return
	}
	last := typ
	switch text {
	case "": // BOOLEAN: ((x) <> 0)
		s.replace(s.tokens[i].start, s.tokens[i].end, "(")
		s.replace(s.tokens[sep].start, s.tokens[typ].end, ") <> 0")
		return
	case "SIGNED":
		for last+1 < closing && (s.is(last+1, "UNSIGNED") || s.is(last+1, "SIGNED")) {
			last++
			text = strings.ToUpper(s.text(last))
		}
	case "DATETIME":
		if !s.op(typ+1, "(") {
			text = "DATETIME(6)"
		}
	}
	s.replace(s.tokens[typ].start, s.tokens[last].end, text)
}

// timeLiteral gives the literal at i, such as DATE '2026-01-01', its type,
// which the host's parser drops.
func (s *splicer) timeLiteral(i int) (int, error) {
	word := strings.ToUpper(s.text(i))
	end := i + 1
	for end+1 < s.last && s.tokens[end+1].kind == tString {
		end++
	}
	value, _, _ := hints.Unquote(s.text(i + 1))
	if !isTimeText(word, value) {
		e := &Error{Code: codeWrongValue, State: "HY000", Pos: s.tokens[i+1].start}
		e.Message = "Incorrect " + strings.Replace(word, "TIMESTAMP", "DATETIME", 1) + " value: '" + value + "'"
		return 0, e
	}
	typ := word
	if word == "TIMESTAMP" {
		typ = "DATETIME"
	}
	if digits := fraction(value); digits > 0 && word != "DATE" {
		typ += "(" + string(rune('0'+min(digits, 6))) + ")"
	}
	s.replace(s.tokens[i].start, s.tokens[i].end, "CAST(")
	pos := s.tokens[end].end
	s.replace(pos, pos, " AS "+typ+")")
	return end + 1, nil
}

// fraction counts the digits behind the decimal point.
func fraction(value string) int {
	_, frac, ok := strings.Cut(value, ".")
	if !ok {
		return 0
	}
	n := 0
	for n < len(frac) && isDigit(frac[n]) {
		n++
	}
	return n
}

// isTimeText reports whether value has the form of a literal of the type.
func isTimeText(word, value string) bool {
	value = strings.TrimSpace(value)
	if word == "TIME" {
		return value != "" && strings.Trim(value, "0123456789:.- ") == ""
	}
	return len(value) >= 6 && isDigit(value[0]) && strings.Trim(value, "0123456789:.-/ TZ+") == "" && isDateText(value)
}

// isDateText reports whether the date that value begins with, if it is written
// with separators, is one of the calendar, and its time of day is one.
func isDateText(value string) bool {
	parts := make([]int, 0, 6)
	for i := 0; i < len(value) && len(parts) < 6; {
		if !isDigit(value[i]) {
			i++
			continue
		}
		from := i
		for i < len(value) && isDigit(value[i]) {
			i++
		}
		n, err := strconv.Atoi(value[from:i])
		if err != nil {
			return false
		}
		if len(parts) == 0 && i-from > 4 { // 20260102, 260102030405
			return true
		}
		parts = append(parts, n)
	}
	for len(parts) > 0 && len(parts) < 6 {
		parts = append(parts, 0)
	}
	if len(parts) == 0 || parts[1] < 1 || parts[1] > 12 || parts[2] < 1 {
		return false
	}
	lastDay := time.Date(parts[0], time.Month(parts[1]+1), 0, 0, 0, 0, 0, time.UTC).Day()
	return parts[2] <= lastDay && parts[3] < 24 && parts[4] < 60 && parts[5] < 60
}
