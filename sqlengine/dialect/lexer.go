package dialect

import "strings"

type tokenKind uint8

const (
	tEOF    tokenKind = iota
	tWord             // bare word: keyword or identifier
	tQuoted           // identifier in backticks, or in double quotes under ANSI_QUOTES
	tString           // one string literal, without those that follow it
	tNumber
	tOp    // one operator or punctuation mark
	tHint  // /*+ … */
	tParam // ?
	tVar   // @x, @@x
	tBad   // no token: a quote or comment without end, or a control byte
)

// token is a span of the source. A token is 24 bytes; a statement keeps all of
// its tokens while it is read.
type token struct {
	kind       tokenKind
	start, end int
}

// lexed is a statement's source cut into tokens. The last token is tEOF, at the
// end of the statement.
type lexed struct {
	src     string // the whole text; the statement begins at tokens[0]
	tokens  []token
	repairs []edit // what the host's lexer would read otherwise, in order
	end     int    // end of the statement: the position of its ';' or len(src)
	remarks bool   // there are comments
}

// lexer cuts text into tokens by MySQL's rules. Unlike the host's lexer it
// takes $ and UTF-8 letters in names, takes -- for a comment only before white
// space, knows no // comment, and keeps hints as tokens. The marks of version
// comments, /*!40101 and */, are white space: what stands between is code.
type lexer struct {
	src       string
	pos       int
	ansi      bool // ANSI_QUOTES
	inVersion bool // between /*! and */
	remarks   bool // a comment was skipped
	repairs   []edit
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '$' || c >= 0x80
}

func (l *lexer) at(i int) byte {
	if i < len(l.src) {
		return l.src[i]
	}
	return 0
}

// next returns the next token; at the end of the text tEOF, again and again.
func (l *lexer) next() token {
	if bad, ok := l.skip(); !ok {
		return bad
	}
	start := l.pos
	if start >= len(l.src) {
		return token{tEOF, start, start}
	}
	c := l.src[start]
	switch {
	case isLetter(c):
		return l.word(start)
	case isDigit(c):
		return l.number(start)
	case c == '.' && isDigit(l.at(start+1)) && !l.afterName(start):
		return l.number(start)
	case c == '`' || c == '"' && l.ansi:
		return l.quoted(start, tQuoted)
	case c == '\'' || c == '"':
		return l.quoted(start, tString)
	case c == '?':
		l.pos++
		return token{tParam, start, l.pos}
	case c == '@':
		return l.variable(start)
	case c == '/' && l.at(start+1) == '*': // skip left it: a hint
		end := strings.Index(l.src[start:], "*/")
		if end < 0 {
			l.pos = len(l.src)
			return token{tBad, start, l.pos}
		}
		l.pos = start + end + 2
		return token{tHint, start, l.pos}
	case c < ' ' || c == 0x7f:
		l.pos++
		return token{tBad, start, l.pos}
	}
	return l.operator(start, c)
}

func (l *lexer) operator(start int, c byte) token {
	l.pos++
	second := l.at(l.pos)
	switch {
	case c == '=' && second == '>', c == ':' && second == '=', c == '|' && second == '|',
		c == '&' && second == '&', c == '<' && second == '>', c == '!' && second == '=',
		c == '>' && second == '=', c == '<' && second == '=', c == '-' && second == '>':
		l.pos++
		if c == '-' && l.at(l.pos) == '>' || c == '<' && second == '=' && l.at(l.pos) == '>' {
			l.pos++
		}
	case c == '-' && second == '-', c == '/' && second == '/':
		// Two operators here, a comment for the host's lexer.
		l.repairs = append(l.repairs, edit{start + 1, start + 1, " "})
	}
	return token{tOp, start, l.pos}
}

// afterName reports whether a name ends right before i, so that ".5" goes on.
func (l *lexer) afterName(i int) bool {
	return i > 0 && (isLetter(l.src[i-1]) || isDigit(l.src[i-1]) || l.src[i-1] == '`')
}

