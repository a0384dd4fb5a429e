package plan

import (
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
)

// repairLike writes out what the host takes otherwise: the escape character of a LIKE
// that the host made itself, such as that of SHOW … LIKE, without which it takes the
// pattern for a plain text or a range; an escape character at the pattern's end, which
// stands for itself; and escapes that are wildcards. ok is false for other expressions.
func repairLike(e sql.Expression) (out sql.Expression, ok bool) {
	l, isLike := e.(*expression.Like)
	if !isLike {
		return e, false
	}
	const backslash = '\\'
	escape, pattern := l.Escape, l.RightChild
	if escape == nil {
		escape, ok = expression.NewLiteral(string(backslash), gmstypes.LongText), true
	}
	if p, esc, known := likePattern(pattern, escape); known {
		if whole := escapeByBackslash(p, esc); whole != p || esc != backslash {
			pattern, ok = expression.NewLiteral(whole, gmstypes.LongText), true
			escape = expression.NewLiteral(string(backslash), gmstypes.LongText)
		}
	}
	if !ok {
		return e, false
	}
	return expression.NewLike(l.LeftChild, pattern, escape), true
}

// likePattern is a pattern and its escape character where the statement has both as
// texts; the host's LIKE takes no other escapes than single characters.
func likePattern(pattern, escape sql.Expression) (p string, esc rune, ok bool) {
	p, ok = literalText(pattern)
	e, ok2 := literalText(escape)
	if !ok || !ok2 || utf8.RuneCountInString(e) != 1 || !utf8.ValidString(p+e) {
		return "", 0, false
	}
	esc, _ = utf8.DecodeRuneInString(e)
	return p, esc, true
}

func literalText(e sql.Expression) (string, bool) {
	lit, ok := e.(*expression.Literal)
	if !ok {
		return "", false
	}
	s, ok := lit.Value().(string)
	return s, ok
}

// escapeByBackslash is a pattern with backslashes in the place of its escape character,
// none of which is left open at the end.
func escapeByBackslash(pattern string, escape rune) string {
	var out strings.Builder
	open := false
	for _, r := range pattern {
		switch {
		case open:
			open = false
			out.WriteRune(r)
		case r == escape:
			open = true
			out.WriteByte('\\')
		case r == '\\':
			out.WriteString(`\\`)
		default:
			out.WriteRune(r)
		}
	}
	if open {
		out.WriteRune(escape)
	}
	return out.String()
}
