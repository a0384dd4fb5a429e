package hints

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Option is one key and its value, unquoted. Positions are byte offsets of the
// opening quotes in the text handed to Parse.
type Option struct {
	Key, Value       string
	KeyPos, ValuePos int
}

// Set holds options in the order they were written. No key occurs twice.
type Set []Option

// Get returns the value of key, and whether it is there.
func (s Set) Get(key string) (string, bool) {
	for i := range s {
		if s[i].Key == key {
			return s[i].Value, true
		}
	}
	return "", false
}

// Map returns a new map of all options; nil for an empty set.
func (s Set) Map() map[string]string {
	if len(s) == 0 {
		return nil
	}
	m := make(map[string]string, len(s))
	for i := range s {
		m[s[i].Key] = s[i].Value
	}
	return m
}

// Shift moves all positions by n bytes, in place: from the hint's own text to
// that of a statement around it.
func (s Set) Shift(n int) {
	for i := range s {
		s[i].KeyPos += n
		s[i].ValuePos += n
	}
}

// String is the bare form, OPTIONS ('k'='v', …), which Parse reads back.
func (s Set) String() string {
	var b strings.Builder
	b.WriteString("OPTIONS (")
	for i := range s {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(Quote(s[i].Key) + "=" + Quote(s[i].Value))
	}
	b.WriteByte(')')
	return b.String()
}

// Quote returns s as an SQL string literal in single quotes.
func Quote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('\'')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\'':
			b.WriteString("''")
		case '\\':
			b.WriteString(`\\`)
		case 0:
			b.WriteString(`\0`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// Error is a fault in a hint's text.
type Error struct {
	Pos    int    // byte offset in the text handed to Parse
	Detail string // what was expected, or what is wrong
}

func (e *Error) Error() string { return fmt.Sprintf("hint: %s at byte %d", e.Detail, e.Pos) }

// Parse reads one hint at the start of text: the comment /*+ OPTIONS(…) */ or
// the bare OPTIONS (…). It returns the options and the length of the hint in
// bytes; what follows is not looked at. Every error is an *Error.
//
// Keys and values are string literals in single or double quotes, with doubled
// quotes and backslash escapes as in MySQL.
func Parse(text string) (Set, int, error) {
	p := scanner{text: text}
	p.space()
	comment := strings.HasPrefix(p.rest(), "/*+")
	if comment {
		p.pos += len("/*+")
		p.space()
	}
	if !p.word("OPTIONS") {
		return nil, 0, p.errorf("expected OPTIONS")
	}
	p.space()
	set, err := p.list()
	if err != nil {
		return nil, 0, err
	}
	if comment {
		p.space()
		if !strings.HasPrefix(p.rest(), "*/") {
			return nil, 0, p.errorf("expected the end of the hint, '*/'")
		}
		p.pos += len("*/")
	}
	return set, p.pos, nil
}

// IsOptions reports whether text, a hint comment with its marks or a bare
// hint, begins with the word OPTIONS.
func IsOptions(text string) bool {
	p := scanner{text: strings.TrimPrefix(text, "/*+")}
	p.space()
	return p.word("OPTIONS")
}

type scanner struct {
	text string
	pos  int
}

func (p *scanner) rest() string { return p.text[p.pos:] }

func (p *scanner) errorf(format string, args ...any) error {
	return &Error{Pos: p.pos, Detail: fmt.Sprintf(format, args...)}
}

func (p *scanner) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\n', '\r', '\v', '\f':
			p.pos++
		default:
			return
		}
	}
}

// word takes w in any case, if no letter, digit or underscore follows it.
func (p *scanner) word(w string) bool {
	end := p.pos + len(w)
	if end > len(p.text) || !strings.EqualFold(p.text[p.pos:end], w) {
		return false
	}
	if end < len(p.text) {
		c := p.text[end]
		if c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' {
			return false
		}
	}
	p.pos = end
	return true
}

func (p *scanner) byte(c byte) bool {
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *scanner) list() (Set, error) {
	if !p.byte('(') {
		return nil, p.errorf("expected '(' after OPTIONS")
	}
	var set Set
	for {
		p.space()
		o := Option{KeyPos: p.pos}
		var err error
		if o.Key, err = p.literal("key"); err != nil {
			return nil, err
		}
		p.space()
		if !p.byte('=') {
			return nil, p.errorf("expected '=' after the key '%s'", o.Key)
		}
		p.space()
		o.ValuePos = p.pos
		if o.Value, err = p.literal("value"); err != nil {
			return nil, err
		}
		if _, twice := set.Get(o.Key); twice {
			return nil, &Error{Pos: o.KeyPos, Detail: fmt.Sprintf("key '%s' is given twice", o.Key)}
		}
		set = append(set, o)
		p.space()
		if p.byte(')') {
			return set, nil
		}
		if !p.byte(',') {
			return nil, p.errorf("expected ',' or ')' after the value of '%s'", o.Key)
		}
	}
}

func (p *scanner) literal(what string) (string, error) {
	if p.pos >= len(p.text) || p.text[p.pos] != '\'' && p.text[p.pos] != '"' {
		return "", p.errorf("expected a quoted %s", what)
	}
	start := p.pos
	value, n, ok := Unquote(p.rest())
	if !ok {
		return "", &Error{Pos: start, Detail: fmt.Sprintf("the quoted %s has no end", what)}
	}
	if !utf8.ValidString(value) {
		return "", &Error{Pos: start, Detail: fmt.Sprintf("the quoted %s is not UTF-8", what)}
	}
	p.pos += n
	return value, nil
}

// Unquote reads the string literal at the start of text, in single or double
// quotes, by MySQL's rules: a doubled quote stands for itself, \% and \_ keep
// their backslash. It returns the value and the literal's length in bytes; ok is
// false when text does not begin with a quote or the closing one is missing.
func Unquote(text string) (value string, n int, ok bool) {
	if text == "" || text[0] != '\'' && text[0] != '"' {
		return "", 0, false
	}
	quote := text[0]
	var b []byte
	from := 1
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			b = append(b, text[from:i]...)
			i++
			b = appendEscape(b, text[i])
			from = i + 1
		case c != quote:
		case i+1 < len(text) && text[i+1] == quote:
			b = append(b, text[from:i+1]...)
			i++
			from = i + 1
		case b == nil:
			return text[from:i], i + 1, true
		default:
			return string(append(b, text[from:i]...)), i + 1, true
		}
	}
	return "", 0, false
}

// appendEscape appends what a backslash followed by c stands for.
func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '0':
		return append(b, 0)
	case 'b':
		return append(b, '\b')
	case 'n':
		return append(b, '\n')
	case 'r':
		return append(b, '\r')
	case 't':
		return append(b, '\t')
	case 'Z':
		return append(b, 26)
	case '%', '_':
		return append(b, '\\', c)
	}
	return append(b, c)
}