// skip moves over white space and comments. It returns false with a tBad token
// for a comment without end.
func (l *lexer) skip() (token, bool) {
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case isSpace(c):
			if c == '\v' || c == '\f' {
				l.repairs = append(l.repairs, edit{l.pos, l.pos + 1, " "})
			}
			l.pos++
		case c == '#':
			l.line()
		case c == '-' && l.at(l.pos+1) == '-' && (l.pos+2 >= len(l.src) || l.src[l.pos+2] <= ' '):
			l.line()
		case c == '*' && l.inVersion && l.at(l.pos+1) == '/':
			l.blank(l.pos, l.pos+2)
			l.inVersion = false
		case c == '/' && l.at(l.pos+1) == '*':
			switch l.at(l.pos + 2) {
			case '+':
				return token{}, true
			case '!':
				if end := strings.Index(l.src[l.pos:], "*/"); end < 0 {
					bad := token{tBad, l.pos, len(l.src)}
					l.pos = len(l.src)
					return bad, false
				}
				end := l.pos + 3
				for n := 0; n < 6 && isDigit(l.at(end)); n++ {
					end++
				}
				l.blank(l.pos, end)
				l.inVersion = true
			default:
				end := strings.Index(l.src[l.pos+2:], "*/")
				if end < 0 {
					bad := token{tBad, l.pos, len(l.src)}
					l.pos = len(l.src)
					return bad, false
				}
				l.pos += end + 4
				l.remarks = true
			}
		default:
			return token{}, true
		}
	}
	return token{}, true
}

func (l *lexer) line() {
	l.remarks = true
	if n := strings.IndexByte(l.src[l.pos:], '\n'); n >= 0 {
		l.pos += n + 1
		return
	}
	l.pos = len(l.src)
}

// blank has [from, to) replaced by as many spaces and moves behind it.
func (l *lexer) blank(from, to int) {
	l.repairs = append(l.repairs, edit{from, to, strings.Repeat(" ", to-from)})
	l.pos = to
}

func (l *lexer) word(start int) token {
	plain := true
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		if !isLetter(c) && !isDigit(c) {
			break
		}
		if c == '$' || c >= 0x80 {
			plain = false
		}
		l.pos++
	}
	if l.pos == start+1 && l.src[start]|0x20 == 'n' && (l.at(l.pos) == '\'' || l.at(l.pos) == '"' && !l.ansi) {
		// N'text' is text; the host takes N for a name.
		l.blank(start, l.pos)
		return l.quoted(l.pos, tString)
	}
	// The host reserves COPY, for a clause of ALTER TABLE that is ours.
	if !plain && l.src[start] != '$' || l.pos-start == len("copy") && strings.EqualFold(l.src[start:l.pos], "copy") {
		l.repairs = append(l.repairs, edit{start, start, "`"}, edit{l.pos, l.pos, "`"})
	}
	return token{tWord, start, l.pos}
}

// number reads a number, or a name that begins with digits.
func (l *lexer) number(start int) token {
	digits := func() {
		for isDigit(l.at(l.pos)) {
			l.pos++
		}
	}
	if l.src[start] == '0' && l.at(start+1)|0x20 == 'x' {
		l.pos += 2
		for isDigit(l.at(l.pos)) || isLetter(l.at(l.pos)) {
			l.pos++
		}
		return token{tNumber, start, l.pos}
	}
	digits()
	if l.at(l.pos) == '.' {
		l.pos++
		digits()
	}
	if l.at(l.pos)|0x20 == 'e' {
		sign := l.pos + 1
		if l.at(sign) == '+' || l.at(sign) == '-' {
			sign++
		}
		if isDigit(l.at(sign)) {
			l.pos = sign
			digits()
		}
	}
	if isLetter(l.at(l.pos)) && strings.IndexByte(l.src[start:l.pos], '.') < 0 {
		return l.word(start)
	}
	return token{tNumber, start, l.pos}
}

