package dialect

import (
	"strconv"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// InsertValues is INSERT or REPLACE … VALUES with nothing but constants and
// parameters in its rows, which are not read here: Source[First:End] is a list of
// rows in parentheses. Every value is a number with or without a sign, one quoted
// text, NULL, TRUE, FALSE, DEFAULT, NOW(), CURRENT_TIMESTAMP or ?.
type InsertValues struct {
	Name       TableName
	Replace    bool
	Columns    []string // nil: all of the table's
	Source     string
	First, End int
	Params     int // how many ? there are
	AnsiQuotes bool
}

// Kind implements Statement.
func (s *InsertValues) Kind() string {
	if s.Replace {
		return "REPLACE"
	}
	return "INSERT"
}

// valueScan reads the form of an InsertValues; it allocates nothing per row.
type valueScan struct {
	src  string
	pos  int
	ansi bool
}

// scanValues recognises an InsertValues at the begin of src and returns the
// offset of the statement's end. It may say no to any statement, which then takes
// the long way.
func scanValues(src string, ansi bool) (s *InsertValues, end int, ok bool) {
	v := valueScan{src: src, ansi: ansi}
	s = &InsertValues{Source: src, AnsiQuotes: ansi}
	switch {
	case v.word("INSERT"):
	case v.word("REPLACE"):
		s.Replace = true
	default:
		return nil, 0, false
	}
	v.word("INTO")
	if !v.target(s) || !v.columns(s) || !v.word("VALUES") && !v.word("VALUE") {
		return nil, 0, false
	}
	v.space()
	s.First = v.pos
	for {
		if !v.row(&s.Params) {
			return nil, 0, false
		}
		s.End = v.pos
		if !v.byte(',') {
			break
		}
	}
	v.space()
	if v.pos < len(src) && src[v.pos] != ';' {
		return nil, 0, false
	}
	return s, v.pos, true
}

func (v *valueScan) space() {
	for v.pos < len(v.src) && (v.src[v.pos] == ' ' || v.src[v.pos] == '\n' || v.src[v.pos] == '\t' || v.src[v.pos] == '\r') {
		v.pos++
	}
}

// byte moves over c, and blanks before it.
func (v *valueScan) byte(c byte) bool {
	v.space()
	if v.pos < len(v.src) && v.src[v.pos] == c {
		v.pos++
		return true
	}
	return false
}

func plainLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }

// bare returns the bare word at the position.
func (v *valueScan) bare() string {
	v.space()
	i := v.pos
	for i < len(v.src) && (plainLetter(v.src[i]) || isDigit(v.src[i])) {
		i++
	}
	return v.src[v.pos:i]
}

// word moves over one keyword.
func (v *valueScan) word(w string) bool {
	if b := v.bare(); len(b) == len(w) && strings.EqualFold(b, w) {
		v.pos += len(w)
		return true
	}
	return false
}

// name reads a name; words that mean something else in its place are left to the
// long way.
func (v *valueScan) name() (string, bool) {
	v.space()
	if v.pos < len(v.src) && v.src[v.pos] == '`' {
		end := strings.IndexByte(v.src[v.pos+1:], '`')
		if end <= 0 {
			return "", false
		}
		n := v.src[v.pos+1 : v.pos+1+end]
		v.pos += end + 2
		return n, !strings.ContainsAny(n, "$/") && (v.pos >= len(v.src) || v.src[v.pos] != '`')
	}
	w := v.bare()
	if w == "" || isDigit(w[0]) || notNames[strings.ToUpper(w)] {
		return "", false
	}
	v.pos += len(w)
	return w, v.pos >= len(v.src) || v.src[v.pos] != '$' && v.src[v.pos] < 0x80
}

var notNames = words(`IGNORE INTO TABLE OVERWRITE PARTITION VALUES VALUE SET SELECT WITH LOW_PRIORITY HIGH_PRIORITY DELAYED OPTIONS AS`)

func (v *valueScan) target(s *InsertValues) bool {
	v.space()
	s.Name.Pos = v.pos
	name, ok := v.name()
	if !ok {
		return false
	}
	if !v.byte('.') {
		s.Name.Table = name
		return true
	}
	s.Name.Database = name
	s.Name.Table, ok = v.name()
	return ok && !v.byte('.')
}

func (v *valueScan) columns(s *InsertValues) bool {
	if !v.byte('(') {
		return true
	}
	for {
		name, ok := v.name()
		if !ok {
			return false
		}
		s.Columns = append(s.Columns, name)
		if v.byte(')') {
			return true
		}
		if !v.byte(',') {
			return false
		}
	}
}

func (v *valueScan) row(params *int) bool {
	if !v.byte('(') {
		return false
	}
	for {
		if !v.value(params) {
			return false
		}
		if v.byte(')') {
			return true
		}
		if !v.byte(',') {
			return false
		}
	}
}

func (v *valueScan) value(params *int) bool {
	v.space()
	if v.pos >= len(v.src) {
		return false
	}
	switch c := v.src[v.pos]; {
	case c == '\'' || c == '"' && !v.ansi:
		v.pos = skipPlain(v.src, v.pos, false)
		return v.pos >= 0
	case c == '-' || c == '+':
		v.pos++
		return v.number()
	case isDigit(c) || c == '.':
		return v.number()
	case c == '?':
		v.pos++
		*params++
		return true
	}
	switch w := v.bare(); len(w) {
	case 4:
		return v.word("NULL") || v.word("TRUE")
	case 5:
		return v.word("FALSE")
	case 7:
		return v.word("DEFAULT")
	case 3:
		return v.word("NOW") && v.byte('(') && v.byte(')')
	case 17:
		if !v.word("CURRENT_TIMESTAMP") {
			return false
		}
		return !v.byte('(') || v.byte(')')
	}
	return false
}

// number moves over digits, a fraction and an exponent.
func (v *valueScan) number() bool {
	digits := func() int {
		from := v.pos
		for v.pos < len(v.src) && isDigit(v.src[v.pos]) {
			v.pos++
		}
		return v.pos - from
	}
	n := digits()
	if v.pos < len(v.src) && v.src[v.pos] == '.' {
		v.pos++
		n += digits()
	}
	if n == 0 {
		return false
	}
	if v.pos < len(v.src) && v.src[v.pos]|0x20 == 'e' {
		v.pos++
		if v.pos < len(v.src) && (v.src[v.pos] == '-' || v.src[v.pos] == '+') {
			v.pos++
		}
		if digits() == 0 {
			return false
		}
	}
	return v.pos >= len(v.src) || !plainLetter(v.src[v.pos]) && v.src[v.pos] < 0x80 && v.src[v.pos] != '$'
}

// injectValues wraps an InsertValues; its parameters are the expressions.
func injectValues(s *InsertValues, text string, b Builder) ast.Statement {
	in := ast.InjectedStatement{Statement: &injected{stmt: s, text: text, builder: b}, Auth: authOf(s)}
	for i := range s.Params {
		in.Children = append(in.Children, ast.NewValArg([]byte(":v"+strconv.Itoa(i+1))))
	}
	return in
}
