package dialect

import "strings"

// plainVerbs begin the statements that scanPlain lets through.
var plainVerbs = words(`SELECT INSERT REPLACE UPDATE DELETE COMMIT ROLLBACK`)

// suspects are the words that may begin something of ours inside a plain
// statement; those that do not are sorted out by the splicer.
var suspects = words(`HAVING LOW_PRIORITY DELAYED HIGH_PRIORITY QUICK OPTIONS OVERWRITE OVER OF CAST CONVERT DATE TIME TIMESTAMP DEFAULT PARTITION TABLE
	INTERVAL UNKNOWN ANY SOME ALL TRUE ROLLUP COPY SQL_TSI_SECOND SQL_TSI_MINUTE SQL_TSI_HOUR SQL_TSI_DAY SQL_TSI_WEEK SQL_TSI_MONTH SQL_TSI_QUARTER SQL_TSI_YEAR
	SYSTEM_TIME VERSION VERSIONS TUMBLE HOP CUMULATE TUMBLE_START TUMBLE_END HOP_START HOP_END CUMULATE_START CUMULATE_END SESSION_START SESSION_END`)

// scanPlain looks at each byte of the first statement of src once. ok says that
// it holds nothing of ours and nothing that the host's lexer reads otherwise, so
// that the host may have src[:end] as it is; like says that LIKE occurs.
//
// It is allowed to say no to a plain statement, which then takes the long way.
func scanPlain(src string, ansi bool) (end int, like, ok bool) {
	i := 0
	for i < len(src) && isSpace(src[i]) {
		i++
	}
	start := i
	for i < len(src) && isLetter(src[i]) {
		i++
	}
	if i-start > len("ROLLBACK") || !plainVerbs[strings.ToUpper(src[start:i])] {
		return 0, false, false
	}
	dots := 0
	dotted := false // the last token was a dot
	comma, depth := i, 0
	for i < len(src) {
		c := src[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case c == ';':
			return i, like, i-comma <= maxRun
		case c == '\'' || c == '"' || c == '`':
			if i = skipPlain(src, i, c == '`' || c == '"' && ansi); i < 0 {
				return 0, false, false
			}
		case isDigit(c):
			for i < len(src) && (isDigit(src[i]) || src[i] == '.') {
				i++
			}
			dots = 0
			continue
		case c == '.':
			if dots++; dots > 1 {
				return 0, false, false
			}
			i++
			dotted = true
			continue
		case c == '{' || c == '$' || c >= 0x7f || c < ' ' || c == '#' || c == '@':
			return 0, false, false
		case isLetter(c):
			from := i
			for i < len(src) && (isLetter(src[i]) || isDigit(src[i])) {
				if src[i] == '$' || src[i] >= 0x80 {
					return 0, false, false
				}
				i++
			}
			n := i - from
			if n == 1 && c|0x20 == 'n' && i < len(src) && (src[i] == '\'' || src[i] == '"') {
				return 0, false, false
			}
			if n == 4 && strings.EqualFold(src[from:i], "LIKE") {
				like = true
			} else if n >= 2 && n <= maxSuspect && isSuspect(src[from:i]) {
				return 0, false, false
			}
		default:
			if i+1 < len(src) && (c == '-' && src[i+1] == '-' || c == '/' && (src[i+1] == '/' || src[i+1] == '*')) {
				return 0, false, false
			}
			switch c {
			case ',':
				comma = i
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth > maxDepth/2 || i-comma > maxRun {
				return 0, false, false
			}
			i++
			dots, dotted = 0, false
			continue
		}
		if !dotted {
			dots = 0
		}
		dotted = false
	}
	return len(src), like, len(src)-comma <= maxRun
}

// maxSuspect is the length of the longest of suspects.
const maxSuspect = len("SQL_TSI_QUARTER")

// isSuspect reports whether w is one of suspects, in any case.
func isSuspect(w string) bool {
	switch w[0] | 0x20 {
	case 'u', 'o', 'c', 'd', 't', 'p', 'h', 's', 'v', 'l', 'q', 'i', 'a', 'r':
	default:
		return false
	}
	var upper [maxSuspect]byte
	for i := range len(w) {
		c := w[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		upper[i] = c
	}
	return suspects[string(upper[:len(w)])]
}

// skipPlain returns the index behind the quoted text at i, or -1 if it has no
// end or holds a backslash that the host's lexer would drop.
func skipPlain(src string, i int, name bool) int {
	quote := src[i]
	for i++; i < len(src); i++ {
		switch c := src[i]; {
		case c == quote:
			if i+1 < len(src) && src[i+1] == quote {
				i++
				continue
			}
			return i + 1
		case c == '\\' && !name:
			if i+1 < len(src) && (src[i+1] == '%' || src[i+1] == '_') {
				return -1
			}
			i++
		}
	}
	return -1
}