// quoted reads a literal or a name in quotes.
func (l *lexer) quoted(start int, kind tokenKind) token {
	quote := l.src[start]
	i := start + 1
	for i < len(l.src) {
		switch c := l.src[i]; {
		case c == '\\' && kind == tString:
			// The host drops the backslash of \% and \_; MySQL keeps it.
			if next := l.at(i + 1); next == '%' || next == '_' {
				l.repairs = append(l.repairs, edit{i, i, `\`})
			}
			i++
		case c == quote && l.at(i+1) == quote:
			i++
		case c == quote:
			l.pos = i + 1
			return token{kind, start, l.pos}
		}
		i++
	}
	l.pos = len(l.src)
	return token{tBad, start, l.pos}
}

// variable reads @name, @@scope.name, @'name' and @`name`.
func (l *lexer) variable(start int) token {
	l.pos++
	if l.at(l.pos) == '@' {
		l.pos++
	}
	if c := l.at(l.pos); c == '`' || c == '\'' || c == '"' {
		t := l.quoted(l.pos, tString)
		if t.kind == tBad {
			return token{tBad, start, l.pos}
		}
		return token{tVar, start, l.pos}
	}
	for c := l.at(l.pos); isLetter(c) || isDigit(c) || c == '.'; c = l.at(l.pos) {
		l.pos++
	}
	return token{tVar, start, l.pos}
}

// Limits of a statement, since the host and we go down its tree by recursion: a
// statement must not exhaust the stack, which would end the process.
const (
	maxDepth = 2_000   // open parentheses; the host stops at 200
	maxRun   = 100_000 // tokens without a comma, such as 1+1+1+…
)

// nesting watches the limits of a statement.
type nesting struct{ depth, run int }

// exceeded counts a token and reports whether it is one too many.
func (n *nesting) exceeded(kind tokenKind, text byte) bool {
	n.run++
	if kind == tOp {
		switch text {
		case '(', '[', '<':
			n.depth++
		case ')', ']', '>':
			n.depth = max(n.depth-1, 0)
		case ',':
			n.run = 0
		}
	}
	return n.depth > maxDepth || n.run > maxRun
}

// lex cuts the first statement of src, which begins at from.
func lex(src string, from int, ansi bool) *lexed {
	l := &lexer{src: src, pos: from, ansi: ansi}
	out := &lexed{src: src}
	var body bodies
	var nest nesting
	for {
		t := l.next()
		if t.kind != tEOF && t.kind != tBad && nest.exceeded(t.kind, src[t.start]) {
			t.kind = tBad
		}
		if t.kind == tEOF || t.kind == tOp && src[t.start] == ';' && body.depth == 0 {
			out.end = t.start
			out.tokens = append(out.tokens, token{tEOF, t.start, t.start})
			out.repairs, out.remarks = l.repairs, l.remarks
			return out
		}
		out.tokens = append(out.tokens, t)
		if t.kind == tWord {
			body.word(out)
		} else if t.kind == tOp && src[t.start] == ';' {
			body.started = true
		}
	}
}

// bodies counts the open BEGIN and CASE of a stored program, in which ';' does
// not end the statement.
type bodies struct {
	program bool // the statement creates a stored program
	started bool
	depth   int
}

func (b *bodies) word(x *lexed) {
	n := len(x.tokens)
	if !b.program {
		if n > 8 || !x.is(0, "CREATE") {
			return
		}
		if n > 1 && (x.is(n-1, "PROCEDURE") || x.is(n-1, "FUNCTION") || x.is(n-1, "TRIGGER") || x.is(n-1, "EVENT")) {
			b.program = true
		}
		return
	}
	switch {
	case x.is(n-1, "CASE") && x.is(n-2, "END"):
		// END CASE: counted at END.
	case x.is(n-1, "BEGIN"), x.is(n-1, "CASE"):
		b.depth++
	case x.is(n-1, "IF"), x.is(n-1, "LOOP"), x.is(n-1, "WHILE"), x.is(n-1, "REPEAT"):
		// END IF and its kin do not close a BEGIN.
		if x.is(n-2, "END") {
			b.depth++
		}
	case x.is(n-1, "END"):
		if b.depth > 0 {
			b.depth--
		}
	}
}

// is reports whether token i is the bare word w, in any case.
func (x *lexed) is(i int, w string) bool {
	if i < 0 || i >= len(x.tokens) {
		return false
	}
	t := x.tokens[i]
	return t.kind == tWord && t.end-t.start == len(w) && strings.EqualFold(x.src[t.start:t.end], w)
}

// op reports whether token i is the operator o.
func (x *lexed) op(i int, o string) bool {
	if i < 0 || i >= len(x.tokens) {
		return false
	}
	t := x.tokens[i]
	return t.kind == tOp && x.src[t.start:t.end] == o
}

// text is token i as typed.
func (x *lexed) text(i int) string { return x.src[x.tokens[i].start:x.tokens[i].end] }

// name is token i as an identifier, unquoted; ok is false for other tokens.
func (x *lexed) name(i int) (string, bool) {
	if i < 0 || i >= len(x.tokens) {
		return "", false
	}
	switch t := x.tokens[i]; t.kind {
	case tWord:
		return x.src[t.start:t.end], true
	case tQuoted:
		q := x.src[t.start : t.start+1]
		return strings.ReplaceAll(x.src[t.start+1:t.end-1], q+q, q), true
	}
	return "", false
}
